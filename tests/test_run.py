"""The same experiment comes out the same, however many workers play it, in whatever order, and however often it is
stopped on the way."""

import json
import random
import re
import shlex
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparring
from commands import did, finished, spar, started
from sparring.agents.agent import Agent, FunctionAgent, View
from sparring.arena import notation, run
from sparring.arena.batch import FAILED, FailureRecord, ResultBatch
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.playout import result_type
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.games.contract import Action

pytestmark = pytest.mark.slow

SMALL = sparring.game("isolation", board="4x5")

USERS_FILE = '''
"""Agents with a memory, a taste for chance and a bad day now and then."""
import random

from beside import FAVOURITE
from sparring import agent

seen = []


@agent("isolation")
def wanders(view):
    seen.append(len(view.legal))
    if len(seen) % 2:
        return random.choice(view.legal)
    return view.legal[(sum(seen) + FAVOURITE) % len(view.legal)]


@agent("isolation")
def stumbles(view):
    if random.random() < 0.03:
        raise RuntimeError("stumbled")
    return random.choice(view.legal)


@agent("isolation")
def falls(view):
    raise RuntimeError("fell")
'''


def users_file(folder: Path) -> Path:
    (folder / "beside.py").write_text("FAVOURITE = 1\n")
    (folder / "mine.py").write_text(USERS_FILE)
    return folder / "mine.py"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return users_file(tmp_path_factory.mktemp("users"))


def timeless(told: Any) -> Any:
    """A result without the time that it took, its numbers to nine places."""
    if isinstance(told, float):
        return round(told, 9)
    if isinstance(told, dict):
        return {key: timeless(value) for key, value in told.items() if key != "seconds"}
    return [timeless(value) for value in told] if isinstance(told, list | tuple) else told


def proof(result: Tournament) -> list[Any]:
    """All that a result says: every game with its moves, every number but times."""
    return [[notation.write(game) for game in result.games], timeless(result.to_json())]


@pytest.fixture(params=[(1, 0.0), (2, 0.1), (8, 0.002), (3, 60.0)], ids=["1", "2", "8", "3 with huge jobs"])
def hands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Some workers who take jobs of some size."""
    workers, seconds = request.param
    monkeypatch.setattr(run, "JOB_SECONDS", seconds)
    return int(workers)


@cache
def alone(meeting: Any, *given: Any, **settings: Any) -> Tournament:
    """Played block by block on one worker, once for all numbers of workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "JOB_SECONDS", 0.0)
        result: Tournament = meeting(*given, **settings, workers=1)
    return result


# However many workers


def test_workers_do_not_change_the_games_of_compiled_agents(hands: int) -> None:
    agents = ("random", "greedy", "improved,nodes=100", "center,depth=2,reference")
    once = alone(sparring.league, SMALL, agents, games=20)
    assert proof(sparring.league(SMALL, agents, games=20, workers=hands)) == proof(once)


def test_workers_do_not_change_the_games_of_a_users_python(hands: int, file: Path) -> None:
    agents = (f"{file}:wanders", "greedy", "random")
    once = alone(sparring.league, SMALL, agents, games=8)
    assert not once.failures()
    assert proof(sparring.league(SMALL, agents, games=8, workers=hands)) == proof(once)


def test_workers_do_not_change_who_is_retired_and_when(hands: int, file: Path) -> None:
    agents = (f"{file}:stumbles", f"{file}:falls", "random")
    once = alone(sparring.league, SMALL, agents, games=40, failures=4)
    assert set(once.retired) == {0, 1}
    assert proof(sparring.league(SMALL, agents, games=40, failures=4, workers=hands)) == proof(once)


def test_workers_do_not_change_where_a_sequential_test_ends(hands: int) -> None:
    agents, settings = ("open,depth=2", "greedy"), {"games": 2000, "sprt": "0:60"}
    once = alone(sparring.match, SMALL, *agents, **settings)
    assert once.sprt_state.stop is not None
    assert 10 < once.sprt_state.stop.blocks < 900
    assert proof(sparring.match(SMALL, *agents, **settings, workers=hands)) == proof(once)


