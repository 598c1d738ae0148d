"""Whose fault it is: what disturbs the games from outside is never charged to an agent, and what an agent does to
others is charged to it."""

import ctypes
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from sparring.agents.agent import RandomAgent, View
from sparring.agents.decision import Decision
from sparring.agents.probe import probe
from sparring.agents.sandbox import children
from sparring.arena import supervisor as supervising
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.limits import AgentFailure, Limits, VoidGame
from sparring.arena.referee import MOST_VOIDS, play_block
from sparring.arena.result import Tournament
from sparring.arena.run import count_differences, run
from sparring.arena.schedule import Job
from sparring.arena.supervisor import GuestSession, Supervisor
from sparring.arena.workers import WorkerPool
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.core.terms import BoundHeuristic, heuristic
from test_supervisor import CHAOS, GAME, first_view, guest, leaving_nobody, moves, soon

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /proc")]

LIMIT = 0.3
PAUSE = 0.8


def forkservers() -> list[int]:
    """The processes of this one that start agents."""
    named = [(pid, Path(f"/proc/{pid}/cmdline")) for pid in children(os.getpid())]
    return [pid for pid, line in named if line.exists() and b"run_forkserver" in line.read_bytes()]


def kill_forkservers() -> None:
    """Kill them, and wait until the agents that they started are dead too."""
    for pid in forkservers():
        below = [*children(pid)]
        for one in below:
            below += children(one)
        os.kill(pid, signal.SIGKILL)
        assert soon(lambda: not any(Path(f"/proc/{one}").exists() for one in below))  # noqa: B023


def paused(*pids: int, seconds: float = PAUSE) -> "subprocess.Popen[bytes]":
    """Stop processes for a while, from outside."""
    who = " ".join(map(str, pids))
    return subprocess.Popen(["sh", "-c", f"sleep 0.05; kill -STOP {who}; sleep {seconds}; kill -CONT {who}"])


# Whole matches


def match(games: int, disturb: Callable[[], Any] | None, attacks: int = 0, **settings: Any) -> Tournament:
    """A match of two agents that do the same. Whenever a block is finished, something happens to our processes."""
    left = [attacks]

    def progress(*_: Any) -> None:
        if disturb and left[0]:
            left[0] -= 1
            disturb()

    agents = {name: f"{CHAOS / 'workers.py'}:{name}" for name in ("first", "second")}
    contest = Contest.of(make_experiment(game="isolation", agents=agents, games=games, **settings))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparring.arena.run.JOB_SECONDS", 0.0)  # a block a job
        result = run(contest, progress=progress, workers=1)  # type: ignore[arg-type]
    assert not left[0]
    return result


def undisturbed(result: Tournament, **settings: Any) -> bool:
    """True if no game differs from those of a run in which nothing happens, and nobody failed."""
    games = result.contest.experiment.games
    return not result.failures() and count_differences(result, match(games, None, **settings)) == (games, 0)


@pytest.mark.torture(2, 50)
def test_games_are_the_same_however_often_our_processes_are_killed(attacks: int) -> None:
    result = match(2 * attacks + 4, kill_forkservers, attacks)
    assert undisturbed(result)
    assert result.voids
    assert "void and played again, by no fault of an agent" in str(result)
    first = result.to_json()["voids"][0]
    assert (first["table"], first["block"] in range(attacks + 2)) == (0, True)
    assert "the process that starts agents was ended" in first["reason"]


@pytest.mark.torture(2, 20)
def test_pauses_of_the_referee_are_not_charged_to_agents(attacks: int) -> None:
    pauses: list[subprocess.Popen[bytes]] = []

    def pause() -> None:
        if pauses:
            pauses[-1].wait()
        pauses.append(paused(os.getpid()))

    result = match(4 * attacks + 4, pause, attacks, limit="300ms")
    for one in pauses:
        one.wait()
    assert undisturbed(result, limit="300ms")


# Single answers


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with leaving_nobody(Limits(move=LIMIT)) as watched:
        yield watched


@contextmanager
def busy_loops(count: int = 8) -> Iterator[None]:
    with ExitStack() as opened:
        for _ in range(count):
            loop = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            opened.callback(loop.wait)
            opened.callback(loop.kill)
        yield


def answered(player: GuestSession) -> str:
    """What comes of a question: `in time`, `void`, or the verdict on the agent."""
    try:
        player.decide(first_view())
    except VoidGame:
        return "void"
    except AgentFailure as failure:
        return failure.verdict
    return "in time"


STOPPED = {
    "the referee": ("first", lambda pid: [os.getpid()], {"in time"}),
    "the guest": ("first", lambda pid: [pid], {"in time", "void"}),
    "both": ("first", lambda pid: [os.getpid(), pid], {"in time", "void"}),
    "a guest that works": ("calculates", lambda pid: [pid], {"in time", "void"}),
    "the referee and a guest that works": ("calculates", lambda pid: [os.getpid(), pid], {"in time", "void"}),
}


