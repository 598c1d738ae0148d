"""Ludo for two with two tokens solved from nothing, and its sweeps beside the same sweeps in C.

Bars: 60 s and 1 GB for the whole game; at least half of C's positions a second.
"""

import ctypes
import resource
import time
from typing import Any

import numpy as np

import sparring
from side_by_side import REPEATS, compile_c, speeds
from sparring.games.ludo.solver.table import BEST, PairGame, compiled_backup, initial_chances, solved

SWEEPS = 3


def in_c() -> Any:
    library = compile_c("ludo_exact.c")
    library.renew.restype = ctypes.c_double

    def renew(positions: Any, codes: Any, policy: Any, own: Any, other: Any) -> float:
        addresses = [ctypes.c_void_p(array.ctypes.data) for array in (positions, codes, own)]
        return float(library.renew(addresses[0], ctypes.c_int64(len(positions)), *addresses[1:]))

    return renew


def swept(pairs: PairGame, renew: Any) -> Any:
    """The chances after some sweeps."""
    chances = initial_chances()
    for _ in range(SWEEPS):
        for layer in pairs.layers:
            for positions in layer:
                renew(positions, pairs.codes, BEST, chances, chances)
    return chances


def main() -> None:
    game: Any = sparring.game("ludo", players=2, tokens=2)
    contestants = {"sparring": compiled_backup(), "C": in_c()}
    started = time.process_time()
    found = solved(game, lambda done, total, known="": None)
    seconds = time.process_time() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{len(found['chances']):,} positions solved in {int(found['sweeps'])} sweeps")
    print(f"  {seconds:.1f} s of processor time (bar 60), {memory:.0f} MB at most (bar 1000)")
    pairs = PairGame(game)
    assert np.array_equal(*(swept(pairs, renew) for renew in contestants.values())), "C finds other chances"

    def sweep_with(renew: Any) -> Any:
        return lambda: SWEEPS * len(swept(pairs, renew))

    timed = speeds({name: sweep_with(renew) for name, renew in contestants.items()})
    print(f"sweeps, M positions/s of processor time, median of {REPEATS}")
    print("  ".join(f"{name} {speed / 1e6:.3g}" for name, speed in timed.items()))
    print(f"  C is {timed['C'] / timed['sparring']:.2f} times as fast (bar 2)")


if __name__ == "__main__":
    main()
