"""What is kept is what was played: nothing is lost when a process is killed, nothing counts twice, and every number of
a report comes from games that are there."""

import contextlib
import hashlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import Said, did, finished, spar, started
from sparring import api
from sparring.arena import run
from sparring.arena.batch import Failure, Sheet
from sparring.arena.experiment import Contest, described
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import VERSION, Store, default_path
from sparring.arena.workers import Crew
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


def report(db: Path, id: str = "") -> Tournament:
    with Store(db) as store:
        return api.report(id or ids(db)[0], store=store)


def blocks(db: Path) -> dict[tuple[str, int, int], tuple[bytes, ...]]:
    """Every block that is kept, once, with all that it holds but times."""
    found = {}
    with Store(db) as store:
        for one in store.listed():
            for sheet in store.sheets(one.id):
                for number in sheet.numbers.tolist():
                    part = sheet.part(number, number + 1)
                    fields = [part.results[name].tobytes() for name in part.results.dtype.names if name != "seconds"]
                    assert (one.id, sheet.table, number) not in found
                    found[one.id, sheet.table, number] = (part.moves.astype("<i8").tobytes(), *fields)
    return found


def sound(db: Path) -> bool:
    """What SQLite itself thinks of the file."""
    return sql(db, "PRAGMA integrity_check") == [("ok",)] and not sql(db, "PRAGMA foreign_key_check")


# Killed at any moment. Starting Python takes a second, so this file runs as a script that forks commands by the dozen.

LEAGUE = ["league", "isolation", "greedy", "improved,nodes=2000", "voronoi,nodes=2000", "--games", "400"]
LEAGUE += ["--workers", "2", "--seed", "5"]


def child(words: list[str], log: Path, statement: int = 0) -> int:
    """A `spar` command in a forked process; it may kill itself at the n-th statement that SQLite executes."""
    pid = os.fork()
    if pid:
        return pid
    output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    played = Crew.play

    def noting(crew: Crew, job: Job) -> Any:
        os.write(output, f"job {job.table} {job.block} {job.blocks}\n".encode())
        return played(crew, job)

    Crew.play = noting  # type: ignore[method-assign]
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


KILLS = 50


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, Any]]]:
    """A store of a league that was killed fifty times, and what was seen after each."""
    folder = tmp_path_factory.mktemp("killed")
    return folder / "games.db", forked("lives", folder, KILLS)


@pytest.mark.slow
def test_the_league_was_killed_in_its_midst(killed: tuple[Path, list[dict[str, Any]]]) -> None:
    _, told = killed
    assert [life["status"] for life in told] == [-signal.SIGKILL] * KILLS
    assert sum(bool(life["jobs"]) for life in told) > KILLS // 3
    grown = [len(after["rows"]) > len(before["rows"]) for before, after in pairwise(told)]
    assert sum(grown) > KILLS // 4


@pytest.mark.slow
def test_no_kill_damages_the_store(killed: tuple[Path, list[dict[str, Any]]]) -> None:
    assert all(life["sound"] for life in killed[1])


@pytest.mark.slow
def test_no_finished_block_is_lost_or_written_anew(killed: tuple[Path, list[dict[str, Any]]]) -> None:
    before: list[Any] = []
    for life in killed[1]:
        assert all(row in life["rows"] for row in before)
        before = life["rows"]


@pytest.mark.slow
def test_resuming_after_a_kill_replays_no_game_twice(killed: tuple[Path, list[dict[str, Any]]]) -> None:
    done: set[tuple[int, int]] = set()
    for life in killed[1]:
        begun = {(table, number) for table, block, count in life["jobs"] for number in range(block, block + count)}
        assert done.isdisjoint(begun)
        done = {(table, number) for table, block, count, *_ in life["rows"] for number in range(block, block + count)}


@pytest.mark.slow
def test_fifty_kills_later_the_games_are_those_of_an_uninterrupted_run(
    killed: tuple[Path, list[dict[str, Any]]], tmp_path: Path
) -> None:
    db, _ = killed
    before = kept_rows(db)
    result = json.loads(did(*LEAGUE, "--store", db, "--json"))
    assert result["games"] == report(db).played == 1200
    assert all(row in kept_rows(db) for row in before)
    did(*LEAGUE, "--store", tmp_path / "whole.db")
    assert blocks(db) == blocks(tmp_path / "whole.db")
    assert sound(db)


