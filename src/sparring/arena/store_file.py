"""The SQLite file below the store: opening, checksums, damage, and what to do about errors.

Every row has a checksum of itself, so a damaged or swapped row is noticed when it is read. Every experiment has a tally
of the sums of its batches, so a batch that is missing is noticed too.
"""

import json
import os
import shlex
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self

from sparring.arena.playout import result_type
from sparring.core.errors import SparringError
from sparring.core.files import private, user_data

VERSION = 4
APPLICATION = 0x53504152
"""Marks a file as a store, whatever else in it is damaged."""
BUSY_SECONDS = 30
READ_ONLY = ("SQLITE_READONLY", "SQLITE_CANTOPEN")
"""Prefixes of SQLite's errors if it may not write the files that it needs for reading."""
REMEDIES = {
    READ_ONLY: "cannot be used as a store: {error}; name another by --store",
    ("SQLITE_BUSY", "SQLITE_LOCKED"): "is locked by another program for more than {seconds} seconds; end that program, "
    "then repeat the command",
    ("SQLITE_FULL", "SQLITE_IOERR"): "cannot be read or written: {error}; if the disk is full, make room, then repeat "
    "the command: finished games are kept",
}
"""Prefixes of SQLite's errors, and the messages for them. All other errors mean damage."""
NO_SUM = bytes(16)
TABLES = ("experiments", "runs", "agents", "games", "steps")
SCHEMA = """
CREATE TABLE experiments (
    id TEXT PRIMARY KEY, begun TEXT NOT NULL, title TEXT NOT NULL, game TEXT NOT NULL, seats INTEGER NOT NULL,
    version INTEGER NOT NULL,  -- of the game's rules
    code TEXT NOT NULL,        -- a hash of the package that played it
    command TEXT NOT NULL,     -- that runs it, if there is one
    description TEXT NOT NULL, -- the whole experiment as JSON
    tables TEXT NOT NULL,      -- the numbers of the agents at each table, as JSON
    sum BLOB NOT NULL          -- in all tables: the checksum of the columns before it
);
CREATE TABLE runs ( -- what changes while an experiment is played
    experiment TEXT PRIMARY KEY, last_run TEXT NOT NULL,
    games INTEGER NOT NULL, tally BLOB NOT NULL, -- the sums of its batches, combined
    sum BLOB NOT NULL
);
CREATE TABLE agents (
    experiment TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, spec TEXT NOT NULL, draws INTEGER NOT NULL,
    hash TEXT NOT NULL, sources TEXT NOT NULL, -- of a user's code
    sum BLOB NOT NULL, PRIMARY KEY (experiment, number)
);
CREATE TABLE games (
    experiment TEXT NOT NULL, at_table INTEGER NOT NULL, block INTEGER NOT NULL, blocks INTEGER NOT NULL,
    results BLOB NOT NULL, moves BLOB NOT NULL, seconds REAL NOT NULL,
    metrics TEXT,  -- of agents that declare some, game by game and seat by seat, as JSON
    failures TEXT, -- as JSON
    decisions_sum BLOB, sum BLOB NOT NULL, decisions BLOB,
    PRIMARY KEY (experiment, at_table, block)
);
CREATE TABLE steps ( -- results of long runs that are no games, such as learning
    work TEXT NOT NULL, number INTEGER NOT NULL, found TEXT NOT NULL, -- as JSON
    sum BLOB NOT NULL, PRIMARY KEY (work, number)
)
"""

Row = tuple[Any, ...]


class DamagedStore(SparringError):
    """A store in which something is not what was written."""


class ExperimentRow(NamedTuple):
    """The facts about an experiment that never change."""

    id: str
    begun: str
    title: str
    game: str
    seats: int
    version: int
    code: str
    command: str
    description: str
    tables: str


class RunRow(NamedTuple):
    """The facts about an experiment that change while it is played."""

    experiment: str
    last_run: str
    games: int = 0
    tally: bytes = NO_SUM

    def with_batch(self, games: int, sum: bytes) -> "RunRow":
        """The row after one more batch."""
        return self._replace(games=self.games + games, tally=combined(self.tally, sum))


