"""Cost of bounded loops: users' heuristics that loop, with and without the counters that stop an endless loop.

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
from sparring.core.bits import count, lowest
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


def free_around(s, cell):
    free = 0
    for step in range(8):
        free += ~s.blocked >> (cell + 7 * step) % 49 & 1
    return free


@heuristic("isolation")
def asks_a_helper_in_a_loop(s, me):
    total = 0
    cells = exits(s, me)
    while cells:
        total += free_around(s, lowest(cells))
        cells &= cells - 1
    return total


def blocked_before(s, cell):
    far = cell
    while far and s.blocked >> far & 1 == 0:
        far -= 1
    return cell - far


@heuristic("isolation")
def nests_loops(s, me):
    total = 0
    cells = exits(s, me)
    while cells:
        total += blocked_before(s, lowest(cells))
        cells &= cells - 1
    return total
'''
ROUNDS = 60
EXAMPLE = Path(__file__).parents[1] / "examples" / "isolation_idea.py"
NAMES = ("counts_bits", "looks_at_cells", "finds_a_cell", "asks_a_helper_in_a_loop", "nests_loops", EXAMPLE.stem)


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
        for name in NAMES:
            ways = {}
            for way in ("bounded", "free"):
                file = Path(folder) / f"{way}_{name}.py"
                file.write_text(EXAMPLE.read_text() if name == EXAMPLE.stem else IDEAS)
                with patch.object(loops, "_loops", (lambda tree: iter(())) if way == "free" else loops._loops):
                    ways[way] = searching(f"{file}:{name}" if name != EXAMPLE.stem else str(file))
            found = [speeds(ways, repeats=1) for _ in range(ROUNDS)]
            slow, fast = (max(one[which] for one in found) / 1e6 for which in ("bounded", "free"))
            print(f"{name}: {slow:.1f} M nodes/s bounded, {fast:.1f} free: {fast / slow - 1:+.1%} (bar 5 %)")


if __name__ == "__main__":
    main()
