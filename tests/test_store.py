"""What is kept is what was played: nothing is lost when a process is killed, nothing counts twice, and every number of
a report comes from games that are there."""

import contextlib
import hashlib
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import astuple, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import Said, did, finished, rewritten, spar, started
from sparring import api
from sparring.arena import run, store_file
from sparring.arena.batch import FailureRecord, ResultBatch
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.arena.store_file import VERSION, default_path
from sparring.arena.workers import WorkerPool
from sparring.core.errors import SparringError

pytestmark = pytest.mark.slow

QUICK = ["match", "isolation", "greedy", "random", "--games", "10", "--board", "4x5"]


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def sql(db: Path, statement: str, *given: Any) -> list[Any]:
    """What SQLite says of the file, past our own code."""
    with contextlib.closing(sqlite3.connect(db)) as opened, opened:
        return opened.execute(statement, given).fetchall()


def ids(db: Path) -> list[str]:
    with Store(db) as store:
        return [one.id for one in store.listed()]


def report(db: Path) -> Tournament:
    with Store(db) as store:
        return api.report(ids(db)[0], store=store)


def blocks(db: Path) -> dict[tuple[str, int, int], tuple[Any, ...]]:
    """Every block that is kept, once, with all that it holds but times."""
    found = {}
    with Store(db) as store:
        for one in store.listed():
            for batch in store.batches(one.id):
                for number in batch.numbers.tolist():
                    part = batch.part(number, number + 1)
                    fields = [part.results[name].tobytes() for name in part.results.dtype.names if name != "seconds"]
                    assert (one.id, batch.table, number) not in found
                    found[one.id, batch.table, number] = (part.moves.astype("<i8").tobytes(), *fields, part.failures)
    return found


def contest_of(*agents: Any, **settings: Any) -> Contest:
    return Contest.of(make_experiment(game="isolation", agents=[str(one) for one in agents], **settings))


def sound(db: Path) -> bool:
    """What SQLite itself thinks of the file."""
    return sql(db, "PRAGMA integrity_check") == [("ok",)] and not sql(db, "PRAGMA foreign_key_check")


# Killed at any moment. Starting Python takes a second, so this file runs as a script that forks commands by the dozen.

LEAGUE = ["league", "isolation", "greedy", "improved,nodes=2000", "voronoi,nodes=2000", "--games", "300"]
LEAGUE += ["--workers", "2", "--seed", "5"]


def child(words: list[str], log: Path, statement: int = 0) -> int:
    """A `spar` command in a forked process; it may kill itself at the n-th statement that SQLite executes."""
    pid = os.fork()
    if pid:
        return pid
    output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    played = WorkerPool.play

    def noting(pool: WorkerPool, job: Job) -> Any:
        os.write(output, f"job {job.table} {job.block} {job.blocks}\n".encode())
        return played(pool, job)

    WorkerPool.play = noting  # type: ignore[method-assign]
    if statement:
        kill_at(statement)
    try:
        sys.argv = ["spar", *words]
        from sparring.cli import main

        main()
    except SystemExit as ended:
        sys.stdout.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 0)
    finally:
        os._exit(99)


def kill_at(statement: int) -> None:
    left, connect = [statement], sqlite3.connect

    def count(_: str) -> None:
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    def traced(*given: Any, **more: Any) -> sqlite3.Connection:
        opened = connect(*given, **more)
        opened.set_trace_callback(count)
        return opened

    sqlite3.connect = traced  # type: ignore[assignment]


def kept_rows(db: Path) -> list[list[Any]]:
    """The rows of games as they are, each with a hash of its contents and the time it took, which no rerun repeats."""
    if not db.exists() or not sql(db, "SELECT 1 FROM sqlite_master WHERE name='games'"):
        return []
    found = "SELECT at_table, block, blocks, seconds, results, moves FROM games ORDER BY at_table, block"
    return [[*row[:4], hashlib.md5(row[4] + row[5]).hexdigest()] for row in sql(db, found)]


