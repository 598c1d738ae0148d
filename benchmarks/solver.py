"""The speed of the Isolation solver beside the same search written in C, then all of 7x7 from nothing.

    python benchmarks/solver.py

Needs gcc. Times are those of this process on the processor, so that other work on the machine matters little.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from itertools import permutations
from pathlib import Path
from typing import Any

from sparring.games.isolation import Isolation
from sparring.solve.isolation import after, solve
from sparring.solve.openings import solve_board

ROWS, COLUMNS = 7, 7
REPEATS = 3
LEAST_RATIO = 0.5
MOST_SECONDS = 60.0
OPENINGS = list(permutations(range(ROWS * COLUMNS), 2))[::71]


def compiled_c(folder: Path) -> Any:
    source, library = Path(__file__).with_name("solver.c"), folder / "solver.so"
    command = ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def lap(in_c: Any) -> tuple[int, float, float]:
    """The nodes of all openings and the seconds that C and Python take for them, turn by turn."""
    empty = Isolation(board=f"{ROWS}x{COLUMNS}", opening="free").new(0)
    nodes, c_seconds, python_seconds = 0, 0.0, 0.0
    for first, second in OPENINGS:
        state = after(after(empty, first), second)
        visited = ctypes.c_int64(0)
        started = time.process_time()
        c_wins = in_c.first_wins(first, second, ctypes.byref(visited))
        between = time.process_time()
        verdict = solve(state)
        ended = time.process_time()
        assert (verdict.wins, verdict.nodes) == (bool(c_wins), visited.value), (first, second)
        nodes += verdict.nodes
        c_seconds += between - started
        python_seconds += ended - between
    return nodes, c_seconds, python_seconds


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        in_c = compiled_c(Path(folder))
    in_c.set_board(ROWS, COLUMNS)
    solve_board(3, 3)  # compiles, or loads what was compiled
    print(f"{len(OPENINGS)} openings of {ROWS}x{COLUMNS}, the same nodes in both")
    ratios = []
    for _ in range(REPEATS):
        nodes, c_seconds, python_seconds = lap(in_c)
        ratios.append(c_seconds / python_seconds)
        c_speed, speed = nodes / c_seconds / 1e6, nodes / python_seconds / 1e6
        print(f"C {c_speed:.1f} M nodes/s · Sparring {speed:.1f} M nodes/s · {ratios[-1]:.2f} of C")
    started = time.process_time()
    board = solve_board(ROWS, COLUMNS)
    seconds = time.process_time() - started
    print(board)
    ratio = sorted(ratios)[REPEATS // 2]
    fast = ratio >= LEAST_RATIO and seconds < MOST_SECONDS
    print(f"median {ratio:.2f} of C (bar: {LEAST_RATIO} or more)")
    print(f"{seconds:.1f} s for the whole board (bar: under {MOST_SECONDS:.0f} s)")
    print("fast enough" if fast else "TOO SLOW")
    return 0 if fast else 1


if __name__ == "__main__":
    sys.exit(main())
