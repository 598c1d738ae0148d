"""Find the parts of a store that are as they were written. A damaged file is read row by row, past what cannot be
read, so that every row with a right checksum can be saved."""

import json
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from sparring.arena import store_file
from sparring.arena.playout import result_type
from sparring.arena.schedule import Job
from sparring.arena.store_file import NO_SUM, ExperimentRow, Row, RunRow, StoreFile, combined, open_file, sum_of
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write

PROBES = 1 << 16
"""Rows in sequence that cannot be read, after which the rest of a table counts as lost."""
SAMPLE, SLOWEST_SECONDS = 4, 2.0
"""How many blocks of an experiment are played again, and how long one of them may have taken."""
PAGE, CHANGES = 4096, slice(24, 28)
"""The size of SQLite's pages, and the place on the first where changes are counted."""


@dataclass
class FoundExperiment:
    """The good parts of an experiment."""

    id: str
    settings: ExperimentRow | None = None
    run: RunRow | None = None
    agents: list[Row] = field(default_factory=list)
    games: int = 0
    tally: bytes = NO_SUM
    sample: list[Job] = field(default_factory=list)
    """Some of its blocks, chosen by chance, the same ones each time."""

    @property
    def readable(self) -> bool:
        """True if settings and agents are there, without which its games say nothing."""
        described = json.loads(self.settings.description) if self.settings else {}
        return bool(described) and len(self.agents) == sum(
            len(described[group]) for group in ("agents", "contestants", "opponents")
        )

    @property
    def orphaned(self) -> bool:
        """True if only games are there, which wait for their command to be repeated."""
        return not (self.settings or self.run or self.agents)

    @property
    def whole(self) -> bool:
        known = self.run and (self.run.games, self.run.tally) == (self.games, self.tally)
        return self.orphaned or bool(self.readable and known)

    def add(self, row: Row) -> None:
        """Count a batch."""
        _, table, block, blocks, results, _, seconds, *_, sum, _ = row
        self.games += len(results) // result_type(self.settings.seats if self.settings else 1).itemsize
        self.tally = combined(self.tally, sum)
        if seconds < SLOWEST_SECONDS * blocks:
            chance = Random(f"{self.id} {table} {block}")
            self.sample.append(Job(table, block + chance.randrange(blocks), 1))
            self.sample = chance.sample(self.sample, min(SAMPLE, len(self.sample)))


class Scan:
    """Everything in a file that can be read and has a right checksum."""

    def __init__(self, sql: sqlite3.Connection) -> None:
        self._sql = sql
        self.damage = self._structure()
        """The first thing that is wrong."""
        self.experiments: dict[str, FoundExperiment] = {}
        self.steps = 0
        for row in self.rows("experiments"):
            self._found(row).settings = ExperimentRow(*row)
        for row in self.rows("runs"):
            self._found(row).run = RunRow(*row)
        for row in self.rows("agents"):
            self._found(row).agents.append(row)
        for row in self.rows("games"):
            self._found(row).add(row)
        for _ in self.rows("steps"):
            self.steps += 1
        for one in self.experiments.values():
            if not one.whole:
                self.damage = self.damage or f"parts of {one.id} are missing"

    @property
    def savable(self) -> bool:
        return bool(self.steps or any(one.readable or one.games for one in self.experiments.values()))

    def _found(self, row: Row) -> FoundExperiment:
        return self.experiments.setdefault(row[0], FoundExperiment(row[0]))

    def _structure(self) -> str:
        """Return the faults that SQLite finds in the structure of the file; none if all is well."""
        try:
            ((version,),) = self._sql.execute("PRAGMA user_version")
            ((told, *_), *_) = self._sql.execute("PRAGMA integrity_check(1)")
            if version != store_file.VERSION:
                return f"its version {version} is not what was written"
            return "" if told == "ok" else " ".join(told.rpartition("***")[-1].split())
        except sqlite3.Error as error:
            return str(error)

    def rows(self, table: str) -> Iterator[Row]:
        """The good rows of a table, without their sums; those of games with sum and decisions."""
        last, failed = 0, 0
        while failed < PROBES:
            query = f"SELECT rowid, * FROM {table} NOT INDEXED WHERE rowid>? ORDER BY rowid"
            try:
                for number, *row in self._sql.execute(query, (last,)):
                    if _is_whole(table, row):
                        last, failed = number, 0
                        yield tuple(row if table == "games" else row[:-1])
                    else:
                        self.damage = self.damage or f"a row of {table} is not what was written"
                return
            except (sqlite3.Error, MemoryError) as error:
                self.damage = self.damage or str(error)
                last, failed = last + 1, failed + 1


