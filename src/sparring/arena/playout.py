"""Whole games in compiled code: what two automata play needs no Python between the moves.

A template like the searches. The referee in game.py plays the same games move for move, slower; a test holds them
together.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types

from sparring.arena.sheet import result_type
from sparring.bits import lowest
from sparring.dice import Dice, sow
from sparring.games.contract import Game
from sparring.kernel import Weights, bind, heuristic_signature, nanoseconds, record_type, records, workspace
from sparring.search.tree import MAX_PLIES, NO_LIMIT, Automaton, Frame, Walk, begin, step_signature

Desk = np.dtype(
    [("walk", Walk), ("dice", Dice, (2,)), ("most_nodes", np.int64, (2,)), ("most_plies", np.int64, (2,))], align=True
)
"""The players' dice and budgets, and the memory their searches share."""

MANY, TIMED_EVERY = 64, 8
"""Reading the clock takes as long as a quick agent's move. So many blocks in one go are only given to quick agents, and
then one of eight is timed and stands for the others."""

legal: Any
mover: Any
reward: Any
descend: Any


def playout(
    seeds: Any,
    starts: Any,
    results: Any,
    played: Any,
    desk: Any,
    states: Any,
    frames: Any,
    first: Any,
    first_score: Any,
    first_weights: Any,
    second: Any,
    second_score: Any,
    second_weights: Any,
    every: int,
) -> int:
    """Play each start with both seatings, the first automaton in front first, and look at the clock in one block of
    `every`. Returns the number of moves."""
    turn, now = 0, 0
    for place in range(2 * len(starts)):
        result, swapped = results[place], place & 1
        timed = (place >> 1) % every == 0
        states[0] = starts[place >> 1]
        for seat in range(2):
            sow(desk.dice[seat], seeds[place >> 1], seat)
        if timed:
            now = nanoseconds()
        moves = legal(states[0])
        while moves:
            me = mover(states[0])
            which = me ^ swapped
            walk = desk.walk
            begin(walk, me, desk.most_nodes[which], desk.most_plies[which])
            if which:
                second(walk, states, frames, second_score, second_weights, desk.dice[me], NO_LIMIT >> 1)
            else:
                first(walk, states, frames, first_score, first_weights, desk.dice[me], NO_LIMIT >> 1)
            action = int(walk.line[0]) if walk.line_length else lowest(moves)
            played[turn] = action
            turn += 1
            result.moves[me] += 1
            result.nodes[me] += walk.nodes
            result.depth[me] += walk.completed
            if timed:
                then, now = now, nanoseconds()
                result.seconds[me] += (now - then) * 1e-9
            descend(states, 0, action)
            states[0] = states[1]
            moves = legal(states[0])
        for seat in range(2):
            result.scores[seat] = (1 + reward(states[0], seat)) / 2
        result.failed = -1
    return turn


def in_bulk(game: Game) -> bool:
    """Whether these are games that it can play: of two in turn, without chance, that come to one kind of end."""
    return bool(game.kernels) and game.seats == 2 and not game.kind.chance and len(game.endings) == 1


def play_out(game: Game, pair: Sequence[Automaton], seeds: Any) -> tuple[Any, Any]:
    """The results, (blocks, 2), and the moves of a pair's games from many seeds."""
    first, second = pair
    every = TIMED_EVERY if len(seeds) >= MANY else 1
    results = records(result_type(2), 2 * len(seeds))
    moves = np.empty(len(results) * MAX_PLIES, np.int16)
    desk = records(Desk, 1)[0]
    desk["most_nodes"] = first.most_nodes, second.most_nodes
    desk["most_plies"] = first.most_plies, second.most_plies
    turns = _bound(game)(
        seeds,
        game.starts(seeds),
        results,
        moves,
        desk,
        workspace(game.state, MAX_PLIES),
        workspace(Frame, MAX_PLIES),
        *(first.step, first.score, first.weights),
        *(second.step, second.score, second.weights),
        every,
    )
    blocks = results.view(np.ndarray).reshape(-1, 2)
    if every > 1:
        timed = blocks[::every]
        spent = timed["seconds"].sum(axis=0) / np.maximum(1, timed["moves"].sum(axis=0))
        blocks["seconds"] = blocks["moves"] * spent
    return blocks, moves[:turns].copy()


_BOUND: dict[str, Any] = {}


def _bound(game: Game) -> Any:
    if game.name not in _BOUND:
        state, player = record_type(game.state), types.FunctionType(step_signature(game.state))
        score, weights = types.FunctionType(heuristic_signature(game.state)), record_type(Weights)
        signature = types.int64(
            types.int64[::1],
            types.Array(state, 1, "C"),
            types.Array(record_type(result_type(2)), 1, "C"),
            types.int16[::1],
            record_type(Desk),
            types.Array(state, 1, "C"),
            types.Array(record_type(Frame), 1, "C"),
            *(player, score, weights),
            *(player, score, weights),
            types.int64,
        )
        _BOUND[game.name] = bind(playout, game.kernels, f"playout_{game.name}", signature)
    return _BOUND[game.name]
