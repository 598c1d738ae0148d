"""Users' Python agents play as guests, in processes of their own, so that a failure costs only their own game.

The referee keeps the real state and the dice in this process. A guest gets what its player may see, as bytes, and must
answer within its limits. Its answers are not trusted. `sparring.agents.sandbox` is the code of the other side.
"""

import atexit
import contextlib
import math
import os
import pickle
import re
import secrets
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from sparring.agents.agent import Agent, View
from sparring.agents.confinement import declares_network
from sparring.agents.decision import Decision
from sparring.agents.dependencies import Sources
from sparring.agents.sandbox import MOST_BYTES, NO_END, NO_MEMORY, children, framed, receive
from sparring.agents.spec import Spec
from sparring.arena import wire
from sparring.arena.limits import (
    CRASH,
    ILLEGAL,
    OUT_OF_MEMORY,
    STALL,
    TIMEOUT,
    TOO_MUCH_OUTPUT,
    AgentFailure,
    Limits,
    VoidGame,
)
from sparring.arena.stopwatch import Stopwatch
from sparring.core.cache import PACKAGE
from sparring.core.dice import guests_dice, one_way
from sparring.core.errors import SparringError
from sparring.core.files import private
from sparring.core.plugins import warn_once
from sparring.games.contract import Game

OUTPUT_KEPT = 4000
"""The last bytes of an agent's output that are kept with its failure."""
OUT_OF_MEMORY_SIGNS = re.compile(r"MemoryError|bad_alloc|[Cc]annot allocate memory|[Oo]ut of memory")
DEATH_SECONDS = 0.5
"""If a process closes its connection and lives longer than this, it closed the connection itself."""
FORKSERVER_SECONDS = 120.0
STOPPED_SECONDS = 1.0
"""A forkserver that does not answer for this time may have been stopped, and is continued."""
STARTS = 3
"""Attempts to start a process for an agent."""
FORKSERVER = (
    "import sys; sys.path.append(sys.argv[3]); from sparring.agents.sandbox import run_forkserver; "
    "sys.path[:] = sys.argv[4:]; run_forkserver(int(sys.argv[1]), bool(int(sys.argv[2])))"
)
"""Imports the package before users' folders are on the path, because these may hold modules of any name."""
FRESH = (
    "import sys; sys.path.append(sys.argv[1]); from sparring.agents.sandbox import run_alone; "
    "sys.path[:] = sys.argv[2:]; run_alone()"
)
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""More threads would make an agent faster only at the cost of other games."""
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
"""Otherwise every thread reserves an arena of its own, and reserved memory counts against the limit."""
ONE_ORDER = {"PYTHONHASHSEED": "0"}
"""Sets have one order in all processes."""
Poller = getattr(selectors, "PollSelector", selectors.SelectSelector)
KILLED = 9  # the number of SIGKILL
NOT_LIMITED = "this system does not limit {} of users' agents in Python"
CANNOT_START = "processes for users' agents cannot be started: "
NO_GAME = "the game cannot be played in another process: "
WAS_KILLED = "its process was ended by SIGKILL"
"""By the system, if its memory runs out, by another process, or by itself."""


class SupervisorClosed(BaseException):
    """The supervisor has ended all guests. Not an `Exception`, so that no referee counts it as an agent's failure."""


