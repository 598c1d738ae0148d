"""Whole games in one compiled call, without Python between the moves.

A template like the searches. The referee plays the same games move for move, but slower; a test compares the two.
"""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.dice import REFEREE, Dice, seed_dice
from sparring.core.kernel import (
    Weights,
    bind,
    heuristic_signature,
    kernel,
    nanoseconds,
    record_type,
    records,
    with_globals,
    workspace,
)
from sparring.games.kernels import MOST_PLAYERS
from sparring.games.lookahead import NODES_ARE_STATES
from sparring.search.tree import MAX_PLIES, NO_LIMIT, CompiledPolicy, Tree, begin, tree_of

if TYPE_CHECKING:  # nothing compiled is imported from there
    from sparring.games.contract import Game


@cache
def result_type(seats: int) -> np.dtype[Any]:
    """The stored result of a game: all but its moves."""
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
def bulk_state_type(search: np.dtype[Any], joint: np.dtype[Any]) -> np.dtype[Any]:
    """The memory of a call that plays many games."""
    return np.dtype(
        [
            ("search", search),  # shared by the searches of all players
            ("referee", Dice),
            ("dice", Dice, (MOST_PLAYERS,)),  # by seat
            ("joint", joint),  # the actions of this turn
            ("most_nodes", np.int64, (MOST_PLAYERS,)),  # by player
            ("most_plies", np.int64, (MOST_PLAYERS,)),
            ("games", np.int64),  # finished so far
            ("turns", np.int64),  # of the finished games
        ],
        align=True,
    )


MANY, TIMED_EVERY = 64, 8
"""Reading the clock takes as long as a fast agent's move. Only fast agents get jobs of so many blocks; then one block
of eight is timed, and the time of the others is estimated from it."""

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
    bulk: Any,
    boards: Any,
    states: Any,
    frames: Any,
    steps: Any,
    scores: Any,
    weights: Any,
    every: int,
) -> None:
    """Play the games that are not finished yet, until `played` has no room for more moves. `seated` has the player of
    each seat, by round and game of the block. One block of `every` is timed."""
    rounds, seatings, seats = seated.shape
    now = 0
    while bulk.games < len(results):
        block, seating, turn = bulk.games // seatings, bulk.games % seatings, bulk.turns
        result, players = results[bulk.games], seated[block % rounds, seating]
        timed = block % every == 0
        boards[0] = starts[block]
        seed_dice(bulk.referee, seeds[block], REFEREE)
        for seat in range(seats):
            seed_dice(bulk.dice[seat], seeds[block], seat)
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
                which = players[me]
                search = bulk.search
                root(states[0], boards[0], me)
                begin(search, me, bulk.most_nodes[which], bulk.most_plies[which])
                steps[which](search, states, frames, scores[which], weights[which], bulk.dice[me], NO_LIMIT >> 1)
                if search.line_length == 0:
                    search.line[0] = first(frames[0], start(frames[0], states[0], me))
                action = int(search.line[0])
                bulk.joint.of[me] = action
                played[turn] = action
                turn += 1
                result.moves[me] += 1
                result.nodes[me] += search.nodes
                result.depth[me] += search.completed
                if timed:
                    then, now = now, nanoseconds()
                    result.seconds[me] += (now - then) * 1e-9
            apply(boards[0], bulk.joint)
            acting = settle(boards[0], bulk.referee)
        for seat in range(seats):
            result.scores[seat] = (1 + reward(boards[0], seat)) / 2
        result.ending = ending(boards[0])
        result.failed = -1
        bulk.games += 1
        bulk.turns = turn


def can_play_out(game: "Game") -> bool:
    """Return whether the game's rules are all compiled."""
    return tree_of(game) is not None and (game.kernels.chance or not game.kind.chance)


def empty_results(game: "Game", blocks: int, games: int) -> Any:
    """Memory for the results of some blocks."""
    return records(result_type(game.seats), games * blocks)


def prepare(game: "Game") -> None:
    """Compile what plays games, or load it, without playing."""
    tree = tree_of(game)
    assert tree
    _compiled(game, tree)


def play_out(
    game: "Game", players: Sequence[CompiledPolicy], seated: Any, seeds: Any, results: Any = None
) -> tuple[Any, Any]:
    """Play a block for each seed; return the results, (blocks, games a block), and all moves. With `results`, these can
    be watched as they come.

    `players` has one policy for each seat; `seated` has the index of the player in each seat, by round and game.
    """
    games = seated.shape[1]
    tree = tree_of(game)
    assert tree
    every = TIMED_EVERY if len(seeds) >= MANY else 1
    results = empty_results(game, len(seeds), games) if results is None else results
    moves = np.empty(len(results) * MAX_PLIES, np.int16 if tree.cursor.bits else np.int64)
    bulk = records(bulk_state_type(tree.search_state, game.kernels.joint), 1)[0]
    bulk["most_nodes"][: game.seats] = [one.most_nodes for one in players]
    bulk["most_plies"][: game.seats] = [one.most_plies for one in players]
    weights = records(Weights, game.seats)
    for place, one in enumerate(players):
        weights[place] = one.weights
    steps, scores = tuple(one.step for one in players), tuple(one.score for one in players)
    at_hand = seeds, game.starts(seeds), np.ascontiguousarray(seated, np.int64), results
    boards, nodes = workspace(game.state, 1), workspace(tree.kernels.state, MAX_PLIES)
    memory = bulk, boards, nodes, workspace(tree.frame, MAX_PLIES)
    while bulk["games"] < len(results):
        _compiled(game, tree)(*at_hand, moves, *memory, steps, scores, weights, every)
        if bulk["games"] < len(results):
            moves = np.concatenate([moves, np.empty_like(moves)])
    blocks = results.view(np.ndarray).reshape(-1, games)
    if every > 1:
        timed = blocks[::every]
        spent = timed["seconds"].sum(axis=0) / np.maximum(1, timed["moves"].sum(axis=0))
        blocks["seconds"] = blocks["moves"] * spent
    return blocks, moves[: bulk["turns"]].copy()


def _compiled(game: "Game", tree: Tree) -> Any:
    boards = types.Array(record_type(game.state), 1, "C")
    signature = types.void(
        types.int64[::1],
        boards,
        types.int64[:, :, ::1],
        types.Array(record_type(result_type(game.seats)), 1, "C"),
        (types.int16 if tree.cursor.bits else types.int64)[::1],
        record_type(bulk_state_type(tree.search_state, game.kernels.joint)),
        boards,
        types.Array(record_type(tree.kernels.state), 1, "C"),
        types.Array(record_type(tree.frame), 1, "C"),
        types.UniTuple(types.FunctionType(tree.signature(game.state)), game.seats),
        types.UniTuple(types.FunctionType(heuristic_signature(game.state)), game.seats),
        types.Array(record_type(Weights), 1, "C"),
        types.int64,
    )
    ahead = {**NODES_ARE_STATES, **tree.kernels}
    parts = {name: kernel(with_globals(tree.cursor.parts[name], ahead, name)) for name in ("start", "first")}
    return bind(playout, {**ahead, **game.kernels, **parts}, f"playout_{game.name}", signature)
