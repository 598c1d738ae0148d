"""POST requests that are answered without ASGI, for a server whose requests are many and small.

A request that comes as usual programs send it goes to a function. Any other one takes the usual way, by uvicorn and
Starlette. The time of arrival is when a request could first be read. It counts also while the server is busy with
others or waits for a processor, so lateness is measured as the client feels it.
"""

import asyncio
import math
import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import h11

from sparring.web.connections import MAX_HEAD, BoundedProtocol
from sparring.web.http import MAX_ARRIVING

HEAD = re.compile(rb"POST (/[a-z]*) HTTP/1\.1\r\n((?:[\w-]+:[\t -~]*\r\n)+)\r\n")
LENGTH = re.compile(rb"(?:^|\n)content-length:[ \t]*(\d{1,9})[ \t]*\r")
UNUSUAL = re.compile(
    rb"(?:^|\n)(?:transfer-encoding|expect|upgrade|te|trailer|connection:(?![ \t]*keep-alive[ \t]*\r))"
)
"""Fields of a head, in small letters, that change how a request is read or answered."""
SLICE_SECONDS = 0.02
"""Time for requests before the server looks for others."""
BEAT_SECONDS = 0.02
"""Time between two signs that the system lets the server run. One that is late tells since when it did not."""
QUIET_SECONDS = 10.0
"""Time without requests after which these signs end."""


class Post:
    """A request and the function that answers it, with a status and JSON. It must be answered once."""

    __slots__ = ("answer", "arrived", "body", "path")

    def __init__(self, path: str, body: bytes, arrived: float, answer: Callable[[int, bytes], None]) -> None:
        self.path, self.body, self.arrived, self.answer = path, body, arrived, answer


class PostQueue:
    """Requests in the order of arrival. The event loop handles them in slices, so that it knows when others arrive."""

    def __init__(self, handle: Callable[[Post], None], most_bytes: int) -> None:
        self.most_bytes = most_bytes
        """The largest body."""
        self.arriving = 0
        """Bytes of bodies that have begun to arrive."""
        self._handle = handle
        self._posts: deque[Post] = deque()
        self._awake = False
        self._looked = self._before = 0.0
        """When the event loop looked for data the last time, and the time before, if it is awake."""
        self._beat_due = math.inf

    def arrived(self) -> float:
        """Return since when data that is read now may have been there. If the server was busy, that is when it looked
        for data without finding this. If the system did not let it run, that is when it should have run."""
        if not self._awake:
            self._awake = True
            self._looked = self._before = min(time.monotonic(), self._beat_due)
            loop = asyncio.get_running_loop()
            loop.call_soon(self._slice)
            if self._beat_due == math.inf:
                self._beat(loop)
        return self._before

    def _beat(self, loop: asyncio.AbstractEventLoop) -> None:
        now = time.monotonic()
        quiet = now - self._looked > QUIET_SECONDS
        self._beat_due = math.inf if quiet else now + BEAT_SECONDS
        if not quiet:
            loop.call_at(self._beat_due, self._beat, loop)

    def put(self, post: Post) -> None:
        self._posts.append(post)

    def _slice(self) -> None:
        self._before, self._looked = self._looked, time.monotonic()
        self._awake = bool(self._posts)
        if self._awake:  # once more than there are requests: those that are read next have waited for these
            asyncio.get_running_loop().call_soon(self._slice)
        while self._posts and time.monotonic() - self._looked < SLICE_SECONDS:
            self._handle(self._posts.popleft())


class PostProtocol(BoundedProtocol):
    """A connection whose usual POST requests go to a queue."""

    def __init__(self, *given: Any, queue: PostQueue, **named: Any) -> None:
        super().__init__(*given, **named)
        self._queue = queue
        self._held = bytearray()
        """Data that is not handled yet."""
        self._post: tuple[str, float, int] | None = None
        """The path of a request whose body is not complete, its arrival, and the number of bytes to come."""
        self._answering = self._ending = False

    @property
    def waiting(self) -> bool:
        return not self._answering and super().waiting

    def data_received(self, data: bytes) -> None:
        arrived = self._queue.arrived()
        if self._answering or self._post:
            self._held += data
            if self._answering and len(self._held) > MAX_HEAD:
                self.transport.pause_reading()
            elif self._post:
                self._continue()
            return
        idle = self.conn.our_state is h11.IDLE and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        head = HEAD.match(data) if idle else None
        fields = head[2].lower() if head else b""
        lengths = LENGTH.findall(fields)
        size = int(lengths[0]) if len(lengths) == 1 else self._queue.most_bytes + 1
        if not head or size > self._queue.most_bytes or UNUSUAL.search(fields) or b"host:" not in fields:
            if idle:
                self.app_state = {**self.app_state, "arrived": arrived}
            super().data_received(data)
            return
        self._unset_keepalive_if_required()
        self._post = head[1].decode(), arrived, size
        self._queue.arriving += size
        self._held += data[head.end() :]
        self._continue()

    def _continue(self) -> None:
        assert self._post
        path, arrived, size = self._post
        if len(self._held) < size:
            if self._queue.arriving > MAX_ARRIVING:
                self.close()
            return
        body = bytes(self._held[:size])
        del self._held[:size]
        self._answering = True
        self._queue.put(Post(path, body, arrived, self._answer))

    def _answer(self, status: int, body: bytes) -> None:
        self._forget()
        if self.transport.is_closing():
            return
        fields = [*self.server_state.default_headers, (b"content-type", b"application/json")]
        head = b"".join(b"%s: %s\r\n" % field for field in fields)
        self.transport.write(b"HTTP/1.1 %d \r\n%scontent-length: %d\r\n\r\n%s" % (status, head, len(body), body))
        self.since = time.monotonic()
        if self._ending:
            self.transport.close()
        elif self._held:
            data = bytes(self._held)
            self._held.clear()
            self.transport.resume_reading()
            self.data_received(data)

    def _forget(self) -> None:
        if self._post:
            self._queue.arriving -= self._post[2]
        self._post, self._answering = None, False

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._answering:
            self._forget()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        self._ending = True
        if not self._answering:
            super().shutdown()
