"""One SQLite file that keeps every experiment and all its games.

Games are kept as result batches: consecutive blocks of a table. Nothing is kept that can be counted from them. A batch
is written in one transaction and never changed, so that after a crash it is there whole or not at all. Slow agents
write batches of one block each; they are joined when they are read, because half a million small batches are slow.
"""

import json
import os
import shlex
import sqlite3
import time
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from sparring.arena.batch import FailureRecord, ResultBatch, unpacked
from sparring.arena.experiment import Contest, Experiment, Participant
from sparring.arena.notes import Metrics, NoteCounts
from sparring.arena.playout import result_type
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.core.files import private, user_data
from sparring.games import registry
from sparring.games.registry import game as make_game

VERSION = 3
BUSY_SECONDS = 30
JOINED = 1 << 14
"""The most blocks that are joined to one batch: more would be no quicker and take more memory."""
LAST = "last"
READ_ONLY = ("SQLITE_READONLY", "SQLITE_CANTOPEN")
"""Prefixes of SQLite's errors if it may not write the files that it needs for reading."""
ANY_ENCODING = "surrogateescape"
SCHEMA = """
CREATE TABLE experiments (
    id TEXT PRIMARY KEY, begun TEXT NOT NULL, last_run TEXT NOT NULL,
    title TEXT NOT NULL, game TEXT NOT NULL, seats INTEGER NOT NULL,
    version INTEGER NOT NULL,  -- of the game's rules
    code TEXT NOT NULL,        -- a hash of the package that played it
    command TEXT NOT NULL,     -- that runs it, if there is one
    description TEXT NOT NULL, -- the whole experiment as JSON
    tables TEXT NOT NULL       -- the numbers of the agents at each table, as JSON
);
CREATE TABLE agents (
    experiment TEXT NOT NULL REFERENCES experiments ON DELETE CASCADE, number INTEGER NOT NULL,
    name TEXT NOT NULL, spec TEXT NOT NULL, draws INTEGER NOT NULL,
    hash TEXT NOT NULL, sources TEXT NOT NULL, -- of a user's code
    PRIMARY KEY (experiment, number)
);
CREATE TABLE games (
    experiment TEXT NOT NULL REFERENCES experiments ON DELETE CASCADE,
    at_table INTEGER NOT NULL, block INTEGER NOT NULL, blocks INTEGER NOT NULL,
    results BLOB NOT NULL, moves BLOB NOT NULL, decisions BLOB, seconds REAL NOT NULL,
    metrics TEXT, -- of agents that declare some, game by game and seat by seat, as JSON
    PRIMARY KEY (experiment, at_table, block)
);
CREATE TABLE failures (
    experiment TEXT NOT NULL REFERENCES experiments ON DELETE CASCADE,
    at_table INTEGER NOT NULL, block INTEGER NOT NULL, game INTEGER NOT NULL,
    agent INTEGER NOT NULL, detail TEXT NOT NULL, output TEXT NOT NULL, position TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (experiment, at_table, block, game)
);
CREATE TABLE steps ( -- results of long runs that are no games, such as learning
    work TEXT NOT NULL, number INTEGER NOT NULL, found TEXT NOT NULL, -- as JSON
    PRIMARY KEY (work, number)
)
"""
COLUMNS = "at_table, block, blocks, results, moves, decisions, seconds, metrics"

GameRow = tuple[Any, ...]
"""The COLUMNS of a batch."""


class StoredExperiment(NamedTuple):
    """An experiment in a list of all."""

    id: str
    begun: str
    title: str
    game: str
    agents: tuple[str, ...]
    kept: int
    """Stored games. Fewer may count: see result.py."""


def default_path() -> Path:
    """$SPARRING_STORE, or a file in the folder of the user's data."""
    chosen = os.environ.get("SPARRING_STORE")
    return Path(chosen) if chosen else user_data() / "games.db"


