"""Users' Python agents play in processes of their own, so that whatever they do costs only their own game.

The referee keeps the real state and the dice here. A guest's process gets what its player may see, as bytes, and
answers within its limits; what it answers is checked like anything from a stranger. `sparring.agents.guest` is the
other side.
"""

import contextlib
import fcntl
import hashlib
import json
import math
import os
import pickle
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, Judged
from sparring.agents.guest import MOST_BYTES, MOST_DETAIL, NO_MEMORY, children, framed, receive
from sparring.agents.userfile import Sources
from sparring.arena.limits import CRASH, ILLEGAL, OUT_OF_MEMORY, STALL, TIMEOUT, TOO_MUCH_OUTPUT, Failed, Limits
from sparring.core.cache import PACKAGE
from sparring.core.dice import Dice
from sparring.core.errors import SparringError
from sparring.games.contract import Game

OUTPUT_KEPT = 4000
"""How many bytes of what an agent printed last are kept with its failure."""
OUT_OF_MEMORY_SIGNS = re.compile(r"MemoryError|bad_alloc|[Cc]annot allocate memory|[Oo]ut of memory")
LAST_BREATH = 0.5
"""Seconds for a process whose line is cut to be gone; then it must have cut the line itself."""
NURSERY_PATIENCE = 120.0
NURSERY = (
    "import sys; sys.path.append(sys.argv[2]); from sparring.agents.guest import nursery; "
    "sys.path[:] = sys.argv[3:]; nursery(int(sys.argv[1]))"
)
"""Our own modules are found before users' folders are on the path: these may hold anything, under any name."""
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""More would make an agent faster only at the cost of other games."""
ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
"""Every thread would reserve an arena of its own, and memory is limited by what is reserved."""
NO_ANSWER = "it sent something that is no answer"


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number of JSON")


JSON = json.JSONDecoder(parse_constant=_refuse)


class Closed(BaseException):
    """The supervisor has ended all guests. No `Exception`: a referee must not take it for an agent's failure."""