def test_in_a_league_each_pair_ends_when_it_is_decided_whatever_the_workers(hands: int) -> None:
    agents, settings = ("open,depth=2", "greedy", "random"), {"games": 200, "sprt": "-50:50"}
    once = alone(sparring.league, SMALL, agents, **settings)
    ends = [once.end(table) for table in range(3)]
    assert once.decided >= 2
    assert len(set(ends)) > 1
    assert [len(pairing.results) for pairing in once.pairings] == ends
    assert f"{once.decided} of 3 pairs were decided between -50 normalised Elo and +50" in str(once)
    assert proof(sparring.league(SMALL, agents, **settings, workers=hands)) == proof(once)


# Whatever ends first: invented games, so that all orders can be tried


class Inventors:
    """A crew that plays nothing: results follow from the block alone, but come after a random while."""

    def __init__(self, contest: Contest, clumsiness: Sequence[float], bias: float, haste: int) -> None:
        self.contest = contest
        self.clumsiness = clumsiness
        self.bias = bias
        self.haste = random.Random(haste)

    def __enter__(self) -> "Inventors":
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def play(self, job: Job) -> ResultBatch:
        time.sleep(self.haste.random() * 0.001)
        numbers = range(job.block, job.block + job.blocks)
        blocks = [self.block(job.table, number) for number in numbers]
        failures = tuple(
            FailureRecord(number, game, "crash: invented")
            for number, results in zip(numbers, blocks, strict=True)
            for game in np.flatnonzero(results["ending"] >= FAILED).tolist()
        )
        return ResultBatch(job.table, job.block, np.stack(blocks), np.zeros(0, np.int64), failures, seconds=1e-6)

    def block(self, table: int, number: int) -> Any:
        """Somebody wins, or somebody fails."""
        chance = random.Random(table * 10_007 + number)
        seatings = self.contest.rounds(table)[0].tolist()
        results = np.zeros(len(seatings), result_type(2))
        for place, seating in enumerate(seatings):
            won = float(chance.random() < (self.bias if seating[0] == min(seating) else 1 - self.bias))
            results[place]["scores"], results[place]["failed"] = (won, 1 - won), -1
            for seat, player in enumerate(seating):
                if results[place]["failed"] < 0 and chance.random() < self.clumsiness[player]:
                    results[place]["scores"] = (float(seat == 1), float(seat == 0))
                    results[place]["failed"], results[place]["ending"] = seat, FAILED + 1
        return results


def invented(
    contest: Contest, clumsiness: Sequence[float], bias: float, haste: int, workers: int, seconds: float
) -> Tournament:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "WorkerPool", lambda *_: Inventors(contest, clumsiness, bias, haste))
        patch.setattr(run, "JOB_SECONDS", seconds)
        return run.run(contest, workers=workers)


def in_order(contest: Contest, clumsiness: Sequence[float], bias: float) -> tuple[dict[int, int], list[int]]:
    """By the rule, in the order of blocks: who left after which block, and how many blocks each table played."""
    crew, most = Inventors(contest, clumsiness, bias, 0), contest.experiment.failures
    failed: Counter[int] = Counter()
    left: dict[int, int] = {}
    played = [0] * len(contest.tables)
    for number in range(contest.blocks(0)):
        gone = set(left)
        for table, seated in enumerate(contest.tables):
            if gone.isdisjoint(seated):
                played[table] += 1
                for seating, result in zip(contest.rounds(table)[0].tolist(), crew.block(table, number), strict=True):
                    if result["failed"] >= 0:
                        failed[seating[result["failed"]]] += 1
        left |= {agent: number for agent, times in failed.items() if 0 < most <= times and agent not in left}
    return left, played


CLUMSY = st.sampled_from([0.0, 0.0, 0.02, 0.1, 0.3, 1.0])
invention = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


