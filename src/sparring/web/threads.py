"""Threads that run jobs until a deadline, so that the event loop of a server never waits."""

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, TypeVar

THREADS_PER_CORE = 4
"""Running jobs share the cores; further jobs wait, and have less time."""
MAX_STUCK = 8
"""A thread that missed a deadline is replaced, but no more than so many at a time: nothing can end them."""
Result = TypeVar("Result")


class PooledJob:
    """A function that a thread calls with the seconds it has, and the future of its result."""

    def __init__(self, function: Callable[[float], Any], deadline: float) -> None:
        self.function = function
        self.deadline = deadline
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] = self.loop.create_future()
        self.started = self.abandoned = False

    def settle(self, result: Any, error: Exception | None) -> None:
        """Set the result, in the event loop, unless the deadline has passed."""
        if not self.future.done():
            if error:
                self.future.set_exception(error)
            else:
                self.future.set_result(result)

    def run(self, share: float) -> None:
        """Call the function in a thread, with a share of the time that is left."""
        result, failure = None, None
        try:
            result = self.function((self.deadline - self.loop.time()) * share)
        except BaseException as error:  # an agent may even call sys.exit
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
        with contextlib.suppress(RuntimeError):  # the event loop may have ended
            self.loop.call_soon_threadsafe(self.settle, result, failure)


class DeadlinePool:
    """Threads that run jobs in the order of arrival. Each job is told how many seconds it has."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or THREADS_PER_CORE * (os.cpu_count() or 1)
        self.stuck = 0
        """Threads that still run a job after its deadline."""
        self._alive = self._idle = 0
        self._queue: deque[PooledJob] = deque()
        self._changed = threading.Condition()

    @property
    def waiting(self) -> int:
        """Number of jobs that no thread has started."""
        return len(self._queue)

    async def run(self, function: Callable[[float], Result], deadline: float) -> Result:
        """Return the result of a job, or raise its error or, at `deadline` (in event loop time), TimeoutError."""
        job = PooledJob(function, deadline)
        with self._changed:
            self._queue.append(job)
            if len(self._queue) > self._idle:
                self._start_thread()
            self._changed.notify()
        timer = job.loop.call_at(deadline, job.settle, None, TimeoutError())
        try:
            result: Result = await job.future
            return result
        except TimeoutError:
            self._abandon(job)
            raise
        finally:
            timer.cancel()

    def _start_thread(self) -> None:
        if self._alive < self.threads + min(self.stuck, MAX_STUCK):
            self._alive += 1
            threading.Thread(target=self._work, daemon=True).start()  # a stuck thread must not keep the server alive

    def _abandon(self, job: PooledJob) -> None:
        with self._changed:
            if job in self._queue:
                self._queue.remove(job)
            elif job.started:
                job.abandoned = True
                self.stuck += 1
                if self._queue:
                    self._start_thread()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._idle += 1
                while not self._queue:
                    self._changed.wait()
                self._idle -= 1
                job = self._queue.popleft()
                job.started = True
                share = 1 / (1 + len(self._queue) / self.threads)
            job.run(share)
            with self._changed:
                job.started = False
                self.stuck -= job.abandoned
                if self._alive > self.threads + min(self.stuck, MAX_STUCK):
                    self._alive -= 1
                    return
