"""A guest is a user's agent in a process of its own. This is the child's side: the nursery and the guests.

Starting Python takes most of a second, so one nursery process imports everything once and forks a guest whenever
it is asked. It alone ends guests and waits for them, so that no process number is reused behind anybody's back.
When whoever asks is gone, however it ended, the nursery takes all guests with it.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import os
import pickle
import random
import resource
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, FunctionAgent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.spec import Spec
from sparring.agents.spec import agent as make_agent
from sparring.agents.userfile import Sources, keeping
from sparring.core.dice import Dice
from sparring.core.errors import SparringError
from sparring.games.contract import Game, Position

ERROR, NO_MEMORY = "error", "no memory"
"""How a guest can tell that it failed."""
LAST_WORDS = 64 << 20
"""Bytes of memory to tell that there is no memory left."""
MOST_BYTES = 1 << 20
"""No message is longer. JSON and not pickle: reading what an untrusted process writes must not run it."""
FILES = 3
"""What the nursery gets for a guest: its line to the referee, a file for its output, and one with its user's code."""
LINE = 3
"""The file descriptor of a guest's line to the referee."""
THREAD_STACK = 2 << 20
"""Bytes that a thread reserves: of eight megabytes, as usual, nearly all would count as used and never be."""
MOST_DETAIL = 300
DEATH_SIGNAL, ADOPT_ORPHANS = 1, 36  # of Linux's prctl


def framed(message: dict[str, Any]) -> bytes:
    """A message as it goes over the line: its length in four bytes, then JSON."""
    body = json.dumps(message, default=_plain).encode()
    if len(body) > MOST_BYTES:
        raise ValueError(f"an answer of {len(body)} bytes")
    return len(body).to_bytes(4, "big") + body


def receive(line: socket.socket) -> dict[str, Any] | None:
    """The next message of a trusted sender; None if there will be no other."""
    head = _exactly(line, 4)
    body = _exactly(line, int.from_bytes(head, "big")) if head else None
    return json.loads(body) if body else None


def _exactly(line: socket.socket, count: int) -> bytes | None:
    data = bytearray()
    while len(data) < count:
        part = line.recv(count - len(data))
        if not part:
            return None
        data += part
    return bytes(data)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def _prctl(option: int, value: int) -> None:
    """Where there is none, the nursery's own tidying up has to do."""
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Nursery:
    """Forks guests as asked and ends them. Single-threaded, and runs no user's code itself."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.parent = os.getppid()
        self.guests: set[int] = set()
        self.games: dict[str, Game] = {}

    def run(self) -> None:
        _prctl(ADOPT_ORPHANS, 1)
        gc.freeze()
        try:
            with contextlib.suppress(ConnectionError):  # whoever asked did not wait for the answer
                while (request := self._next()) is not None:
                    self.line.sendall(framed(self._answer(request)))
        finally:
            for pid in list(self.guests):
                self._end(pid)
            self._sweep()

    def _next(self) -> dict[str, Any] | None:
        while not select.select([self.line], [], [], 1.0)[0]:
            if os.getppid() != self.parent:  # somebody else may hold the line open
                return None
        return receive(self.line)

    def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if "end" in request:
            return {"status": self._end(request["end"])}
        _, files, _, _ = socket.recv_fds(self.line, 1, FILES)
        if len(files) < FILES:
            raise ConnectionError("whoever asked is gone")
        try:
            game = self._game(request["game"], request["modules"])
        except Exception as error:
            return {"error": f"{type(error).__name__}: {error}"}
        else:
            return {"pid": self._fork(files, game, request)}
        finally:
            for file in files:
                os.close(file)

    def _game(self, pickled: str, modules: list[str]) -> Game:
        """The game as the main process has it, with whatever of it must be compiled; guests inherit all this."""
        if pickled not in self.games:
            for module in modules:
                importlib.import_module(module)
            self.games[pickled] = game = pickle.loads(bytes.fromhex(pickled))
            state = game.start().state
            for player in game.actors(state):
                game.legal(state, player)
            gc.freeze()
        return self.games[pickled]

    def _fork(self, files: list[int], game: Game, request: dict[str, Any]) -> int:
        nursery, (line, output, code) = os.getpid(), files
        pid = os.fork()
        if pid:
            self.guests.add(pid)
            return pid
        try:
            self.line.detach()
            sources = pickle.loads(os.pread(code, os.fstat(code).st_size, 0))
            _settle(nursery, line, output)
            _limit(request["memory"], request["output"])
            Life(socket.socket(fileno=LINE), game, request["spec"], sources).run()
        finally:
            os._exit(1)

    def _end(self, pid: int) -> int | None:
        """Kill a guest with all that it started; how it ended, if it had ended before."""
        if pid not in self.guests:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):  # it may be too young to lead a group
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        self.guests.remove(pid)
        self._sweep()
        return status

    def _sweep(self) -> None:
        """Kill processes that hid from their guest's end in sessions of their own: orphans come to the nursery."""
        while strays := [pid for pid in children(os.getpid()) if pid not in self.guests]:
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def children(pid: int) -> list[int]:
    """The processes that a process started, where the system tells."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (task / "children").read_text().split())
    return found


def _settle(nursery: int, line: int, output: int) -> None:
    """Make a forked process a guest's: a session of its own, and of all that was open only its line and its output."""
    os.setsid()
    _prctl(DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != nursery:
        os._exit(1)
    null = os.open(os.devnull, os.O_RDONLY)
    for open_file, place in ((null, 0), (output, 1), (output, 2)):
        os.dup2(open_file, place)
    if line != LINE:
        os.dup2(line, LINE)
    os.set_inheritable(LINE, False)
    for file in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        with contextlib.suppress(OSError):  # one of them was for the listing
            if file > LINE:
                os.close(file)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1, errors="replace", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="replace", closefd=False)  # noqa: SIM115