@pytest.mark.slow
def test_a_process_killed_while_it_makes_the_store_leaves_nothing_that_hinders_the_next(tmp_path: Path) -> None:
    for told in forked("births", tmp_path, 24):
        assert told["status"] == 0, told["log"]
        assert told["sound"]
        assert told["rows"] == 5


@pytest.mark.slow
def test_a_real_process_with_guests_is_killed_and_its_command_goes_on(tmp_path: Path, db: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'import time\nfrom sparring import agent\n@agent("isolation")\ndef slow(view):\n'
        "    time.sleep(0.002)\n    return view.legal[0]\n"
    )
    words = ["match", "isolation", "mine.py", "random", "--games", 60, "--board", "4x5", "--store", db]
    for _ in range(3):
        process = started(tmp_path, *words)
        had, deadline = len(kept_rows(db)), time.monotonic() + 60
        while len(kept_rows(db)) < had + 3 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
        process.communicate()
    assert 9 <= len(blocks(db)) < 30
    assert finished(started(tmp_path, *words)).code == 0
    assert len(blocks(db)) == 30
    assert sound(db)


# Several at once


@pytest.mark.slow
def test_two_processes_on_one_experiment_keep_every_block_once(tmp_path: Path, db: Path) -> None:
    words = [*LEAGUE[:5], "--games", "200", "--seed", "5"]
    statuses, logs = forked("crowd", tmp_path, [[*words, "--workers", "1"], [*words, "--workers", "2"]])
    assert statuses == [0, 0], logs
    assert len(blocks(db)) == 300
    assert sound(db)
    did(*words, "--store", tmp_path / "alone.db")
    assert blocks(db) == blocks(tmp_path / "alone.db")


@pytest.mark.slow
def test_many_experiments_can_be_begun_at_once_on_a_new_store(tmp_path: Path, db: Path) -> None:
    statuses, logs = forked("crowd", tmp_path, [[*QUICK, "--seed", str(seed)] for seed in range(8)])
    assert statuses == [0] * 8, logs
    assert len(ids(db)) == 8
    assert len(blocks(db)) == 40


def test_a_new_store_that_somebody_else_is_about_to_make_is_waited_for(db: Path) -> None:
    with contextlib.closing(sqlite3.connect(db, check_same_thread=False)) as somebody:
        somebody.execute("BEGIN IMMEDIATE")
        leaves = threading.Timer(0.3, somebody.rollback)
        leaves.start()
        with Store(db) as store:
            assert store.listed() == []
        leaves.join()


@pytest.mark.parametrize("theirs", [[(0, 2)], [(3, 5)], [(0, 1), (4, 6)], [(7, 8)], [(0, 8)], [(2, 3), (5, 6)]])
def test_of_a_sheet_only_blocks_that_nobody_else_has_kept_are_added(db: Path, theirs: list[tuple[int, int]]) -> None:
    contest = Contest.of(described(game="isolation", options={"board": "4x5"}, agents=["greedy", "random"], games=16))
    with Crew(contest.setup()) as crew, Store(db) as store:
        whole = crew.play(Job(0, 0, 8))
        store.begin(contest)
        for start, end in theirs:
            store.add(contest, whole.part(start, end))
        had = kept_rows(db)
        store.add(contest, whole)
    assert [number for *_, number in blocks(db)] == list(range(8))
    assert all(row in kept_rows(db) for row in had)
    assert [game.turns for game in report(db).games] == [game.turns for game in Tournament(contest, [whole]).games]


# Sheets of a block each, as slow agents leave them


@pytest.fixture
def whole() -> tuple[Contest, Sheet]:
    contest = Contest.of(described(game="isolation", options={"board": "4x5"}, agents=["greedy", "random"], games=160))
    with Crew(contest.setup()) as crew:
        return contest, replace(crew.play(Job(0, 0, 80)), seconds=8.0)


