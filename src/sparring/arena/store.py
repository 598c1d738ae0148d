"""One SQLite file that remembers every experiment and all its games.

Games are kept as sheets, some blocks of a table in a row, and nothing is kept that could be counted from them. A
sheet is written in one transaction and never again: whenever the process is killed, it is there whole or not at all.
Slow agents leave sheets of a block each; they are joined where they are read, for half a million of them are slow.
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
from pathlib import Path
from typing import Any, NamedTuple

from sparring.arena.batch import Failure, Sheet, unpacked
from sparring.arena.experiment import Contest, Experiment, Member
from sparring.arena.notes import Metrics, Note
from sparring.arena.playout import result_type
from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.registry import game as make_game

VERSION = 1
BUSY_SECONDS = 30
JOINED = 1 << 14
"""Blocks of which no more are joined to one sheet: enough to be quick, few enough for little memory."""
LAST = "last"
NOWHERE = ":memory:"
READ_ONLY = ("SQLITE_READONLY", "SQLITE_CANTOPEN")
"""How SQLite's errors begin where it may not write what it needs for reading."""
AS_IT_IS = "surrogateescape"
"""A user's file may be in any encoding."""
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
    PRIMARY KEY (experiment, at_table, block)
);
CREATE TABLE failures (
    experiment TEXT NOT NULL REFERENCES experiments ON DELETE CASCADE,
    at_table INTEGER NOT NULL, block INTEGER NOT NULL, game INTEGER NOT NULL,
    agent INTEGER NOT NULL, detail TEXT NOT NULL, output TEXT NOT NULL,
    PRIMARY KEY (experiment, at_table, block, game)
);
"""

STEPS = """
CREATE TABLE IF NOT EXISTS steps (
    work TEXT NOT NULL, number INTEGER NOT NULL, found TEXT NOT NULL, -- as JSON
    PRIMARY KEY (work, number)
)
"""
"""What long works have found so far. Stores from before it was kept get the table too."""
METRICS = """
CREATE TABLE IF NOT EXISTS metrics (
    experiment TEXT NOT NULL REFERENCES experiments ON DELETE CASCADE,
    at_table INTEGER NOT NULL, block INTEGER NOT NULL, counts TEXT NOT NULL, -- as JSON, game by game and seat by seat
    PRIMARY KEY (experiment, at_table, block)
)
"""
"""The metrics of agents that declare some, sheet by sheet. A store gets the table when there is something to keep."""

Row = tuple[Any, ...]
"""Of games: table, block, blocks, results, moves, decisions, seconds, metrics."""


class Listed(NamedTuple):
    """An experiment in a list of all."""

    id: str
    begun: str
    title: str
    game: str
    agents: tuple[str, ...]
    kept: int
    """Games, of which fewer may count: see result.py."""


def default_path() -> Path:
    """$SPARRING_STORE, or a file where programs of a user keep their data."""
    chosen = os.environ.get("SPARRING_STORE")
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return Path(chosen) if chosen else home / "sparring" / "games.db"


class Store:
    """The file, open. Several processes may have it open at the same time. For those who only read, none is made that
    is not there: nothing is in it."""

    def __init__(self, path: Path | None = None, new: bool = True) -> None:
        self.path = path or default_path()
        try:
            there = new or self.path.exists()
            if new:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            self._sql, tables = self._opened() if there else _connected(NOWHERE)
            if tables and "experiments" not in tables:
                raise SparringError(f"{self.path} belongs to another program; name another store by --store")
            self._share()
            self._sql.execute("PRAGMA synchronous=NORMAL")
            self._sql.execute("PRAGMA foreign_keys=ON")
            if self._version() != VERSION or "steps" not in tables:  # else nothing is written: no reader waits
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._unusable(error) from error

    def _opened(self) -> tuple[sqlite3.Connection, set[str]]:
        """The file and the names of its tables. Where nothing can be written beside it, it is read as it lies."""
        try:
            return _connected(str(self.path))
        except sqlite3.OperationalError as error:
            if not error.sqlite_errorname.startswith(READ_ONLY) or not self.path.is_file():
                raise
        return _connected(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)

    def _share(self) -> None:
        """Let readers and a writer work side by side. SQLite, which else waits for others, gives this up at once when
        somebody does the same with a new file."""
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
        with self._transaction():
            version = self._version()
            if version == 0:
                for statement in SCHEMA.split(";\n"):
                    self._sql.execute(statement)
                self._sql.execute(f"PRAGMA user_version={VERSION}")
            elif version != VERSION:
                raise SparringError(f"{self.path} was written by another version of Sparring; name another by --store")
            self._sql.execute(STEPS)

    def _version(self) -> int:
        ((version,),) = self._sql.execute("PRAGMA user_version")
        return int(version)

    @property
    def option(self) -> str:
        """What a command must say to find this store."""
        return "" if self.path == default_path() else f" --store {shlex.quote(str(self.path))}"

    @property
    def nothing(self) -> str:
        """What there is to say as long as it is empty."""
        return f"nothing is kept in {self.path} yet; play some: spar match GAME AGENT AGENT{self.option}"

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
            if self._sql.in_transaction:  # SQLite itself may have given it up already
                self._sql.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                raise self._unusable(error) from error
            raise

    def begin(self, contest: Contest, command: str = "") -> None:
        """Know an experiment, if it is not known already, and that it runs now."""
        told, now = contest.experiment, datetime.now(UTC).isoformat()
        played_by = contest.game.version, registry.code(told.game)
        row = (contest.id, now, now, told.title, told.game, contest.game.seats, *played_by)
        with self._transaction():
            known = self._sql.execute("UPDATE experiments SET last_run=? WHERE id=?", (now, contest.id)).rowcount
            if known:
                return
            self._sql.execute(
                "INSERT INTO experiments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, command, told.model_dump_json(), json.dumps(contest.tables)),
            )
            for number, member in enumerate(contest.members):
                sources = json.dumps({name: source.decode(errors=AS_IT_IS) for name, source in member.sources.items()})
                self._sql.execute(
                    "INSERT INTO agents VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (contest.id, number, member.name, member.spec, member.draws, member.hash, sources),
                )

    def add(self, contest: Contest, sheet: Sheet) -> None:
        """Keep a sheet, but for blocks that somebody else who plays the same experiment has kept already."""
        with self._transaction():
            known = self._sql.execute(
                "SELECT block, block+blocks FROM games WHERE experiment=:id AND at_table=:table AND block<:end AND "
                "block>=(SELECT coalesce(max(block), 0) FROM games WHERE experiment=:id AND at_table=:table AND "
                "block<=:block) ORDER BY block",  # the last before and those within, by the index alone
                {"id": contest.id, "table": sheet.table, "block": sheet.block, "end": sheet.end},
            ).fetchall()
            block = sheet.block
            for start, end in [*known, (sheet.end, sheet.end)]:
                if block < start:
                    self._insert(contest, sheet.part(block, start) if known else sheet)
                block = max(block, end)

    def _insert(self, contest: Contest, sheet: Sheet) -> None:
        results, moves = sheet.packed()
        decisions = zlib.compress(json.dumps(sheet.decisions).encode()) if sheet.decisions else None
        self._sql.execute(
            "INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (contest.id, sheet.table, sheet.block, sheet.blocks, results, moves, decisions, sheet.seconds),
        )
        if sheet.metrics:
            packed = [
                [{label: note.packed() for label, note in seat.items()} for seat in seats] for seats in sheet.metrics
            ]
            self._sql.execute(METRICS)
            row = (contest.id, sheet.table, sheet.block, json.dumps(packed))
            self._sql.execute("INSERT INTO metrics VALUES (?, ?, ?, ?)", row)
        for failure in sheet.failures:
            seat = int(sheet.results[failure.block - sheet.block, failure.game]["failed"])
            agent = contest.seatings(sheet.table)[failure.game][seat]
            self._sql.execute(
                "INSERT INTO failures VALUES (?, ?, ?, ?, ?, ?, ?)",
                (contest.id, sheet.table, failure.block, failure.game, agent, failure.detail, failure.output),
            )

    def sheets(self, id: str, decisions: bool = False) -> list[Sheet]:
        """All that was played of an experiment."""
        return list(self.each_sheet(id, decisions))

    def each_sheet(self, id: str, decisions: bool = False) -> Iterator[Sheet]:
        """The same, one after another, for whoever has no room for all of them."""
        ((seats,),) = self._sql.execute("SELECT seats FROM experiments WHERE id=?", (id,))
        failed: dict[int, list[Failure]] = {}
        found = "SELECT at_table, block, game, detail, output FROM failures WHERE experiment=? ORDER BY block, game"
        for table, *rest in self._sql.execute(found, (id,)):
            failed.setdefault(table, []).append(Failure(*rest))
        kept = "decisions" if decisions else "NULL"
        there = self._sql.execute("SELECT 1 FROM sqlite_master WHERE name='metrics'").fetchall()
        counts, joined = ("counts", "LEFT JOIN metrics USING (experiment, at_table, block)") if there else ("NULL", "")
        rows = self._sql.execute(
            f"SELECT at_table, block, blocks, results, moves, {kept}, seconds, {counts} FROM games {joined} "
            "WHERE experiment=? ORDER BY at_table, block",
            (id,),
        )
        for run in _runs(rows):
            yield _sheet(run, seats, failed.get(run[0][0], []))

    def steps(self, work: str) -> list[Any]:
        """What was found in each step of a work so far."""
        rows = self._sql.execute("SELECT found FROM steps WHERE work=? ORDER BY number", (work,))
        return [json.loads(found) for (found,) in rows]

    def add_step(self, work: str, number: int, found: Any) -> None:
        """Keep what a step has found; whoever does the same work at the same time has found the same."""
        with self._transaction():
            self._sql.execute("INSERT OR IGNORE INTO steps VALUES (?, ?, ?)", (work, number, json.dumps(found)))

    def contest(self, id: str) -> Contest:
        """What was played, and by whom; the agents themselves are not made."""
        found = "SELECT version, description, tables FROM experiments WHERE id=?"
        ((version, description, tables),) = self._sql.execute(found, (id,))
        experiment = Experiment.model_validate_json(description)
        game = make_game(experiment.game, **experiment.options)
        if game.version != version:
            raise SparringError(f"{id} was played by the rules of {game.name} {version}, but this is {game.version}")
        found = "SELECT name, spec, draws, sources FROM agents WHERE experiment=? ORDER BY number"
        members = []
        for name, spec, draws, sources in self._sql.execute(found, (id,)):
            texts = {file: text.encode(errors=AS_IT_IS) for file, text in json.loads(sources).items()}
            members.append(Member(name, spec, bool(draws), texts))
        return Contest(
            experiment,
            game,
            tuple(members),
            tuple(tuple(table) for table in json.loads(tables)),
            id=id,
        )

    def command(self, id: str) -> str:
        """What runs it, or goes on with it."""
        ((command,),) = self._sql.execute("SELECT command FROM experiments WHERE id=?", (id,))
        return str(command)

    def code(self, id: str) -> str:
        """A hash of the code that played it."""
        ((code,),) = self._sql.execute("SELECT code FROM experiments WHERE id=?", (id,))
        return str(code)

    def ran_since(self, moment: str) -> list[str]:
        """The experiments that were begun, or gone on with, at a time or later."""
        return [id for (id,) in self._sql.execute("SELECT id FROM experiments WHERE last_run>=?", (moment,))]

    def sheet(self, id: str, table: int, block: int) -> Sheet | None:
        """The one sheet that holds a block, with its decisions, if the block was played."""
        ((seats,),) = self._sql.execute("SELECT seats FROM experiments WHERE id=?", (id,))
        rows = self._sql.execute(
            "SELECT at_table, block, blocks, results, moves, decisions, seconds, NULL FROM games "
            "WHERE experiment=? AND at_table=? AND block<=? ORDER BY block DESC LIMIT 1",
            (id, table, block),
        ).fetchall()
        found = "SELECT block, game, detail, output FROM failures WHERE experiment=? AND at_table=? ORDER BY block"
        failed = [Failure(*row) for row in self._sql.execute(found, (id, table))]
        return _sheet(rows, seats, failed) if rows and block < rows[0][1] + rows[0][2] else None

    def version(self) -> int:
        """A number that changes whenever somebody else has written to the file."""
        ((number,),) = self._sql.execute("PRAGMA data_version")
        return int(number)

    def sheet_count(self, id: str) -> int:
        """How many sheets there are of an experiment."""
        ((count,),) = self._sql.execute("SELECT count(*) FROM games WHERE experiment=?", (id,))
        return int(count)

    def sheets_kept(self) -> dict[str, int]:
        """How many sheets there are of each experiment: more of them whenever something was played."""
        return dict(self._sql.execute("SELECT experiment, count(*) FROM games GROUP BY experiment").fetchall())

    def begun(self, id: str) -> str:
        """When it was run first."""
        ((begun,),) = self._sql.execute("SELECT begun FROM experiments WHERE id=?", (id,))
        return str(begun)

    def find(self, start: str) -> str:
        """The experiment whose id begins so, or the one that was run last."""
        if start == LAST:
            rows = self._sql.execute("SELECT id FROM experiments ORDER BY last_run DESC LIMIT 1").fetchall()
        else:
            like = "SELECT id FROM experiments WHERE substr(id, 1, ?)=?"
            rows = self._sql.execute(like, (len(start), start)).fetchall()
        if not rows and not self.listed():
            raise SparringError(self.nothing)
        if len(rows) != 1 or not start:
            some, begin = ("several experiments", "begin") if rows else ("no experiment", "begins")
            raise SparringError(
                f"{some} in {self.path} {begin} with {start!r}; `spar experiments{self.option}` lists them"
            )
        return str(rows[0][0])

    def listed(self) -> list[Listed]:
        """Every experiment, the latest last."""
        found = "SELECT id, begun, title, game, seats FROM experiments ORDER BY last_run"
        listing = []
        for id, begun, title, game, seats in self._sql.execute(found).fetchall():
            named = "SELECT name FROM agents WHERE experiment=? ORDER BY number"
            agents = tuple(name for (name,) in self._sql.execute(named, (id,)))
            size = "SELECT coalesce(sum(length(results)), 0) FROM games WHERE experiment=?"
            (held,) = self._sql.execute(size, (id,)).fetchone()
            listing.append(Listed(id, begun, title, game, agents, held // result_type(seats).itemsize))
        return listing


def _connected(name: str, uri: bool = False) -> tuple[sqlite3.Connection, set[str]]:
    sql = sqlite3.connect(name, timeout=BUSY_SECONDS, isolation_level=None, uri=uri)
    return sql, {table for (table,) in sql.execute("SELECT name FROM sqlite_master WHERE type='table'")}


def _runs(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows that follow one another, together; those with decisions, which take much room, each alone."""
    run: list[Row] = []
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


