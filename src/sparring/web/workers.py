"""Processes that answer slow calls, because a process can be ended and a thread cannot.

An agent whose options ask for hours of thought costs its own answer: its process is ended at the deadline. No agent has
more than half of the processes, so others go on. A process keeps what it has compiled and loaded for the next call.
"""

import asyncio
import contextlib
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.web.worker import ANSWER, ANSWERED, FAILED, QUESTION

PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from sparring.web.worker import run; sys.path[:] = sys.argv[2:]; run()"
)
"""Imports the package before users' folders are on the path, because these may hold modules of any name."""
MOST = min(8, max(4, os.cpu_count() or 1))
"""Processes at most."""
MOST_IDLE = 2
"""Processes that stay when there is nothing to do."""
MAX_WAITING = 64
"""Calls that may wait for a process."""


class CallProcess:
    """A process that answers one call after another."""

    def __init__(self) -> None:
        self.busy = False
        self.subject = ""
        """What it was asked about last: the code for that is loaded."""
        self._process: asyncio.subprocess.Process | None = None
        self._started = asyncio.Lock()

    async def start(self, set_up: bytes, quiet: bool) -> None:
        async with self._started:
            if self._process is None:
                self._process = await asyncio.create_subprocess_exec(
                    *(sys.executable, "-P", "-c", PROGRAM, str(PACKAGE.parent), *sys.path),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL if quiet else None,
                    start_new_session=True,  # Ctrl-C is for the server alone
                    creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
                )
                self._write(set_up)

    def _write(self, data: bytes) -> None:
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(QUESTION.pack(len(data)) + data)

    async def ask(self, question: bytes) -> tuple[int, bytes]:
        """Return the status of the answer and the answer."""
        self._write(question)
        assert self._process
        assert self._process.stdout
        status, size = ANSWER.unpack(await self._process.stdout.readexactly(ANSWER.size))
        return status, await self._process.stdout.readexactly(size)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def end(self) -> None:
        if self._process:
            with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
                os.killpg(self._process.pid, signal.SIGKILL)
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()


class CallPool:
    """The processes of a server. Its methods run on the event loop, except `close`."""

    def __init__(self, store: Path | None, folder: Path | None) -> None:
        self.waiting = 0
        """Calls that no process has taken."""
        self._set_up = pickle.dumps((store, folder))
        self._processes: list[CallProcess] = []
        self._freed = asyncio.Condition()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = self._told = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self, subject: str, function: Callable[..., Any], arguments: list[Any], seconds: float) -> bytes:
        """Return what a function returns in a process, as JSON, or raise its error."""
        if self.waiting >= MAX_WAITING:
            raise HTTPException(429, "too many requests are waiting; ask again in a while")
        try:
            async with asyncio.timeout(seconds):
                status, body = await self._ask(subject, pickle.dumps((function, arguments)))
        except TimeoutError:
            raise HTTPException(408, f"no answer within {seconds:g} s; ask for less, such as depth=3") from None
        if status == ANSWERED:
            return body
        if status == FAILED:
            raise RuntimeError(body.decode())
        raise HTTPException(status, body.decode())

    async def _ask(self, subject: str, question: bytes) -> tuple[int, bytes]:
        process = await self._taken(subject)
        answered = False
        try:
            await self._start(process)
            self.keep_spare()
            answer = await process.ask(question)
            answered = True
            return answer
        except (EOFError, OSError):
            raise SparringError("the process that thought about it ended; ask again, or for less") from None
        finally:
            process.busy = False
            if not answered or sum(not one.busy for one in self._processes) > MOST_IDLE:
                self._processes.remove(process)
                self._begin(process.end())
            self.keep_spare()
            self._begin(self._notify())

    async def _taken(self, subject: str) -> CallProcess:
        """Wait for a process that may be asked about something."""
        self.waiting += 1
        try:
            async with self._freed:
                while not (process := self._free(subject)):
                    await self._freed.wait()
                return process
        finally:
            self.waiting -= 1

    def _free(self, subject: str) -> CallProcess | None:
        """Take the process that knows a subject best, if one may be taken."""
        if self._closed or sum(one.busy and one.subject == subject for one in self._processes) >= MOST // 2:
            return None
        idle = [one for one in self._processes if not one.busy]
        if not idle and len(self._processes) < MOST:
            self._processes.append(CallProcess())
            idle = self._processes[-1:]
        process = min(idle, key=lambda one: one.subject != subject, default=None)
        if process:
            process.busy, process.subject = True, subject
        return process

    def keep_spare(self) -> None:
        """Start a process for the next call if all others are busy."""
        self._loop = asyncio.get_running_loop()
        if not self._closed and len(self._processes) < MOST and all(one.busy for one in self._processes):
            self._processes.append(spare := CallProcess())
            self._begin(self._start(spare))

    async def _start(self, process: CallProcess) -> None:
        """Start a process, if it was not. Only the first says what all of them would."""
        quiet, self._told = self._told, True
        await process.start(self._set_up, quiet)

    async def _notify(self) -> None:
        async with self._freed:
            self._freed.notify_all()

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def pids(self) -> list[int]:
        return [one.pid for one in self._processes if one.pid]

    def close(self) -> None:
        """End all processes. It is called from another thread than that of the event loop."""
        self._closed = True
        if self._loop:
            asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result()

    async def _end_all(self) -> None:
        await asyncio.gather(*(one.end() for one in self._processes), *self._tasks, return_exceptions=True)
