"""Starting a server: take the port, print the address, serve until Ctrl-C."""

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sparring.core.errors import SparringError

SHUTDOWN_SECONDS = 1
"""Time for unfinished answers when the server ends."""
BACKLOG = 2048
"""Connections that may wait to be accepted."""


def listen(app: Starlette, host: str, port: int, announcement: Callable[[str], str]) -> None:
    """Serve until Ctrl-C. `announcement` makes from the address the line that is printed."""
    with _bound_socket(host, port) as bound:
        address, port = bound.getsockname()[:2]
        print(announcement(f"http://{f'[{address}]' if ':' in address else address}:{port}"), flush=True)
        config = uvicorn.Config(
            app,
            http=SingleWriteProtocol,
            log_level="critical",
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[bound])


def _bound_socket(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise SparringError(f"cannot listen on {host}:{port}: {reason}; name another by --port") from error


class SingleWriteProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """HTTP that sends head and body of an answer together. In two parts they can cost a client 40 ms."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(BufferedTransport(transport))


class BufferedTransport:
    """A transport that joins all writes of one pass of the event loop."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._buffer: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self._buffer:
            asyncio.get_running_loop().call_soon(self._flush)
        self._buffer.append(data)

    def _flush(self) -> None:
        if self._buffer:
            self._transport.write(b"".join(self._buffer))
            self._buffer.clear()

    def close(self) -> None:
        self._flush()
        self._transport.close()