@pytest.mark.parametrize(("name", "whom", "expected"), STOPPED.values(), ids=STOPPED)
def test_a_late_answer_is_not_charged_if_the_guest_could_not_have_answered(
    supervisor: Supervisor, name: str, whom: Any, expected: set[str]
) -> None:
    with guest(supervisor, f"workers.py:{name}").seated(players_dice(0, 0)) as player:
        stop = paused(*whom(player.process.pid))
        asked = set()
        while stop.poll() is None:
            asked.add(answered(player))
    assert asked <= expected


@pytest.mark.parametrize("name", ["calculates_long", "sleeps_long"])
@pytest.mark.parametrize("seconds", [0.02, 0.2])
def test_a_guest_that_is_late_by_itself_loses_even_if_the_referee_pauses(
    supervisor: Supervisor, name: str, seconds: float
) -> None:
    stop = paused(os.getpid(), seconds=seconds)
    limits = supervisor.limits
    ((lost,), _) = play_block(GAME, [[guest(supervisor, f"workers.py:{name}"), RandomAgent()]], 0, limits)
    stop.wait()
    assert (lost.failed, lost.reason[:8]) == (0, "timeout:")


def test_a_guest_that_waits_for_a_processor_is_not_late_by_its_own_fault(supervisor: Supervisor) -> None:
    with busy_loops(), guest(supervisor, "workers.py:calculates").seated(players_dice(0, 0)) as player:
        assert {answered(player) for _ in range(5)} <= {"in time", "void"}


# Our own failures


def test_a_forkserver_that_was_stopped_goes_on(supervisor: Supervisor) -> None:
    one = guest(supervisor, "workers.py:first")
    for pid in forkservers():
        os.kill(pid, signal.SIGSTOP)
    with one.seated(players_dice(0, 0)) as player:
        assert answered(player) == "in time"


def test_what_this_process_lacks_is_no_failure_of_an_agent(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, refused = supervising.framed, iter([True, False, True])

    def framed(message: dict[str, Any]) -> bytes:
        if "state" in message and next(refused, False):
            raise MemoryError
        return real(message)

    monkeypatch.setattr(supervising, "framed", framed)
    seats = [guest(supervisor, "workers.py:first"), RandomAgent()]
    ((played,), reasons) = play_block(GAME, [seats], 1)
    assert (played.failed, len(reasons)) == (-1, 2)
    monkeypatch.undo()
    assert moves(play_block(GAME, [seats], 1)[0][0]) == moves(played)


def test_processes_that_cannot_be_started_for_a_while_are_started_later() -> None:
    with leaving_nobody() as supervisor:
        one = guest(supervisor, "workers.py:first")
        play_block(GAME, [[one, RandomAgent()]], 0)
        kill_forkservers()
        usual = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, usual[1]))
        later = threading.Timer(0.5, resource.setrlimit, (resource.RLIMIT_NOFILE, usual))
        later.start()
        try:
            ((played,), reasons) = play_block(GAME, [[one, RandomAgent()]], 0)
        finally:
            later.join()
    assert played.failed == -1
    assert reasons


def test_processes_that_cannot_be_started_at_all_are_an_error_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr("sparring.arena.referee.REST_SECONDS", 0.0)
    with Supervisor() as supervisor:
        one = guest(supervisor, "workers.py:first")
        monkeypatch.setattr(subprocess, "Popen", refused)
        kill_forkservers()
        with pytest.raises(SparringError, match=r"Cannot allocate memory; use fewer --workers") as told:
            play_block(GAME, [[one, RandomAgent()]], 0)
    assert "\n" not in str(told.value)


# Attacks


def test_a_guest_that_kills_the_forkserver_is_named_and_others_keep_their_games() -> None:
    """Where namespaces hide the forkserver from guests, this is an ordinary crash."""
    files = "workers.py:first", "workers.py:second", "deaths.py:kills_the_forkserver"
    agents = {file.partition(":")[2]: str(CHAOS / file) for file in files}
    result = run(Contest.of(make_experiment(game="isolation", agents=agents, games=2)), workers=3)
    assert {name: found.total() for name, found in result.failures().items()} == {"kills_the_forkserver": 2}
    assert result.pairings[0].results["failed"].max() == -1  # of the two others


def test_the_third_time_counts_as_a_failure_of_the_agent() -> None:
    with leaving_nobody(Limits(stall=20)) as supervisor:
        ((lost,), reasons) = play_block(GAME, [[guest(supervisor, "deaths.py:kills_itself"), RandomAgent()]], 1)
    assert (lost.failed, lost.reason, len(reasons)) == (0, "crash: its process was ended by SIGKILL", MOST_VOIDS)


