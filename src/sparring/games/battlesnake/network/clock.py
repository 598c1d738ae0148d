"""The reserve: the part of a game's timeout that is not ours, as measured on the way there and back."""

from collections import deque

START = 0.100
"""Seconds to reserve before anything is known, at most a quarter of the timeout."""
MARGIN = 0.020
"""Seconds added to what was measured."""
FEWEST = 10
"""Number of answers before a measurement below START is believed."""
REMEMBERED = 60
CLOCKS_DIFFER = 0.001
MOST_SHARE = 0.5
"""Largest share of a timeout; an agent that needs more reserve is late anyway."""
FIRST_PENALTY, FORGIVEN = 0.050, 0.98
"""A late answer adds this penalty, or doubles the present one. Each answer in time reduces it a little."""


class Reserve:
    """The part of a timeout to leave for everything but thinking: network, engine, its queue and ours.

    An engine tells how long our last answer took as seen from there. Our own clock tells our part of it. The rest
    happened outside. The reserve is a little more than nearly all recent values of the rest.
    """

    def __init__(self) -> None:
        self._outside: deque[float] = deque(maxlen=REMEMBERED)
        self._penalty = 0.0

    def learn(self, latency: float, own: float, timeout: float) -> None:
        """Learn from the last answer: its latency for the engine and our own time. After a timeout the engine may
        report nothing, but our own clock knows."""
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
