"""Whole games in compiled code: what automata play among themselves needs no Python between the moves.

A template like the searches. The referee plays the same games move for move, slower; a test holds them together.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

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
from sparring.games.kernels import MOST_PLAYERS
from sparring.games.lookahead import NODES_ARE_STATES
from sparring.search.tree import MAX_PLIES, NO_LIMIT, Automaton, Tree, begin, tree_of

if TYPE_CHECKING:  # nothing compiled comes from there
    from sparring.games.contract import Game


@cache
def result_type(seats: int) -> np.dtype[Any]:
    """What is kept of a game besides its moves, by seat where it differs."""
    return np.dtype(
        [
            ("nodes", "<i8", (seats,)),
            ("scores", "<f4", (seats,)),
            ("depth", "<i4", (seats,)),  # summed over the moves
            ("seconds", "<f4", (seats,)),
            ("moves", "<u2", (seats,)),
            ("ending", "u1"),
            ("failed", "i1"),  # the seat of the player that failed, or -1
        ],
        align=True,
    )


@cache
def desk_type(walk: np.dtype[Any], joint: np.dtype[Any]) -> np.dtype[Any]:
    """What one who plays many games has before it."""
    return np.dtype(
        [
            ("walk", walk),  # the memory that the players' searches share
            ("referee", Dice),
            ("dice", Dice, (MOST_PLAYERS,)),  # by seat
            ("joint", joint),  # what is played this turn
            ("most_nodes", np.int64, (MOST_PLAYERS,)),  # by player
            ("most_plies", np.int64, (MOST_PLAYERS,)),
            ("games", np.int64),  # finished so far
            ("turns", np.int64),  # of the finished games
        ],
        align=True,
    )


MANY, TIMED_EVERY = 64, 8
"""Reading the clock takes as long as a quick agent's move. So many blocks in one go are only given to quick agents, and
then one of eight is timed and stands for the others."""

actors: Any
apply: Any
settle: Any
reward: Any
ending: Any
root: Any
start: Any
first: Any


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
                root(states[0], boards[0], me)
                begin(walk, me, desk.most_nodes[which], desk.most_plies[which])
                steps[which](walk, states, frames, scores[which], weights[which], desk.dice[me], NO_LIMIT >> 1)
                if walk.line_length == 0:
                    walk.line[0] = first(frames[0], start(frames[0], states[0], me))
                action = int(walk.line[0])
                desk.joint.of[me] = action
                played[turn] = action
                turn += 1
                result.moves[me] += 1
                result.nodes[me] += walk.nodes
                result.depth[me] += walk.completed
                if timed:
                    then, now = now, nanoseconds()
                    result.seconds[me] += (now - then) * 1e-9
            apply(boards[0], desk.joint)
            acting = settle(boards[0], desk.referee)
        for seat in range(seats):
            result.scores[seat] = (1 + reward(boards[0], seat)) / 2
        result.ending = ending(boards[0])
        result.failed = -1
        desk.games += 1
        desk.turns = turn


def in_bulk(game: "Game") -> bool:
    """Whether these are games that it can play: by compiled rules alone."""
    return tree_of(game) is not None and (game.kernels.chance or not game.kind.chance)


def play_out(
    game: "Game", players: Sequence[Automaton], seated: Sequence[Sequence[int]], seeds: Any
) -> tuple[Any, Any]:
    """The results, (blocks, seatings), and the moves of games between players, as many as seats, from many seeds."""
    tree = tree_of(game)
    assert tree
    every = TIMED_EVERY if len(seeds) >= MANY else 1
    results = records(result_type(game.seats), len(seated) * len(seeds))
    moves = np.empty(len(results) * MAX_PLIES, np.int16 if tree.cursor.bits else np.int64)
    desk = records(desk_type(tree.walk, game.kernels.joint), 1)[0]
    desk["most_nodes"][: game.seats] = [one.most_nodes for one in players]
    desk["most_plies"][: game.seats] = [one.most_plies for one in players]
    weights = records(Weights, game.seats)
    for place, one in enumerate(players):
        weights[place] = one.weights
    steps, scores = tuple(one.step for one in players), tuple(one.score for one in players)
    at_hand = seeds, game.starts(seeds), np.array(seated), results
    boards, nodes = workspace(game.state, 1), workspace(tree.kernels.state, MAX_PLIES)
    memory = desk, boards, nodes, workspace(tree.frame, MAX_PLIES)
    while desk["games"] < len(results):
        _bound(game, tree)(*at_hand, moves, *memory, steps, scores, weights, every)
        if desk["games"] < len(results):
            moves = np.concatenate([moves, np.empty_like(moves)])
    blocks = results.view(np.ndarray).reshape(-1, len(seated))
    if every > 1:
        timed = blocks[::every]
        spent = timed["seconds"].sum(axis=0) / np.maximum(1, timed["moves"].sum(axis=0))
        blocks["seconds"] = blocks["moves"] * spent
    return blocks, moves[: desk["turns"]].copy()


def _bound(game: "Game", tree: Tree) -> Any:
    boards = types.Array(record_type(game.state), 1, "C")
    signature = types.void(
        types.int64[::1],
        boards,
        types.int64[:, ::1],
        types.Array(record_type(result_type(game.seats)), 1, "C"),
        (types.int16 if tree.cursor.bits else types.int64)[::1],
        record_type(desk_type(tree.walk, game.kernels.joint)),
        boards,
        types.Array(record_type(tree.kernels.state), 1, "C"),
        types.Array(record_type(tree.frame), 1, "C"),
        types.UniTuple(types.FunctionType(tree.signature(game.state)), game.seats),
        types.UniTuple(types.FunctionType(heuristic_signature(game.state)), game.seats),
        types.Array(record_type(Weights), 1, "C"),
        types.int64,
    )
    ahead = {**NODES_ARE_STATES, **tree.kernels}
    parts = {name: kernel(rebound(tree.cursor.parts[name], ahead, name)) for name in ("start", "first")}
    return bind(playout, {**ahead, **game.kernels, **parts}, f"playout_{game.name}", signature)