def lives(folder: Path, count: int) -> list[dict[str, Any]]:
    """A league that is killed again and again: by the clock, or at a statement of SQL."""
    chance, db, log = random.Random(7), folder / "games.db", folder / "log"
    run.JOB_SECONDS = 0.004
    told = []
    for number in range(count):
        log.write_text("")
        by_clock, playing = number % 2 == 0, number % 4 == 0
        pid = child(
            [*LEAGUE, "--store", str(db)], log, 0 if by_clock else chance.choice([4, 8, 15, 20, 25, 31, 40, 60])
        )
        while playing and not log.stat().st_size:
            time.sleep(0.001)
        if by_clock:
            time.sleep(chance.uniform(0.0, 0.1))
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        jobs = [list(map(int, line.split()[1:])) for line in log.read_text().splitlines() if line.startswith("job")]
        fine = not db.exists() or sound(db)
        told.append({"status": os.waitstatus_to_exitcode(status), "jobs": jobs, "rows": kept_rows(db), "sound": fine})
    return told


def births(folder: Path, count: int) -> list[dict[str, Any]]:
    """New stores whose makers are killed while they make them; then the same command to its end."""
    told = []
    for number in range(1, count + 1):
        db, log = folder / f"born{number}.db", folder / "log"
        log.write_text("")
        os.waitpid(child([*QUICK, "--store", str(db)], log, number), 0)
        fine = not db.exists() or sound(db)
        _, status = os.waitpid(child([*QUICK, "--store", str(db)], log), 0)
        told.append({"sound": fine and sound(db), "status": status, "rows": len(blocks(db)), "log": log.read_text()})
    return told


def crowd(folder: Path, commands: list[list[str]]) -> list[Any]:
    """Several commands at the same time on one new store."""
    run.JOB_SECONDS = 0.004
    logs = [folder / f"log{number}" for number in range(len(commands))]
    pids = [
        child([*words, "--store", str(folder / "games.db")], log) for words, log in zip(commands, logs, strict=True)
    ]
    statuses = [os.waitpid(pid, 0)[1] for pid in pids]
    return [statuses, [log.read_text() for log in logs]]


def forked(what: str, folder: Path, given: Any) -> Any:
    """What this file finds out as a script."""
    answer = subprocess.run(
        [sys.executable, __file__, what, str(folder), json.dumps(given)],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])},
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


def script() -> None:
    # everything compiled and loaded before the first fork
    sparring.league("isolation", LEAGUE[2:5], games=2)
    sparring.match("isolation", "random", "greedy", games=2)
    with Store(Path(sys.argv[2]) / "warm.db"):
        pass
    what: dict[str, Callable[..., Any]] = {"lives": lives, "births": births, "crowd": crowd}
    print(json.dumps(what[sys.argv[1]](Path(sys.argv[2]), json.loads(sys.argv[3]))))


KILLS = 32


def test_a_league_that_is_killed_again_and_again_loses_nothing_and_plays_nothing_twice(tmp_path: Path) -> None:
    db, lived = tmp_path / "games.db", forked("lives", tmp_path, KILLS)
    assert [life["status"] for life in lived] == [-signal.SIGKILL] * KILLS
    assert sum(bool(life["jobs"]) for life in lived) > KILLS // 3
    assert sum(len(after["rows"]) > len(before["rows"]) for before, after in pairwise(lived)) > KILLS // 4
    assert all(life["sound"] for life in lived)
    before: list[Any] = []
    for life in lived:
        done = {(table, number) for table, block, count, *_ in before for number in range(block, block + count)}
        begun = {(table, number) for table, block, count in life["jobs"] for number in range(block, block + count)}
        assert done.isdisjoint(begun), "a finished block is played again"
        assert all(row in life["rows"] for row in before), "a finished block is lost or written again"
        before = life["rows"]
    result = json.loads(did(*LEAGUE, "--store", db, "--json"))
    assert result["games"] == report(db).played == 900
    assert all(row in kept_rows(db) for row in before)
    did(*LEAGUE, "--store", tmp_path / "whole.db")
    assert blocks(db) == blocks(tmp_path / "whole.db")
    assert sound(db)


def test_a_process_killed_while_it_makes_the_store_leaves_nothing_that_hinders_the_next(tmp_path: Path) -> None:
    for told in forked("births", tmp_path, 24):
        assert told["status"] == 0, told["log"]
        assert told["sound"]
        assert told["rows"] == 5