@invention
@given(
    clumsiness=st.tuples(CLUMSY, CLUMSY, CLUMSY, CLUMSY),
    most=st.integers(0, 12),
    workers=st.integers(1, 8),
    seconds=st.sampled_from([0.0, 2e-6, 1e-5, 1.0]),
    haste=st.integers(0, 1000),
)
def test_who_is_retired_after_which_block_follows_from_the_games_alone(
    clumsiness: tuple[float, ...], most: int, workers: int, seconds: float, haste: int
) -> None:
    contest = Contest.of(make_experiment(game="isolation", agents=NAMED, games=60, failures=most))
    result = invented(contest, clumsiness, 0.5, haste, workers, seconds)
    left, played = in_order(contest, clumsiness, 0.5)
    assert result.retired == left
    assert [len(numbers) for numbers, _ in result.blocks] == played
    assert [numbers.tolist() for numbers, _ in result.blocks] == [list(range(blocks)) for blocks in played]


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    bias=st.sampled_from([0.4, 0.5, 0.6, 0.9]),
    clumsiness=st.tuples(CLUMSY, CLUMSY, CLUMSY),
    agents=st.sampled_from([2, 3]),
    most=st.sampled_from([0, 3, 10]),
    workers=st.integers(2, 8),
    seconds=st.sampled_from([0.0, 2e-6, 1e-5, 1.0]),
    haste=st.integers(0, 1000),
)
def test_where_a_sequential_test_ends_follows_from_the_games_alone(
    bias: float, clumsiness: tuple[float, ...], agents: int, most: int, workers: int, seconds: float, haste: int
) -> None:
    """In a match as in a league, where each pair has its own."""
    contest = Contest.of(
        make_experiment(game="isolation", agents=NAMED[:agents], games=120, failures=most, sprt="0:150")
    )
    once = invented(contest, clumsiness, bias, 0, 1, 0.0)
    other = invented(contest, clumsiness, bias, haste, workers, seconds)
    assert timeless(other.to_json()) == timeless(once.to_json())
    assert untimed(other) == untimed(once)


def untimed(result: Tournament) -> list[str]:
    return [line for line in str(result).splitlines() if "ms a move" not in line and " games in pairs" not in line]


NAMED = ["greedy", "random", "open,depth=1", "center,depth=1"]


# Sequential tests


def test_a_decided_match_ends_early_and_later_games_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "JOB_SECONDS", 60.0)
    match = sparring.match("isolation", "voronoi,depth=3", "random", games=2000, sprt="0:100")
    assert match.pairings[0].score.lost == 0
    assert match.sprt_state.stop is not None
    assert sum(batch.results.size for batch in match.batches) > 2 * match.sprt_state.stop.blocks
    assert match.played == len(match.games) == match.pairings[0].score.games == 2 * match.sprt_state.stop.blocks < 100
    assert "normalised Elo fits the games" in str(match)


@pytest.mark.parametrize("seconds", [0.0, 0.1, 60.0])
def test_a_decided_match_plays_nothing_when_it_is_run_again(
    seconds: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "JOB_SECONDS", seconds)
    with Store(tmp_path / "games.db") as store:
        for low, high in ((0, 60), (0, 61), (-60, 0)):
            words = {"games": 4000, "sprt": f"{low}:{high}", "store": store}
            once = sparring.match(SMALL, "open,depth=2", "greedy", **words)
            kept = len(list(store.batches(once.id)))
            monkeypatch.setattr(run, "in_threads", nothing_to_play)
            assert proof(sparring.match(SMALL, "open,depth=2", "greedy", **words)) == proof(once)
            assert len(list(store.batches(once.id))) == kept
            monkeypatch.undo()
            monkeypatch.setattr(run, "JOB_SECONDS", seconds)


def nothing_to_play(play: Any, jobs: Iterator[Job], workers: int) -> Iterator[ResultBatch]:
    assert list(jobs) == []
    return iter(())


# Retirement


def function_agent(function: Any) -> Agent:
    return FunctionAgent(function.__name__, sparring.agent("isolation")(function))


def falls(view: View) -> Action:
    raise RuntimeError("fell")