class Supervisor:
    """Starts users' agents as guests, enforces their limits, and leaves no process behind."""

    def __init__(self, limits: Limits | None = None, network: bool = False) -> None:
        self.limits = limits or Limits()
        self.network = network
        """True for agents that declare that they use the network."""
        self._online: Supervisor | None = None
        self.closed = False
        self._server: ForkserverClient | FreshProcesses | None = None
        self.guests: set[Guest] = set()
        """The guests that are not dismissed yet."""
        self._apart: set[Supervisor] = set()
        self._lock = threading.Lock()

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if not self.closed:
                SPARE.close()
            self.closed = True
            if self._server:
                self._server.close()
        if self._online:
            self._online.__exit__()
        for guest in list(self.guests):
            guest.dismiss()
        for other in list(self._apart):
            other.__exit__()

    @contextmanager
    def apart(self) -> Iterator["Supervisor"]:
        """A supervisor with a forkserver of its own, for one guest: what disturbs it, disturbs no other guest."""
        with Supervisor(self.limits, self.network) as other:
            self._apart.add(other)
            try:
                if self.closed:
                    raise SupervisorClosed
                yield other
            finally:
                self._apart.discard(other)

    def hand_on(self) -> None:
        """Leave the forkserver to the next supervisor of this process, once all guests are dismissed."""
        with self._lock:
            self.closed = True
            server, self._server = self._server, None
        if self._online:
            self._online.__exit__()
        if server and not server.lost:
            SPARE.keep(server)

    def guest(self, game: Game, agent: Agent | str) -> "Guest":
        """Make a guest of an agent. Its process makes the agent again from its spec and its code."""
        if not self.network and _declares_network(agent):
            self._online = self._online or Supervisor(self.limits, network=True)
            return self._online.guest(game, agent)
        self._starter()
        guest = Guest(self, game, agent)
        self.guests.add(guest)
        return guest

    def start(self, game: str, spec: str, sources: Sources) -> "GuestProcess":
        """Start a new process for an agent."""
        for _ in range(STARTS):
            server = self._starter()
            with contextlib.suppress(ConnectionError):  # the forkserver was killed: start another
                return GuestProcess(server, game, spec, sources, self.limits)
        raise VoidGame("processes for users' agents are killed as soon as they start")

    def _starter(self) -> "ForkserverClient | FreshProcesses":
        with self._lock:
            if self.closed:
                raise SupervisorClosed
            if self._server is None or self._server.lost:
                if self._server:
                    self._server.close()
                try:
                    self._server = (None if self.network else SPARE.take()) or (
                        ForkserverClient(self.network) if hasattr(os, "fork") else FreshProcesses()
                    )
                except (OSError, MemoryError) as error:
                    raise VoidGame(CANNOT_START + (str(error) or "there is no memory")) from error
            return self._server


