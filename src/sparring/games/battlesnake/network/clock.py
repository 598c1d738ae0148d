"""How much of a game's timeout is ours: what the way there and back takes is measured, not guessed."""

from collections import deque

START = 0.100
"""Seconds to leave while nothing is known, but no more than a quarter of the timeout."""
MARGIN = 0.020
"""Beyond what was measured, for what has not been."""
FEWEST = 10
"""Answers before a measurement is believed that is better than the start."""
REMEMBERED = 60
CLOCKS_DIFFER = 0.001
MOST_SHARE = 0.5
"""Of a timeout: who needs more will be late anyway."""
FIRST_PENALTY, FORGIVEN = 0.050, 0.98
"""An answer that came too late adds this, or doubles what an earlier one added; each in time takes a little of it."""


class Reserve:
    """What to leave of a timeout for all that is not thinking: the network, the engine, its queue and ours.

    An engine tells how long our last answer took, seen from there. Our own clock tells how much of that we took
    ourselves; the rest happens outside of us. The reserve is more than nearly all that was seen of it lately.
    """

    def __init__(self) -> None:
        self._outside: deque[float] = deque(maxlen=REMEMBERED)
        self._penalty = 0.0

    def learn(self, latency: float, own: float, timeout: float) -> None:
        """What the last answer took, and how much of it was ours. After a timeout only that is known; our own clock
        may know of it although the engine tells nothing."""
        if max(latency, own) >= timeout:
            self._penalty = max(FIRST_PENALTY, 2 * self._penalty)
            self._penalty = min(self._penalty, MOST_SHARE * timeout)
        elif 0 < latency >= own - CLOCKS_DIFFER:  # less cannot be, and comes from an engine that does not measure
            self._penalty *= FORGIVEN
            self._outside.append(max(0.0, latency - own))

    def seconds(self, timeout: float) -> float:
        seen = sorted(self._outside)
        upper = seen[int(0.95 * (len(seen) - 1))] + MARGIN if seen else 0.0
        needed = upper if len(seen) >= FEWEST else max(upper, min(START, timeout / 4))
        return min(needed + self._penalty, MOST_SHARE * timeout)