@pytest.mark.parametrize(("failures", "played"), [(1, 4), (4, 4), (5, 8), (8, 8), (9, 12), (0, 80)])
def test_who_failed_too_often_is_retired_with_the_block_that_was_the_last_straw(failures: int, played: int) -> None:
    league = sparring.league(SMALL, [function_agent(falls), "greedy", "random"], games=40, failures=failures)
    assert league.failures() == {"falls": {"crash": played}}
    assert [pairing.score.games for pairing in league.pairings] == [played // 2, played // 2, 40]
    assert league.to_json()["retired"] == (["falls"] if failures else [])
    retired = (
        f"falls lost {played} games by crash{' and was retired' if failures else ''} (first: crash: RuntimeError: fell)"
    )
    assert retired in str(league)


def test_two_who_always_fail_end_their_league() -> None:
    def trips(view: View) -> Action:
        raise RuntimeError("tripped")

    league = sparring.league(SMALL, [function_agent(falls), function_agent(trips)], games=200, failures=5)
    assert league.failures() == {"falls": {"crash": 5}, "trips": {"crash": 5}}
    assert league.played == 10


# Again


def run_file(tmp_path: Path, text: str) -> Path:
    (tmp_path / "experiment.toml").write_text(text)
    return tmp_path / "experiment.toml"


LEAGUE = """
game = "isolation"
options = {{ board = "4x5" }}
games = 12
failures = 0
[agents]
mine = "{file}:wanders"
other = {{ spec = "improved", nodes = 100 }}
unlucky = "{file}:stumbles"
chance = "random"
"""


def rows(store: Path) -> list[Any]:
    """Every game in a store, but for the time it took."""
    kept = []
    with Store(store) as opened:
        for listed in opened.listed():
            for batch in opened.batches(listed.id):
                seats = batch.results["seconds"].shape[-1]
                start = result_type(seats).fields["seconds"][1]
                raw = np.frombuffer(batch.packed()[0], np.uint8).reshape(-1, result_type(seats).itemsize)
                results = np.delete(raw, range(start, start + 4 * seats), axis=1)
                moves = np.split(batch.moves, batch.ends[:-1])
                first = batch.block * batch.results.shape[1]
                kept += [
                    (listed.id, batch.table, first + place, row.tobytes(), played.tolist())
                    for place, (row, played) in enumerate(zip(results, moves, strict=True))
                ]
                kept += [(listed.id, batch.table, *vars(failure).values()) for failure in batch.failures]
    return sorted(kept, key=repr)


def test_a_file_run_twice_leaves_the_same_sheets_byte_for_byte(tmp_path: Path, file: Path) -> None:
    experiment = run_file(tmp_path, LEAGUE.format(file=file))
    for store, workers in (("one.db", 1), ("two.db", 8)):
        did("run", experiment, "--store", tmp_path / store, "--workers", workers)
    assert rows(tmp_path / "one.db") == rows(tmp_path / "two.db")


def listed_ids(store: Path) -> list[str]:
    with Store(store) as opened:
        return [one.id for one in opened.listed()]


def test_kept_games_that_count_are_the_same_where_some_do_not(tmp_path: Path, file: Path) -> None:
    """Those that were under way when an agent was retired may be in one store and not in the other."""
    experiment = run_file(tmp_path, LEAGUE.format(file=file).replace("failures = 0", "failures = 2"))
    found = []
    for name, workers in (("one.db", 1), ("two.db", 8)):
        did("run", experiment, "--store", tmp_path / name, "--workers", workers)
        with Store(tmp_path / name) as store:
            found.append(sparring.api.report(listed_ids(tmp_path / name)[0], store=store))
    assert found[0].retired
    one, other = (timeless({**result.to_json(), "command": ""}) for result in found)
    assert one == other
    assert proof(found[0])[0] == proof(found[1])[0]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a user's agent, and a store with a match of it."""
    folder = tmp_path_factory.mktemp("played")
    agent = f"{users_file(folder)}:wanders"
    did("match", "isolation", agent, "greedy", "--games", 10, "--store", folder / "games.db")
    return folder


@pytest.fixture
def kept(tmp_path: Path, played: Path) -> Path:
    """A copy of that store to do with as one likes; the agent is as it was."""
    users_file(played)
    shutil.copy(played / "games.db", tmp_path)
    return tmp_path / "games.db"


def again(store: Path) -> Any:
    (id,) = listed_ids(store)
    return spar("run", "--again", id, "--store", store)


def leave_files(folder: Path) -> None:
    pass


def change_files(folder: Path) -> None:
    (folder / "mine.py").write_text(USERS_FILE.replace("% 2", "% 3"))
    (folder / "beside.py").write_text("FAVOURITE = 2\n")


def remove_files(folder: Path) -> None:
    (folder / "mine.py").unlink()
    (folder / "beside.py").unlink()


@pytest.mark.parametrize("files", [leave_files, change_files, remove_files])
def test_an_experiment_is_played_again_with_the_code_it_had(kept: Path, played: Path, files: Any) -> None:
    before = rows(kept)
    files(played)
    said = again(kept)
    assert (said.code, said.err.splitlines()[-1]) == (0, "all 10 games are those kept, move for move")
    assert rows(kept) == before


@pytest.mark.parametrize("column", ["moves", "results"])
def test_one_tampered_game_is_found_by_playing_again(kept: Path, column: str) -> None:
    with Store(kept) as store:
        ((moves, results, block),) = store._sql.execute("SELECT moves, results, block FROM games LIMIT 1").fetchall()
        table = np.frombuffer(results, result_type(2)).copy()
        table[0]["scores"] = table[0]["scores"][::-1]
        changed = {"moves": bytes([moves[0] ^ 1]) + moves[1:], "results": table.tobytes()}[column]
        store._sql.execute(f"UPDATE games SET {column}=? WHERE block=?", (changed, block))
    said = again(kept)
    assert (said.code, said.err.splitlines()[-1]) == (1, "1 of 10 games went another way than those kept")


def test_files_whose_names_end_alike_are_not_mixed_up_when_played_again(tmp_path: Path) -> None:
    for name, move in (("a.py", 0), ("extra.py", -1), ("sub/a.py", 1)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        declared = (
            f'from sparring import agent\n@agent("isolation")\ndef takes(view):\n    return (view.legal * 2)[{move}]'
        )
        (tmp_path / name).write_text(declared)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        did("league", "isolation", "a.py", "extra.py", "sub/a.py", "--games", 4, "--store", "games.db")
        for name in ("a.py", "extra.py", "sub/a.py"):
            (tmp_path / name).unlink()
        said = again(tmp_path / "games.db")
    assert said.err.splitlines()[-1] == "all 12 games are those kept, move for move"


VERSION = """
import random

from taste import FAVOURITE
from sparring import agent, heuristic


@agent("isolation")
def takes(view):
    return view.legal[FAVOURITE]


@heuristic("isolation")
def likes(s, me):
    return -float(FAVOURITE * 2 + 1) * s.at[me]
"""


@pytest.mark.parametrize("what", ["takes", "likes,depth=1"])
def test_two_versions_of_an_agent_each_use_the_module_beside_them(tmp_path: Path, what: str) -> None:
    for version, favourite in (("old", 0), ("new", -1)):
        (tmp_path / version).mkdir()
        (tmp_path / version / "taste.py").write_text(f"FAVOURITE = {favourite}\n")
        (tmp_path / version / "mine.py").write_text(VERSION)
    old, new = (f"{tmp_path}/{version}/mine.py:{what}" for version in ("old", "new"))
    match = sparring.match("isolation", old, new, games=2)
    for game in match.games:
        position = match.contest.game.position(game.start)
        for turn in game.turns[:2]:
            wanted = position.legal[0] if game.agents[turn.player] == old else position.legal[-1]
            assert turn.code == wanted
            position = position.after(turn.code)


# Ctrl-C

LOGGING_AGENT = """
import time
from sparring import agent

games = []

@agent("isolation")
def writes_down_every_game(view):
    if not games:
        games.append(1)
        with open("games.log", "a") as file:
            file.write(".")
    time.sleep(0.001)
    return view.legal[0]
"""


def stop_when(process: Any, told: Any) -> None:
    deadline = time.monotonic() + 60
    while not told() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["match", "run"])
def test_the_command_that_ctrl_c_prints_goes_on_where_it_was(tmp_path: Path, kind: str) -> None:
    (tmp_path / "mine.py").write_text(LOGGING_AGENT)
    words: list[Any] = ["match", "isolation", "mine.py", "random", "--games", 120, "--board", "5x5"]
    if kind == "run":
        said = 'game = "isolation"\noptions = {board = "5x5"}\ngames = 120\nagents = ["mine.py", "random"]\n'
        run_file(tmp_path, said)
        words = ["run", "experiment.toml"]
    log = tmp_path / "games.log"
    process = started(tmp_path, *words, "--store", "my games.db", "--workers", 2)
    stop_when(process, lambda: log.exists() and log.stat().st_size > 20)
    stopped = finished(process)
    assert stopped.code == 130
    assert stopped.out.startswith("interrupted after ")
    first = int(stopped.out.split()[2])
    assert 10 < first < 120
    log.unlink()
    (command,) = re.findall("(?m)^continue: spar (.*)$", stopped.out)
    rest = finished(started(tmp_path, *shlex.split(command)))
    assert rest.code == 0
    assert 120 - first - 4 <= len(log.read_text()) <= 120 - first
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        whole = sparring.match(sparring.game("isolation", board="5x5"), "mine.py", "random", games=120)
        with Store(tmp_path / "my games.db") as store:
            (id,) = (one.id for one in store.listed())
            assert proof(sparring.api.report(id, store=store))[0] == proof(whole)[0]


def test_an_exception_of_ours_in_a_worker_ends_the_run_and_is_told() -> None:
    def breaks(job: Job) -> ResultBatch:
        raise OSError("no more memory")

    before = threading.active_count()
    with pytest.raises(OSError, match="no more memory"):
        list(run.in_threads(breaks, iter([Job(0, block, 1) for block in range(100)]), 4))
    deadline = time.monotonic() + 5
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


# Commands that are printed


@pytest.mark.parametrize(
    "agents",
    [
        '[agents]\nmine = "open,depth=1"\nyours = "greedy"',
        'agents = ["greedy", "random", "open,depth=1"]\ntables = [["greedy", "random"]]',
    ],
    ids=["names", "tables"],
)
def test_the_printed_command_of_a_kept_file_plays_the_same(tmp_path: Path, agents: str) -> None:
    file, store = run_file(tmp_path, f'game = "isolation"\ngames = 4\n{agents}\n'), tmp_path / "my games.db"
    out = did("run", file, "--store", store)
    (replay,) = re.findall("(?m)spar (replay .*)$", out)
    assert "move 1 of " in did(*shlex.split(replay))
    (id,) = listed_ids(store)
    with Store(store) as kept:
        command = sparring.api.report(id, store=kept).command()
    assert shlex.split(command)[:3] == ["spar", "run", str(file)]
    assert json.loads(did(*shlex.split(command)[1:], "--json"))["games"] == 4


def test_only_agents_with_a_spec_can_be_kept_or_played(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store, pytest.raises(sparring.SparringError, match="text"):
        sparring.match(SMALL, function_agent(falls), "random", games=4, store=store)
    with pytest.raises(sparring.SparringError, match="put @agent"):
        sparring.match("isolation", lambda view: view.legal[0], "random", games=2)


# A clock is chance, too


def test_with_a_clock_no_game_is_taken_for_a_repeat() -> None:
    free = sparring.game("isolation", opening="free")
    timed = sparring.match(free, "open,depth=1", "improved,depth=1", games=6, limit="5s")
    assert timed.pairings[0].score.games == 6
    assert sparring.match(free, "open,depth=1", "improved,depth=1", games=6).pairings[0].score.games == 2


@pytest.mark.parametrize("tables", [[["a", "b"], ["b", "a"]], [["a", "b"], ["a", "b"]]])
def test_the_same_table_twice_is_no_new_evidence(tables: list[list[str]]) -> None:
    agents = {"a": "greedy", "b": "random"}
    with pytest.raises(sparring.SparringError, match="sit at two tables; the same games twice"):
        Contest.of(make_experiment(game="isolation", agents=agents, tables=tables))


def test_what_is_not_said_is_the_same_experiment_as_what_is_said(tmp_path: Path) -> None:
    short = make_experiment(game="isolation", agents=["greedy", "random"], games=4, sprt={"elo0": 0, "elo1": 10})
    long = make_experiment(
        game="isolation",
        options={"board": "7x7", "piece": "knight", "opening": "random"},
        agents=["greedy", "random"],
        games=4,
        sprt="0:10",
    )
    assert Contest.of(short).id == Contest.of(long).id