def _is_whole(table: str, row: Sequence[object]) -> bool:
    if table != "games":
        return sum_of(table, *row[:-1]) == row[-1]
    *values, decisions_sum, sum, decisions = row
    fits = decisions is None or sum_of("decisions", decisions) == decisions_sum
    return fits and sum_of(table, *values, decisions_sum) == sum


@contextmanager
def scanned(path: Path) -> Iterator[Scan]:
    """Read a file. If that finds nothing, its first page, which says where the tables are, is taken from a new store:
    there they are at the same places."""
    if not path.is_file():
        raise SparringError(f"there is no store {path}; name another by --store")
    with ExitStack() as opened:
        found = None
        with suppress(sqlite3.Error):
            found = Scan(opened.enter_context(closing(open_file(path)[0])))
        if not found or (found.damage and not found.experiments):
            copy = Path(opened.enter_context(TemporaryDirectory())) / "games.db"
            new = copy.with_name("new.db")
            with StoreFile(new):
                pass
            shutil.copyfile(path, copy)
            with copy.open("r+b") as stream:
                page = bytearray(new.read_bytes()[:PAGE])
                page[CHANGES] = os.urandom(4)  # no longer the count for which a number of pages is noted
                stream.write(page)
                stream.seek(0, os.SEEK_END)
                stream.write(new.read_bytes()[stream.tell() :])  # tables of a file that was cut
            try:
                found = Scan(opened.enter_context(closing(open_file(copy)[0])))
            except sqlite3.Error as error:
                raise SparringError(f"nothing in {path} can be read; name another by --store") from error
            found.damage = "its beginning cannot be read"
        yield found


def repair(path: Path) -> Path:
    """Put a new file with all that is good in the place of a damaged one. Return where the damaged one is kept."""
    beside = (path.with_name(f"{path.name}.damaged{number or ''}") for number in count())
    damaged = next(file for file in beside if not file.exists())
    with atomic_write(path) as part:
        try:
            with scanned(path) as found, StoreFile(part) as new, new.transaction():
                _copy(found, new)
            shutil.copy2(path, damaged)
            for end in ("-wal", "-shm"):  # they would be taken for parts of the new file
                with suppress(FileNotFoundError):
                    path.with_name(path.name + end).replace(damaged.with_name(damaged.name + end))
        finally:
            for end in ("-wal", "-shm"):  # left by an error
                part.with_name(part.name + end).unlink(missing_ok=True)
    return damaged


def _copy(found: Scan, new: StoreFile) -> None:
    for id, one in found.experiments.items():
        if not one.settings or not one.readable:
            continue
        new.insert("experiments", one.settings)
        new.insert("runs", RunRow(id, one.run.last_run if one.run else one.settings.begun, one.games, one.tally))
        for row in one.agents:
            new.insert("agents", row)
    for *batch, _, _, decisions in found.rows("games"):
        new.insert("games", tuple(batch), decisions)
    steps = Counter[str]()
    for row in found.rows("steps"):
        if row[1] == steps[row[0]]:  # later ones are computed from it
            steps[row[0]] += 1
            new.insert("steps", row)