def sum_of(table: str, *row: Any) -> bytes:
    """The checksum of a row of a table."""
    rest = [table, *(len(value) if isinstance(value, bytes) else value for value in row)]
    blobs = b"".join(value for value in row if isinstance(value, bytes))
    return blake2b(repr(rest).encode() + blobs, digest_size=len(NO_SUM)).digest()


def combined(tally: bytes, sum: bytes) -> bytes:
    """A tally with one more sum. The order of the sums does not matter."""
    return (int.from_bytes(tally) ^ int.from_bytes(sum)).to_bytes(len(NO_SUM))


def default_path() -> Path:
    """$SPARRING_STORE, or a file in the folder of the user's data."""
    chosen = os.environ.get("SPARRING_STORE")
    return Path(chosen) if chosen else user_data() / "games.db"


def option_for(path: Path) -> str:
    """The option with which a command finds a store."""
    return "" if path == default_path() else f" --store {shlex.quote(str(path))}"


def open_file(path: Path) -> tuple[sqlite3.Connection, set[str]]:
    """Open a file, and name its tables. In a folder without write permission it is read as it is."""
    try:
        return _connected(str(path))
    except sqlite3.OperationalError as error:
        if not error.sqlite_errorname.startswith(READ_ONLY) or not path.is_file():
            raise
    return _connected(f"{path.absolute().as_uri()}?immutable=1", uri=True)


def _connected(name: str, uri: bool = False) -> tuple[sqlite3.Connection, set[str]]:
    sql = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)
    return sql, {table for (table,) in sql.execute("SELECT name FROM sqlite_master WHERE type='table'")}


