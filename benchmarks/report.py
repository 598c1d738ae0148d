"""What a million kept games of Isolation cost: the size of their store, and the time and memory of looking at them.

Bars: the store under 400 MB, `spar report` under 5 s, in the terminal and as a page under 200 kB. They hold too where
every block is a sheet of its own, as slow agents leave them.
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
    """The seconds a command takes from its start to its end, and the most memory it needs, in MB."""
    started = time.perf_counter()
    process = subprocess.Popen([SPAR, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"spar {' '.join(words)} failed")
    return time.perf_counter() - started, used.ru_maxrss / 1000


def measured(what: str, words: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, page = Path(folder) / "games.db", Path(folder) / "report.html"
        os.environ["SPARRING_STORE"] = str(store)
        spar(*words[:-1], "2")  # compiles what is not yet
        seconds, memory = spar(*words)
        print(f"{what}: a million games are played and kept in {seconds:.1f} s, {memory:.0f} MB of memory")
        looked_at(store, page)
        for suffix in ("jsonl", "csv", "parquet"):
            file = Path(folder) / f"games.{suffix}"
            seconds, memory = spar("export", "last", str(file))
            size = file.stat().st_size / 1e6
            print(f"  export, {suffix}: {seconds:.1f} s, {memory:.0f} MB of memory, {size:.0f} MB")


def looked_at(store: Path, page: Path) -> None:
    print(f"  store: {store.stat().st_size / 1e6:.0f} MB (bar 400)")
    for name, options in (("terminal", ()), ("page", ("--html", str(page))), ("JSON", ("--json",))):
        seconds, memory = spar("report", "last", *options)
        print(f"  report, {name}: {seconds:.2f} s (bar 5), {memory:.0f} MB of memory")
    print(f"  page: {page.stat().st_size / 1000:.0f} kB (bar 200)")


def scattered() -> None:
    """The games of quick agents, kept as slow ones would have kept them."""
    with tempfile.TemporaryDirectory() as folder:
        dense, store, page = (Path(folder) / name for name in ("dense.db", "games.db", "report.html"))
        os.environ["SPARRING_STORE"] = str(dense)
        spar(*QUICK)
        started = time.perf_counter()
        with Store(dense) as kept, Store(store) as sparse:
            contest = kept.contest(id := kept.find("last"))
            sparse.begin(contest, kept.command(id))
            for sheet in kept.each_sheet(id):
                for block in range(sheet.block, sheet.end):
                    sparse.add(contest, sheet.part(block, block + 1))
        seconds = time.perf_counter() - started
        print(f"match in sheets of one block: a million games are kept in {seconds:.1f} s")
        os.environ["SPARRING_STORE"] = str(store)
        looked_at(store, page)
        for what, words in (("replay of one game", ("replay", "last")), ("list", ("experiments",))):
            seconds, memory = spar(*words)
            print(f"  {what}: {seconds:.2f} s, {memory:.0f} MB of memory")


def main() -> None:
    measured("league", LEAGUE)
    measured("match that repeats itself", MATCH)
    scattered()


if __name__ == "__main__":
    main()
