"""Bounds of a server: its connections, the time that a request has to arrive, the size of its head, and its log.

Anybody who can reach a port can open connections and send nothing. A server never has more connections than it has
files for: the connection that has kept it waiting longest makes room for a new one.
"""

import asyncio
import logging
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from sparring.core.table import one_line, plain

try:
    import resource
except ImportError:  # as on Windows
    resource = None  # type: ignore[assignment]

FILES = 4096
"""Open files that a server asks for. A quarter may be connections. An eighth is accepted at a time, and adds to these
until the oldest are ended."""
WHOLE_SECONDS = 15.0
"""Time for a connection to bring a whole request."""
READ_SECONDS = 60.0
"""Time for a client to read an answer."""
MAX_HEAD = 1 << 14
"""Bytes of the head of a request that are kept until the rest comes."""
SWEEP_TICKS = 10
"""Tenths of a second between two looks at the connections."""
MAX_ERRORS = 50
"""Kinds of errors that are told apart."""


def open_files() -> int:
    """Return how many files this process may open, at most FILES, after asking for as many."""
    if resource is None:
        return FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return most


class BoundedProtocol(H11Protocol):
    """A connection that may be closed while it brings no whole request."""

    limit = FILES // 4
    """Connections of a server."""
    since = 0.0
    """When it was made, or has got its last answer."""

    @property
    def waiting(self) -> bool:
        """True if the server waits for the rest of a request, and not the client for the server to read it."""
        if self.cycle is None or self.cycle.response_complete:
            return True
        return bool(self.cycle.more_body and not self.flow.read_paused)

    @property
    def late(self) -> bool:
        seconds = READ_SECONDS if self.transport.get_write_buffer_size() else WHOLE_SECONDS
        return self.waiting and time.monotonic() - self.since > seconds

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.since = time.monotonic()
        if len(self.connections) > self.limit:
            others = [one for one in self.connections if isinstance(one, BoundedProtocol) and one.waiting]
            min(others, key=lambda one: one.since).close()

    def on_response_complete(self) -> None:
        self.since = time.monotonic()
        super().on_response_complete()

    def close(self) -> None:
        self.connections.discard(self)  # its end comes later, after further connections
        self.transport.abort()


class BoundedServer(uvicorn.Server):
    """A server that closes connections which bring no request in time."""

    opened: Callable[[], Coroutine[Any, Any, None]]
    """Called when it listens. An error ends the server."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.opening = asyncio.create_task(self.opened())

    async def on_tick(self, counter: int) -> bool:
        self.should_exit |= self.opening.done() and self.opening.exception() is not None
        if counter % SWEEP_TICKS == 0:
            for one in [*self.server_state.connections]:
                if isinstance(one, BoundedProtocol) and one.late:
                    one.close()
        return await super().on_tick(counter)


def bounded(app: Any, protocol: Any = BoundedProtocol, **more: Any) -> BoundedServer:
    """Return a server with all bounds. Its log is standard error. `protocol` makes its connections."""
    files = open_files()
    BoundedProtocol.limit = files // 4
    config = uvicorn.Config(
        app,
        http=protocol,
        h11_max_incomplete_event_size=MAX_HEAD,
        backlog=files // 8,
        log_config=None,
        access_log=False,
        server_header=False,
        **more,
    )
    for name in ("asyncio", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [CountedErrors(logging.ERROR)], False
    return BoundedServer(config)


class CountedErrors(logging.Handler):
    """Prints an error when it happens for the first, tenth, hundredth ... time, in one line."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if error is None or isinstance(error, asyncio.CancelledError):
            return
        text = plain(one_line(f"{type(error).__name__}: {error}"))[:200]
        if text not in self._counts and len(self._counts) >= MAX_ERRORS:
            text = "other errors"
        self._counts[text] += 1
        times = self._counts[text]
        if str(times).rstrip("0") == "1":
            print(f"the server failed: {text}{f' ({times:,} times)' * (times > 1)}", file=sys.stderr, flush=True)
