"""The processes in which a served agent thinks. The server waits for none of them, and ends one that hangs.

A process answers one question after another. If it is held up, the questions behind go to another one. If it stays
held up, it is ended with all that it started, and the seat whose agent did that is served apart from the others.
"""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.games.battlesnake.network.seats import Seat
from sparring.games.battlesnake.network.worker import (
    ANSWER,
    BROKEN,
    LEAST,
    LEAVE,
    MOST_ANSWER,
    MOVE,
    OVER,
    PLAYED,
    QUESTION,
    READY,
    SKIPPED,
    UNPLAYABLE,
)
from sparring.games.battlesnake.rules import MOVES

SPARE = 2
"""Processes that are always there, so that others go on at once when one is held up."""
MOST = max(4, 2 * (os.cpu_count() or 1))
"""Processes at most; agents that think long share the cores."""
LONG_THOUGHT = 0.005
"""Seconds for an answer from which on more processes are started."""
SENT_SECONDS = 0.03
"""Seconds of work that a process may have at a time. The server looks at answers only now and then if it is busy."""
LEAST_THOUGHT = 0.0001
"""Least seconds that an answer is believed to take."""
LEARNED = 1.2
"""Factor by which a move changes the usual time."""
FORGIVEN, MOST_MARGIN = 0.98, 0.15
"""Factor by which an answer in time changes the time for which it is worth asking, and its limit in seconds."""
MOST_SENT = 64
"""Questions that a process of a quick agent may have at a time."""
HANG_SECONDS = 1.0
"""A process that is late by more is ended."""
TICK_SECONDS = 0.05
"""Time between two looks at the processes, while questions are open."""
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 60.0
"""Seconds before another process is started after one that could not load its agent. They double each time."""
MOST_WARNED = 20
"""Different lines that processes may tell."""
PROGRAM = (
    "import sys; sys.path.append(sys.argv[2]); from sparring.games.battlesnake.network.worker import run; "
    "spec = sys.argv[1]; sys.path[:] = sys.argv[3:]; run(spec)"
)
"""Imports the package before users' folders are on the path, because these may hold modules of any name."""
SHED, UNREADY, OVERDUE, ENDED = "shed", "unready", "overdue", "ended"
REASONS = {
    SHED: "no time was left to ask the agent, because of other games",
    UNREADY: "the agent is not ready yet",
    OVERDUE: "the agent is late",
    ENDED: "the agent ended its process",
    "failed": "the agent failed",
    "unplayable": "our games cannot hold the board",
}
"""Reasons for a safe move in place of the agent's."""
KINDS = {SKIPPED: SHED, UNPLAYABLE: "unplayable"}


class ThinkingRequest:
    """A request that the agent is to answer before a deadline. `told` is called once: with a move and no reason, with
    neither if there is nothing to decide, or with a reason and a text."""

    __slots__ = ("body", "deadline", "kind", "open", "process", "seat", "sent", "timer", "told")

    def __init__(self, seat: Seat, kind: int, body: bytes, deadline: float, told: Callable[[str, str, str], None]):
        self.seat, self.kind, self.body, self.deadline, self.told = seat, kind, body, deadline, told
        self.open = True
        self.process: ThinkingProcess | None = None
        self.sent = 0.0
        self.timer: asyncio.TimerHandle | None = None

    def end(self, move: str = "", reason: str = "", text: str = "") -> None:
        if self.open:
            self.open = False
            if self.timer:
                self.timer.cancel()
            self.told(move, reason, text)