class SpareForkserver:
    """A forkserver without guests, for the next supervisor that looks up files and modules in the same folders."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], ForkserverClient | FreshProcesses] = {}
        self._lock = threading.Lock()
        atexit.register(self.close)

    def keep(self, server: "ForkserverClient | FreshProcesses") -> None:
        self.close()
        with self._lock:
            self._kept[self._here()] = server

    def take(self) -> "ForkserverClient | FreshProcesses | None":
        with self._lock:
            found = self._kept.pop(self._here(), None)
        self.close()
        return found

    def close(self) -> None:
        with self._lock:
            while self._kept:
                self._kept.popitem()[1].close()

    @staticmethod
    def _here() -> tuple[str, ...]:
        return (str(Path.cwd()), *sys.path)


SPARE = SpareForkserver()


class ForkserverClient:
    """The connection to the process that forks guests."""

    def __init__(self, network: bool) -> None:
        self.lost = False
        self._inner: dict[int, int] = {}
        """By the number of a process here: its number in the namespace of the forkserver."""
        self._lock = threading.Lock()
        self._connection, other = socket.socketpair()
        self._connection.settimeout(FORKSERVER_SECONDS)
        with other:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-c",
                    FORKSERVER,
                    f"{other.fileno()}",
                    f"{network:d}",
                    str(PACKAGE.parent),
                    *sys.path,
                ],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for this process alone
                env={**ONE_THREAD, **ONE_ARENA, **os.environ, **ONE_ORDER},
            )

    def start(self, message: dict[str, Any], output: IO[bytes], sources: Sources) -> tuple[int, socket.socket]:
        """Fork a process for an agent; return its number and the connection to it."""
        with contextlib.ExitStack() as opened:
            connection, other = socket.socketpair()
            opened.enter_context(connection)
            with other, tempfile.TemporaryFile(buffering=0) as code:
                code.write(pickle.dumps(sources))
                answer = self._request(message, (other.fileno(), output.fileno(), code.fileno()))
            if "error" in answer:
                raise SparringError(NO_GAME + answer["error"])
            opened.pop_all()
        if answer["lacking"]:
            warn_once(NOT_LIMITED.format(" and ".join(answer["lacking"])))
        pid = answer.get("outside", answer["pid"])
        self._inner[pid] = answer["pid"]
        return pid, connection

    def end(self, pid: int) -> int | None:
        """Kill a process and all that it started. Return its exit code."""
        with contextlib.suppress(ConnectionError):  # without a forkserver there are no guests
            status = self._request({"end": self._inner.pop(pid)})["status"]
            return None if status is None else os.waitstatus_to_exitcode(status)
        return None

    def _request(self, message: dict[str, Any], files: Sequence[int] = ()) -> dict[str, Any]:
        try:
            with self._lock:
                self._connection.sendall(framed(message))
                if files:
                    socket.send_fds(self._connection, [b"*"], files)
                self._await_answer()
                answer = receive(self._connection)
                if answer and answer["handles"]:
                    answer["outside"] = _number_of(socket.recv_fds(self._connection, 1, 1)[1][0])
        except OSError:
            answer = None
        if answer is None:
            self.lost = True
            raise ConnectionError("the forkserver is gone")
        return answer

    def _await_answer(self) -> None:
        """Wait until there is an answer. A forkserver that was stopped goes on: it keeps the time of all games."""
        with Poller() as poll:
            poll.register(self._connection, selectors.EVENT_READ)
            for _ in range(int(FORKSERVER_SECONDS / STOPPED_SECONDS)):
                if poll.select(STOPPED_SECONDS):
                    return
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self._process.pid, signal.SIGCONT)

    def close(self) -> None:
        """Close the connection; then the forkserver ends all guests and itself."""
        self.lost = True
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._lock:
            self._connection.close()


def _declares_network(agent: Agent | str) -> bool:
    """True if the file of an agent declares that it uses the network."""
    spec = Spec.parse(agent if isinstance(agent, str) else agent.spec)
    sources = spec.sources() if isinstance(agent, str) else agent.sources
    return declares_network(sources.get(Path(spec.file).name, b""), spec.parts[-1])


def _number_of(handle: int) -> int:
    """The number of a process of which another process sent a handle."""
    try:
        (told,) = re.findall(r"Pid:\s*(\d+)", Path(f"/proc/self/fdinfo/{handle}").read_text())
        return int(told)
    finally:
        os.close(handle)


class FreshProcesses:
    """Starts a new Python for each guest, where processes cannot be forked. That takes longer, and it has no limits but
    those of time."""

    def __init__(self) -> None:
        self.lost = False
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    def start(self, message: dict[str, Any], output: IO[bytes], sources: Sources) -> tuple[int, socket.socket]:
        """Start a process for an agent; return its number and the connection to it."""
        warn_once("this system limits nothing but the time of users' agents in Python")
        token = secrets.token_hex()
        with socket.create_server(("127.0.0.1", 0)) as server, tempfile.TemporaryFile() as told:
            pickle.dump((message, sources, server.getsockname(), token), told)
            told.seek(0)
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", FRESH, str(PACKAGE.parent), *sys.path],
                stdin=told,
                stdout=output,
                stderr=output,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),  # Ctrl-C is for this process alone
                env={**ONE_THREAD, **os.environ, **ONE_ORDER},
            )
            self._processes[process.pid] = process
            server.settimeout(1.0)
            while process.poll() is None:
                with contextlib.suppress(TimeoutError), contextlib.ExitStack() as opened:
                    connection = opened.enter_context(server.accept()[0])
                    connection.settimeout(1.0)
                    answer = receive(connection)
                    if not answer or answer.get("token") != token:
                        continue  # it was another program
                    if "error" in answer:
                        self.end(process.pid)
                        raise SparringError(NO_GAME + answer["error"])
                    opened.pop_all()
                    return process.pid, connection
        raise ConnectionError("the process ended before it was ready")

    def end(self, pid: int) -> int | None:
        """Kill a process. Return its exit code if it had ended before."""
        process = self._processes.pop(pid)
        code = process.poll()
        process.kill()
        process.wait()
        return code

    def close(self) -> None:
        self.lost = True
        for process in list(self._processes.values()):
            process.kill()
            process.wait()


class GuestProcess:
    """A guest's process: questions and answers with a deadline, and its end."""

    def __init__(
        self, server: ForkserverClient | FreshProcesses, game: str, spec: str, sources: Sources, limits: Limits
    ) -> None:
        self._server = server
        self._limits = limits
        self._turn = 0
        self.idle = True
        """True if it has answered every question."""
        with contextlib.ExitStack() as opened:
            self._output = opened.enter_context(tempfile.TemporaryFile(buffering=0))
            modules = [name for name in sys.modules if name.startswith("sparring.")]
            hidden = sorted(map(str, private))
            allowed = {"memory": limits.memory, "output": limits.output, "hidden": hidden}
            message = {"game": game, "modules": modules, "spec": spec, **allowed}
            self.pid, self._connection = server.start(message, self._output, sources)
            opened.enter_context(self._connection)
            self._opened = opened.pop_all()
        self._ended = False
        self._code: int | None = None
        self._poll, self._death = Poller(), Poller()
        self._poll.register(self._connection, selectors.EVENT_READ)
        with contextlib.suppress(OSError, AttributeError):  # its process id is not reused before `end`
            death = os.pidfd_open(self.pid)
            self._opened.callback(os.close, death)
            self._poll.register(death, selectors.EVENT_READ)
            self._death.register(death, selectors.EVENT_READ)

    def ask(self, message: dict[str, Any], watch: Stopwatch) -> dict[str, Any]:
        """Return the answer. Raise TimeoutError or VoidGame if there is none in time, ConnectionError if there is no
        valid one."""
        self.idle = False
        self._turn += 1
        self._connection.settimeout(watch.limit)
        self._connection.sendall(framed({**message, "turn": self._turn}))
        answer = wire.opened(self._read(watch), self._turn)
        self.idle = True
        return answer

    def _read(self, watch: Stopwatch) -> bytes:
        data, length = b"", MOST_BYTES
        while len(data) < 4 + length:
            signs = self._poll.select(watch.slice)
            watch.tick(bool(signs))
            watch.check(bool(signs))
            if not signs:
                continue
            if all(key.fileobj is not self._connection for key, _ in signs):
                raise ConnectionError("it died")  # a process that it started may still have the connection
            part = self._connection.recv(1 << 16)
            if not part:
                raise ConnectionError("it closed its connection to the referee")
            data += part
            if len(data) >= 4:
                length = int.from_bytes(data[:4], "big")
            if length > MOST_BYTES or len(data) > 4 + length:
                raise ConnectionError(wire.NO_ANSWER)
        return data[4:]

    def forget_output(self) -> None:
        self._output.truncate(0)
        self._output.seek(0)  # the process shares this position

    def tail(self) -> str:
        """The end of its output."""
        written = os.fstat(self._output.fileno()).st_size
        if not written:
            return ""
        self._output.seek(max(0, written - OUTPUT_KEPT))
        return wire.clean(self._output.read(OUTPUT_KEPT).decode(errors="replace").replace("\r", "\n"))

    def end(self) -> None:
        """Kill the process and all that it started."""
        if not self._ended:
            self._ended = True
            self._code = self._server.end(self.pid)

    def close(self) -> None:
        self.end()
        self._opened.close()

    @property
    def alone(self) -> bool:
        """True if the process that started it, and would have ended it, is gone."""
        return self._server.lost

    def cause_of_death(self, error: Exception) -> tuple[str, str]:
        """Kill the process after an error of the connection; return the verdict and the details."""
        dead = False
        if self._death.get_map():
            dead = bool(self._death.select(DEATH_SECONDS))
        else:
            time.sleep(DEATH_SECONDS)
        self.end()
        if self._code is None or (not dead and self._code == -KILLED):
            return CRASH, str(error)
        sign = signal.Signals(-self._code).name if self._code < 0 else ""
        if sign == "SIGXFSZ":
            return TOO_MUCH_OUTPUT, f"it wrote more than {self._limits.output / (1 << 20):g} MiB"
        how = f"was ended by {sign}" if sign else f"exited with status {self._code}"
        return OUT_OF_MEMORY if OUT_OF_MEMORY_SIGNS.search(self.tail()) else CRASH, f"its process {how}"


