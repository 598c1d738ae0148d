"""Threads that think, so that the server itself never waits, and that are given up when they do not come back."""

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

THREADS_A_CORE = 4
"""Games that think at the same time share the cores; more than these wait for their turn, and think less long."""
MOST_LOST = 8
"""Threads that are given up are replaced, but not more than so many: nothing can end them."""


class Work:
    """Something to think about until some time, and what comes of it."""

    def __init__(self, job: Callable[[float], Any], until: float) -> None:
        self.job = job
        self.until = until
        self.loop = asyncio.get_running_loop()
        self.found: asyncio.Future[Any] = self.loop.create_future()
        self.begun = self.given_up = False

    def settle(self, result: Any, error: BaseException | None) -> None:
        """In the event loop; too late, it means nothing."""
        if not self.found.done():
            if error:
                self.found.set_exception(error)
            else:
                self.found.set_result(result)

    def do(self, share: float) -> None:
        """In a thread, with its share of the time that is left."""
        result, failure = None, None
        try:
            result = self.job((self.until - self.loop.time()) * share)
        except BaseException as error:  # an agent's, which may even be its wish to exit
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
        with contextlib.suppress(RuntimeError):  # the server has ended meanwhile
            self.loop.call_soon_threadsafe(self.settle, result, failure)


class Thinkers:
    """Jobs are begun in the order in which they came, each told how many seconds it has."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or THREADS_A_CORE * (os.cpu_count() or 1)
        self.lost = 0
        self._alive = self._idle = 0
        self._waiting: deque[Work] = deque()
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """Jobs that nobody has begun yet."""
        return len(self._waiting)

    async def think(self, job: Callable[[float], Any], until: float) -> Any:
        """What the job finds, or raises; TimeoutError when the time of the event loop is `until`."""
        work = Work(job, until)
        with self._changed:
            self._waiting.append(work)
            if len(self._waiting) > self._idle:
                self._start()
            self._changed.notify()
        bell = work.loop.call_at(until, work.settle, None, TimeoutError())
        try:
            return await work.found
        except TimeoutError:
            self._give_up(work)
            raise
        finally:
            bell.cancel()

    def _start(self) -> None:
        if self._alive < self.threads + min(self.lost, MOST_LOST):
            self._alive += 1
            threading.Thread(target=self._run, daemon=True).start()  # a hanging one must not keep the server alive

    def _give_up(self, work: Work) -> None:
        with self._changed:
            if work in self._waiting:
                self._waiting.remove(work)
            elif work.begun:
                work.given_up = True
                self.lost += 1
                if self._waiting:
                    self._start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._waiting:
                    self._changed.wait()
                self._idle -= 1
                work = self._waiting.popleft()
                work.begun = True
                share = 1 / (1 + len(self._waiting) / self.threads)
            work.do(share)
            with self._changed:
                work.begun = False
                if work.given_up:
                    self.lost -= 1
                if self._alive > self.threads + min(self.lost, MOST_LOST):
                    self._alive -= 1
                    return
