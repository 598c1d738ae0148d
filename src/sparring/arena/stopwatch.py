"""The time that a guest takes for an answer, and whose fault it is if the answer is late.

The guest pays for the time in which it could have worked. It does not pay while this process stood still (Ctrl-Z, the
lid of a laptop, a busy machine), while its own process was stopped, or while it waited for a processor. The waiting
thread measures that itself: it wakes in short slices, and a slice that took longer was a stall of ours.
"""

import time
from contextlib import suppress
from pathlib import Path

from sparring.arena.limits import VoidGame

SLICES_A_LIMIT = 20
SHORTEST_SLICE, LONGEST_SLICE = 0.005, 0.25
"""Seconds. How a guest used the first slice of an answer is not measured, so that quick answers cost nothing."""
ITS_OWN = 0.9
"""A guest that used this share of the limit on a processor has had its time."""
DOUBT = 1.25
"""The limit so many times is the net time after which it is decided how a guest used its time."""
EXCUSED = 0.2
"""Stalls that are less than this share of the limit together excuse nothing."""
LONGEST_STOP, LONGEST_QUEUE = 1, 10
"""The limit so many times, but at least a second: a guest that was stopped for so long, or waited so long for a
processor, has its game void. One that waits gets a processor sooner or later, and then shows what it does with it."""


class Stopwatch:
    """Measures one answer of a process. All times are in seconds."""

    def __init__(self, pid: int, limit: float) -> None:
        self.limit = limit
        self.slice = min(max(limit / SLICES_A_LIMIT, SHORTEST_SLICE), LONGEST_SLICE)
        self._process = Path(f"/proc/{pid}")
        self._clock = (~pid << 3) | 2  # Linux: the processor time of another process
        self._used = self._processor_time()
        self._waited: float | None = None
        self._stalled = 0.0  # this process
        self._stopped = self._queued = 0.0  # the guest, the latter for a processor
        self._started = self._last = time.perf_counter()

    @property
    def wall(self) -> float:
        return self._last - self._started

    @property
    def net(self) -> float:
        """The time without stalls of any kind."""
        return self.wall - self.excused

    @property
    def excused(self) -> float:
        """The sum of all stalls: of this process, and of the guest while it was stopped or waited for a processor."""
        return self._stalled + self._stopped + self._queued

    def tick(self, answered: bool) -> None:
        """Note that a slice of waiting is over. While there is no answer, see how the guest spent it."""
        now = time.perf_counter()
        whole, self._last = now - self._last, now
        stalled = max(0.0, whole - self.slice)
        self._stalled += stalled
        if not answered:
            self._look(whole - stalled)

    def check(self, answered: bool) -> None:
        """Raise TimeoutError if the guest is late by its own fault, and VoidGame if it is late by no fault of its own.
        Without an answer that may be undecided yet."""
        if self.wall <= self.limit or (answered and self.net <= self.limit):
            return
        used = self._processor_time() - self._used
        if used >= ITS_OWN * self.limit or self.excused <= EXCUSED * self.limit:
            raise TimeoutError
        patience = max(self.limit, 1.0)
        if (
            answered
            or self.net > DOUBT * self.limit
            or self._stopped > LONGEST_STOP * patience
            or self._queued > LONGEST_QUEUE * patience
        ):
            raise VoidGame(f"late by no fault of its own: it could not work in {self.excused:.3g} of {self.wall:.3g} s")

    def _processor_time(self) -> float:
        with suppress(OSError, AttributeError):
            return time.clock_gettime(self._clock)
        return 0.0  # not Linux, or the process has ended

    def _look(self, most: float) -> None:
        """See, where the system tells, whether the guest was stopped or waited for a processor in the last slice."""
        with suppress(OSError, IndexError, ValueError):
            before, self._waited = self._waited, int((self._process / "schedstat").read_text().split()[1]) * 1e-9
            if (self._process / "stat").read_text().rpartition(")")[2].split()[0] in "Tt":
                self._stopped += most
            elif before is not None:
                self._queued += min(self._waited - before, most)