def test_sheets_that_follow_one_another_are_read_as_one(db: Path, whole: tuple[Contest, Sheet]) -> None:
    contest, sheet = whole
    wide = sheet.moves.astype(np.int64)
    wide[sheet.ends[21] : sheet.ends[43]] += 300  # some do not fit in a byte
    failed = tuple(Failure(block, 1, f"crash: {block}") for block in (0, 29, 30, 31, 79))
    sheet = replace(sheet, moves=wide, failures=failed)
    with Store(db) as store:
        store.begin(contest)
        for block in sorted(range(80), key=lambda block: block % 7):
            if block != 30:
                store.add(contest, sheet.part(block, block + 1))
        first, second = store.sheets(contest.id)
        store.add(contest, sheet.part(30, 31))
        (read,) = store.sheets(contest.id)
    assert len(kept_rows(db)) == 80
    for one, other in ((first, sheet.part(0, 30)), (second, sheet.part(31, 80)), (read, sheet)):
        assert (one.table, one.block, one.end, one.failures) == (0, other.block, other.end, other.failures)
        assert one.results.tobytes() == other.results.tobytes()
        assert one.moves.tolist() == other.moves.tolist()
        assert one.seconds == pytest.approx(other.seconds)


def test_no_more_blocks_are_joined_than_there_is_room_for(
    db: Path, whole: tuple[Contest, Sheet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparring.arena.store, "JOINED", 12)
    contest, sheet = whole
    with Store(db) as store:
        store.begin(contest)
        for block in range(0, 80, 5):
            store.add(contest, sheet.part(block, block + 5))
        read = store.sheets(contest.id)
    assert [one.blocks for one in read] == [10] * 8
    assert np.concatenate([one.moves for one in read]).tolist() == sheet.moves.tolist()


def test_sheets_with_decisions_are_read_one_by_one(db: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "JOB_SECONDS", 0.0)
    did("match", "isolation", "open,depth=1", "random", "--games", 8, "--board", "4x5", "--decisions", "--store", db)
    with Store(db) as store:
        assert [sheet.blocks for sheet in store.sheets(ids(db)[0], decisions=True)] == [1] * 4
        assert [sheet.blocks for sheet in store.sheets(ids(db)[0])] == [4]


def test_a_sheet_is_added_to_many_as_quickly_as_to_few(db: Path, whole: tuple[Contest, Sheet]) -> None:
    contest, sheet = whole
    steps: list[int] = []
    with Store(db) as store:
        store.begin(contest)
        store._sql.set_progress_handler(lambda: steps.append(1), 1)
        spent = []
        for block in range(80):
            store.add(contest, sheet.part(block, block + 1))
            spent.append(len(steps))
            steps.clear()
    assert spent[-1] < 1.2 * spent[5]


# Counted from games


def test_without_a_row_of_games_the_report_has_fewer(db: Path) -> None:
    did(*QUICK, "--store", db)
    before = report(db)
    (row,) = sql(db, "SELECT rowid, blocks FROM games ORDER BY block DESC LIMIT 1")
    sql(db, "DELETE FROM games WHERE rowid=?", row[0])
    after = report(db)
    assert before.played == before.pairings[0].score.games == 10
    assert after.played == after.pairings[0].score.games == len(after.games) == 10 - 2 * row[1]
    with Store(db) as store:
        assert store.listed()[0].kept == after.played


def test_a_missing_row_is_played_again_by_the_same_command(db: Path) -> None:
    did(*QUICK, "--store", db)
    before = blocks(db)
    sql(db, "DELETE FROM games WHERE rowid=(SELECT rowid FROM games ORDER BY block LIMIT 1)")
    did(*QUICK, "--store", db)
    assert blocks(db) == before


def test_a_finished_experiment_is_told_again_without_a_game_being_played(db: Path) -> None:
    first = json.loads(did(*QUICK, "--store", db, "--json"))
    rows = kept_rows(db)
    second = json.loads(did(*QUICK, "--store", db, "--json"))
    assert kept_rows(db) == rows
    assert {**first, "seconds": 0} == {**second, "seconds": 0}


def test_a_forgotten_experiment_takes_its_games_with_it(db: Path) -> None:
    did(*QUICK, "--store", db)
    with Store(db) as store:
        store._sql.execute("DELETE FROM experiments")
    assert [sql(db, f"SELECT count(*) FROM {table}") for table in ("games", "agents", "failures")] == [[(0,)]] * 3


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
    assert "another version of Sparring" in refused(db)
    assert sql(db, "SELECT count(*) FROM experiments") == [(1,)]


def test_a_name_that_no_file_can_have_is_told_to_readers_too(tmp_path: Path) -> None:
    said = spar("report", "last", "--store", tmp_path / f"{'a' * 300}.db")
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert "cannot be used as a store" in said.err


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert "cannot be used as a store" in refused(tmp_path)


def test_a_text_is_no_store_and_stays_as_it_is(db: Path) -> None:
    db.write_text("my notes on openings\n" * 100)
    assert "cannot be used as a store" in refused(db)
    assert db.read_text() == "my notes on openings\n" * 100


def test_the_database_of_another_program_is_left_alone(db: Path) -> None:
    sql(db, "CREATE TABLE recipes (name TEXT)")
    before = db.read_bytes()
    assert "another program" in refused(db)
    assert sql(db, "SELECT name FROM sqlite_master") == [("recipes",)]
    assert db.read_bytes() == before


def test_a_place_where_nothing_can_be_written_is_told(tmp_path: Path) -> None:
    assert "cannot be used as a store" in refused(Path("/proc/games.db"))
    (tmp_path / "file").touch()
    assert "cannot be used as a store" in refused(tmp_path / "file" / "games.db")


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
    monkeypatch.setattr(sparring.arena.store, "BUSY_SECONDS", 0)
    did(*QUICK, "--store", db)
    with Store(db) as writer, writer._transaction():
        assert report(db).played == 10


def test_a_store_from_before_steps_were_kept_gets_a_place_for_them(db: Path) -> None:
    did(*QUICK, "--store", db)
    sql(db, "DROP TABLE steps")
    with Store(db) as store:
        store.add_step("work", 0, [1, 2])
        assert store.steps("work") == [[1, 2]]


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
    assert "cannot be used as a store" in said.err
    kept = blocks(db)
    assert 5 < len(kept) < 205
    did(*words, "--store", db)
    assert len(blocks(db)) == 205
    assert kept.items() <= blocks(db).items()


def test_a_folder_that_does_not_exist_is_made(tmp_path: Path) -> None:
    did(*QUICK, "--store", tmp_path / "a" / "b" / "games.db")
    assert (tmp_path / "a" / "b" / "games.db").exists()


def test_the_usual_store_is_where_the_system_keeps_a_users_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_STORE", "/somewhere/games.db")
    assert default_path() == Path("/somewhere/games.db")
    monkeypatch.delenv("SPARRING_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert default_path() == Path("/data/sparring/games.db")


# Which experiment is which

MINE = """
from sparring import agent
from beside import choose

@agent("isolation")
def mine(view):
    return choose(view.legal)
"""


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "beside.py").write_text("def choose(moves):\n    return moves[0]\n")
    return tmp_path / "mine.py"


def id_of(*agents: Any, **settings: Any) -> str:
    return Contest.of(described(game="isolation", agents=[str(one) for one in agents], **settings)).id


def test_the_same_experiment_has_the_same_id(mine: Path) -> None:
    assert id_of(mine, "random") == id_of(mine, "random")


@pytest.mark.parametrize("name", ["mine.py", "beside.py"])
def test_an_edit_of_a_users_file_makes_another_experiment(mine: Path, name: str) -> None:
    before = id_of(mine, "random")
    edited = mine.with_name(name)
    edited.write_text(edited.read_text() + "# better\n")
    assert id_of(mine, "random") != before


def test_a_file_beside_that_is_not_imported_does_not_matter(mine: Path) -> None:
    before = id_of(mine, "random")
    mine.with_name("notes.py").write_text("")
    assert id_of(mine, "random") == before


@pytest.mark.parametrize(
    "settings",
    [
        {"games": 20},
        {"seed": 2},
        {"limit": "1s"},
        {"sprt": "0:10"},
        {"decisions": True},
        {"failures": 3},
        {"options": {"board": "5x5"}},
        {"memory": "2GB"},
    ],
)
def test_other_settings_make_another_experiment(settings: dict[str, Any]) -> None:
    assert id_of("greedy", "random", **settings) != id_of("greedy", "random")


def test_a_users_file_in_another_encoding_is_kept_as_it_is(mine: Path, db: Path) -> None:
    mine.write_bytes(b"# -*- coding: latin-1 -*-\n# caf\xe9\n" + MINE.encode())
    words = ["match", "isolation", mine, "random", "--games", 2, "--store", db]
    did(*words)
    with Store(db) as store:
        assert store.contest(ids(db)[0]).members[0].sources["mine.py"] == mine.read_bytes()


@pytest.fixture
def several(db: Path) -> Path:
    """A store with two experiments whose ids begin alike, and one that stands alone."""
    for seed in (1, 2, 3):
        did(*QUICK, "--seed", seed, "--store", db)
    with Store(db) as store:
        store._sql.execute("PRAGMA foreign_keys=OFF")
        for old, new in zip(ids(db), ("abcd0001", "abcd0002", "ef000003"), strict=True):
            for table, column in (("experiments", "id"), ("agents", "experiment"), ("games", "experiment")):
                store._sql.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?", (new, old))
    return db


def test_an_id_may_be_abbreviated(several: Path) -> None:
    with Store(several) as store:
        assert [store.find(start) for start in ("e", "ef", "ef000003", "abcd0002")] == [*["ef000003"] * 3, "abcd0002"]


@pytest.mark.parametrize(("start", "told"), [("abcd", "several experiments"), ("1234", "no experiment"), ("%", "no ")])
def test_an_id_that_means_several_experiments_or_none_is_told(several: Path, start: str, told: str) -> None:
    begin = "begin with" if told.startswith("several") else "begins with"
    with Store(several) as store, pytest.raises(SparringError, match=rf"{told}.* {begin} '{start}'"):
        store.find(start)


def test_where_nothing_is_kept_yet_the_last_experiment_is_a_match_to_be_played(db: Path) -> None:
    said = spar("report", "last", "--store", db)
    told = f"nothing is kept in {db} yet; play some: spar match GAME AGENT AGENT --store {db}"
    assert (said.code, said.err) == (2, f"spar: {told}\n")
    assert did("experiments", "--store", db) == f"{told}\n"


def test_an_empty_id_is_no_abbreviation(several: Path) -> None:
    with Store(several) as store, pytest.raises(SparringError):
        store.find("")


# Games to look at


def test_a_kept_game_is_replayed_move_by_move(db: Path) -> None:
    did(*QUICK, "--store", db)
    game = report(db).games[6]
    out = did("replay", ids(db)[0], "--game", 7, "--store", db)
    assert out.count(f"move {len(game.turns)} of {len(game.turns)}: after {game.turns[-1].action}") == 1
    assert out.startswith(" v ".join(game.agents))


def test_the_games_of_an_experiment_are_listed_by_the_numbers_that_replay_takes(db: Path) -> None:
    did(*QUICK, "--store", db)
    lines = did("replay", ids(db)[0][:5], "--list", "--store", db).splitlines()
    assert [int(line.split()[0]) for line in lines] == list(range(1, 11))
    assert lines[0].split("  ")[-1] in did("replay", ids(db)[0], "--game", 1, "--store", db)


def test_a_game_that_is_not_there_cannot_be_replayed(db: Path) -> None:
    did(*QUICK, "--store", db)
    sql(db, "DELETE FROM games WHERE rowid=(SELECT rowid FROM games ORDER BY block LIMIT 1)")
    for number, reason in ((1, "was not played"), (11, "does not exist"), (0, "does not exist")):
        said = spar("replay", ids(db)[0], "--game", number, "--store", db)
        assert (said.code, said.err) == (2, f"spar: {ids(db)[0]} has games 1 to 10; game {number} {reason}\n")


def test_decisions_that_were_kept_show_what_the_agent_thought(db: Path) -> None:
    words = ["match", "isolation", "improved,depth=3", "random", "--games", 2, "--store", db]
    did(*words, "--decisions")
    assert " d3" in did("replay", ids(db)[0], "--store", db)
    game = report(db).games[0]
    assert not game.decisions  # read only on demand
    with Store(db) as store:
        (first, second) = api.report(ids(db)[0], store=store, decisions=True).games
    assert {decision["depth"] for decision in first.decisions[::2]} >= {3}
    assert len(second.decisions) == len(second.turns)


def test_moves_that_cannot_be_played_are_told_and_not_shown(db: Path) -> None:
    did(*QUICK, "--store", db)
    (moves, block) = sql(db, "SELECT moves, block FROM games ORDER BY block LIMIT 1")[0]
    sql(db, "UPDATE games SET moves=? WHERE block=?", moves[:1] * len(moves), block)
    said = spar("replay", ids(db)[0], "--game", 1, "--store", db)
    assert said.code == 2
    assert "cannot be played" in said.err


def test_a_store_can_be_moved(db: Path, tmp_path: Path) -> None:
    did(*QUICK, "--store", db)
    before = blocks(db)
    shutil.move(db, tmp_path / "elsewhere.db")
    assert blocks(tmp_path / "elsewhere.db") == before


if __name__ == "__main__":
    script()