class ThinkingProcess(asyncio.SubprocessProtocol):
    """A process, its open questions in their order, and those that wait for it."""

    def __init__(self, pool: "ThinkingPool", suspect: bool) -> None:
        self.suspect = suspect
        self.ready = self.ended = self.stuck = False
        self.sent: dict[int, ThinkingRequest] = {}
        self.waiting: deque[ThinkingRequest] = deque()
        self.seats = 0
        self.seconds = LONG_THOUGHT
        """The usual time for a move: half of them take longer."""
        self.margin = LEAST
        """Least time for which it is worth asking: more when answers were late."""
        self.began = 0.0
        """When the first of the open questions could be begun."""
        self._pool = pool
        self._data = b""
        self._transport: Any = None
        self._input: Any = None

    @property
    def load(self) -> int:
        return len(self.sent) + len(self.waiting)

    def connection_made(self, transport: Any) -> None:
        self._transport, self._input = transport, transport.get_pipe_transport(0)
        if self.ended:
            self.kill()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._data += data
        try:
            self._read()
        except (ValueError, LookupError, TypeError):  # the agent may write anything
            self._pool.end(self, "the agent wrote to the server in place of its process")

    def _read(self) -> None:
        while len(self._data) >= ANSWER.size and not self.ended:
            size, kind, number, seconds = ANSWER.unpack_from(self._data)
            end = ANSWER.size + size
            if size > MOST_ANSWER:
                raise ValueError
            if len(self._data) < end:
                return
            text, self._data = self._data[ANSWER.size : end].decode(errors="replace"), self._data[end:]
            self._pool.answered(self, kind, number, seconds, text)

    def pipe_connection_lost(self, fd: int, error: Exception | None) -> None:
        self._pool.end(self)

    def process_exited(self) -> None:
        self._pool.end(self)

    def write(self, kind: int, number: int, seat: Seat, body: bytes, deadline: float, behind: int) -> None:
        self._input.write(QUESTION.pack(len(body), kind, number, seat.number, deadline, behind) + body)

    def kill(self) -> None:
        """End the process and all that it started."""
        if not self._transport:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError, AttributeError):  # Windows has no groups
            os.killpg(self._transport.get_pid(), signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            self._transport.kill()
        self._transport.close()


class ThinkingPool:
    """All processes of a served agent. It runs on the event loop of the server."""

    def __init__(self, spec: str, warn: Callable[[str], None]) -> None:
        self.killed = 0
        """Processes that were ended because they hung."""
        self.processes: list[ThinkingProcess] = []
        self._spec, self._warn = spec, warn
        self._warned: set[str] = set()
        self._remembers = True
        self._number = 0
        self._ticking = self._closed = False
        self._pause, self._not_before = FIRST_PAUSE, 0.0
        self._starting: set[asyncio.Task[Any]] = set()

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._first: asyncio.Future[None] = self._loop.create_future()
        self._start(suspect=False)

    async def ready(self) -> None:
        """Wait until a process is ready. Raise SparringError if the agent cannot be made."""
        await asyncio.shield(self._first)

    def close(self) -> None:
        self._closed = True
        for process in [*self.processes]:
            self.end(process)

    def ask(self, question: ThinkingRequest) -> None:
        if question.deadline - self._loop.time() < LEAST:
            question.end(reason=SHED)
            return
        question.timer = self._loop.call_at(question.deadline, self._late, question)
        self._assign(question)
        if not self._ticking:
            self._ticking = True
            self._loop.call_later(TICK_SECONDS, self._tick)

    def leave(self, seat: Seat) -> None:
        """Forget a seat whose game is over."""
        seat.left = True
        self._leave_process(seat)

    def _leave_process(self, seat: Seat) -> None:
        process: ThinkingProcess | None = seat.process
        if process:
            process.seats -= 1
            if process.ready and not process.ended:
                process.write(LEAVE, 0, seat, b"", 0.0, 0)

    # Which process answers

    def _assign(self, question: ThinkingRequest) -> None:
        """Give a question to the process of its seat, or to the one that has least to do."""
        seat = question.seat
        before: ThinkingProcess | None = seat.process
        process = before or self._least_busy(seat.suspect)
        if process.ended or process.stuck or not process.ready or process.suspect != seat.suspect:
            process = self._least_busy(seat.suspect)
        elif process.load and process.seconds > LONG_THOUGHT:
            self._keep(sum(one.load for one in self.processes))
            free = self._least_busy(seat.suspect)
            if free.ready and not free.load and (free.seats + 1 < process.seats or not self._remembers):
                process = free
        if process is not before:
            process.seats += 1
            if before:
                self._leave_process(seat)
        question.process = seat.process = process
        process.waiting.append(question)
        self._feed(process)

    def _least_busy(self, suspect: bool) -> ThinkingProcess:
        able = [one for one in self.processes if one.suspect == suspect]
        if suspect and not able:
            able = [self._start(suspect=True)]
        able = [one for one in able if not one.stuck] or able or [self._start(suspect=False)]
        return min(able, key=lambda one: (not one.ready, one.load, one.seats))

    def _feed(self, process: ThinkingProcess) -> None:
        """Send as many questions as suit the time that an answer takes."""
        depth = max(1, min(MOST_SENT, int(SENT_SECONDS / process.seconds)))
        while process.ready and process.waiting and len(process.sent) < depth:
            question = process.waiting.popleft()
            question.sent = now = self._loop.time()
            if question.deadline - now < process.margin or question.seat.left:
                question.end(reason=SHED)
            if question.open:
                if not process.sent:
                    process.began = now
                self._number = self._number + 1 & 0xFFFFFFFF
                process.sent[self._number] = question
                behind = len(process.waiting) if depth == 1 else 0
                process.write(question.kind, self._number, question.seat, question.body, question.deadline, behind)

    def answered(self, process: ThinkingProcess, kind: int, number: int, seconds: float, text: str) -> None:
        if kind == READY:
            self._is_ready(process, json.loads(text))
        elif kind == BROKEN:
            self.end(process, text)
        elif question := process.sent.pop(number, None):
            stuck, process.stuck, process.began = process.stuck, False, self._loop.time()
            if stuck:
                self._relieve()
            if question.open and question.kind == MOVE:
                process.seconds *= LEARNED if seconds > process.seconds else 1 / LEARNED
                process.margin = max(LEAST, process.margin * FORGIVEN)
            elif not question.open and question.process is process:
                process.margin = min(2 * process.margin, MOST_MARGIN)
            if question.process is process:
                played = kind == PLAYED and (text in MOVES or question.kind != MOVE)
                reason = "" if played or kind == OVER else KINDS.get(kind, "failed")
                question.end(text if played else "", reason, text if reason else "")
            self._feed(process)

    def _late(self, question: ThinkingRequest) -> None:
        """Answer without the agent, at the last moment."""
        process = question.process
        assert process
        if question in process.waiting:
            process.waiting.remove(question)
            question.end(reason=SHED if process.ready else UNREADY)
        else:
            question.end(reason=OVERDUE)

    def _tick(self) -> None:
        """Find the processes that are held up."""
        now = self._loop.time()
        for process in [*self.processes]:
            if not (head := next(iter(process.sent.values()), None)):
                continue
            allowed = max((head.deadline - head.sent) / 4, 20 * process.seconds)
            if now > head.deadline + HANG_SECONDS:
                self.killed += 1
                head.seat.suspect = True
                self.end(process)
            elif not process.stuck and now > min(head.deadline, process.began + allowed):
                process.stuck = True
                self._move_on(process)
            elif now > head.deadline:
                self._keep(SPARE)
        self._ticking = any(one.load for one in self.processes)
        if self._ticking:
            self._loop.call_later(TICK_SECONDS, self._tick)

    def _relieve(self) -> None:
        """Let an able process answer what waits for others."""
        for one in self.processes:
            if not one.ready or one.stuck:
                self._move_on(one)

    def _move_on(self, process: ThinkingProcess) -> None:
        """Give all questions but the first open one to others."""
        behind = [*[*process.sent.values()][1:], *process.waiting]
        process.waiting.clear()
        for question in behind:
            if question.open and question.process is process:
                self._assign(question)

    # Their lives

    def _start(self, suspect: bool) -> ThinkingProcess:
        process = ThinkingProcess(self, suspect)
        self.processes.append(process)
        starting = self._loop.create_task(self._started(process))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        return process

    async def _started(self, process: ThinkingProcess) -> None:
        await asyncio.sleep(self._not_before - self._loop.time())
        if process.ended:
            return
        command = [sys.executable, "-P", "-c", PROGRAM, self._spec, str(PACKAGE.parent), *sys.path]
        try:
            await self._loop.subprocess_exec(
                lambda: process,
                *command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None,
                start_new_session=True,  # Ctrl-C is for the server alone
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError as error:
            self.end(process, f"no process for the agent can be started: {error.strerror}")

    def _keep(self, number: int) -> None:
        """Have as many processes that are not held up, within the limit."""
        able = [one for one in self.processes if not one.suspect and not one.stuck]
        if len(able) < min(number, MOST) and len(self.processes) <= MOST and all(one.ready for one in able):
            self._start(suspect=False)

    def _is_ready(self, process: ThinkingProcess, told: dict[str, Any]) -> None:
        process.ready = True
        self._pause, self._not_before = FIRST_PAUSE, 0.0
        self._remembers, process.seconds = told["remembers"], max(LEAST_THOUGHT, told["seconds"])
        for line in told["warned"]:
            self._warn_once(line)
        if not self._first.done():
            self._first.set_result(None)
        self._keep(SPARE)
        self._relieve()
        self._feed(process)

    def _warn_once(self, line: str) -> None:
        if line not in self._warned and len(self._warned) < MOST_WARNED:
            self._warned.add(line)
            self._warn(line)

    def end(self, process: ThinkingProcess, why: str = "") -> None:
        """End a process, or learn that it has ended. Others get its questions, except the one that it thought about."""
        if process.ended:
            return
        process.ended = True
        self.processes.remove(process)
        process.kill()
        head = next(iter(process.sent.values()), None)
        if head:
            head.seat.suspect = True
            head.end(reason=ENDED)
        if self._closed:
            return
        if not process.ready:
            why = why or f"{self._spec} ended its process while it was loaded"
            if self._first.done():
                self._warn_once(why)
            else:
                self._first.set_exception(SparringError(why))
            self._not_before = self._loop.time() + self._pause
            self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._keep(SPARE)
        self._move_on(process)
        for question in process.waiting:
            question.end(reason=ENDED)
