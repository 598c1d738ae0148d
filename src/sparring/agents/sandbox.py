"""The sandbox of a user's agent: a process of its own. This is the child's side; arena/supervisor.py is the parent's.

To start Python takes most of a second. So one forkserver imports everything once, and forks a process for an agent
whenever it is asked. It alone ends these processes and waits for them, so that no process number is used again too
soon. When the parent is gone, however it ended, the forkserver ends all of them.
"""

import contextlib
import gc
import hashlib
import importlib
import json
import os
import pickle
import random
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents import execution
from sparring.agents.agent import Agent, FunctionAgent, View, causes, users_frames
from sparring.agents.confinement import DEATH_SIGNAL, confine, make_scratch, missing, prctl, remove_scratch, separate
from sparring.agents.decision import Decision, EstimatedCandidate
from sparring.agents.dependencies import HASH, Sources, guard, watch_openers
from sparring.agents.execution import Encoder
from sparring.agents.outside import become_guest
from sparring.agents.spec import Spec
from sparring.agents.spec import agent as make_agent
from sparring.agents.userfile import from_snapshot
from sparring.core.cache import keep_apart, keep_what_a_guest_compiled
from sparring.core.dice import Dice
from sparring.core.errors import EndlessLoop, SparringError
from sparring.core.files import user_cache
from sparring.core.kernel import compile_notice
from sparring.games.contract import Game, Position

try:
    import resource
except ImportError:  # as on Windows
    resource = None  # type: ignore[assignment]

ERROR, NO_MEMORY, NO_END = "error", "no memory", "no end"
"""The kinds of failure that the process itself can report."""
REPORT_MEMORY = 64 << 20
"""Bytes beyond the limit that are left to report that there is no memory."""
MOST_BYTES = 1 << 20
"""The longest message. Messages are JSON and not pickle: to read what an untrusted process writes must not run it."""
FILES = 3
"""File descriptors that the forkserver gets for an agent: its connection, a file for its output, one with its code."""
CONNECTION = 3
"""The file descriptor of the agent's connection to the referee."""
THREAD_STACK = 2 << 20
"""Bytes that a thread reserves. The usual eight megabytes count as used memory, though nearly all stay unused."""
MOST_DETAIL = 300
STATUS = Path("/proc/self/status")
ADOPT_ORPHANS = 36  # an option of Linux's prctl; without it the forkserver still ends the processes that it knows


# Messages


def framed(message: dict[str, Any]) -> bytes:
    """Return a message as it is sent: its length in four bytes, then JSON."""
    body = json.dumps(message, default=_plain).encode()
    if len(body) > MOST_BYTES:
        raise ValueError(f"an answer of {len(body)} bytes")
    return len(body).to_bytes(4, "big") + body


def receive(connection: socket.socket) -> dict[str, Any] | None:
    """Return the next message of a trusted sender; None if there will be no other."""
    head = _exactly(connection, 4)
    body = _exactly(connection, int.from_bytes(head, "big")) if head else None
    return json.loads(body) if body else None


