"""Whole games in compiled code: what automata play among themselves needs no Python between the moves.

A template like the searches. The referee in game.py plays the same games move for move, slower; a test holds them
together.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numba import types

from sparring.arena.batch import result_type
from sparring.core.bits import lowest
from sparring.core.dice import REFEREE, Dice, sow
from sparring.core.kernel import (
    Weights,
    bind,
    heuristic_signature,
    kernel,
    nanoseconds,
    rebound,
    record_type,
    records,
    workspace,
)
from sparring.games.contract import Game
from sparring.search.tree import MAX_PLIES, NO_LIMIT, Automaton, Frame, Walk, begin, step_signature

MOST_SEATS = 8
Desk = np.dtype(
    [
        ("walk", Walk),  # the memory that the players' searches share
        ("referee", Dice),
        ("dice", Dice, (MOST_SEATS,)),  # by seat
        ("chosen", np.int64, (MOST_SEATS,)),  # by seat, what is played this turn
        ("most_nodes", np.int64, (MOST_SEATS,)),  # by player
        ("most_plies", np.int64, (MOST_SEATS,)),
        ("games", np.int64),  # finished so far
        ("turns", np.int64),  # of the finished games
    ],
    align=True,
)
"""What one who plays many games has before it."""

MANY, TIMED_EVERY = 64, 8
"""Reading the clock takes as long as a quick agent's move. So many blocks in one go are only given to quick agents, and
then one of eight is timed and stands for the others."""

legal: Any
mover: Any
play: Any
reward: Any
actors: Any
ask: Any
play_together: Any
score: Any
ending: Any


def playout(
    seeds: Any,
    starts: Any,
    seated: Any,
    results: Any,
    played: Any,
    desk: Any,
    boards: Any,
    states: Any,
    frames: Any,
    steps: Any,
    scores: Any,
    weights: Any,
    every: int,
) -> None:
    """Play each start with every seating, from the first game that is not finished, as long as there is paper to write
    the moves down; look at the clock in one block of `every`. `seated` tells for each seating who sits where."""
    seatings, seats = seated.shape
    now = 0
    while desk.games < len(results):
        block, seating, turn = desk.games // seatings, desk.games % seatings, desk.turns
        result = results[desk.games]
        timed = block % every == 0
        boards[0] = starts[block]
        sow(desk.referee, seeds[block], REFEREE)
        for seat in range(seats):
            sow(desk.dice[seat], seeds[block], seat)
            result.moves[seat] = 0
            result.nodes[seat] = 0
            result.depth[seat] = 0
            result.seconds[seat] = 0
        if timed:
            now = nanoseconds()
        acting = actors(boards[0])
        while acting:
            if turn + seats > len(played):
                return
            while acting:
                me = lowest(acting)
                acting &= acting - 1
                which = seated[seating, me]
                walk = desk.walk
                states[0] = boards[0]
                ask(states[0], me)
                begin(walk, me, desk.most_nodes[which], desk.most_plies[which])
                steps[which](walk, states, frames, scores[which], weights[which], desk.dice[me], NO_LIMIT >> 1)
                action = int(walk.line[0]) if walk.line_length else lowest(legal(states[0]))
                desk.chosen[me] = action
                played[turn] = action
                turn += 1
                result.moves[me] += 1
                result.nodes[me] += walk.nodes
                result.depth[me] += walk.completed
                if timed:
                    then, now = now, nanoseconds()
                    result.seconds[me] += (now - then) * 1e-9
            play_together(boards[0], desk.chosen, desk.referee)
            acting = actors(boards[0])
        for seat in range(seats):
            result.scores[seat] = score(boards[0], seat)
        result.ending = ending(boards[0])
        result.failed = -1
        desk.games += 1
        desk.turns = turn


# Players who move in turn are a case of players who move at once: there is one of them


def the_mover(s: Any) -> int:
    return 1 << mover(s) if legal(s) else 0


def seen_as_it_is(s: Any, me: int) -> None:
    """Who is to move is written in the state."""


def play_one(s: Any, chosen: Any, dice: Any) -> None:
    play(s, chosen[mover(s)], dice)


def share(s: Any, player: int) -> float:
    return (1 + reward(s, player)) / 2  # type: ignore[no-any-return]


def in_turn(kernels: Mapping[str, Any]) -> dict[str, Any]:
    """The kernels of a game whose players move in turn, as `playout` calls them."""
    meant = {"actors": the_mover, "ask": seen_as_it_is, "play_together": play_one, "score": share}
    return {**kernels, **{name: kernel(rebound(one, kernels, one.__name__)) for name, one in meant.items()}}


def in_bulk(game: Game) -> bool:
    """Whether these are games that it can play: by compiled rules alone."""
    return "ending" in game.kernels


def play_out(game: Game, players: Sequence[Automaton], seated: Sequence[Sequence[int]], seeds: Any) -> tuple[Any, Any]:
    """The results, (blocks, seatings), and the moves of games between players, as many as seats, from many seeds."""
    every = TIMED_EVERY if len(seeds) >= MANY else 1
    results = records(result_type(game.seats), len(seated) * len(seeds))
    moves = np.empty(len(results) * MAX_PLIES, np.int16)
    desk = records(Desk, 1)[0]
    desk["most_nodes"][: game.seats] = [one.most_nodes for one in players]
    desk["most_plies"][: game.seats] = [one.most_plies for one in players]
    weights = records(Weights, game.seats)
    for place, one in enumerate(players):
        weights[place] = one.weights
    steps, scores = tuple(one.step for one in players), tuple(one.score for one in players)
    at_hand = seeds, game.starts(seeds), np.array(seated), results
    memory = desk, workspace(game.state, 1), workspace(game.state, MAX_PLIES), workspace(Frame, MAX_PLIES)
    while desk["games"] < len(results):
        _bound(game)(*at_hand, moves, *memory, steps, scores, weights, every)
        if desk["games"] < len(results):
            moves = np.concatenate([moves, np.empty_like(moves)])
    blocks = results.view(np.ndarray).reshape(-1, len(seated))
    if every > 1:
        timed = blocks[::every]
        spent = timed["seconds"].sum(axis=0) / np.maximum(1, timed["moves"].sum(axis=0))
        blocks["seconds"] = blocks["moves"] * spent
    return blocks, moves[: desk["turns"]].copy()


def _bound(game: Game) -> Any:
    states = types.Array(record_type(game.state), 1, "C")
    signature = types.void(
        types.int64[::1],
        states,
        types.int64[:, ::1],
        types.Array(record_type(result_type(game.seats)), 1, "C"),
        types.int16[::1],
        record_type(Desk),
        states,
        states,
        types.Array(record_type(Frame), 1, "C"),
        types.UniTuple(types.FunctionType(step_signature(game.state)), game.seats),
        types.UniTuple(types.FunctionType(heuristic_signature(game.state)), game.seats),
        types.Array(record_type(Weights), 1, "C"),
        types.int64,
    )
    kernels = game.kernels if game.kind.simultaneous else in_turn(game.kernels)
    return bind(playout, kernels, f"playout_{game.name}", signature)
