"""What the arena costs: a league of agents that think for less than a microsecond, against the bare compiled loop.

The bare loop plays the same games by direct calls and keeps nothing but the number of wins. The arena draws openings,
plays through the agents' function pointers, records every move, keeps all of it in a store and rates the league.
Both on one core, in turns. Then the same league on one and on two workers, and one of agents that search.
"""

import tempfile
import time
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import types

import sparring
from sparring.agents.spec import agent
from sparring.arena.schedule import block_seed
from sparring.arena.store import Store
from sparring.core.bits import lowest
from sparring.core.dice import Dice, seed_dice
from sparring.core.kernel import Weights, record_type, with_globals, workspace
from sparring.core.table import columns
from sparring.games.contract import Game
from sparring.games.kernels import alone
from sparring.search.tree import MAX_PLIES, NO_LIMIT, CompiledPolicy, begin, tree_of

AGENTS = ["random", "greedy", "alphabeta:open,depth=1", "alphabeta:improved,depth=1", "alphabeta:center,depth=1"]
GAMES = 100_000
ROUNDS = 3
SEARCHING = ["alphabeta:voronoi,nodes=1000", "alphabeta:next_moves,nodes=1000", "minimax:open,depth=3"]
SEARCHING_GAMES = 1_000

actors: Any
legal: Any
apply: Any
reward: Any
first: Any
second: Any
first_score: Any
second_score: Any


def bare(
    seeds: Any, starts: Any, search: Any, states: Any, frames: Any, dice: Any, budgets: Any, one: Any, two: Any
) -> int:
    """Both seatings of every start; how often the first agent wins."""
    won = 0
    for place in range(2 * len(starts)):
        swapped = place & 1
        states[0] = starts[place >> 1]
        seed_dice(dice[0], seeds[place >> 1], 0)
        seed_dice(dice[1], seeds[place >> 1], 1)
        acting = actors(states[0])
        while acting:
            me = lowest(acting)
            which = me ^ swapped
            begin(search, me, budgets[0, which], budgets[1, which])
            if which:
                second(search, states, frames, second_score, two, dice[me], NO_LIMIT >> 1)
            else:
                first(search, states, frames, first_score, one, dice[me], NO_LIMIT >> 1)
            apply(states[0], alone(int(search.line[0]) if search.line_length else lowest(legal(states[0], me))))
            acting = actors(states[0])
        won += reward(states[0], swapped) > 0
    return won


def bare_loop(game: Game, pair: tuple[CompiledPolicy, CompiledPolicy], place: int) -> Callable[[Any, Any], int]:
    """The loop with both agents compiled into it."""
    one, two = pair
    tree = tree_of(game)
    assert tree
    names = {**game.kernels, "first": one.step, "second": two.step, "first_score": one.score, "second_score": two.score}
    state = types.Array(record_type(game.state), 1, "C")
    signature = types.int64(
        types.int64[::1],
        state,
        record_type(tree.search_state),
        state,
        types.Array(record_type(tree.frame), 1, "C"),
        types.Array(record_type(Dice), 1, "C"),
        types.int64[:, ::1],
        record_type(Weights),
        record_type(Weights),
    )
    loop = numba.njit(signature, nogil=True)(with_globals(bare, names, f"bare_{place}"))
    states, frames = workspace(game.state, MAX_PLIES), workspace(tree.frame, MAX_PLIES)
    memory = workspace(tree.search_state, 1)[0], states, frames, np.zeros(2, Dice)
    budgets = np.array([[one.most_nodes, two.most_nodes], [one.most_plies, two.most_plies]])
    return lambda seeds, starts: int(loop(seeds, starts, *memory, budgets, one.weights, two.weights))


def seconds(clock: Callable[[], float], work: Callable[..., Any], *args: Any) -> float:
    started = clock()
    work(*args)
    return clock() - started


def league(agents: list[str], games: int, workers: int) -> Any:
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder) / "games.db") as store:
        result = sparring.league("isolation", agents, games=games, workers=workers, store=store)
        str(result)
        return result


def overhead() -> None:
    """The bare loop and the arena, on one core."""
    game = sparring.game("isolation")
    policies = {spec: agent(game, spec).compiled_policy(game) for spec in AGENTS}
    pairs = list(combinations(AGENTS, 2))
    loops = [bare_loop(game, (policies[one], policies[two]), place) for place, (one, two) in enumerate(pairs)]
    seeds = block_seed(1, 0) + np.arange(GAMES // 2)
    starts = game.starts(seeds).view(np.ndarray)

    def all_bare() -> list[int]:
        return [loop(seeds, starts) for loop in loops]

    result = league(AGENTS, GAMES, 1)
    won = [int((pairing.of_first("scores") == 1).sum()) for pairing in result.pairings]
    assert all_bare() == won, "the bare loop plays other games"
    moves = sum(int(results["moves"].sum(dtype=np.int64)) for _, results in result.blocks)
    core = time.process_time
    laps = [(seconds(core, all_bare), seconds(core, league, AGENTS, GAMES, 1)) for _ in range(ROUNDS)]
    total, rows = GAMES * len(pairs), [["", "games/s", "us a game", "ns a move"]]
    bare_time, arena_time = (min(lap) for lap in zip(*laps, strict=True))
    for name, spent in (("bare loop", bare_time), ("arena", arena_time)):
        rows.append([name, f"{total / spent:,.0f}", f"{1e6 * spent / total:.2f}", f"{1e9 * spent / moves:.0f}"])
    print(f"{len(AGENTS)} agents that think for less than a microsecond, {total:,} games, one core, best of {ROUNDS}")
    print(columns(rows, right={1, 2, 3}))
    print(f"the arena plays at {100 * bare_time / arena_time:.0f} % of the bare loop's speed\n")


def two_workers() -> None:
    """Twice the workers, on an otherwise idle machine."""
    for what, agents, games in (("these agents", AGENTS, GAMES), ("agents that search", SEARCHING, SEARCHING_GAMES)):
        clock = time.perf_counter
        laps = [[seconds(clock, league, agents, games, workers) for workers in (1, 2)] for _ in range(ROUNDS)]
        one, two = (min(lap) for lap in zip(*laps, strict=True))
        print(f"{what}: two workers are {one / two:.2f} times as fast as one ({one:.2f} s and {two:.2f} s)")


if __name__ == "__main__":
    overhead()
    two_workers()