def _exactly(connection: socket.socket, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def encoded(decision: Decision) -> dict[str, Any]:
    """Return a decision as it is sent, without the position, which the referee knows."""
    action: Any = decision.action
    if isinstance(action, bool) or not isinstance(action, int | np.integer | str):
        action = repr(action)
    return {
        "action": action[:MOST_DETAIL] if isinstance(action, str) else int(action),
        "candidates": [
            [one.action, one.score, one.exact, [*one.line], {**one.terms}, one.note[:MOST_DETAIL], estimated]
            for one in decision.candidates
            for estimated in [isinstance(one, EstimatedCandidate)]
        ],
        "depth": decision.depth,
        "nodes": decision.nodes,
        "seconds": decision.seconds,
        "weights": {**decision.weights},
        "notes": {**decision.notes},
    }


# The forkserver


def run_forkserver(connection: int, network: bool) -> None:
    """Run the forkserver in this process, or in a copy with namespaces of its own."""
    threading.stack_size(THREAD_STACK)
    compile_notice.said = True
    scratch = Path(tempfile.mkdtemp(prefix="sparring-"))
    separated = separate(network, scratch)
    try:
        Forkserver(socket.socket(fileno=connection), network, scratch, separated).run()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        os._exit(0)  # Python's own end takes long when much is loaded, and somebody waits


class Forkserver:
    """Forks processes for agents and ends them. It has one thread and runs no user's code itself."""

    def __init__(self, connection: socket.socket, network: bool, scratch: Path, separated: bool) -> None:
        self.connection = connection
        self.network = network
        self.scratch = scratch
        self.lacking = [*not_limited(), *missing(network, scratch, separated)]
        self.parent = os.getppid()
        self.agents: dict[int, tuple[Path, Path]] = {}
        """By process: its scratch folder, and where code is kept that it compiled."""
        self.started = 0
        self.games: dict[str, Game] = {}

    def run(self) -> None:
        prctl(ADOPT_ORPHANS, 1)
        gc.freeze()
        try:
            with contextlib.suppress(ConnectionError):  # the parent did not wait for the answer
                while (request := self._next()) is not None:
                    self._send(self._answer(request))
        finally:
            for pid in list(self.agents):
                self._end(pid)
            self._end_orphans()

    def _send(self, answer: dict[str, Any]) -> None:
        """Send an answer, and a handle of the process: in a namespace its number is another than outside."""
        with contextlib.ExitStack() as opened:
            handles = []
            with contextlib.suppress(AttributeError, OSError, KeyError):
                handles.append(os.pidfd_open(answer["pid"]))
                opened.callback(os.close, handles[0])
            self.connection.sendall(framed({**answer, "handles": len(handles)}))
            if handles:
                socket.send_fds(self.connection, [b"*"], handles)

    def _next(self) -> dict[str, Any] | None:
        while not select.select([self.connection], [], [], 1.0)[0]:
            if os.getppid() != self.parent:  # another process may hold the connection open
                return None
        return receive(self.connection)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "end" in request:
            return {"status": self._end(request["end"])}
        _, files, _, _ = socket.recv_fds(self.connection, 1, FILES)
        if len(files) < FILES:
            raise ConnectionError("the parent is gone")
        try:
            game = self._game(request["game"], request["modules"])
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
        else:
            return {"pid": self._fork(files, game, request), "lacking": self.lacking}
        finally:
            for file in files:
                os.close(file)

    def _game(self, pickled: str, modules: list[str]) -> Game:
        """Return the game as the parent has it, with its rules compiled. Forked processes inherit all this."""
        if pickled not in self.games:
            self.games[pickled] = _game(pickled, modules)
            gc.freeze()
        return self.games[pickled]

    def _fork(self, files: list[int], game: Game, request: dict[str, Any]) -> int:
        forkserver, (connection, output, code) = os.getpid(), files
        self.started += 1
        scratch = self.scratch / f"{self.started}"
        make_scratch(scratch)
        file = Spec.parse(request["spec"]).file
        compiled = user_cache() / "guests" / hashlib.blake2b(os.fsencode(file), digest_size=8).hexdigest()
        pid = os.fork()
        if pid:
            self.agents[pid] = scratch, compiled
            return pid
        try:
            self.connection.detach()
            sources = pickle.loads(os.pread(code, os.fstat(code).st_size, 0))
            _isolate(forkserver, connection, output)
            _limit(request["memory"], request["output"])
            tempfile.tempdir = os.environ["TMPDIR"] = f"{scratch}"
            keep_apart(compiled)
            confine(scratch, request["hidden"], self.network)
            Sandbox(socket.socket(fileno=CONNECTION), game, request["spec"], sources, scratch.resolve()).run()
        finally:
            os._exit(1)

    def _end(self, pid: int) -> int | None:
        """Kill a process with all that it started. Return its status if it had ended before."""
        if pid not in self.agents:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):  # it may be too young to lead a group
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        self._end_orphans()
        scratch, compiled = self.agents.pop(pid)
        keep_what_a_guest_compiled(scratch, compiled)
        remove_scratch(scratch)
        return status

    def _end_orphans(self) -> None:
        """Kill processes that escaped into sessions of their own: the forkserver adopts orphans."""
        while orphans := [pid for pid in children(os.getpid()) if pid not in self.agents]:
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _game(pickled: str, modules: list[str]) -> Game:
    """Return a game with its rules compiled."""
    for module in modules:
        importlib.import_module(module)
    game: Game = pickle.loads(bytes.fromhex(pickled))
    state = game.start().state
    for player in game.actors(state):
        game.legal(state, player)
    return game