def _limit(memory: int, output: int) -> None:
    """Limits that the kernel keeps. Python would ignore the signal of too much output."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (output, output))
    with contextlib.suppress(OSError):  # without /proc there is no telling how large it is
        allowed = _size("VmSize") + memory
        resource.setrlimit(resource.RLIMIT_AS, (allowed, allowed + LAST_WORDS))


def _size(which: str) -> int:
    """Bytes of address space that this process has, or had at most."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status[which].split()[0]) << 10


class Life:
    """What a guest's process does until it is ended: get ready for a game, decide move after move, and again."""

    def __init__(self, line: socket.socket, game: Game, spec: str, sources: Sources) -> None:
        self.line = line
        self.game = game
        self.spec = spec
        self.file = Spec.parse(spec).file
        self.folder = Path(self.file).resolve().parent
        self.sources = sources
        self.imported = set(sys.modules)
        self.agent: Agent | None = None
        self.warned: list[str] = []

    def run(self) -> None:
        own = os.getpid()
        while (asked := receive(self.line)) is not None:
            try:
                found = self._get_ready(asked["seed"]) if "seed" in asked else self._decide(asked)
                answer = framed({**found, "turn": asked["turn"]})
            except BaseException as error:
                answer = framed({**self._failure(error), "turn": asked["turn"]})
            if os.getpid() != own:  # the agent forked, and this is the copy
                return
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            self.line.sendall(answer)

    def _get_ready(self, seed: str) -> dict[str, Any]:
        """Begin a game with everything as in a new process, so that games do not depend on who played before.

        A heuristic is a function of the state and stays: to find that it cannot be compiled takes a second.
        """
        if threading.active_count() > 1:
            os._exit(0)  # somebody still thinks about the last game: only a new process is rid of that
        entropy = bytes.fromhex(seed)
        random.seed(entropy)
        np.random.seed(np.frombuffer(entropy, "<u4"))
        # what generators of NumPy are seeded by that get no seed, such as default_rng()
        np.random.bit_generator.randbits = random.Random(entropy).getrandbits  # type: ignore[attr-defined]
        if self.agent is None or isinstance(self.agent, FunctionAgent):
            self.agent = None
            self.warned.clear()
            self._forget_modules()
            with keeping({self.file: self.sources}):
                self.agent = make_agent(self.game, self.spec, warn=self.warned.append)
        return {"ready": True, "warned": self.warned}

    def _forget_modules(self) -> None:
        """Those beside the user's file may keep something in their globals, as the file itself may."""
        for name in sys.modules.keys() - self.imported:
            file = Path(getattr(sys.modules[name], "__file__", None) or "/")
            beside = file.suffix == ".py" and file.is_relative_to(self.folder) and "site-packages" not in file.parts
            if beside and not name.startswith("sparring."):
                del sys.modules[name]

    def _decide(self, asked: dict[str, Any]) -> dict[str, Any]:
        assert self.agent
        state = self.game.from_bytes(bytes.fromhex(asked["state"]))
        dice = np.array(np.frombuffer(bytes.fromhex(asked["dice"]), Dice)).view(np.recarray)[0]
        view = View(Unjudged(self.game, state, dice), asked["me"], dice, asked["seconds"])
        decision = self.agent.explain(view) if asked["explain"] else self.agent.decide(view)
        return {**told(decision), "dice": dice.tobytes().hex()}

    def _failure(self, error: BaseException) -> dict[str, Any]:
        """What went wrong, in a line; the traceback goes to the guest's output."""
        allowed, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        causes = list(_causes(error))
        kind = NO_MEMORY if any(_no_memory(cause, allowed) for cause in causes) else ERROR
        detail = _line(error)
        if not isinstance(error, SparringError):
            frames = [frame for cause in causes for frame in traceback.extract_tb(cause.__traceback__)]
            own = [frame for frame in frames if Path(frame.filename).is_relative_to(self.folder)]
            detail += f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
            with contextlib.suppress(Exception):
                print("Traceback:", *traceback.format_list(own), _line(error), sep="\n", file=sys.stderr)
        return {"failed": kind, "detail": detail if self.agent else f"while loading: {detail}"}