class Guest(Agent):
    """A user's agent in processes of its own: one for each game that is played at the same time."""

    compiled = False

    def __init__(self, supervisor: Supervisor, game: Game, agent: Agent | str) -> None:
        self.own_dice = False
        """True for a compiled agent: it plays with its player's dice, which its code cannot search for a seed."""
        if isinstance(agent, str):
            self.spec, self.draws = agent, True
        else:
            self.spec, self.label, self.draws, self.timed = agent.spec, agent.label, agent.draws, agent.timed
            self.sources, self.metrics = agent.sources, agent.metrics
            self.own_dice = agent.own_dice if isinstance(agent, Guest) else agent.compiled
        self.supervisor = supervisor
        self.game = game
        self._game = pickle.dumps(game).hex()
        self._idle: list[GuestProcess] = []
        self._gone = False
        self.printed = ""
        """The end of what it printed in the last game in which it printed anything."""

    @contextmanager
    def seated(self, dice: Any) -> Iterator["GuestSession"]:
        """Start the session of one game, in a process without knowledge of other games."""
        seed = one_way(dice, "seed").hex()
        player = self._reused(seed) or GuestSession(
            self, self.supervisor.start(self._game, self.spec, self.sources), seed
        )
        try:
            yield player
        finally:
            self.printed = player.process.tail().strip("\r\n") or self.printed
            if player.fit and not self._gone and not self.supervisor.closed:
                self._idle.append(player.process)
            else:
                player.process.close()

    def _reused(self, seed: str) -> "GuestSession | None":
        """A session in an idle process that can play another game; None if there is none."""
        with contextlib.suppress(IndexError):
            while process := self._idle.pop():
                player = GuestSession(self, process, seed)
                if player.fit:
                    return player
                process.close()
        return None

    def decide(self, view: View) -> Decision:
        with self.seated(view.dice) as player:
            return player.decide(view)

    def explain(self, view: View) -> Decision:
        with self.seated(view.dice) as player:
            return player.explain(view)

    def dismiss(self) -> None:
        """End the idle processes; no more games will be played."""
        self._gone = True
        self.supervisor.guests.discard(self)
        while self._idle:
            self._idle.pop().close()


