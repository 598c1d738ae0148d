"""Users' agents as guests: the same games as at home, within their limits, and nobody stays when the match is over."""

import contextlib
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba.core.compiler_lock import global_compiler_lock

import sparring
from sparring.agents.agent import Agent, DeclaredAgent, FunctionAgent, RandomAgent, View
from sparring.agents.decision import Decision
from sparring.agents.dependencies import read_modules
from sparring.agents.execution import declared_in, run
from sparring.agents.spec import agent
from sparring.arena import supervisor as supervising
from sparring.arena.limits import AgentFailure, Limits
from sparring.arena.referee import PlayedGame, play
from sparring.arena.supervisor import Guest, Supervisor, SupervisorClosed
from sparring.core.dice import Dice, guests_dice, players_dice, referees_dice
from sparring.games.contract import Game, Position
from toy_games import Pennies, Race

pytestmark = pytest.mark.slow

GAME = sparring.game("isolation")
CHAOS = Path(__file__).parent / "data" / "chaos"
MARK = "SPARRING_TEST_MARK"


def processes(mark: str) -> dict[int, str]:
    """The processes whose environment bears a mark, however they were started and wherever they went."""
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and f"{MARK}={mark}".encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "status").read_text().split("\n")[2]
    return {pid: state for pid, state in found.items() if "Z" not in state and "X" not in state}