def test_a_real_process_with_guests_is_killed_and_its_command_goes_on(tmp_path: Path, db: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'import time\nfrom sparring import agent\n@agent("isolation")\ndef slow(view):\n'
        "    time.sleep(0.002)\n    return view.legal[0]\n"
    )
    words = ["match", "isolation", "mine.py", "random", "--games", 60, "--board", "4x5", "--store", db]
    process = started(tmp_path, *words)
    deadline = time.monotonic() + 60
    while len(kept_rows(db)) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert 3 <= len(blocks(db)) < 30
    assert finished(started(tmp_path, *words)).code == 0
    assert len(blocks(db)) == 30
    assert sound(db)


# Several at once


def test_processes_that_begin_at_once_on_a_new_store_keep_every_block_once(tmp_path: Path, db: Path) -> None:
    """Two on one experiment, and six on others."""
    words = [*LEAGUE[:5], "--games", "100", "--seed", "5"]
    others = [[*QUICK, "--seed", str(seed)] for seed in range(6)]
    statuses, logs = forked("crowd", tmp_path, [[*words, "--workers", "1"], [*words, "--workers", "2"], *others])
    assert statuses == [0] * 8, logs
    assert sound(db)
    assert (len(ids(db)), len(blocks(db))) == (7, 150 + 6 * 5)
    did(*words, "--store", tmp_path / "alone.db")
    assert blocks(tmp_path / "alone.db").items() <= blocks(db).items()


def test_a_new_store_that_somebody_else_is_about_to_make_is_waited_for(db: Path) -> None:
    with contextlib.closing(sqlite3.connect(db, check_same_thread=False)) as somebody:
        somebody.execute("BEGIN IMMEDIATE")
        leaves = threading.Timer(0.3, somebody.rollback)
        leaves.start()
        with Store(db) as store:
            assert store.listed() == []
        leaves.join()


@pytest.mark.parametrize("theirs", [[(0, 1), (4, 6)], [(7, 8)], [(0, 8)], [(2, 3), (5, 6)]])
def test_of_a_batch_only_blocks_that_nobody_else_has_kept_are_added(
    db: Path, whole: tuple[Contest, ResultBatch], theirs: list[tuple[int, int]]
) -> None:
    contest, batch = whole[0], whole[1].part(0, 8)
    with Store(db) as store:
        store.begin(contest)
        for start, end in theirs:
            store.add(contest, batch.part(start, end))
        had = kept_rows(db)
        store.add(contest, batch)
    assert [number for *_, number in blocks(db)] == list(range(8))
    assert all(row in kept_rows(db) for row in had)
    assert [game.turns for game in report(db).games] == [game.turns for game in Tournament(contest, [batch]).games]


# Batches of a block each, as slow agents leave them


@pytest.fixture(scope="module")
def whole() -> tuple[Contest, ResultBatch]:
    contest = contest_of("greedy", "random", options={"board": "4x5"}, games=160)
    with WorkerPool(contest.setup()) as pool:
        return contest, replace(pool.play(Job(0, 0, 80)), seconds=8.0)