class GuestSession(Agent):
    """A guest in one game. After a failure every call raises the same failure."""

    compiled = False

    def __init__(self, guest: Guest, process: GuestProcess, seed: str) -> None:
        self.spec, self.label, self.draws, self.sources = guest.spec, guest.label, guest.draws, guest.sources
        self.metrics, self._own_dice = guest.metrics, guest.own_dice
        self.process = process
        self._supervisor = guest.supervisor
        self._limits = guest.supervisor.limits
        self._bank = self._limits.bank
        self.seconds = 0.0
        """The time of the last decision, as it counts for the clock."""
        self._failure: AgentFailure | VoidGame | None = None
        self.warned: list[str] = []
        """Warnings from the making of the agent, such as a heuristic that cannot be compiled."""
        self._wants_the_end = False
        process.forget_output()
        try:
            with contextlib.suppress(AgentFailure, VoidGame):  # the first decision raises it again
                ready = self._ask({"seed": seed}, self._limits.stall, "while loading: ")
                self.warned = wire.warnings(ready)
                self._wants_the_end = bool(ready.get("wants_the_end"))
        except BaseException:
            process.close()
            raise

    @property
    def fit(self) -> bool:
        """True if the process can play another game, in which nothing that it has started still runs."""
        return self._failure is None and self.process.idle and not children(self.process.pid)

    def decide(self, view: View) -> Decision:
        limits = self._limits
        answer = self._ask(self._question(view), limits.stall if limits.move is None else limits.move + self._bank)
        if limits.move is not None:
            self._bank = max(0.0, self._bank - max(0.0, self.seconds - limits.move))
        return self._judged(answer, view)

    def explain(self, view: View) -> Decision:
        return self._judged(self._ask({**self._question(view), "explain": True}, self._limits.stall), view)

    def annotate(self, decision: Decision, view: View) -> Decision:
        """Let a compiled agent add its reasons. An agent in Python has none but those of its decision."""
        if not self._own_dice:
            return decision
        told = self._judged(self._ask({**self._question(view), "annotate": True}, self._limits.stall), view)
        return replace(told, seconds=decision.seconds)

    def hindsight(self, decision: Decision, view: View) -> Mapping[str, Any]:
        if not self._own_dice:
            return {}
        with contextlib.suppress(AgentFailure, VoidGame):  # the next decision raises it again
            found = self._ask({**self._question(view), "hindsight": True}, self._limits.stall).get("hindsight")
            return found if isinstance(found, dict) else {}
        return {}

    def game_ended(self, view: View) -> None:
        if self._wants_the_end:
            with contextlib.suppress(AgentFailure, VoidGame):  # the game counts as it ended
                self._ask({**self._question(view), "ended": True}, self._limits.stall)

    def _ask(self, message: dict[str, Any], seconds: float, when: str = "") -> dict[str, Any]:
        if self._failure:
            raise self._failure
        watch = Stopwatch(self.process.pid, seconds)
        try:
            answer = self.process.ask(message, watch)
        except (TimeoutError, VoidGame) as late:
            self.process.end()
            verdict = STALL if when or self._limits.move is None else TIMEOUT
            failure = self._failed(verdict, f"{when}no answer after {seconds:.3g} s")
            raise self._void(late.reason, failure) if isinstance(late, VoidGame) else failure from None
        except ConnectionError as error:
            verdict, detail = self.process.cause_of_death(error)
            failure = self._failed(verdict, when + detail)
            if self.process.alone:
                raise self._void("the process that starts agents was ended", failure) from None
            raise self._void(detail, failure) if detail == WAS_KILLED else failure from None
        except (OSError, MemoryError) as error:
            self.process.end()
            raise self._void(f"{error or 'there is no memory'}", self._failed(CRASH, f"{when}{error}")) from None
        self.seconds = watch.wall if watch.wall <= (self._limits.move or math.inf) else watch.net
        if "failed" in answer:
            verdict = {NO_MEMORY: OUT_OF_MEMORY, NO_END: STALL}.get(str(answer["failed"]), CRASH)
            raise self._failed(verdict, answer.get("detail"))
        return answer

    def _void(self, reason: str, failure: AgentFailure) -> VoidGame:
        """Make the game void; the agent's failure counts if this happens again and again."""
        self._failure = VoidGame(f"{self.name}: {reason}", failure)
        return self._failure

    def _judged(self, answer: dict[str, Any], view: View) -> Decision:
        """Check an untrusted answer and make a decision of it."""
        try:
            decision = wire.decision_in(answer, view, self.spec, self.seconds)
            if self._own_dice:
                view.dice["word"] = wire.dice_in(answer)["word"]
            return decision
        except SparringError as error:
            raise self._failed(ILLEGAL, str(error)) from None
        except wire.INVALID as error:
            raise self._failed(CRASH, "it sent an invalid decision") from error

    def _failed(self, verdict: str, detail: Any) -> AgentFailure:
        if self._supervisor.closed:
            raise SupervisorClosed
        self._failure = AgentFailure(verdict, wire.one_line(detail), self.process.tail())
        return self._failure

    def _question(self, view: View) -> dict[str, Any]:
        """Everything that a guest learns: what its player sees, its seat, and dice for this move alone."""
        state = view.position.game.to_bytes(view.state)
        own = (view.dice.tobytes() if self._own_dice else guests_dice(view.dice)).hex()
        return {"state": state.hex(), "me": view.me, "dice": own, "seconds": view.seconds, "explain": False}
