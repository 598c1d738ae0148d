"""Statistics of a server: counts, times, and a page that shows them."""

from collections import Counter, deque
from collections.abc import Mapping

import numpy as np

from sparring.core.errors import SparringError
from sparring.core.markup import Html, document, section, tag
from sparring.core.table import plain

TIMES = 10_000
"""Number of latest answers whose times are kept."""
MOST_REASONS = 20


class Counts:
    """Counts of moves, their times, and failures."""

    def __init__(self) -> None:
        self.moves = self.fallbacks = self.refused = 0
        self.reasons: Counter[str] = Counter()
        """Reasons for playing a safe move instead of the agent's; the number of different reasons is limited."""
        self._times: deque[float] = deque(maxlen=TIMES)

    def moved(self, seconds: float) -> None:
        self.moves += 1
        self._times.append(seconds)

    def fell_back(self, error: Exception) -> str:
        """Count a failure, and return its reason if it is new."""
        self.fallbacks += 1
        late, ours = isinstance(error, TimeoutError), isinstance(error, SparringError)
        reason = "late" if late else str(error) if ours else f"{type(error).__name__}: {error}"
        reason = plain(reason[:200])
        if reason not in self.reasons and len(self.reasons) >= MOST_REASONS:
            reason = "others"
        self.reasons[reason] += 1
        return reason if self.reasons[reason] == 1 else ""

    def figures(self) -> dict[str, float]:
        p50, p95, p99, most = np.percentile(self._times or [0.0], (50, 95, 99, 100)) * 1000
        counts = {"moves": self.moves, "fallbacks": self.fallbacks, "refused": self.refused}
        return {**counts, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "max_ms": most}


NAMES = {
    "games": "games going on",
    "snakes": "snakes in them",
    "moves": "moves answered",
    "fallbacks": "of these safe moves in place of the agent's",
    "refused": "requests refused",
    "p50_ms": "median answer, ms",
    "p95_ms": "95 % within, ms",
    "p99_ms": "99 % within, ms",
    "max_ms": "slowest, ms",
    "reserve_ms": "left of 500 ms for the way, ms",
    "threads_lost": "threads that did not come back",
}


def page(spec: str, figures: Mapping[str, float], reasons: Mapping[str, int]) -> str:
    """A page for people. It loads nothing and refreshes every two seconds."""
    rows = [tag("tr", tag("th", NAMES[one]), tag("td", f"{value:,.4g}", class_="n")) for one, value in figures.items()]
    told = [tag("li", f"{reason}: {times}") for reason, times in reasons.items()]
    why = [section("Why safe moves", tag("ul", *told))] if told else []
    return document(
        spec, tag("h1", spec), tag("table", *rows), *why, head=Html('<meta http-equiv="refresh" content="2">')
    )
