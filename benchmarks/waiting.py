"""What a user waits for, on an idle machine with warm caches: help, the first result of a heuristic just written,
and a search that was given 150 ms.

Bars: `spar --help` under 0.2 s; the first result under 2 s; never more than 5 ms over the 150.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SPAR = str(Path(sys.executable).with_name("spar"))
HEURISTIC = """from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent


@heuristic("isolation")
def idea_{number}(s, me):
    return Terms(moves=count(exits(s, me)) - 1.{number} * count(exits(s, opponent(me))))
"""


def seconds(*words: str) -> float:
    started = time.perf_counter()
    subprocess.run([SPAR, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def overtime(searches: int = 100, budget: float = 0.150) -> float:
    """By how many seconds the slowest of some searches exceeds its budget."""
    import sparring
    from sparring.agents.agent import View
    from sparring.core.dice import dice

    isolation = sparring.game("isolation")
    agents = [sparring.agent(isolation, f"{name},time={budget * 1000:g}ms") for name in ("improved", "voronoi")]
    slowest = 0.0
    for seed in range(searches):
        position = isolation.start(seed)
        started = time.perf_counter()
        agents[seed % 2].decide(View(position, position.mover, dice(seed)))
        slowest = max(slowest, time.perf_counter() - started)
    return slowest - budget


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"idea_{number}.py" for number in range(4)]
        for number, file in enumerate(files):
            file.write_text(HEURISTIC.format(number=number))

        def meets_improved(file: Path) -> float:
            return seconds("match", "isolation", str(file), "improved", "--games", "2")

        meets_improved(files[0])
        first_results = [meets_improved(file) for file in files[1:]]
    help_times = [seconds("--help") for _ in range(6)][1:]
    print(f"spar --help: {statistics.median(help_times):.2f} s (bar 0.2)")
    print(f"slowest of 100 searches of 150 ms: {1000 * overtime():+.1f} ms (bar +5)")
    print(f"first result of a new heuristic, a match of 2 games: {statistics.median(first_results):.2f} s (bar 2)")


if __name__ == "__main__":
    main()