def soon(happens: Any, seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (happened := happens()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(happened)


@contextlib.contextmanager
def leaving_nobody(limits: Limits | None = None) -> Iterator[Supervisor]:
    """A supervisor that is looked after: when it is left, nothing that it started may live."""
    mark = uuid.uuid4().hex
    try:
        with pytest.MonkeyPatch.context() as patch, Supervisor(limits) as supervisor:
            patch.setenv(MARK, mark)
            yield supervisor
    finally:
        assert soon(lambda: not processes(mark)), processes(mark)


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with leaving_nobody(Limits(stall=20.0)) as watched:
        yield watched


def guest(supervisor: Supervisor, file: str, game: Game = GAME) -> Guest:
    return supervisor.guest(game, agent(game, f"{CHAOS / file}"))


def run_here(spec: str) -> Agent:
    """A user's agent whose file runs in this process, as in that of a guest."""
    path, _, name = spec.partition(",")[0].partition(":")
    found = declared_in(run(Path(path), read_modules(Path(path)))[0], name)
    return FunctionAgent(spec, found) if isinstance(found, DeclaredAgent) else agent(GAME, found, options={"depth": 1})


def moves(played: PlayedGame) -> list[str]:
    return [turn.action for turn in played.turns]


def first_view(game: Game = GAME, seed: int = 0) -> View:
    position, own = game.start(seed), players_dice(seed, 0)
    return View(Position(game, position.state, own), position.actors[0], own)


# the same games


@pytest.mark.parametrize("file", ["tampering.py:honest", "slow_heuristic.py:written_out,depth=1"])
def test_an_agent_plays_the_same_games_as_a_guest_and_at_home(supervisor: Supervisor, file: str) -> None:
    made = agent(GAME, f"{CHAOS / file}")
    at_home, away = made if made.trusted else run_here(made.spec), supervisor.guest(GAME, made)
    for seed in range(3):
        home_game, away_game = (play(GAME, [one, RandomAgent()], seed) for one in (at_home, away))
        assert moves(home_game) == moves(away_game)
        assert home_game.scores == away_game.scores
        assert home_game.efforts[0].nodes == away_game.efforts[0].nodes


@pytest.mark.parametrize(("game", "name"), [(Race(players=3), "careful"), (Pennies(rounds=9), "flips")])
def test_games_with_dice_and_with_simultaneous_moves_have_guests_too(
    supervisor: Supervisor, game: Game, name: str
) -> None:
    one = agent(game, f"{CHAOS / 'race.py'}:{name}")
    at_home, away = WithGuestsDice(run_here(one.spec)), supervisor.guest(game, one)
    for seed in range(3):
        home_game, away_game = (play(game, [one] * game.seats, seed) for one in (at_home, away))
        assert moves(home_game) == moves(away_game)
        assert home_game.failed == away_game.failed == -1


class WithGuestsDice(RandomAgent):
    """An agent in this process with the dice that it would get as a guest."""

    def __init__(self, inner: Agent) -> None:
        self.inner = inner

    def decide(self, view: View) -> Decision:
        dice = np.frombuffer(guests_dice(view.dice), Dice).copy().view(np.recarray)[0]
        return self.inner.decide(replace(view, dice=dice))


def test_games_are_the_same_whoever_plays_them_and_in_whatever_order(supervisor: Supervisor) -> None:
    """Though this agent uses global generators, globals of its own and of another module, and the order of a set."""

    def game(seed: int) -> list[str]:
        played = play(GAME, [moody, moody], seed)
        assert played.failed == -1
        return moves(played)

    moody = guest(supervisor, "moods.py")
    one_by_one = [game(seed) for seed in range(6)]
    moody = guest(supervisor, "moods.py")
    with ThreadPoolExecutor(6) as workers:
        at_once = list(workers.map(game, reversed(range(6))))[::-1]
    assert at_once == one_by_one
    assert len({*map(tuple, one_by_one)}) == 6
    with leaving_nobody() as another:
        moody = guest(another, "moods.py")
        assert [game(seed) for seed in range(3)] == one_by_one[:3]


def test_a_guest_explains_itself_as_at_home(supervisor: Supervisor) -> None:
    at_home = agent(GAME, f"{CHAOS / 'slow_heuristic.py'},depth=2")
    home, away = at_home.explain(first_view()), supervisor.guest(GAME, at_home).explain(first_view())
    assert {**away.to_json(), "seconds": 0} == {**home.to_json(), "seconds": 0}


def test_every_move_of_a_guest_has_other_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = []
    real = supervising.framed
    monkeypatch.setattr(supervising, "framed", lambda message: sent.append(message.get("dice")) or real(message))
    game = Race(players=3)
    view = first_view(game)
    with leaving_nobody() as supervisor, guest(supervisor, "race.py:careful", game).seated(view.dice) as player:
        for _ in range(3):
            player.decide(view)
    assert len({*filter(None, sent)}) == 3


# what a guest knows


def test_no_guest_is_told_the_dice_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """All that ever goes to the other processes is written down, and the referee's secrets are looked for in it."""
    game, seed, sent, secrets = Race(players=3), 7_310_204_417, [], []
    real = supervising.framed

    def noted(message: dict[str, Any]) -> bytes:
        sent.append(json.dumps(message))
        return real(message)

    def throwing(state: Any, referee: Any) -> None:
        secrets.extend(word.tobytes().hex() for word in referee.word)
        Race.draw(game, state, referee)

    monkeypatch.setattr(supervising, "framed", noted)
    monkeypatch.setattr(game, "draw", throwing)
    with leaving_nobody() as supervisor:
        runner = guest(supervisor, "race.py:careful", Race(players=3))
        played = play(game, [runner, RandomAgent(), RandomAgent()], seed)
    assert played.failed == -1
    everything = "\n".join(sent)
    secrets += [str(seed), seed.to_bytes(8, "little").hex(), referees_dice(seed).tobytes().hex()]
    secrets += [players_dice(seed, seat).tobytes().hex() for seat in (0, 1, 2)]
    assert len(secrets) > 50
    assert not [secret for secret in secrets if secret in everything]


def test_a_scribbler_reaches_nothing_but_its_own_copy(supervisor: Supervisor) -> None:
    honest, scribbler = guest(supervisor, "tampering.py:honest"), guest(supervisor, "tampering.py:scribbler")
    for seed in range(3):
        true, tampered = (play(GAME, [one, RandomAgent()], seed) for one in (honest, scribbler))
        assert true.failed == -1
        assert (moves(tampered), tampered.scores, tampered.reason) == (moves(true), true.scores, true.reason)
    view = first_view()
    before = GAME.to_bytes(view.state)
    with scribbler.seated(view.dice) as player:
        player.decide(view)
    assert GAME.to_bytes(view.state) == before
    assert GAME.legal(view.state, view.me) == view.legal


# time


def test_slow_moves_eat_the_bank_until_it_is_empty_and_loading_is_not_the_first_move(tmp_path: Path) -> None:
    (tmp_path / "weighty.py").write_text(
        "import time\nfrom sparring import agent\ntime.sleep(0.6)\n"
        '@agent("isolation")\ndef weighty(view):\n    return view.legal[0]\n'
    )
    limits = Limits(move=0.02, bank=0.3)
    with leaving_nobody(limits) as supervisor:
        assert play(GAME, [supervisor.guest(GAME, f"{tmp_path}/weighty.py"), RandomAgent()], 0, limits).failed == -1
        slow = guest(supervisor, "overdue.py:takes_a_while")
        with slow.seated(players_dice(0, 0)) as player:
            for seed in range(2):
                player.decide(first_view(seed=seed))
            with pytest.raises(AgentFailure, match="timeout"):
                for seed in range(20):
                    player.decide(first_view(seed=seed))
        assert play(GAME, [slow, RandomAgent()], 0, limits).reason.startswith("timeout: ")
        with slow.seated(players_dice(0, 0)) as player:
            player.decide(first_view())  # the next game has a bank of its own


# nobody stays


def test_restarts_leave_no_open_files(supervisor: Supervisor) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    leaver = guest(supervisor, "deaths.py:exits_at_once")
    play(GAME, [leaver, RandomAgent()], 0)
    before = open_files()
    for seed in range(30):
        assert play(GAME, [leaver, RandomAgent()], seed).failed == 0
    assert open_files() <= before


def test_a_process_serves_one_game_after_another(supervisor: Supervisor) -> None:
    honest = guest(supervisor, "tampering.py:honest")
    used = set()
    for _ in range(3):
        with honest.seated(players_dice(0, 0)) as player:
            used.add(player.process.pid)
    assert len(used) == 1
    with honest.seated(players_dice(0, 0)) as one, honest.seated(players_dice(0, 1)) as other:
        assert one.process.pid != other.process.pid


def test_an_error_on_the_way_ends_all_processes() -> None:
    with pytest.raises(ZeroDivisionError), leaving_nobody() as supervisor:  # noqa: SIM117
        with guest(supervisor, "tampering.py:honest").seated(players_dice(0, 0)):
            raise ZeroDivisionError


def test_leaving_while_a_guest_thinks_is_no_failure_of_the_guest() -> None:
    seen: list[BaseException] = []

    def wait(thinker: Agent) -> None:
        try:
            play(GAME, [thinker, RandomAgent()], 0)
        except BaseException as error:
            seen.append(error)

    with leaving_nobody() as supervisor:
        play(GAME, [guest(supervisor, "tampering.py:honest"), RandomAgent()], 0)  # the forkserver has started
        thinker = guest(supervisor, "overdue.py:loops_forever")
        thread = threading.Thread(target=wait, args=[thinker])
        thread.start()
        time.sleep(0.5)
    thread.join(10)
    assert [type(error) for error in seen] == [SupervisorClosed]
    with pytest.raises(SupervisorClosed), thinker.seated(players_dice(0, 0)):
        pass


def test_a_dismissed_guest_is_forgotten(supervisor: Supervisor) -> None:
    gone = weakref.ref(one := supervisor.guest(GAME, "random"))
    one.dismiss()
    del one
    assert gone() is None


PARENT = f"""
import sys, threading, time
sys.path.append({str(Path(__file__).parent)!r})
from sparring.arena.referee import play
from sparring.agents.agent import RandomAgent
from sparring.arena.supervisor import Supervisor
from test_supervisor import CHAOS, GAME, agent
try:
    with Supervisor() as supervisor:
        for made in [agent(GAME, f"{CHAOS}/{{name}}") for name in sys.argv[1:]]:
            one = supervisor.guest(GAME, made)
            threading.Thread(target=play, args=(GAME, [one, RandomAgent()], 0), daemon=True).start()
        time.sleep(100)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def match_in_another_terminal(mark: str) -> "subprocess.Popen[str]":
    """A process with three guests at work, one of which has started a demon."""
    files = ["overdue.py:ignores_signals", "overdue.py:loops_forever", "families.py:leaves_a_demon_and_sleeps"]
    command = [sys.executable, "-c", PARENT, *files]
    started = subprocess.Popen(
        command, env={**os.environ, MARK: mark}, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert soon(lambda: len(processes(mark)) == 7, 60), processes(mark)  # itself, two for forks, guests, demon
    return started


def test_a_forkserver_whose_answer_nobody_reads_prints_nothing() -> None:
    """As after an early Ctrl-C."""
    ours, other = socket.socketpair()
    with other:
        command = [sys.executable, "-c", supervising.FORKSERVER, f"{other.fileno()}", "0", *sys.path]
        left = subprocess.Popen(command, pass_fds=[other.fileno()], stderr=subprocess.PIPE, start_new_session=True)
    with ours:
        ours.sendall(supervising.framed({"end": 0}))
    assert left.communicate(timeout=60) == (None, b"")


def test_a_guest_that_compiles_leaves_the_notice_to_its_parent(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from sparring import agent, heuristic\n\n"
        f'@heuristic("isolation")\ndef idea(s, me):\n    return {uuid.uuid4().int % 1000} + s.at[me]\n\n'
        '@agent("isolation")\ndef mine(view):\n    idea(view.state, view.me)\n    raise ValueError\n'
    )
    with Supervisor() as supervisor:
        mine = supervisor.guest(GAME, agent(GAME, f"{tmp_path / 'mine.py'}:mine"))
        with pytest.raises(AgentFailure) as failed:
            mine.decide(first_view())
    assert failed.value.output.startswith("Traceback:")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_while_compiled_code_is_loaded_is_heard_afterwards() -> None:
    """LLVM calls back into Python, and what is raised there goes nowhere."""
    usual, done = signal.getsignal(signal.SIGINT), []
    with pytest.raises(KeyboardInterrupt):
        load_as_numba_does(done)
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is usual
    with ThreadPoolExecutor(1) as elsewhere, pytest.raises(KeyboardInterrupt):
        elsewhere.submit(load_as_numba_does, done, call_back=str).result()
        signal.raise_signal(signal.SIGINT)


@global_compiler_lock  # type: ignore[untyped-decorator]
def load_as_numba_does(done: list[str], call_back: Any = lambda: signal.raise_signal(signal.SIGINT)) -> None:
    with global_compiler_lock:
        ctypes.CFUNCTYPE(None)(call_back)()
        done.append("inner")
    done.append("outer")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_process_is_left_however_the_main_process_ends(number: int) -> None:
    mark = uuid.uuid4().hex
    with match_in_another_terminal(mark) as started:
        os.killpg(started.pid, number)
        told, _ = started.communicate(timeout=10)
    assert told == ("interrupted\n" if number == signal.SIGINT else "")
    assert soon(lambda: not processes(mark)), processes(mark)
