"""How long a newcomer waits: here beside an older commit, in turns, so that load hits both alike.

    python benchmarks/first_hour.py [REVISION]

The older commit is the one before this by default. For each command: wall seconds and processor seconds, the least of
some runs. `cold` starts without compiled code, `warm` finds it. Last, the size of what a base installation brings.
"""

import os
import subprocess
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, distribution
from itertools import count
from pathlib import Path
from shutil import copytree, ignore_patterns, rmtree
from typing import NamedTuple

from packaging.requirements import Requirement

from sparring.core.table import columns

ROOT = Path(__file__).parents[1]
COLD, WARM = 2, 5
MATCHES = {
    "isolation": "match isolation voronoi next_moves",
    "ludo": "match ludo strongest random --players 2",
    "battlesnake": "match battlesnake strongest random --players 2",
    "flagwar": "match flagwar seed random",
}
IDEA = """\
from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent


@heuristic("isolation")
def mine(s, me):
    return Terms(mine=count(exits(s, me)), theirs=-count(exits(s, opponent(me))))
"""
LIGHT = "match isolation greedy random --games 200000"


class Spent(NamedTuple):
    wall: float
    processor: float

    def __str__(self) -> str:
        return f"{self.wall:6.2f} {self.processor:6.2f}"


class House:
    """One commit's source, with its own compiled code and stores."""

    def __init__(self, source: Path, folder: Path) -> None:
        self.source, self.folder, self.stores = source, folder, count()
        (folder / "mine.py").write_text(IDEA)

    def run(self, command: str, cold: bool = False) -> Spent:
        """Run a command once, with a new store."""
        if cold:
            rmtree(self.source / "sparring" / "__pycache__" / "kernels", ignore_errors=True)
        store = f"{self.folder / str(next(self.stores))}.db"
        words = [sys.executable, "-m", "sparring", *command.split()]
        env = {**os.environ, "PYTHONPATH": f"{self.source}", "SPARRING_STORE": store}
        started, before = time.perf_counter(), os.times()
        subprocess.run(words, cwd=self.folder, env=env, check=True, capture_output=True)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return Spent(time.perf_counter() - started, used)


def least(houses: list[House], command: str, times: int, cold: bool = False) -> list[Spent]:
    """The least time of each house, in turns."""
    rounds = [[house.run(command, cold) for house in houses] for _ in range(times)]
    return [Spent(*map(min, zip(*runs, strict=True))) for runs in zip(*rounds, strict=True)]


def base_size() -> int:
    """Bytes of the files of this package's base requirements, and of theirs."""
    waiting, found = {"sparring"}, dict[str, int]()
    while waiting:
        name = waiting.pop()
        try:
            known = distribution(name)
        except PackageNotFoundError:
            continue
        files = [Path(str(known.locate_file(file))) for file in known.files or ()]
        found[name] = sum(file.stat().st_size for file in files if file.is_file() and name != "sparring")
        for needed in map(Requirement, known.requires or ()):
            if (not needed.marker or needed.marker.evaluate({"extra": ""})) and needed.name not in found:
                waiting.add(needed.name)
    return sum(found.values())


def main(revision: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        houses = []
        for name in ("before", "now"):
            folder = Path(place) / name
            folder.mkdir()
            if name == "now":
                copytree(ROOT / "src", folder / "src", ignore=ignore_patterns("__pycache__"))
            else:
                archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, check=True, capture_output=True)
                subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
            houses.append(House(folder / "src", folder))
        rows = [["command", f"{revision}: wall", "cpu", "now: wall", "cpu"]]

        def tell(called: str, spent: list[Spent]) -> None:
            rows.append([called, *(f"{number:.2f}" for one in spent for number in one)])
            print(called, *spent, flush=True)

        for game, command in MATCHES.items():
            tell(f"{game}, cold", least(houses, f"{command} --games 2", COLD, cold=True))
            tell(f"{game}, warm", least(houses, f"{command} --games 2", WARM))
        own = "match isolation mine.py random --games 2"
        tell("own heuristic, first run", least(houses, own, 1, cold=True))
        tell("own heuristic, second run", least(houses, own, WARM))
        for command in ("games", "agents isolation", "--help"):
            tell(f"spar {command}", least(houses, command, WARM))
        for workers in (1, 2):
            tell(f"200,000 light games, workers {workers}", least(houses, f"{LIGHT} --workers {workers}", WARM))
        print()
        print(columns(rows, right={1, 2, 3, 4}))
        print(f"base installation now: {base_size() / 1e6:.0f} MB without Python")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "HEAD~1")