def test_a_pause_of_the_referee_does_not_count_as_time_of_a_move(supervisor: Supervisor) -> None:
    with guest(supervisor, "workers.py:first").seated(players_dice(0, 0)) as player:
        stop = paused(os.getpid())
        begun = time.monotonic()
        while time.monotonic() < begun + 2 * PAUSE:
            assert answered(player) == "in time"
            assert player.seconds <= LIMIT
        stop.wait()


# Users' compiled heuristics

IDEA = """
from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.heuristics import exits


@heuristic("isolation")
def idea(s, me):
    return Terms(mine=count(exits(s, me)), yours=-2 * count(exits(s, 1 - me)))
"""


@pytest.fixture(scope="module")
def idea(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("users") / "idea.py"
    file.write_text(IDEA)
    return file


def own_match(file: Path, **settings: Any) -> Tournament:
    agents = {"idea": f"{file},depth=2", "random": "random"}
    contest = Contest.of(make_experiment(game="isolation", agents=agents, games=40, **settings))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparring.arena.run.JOB_SECONDS", 0.0)
        return run(contest, workers=2)


def wrecked(wreck: Callable[[], Any]) -> Callable[..., Any]:
    """Play, but let something happen to the process first, at one block."""
    play_all, here = WorkerPool._play_all, os.getpid()

    def playing(pool: WorkerPool, job: Job, results: Any) -> Any:
        assert os.getpid() != here
        if job.block == 3:
            wreck()
        return play_all(pool, job, results)

    return playing


WRECKS = {
    "ended": (lambda: os.kill(os.getpid(), signal.SIGKILL), "the process that played ended"),
    "segfaulted": (lambda: ctypes.string_at(0), "the process that played ended"),
    "stopped": (lambda: os.kill(os.getpid(), signal.SIGSTOP), "the process that played made no move for 3 s"),
    "hung": (lambda: time.sleep(1000), "the process that played made no move for 3 s"),
}


@pytest.mark.parametrize(("wreck", "reason"), WRECKS.values(), ids=WRECKS)
def test_no_game_of_a_compiled_heuristic_is_lost_with_its_process(
    idea: Path, monkeypatch: pytest.MonkeyPatch, wreck: Callable[[], Any], reason: str
) -> None:
    usual = own_match(idea, stall="3s")
    monkeypatch.setattr(WorkerPool, "_play_all", wrecked(wreck))
    result = own_match(idea, stall="3s")
    assert {(one.block, one.reason) for _, one in result.voids} == {(3, reason)}
    assert count_differences(usual, result) == (40, 0)
    own = Path("/proc/self/cmdline").read_bytes()
    assert not [pid for pid in children(os.getpid()) if Path(f"/proc/{pid}/cmdline").read_bytes() == own]


@pytest.mark.parametrize("settings", [{"limit": "5s"}, {"decisions": True}], ids=["clock", "decisions"])
def test_a_compiled_heuristic_plays_the_same_with_a_clock_or_with_decisions(idea: Path, settings: Any) -> None:
    """Then the referee asks for each move, and the heuristic is a guest."""
    usual, asked = own_match(idea), own_match(idea, **settings)
    assert count_differences(usual, asked) == (40, 0)
    if "decisions" in settings:
        first = asked.game(1).decisions[0]
        assert {"mine", "yours"} <= {*next(one["terms"] for one in first["candidates"] if one["terms"])}


def test_a_compiled_heuristic_that_crashes_loses_and_is_named(idea: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The forkserver's processes do to it what no check has foreseen."""
    crashing = GuestSession.decide

    def decide(player: GuestSession, view: View) -> Decision:
        if len(moves_of(view)) >= 5:
            os.kill(player.process.pid, signal.SIGSEGV)
        return crashing(player, view)

    def moves_of(view: View) -> list[int]:
        return [square for square in range(49) if view.state.blocked >> square & 1]

    monkeypatch.setattr(WorkerPool, "_play_all", wrecked(lambda: os._exit(1)))
    monkeypatch.setattr(GuestSession, "decide", decide)
    result = own_match(idea)
    assert result.failures() == {"idea": {"crash": 2}}
    assert "its process was ended by SIGSEGV" in str(result)


@heuristic("isolation")
def tried(s: Any, me: int) -> float:
    return 0.0


@pytest.mark.parametrize(
    ("wreck", "told"),
    [(lambda: ctypes.string_at(0), "was ended by SIGSEGV"), (lambda: time.sleep(1000), "did not end in 2 s")],
    ids=["segfaulted", "hung"],
)
def test_a_heuristic_that_wrecks_its_process_when_it_is_tried_is_refused(
    monkeypatch: pytest.MonkeyPatch, wreck: Callable[[], Any], told: str
) -> None:
    monkeypatch.setattr("sparring.agents.probe.PATIENCE", 2)
    bound = BoundHeuristic(tried, tried.weigh(), lambda s, me, weights: wreck())
    with pytest.raises(SparringError, match=rf"test_fault.py:\d+: tried was tried on .* its process {told}; look for"):
        probe(GAME, bound, None)
