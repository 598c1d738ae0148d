"""Servers for tests: our own in a process of its own, and snakes that misbehave on a thread of this one."""

import json
import re
import signal
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from commands import started


def served(folder: Path, *words: Any, says: str = ".*") -> AbstractContextManager[str]:
    """The address of what `spar serve` serves."""
    return listening(folder, "serve", *words, says=says)


@contextmanager
def listening(folder: Path, *words: Any, says: str = ".*", code: str = "") -> Iterator[str]:
    """The address where a command listens, which it says in a line of this form; it must end quietly."""
    process = started(folder, *words, "--port", 0, code=code)
    assert process.stdout
    try:
        said = process.stdout.readline()
        assert re.fullmatch(f"{says}\n", said)
        yield re.findall(r"http://[\d.]+:\d+", said)[0]
    finally:
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, "")


def asked(url: str, body: Any = None) -> tuple[int, Any]:
    """Status and JSON of an answer; with a body, bytes or JSON, to a POST."""
    data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data), timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def figures(url: str) -> dict[str, float]:
    with urllib.request.urlopen(f"{url}/metrics", timeout=60) as answer:
        return {name: float(value) for name, value in (line.split() for line in answer.read().decode().splitlines())}


def answer(told: Any, status: str = "200 OK", kind: str = "application/json") -> bytes:
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


ABOUT = answer({"apiversion": "1"})
Talk = Callable[[socket.socket, str, dict[str, Any]], None]
"""What a snake does on its socket when it is asked something: the path, and what was sent."""


class Snake:
    """A snake on a port of its own. It remembers what it was asked."""

    def __init__(self, talk: Talk) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self._talk = talk
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> "Snake":
        return self

    def __exit__(self, *error: object) -> None:
        self._listening.close()

    @property
    def moves(self) -> list[dict[str, Any]]:
        return [told for path, told in self.asked if path == "/move"]

    def _listen(self) -> None:
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with line, line.makefile("rb") as incoming:
            try:
                while head := incoming.readline():
                    size = 0
                    while (field := incoming.readline().strip().lower()) != b"":
                        size = int(field[15:]) if field.startswith(b"content-length:") else size
                    path = head.split()[1].decode()
                    told = json.loads(incoming.read(size) or b"{}")
                    self.asked.append((path, told))
                    self._talk(line, path, told)
            except OSError:
                return


def plays(move: Callable[[socket.socket, dict[str, Any]], None]) -> Talk:
    """One that says who it is and answers everything but moves, which it makes in its own way."""

    def talk(line: socket.socket, path: str, told: dict[str, Any]) -> None:
        if path == "/move":
            move(line, told)
        else:
            line.sendall(ABOUT)

    return talk
