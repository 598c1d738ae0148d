"""A million stored games of Isolation: size of the store, and time and memory of reports and exports.

Bars: the store under 400 MB, `spar report` under 5 s, its page under 200 kB. The bars also hold if every block is a
batch of its own, as slow agents store their games.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sparring.arena.store import Store

SPAR = str(Path(sys.executable).with_name("spar"))
GAMES = 1_000_000
LEAGUE = ("league", "isolation", "random", "greedy", "alphabeta:open,depth=1", "--games", f"{GAMES // 6 * 2}")
QUICK = ("match", "isolation", "greedy", "random", "--games", f"{GAMES}")
MATCH = ("match", "isolation", "alphabeta:improved,depth=1", "alphabeta:open,depth=1", "--games", f"{GAMES}")


def spar(*words: str) -> tuple[float, float]:
    """Run a command. Return its seconds from start to end, and its largest memory in MB."""
    started = time.perf_counter()
    process = subprocess.Popen([SPAR, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"spar {' '.join(words)} failed")
    return time.perf_counter() - started, used.ru_maxrss / 1000


def measure(name: str, words: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, page = Path(folder) / "games.db", Path(folder) / "report.html"
        os.environ["SPARRING_STORE"] = str(store)
        spar(*words[:-1], "2")  # compiles first
        seconds, memory = spar(*words)
        print(f"{name}: a million games are played and stored in {seconds:.1f} s, {memory:.0f} MB of memory")
        measure_reports(store, page)
        for suffix in ("jsonl", "csv", "parquet"):
            file = Path(folder) / f"games.{suffix}"
            seconds, memory = spar("export", "last", str(file))
            size = file.stat().st_size / 1e6
            print(f"  export, {suffix}: {seconds:.1f} s, {memory:.0f} MB of memory, {size:.0f} MB")


def measure_reports(store: Path, page: Path) -> None:
    print(f"  store: {store.stat().st_size / 1e6:.0f} MB (bar 400)")
    for name, options in (("terminal", ()), ("page", ("--html", str(page))), ("JSON", ("--json",))):
        seconds, memory = spar("report", "last", *options)
        print(f"  report, {name}: {seconds:.2f} s (bar 5), {memory:.0f} MB of memory")
    print(f"  page: {page.stat().st_size / 1000:.0f} kB (bar 200)")


def measure_single_blocks() -> None:
    """Measure games of fast agents that are stored as slow agents store theirs."""
    with tempfile.TemporaryDirectory() as folder:
        dense, store, page = (Path(folder) / name for name in ("dense.db", "games.db", "report.html"))
        os.environ["SPARRING_STORE"] = str(dense)
        spar(*QUICK)
        started = time.perf_counter()
        with Store(dense) as kept, Store(store) as sparse:
            contest = kept.contest(id := kept.find("last"))
            sparse.begin(contest, kept.command(id))
            for batch in kept.batches(id):
                for block in range(batch.block, batch.end):
                    sparse.add(contest, batch.part(block, block + 1))
        seconds = time.perf_counter() - started
        print(f"match in batches of one block: a million games are stored in {seconds:.1f} s")
        os.environ["SPARRING_STORE"] = str(store)
        measure_reports(store, page)
        for name, words in (("replay of one game", ("replay", "last")), ("list", ("experiments",))):
            seconds, memory = spar(*words)
            print(f"  {name}: {seconds:.2f} s, {memory:.0f} MB of memory")


def main() -> None:
    measure("league", LEAGUE)
    measure("match that repeats itself", MATCH)
    measure_single_blocks()


if __name__ == "__main__":
    main()