class Supervisor:
    """Starts users' agents as guests, keeps them within their limits, and leaves no process behind."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.closed = False
        self._nursery: Nursery | None = None
        self.guests: set[Guest] = set()
        """Those that were not dismissed."""
        self._lock = threading.Lock()

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self.closed = True
            if self._nursery:
                self._nursery.close()
        for guest in list(self.guests):
            guest.dismiss()

    def guest(self, game: Game, agent: Agent | str) -> "Guest":
        """An agent as a guest. It is made again in its own process, from its spec and the code that it was made of."""
        self._open_nursery()
        guest = Guest(self, game, agent)
        self.guests.add(guest)
        return guest

    def start(self, game: str, spec: str, sources: Sources) -> "Process":
        """A new process for an agent."""
        for _ in range(2):
            nursery = self._open_nursery()
            with contextlib.suppress(ConnectionError):  # somebody killed the nursery: take another
                return Process(nursery, game, spec, sources, self.limits)
        raise SparringError("processes for users' agents cannot be started here")

    def _open_nursery(self) -> "Nursery":
        with self._lock:
            if self.closed:
                raise Closed
            if self._nursery is None or self._nursery.lost:
                if self._nursery:
                    self._nursery.close()
                self._nursery = Nursery()
            return self._nursery


class Nursery:
    """The process that forks guests."""

    def __init__(self) -> None:
        self.lost = False
        self._lock = threading.Lock()
        self._line, other = socket.socketpair()
        self._line.settimeout(NURSERY_PATIENCE)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", NURSERY, f"{other.fileno()}", str(PACKAGE.parent), *sys.path],
                pass_fds=[other.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the supervisor alone
                env={**ONE_THREAD, **ONE_ARENA, **os.environ, "PYTHONHASHSEED": "0"},  # one order of sets
            )

    def request(self, message: dict[str, Any], files: Sequence[int] = ()) -> dict[str, Any]:
        try:
            with self._lock:
                self._line.sendall(framed(message))
                if files:
                    socket.send_fds(self._line, [b"*"], files)
                answer = receive(self._line)
        except OSError as error:
            self.lost = True
            raise ConnectionError("the nursery is gone") from error
        if answer is None:
            self.lost = True
            raise ConnectionError("the nursery is gone")
        return answer

    def close(self) -> None:
        """At the end of its line the nursery ends all guests and itself."""
        self.lost = True
        with contextlib.suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)
        try:
            self._process.wait(5.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._lock:
            self._line.close()


class Process:
    """A guest's process as the referee sees it: questions and answers with a deadline, and its end."""

    def __init__(self, nursery: Nursery, game: str, spec: str, sources: Sources, limits: Limits) -> None:
        self._nursery = nursery
        self._limits = limits
        self._turn = 0
        self.idle = True
        """Whether it has answered all that it was asked."""
        with contextlib.ExitStack() as opened:
            self._output = opened.enter_context(tempfile.TemporaryFile(buffering=0))
            fcntl.fcntl(self._output, fcntl.F_SETFL, os.O_APPEND)
            self._line, other = socket.socketpair()
            opened.enter_context(self._line)
            with other, tempfile.TemporaryFile(buffering=0) as code:
                code.write(pickle.dumps(sources))
                modules = [name for name in sys.modules if name.startswith("sparring.")]
                allowed = {"memory": limits.memory, "output": limits.output}
                message = {"game": game, "modules": modules, "spec": spec, **allowed}
                answer = nursery.request(message, (other.fileno(), self._output.fileno(), code.fileno()))
            if "error" in answer:
                raise SparringError(f"the game cannot be played in another process: {answer['error']}")
            self._opened = opened.pop_all()
        self._ended = False
        self._status: int | None = None
        self.pid: int = answer["pid"]
        self._signs, self._death = select.poll(), select.poll()
        self._signs.register(self._line, select.POLLIN)
        with contextlib.suppress(OSError, AttributeError):  # its number is its own until the nursery is told to end it
            death = os.pidfd_open(self.pid)
            self._opened.callback(os.close, death)
            self._signs.register(death, select.POLLIN)
            self._death.register(death, select.POLLIN)

    def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer; TimeoutError if it takes longer, ConnectionError if there will be none that makes sense."""
        deadline = time.perf_counter() + seconds
        self.idle = False
        self._turn += 1
        self._line.settimeout(seconds)
        self._line.sendall(framed({**message, "turn": self._turn}))
        data = self._read(deadline)
        try:
            answer = JSON.decode(data.decode())
        except (ValueError, RecursionError):
            raise ConnectionError(NO_ANSWER) from None
        if not isinstance(answer, dict) or answer.get("turn") != self._turn:
            raise ConnectionError(NO_ANSWER)
        self.idle = True
        return answer

    def _read(self, deadline: float) -> bytes:
        data, length = b"", MOST_BYTES
        while len(data) < 4 + length:
            signs = self._signs.poll(max(0.0, deadline - time.perf_counter()) * 1000)
            if not signs:
                raise TimeoutError
            if all(file != self._line.fileno() for file, _ in signs):
                raise ConnectionError("it died")  # though a process that it started may hold its line
            part = self._line.recv(1 << 16)
            if not part:
                raise ConnectionError("it closed its line to the referee")
            data += part
            if len(data) >= 4:
                length = int.from_bytes(data[:4], "big")
            if length > MOST_BYTES or len(data) > 4 + length:
                raise ConnectionError(NO_ANSWER)
        return data[4:]

    @property
    def burdened(self) -> bool:
        """Whether processes that it started would go on into the next game."""
        return bool(children(self.pid))

    def forget_output(self) -> None:
        self._output.truncate(0)

    def tail(self) -> str:
        """The last that it printed."""
        written = os.fstat(self._output.fileno()).st_size
        return os.pread(self._output.fileno(), OUTPUT_KEPT, max(0, written - OUTPUT_KEPT)).decode(errors="replace")

    def end(self) -> None:
        """End it with all that it started, if it has not ended already."""
        if not self._ended:
            self._ended = True
            with contextlib.suppress(ConnectionError):  # without a nursery there are no guests either
                self._status = self._nursery.request({"end": self.pid})["status"]

    def close(self) -> None:
        self.end()
        self._opened.close()

    def obituary(self, error: Exception) -> tuple[str, str]:
        """End it because of an error of its line, and say what it died of: a verdict and a detail."""
        dead = self._death.poll(LAST_BREATH * 1000)
        self.end()
        if not dead or self._status is None:
            return CRASH, str(error)
        code = os.waitstatus_to_exitcode(self._status)
        if code == -signal.SIGXFSZ:
            return TOO_MUCH_OUTPUT, f"it wrote more than {self._limits.output / (1 << 20):g} MiB"
        how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"exited with status {code}"
        return OUT_OF_MEMORY if OUT_OF_MEMORY_SIGNS.search(self.tail()) else CRASH, f"its process {how}"


class Guest(Agent):
    """A user's agent in processes of its own: one for each game that it plays at the same time."""

    compiled = False

    def __init__(self, supervisor: Supervisor, game: Game, agent: Agent | str) -> None:
        self.spec = agent if isinstance(agent, str) else agent.spec
        self.label = "" if isinstance(agent, str) else agent.label
        self.sources = {} if isinstance(agent, str) else agent.sources
        self.draws = True if isinstance(agent, str) else agent.draws
        self.timed = False if isinstance(agent, str) else agent.timed
        self.supervisor = supervisor
        self._game = pickle.dumps(game).hex()
        self._resting: list[Process] = []
        self._gone = False

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Player"]:
        """The player of one game, in a process that knows nothing of other games."""
        seed = hashlib.blake2b(dice.tobytes(), digest_size=16).hexdigest()
        player = self._rested(seed) or Player(self, self.supervisor.start(self._game, self.spec, self.sources), seed)
        try:
            yield player
        finally:
            if player.fit and not self._gone and not self.supervisor.closed:
                self._resting.append(player.process)
            else:
                player.process.close()

    def _rested(self, seed: str) -> "Player | None":
        """A player in a process that has played before, if one is still fit for another game."""
        while True:
            try:
                process = self._resting.pop()
            except IndexError:
                return None
            player = Player(self, process, seed)
            if player.fit:
                return player
            process.close()

    def decide(self, view: View) -> Decision:
        with self.seated(view.dice) as player:
            return player.decide(view)

    def explain(self, view: View) -> Decision:
        with self.seated(view.dice) as player:
            return player.explain(view)

    def dismiss(self) -> None:
        """Let go of the processes that wait for another game; there will be none."""
        self._gone = True
        self.supervisor.guests.discard(self)
        while self._resting:
            self._resting.pop().close()


