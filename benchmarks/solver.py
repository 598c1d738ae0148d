"""The exact solver beside the same search in C, then all of 7x7 from nothing.

Bars: at least half of C's nodes a second; 7x7 in under 60 s on one core.
"""

import ctypes
import time
from itertools import permutations

from side_by_side import REPEATS, compile_c, speeds
from sparring.games.isolation.game import Isolation
from sparring.games.isolation.solver import solve_board
from sparring.games.isolation.solver.proof import after, solve

ROWS, COLUMNS = 7, 7
OPENINGS = list(permutations(range(ROWS * COLUMNS), 2))[::71]


def main() -> None:
    library = compile_c("solver.c")
    library.set_board(ROWS, COLUMNS)
    empty = Isolation(board=f"{ROWS}x{COLUMNS}", opening="free").new(0)
    states = {opening: after(after(empty, opening[0]), opening[1]) for opening in OPENINGS}

    def in_c(opening: tuple[int, int]) -> tuple[bool, int]:
        nodes = ctypes.c_int64(0)
        wins = library.first_wins(*opening, ctypes.byref(nodes))
        return bool(wins), nodes.value

    for opening, state in states.items():
        verdict = solve(state)
        assert (verdict.wins, verdict.nodes) == in_c(opening), opening
    found = speeds(
        {
            "sparring": lambda: sum(solve(state).nodes for state in states.values()),
            "C": lambda: sum(in_c(opening)[1] for opening in OPENINGS),
        }
    )
    print(f"{len(OPENINGS)} openings of {ROWS}x{COLUMNS}, M nodes/s of processor time, median of {REPEATS}")
    print("  ".join(f"{name} {speed / 1e6:.3g}" for name, speed in found.items()))
    print(f"  C is {found['C'] / found['sparring']:.2f} times as fast (bar 2)")
    started = time.process_time()
    board = solve_board(ROWS, COLUMNS)
    print(board)
    print(f"  {time.process_time() - started:.1f} s of processor time for the whole board (bar 60)")


if __name__ == "__main__":
    main()