def _sheet(run: Sequence[Row], seats: int, failed: Sequence[Failure]) -> Sheet:
    """The sheet of rows that follow one another; `failed` are the failures at their table."""
    tables, starts, blocks, results, moves, decisions, seconds, counts = zip(*run, strict=True)
    first, end = starts[0], starts[-1] + blocks[-1]
    mine = slice(*(bisect_left(failed, block, key=lambda failure: failure.block) for block in (first, end)))
    kept = [tuple(json.loads(zlib.decompress(one))) for one in decisions if one] or [()]
    table, codes = unpacked(results, moves, seats)
    shaped = table.reshape(end - first, -1)
    return Sheet(
        table=tables[0],
        block=first,
        results=shaped,
        moves=codes,
        failures=tuple(failed[mine]),
        decisions=kept[0],
        seconds=sum(seconds),
        metrics=_metrics(counts, [shaped.shape[1] * n for n in blocks]) if any(counts) else (),
    )


def _metrics(counts: Sequence[str | None], games: Sequence[int]) -> tuple[list[Metrics], ...]:
    """The metrics of each game by seat, from rows of some games each; a row from before they were kept has none."""
    rows = [json.loads(told) if told else [[]] * size for told, size in zip(counts, games, strict=True)]
    return tuple(
        [{label: Note.unpacked(one) for label, one in seat.items()} for seat in game] for row in rows for game in row
    )