def children(pid: int) -> list[int]:
    """Return the processes that a process started, where the system tells."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _isolate(forkserver: int, connection: int, output: int) -> None:
    """Give a forked process a session of its own. Of all open files it keeps its connection and its output."""
    os.setsid()
    prctl(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != forkserver:
        os._exit(1)
    null = os.open(os.devnull, os.O_RDONLY)
    for open_file, place in ((null, 0), (output, 1), (output, 2)):
        os.dup2(open_file, place)
    if connection != CONNECTION:
        os.dup2(connection, CONNECTION)
    os.set_inheritable(CONNECTION, False)
    for file in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        with contextlib.suppress(OSError):  # one of them was for the listing
            if file > CONNECTION:
                os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="replace", closefd=False)  # noqa: SIM115


def _limit(memory: int, output: int) -> None:
    """Set the limits that the kernel enforces. Python would ignore the signal of too much output."""
    if resource is None:
        return
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    with contextlib.suppress(OSError):  # without /proc the size of the process is not known
        allowed = _size("VmSize") + memory
        resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed + REPORT_MEMORY))


def _size(which: str) -> int:
    """Return the bytes of address space that this process has, or had at most."""
    status = dict(line.split(":", 1) for line in STATUS.read_text().splitlines())
    return int(status[which].split()[0]) << 10


def not_limited() -> list[str]:
    """Return what agents may use without limit where a process can be forked."""
    return [] if resource and STATUS.exists() else ["memory", "child processes"]


# The process of an agent


def run_alone() -> None:
    """Run the process of one agent, where processes cannot be forked."""
    threading.stack_size(THREAD_STACK)
    sys.stdout = sys.stderr = open(1, "w", 1, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
    request, sources, address, token = pickle.load(sys.stdin.buffer)
    answer, game = {"token": token}, None
    try:
        game = _game(request["game"], request["modules"])
    except Exception as error:
        answer["error"] = f"{type(error).__name__}: {error}"
    with socket.create_connection(address) as connection:
        connection.sendall(framed(answer))
        if game:
            Sandbox(connection, game, request["spec"], sources, None).run()


class Sandbox:
    """The loop of an agent's process until it is ended: load the agent for a game, decide move after move, repeat."""

    def __init__(
        self, connection: socket.socket, game: Game, spec: str, sources: Sources, scratch: Path | None
    ) -> None:
        self.connection = connection
        self.game = game
        self.spec = spec
        self.file = Spec.parse(spec).file
        self.folder = Path(self.file).resolve().parent
        self.sources = sources
        self.scratch = scratch
        self.agent: Agent | None = None
        self.player: Agent | None = None
        self.last: Any = None
        """The last decision, to which reasons may be added."""
        self.seat = contextlib.ExitStack()
        self.warned: list[str] = []
        self.encoder = Encoder()
        become_guest()

    def run(self) -> None:
        own = os.getpid()
        while (request := receive(self.connection)) is not None:
            try:
                answer = framed({**self._answer(request), "turn": request["turn"]})
            except BaseException as error:
                answer = framed({**self._failure(error), "turn": request["turn"]})
            if os.getpid() != own:  # the agent forked, and this is the copy
                return
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            self.connection.sendall(answer)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "seed" in request:
            if not request.get("trial"):
                watch_openers()  # in a trial an audit hook sees all files
            return self._load(request["seed"])
        if "values" in request:
            return self._values(request["values"], request["weighed"])
        if "agents" in request:
            return {"agents": execution.agents_in(execution.run(Path(self.file), self.sources)[0])}
        if "piece" in request:
            return {"piece": self.encoder.piece(*request["piece"])}
        assert self.player
        state = self.game.from_bytes(bytes.fromhex(request["state"]))
        dice = np.array(np.frombuffer(bytes.fromhex(request["dice"]), Dice)).view(np.recarray)[0]
        view = View(UncheckedPosition(self.game, state, dice), request["me"], dice, request["seconds"])
        if request.get("ended"):
            self.player.game_ended(view)
            return {}
        if request.get("hindsight"):
            return {"hindsight": dict(self.player.hindsight(self.last, view))}
        if request.get("annotate"):
            self.last = self.player.annotate(self.last, view)
        else:
            self.last = self.player.explain(view) if request["explain"] else self.player.decide(view)
        return {**encoded(self.last), "dice": dice.tobytes().hex()}

    def _load(self, seed: str) -> dict[str, Any]:
        """Begin a game with everything as in a new process, so that games do not depend on games before.

        A heuristic is a function of the state and stays: to find that it cannot be compiled takes a second.
        """
        if threading.active_count() > 1:
            os._exit(0)  # a thread still works on the last game; only a new process is without it
        entropy = bytes.fromhex(seed)
        random.seed(entropy)
        np.random.seed(np.frombuffer(entropy, "<u4"))
        # NumPy's generators that get no seed, such as default_rng(), take theirs from here
        np.random.bit_generator.randbits = random.Random(entropy).getrandbits  # type: ignore[attr-defined]
        self.seat.close()
        if self.agent is None or isinstance(self.agent, FunctionAgent):
            self.agent = None
            self.warned.clear()
            with from_snapshot({self.file: self.sources}):
                self.agent = make_agent(self.game, self.spec, warn=self.warned.append)
            guard(self.folder, self.agent.sources, self.scratch)
        self.player = self.seat.enter_context(self.agent.seated(None))
        used = [name for name, source in self.agent.sources.items() if HASH.fullmatch(source)]
        return {
            "ready": True,
            "used": used,
            "warned": self.warned,
            "wants_the_end": getattr(self.agent, "wants_the_end", False),
        }

    def _values(self, wanted: list[list[str]], weighed: str) -> dict[str, Any]:
        """Run the file, and answer with the values of some names in it."""
        wants = [(module, name) for module, name in wanted]
        module, used = execution.run(Path(self.file), self.sources)
        found, weights = execution.values_of(module, wants, weighed)
        told = [self.encoder.encoded(found[want]) if want in found else None for want in wants]
        return {"values": told, "weights": execution.weights_told(weights), "used": sorted(map(str, used))}

    def _failure(self, error: BaseException) -> dict[str, Any]:
        """Return what went wrong, in a line. The traceback goes to the output of the process."""
        allowed = 0
        if resource is not None and STATUS.exists():
            allowed, most = resource.getrlimit(resource.RLIMIT_AS)
            resource.setrlimit(resource.RLIMIT_AS, (most, most))
        kind = NO_END if isinstance(error, EndlessLoop) else ERROR
        if any(_no_memory(cause, allowed) for cause in causes(error)):
            kind = NO_MEMORY
        detail = _line(error)
        if not isinstance(error, SparringError):
            own = users_frames(error)
            detail += f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
            detail += _remedy(error)
            with contextlib.suppress(Exception):
                print("Traceback:\n", *traceback.format_list(own), _line(error), sep="", file=sys.stderr)
        return {"failed": kind, "detail": detail if self.agent else f"while loading: {detail}"}


