"""Snakes behind HTTP, asked as the official engine asks: the game goes on whatever they answer.

Before a game a snake must identify itself; if it does not, it loses. After that nothing ends the game: if an answer is
late or cannot be read, the snake repeats its previous move, and its first move is up.
"""

import http.client
import io
import json
import socket
import ssl
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import SplitResult, urlsplit

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, only_options
from sparring.core.amounts import parse_seconds
from sparring.core.errors import SparringError
from sparring.core.table import counted
from sparring.games.battlesnake import api
from sparring.games.battlesnake.board_json import parsed, shown
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import MOVES, UP
from sparring.games.contract import Game

TIMEOUT = "500ms"
"""The timeout of official games."""
MOST_ANSWER = 1 << 16
"""Limit of an answer in bytes: a move and a shout need a few hundred."""
BROKEN = (OSError, http.client.HTTPException, ValueError)
"""Errors of a request to a stranger: no connection, no HTTP, nothing readable."""


class Remote(Agent):
    """A snake at an address. Its answers and their times are counted over all its games."""

    compiled = False
    timed = True
    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        assert isinstance(game, Battlesnake)
        only_options(spec, ("timeout",), name=True)
        self.spec = spec.text
        self.game = game
        self.address = _address(spec.name)
        self.timeout = parse_seconds("timeout", spec.options.get("timeout", TIMEOUT))
        self.answers: list[tuple[str, float]] = []
        """For each answer: what was wrong, if anything, and its seconds."""

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Seated"]:
        with _one_game() as id, closing(Line(self.address)) as line:
            yield Seated(self, id, line)

    def decide(self, view: View) -> Decision:
        with self.seated(view.dice) as snake:
            return snake.decide(view)

    @property
    def remark(self) -> str:
        if not self.answers:
            return ""
        late = sum(wrong == "timeout" for wrong, _ in self.answers)
        errors = [wrong for wrong, _ in self.answers if wrong not in ("", "timeout")]
        middle, most = np.percentile([1000 * seconds for _, seconds in self.answers], (50, 95))
        first = f" (first: {errors[0]})" if errors else ""
        times = f"median {middle:.1f} ms, 95 % within {most:.1f} ms"
        told = [counted(len(self.answers), "answer"), counted(late, "timeout"), counted(len(errors), "error") + first]
        return " · ".join([*told, times])


class Seated(Agent):
    """A remote snake in one game."""

    compiled = False

    def __init__(self, remote: Remote, id: str, line: "Line") -> None:
        self.spec, self.label = remote.spec, remote.label
        self._remote, self._id, self._line = remote, id, line
        self._met = False
        self._last = UP
        self._latency = "0"

    def decide(self, view: View) -> Decision:
        if not self._met:
            self._meet(view)
        wrong, started = "", time.perf_counter()
        try:
            move = parsed(self._post("move", view)).get("move")
            if move not in MOVES:
                raise SparringError(f"no move {shown(move)!r}")
            self._last = MOVES.index(move)
        except TimeoutError:
            wrong = "timeout"
        except BROKEN as error:
            wrong = f"{type(error).__name__}: {shown(error)}" if isinstance(error, OSError) else shown(error)
        seconds = time.perf_counter() - started
        self._latency = f"{1000 * (self._remote.timeout if wrong == 'timeout' else seconds):.0f}"
        self._remote.answers.append((wrong, seconds))
        notes = {"answered": wrong} if wrong else {}
        return Decision(self.spec, view.position, view.me, self._last, seconds=seconds, notes=notes)

    def game_ended(self, view: View) -> None:
        if self._met:
            with suppress(*BROKEN):
                self._post("end", view)

    def _meet(self, view: View) -> None:
        """Ask for its identity, which must succeed, and tell it that a game begins."""
        url = self._remote.address.geturl()
        try:
            version = parsed(self._line.ask("GET", "", self._remote.timeout)).get("apiversion")
        except BROKEN as error:
            raise ConnectionError(f"no snake at {url}: {str(error) or 'no answer in time'}") from error
        if version != "1":
            raise ConnectionError(f"the snake at {url} has apiversion {shown(version)}; expected 1")
        self._met = True
        with suppress(*BROKEN):
            self._post("start", view)

    def _post(self, path: str, view: View) -> bytes:
        remote = self._remote
        timeout = round(1000 * remote.timeout)
        told = api.request(remote.game, view.state, view.me, id=self._id, timeout=timeout, latency=self._latency)
        return self._line.ask("POST", path, remote.timeout, json.dumps(told, separators=(",", ":")).encode())


