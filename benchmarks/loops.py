"""What bounded loops cost: users' heuristics that loop, with and without the counters that stop an endless loop.

Bar: at most 5 %.
"""

import tempfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import sparring
from side_by_side import speeds
from sparring.agents.agent import View
from sparring.core import loops
from sparring.core.dice import dice

IDEAS = '''\
from sparring import heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent


def reached(s, me):
    """Cells that a flood of knights' moves reaches, wave by wave."""
    seen = exits(s, me)
    wave = seen
    cells = 0
    while wave:
        cells += count(wave)
        wave &= wave - 1
    return cells


@heuristic("isolation")
def counts_bits(s, me):
    return reached(s, me) - reached(s, opponent(me))


@heuristic("isolation")
def looks_at_cells(s, me):
    free = 0
    for row in range(7):
        for column in range(7):
            free += (s.blocked >> (7 * row + column) & 1) * (row * column + me)
    return free + count(exits(s, me)) - count(exits(s, opponent(me)))


@heuristic("isolation")
def finds_a_cell(s, me):
    cell = 0
    while s.blocked >> cell & 1 and cell < 49:
        cell += 1
    return cell + count(exits(s, me)) - count(exits(s, opponent(me)))
'''
ROUNDS = 60
NAMES = ("counts_bits", "looks_at_cells", "finds_a_cell")


def searching(spec: str) -> Callable[[], int]:
    game = sparring.game("isolation")
    agent = sparring.agent(game, f"{spec},nodes=60000", strict=True)
    at = game.start(1)

    def run() -> int:
        return sum(agent.decide(View(at, at.mover, dice(seed))).nodes for seed in range(4))

    run()
    return run


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bounded, free = Path(folder) / "bounded.py", Path(folder) / "free.py"
        bounded.write_text(IDEAS)
        free.write_text(IDEAS)
        for name in NAMES:
            with_counters = searching(f"{bounded}:{name}")
            with (
                patch.object(loops, "bounded", lambda function: function),
                patch("sparring.core.terms.bounded", lambda f: f),
            ):
                without = searching(f"{free}:{name}")
            found = [speeds({"bounded": with_counters, "free": without}, repeats=1) for _ in range(ROUNDS)]
            slow, fast = (max(one[which] for one in found) / 1e6 for which in ("bounded", "free"))
            print(f"{name}: {slow:.1f} M nodes/s bounded, {fast:.1f} free: {fast / slow - 1:+.1%} (bar 5 %)")


if __name__ == "__main__":
    main()
