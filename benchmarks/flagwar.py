"""Rounds of Flag War on 11x11 with three pieces a side: our kernels against the same round in C, measured in turn.

Bar: half a million rounds a second on one core. A round here is a copy of the position and `play_round` with its record
of what happened, from positions of random games with random commands; C records nothing. The benchmark asserts that C
reaches the same positions. It also measures rounds on 19x13 with seven pieces, the evaluators, and the time of a turn
of each strategy. Bars: 1 ms for `seed` and 20 ms for a matrix of 40x40 on 11x11, and 2 s for every strategy on 19x13.
"""

import ctypes
import time
from statistics import median
from typing import Any

import numba
import numpy as np

from side_by_side import REPEATS, compile_c, speeds
from sparring.agents.agent import View
from sparring.agents.spec import agent, heuristics
from sparring.core.dice import dice, players_dice, throw
from sparring.core.kernel import kernel
from sparring.core.table import columns
from sparring.games.contract import Position
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.rules import play_round
from sparring.games.flagwar.state import Round, State

KEPT, ROUNDS = 2000, 200
BAR = 500_000
STRATEGIES = ["seed", "repo64", "joint", "level_k", "matrix", "regret", "double_oracle", "mcts", "maximin_sampled"]
TURNS = 20
BARS = {"11x11": {"seed": 0.001, "matrix": 0.02}, "19x13": dict.fromkeys(STRATEGIES, 2.0)}
"""The bar of each strategy, in seconds a turn."""


@kernel
def mark(s: Any) -> int:
    """A number that differs between most positions."""
    found = s.rounds + 3 * s.idle + 5 * s.ending + 7 * s.winner
    for side in range(2):
        known = 11 * s.carrier[side] + 13 * s.pending[side] + 17 * s.lost[side] + 19 * s.freed[side]
        found = found * 31 + known
        for piece in range(s.pieces):
            found = found * 31 + s.at[side, piece]
    return found


@numba.njit(nogil=True)
def play_rounds(corpus: Any, orders: Any, work: Any, log: Any, marks: Any, rounds: int) -> int:
    s = work[0]
    for _ in range(rounds):
        for place in range(len(corpus)):
            work[0] = corpus[place]
            play_round(s, orders[place, 0], orders[place, 1], log[0])
            marks[place] = mark(s)
    return rounds * len(corpus)


@numba.njit(nogil=True)
def evaluate(corpus: Any, score: Any, weights: Any, rounds: int) -> int:
    total = 0.0
    for _ in range(rounds):
        for place in range(len(corpus)):
            total += score(corpus[place], 0, weights)
    return rounds * len(corpus) + int(0 * total)


class Table:
    """Positions of random games on one board, with random commands."""

    def __init__(self, game: FlagWar) -> None:
        self.corpus, self.orders = np.zeros(KEPT, State), np.zeros((KEPT, 2), np.int64)
        self.work, self.log, self.marks = np.zeros(1, State), np.zeros(1, Round), np.zeros(KEPT, np.int64)
        chance, s = dice("flagwar"), game.new(0)
        for place in range(KEPT):
            orders = [
                sum(int(one[throw(chance, len(one))]) << 8 * i for i, one in enumerate(game.commands(s, side)))
                for side in range(2)
            ]
            self.corpus[place], self.orders[place] = s, orders
            game.play_round(s, dict(enumerate(orders)))
            s = game.new(0) if game.outcome(s) else s

    def play_rounds(self) -> int:
        return int(play_rounds(self.corpus, self.orders, self.work, self.log, self.marks, ROUNDS))

    def evaluate(self, judge: tuple[Any, Any]) -> int:
        return int(evaluate(self.corpus, *judge, ROUNDS))


class InC:
    """The same table in C, whose state has the same fields without the configuration."""

    def __init__(self, table: Table) -> None:
        fields = ("carrier", "pending", "rounds", "idle", "ending", "winner", "lost", "freed")
        pieces = table.corpus["at"][:, :, :3].reshape(KEPT, 6)
        rest = [table.corpus[field].reshape(KEPT, -1) for field in fields]
        self.corpus = np.hstack([pieces, *rest]).astype(np.int32)
        self.orders, self.marks = table.orders, np.zeros(KEPT, np.int64)
        self.c = compile_c("flagwar_reference.c")
        self.c.play_rounds.restype = ctypes.c_int64

    def play_rounds(self) -> int:
        corpus, orders, marks = (one.ctypes.data_as(ctypes.c_void_p) for one in (self.corpus, self.orders, self.marks))
        return int(self.c.play_rounds(corpus, orders, ctypes.c_int64(KEPT), ctypes.c_int64(ROUNDS), marks))


def turns(game: FlagWar, corpus: Any) -> list[list[str]]:
    """The time of a turn of each strategy in some of the positions, as rows of a table."""
    rows = []
    for spec in STRATEGIES:
        player, took = agent(game, spec), []
        for place in np.linspace(0, KEPT - 1, 1 + TURNS, dtype=int).tolist():
            position = Position(game, game.copy(corpus[place]), dice("flagwar", place))
            began = time.process_time()
            player.decide(View(position, 0, players_dice(place, 0)))
            took.append(time.process_time() - began)
        usual, longest = median(took[1:]), max(took[1:])  # the first turn may have to compile
        bar = BARS[game.config.board].get(spec)
        told = f"{usual / bar:.2g} and {longest / bar:.2g} of the bar of {1000 * bar:,.0f} ms" if bar else ""
        times = (f"{1000 * one:,.2f} ms" for one in (usual, longest))
        rows.append([f"  {game.config.board}: {spec}", *times, told])
    return rows


def main() -> None:
    small, large = Table(FlagWar()), Table(FlagWar(board="19x13"))
    in_c = InC(small)
    judges = {name: (one.score(State), one.weigh()) for name, one in heuristics(FlagWar()).items()}
    quick, detailed = judges["quick_corrected"], judges["detailed_corrected"]
    small.play_rounds(), in_c.play_rounds(), large.play_rounds(), small.evaluate(quick)
    assert np.array_equal(small.marks, in_c.marks), "C plays other rounds"
    found = speeds(
        {
            "11x11: rounds": small.play_rounds,
            "11x11: rounds in C": in_c.play_rounds,
            "19x13: rounds": large.play_rounds,
            "11x11: quick evaluations": lambda: small.evaluate(quick),
            "11x11: detailed evaluations": lambda: small.evaluate(detailed),
        }
    )
    print(f"positions of random games, random commands; a second of processor time, median of {REPEATS}")
    rows = [[f"  {name}", f"{speed / 1e6:.2f} M", f"{1e9 / speed:.0f} ns"] for name, speed in found.items()]
    print(columns(rows, right={1, 2}))
    rounds = found["11x11: rounds"]
    print(f"C, which records nothing, is {found['11x11: rounds in C'] / rounds:.2f} times as fast")
    print(f"{rounds / BAR:.1f} times the bar of {BAR:,} rounds a second")
    print(f"a turn in {TURNS} positions of random games: processor time, median and maximum")
    shown = [*turns(FlagWar(), small.corpus), *turns(FlagWar(board="19x13"), large.corpus)]
    print(columns(shown, right={1, 2}))


if __name__ == "__main__":
    main()