class _Table(threading.local):
    """The game of a thread: a referee seats all players of a game on its own thread."""

    snakes = 0
    id = ""


_TABLE = _Table()


@contextmanager
def _one_game() -> Iterator[str]:
    """An id that all remote snakes of a game share. It is unique, since their servers may play other games too."""
    if not _TABLE.snakes:
        _TABLE.id = str(uuid.uuid4())
    _TABLE.snakes += 1
    try:
        yield _TABLE.id
    finally:
        _TABLE.snakes -= 1


# HTTP with a deadline


def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        known = address.hostname and address.port != 0 and not (address.query or address.fragment or address.username)
    except ValueError:
        known = False
    if not known:
        raise SparringError(f"no address of a snake: {url}; expected such as http://127.0.0.1:8000")
    return address._replace(path=address.path.rstrip("/"))


class Line:
    """A connection that stays open for the next question and keeps its deadline, however slowly an answer arrives."""

    def __init__(self, address: SplitResult) -> None:
        self._address = address
        self._socket: Patient | None = None
        self._connection = http.client.HTTPConnection(address.netloc)

    def ask(self, method: str, path: str, seconds: float, data: bytes | None = None) -> bytes:
        """The answer. Raises TimeoutError if it is late, or another error of BROKEN."""
        deadline = time.perf_counter() + seconds
        if self._socket:
            with suppress(ConnectionError):  # it may have hung up since the last question
                return self._ask(method, path, deadline, data)
        return self._ask(method, path, deadline, data)

    def _ask(self, method: str, path: str, deadline: float, data: bytes | None) -> bytes:
        address, connection, well = self._address, self._connection, False
        if self._socket is None:
            self._socket = Patient(address, deadline)
            connection.sock = self._socket
        self._socket.deadline = deadline
        try:
            target = f"{address.path}/{path}" if path else address.path or "/"
            connection.request(method, target, data, {"Content-Type": "application/json"} if data else {})
            response = connection.getresponse()
            answer = response.read(MOST_ANSWER + 1)
            well = response.isclosed() and not response.will_close
            if len(answer) > MOST_ANSWER:
                raise SparringError(f"an answer of more than {MOST_ANSWER >> 10} kB")
            if response.status != 200:
                raise SparringError(f"status {response.status}")
            kind = response.headers.get_content_type()
            if path in ("", "move") and kind != "application/json":
                raise SparringError(f"Content-Type {kind}; expected application/json")
            return answer
        finally:
            if not well:
                self.close()

    def close(self) -> None:
        self._connection.close()
        self._socket = None


class Patient:
    """The part of a socket that HTTP needs, with one deadline for all that is sent and received."""

    def __init__(self, address: SplitResult, deadline: float) -> None:
        self.deadline = deadline
        secure, host = address.scheme == "https", str(address.hostname)
        plain = socket.create_connection((host, address.port or (443 if secure else 80)), self.left())
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock = ssl.create_default_context().wrap_socket(plain, server_hostname=host) if secure else plain

    def left(self) -> float:
        left = self.deadline - time.perf_counter()
        if left <= 0:
            raise TimeoutError
        return left

    def sendall(self, data: bytes) -> None:
        self.sock.settimeout(self.left())
        self.sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Drip(self))

    def close(self) -> None:
        self.sock.close()


class _Drip(io.RawIOBase):
    """Reads an answer part by part while there is time."""

    def __init__(self, patient: Patient) -> None:
        self._patient = patient

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._patient.sock.settimeout(self._patient.left())
        return self._patient.sock.recv_into(buffer)
