"""Threads that run jobs until a deadline, so that the event loop of a server never waits."""

import asyncio
import contextlib
import os
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

THREADS_PER_CORE = 4
"""Running jobs share the cores; further jobs wait, and have less time."""
MAX_STUCK = 8
"""A thread that missed a deadline is replaced, but no more than so many at a time: nothing can end them."""
Result = TypeVar("Result")


@dataclass(eq=False)
class PooledJob:
    """A function that a thread calls with the seconds it has, and the future of its result."""

    function: Callable[[float], Any]
    deadline: float
    future: asyncio.Future[Any]
    running: bool = False
    stuck: bool = False


class DeadlinePool:
    """Runs jobs in the order of arrival, each on a thread of its own. Only the event loop changes the state."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads or THREADS_PER_CORE * (os.cpu_count() or 1)
        self.stuck = 0
        """Threads that still run a job after its deadline."""
        self._running = 0
        self._queue: deque[PooledJob] = deque()

    @property
    def waiting(self) -> int:
        """Number of jobs that no thread has started."""
        return len(self._queue)

    async def run(self, function: Callable[[float], Result], deadline: float) -> Result:
        """Return the result of a job, or raise its error or, at `deadline` (in event loop time), TimeoutError."""
        job = PooledJob(function, deadline, asyncio.get_running_loop().create_future())
        self._queue.append(job)
        self._start_jobs()
        try:
            async with asyncio.timeout_at(deadline):
                result: Result = await job.future
                return result
        except TimeoutError:
            if job in self._queue:
                self._queue.remove(job)
            elif job.running:
                job.stuck = True
                self.stuck += 1
                self._start_jobs()
            raise

    def _start_jobs(self) -> None:
        while self._queue and self._running < self.threads + min(self.stuck, MAX_STUCK):
            job = self._queue.popleft()
            job.running = True
            self._running += 1
            seconds = (job.deadline - job.future.get_loop().time()) / (1 + len(self._queue) / self.threads)
            # a stuck thread must not keep the server alive
            threading.Thread(target=self._work, args=(job, seconds), daemon=True).start()

    def _work(self, job: PooledJob, seconds: float) -> None:
        result, failure = None, None
        try:
            result = job.function(seconds)
        except BaseException as error:  # an agent may even call sys.exit
            failure = error if isinstance(error, Exception) else RuntimeError(repr(error))
        with contextlib.suppress(RuntimeError):  # the event loop may have ended
            job.future.get_loop().call_soon_threadsafe(self._end, job, result, failure)

    def _end(self, job: PooledJob, result: Any, failure: Exception | None) -> None:
        job.running = False
        self._running -= 1
        self.stuck -= job.stuck
        if not job.future.done():
            if failure:
                job.future.set_exception(failure)
            else:
                job.future.set_result(result)
        self._start_jobs()
