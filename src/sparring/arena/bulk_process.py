"""A process that plays whole games with users' compiled heuristics, because a process can be ended and a thread cannot.

Compiled code that hangs or crashes in a way that no check foresees takes its process with it. This one is a copy of the
referee's: everything is compiled already, so it starts in milliseconds and plays as fast. It gets the numbers of a job
and sends arrays, which are checked. If it dies or is silent, its games are void, and the referee plays them with
guests, which finds out whose fault it was.
"""

import contextlib
import os
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sparring.arena.schedule import Job
from sparring.arena.supervisor import SupervisorClosed

REQUEST, ANSWER = struct.Struct("<3q"), struct.Struct("<cqqq")
"""A job; the kind of an answer, the bytes of the results, of the moves, and of one move."""
PLAYED, FAILED, ALIVE = b"p", b"f", b"a"
BEAT_SECONDS = 1.0
"""Between signs of life, which are only given if there was a move."""

Play = Callable[[Job, Any], Any]
"""Plays a job: fills in the results as they come, and returns the moves."""
NoResults = Callable[[Job], Any]
"""Memory for the results of a job."""


class LostProcess(Exception):
    """The process that played died, or was silent for too long."""


class BulkProcesses:
    """A process for each thread that plays. A lost one is replaced."""

    def __init__(self, play: Play, results: NoResults, count: int) -> None:
        self._closed = False
        self._play, self._results = play, results
        self._idle = [BulkProcess(play, results) for _ in range(count)]
        self._busy: set[BulkProcess] = set()

    def play(self, job: Job, results: Any, silence: float) -> Any:
        """Play a job in a free process: see `BulkProcess.play`."""
        process = self._idle.pop() if self._idle else BulkProcess(self._play, self._results)
        self._busy.add(process)
        try:
            if self._closed:
                raise SupervisorClosed
            return process.play(job, results, silence)
        except (OSError, LostProcess) as error:
            process.close()
            if self._closed:
                raise SupervisorClosed from error
            raise LostProcess(str(error)) from error
        finally:
            self._busy.discard(process)
            if not process.closed:
                self._idle.append(process)

    def close(self) -> None:
        self._closed = True
        for process in [*self._idle, *self._busy]:
            process.close()


class BulkProcess:
    """One process and the connection to it. One thread at a time plays with it."""

    def __init__(self, play: Play, results: NoResults) -> None:
        self.closed = False
        self._connection, other = socket.socketpair()
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        self._pid = os.fork()
        if not self._pid:
            try:
                _serve(other, play, results, parent)
            finally:
                os._exit(1)
        other.close()

    def play(self, job: Job, results: Any, silence: float) -> Any:
        """Fill in the results and return the moves. Raise RuntimeError if a heuristic failed, LostProcess if the
        process died or made no move for so many seconds."""
        self._connection.sendall(REQUEST.pack(job.table, job.block, job.blocks))
        left = silence
        while True:
            if not select.select([self._connection], [], [], BEAT_SECONDS)[0]:
                left -= BEAT_SECONDS  # and not the time on the clock: this process may have been stopped
                if left <= 0:
                    raise LostProcess(f"the process that played made no move for {silence:.3g} s")
                continue
            left = silence
            kind, size, count, width = ANSWER.unpack(self._exactly(ANSWER.size))
            if kind == PLAYED:
                return self._arrays(results, size, count, width)
            if kind == FAILED:
                raise RuntimeError("a heuristic failed")

    def _arrays(self, results: Any, size: int, count: int, width: int) -> Any:
        if size != results.nbytes or width not in (2, 8) or not 0 <= count < 1 << 32:
            raise LostProcess("the process that played sent something else")
        results.view(np.uint8).reshape(-1)[:] = np.frombuffer(self._exactly(size), np.uint8)
        moves = np.frombuffer(self._exactly(count), f"<i{width}")
        if len(moves) != results["moves"].sum(dtype=np.int64):
            raise LostProcess("the process that played sent something else")
        return moves

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._connection.recv(min(count - len(data), 1 << 20))
            if not part:
                raise LostProcess("the process that played ended")
            data += part
        return bytes(data)

    def close(self) -> None:
        """End the process, whatever it does."""
        self.closed = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)
        with contextlib.suppress(OSError):  # wakes a thread that waits for it
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()


def _serve(connection: socket.socket, play: Play, results: NoResults, parent: int) -> None:
    """Play one job after another, until the referee is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the referee
    for file in [int(path.name) for path in Path("/dev/fd").iterdir()]:
        if file > 2 and file != connection.fileno():
            with contextlib.suppress(OSError):  # one of them was for the listing
                os.close(file)
    sending, watched = threading.Lock(), [np.zeros(0)]

    def beat() -> None:
        moves = -1.0
        while os.getppid() == parent:
            time.sleep(BEAT_SECONDS)
            before, moves = moves, watched[0].sum()
            if moves != before:
                with sending, contextlib.suppress(OSError):
                    connection.sendall(ANSWER.pack(ALIVE, 0, 0, 0))
        os._exit(0)

    threading.Thread(target=beat, daemon=True).start()
    while len(request := connection.recv(REQUEST.size, socket.MSG_WAITALL)) == REQUEST.size:
        job = Job(*REQUEST.unpack(request))
        found = results(job)
        watched[0] = found["moves"]
        try:
            moves = play(job, found)
        except Exception:
            answer, parts = ANSWER.pack(FAILED, 0, 0, 0), []
        else:
            answer = ANSWER.pack(PLAYED, found.nbytes, moves.nbytes, moves.itemsize)
            parts = [found.tobytes(), moves.tobytes()]
        sys.stdout.flush()  # heuristics may print
        with sending:
            for part in (answer, *parts):
                connection.sendall(part)
    os._exit(0)
