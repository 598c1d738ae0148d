"""The same experiment comes out the same, however many workers play it, in whatever order, and however often it is
stopped on the way."""

import json
import random
import re
import shlex
import signal
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import sparring
from commands import did, finished, rewritten, spar, started
from sparring.agents.agent import FunctionAgent, View
from sparring.arena import notation, run
from sparring.arena.batch import FAILED, FailureRecord, ResultBatch
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.playout import result_type
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.games.contract import Action
from test_store import ids

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
    if random.random() < 0.06:
        raise RuntimeError("stumbled")
    return random.choice(view.legal)


@agent("isolation")
def falls(view):
    raise RuntimeError("fell")
'''


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


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("users")
    (folder / "beside.py").write_text("FAVOURITE = 1\n")
    (folder / "mine.py").write_text(USERS_FILE)
    return folder / "mine.py"


# However many workers


def played_by(workers: int, seconds: float, agents: Sequence[str], **settings: Any) -> Tournament:
    """The league of some workers who take jobs of some size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "JOB_SECONDS", seconds)
        return sparring.league(SMALL, agents, **settings, workers=workers)


def test_workers_do_not_change_the_games_nor_who_is_retired_and_when(file: Path) -> None:
    agents, settings = (f"{file}:stumbles", f"{file}:falls", f"{file}:wanders", "random"), {"games": 16, "failures": 3}
    once = played_by(1, 0.0, agents, **settings)
    assert set(once.retired) == {0, 1}
    assert proof(played_by(8, 0.002, agents, **settings)) == proof(once)
    assert proof(played_by(3, 60.0, agents, **settings)) == proof(once)


def test_in_a_league_each_pair_ends_when_it_is_decided_whatever_the_workers() -> None:
    agents, settings = ("open,depth=2", "greedy", "random"), {"games": 120, "sprt": "-70:70"}
    once = played_by(1, 0.0, agents, **settings)
    ends = [once.end(table) for table in range(3)]
    assert once.decided >= 2
    assert len(set(ends)) > 1
    assert [len(pairing.results) for pairing in once.pairings] == ends
    assert f"{once.decided} of 3 pairs were decided between -70 normalised Elo and +70" in str(once)
    assert proof(played_by(8, 0.002, agents, **settings)) == proof(once)


# Whatever ends first: invented games, so that all orders can be tried


class Inventors(AbstractContextManager[Any]):
    """A pool that plays nothing: results follow from the block alone, but come after a random while."""

    printed: Mapping[str, str] = {}

    def __init__(self, contest: Contest, clumsiness: Sequence[float], bias: float, haste: int) -> None:
        self.contest = contest
        self.clumsiness = clumsiness
        self.bias = bias
        self.haste = random.Random(haste)

    def __exit__(self, *error: object) -> None:
        pass

    def separate(self, workers: int) -> None:
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


def invented(pool: Inventors, workers: int, seconds: float) -> Tournament:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "WorkerPool", lambda *_: pool)
        patch.setattr(run, "JOB_SECONDS", seconds)
        return run.run(pool.contest, workers=workers)


def in_order(pool: Inventors) -> tuple[dict[int, int], list[int]]:
    """By the rule, in the order of blocks: who left after which block, and how many blocks each table played."""
    contest, most = pool.contest, pool.contest.experiment.failures
    failed: Counter[int] = Counter()
    left: dict[int, int] = {}
    played = [0] * len(contest.tables)
    for number in range(contest.blocks(0)):
        gone = set(left)
        for table, seated in enumerate(contest.tables):
            if gone.isdisjoint(seated):
                played[table] += 1
                for seating, result in zip(contest.rounds(table)[0].tolist(), pool.block(table, number), strict=True):
                    if result["failed"] >= 0:
                        failed[seating[result["failed"]]] += 1
        left |= {agent: number for agent, times in failed.items() if 0 < most <= times and agent not in left}
    return left, played


CLUMSY = st.sampled_from([0.0, 0.0, 0.02, 0.1, 0.3, 1.0])


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@example(agents=2, sprt=None, bias=0.5, clumsiness=(1.0,) * 4, most=3, workers=2, seconds=0.0, haste=0)
@given(
    agents=st.sampled_from([2, 3, 4]),
    sprt=st.sampled_from([None, None, "0:150"]),
    bias=st.sampled_from([0.4, 0.5, 0.6, 0.9]),
    clumsiness=st.tuples(CLUMSY, CLUMSY, CLUMSY, CLUMSY),
    most=st.integers(0, 12),
    workers=st.integers(1, 8),
    seconds=st.sampled_from([0.0, 2e-6, 1e-5, 1.0]),
    haste=st.integers(0, 1000),
)
def test_where_tests_end_and_who_is_retired_follows_from_the_games_alone(
    agents: int, sprt: str | None, bias: float, clumsiness: Any, most: int, workers: int, seconds: float, haste: int
) -> None:
    """In a match as in a league, where each pair has a test of its own."""
    named = ["greedy", "random", "open,depth=1", "center,depth=1"][:agents]
    contest = Contest.of(make_experiment(game="isolation", agents=named, games=60, failures=most, sprt=sprt))
    pool = Inventors(contest, clumsiness, bias, haste)
    result = invented(pool, workers, seconds)
    if sprt:
        assert timeless(result.to_json()) == timeless(invented(pool, 1, 0.0).to_json())
    else:
        left, played = in_order(pool)
        assert result.retired == left
        assert [numbers.tolist() for numbers, _ in result.blocks] == [list(range(blocks)) for blocks in played]


# Sequential tests


def test_a_decided_match_ends_early_and_later_games_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "JOB_SECONDS", 60.0)
    match = sparring.match("isolation", "voronoi,depth=3", "random", games=2000, sprt="0:100")
    assert match.pairings[0].score.lost == 0
    assert match.sprt_state.stop is not None
    assert sum(batch.results.size for batch in match.batches) > 2 * match.sprt_state.stop.blocks
    assert match.played == len(match.games) == match.pairings[0].score.games == 2 * match.sprt_state.stop.blocks < 100
    assert "normalised Elo fits the games" in str(match)


@pytest.mark.parametrize("sprt", ["0:60", "-60:0"])
def test_a_decided_match_plays_nothing_when_run_again(
    sprt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words: dict[str, Any] = {"games": 4000, "sprt": sprt, "store": Store(tmp_path / "games.db")}
    once = sparring.match(SMALL, "open,depth=2", "greedy", **words)
    assert 10 < once.sprt_state.stop.blocks < 900
    monkeypatch.setattr(run, "in_threads", lambda *_: pytest.fail("a block is played"))
    assert proof(sparring.match(SMALL, "open,depth=2", "greedy", **words)) == proof(once)


# Retirement


@sparring.agent("isolation")
def falls(view: View) -> Action:
    raise RuntimeError("fell")


FALLS = FunctionAgent("falls", falls)


@pytest.mark.parametrize(("failures", "played"), [(1, 4), (4, 4), (5, 8), (0, 80)])
def test_who_failed_too_often_is_retired_with_the_block_that_was_the_last_straw(failures: int, played: int) -> None:
    league = sparring.league(SMALL, [FALLS, "greedy", "random"], games=40, failures=failures)
    assert league.failures() == {"falls": {"crash": played}}
    assert [pairing.score.games for pairing in league.pairings] == [played // 2, played // 2, 40]
    assert league.to_json()["retired"] == (["falls"] if failures else [])
    gone = " and was retired" if failures else ""
    assert f"falls lost {played} games by crash{gone} (first: crash: RuntimeError: fell)" in str(league)


# Again


def run_file(tmp_path: Path, text: str) -> Path:
    (tmp_path / "experiment.toml").write_text(text)
    return tmp_path / "experiment.toml"


def test_tampered_games_are_found_by_playing_again(tmp_path: Path) -> None:
    did("match", "isolation", "random", "greedy", "--games", 10, "--store", tmp_path / "games.db")
    with Store(tmp_path / "games.db") as store:
        (moves, results, block) = store._sql.execute("SELECT moves, results, block FROM games").fetchone()
        table = np.frombuffer(results, result_type(2)).copy()
        table[-1]["scores"] = table[-1]["scores"][::-1]
        changed = bytes([moves[0] ^ 1]) + moves[1:], table.tobytes(), block
        rewritten(tmp_path / "games.db", "UPDATE games SET moves=?, results=? WHERE block=?", *changed)
    said = spar("run", "--again", "last", "--store", tmp_path / "games.db")
    assert (said.code, said.err.splitlines()[-1]) == (1, "2 of 10 games went another way than those kept")


def test_files_whose_names_end_alike_are_not_mixed_up_when_played_again(tmp_path: Path) -> None:
    for name, move in (("a.py", 0), ("extra.py", -1), ("sub/a.py", 1)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        declared = 'from sparring import agent\n@agent("isolation")\ndef takes(view):\n    return '
        (tmp_path / name).write_text(f"{declared}(view.legal * 2)[{move}]")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        did("league", "isolation", "a.py", "extra.py", "sub/a.py", "--games", 4, "--store", "games.db")
        for name in ("a.py", "extra.py", "sub/a.py"):
            (tmp_path / name).unlink()
        said = spar("run", "--again", "last", "--store", "games.db")
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

SLOW_AGENT = """
import time
from sparring import agent

@agent("isolation")
def takes_its_time(view):
    time.sleep(0.001)
    return view.legal[0]
"""


def kept_games(file: Path) -> dict[int, bytes]:
    """The results of a store's only experiment with their times, by block. Games that are played again take others."""
    if not file.exists():
        return {}
    with Store(file) as store:
        batches = [batch for one in store.listed() for batch in store.batches(one.id)]
        return {batch.block + place: block.tobytes() for batch in batches for place, block in enumerate(batch.results)}


def test_the_command_that_ctrl_c_prints_goes_on_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SLOW_AGENT)
    words: list[Any] = ["match", "isolation", "mine.py", "random", "--games", 1000, "--board", "5x5"]
    db = tmp_path / "my games.db"
    process = started(tmp_path, *words, "--store", db.name, "--workers", 2, "--save", "games.txt")
    deadline = time.monotonic() + 120
    while not kept_games(db) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    stopped = finished(process)
    assert stopped.code == 130
    assert "Traceback" not in stopped.out + stopped.err
    head, verdict, counts = stopped.out.splitlines()[:3]
    assert head.startswith("interrupted after ")
    assert "mine.py" in verdict
    assert " won " in counts
    first = int(head.split()[2])
    assert 0 < first == len(notation.load(tmp_path / "games.txt")) < 1000
    before = kept_games(db)
    (command,) = re.findall("(?m)^continue: spar (.*)$", stopped.out)
    rest = finished(started(tmp_path, *shlex.split(command)))
    assert rest.code == 0
    assert before.items() <= kept_games(db).items()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        whole = sparring.match(sparring.game("isolation", board="5x5"), "mine.py", "random", games=1000)
        with Store(db) as store:
            (id,) = (one.id for one in store.listed())
            assert proof(sparring.api.report(id, store=store))[0] == proof(whole)[0]


def test_an_exception_of_ours_in_a_worker_ends_the_run_and_is_told() -> None:
    def breaks(job: Job) -> ResultBatch:
        raise OSError("no more memory")

    before = threading.active_count()
    with pytest.raises(OSError, match="no more memory"):
        list(run.in_threads(breaks, iter([Job(0, block, 1) for block in range(100)]), 4))
    deadline = time.monotonic() + 60
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
    (id,) = ids(store)
    with Store(store) as kept:
        command = sparring.api.report(id, store=kept).command()
    assert shlex.split(command)[:3] == ["spar", "run", str(file)]
    assert json.loads(did(*shlex.split(command)[1:], "--json"))["games"] == 4


def test_only_agents_with_a_spec_can_be_kept_or_played(tmp_path: Path) -> None:
    with Store(tmp_path / "games.db") as store, pytest.raises(sparring.SparringError, match="text"):
        sparring.match(SMALL, FALLS, "random", games=4, store=store)
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
