"""What the benchmarks share: C compiled on the spot, and contestants timed in turn so that load hits all alike."""

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from sparring.games.contract import Game

REPEATS = 3


def compile_c(source: str) -> ctypes.CDLL:
    library = Path(tempfile.mkdtemp()) / "reference.so"
    file = Path(__file__).parent / source
    options = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run(["gcc", *options, str(file), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def speeds(contestants: Mapping[str, Callable[[], int]], repeats: int = REPEATS) -> dict[str, float]:
    """Nodes a second of processor time for each, the median of some rounds in which all take their turn."""
    rounds: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(repeats):
        for name, run in contestants.items():
            started = time.process_time()
            nodes = run()
            rounds[name].append(nodes / (time.process_time() - started))
    return {name: statistics.median(found) for name, found in rounds.items()}


def connect_four() -> Game:
    """The game of examples/connect_four, which need not be installed."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "connect_four"))
    from connect_four.game import ConnectFour

    return ConnectFour()
