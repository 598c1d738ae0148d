"""RHEA for two snakes on 11x11: our template, and the same evolution in C, one after another.

Bars on one idle core: 400 generations of 50 plans of 20 moves as coded in under 120 ms a move, as written, with the
territory in every step, in under 250 ms. A plan that has ended is not played on, so that is fewer than 400,000 turns;
the same bars hold for as many. C breeds the same plans with the same dice, which is asserted.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import sparring
from side_by_side import REPEATS, compile_c, speeds
from sparring.agents.agent import View
from sparring.core.dice import dice, throw
from sparring.core.table import columns
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.contract import Position

POSITIONS, TURN = 8, 30
VARIANTS = {"as coded": ("rhea:as_coded", 120), "as written": ("rhea:as_written", 250)}
BUDGETS = {"400 generations": "evolutions=400", "400,000 turns": "turns=400k"}
GENERATIONS, TURNS, NO_LIMIT = 400, 400_000, 1 << 40


def positions(game: Battlesnake) -> list[Position]:
    """Some turns into games of random safe moves, where both still live."""
    found, seed = [], 0
    while len(found) < POSITIONS:
        position, choice = game.start(seed), dice(seed, "benchmark")
        while not position.over and position.state.turn < TURN:
            safe = {player: game.safe_moves(position.state, player) or [0] for player in position.actors}
            position = position.after({player: moves[throw(choice, len(moves))] for player, moves in safe.items()})
        found += [] if position.over else [position]
        seed += 1
    return found


def ours(agent: Any, at: list[Position], answers: list[tuple[int, float | None]]) -> int:
    decisions = [agent.decide(View(position, 0, dice(1))) for position in at]
    answers[:] = [(decision.action, decision.score) for decision in decisions]
    return sum(decision.nodes for decision in decisions)


class InC:
    """The same for positions that were laid out for C."""

    def __init__(self, at: list[Position]) -> None:
        self.c = compile_c("rhea_reference.c")
        self.c.evolve.restype = ctypes.c_int64
        self.states = [position.state for position in at]

    def evolve(self, written: bool, generations: int, turns: int, answers: list[tuple[int, float | None]]) -> int:
        total, answers[:] = 0, []
        for s in self.states:
            arrays = [s.length[:2], s.health[:2], s.body[:2], s.food, dice(1).word.astype(np.uint32), np.zeros(2)]
            held = [array if array.dtype in (np.uint32, float) else array.astype(np.int64).copy() for array in arrays]
            lengths, health, bodies, food, words, found = (array.ctypes.data_as(ctypes.c_void_p) for array in held)
            numbers = [ctypes.c_int64(int(number)) for number in (s.turn, 0, written, generations, turns)]
            total += self.c.evolve(lengths, health, bodies, ctypes.c_int64(int(s.foods)), food, *numbers, words, found)
            answers.append((int(held[-1][0]), float(held[-1][1])))
        return total


def main() -> None:
    game = Battlesnake()
    at = positions(game)
    in_c = InC(at)
    runs: dict[str, Callable[[], int]] = {}
    for variant, (spec, _) in VARIANTS.items():
        for budget, option in BUDGETS.items():
            agent, mine, theirs = sparring.agent(game, f"{spec},{option}"), [], []
            limits = (GENERATIONS + 1, NO_LIMIT) if "evolutions" in option else (NO_LIMIT, TURNS)
            runs[f"{variant}, {budget}"] = partial(ours, agent, at, mine)
            runs[f"{variant}, {budget}, in C"] = partial(in_c.evolve, "written" in variant, *limits, theirs)
            played = ours(agent, at, mine), in_c.evolve("written" in variant, *limits, theirs)
            assert played[0] == played[1] and mine == theirs, f"C breeds other plans {variant} in {budget}"
    turns = {name: run() / POSITIONS for name, run in runs.items()}
    found = speeds(runs)
    print(f"two snakes, 11x11, turn {TURN}, {POSITIONS} positions; C breeds the same plans")
    print(f"processor time of a move, median of {REPEATS}")
    rows = [["", "a move", "turns played", "a turn"]]
    for name, speed in found.items():
        rows.append(
            [f"  {name}", f"{1000 * turns[name] / speed:.0f} ms", f"{turns[name]:,.0f}", f"{1e9 / speed:.0f} ns"]
        )
    print(columns(rows, right={1, 2, 3}))
    for variant, (_, bar) in VARIANTS.items():
        names = [f"{variant}, {budget}" for budget in BUDGETS]
        slowest = max(1000 * turns[name] / found[name] for name in names)
        ratio = max(found[f"{name}, in C"] / found[name] for name in names)
        print(f"{variant}: at most {slowest:.0f} ms a move (bar {bar}); C is {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