class UncheckedPosition(Position):
    """A position that takes any answer. Only the referee, whose rules the agent cannot reach, says what is legal."""

    def action(self, name: Any, player: int | None = None) -> Any:
        return name


def _no_memory(error: BaseException, allowed: int) -> bool:
    """True if there was no memory for something, also for the stack of a thread."""
    if isinstance(error, RuntimeError) and "can't start new thread" in _line(error):
        return 0 < allowed < _size("VmPeak") + 2 * threading.stack_size()  # by now its threads may have ended
    return isinstance(error, MemoryError)


def _remedy(error: BaseException) -> str:
    """Say what an agent may do that was refused something."""
    refused: BaseException | None = error
    while refused and not (isinstance(refused, PermissionError) and refused.errno):
        refused = refused.__cause__ or refused.__context__
    if isinstance(refused, PermissionError) and refused.filename is not None:
        return "; an agent may write files in tempfile.gettempdir() only"
    called = traceback.extract_tb(refused.__traceback__) if refused else ()
    if any(Path(frame.filename).name == "socket.py" for frame in called):
        return '; declare the network: @agent("GAME", network=True)'
    return ""


def _line(error: BaseException) -> str:
    """Return an exception as one line of bounded length, even if its message cannot be read."""
    try:
        text = " ".join(str(error)[: 4 * MOST_DETAIL].split())
    except Exception:
        text = "(a message that cannot be read)"
    if not isinstance(error, SparringError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= MOST_DETAIL else f"{text[:MOST_DETAIL]} ..."