class Player(Agent):
    """A guest in one game. After a failure the same failure is all that can be had from it."""

    compiled = False

    def __init__(self, guest: Guest, process: Process, seed: str) -> None:
        self.spec, self.label, self.draws, self.sources = guest.spec, guest.label, guest.draws, guest.sources
        self.process = process
        self._supervisor = guest.supervisor
        self._limits = guest.supervisor.limits
        self._bank = self._limits.bank
        self._failure: Failed | None = None
        self.warned: list[str] = []
        """What it was told while it was made, such as that a heuristic cannot be compiled."""
        process.forget_output()
        try:
            ready = self._ask({"seed": seed}, self._limits.stall, "while loading: ")
            self.warned = [str(told) for told in ready.get("warned", ())]
        except Failed:
            pass  # the first decision will raise it again
        except BaseException:
            process.close()
            raise

    @property
    def fit(self) -> bool:
        """Whether its process can play another game."""
        return self._failure is None and self.process.idle and not self.process.burdened

    def decide(self, view: View) -> Decision:
        limits = self._limits
        started = time.perf_counter()
        answer = self._ask(_question(view), limits.stall if limits.move is None else limits.move + self._bank)
        seconds = time.perf_counter() - started
        if limits.move is not None:
            self._bank = max(0.0, self._bank - max(0.0, seconds - limits.move))
        return self._judged(answer, view, seconds)

    def explain(self, view: View) -> Decision:
        started = time.perf_counter()
        answer = self._ask({**_question(view), "explain": True}, self._limits.stall)
        return self._judged(answer, view, time.perf_counter() - started)

    def _ask(self, message: dict[str, Any], seconds: float, when: str = "") -> dict[str, Any]:
        if self._failure:
            raise self._failure
        try:
            answer = self.process.ask(message, seconds)
        except TimeoutError:
            self.process.end()
            verdict = STALL if when or self._limits.move is None else TIMEOUT
            raise self._failed(verdict, f"{when}no answer after {seconds:.3g} s") from None
        except OSError as error:
            verdict, detail = self.process.obituary(error)
            raise self._failed(verdict, when + detail) from None
        if "failed" in answer:
            verdict = OUT_OF_MEMORY if answer["failed"] == NO_MEMORY else CRASH
            raise self._failed(verdict, str(answer.get("detail")))
        return answer

    def _judged(self, answer: dict[str, Any], view: View, seconds: float) -> Decision:
        """The decision in an answer that may hold anything."""
        try:
            action = view.position.action(answer.get("action", ""), view.me)
        except SparringError as error:
            raise self._failed(ILLEGAL, str(error)) from None
        try:
            decision = Decision(
                agent=self.spec,
                position=view.position,
                player=view.me,
                action=action,
                candidates=tuple(_candidate(view, *told) for told in answer["candidates"]),
                depth=_whole(answer["depth"]),
                nodes=_whole(answer["nodes"]),
                seconds=min(_number(answer["seconds"]), seconds),
                weights=_numbers(answer["weights"]),
                notes=dict(answer["notes"].items()),
            )
            (after,) = np.frombuffer(bytes.fromhex(answer["dice"]), Dice)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise self._failed(CRASH, "it sent something that is no decision") from error
        view.dice["word"] = after["word"]
        return decision

    def _failed(self, verdict: str, detail: str) -> Failed:
        if self._supervisor.closed:
            raise Closed
        self._failure = Failed(verdict, " ".join(detail[:MOST_DETAIL].split()), self.process.tail())
        return self._failure


def _question(view: View) -> dict[str, Any]:
    """All that a guest learns: what its player sees, who it is, and its own dice."""
    state = view.position.game.to_bytes(view.state)
    own = view.dice.tobytes().hex()
    return {"state": state.hex(), "me": view.me, "dice": own, "seconds": view.seconds, "explain": False}


def _candidate(
    view: View, action: Any, score: Any, exact: Any, line: Any, terms: Any, note: Any, judged: Any
) -> Candidate:
    if type(action) is not int or not view.position.game.is_legal(view.state, view.me, action):
        raise ValueError(action)
    known = None if score is None else _number(score)
    kind = Judged if judged else Candidate
    return kind(action, known, bool(exact), tuple(_whole(reply) for reply in line), _numbers(terms), str(note))


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise ValueError(value)
    return value


def _number(value: Any) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def _numbers(named: Any) -> dict[str, float]:
    return {name: _number(value) for name, value in named.items()}