class Unjudged(Position):
    """A position that takes any answer: only the referee, whose rules nobody can reach, says what is legal."""

    def action(self, name: Any, player: int | None = None) -> Any:
        return name


def told(decision: Decision) -> dict[str, Any]:
    """A decision as it goes over the line. The position is left out: who asked knows it."""
    action: Any = decision.action
    if isinstance(action, bool) or not isinstance(action, int | np.integer | str):
        action = repr(action)
    return {
        "action": action[:MOST_DETAIL] if isinstance(action, str) else int(action),
        "candidates": [
            [c.action, c.score, c.exact, [*c.line], {**c.terms}, c.note[:MOST_DETAIL], isinstance(c, Judged)]
            for c in decision.candidates
        ],
        "depth": decision.depth,
        "nodes": decision.nodes,
        "seconds": decision.seconds,
        "weights": {**decision.weights},
        "notes": {**decision.notes},
    }


def _no_memory(error: BaseException, allowed: int) -> bool:
    """Whether there was no room for something, be it the stack of a thread."""
    if isinstance(error, RuntimeError) and "can't start new thread" in _line(error):
        return 0 < allowed < _size("VmPeak") + 2 * threading.stack_size()  # by now its threads may have ended
    return isinstance(error, MemoryError)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An exception and what it was raised from, the last first."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _line(error: BaseException) -> str:
    """An exception in one line of bearable length, whatever its author thinks a message is."""
    try:
        text = " ".join(str(error)[: 4 * MOST_DETAIL].split())
    except Exception:
        text = "(a message that cannot be read)"
    if not isinstance(error, SparringError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= MOST_DETAIL else f"{text[:MOST_DETAIL]} ..."


def nursery(line: int) -> None:
    """What the nursery's process runs."""
    threading.stack_size(THREAD_STACK)
    Nursery(socket.socket(fileno=line)).run()
