"""Serving over HTTP: take a port, serve until Ctrl-C, read requests within limits, answer in JSON.

An error is one line that names the remedy.
"""

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from sparring.core.errors import SparringError
from sparring.core.table import one_line, plain
from sparring.web.connections import BoundedProtocol, bounded

SHUTDOWN_SECONDS = 1
"""Time for unfinished answers when the server ends."""
ARRIVAL_SECONDS = 10.0
"""Time that a request has to arrive."""
MAX_ARRIVING = 64 << 20
"""Bytes of all requests that have not arrived yet."""
MAX_ERROR = 300
"""Characters of an error message."""


def listen(
    app: Starlette,
    host: str,
    port: int,
    announcement: Callable[[str], str],
    protocol: Any = BoundedProtocol,
    opened: Callable[[Callable[[], None]], Awaitable[None]] | None = None,
) -> None:
    """Serve until Ctrl-C. `announcement` makes from the address the line that is printed as soon as the server listens,
    or when `opened` says so: it is given a function that prints the line, and its error ends the server. `protocol`
    makes the connections."""
    with _bound_socket(host, port) as bound:
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else the body may follow its head 40 ms later
        address, port = bound.getsockname()[:2]
        server = bounded(app, protocol, timeout_graceful_shutdown=SHUTDOWN_SECONDS)

        def announce() -> None:
            print(announcement(f"http://{f'[{address}]' if ':' in address else address}:{port}"), flush=True)

        async def listening() -> None:
            await opened(announce) if opened else announce()

        server.opened = listening
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[bound])
        if server.opening.done() and not server.opening.cancelled():
            server.opening.result()


def _bound_socket(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family)
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        raise SparringError(f"cannot listen on {host}:{port}: {reason}; name another by --port") from error


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request. Refuse a body that has more bytes than `limit` or arrives too slowly."""
    body = _arriving[request] = bytearray()
    try:
        async with asyncio.timeout(ARRIVAL_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > limit:
                    raise HTTPException(413, f"more than {limit >> 10} kB")
                if sum(map(len, _arriving.values())) > MAX_ARRIVING:
                    raise HTTPException(429, "too many requests arrive; send it again in a while")
    except TimeoutError:
        raise HTTPException(408, f"the request did not arrive within {ARRIVAL_SECONDS:g} s") from None
    except ClientDisconnect:
        raise HTTPException(400, "the connection was closed before the whole request arrived") from None
    finally:
        del _arriving[request]
    return bytes(body)


_arriving: dict[Request, bytearray] = {}


def json_response(body: bytes, status: int = 200) -> Response:
    return Response(body, status, {"Cache-Control": "no-store"}, media_type="application/json")


def error_response(error: Exception) -> Response:
    """Answer an HTTPException with its status, and any other error with 400."""
    status, message = (error.status_code, error.detail) if isinstance(error, HTTPException) else (400, str(error))
    response = json_response(json.dumps({"error": plain(one_line(message))[:MAX_ERROR]}).encode(), status)
    if status in (408, 413, 429):
        response.headers["Connection"] = "close"  # the rest of the request will not be read
    return response