class StoreFile:
    """An open file. Several processes may have it open at the same time."""

    def __init__(self, path: Path | None = None, new: bool = True) -> None:
        self.path = path or default_path()
        private.update(self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm"))
        try:
            there = new or self.path.exists()
            if new:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with suppress(FileExistsError):  # nobody else may read it
                    os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._sql, tables = open_file(self.path) if there else _connected(":memory:")
            self._place = self._there() if there else None
            if tables and "experiments" not in tables and self._one("PRAGMA application_id") != APPLICATION:
                raise SparringError(f"{self.path} belongs to another program; name another store by --store")
            self._share()
            self._sql.execute("PRAGMA synchronous=NORMAL")
            if self._one("PRAGMA user_version") != VERSION:  # nothing is written to a finished file: no reader waits
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._sql.close()

    def _share(self) -> None:
        """Let readers and a writer work at the same time. SQLite itself does not wait if another process is just doing
        this with a new file."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._sql.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                    raise
            time.sleep(0.005)

    def _unusable(self, error: Exception) -> SparringError:
        """The error for the user: what is wrong with the file, and the remedy."""
        name = "SQLITE_CANTOPEN" if isinstance(error, OSError) else getattr(error, "sqlite_errorname", "")
        if name == "SQLITE_NOTADB":
            remedy = f"see `spar verify{self.option}`, or name another by --store"
            return DamagedStore(
                f"{self.path} cannot be used as a store: it is none, or its beginning is damaged; {remedy}"
            )
        for prefixes, told in REMEDIES.items():
            if name.startswith(prefixes):
                return SparringError(f"{self.path} {told.format(error=error, seconds=BUSY_SECONDS)}")
        return self._damaged(str(error) or type(error).__name__)

    def _damaged(self, what: str) -> DamagedStore:
        return DamagedStore(f"{self.path} is damaged: {what}; see what is still good: spar verify{self.option}")

    @property
    def option(self) -> str:
        """The option with which a command finds this store."""
        return option_for(self.path)

    def _prepare(self) -> None:
        """Make the tables of a new file. Another process may have made them meanwhile."""
        with self.transaction():
            version = self._one("PRAGMA user_version")
            if version == VERSION:
                return
            if version > VERSION:
                remedy = "update Sparring, or name another by --store"
                raise SparringError(f"{self.path} was written by a newer version of Sparring; {remedy}")
            if version == 1:
                raise SparringError(f"{self.path} was written by an old version of Sparring; name another by --store")
            before = ("experiments", "agents", "games", "failures", "steps") if version else ()
            for table in before:
                self._sql.execute(f"ALTER TABLE {table} RENAME TO old_{table}")
            for statement in SCHEMA.split(";\n"):
                self._sql.execute(statement)
            if before:
                self._upgrade(version)
            for table in reversed(before):
                self._sql.execute(f"DROP TABLE old_{table}")
            self._sql.execute(f"PRAGMA application_id={APPLICATION}")
            self._sql.execute(f"PRAGMA user_version={VERSION}")

    def _upgrade(self, version: int) -> None:
        """Copy the rows of versions 2 and 3, which had no checksums."""
        runs: dict[str, RunRow] = {}
        for id, begun, last_run, *rest in self._sql.execute("SELECT * FROM old_experiments"):
            self.insert("experiments", (id, begun, *rest))
            runs[id] = RunRow(id, last_run)
        for table in ("agents", "steps"):
            for row in self._sql.execute(f"SELECT * FROM old_{table}"):
                self.insert(table, row)
        names = "experiment, at_table, block, blocks, results, moves, seconds, metrics, decisions"
        failures = f"SELECT block, game, detail, output{', position' * (version == 3)} FROM old_failures"
        chosen = "WHERE experiment=? AND at_table=? AND block>=? AND block<? ORDER BY block, game"
        for *row, decisions in self._sql.execute(f"SELECT {names} FROM old_games"):
            id, table, block, blocks, results, *_ = row
            where = id, table, block, block + blocks
            failed = self._sql.execute(f"{failures} {chosen}", where).fetchall()
            sum = self.insert("games", (*row, json.dumps(failed) if failed else None), decisions)
            seats = self._one("SELECT seats FROM experiments WHERE id=?", id)
            runs[id] = runs[id].with_batch(len(results) // result_type(seats).itemsize, sum)
        for run in runs.values():
            self.insert("runs", run)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all that is done meanwhile, or nothing."""
        try:
            self._sql.execute("BEGIN IMMEDIATE")
            yield
            self._check_place()
            self._sql.execute("COMMIT")
        except BaseException as error:
            if self._sql.in_transaction:  # SQLite itself may have rolled it back already
                with suppress(sqlite3.Error):
                    self._sql.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._unusable(error) from error
            raise

    def _there(self) -> tuple[int, int] | None:
        """Return the identity of the file at the path; None if there is none."""
        with suppress(FileNotFoundError):
            found = self.path.stat()
            return found.st_dev, found.st_ino
        return None

    def _check_place(self) -> None:
        """Raise an error if the file is no longer the one that was opened: SQLite would go on writing to nowhere."""
        if self._place and self._there() != self._place:
            told = "was deleted, moved or replaced while it was in use"
            raise SparringError(f"{self.path} {told}; repeat the command: it plays the games that are not in the file")

    def insert(self, table: str, row: Row, decisions: bytes | None = None) -> bytes:
        """Add a row with its sum, and return that. For a batch the decisions stand behind it."""
        more: Row = ()
        if table == "games":
            row, more = (*row, sum_of("decisions", decisions) if decisions else None), (decisions,)
        sum = sum_of(table, *row)
        values = (*row, sum, *more)
        self._sql.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
        return sum

    def _rows(self, query: str, *given: Any) -> Iterator[Row]:
        """The rows that a query finds."""
        try:
            yield from self._sql.execute(query, given)
        except (sqlite3.Error, MemoryError) as error:
            raise self._unusable(error) from error

    def _one(self, query: str, *given: Any) -> Any:
        """The only value that a query finds."""
        ((value,),) = self._rows(query, *given)
        return value

    def _kept(self, table: str, where: str = "", *given: Any) -> Iterator[Row]:
        """Rows of a table, without their sums, which must be right."""
        for row in self._rows(f"SELECT * FROM {table} {where}", *given):
            yield self._checked(table, row)

    def _checked(self, table: str, row: Row) -> Row:
        """The row without its sum, which must be right."""
        if sum_of(table, *row[:-1]) != row[-1]:
            raise self._damaged(f"a row of {table} is not what was written")
        return row[:-1]