class Store:
    """The open file of kept games; without a path, the user's own. Several processes may have it open at the same time.
    With `new=False` a missing file is not made, and the store is empty."""

    def __init__(self, path: Path | None = None, new: bool = True) -> None:
        self.path = path or default_path()
        private.update(self.path.with_name(self.path.name + ending) for ending in ("", "-wal", "-shm"))
        try:
            there = new or self.path.exists()
            if new:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._sql, tables = self._opened() if there else _connected(":memory:")
            if tables and "experiments" not in tables:
                raise SparringError(f"{self.path} belongs to another program; name another store by --store")
            self._share()
            self._sql.execute("PRAGMA synchronous=NORMAL")
            self._sql.execute("PRAGMA foreign_keys=ON")
            if self._one("PRAGMA user_version") != VERSION:  # nothing is written to a finished file: no reader waits
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def _opened(self) -> tuple[sqlite3.Connection, set[str]]:
        """The file and the names of its tables. In a folder without write permission it is read as it is."""
        try:
            return _connected(str(self.path))
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(READ_ONLY) or not self.path.is_file():
                raise
        return _connected(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)

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
        return SparringError(f"{self.path} cannot be used as a store: {error}; name another by --store")

    def _prepare(self) -> None:
        """Make the tables of a new file. Another process may have made them meanwhile."""
        with self._transaction():
            version = self._one("PRAGMA user_version")
            if version == 2:
                self._sql.execute("ALTER TABLE failures ADD COLUMN position TEXT NOT NULL DEFAULT ''")
            elif version not in (0, VERSION):
                raise SparringError(f"{self.path} was written by another version of Sparring; name another by --store")
            if version == 0:
                for statement in SCHEMA.split(";\n"):
                    self._sql.execute(statement)
            self._sql.execute(f"PRAGMA user_version={VERSION}")

    def _one(self, query: str, *given: Any) -> Any:
        """The only value that a query finds."""
        ((value,),) = self._sql.execute(query, given)
        return value

    @property
    def option(self) -> str:
        """The option that a command needs to find this store."""
        return "" if self.path == default_path() else f" --store {shlex.quote(str(self.path))}"

    @property
    def nothing(self) -> str:
        """The message of an empty store."""
        return f"no games are stored in {self.path} yet; play some: spar match GAME AGENT AGENT{self.option}"

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self._sql.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._sql.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._sql.execute("COMMIT")
        except BaseException as error:
            if self._sql.in_transaction:  # SQLite itself may have rolled it back already
                self._sql.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._unusable(error) from error
            raise

    def begin(self, contest: Contest, command: str = "") -> None:
        """Enter an experiment if it is new, and note that it runs now."""
        experiment, now = contest.experiment, datetime.now(UTC).isoformat()
        with self._transaction():
            if self._sql.execute("UPDATE experiments SET last_run=? WHERE id=?", (now, contest.id)).rowcount:
                return
            game = experiment.game, contest.game.seats, contest.game.version, registry.code(experiment.game)
            text = command, experiment.model_dump_json(), json.dumps(contest.tables)
            self._insert("experiments", (contest.id, now, now, experiment.title, *game, *text))
            for number, one in enumerate(contest.participants):
                sources = json.dumps({name: source.decode(errors=ANY_ENCODING) for name, source in one.sources.items()})
                self._insert("agents", (contest.id, number, one.name, one.spec, one.draws, one.hash, sources))

    def _insert(self, table: str, row: tuple[Any, ...]) -> None:
        self._sql.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)

    def add(self, contest: Contest, batch: ResultBatch) -> None:
        """Keep a batch, except for blocks that another process with the same experiment has kept already."""
        with self._transaction():
            known = self._sql.execute(
                "SELECT block, block+blocks FROM games WHERE experiment=:id AND at_table=:table AND block<:end AND "
                "block>=(SELECT coalesce(max(block), 0) FROM games WHERE experiment=:id AND at_table=:table AND "
                "block<=:block) ORDER BY block",  # the last before and those within, by the index alone
                {"id": contest.id, "table": batch.table, "block": batch.block, "end": batch.end},
            ).fetchall()
            block = batch.block
            for start, end in [*known, (batch.end, batch.end)]:
                if block < start:
                    self._add(contest, batch.part(block, start) if known else batch)
                block = max(block, end)

    def _add(self, contest: Contest, batch: ResultBatch) -> None:
        results, moves = batch.packed()
        decisions = zlib.compress(json.dumps(batch.decisions).encode()) if batch.decisions else None
        metrics = [[{label: note.packed() for label, note in seat.items()} for seat in game] for game in batch.metrics]
        row = (contest.id, batch.table, batch.block, batch.blocks, results, moves, decisions, batch.seconds)
        self._insert("games", (*row, json.dumps(metrics) if metrics else None))
        for failure in batch.failures:
            seat = int(batch.results[failure.block - batch.block, failure.game]["failed"])
            agent = contest.seating(batch.table, failure.block, failure.game)[seat]
            place = contest.id, batch.table, failure.block, failure.game
            self._insert("failures", (*place, agent, failure.detail, failure.output, failure.position))

    def batches(self, id: str, decisions: bool = False) -> Iterator[ResultBatch]:
        """All games of an experiment, one batch after another: all of them may not fit into memory."""
        seats, failures = self._seats(id), self._failures(id)
        columns = COLUMNS if decisions else COLUMNS.replace("decisions", "NULL")
        rows = self._sql.execute(f"SELECT {columns} FROM games WHERE experiment=? ORDER BY at_table, block", (id,))
        for run in _runs(rows):
            yield _batch(run, seats, failures.get(run[0][0], []))

    def batch(self, id: str, table: int, block: int) -> ResultBatch | None:
        """The batch that holds a block, with its decisions; None if the block was not played."""
        query = (
            f"SELECT {COLUMNS} FROM games WHERE experiment=? AND at_table=? AND block<=? ORDER BY block DESC LIMIT 1"
        )
        rows = self._sql.execute(query, (id, table, block)).fetchall()
        there = rows and block < rows[0][1] + rows[0][2]
        return _batch(rows, self._seats(id), self._failures(id).get(table, [])) if there else None

    def _seats(self, id: str) -> int:
        return int(self._one("SELECT seats FROM experiments WHERE id=?", id))

    def _failures(self, id: str) -> dict[int, list[FailureRecord]]:
        """The failures of each table, in the order of blocks."""
        failed: dict[int, list[FailureRecord]] = {}
        columns = "at_table, block, game, detail, output, position"
        query = f"SELECT {columns} FROM failures WHERE experiment=? ORDER BY block, game"
        for table, *rest in self._sql.execute(query, (id,)):
            failed.setdefault(table, []).append(FailureRecord(*rest))
        return failed

    def steps(self, work: str) -> list[Any]:
        """The results of the steps of a long run so far."""
        rows = self._sql.execute("SELECT found FROM steps WHERE work=? ORDER BY number", (work,))
        return [json.loads(found) for (found,) in rows]

    def add_step(self, work: str, number: int, found: Any) -> None:
        """Keep the result of a step. Another process with the same run has found the same."""
        with self._transaction():
            self._sql.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", (work, number, json.dumps(found)))

    def contest(self, id: str) -> Contest:
        """A stored experiment with its tables and participants, without agents that can play."""
        query = "SELECT version, description, tables FROM experiments WHERE id=?"
        ((version, description, tables),) = self._sql.execute(query, (id,))
        experiment = Experiment.model_validate_json(description)
        game = make_game(experiment.game, **experiment.options)
        if game.version != version:
            raise SparringError(f"{id} was played by the rules of {game.name} {version}, but this is {game.version}")
        query = "SELECT name, spec, draws, sources FROM agents WHERE experiment=? ORDER BY number"
        participants = []
        for name, spec, draws, sources in self._sql.execute(query, (id,)):
            texts = {file: text.encode(errors=ANY_ENCODING) for file, text in json.loads(sources).items()}
            participants.append(Participant(name, spec, bool(draws), texts))
        return Contest(experiment, game, tuple(participants), tuple(map(tuple, json.loads(tables))), id=id)

    def command(self, id: str) -> str:
        """The command that runs or continues an experiment."""
        return str(self._one("SELECT command FROM experiments WHERE id=?", id))

    def code(self, id: str) -> str:
        """A hash of the code that played it."""
        return str(self._one("SELECT code FROM experiments WHERE id=?", id))

    def begun(self, id: str) -> str:
        """The time of the first run."""
        return str(self._one("SELECT begun FROM experiments WHERE id=?", id))

    def ran_since(self, moment: str) -> list[str]:
        """The experiments that were begun or continued at a time or later."""
        return [id for (id,) in self._sql.execute("SELECT id FROM experiments WHERE last_run>=?", (moment,))]

    def game(self, prefix: str, number: int) -> PlayedGame:
        """One game of the experiment whose id begins with `prefix`, with its decisions if they were kept.

        All results are read, because they tell which games count. Decisions, most of the data, are read for one game.
        """
        contest = self.contest(id := self.find(prefix))
        result = Tournament(contest, list(self.batches(id)))
        table, block, _ = result.place(number)
        if number not in range(1, result.last + 1) or not result.was_played(number):
            raise no_such_game(prefix, number, result.last)
        batch = self.batch(id, table, block)
        return Tournament(contest, [batch] if batch else []).game(number)

    def version(self) -> int:
        """A number that changes whenever another process has written to the file."""
        return int(self._one("PRAGMA data_version"))

    def batch_count(self, id: str) -> int:
        return int(self._one("SELECT count(*) FROM games WHERE experiment=?", id))

    def batch_counts(self) -> dict[str, int]:
        """The number of batches of each experiment: it grows whenever something was played."""
        return dict(self._sql.execute("SELECT experiment, count(*) FROM games GROUP BY experiment").fetchall())

    def find(self, prefix: str) -> str:
        """The id that begins with `prefix`; for "last", of the experiment that was run last."""
        if prefix == LAST:
            rows = self._sql.execute("SELECT id FROM experiments ORDER BY last_run DESC LIMIT 1").fetchall()
        else:
            query = "SELECT id FROM experiments WHERE substr(id, 1, ?)=?"
            rows = self._sql.execute(query, (len(prefix), prefix)).fetchall()
        if not rows and not self.listed():
            raise SparringError(self.nothing)
        if len(rows) != 1 or not prefix:
            verb = "begin" if rows else "begins"
            told = f"{'several experiments' if rows else 'no experiment'} in {self.path} {verb} with {prefix!r}"
            raise SparringError(f"{told}; `spar experiments{self.option}` lists them")
        return str(rows[0][0])

    def listed(self) -> list[StoredExperiment]:
        """Every experiment, the latest last."""
        listing = []
        query = "SELECT id, begun, title, game, seats FROM experiments ORDER BY last_run"
        for id, begun, title, game, seats in self._sql.execute(query).fetchall():
            named = self._sql.execute("SELECT name FROM agents WHERE experiment=? ORDER BY number", (id,))
            agents = tuple(name for (name,) in named)
            size = self._one("SELECT coalesce(sum(length(results)), 0) FROM games WHERE experiment=?", id)
            listing.append(StoredExperiment(id, begun, title, game, agents, size // result_type(seats).itemsize))
        return listing


def no_such_game(source: str, number: int, last: int) -> SparringError:
    reason = "was not played" if 1 <= number <= last else "does not exist"
    return SparringError(f"{source} has games 1 to {last}; game {number} {reason}")


def _connected(name: str, uri: bool = False) -> tuple[sqlite3.Connection, set[str]]:
    sql = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)
    return sql, {table for (table,) in sql.execute("SELECT name FROM sqlite_master WHERE type='table'")}


def _runs(rows: Iterable[GameRow]) -> Iterator[list[GameRow]]:
    """Group rows whose blocks follow one another. A row with decisions, which take much memory, stays alone."""
    run: list[GameRow] = []
    size, after = 0, (-1, -1)
    for row in rows:
        table, block, blocks, decisions = row[0], row[1], row[2], row[5]
        if run and (after != (table, block) or size + blocks > JOINED or decisions):
            yield run
            run, size = [], 0
        run.append(row)
        size, after = JOINED if decisions else size + blocks, (table, block + blocks)
    if run:
        yield run


def _batch(run: Sequence[GameRow], seats: int, failed: Sequence[FailureRecord]) -> ResultBatch:
    """Join rows whose blocks follow one another; `failed` are the failures at their table."""
    tables, starts, blocks, results, moves, decisions, seconds, metrics = zip(*run, strict=True)
    first, end = starts[0], starts[-1] + blocks[-1]
    mine = slice(*(bisect_left(failed, block, key=lambda failure: failure.block) for block in (first, end)))
    kept = [tuple(json.loads(zlib.decompress(one))) for one in decisions if one] or [()]
    table, codes = unpacked(results, moves, seats)
    table = table.reshape(end - first, -1)
    counted = [_metrics(row, count * table.shape[1]) for row, count in zip(metrics, blocks, strict=True)]
    return ResultBatch(
        table=tables[0],
        block=first,
        results=table,
        moves=codes,
        failures=tuple(failed[mine]),
        decisions=kept[0],
        seconds=sum(seconds),
        metrics=tuple(chain.from_iterable(counted)) if any(metrics) else (),
    )


def _metrics(counts: str | None, games: int) -> list[list[Metrics]]:
    """The metrics of each game of a row, by seat; empty if no agent noted any."""
    found = json.loads(counts) if counts else [[]] * games
    return [[{label: NoteCounts.unpacked(one) for label, one in seat.items()} for seat in game] for game in found]