def test_batches_that_follow_one_another_are_read_as_one_until_it_is_full(
    db: Path, whole: tuple[Contest, ResultBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    contest, batch = whole
    wide = batch.moves.astype(np.int64)
    wide[batch.ends[21] : batch.ends[43]] += 300  # some do not fit in a byte
    failed = tuple(FailureRecord(block, 1, f"crash: {block}") for block in (0, 29, 30, 31, 79))
    batch = replace(batch, moves=wide, failures=failed)
    with Store(db) as store:
        store.begin(contest)
        for block in sorted(range(80), key=lambda block: block % 7):
            if block != 30:
                store.add(contest, batch.part(block, block + 1))
        first, second = store.batches(contest.id)
        store.add(contest, batch.part(30, 31))
        (read,) = store.batches(contest.id)
        monkeypatch.setattr(sparring.arena.store, "JOINED", 12)
        assert [one.blocks for one in store.batches(contest.id)] == [12] * 6 + [8]
    assert len(kept_rows(db)) == 80
    for one, other in ((first, batch.part(0, 30)), (second, batch.part(31, 80)), (read, batch)):
        assert (one.table, one.block, one.end, one.failures) == (0, other.block, other.end, other.failures)
        assert one.results.tobytes() == other.results.tobytes()
        assert one.moves.tolist() == other.moves.tolist()
        assert one.seconds == pytest.approx(other.seconds)


def test_a_batch_is_added_to_many_as_quickly_as_to_few(db: Path, whole: tuple[Contest, ResultBatch]) -> None:
    contest, batch = whole
    steps: list[int] = []
    with Store(db) as store:
        store.begin(contest)
        store._sql.set_progress_handler(lambda: steps.append(1), 1)
        spent = []
        for block in range(80):
            store.add(contest, batch.part(block, block + 1))
            spent.append(len(steps))
            steps.clear()
    assert spent[-1] < 1.2 * spent[5]


# Counted from games


def test_the_same_command_plays_only_the_rows_that_are_missing(db: Path) -> None:
    first = json.loads(did(*QUICK, "--store", db, "--json"))
    whole, rows = blocks(db), kept_rows(db)
    second = json.loads(did(*QUICK, "--store", db, "--json"))
    assert kept_rows(db) == rows
    assert {**first, "seconds": 0} == {**second, "seconds": 0}
    (row,) = sql(db, "SELECT rowid, blocks FROM games ORDER BY block LIMIT 1")
    rewritten(db, "DELETE FROM games WHERE rowid=?", row[0])
    fewer = report(db)
    assert fewer.played == fewer.pairings[0].score.games == len(fewer.games) == 10 - 2 * row[1]
    with Store(db) as store:
        assert store.listed()[0].kept == fewer.played
    did(*QUICK, "--store", db)
    assert blocks(db) == whole


# Files that are no store


def refused(store: Path, *words: Any) -> str:
    """The one line with which a store is refused."""
    said: Said = spar(*(words or QUICK), "--store", store)
    assert (said.code, said.out) == (2, "")
    (line,) = said.err.splitlines()
    assert line.startswith(f"spar: {store} ")
    return line


def test_a_store_of_a_newer_version_is_left_alone(db: Path) -> None:
    did(*QUICK, "--store", db)
    sql(db, f"PRAGMA user_version={VERSION + 1}")
    assert "written by a newer version of Sparring; update Sparring" in refused(db)
    assert sql(db, "SELECT count(*) FROM experiments") == [(1,)]


OLDER = """
    CREATE TABLE e AS SELECT id, begun, last_run, title, game, seats, version, code, command, description, tables
        FROM experiments JOIN runs ON id=experiment;
    CREATE TABLE a AS SELECT experiment, number, name, spec, draws, hash, sources FROM agents;
    CREATE TABLE g AS
        SELECT experiment, at_table, block, blocks, results, moves, decisions, seconds, metrics FROM games;
    CREATE TABLE s AS SELECT work, number, found FROM steps;
    CREATE TABLE failures AS SELECT experiment, at_table, json_extract(value, '$[0]') AS block,
        json_extract(value, '$[1]') AS game, 0 AS agent, json_extract(value, '$[2]') AS detail,
        json_extract(value, '$[3]') AS output, json_extract(value, '$[4]') AS position FROM games, json_each(failures);
    DROP TABLE runs; DROP TABLE experiments; DROP TABLE agents; DROP TABLE games; DROP TABLE steps;
    ALTER TABLE e RENAME TO experiments; ALTER TABLE a RENAME TO agents; ALTER TABLE g RENAME TO games;
    ALTER TABLE s RENAME TO steps; PRAGMA application_id=0; PRAGMA user_version=3;
"""


@pytest.mark.parametrize(("version", "position"), [(3, "a1 b2"), (2, "")])
def test_a_store_of_an_older_version_is_brought_up_to_date(db: Path, version: int, position: str) -> None:
    did(*QUICK, "--decisions", "--store", db)
    failed = FailureRecord(0, 1, "crash: fell", "so it said", "a1 b2")
    rewritten(db, "UPDATE games SET failures=? WHERE block=0", json.dumps([astuple(failed)]))
    (before,) = [list(store_games(db, id)) for id in ids(db)]
    with contextlib.closing(sqlite3.connect(db)) as opened:
        opened.executescript(OLDER + ("ALTER TABLE failures DROP COLUMN position" if version == 2 else ""))
        opened.execute(f"PRAGMA user_version={version}")
    assert "complete: all" in did("report", "last", "--store", db)
    assert sql(db, "PRAGMA user_version") == [(VERSION,)]
    (after,) = [list(store_games(db, id)) for id in ids(db)]
    assert after[0].failures == (replace(failed, position=position),)
    for one, other in zip(before, after, strict=True):
        assert (one.results.tobytes(), one.moves.tobytes(), one.decisions) == (
            *(other.results.tobytes(), other.moves.tobytes(), other.decisions),
        )
    assert "is sound" in did("verify", "--store", db)
    assert "is sound" in did("verify", "last", "--store", db)


def store_games(db: Path, id: str) -> Iterator[ResultBatch]:
    with Store(db) as store:
        yield from store.batches(id, decisions=True)


@pytest.mark.parametrize("place", ["/proc/games.db", "{folder}", "{folder}/notes", "{folder}/notes/games.db"])
def test_what_cannot_be_a_store_is_refused_in_one_line_and_stays_as_it_is(tmp_path: Path, place: str) -> None:
    notes = tmp_path / "notes"
    notes.write_text("my notes on openings\n" * 100)
    store = Path(place.format(folder=tmp_path))
    assert "cannot be used as a store" in refused(store)
    assert notes.read_text() == "my notes on openings\n" * 100


def test_the_database_of_another_program_is_left_alone(db: Path) -> None:
    sql(db, "CREATE TABLE recipes (name TEXT)")
    before = db.read_bytes()
    assert "another program" in refused(db)
    assert sql(db, "SELECT name FROM sqlite_master") == [("recipes",)]
    assert db.read_bytes() == before


@pytest.fixture
def anywhere() -> Iterator[Path]:
    """A folder that others may enter too."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
        Path(folder).chmod(0o700)


@contextlib.contextmanager
def on_a_read_only_medium(db: Path) -> Iterator[None]:
    """Even for root, who may write everywhere."""
    me = os.geteuid()
    db.chmod(0o444)
    db.parent.chmod(0o555)
    os.seteuid(me or 65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_a_store_on_a_read_only_medium_is_reported_and_nothing_is_added(anywhere: Path) -> None:
    db = anywhere / "games.db"
    did(*QUICK, "--store", db)
    before = db.read_bytes()
    with on_a_read_only_medium(db):
        assert report(db).played == 10
        assert "cannot be used as a store: attempt to write a readonly database" in refused(db, *QUICK, "--seed", 2)
    assert [file.read_bytes() for file in anywhere.iterdir()] == [before]


def test_whoever_reads_does_not_wait_for_whoever_writes(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_file, "BUSY_SECONDS", 0)
    did(*QUICK, "--store", db)
    with Store(db) as writer, writer.transaction():
        assert report(db).played == 10


def test_a_damaged_store_is_told(db: Path) -> None:
    did(*QUICK, "--store", db)
    sql(db, "PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(db.read_bytes())
    data[100:4000] = b"\0" * 3900
    db.write_bytes(data)
    refused(db)


@contextlib.contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_disk_that_fills_up_while_playing_is_told_in_one_line_and_costs_no_finished_block(db: Path) -> None:
    words = ["match", "isolation", "open,depth=1", "random", "--games", 400, "--board", "4x5"]
    did(*QUICK, "--store", db)
    with no_file_longer_than(120_000), pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "JOB_SECONDS", 0.0)
        said = spar(*words, "--store", db)
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert "cannot be read or written" in said.err
    assert "make room, then repeat the command" in said.err
    kept = blocks(db)
    assert 5 < len(kept) < 205
    did(*words, "--store", db)
    assert len(blocks(db)) == 205
    assert kept.items() <= blocks(db).items()


def test_the_usual_store_is_where_the_system_keeps_a_users_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_STORE", "/somewhere/games.db")
    assert default_path() == Path("/somewhere/games.db")
    monkeypatch.delenv("SPARRING_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path() == Path("/data/sparring/games.db")


# Which experiment is which


def id_of(*agents: Any, **settings: Any) -> str:
    return contest_of(*agents, **settings).id


def test_other_settings_make_another_experiment_and_a_default_that_is_named_the_same() -> None:
    others: list[dict[str, Any]] = [
        {"games": 20},
        {"seed": 2},
        {"limit": "1s"},
        {"sprt": "0:10"},
        {"decisions": True},
        {"failures": 3},
        {"options": {"board": "5x5"}},
        {"memory": "2GB"},
    ]
    assert len({id_of("greedy", "random", **one) for one in [{}, *others]}) == 9
    assert id_of("greedy", "random", options={"board": "7x7"}) == id_of("greedy", "random")


def test_a_users_file_in_another_encoding_is_kept_as_it_is(tmp_path: Path, db: Path) -> None:
    declared = b'from sparring import agent\n@agent("isolation")\ndef mine(view):\n    return view.legal[0]\n'
    (tmp_path / "mine.py").write_bytes(b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + declared)
    contest = contest_of(tmp_path / "mine.py", "random")
    with Store(db) as store:
        store.begin(contest)
        assert store.contest(contest.id).participants == contest.participants
    assert contest.participants[0].sources["mine.py"].endswith(declared)


def test_an_id_may_be_abbreviated_if_it_means_one_experiment(db: Path) -> None:
    with Store(db) as store:
        for id in ("abcd0001", "abcd0002", "ef000003"):
            store.begin(replace(contest_of("greedy", "random"), id=id))
        assert [store.find(start) for start in ("e", "ef", "ef000003", "abcd0002")] == [*["ef000003"] * 3, "abcd0002"]
        for start, told in (("abcd", "several"), ("", "several"), ("1234", "no"), ("%", "no")):
            told = "several experiments in .* begin with" if told == "several" else "no experiment in .* begins with"
            with pytest.raises(SparringError, match=f"{told} '{start}'"):
                store.find(start)


def test_where_nothing_is_kept_yet_the_last_experiment_is_a_match_to_be_played(db: Path) -> None:
    said = spar("report", "last", "--store", db)
    told = f"no games are stored in {db} yet; play some: spar match GAME AGENT AGENT --store {db}"
    assert (said.code, said.err) == (2, f"spar: {told}\n")
    assert did("experiments", "--store", db) == f"{told}\n"


# Games to look at


def test_a_kept_game_is_listed_and_replayed_move_by_move(db: Path) -> None:
    did(*QUICK, "--store", db)
    (id,), game = ids(db), report(db).games[6]
    lines = did("replay", id[:5], "--list", "--store", db).splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, 11))
    out = did("replay", id, "--game", 7, "--store", db)
    assert lines[6].split("  ")[-1] in out
    assert out.startswith(" v ".join(game.agents))
    assert out.count(f"move {len(game.turns)} of {len(game.turns)}: after {game.turns[-1].action}") == 1
    rewritten(db, "DELETE FROM games WHERE rowid=(SELECT rowid FROM games ORDER BY block LIMIT 1)")
    for number, reason in ((1, "was not played"), (11, "does not exist"), (0, "does not exist")):
        said = spar("replay", id, "--game", number, "--store", db)
        assert (said.code, said.err) == (2, f"spar: {id} has games 1 to 10; game {number} {reason}\n")


def test_decisions_are_kept_on_request_and_read_batch_by_batch(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "JOB_SECONDS", 0.0)
    words = ["improved,depth=3", "random", "--games", 4, "--board", "4x5", "--decisions", "--store", db]
    did("match", "isolation", *words)
    assert " d3" in did("replay", ids(db)[0], "--store", db)
    assert not report(db).games[0].decisions
    with Store(db) as store:
        first, second = api.report(ids(db)[0], store=store, decisions=True).games[:2]
        assert [batch.blocks for batch in store.batches(ids(db)[0], decisions=True)] == [1, 1]
        assert [batch.blocks for batch in store.batches(ids(db)[0])] == [2]
    assert {decision["depth"] for decision in first.decisions[::2]} >= {3}
    assert len(second.decisions) == len(second.turns)


def test_moves_that_cannot_be_played_are_told_and_not_shown(db: Path) -> None:
    did(*QUICK, "--store", db)
    (moves, block) = sql(db, "SELECT moves, block FROM games ORDER BY block LIMIT 1")[0]
    rewritten(db, "UPDATE games SET moves=? WHERE block=?", moves[:1] * len(moves), block)
    said = spar("replay", ids(db)[0], "--game", 1, "--store", db)
    assert said.code == 2
    assert "cannot be played" in said.err


if __name__ == "__main__":
    script()
