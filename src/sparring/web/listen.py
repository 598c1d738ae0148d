"""Starting a server: the port is ours before we say so, an answer is written at once, and Ctrl-C ends it quietly."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sparring.core.errors import SparringError

LAST_SECONDS = 1
"""For answers that are under way when the server is ended."""
WAITING = 2048
"""Connections that may wait to be taken."""


def listen(app: Starlette, host: str, port: int, told: Callable[[str], str]) -> None:
    """Serve until Ctrl-C. `told` makes from the address the line that says where to look."""
    with _opened(host, port) as taken:
        address, bound = taken.getsockname()[:2]
        print(told(f"http://{f'[{address}]' if ':' in address else address}:{bound}"), flush=True)
        config = uvicorn.Config(
            app,
            http=OneWrite,
            log_level="critical",
            access_log=False,
            server_header=False,
            backlog=WAITING,
            timeout_graceful_shutdown=LAST_SECONDS,
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[taken])


def _opened(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=WAITING)
    except OSError as error:
        told = str(error.strerror).partition(" (")[0]
        raise SparringError(f"cannot listen on {host}:{port}: {told}; name another by --port") from error


class OneWrite(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP in which head and body of an answer leave together: in two parts they can cost a client 40 ms."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(Gathering(transport))


class Gathering:
    """A connection that sends what was written in one go of the event loop together."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._written: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._written:
            asyncio.get_running_loop().call_soon(self._send)
        self._written.append(data)

    def _send(self) -> None:
        if self._written:
            self._transport.write(b"".join(self._written))
            self._written.clear()

    def close(self) -> None:
        self._send()
        self._transport.close()
