"""Statistics of a server: counts, times, and a page that shows them."""

from collections import Counter, deque
from collections.abc import Mapping

import numpy as np

from sparring.core.markup import Html, document, section, tag
from sparring.core.table import one_line, plain
from sparring.games.battlesnake.network.processes import REASONS

TIMES = 10_000
"""Number of latest answers whose times are kept."""
MOST_TEXTS = 20
SHOWN = 200
"""Characters of a text that are kept."""


class Counts:
    """Counts of moves, their times from arrival to answer, and failures."""

    def __init__(self) -> None:
        self.moves = self.late = self.refused = 0
        self.reasons = dict.fromkeys(REASONS, 0)
        """Safe moves in place of the agent's, by the reason."""
        self.texts: Counter[str] = Counter()
        """The same with details; the number of different texts is limited."""
        self._times: deque[float] = deque(maxlen=TIMES)

    def moved(self, seconds: float) -> None:
        self.moves += 1
        self._times.append(seconds)

    def fell_back(self, reason: str, text: str) -> str:
        """Count a safe move, and return the text of its reason if it is new."""
        self.reasons[reason] += 1
        told = plain(one_line(f"{REASONS[reason]}{': ' * bool(text)}{text}"))[:SHOWN]
        if told not in self.texts and len(self.texts) >= MOST_TEXTS:
            told = "others"
        self.texts[told] += 1
        return told if self.texts[told] == 1 else ""

    def figures(self) -> dict[str, float]:
        p50, p95, p99, most = np.percentile(self._times or [0.0], (50, 95, 99, 100)) * 1000
        counts = {"moves": self.moves, "late": self.late, "fallbacks": sum(self.reasons.values()), **self.reasons}
        return {**counts, "refused": self.refused, "p50_ms": p50, "p95_ms": p95, "p99_ms": p99, "max_ms": most}


NAMES = {
    "games": "games going on",
    "snakes": "snakes in them",
    "moves": "moves answered",
    "late": "of these after the time of the game",
    "fallbacks": "of these safe moves in place of the agent's",
    **{name: f"- {about}" for name, about in REASONS.items()},
    "refused": "requests refused",
    "p50_ms": "median answer, ms from the arrival of the request",
    "p95_ms": "95 % within, ms",
    "p99_ms": "99 % within, ms",
    "max_ms": "slowest, ms",
    "reserve_ms": "left of 500 ms for the way, ms",
    "processes": "processes that think",
    "killed": "processes that hung and were ended",
}


def page(spec: str, figures: Mapping[str, float], texts: Mapping[str, int]) -> str:
    """A page for people. It loads nothing and refreshes every two seconds."""
    rows = [tag("tr", tag("th", NAMES[one]), tag("td", f"{value:,.4g}", class_="n")) for one, value in figures.items()]
    told = [tag("li", f"{text}: {times}") for text, times in texts.items()]
    why = [section("Why safe moves", tag("ul", *told))] if told else []
    return document(
        spec, tag("h1", spec), tag("table", *rows), *why, head=Html('<meta http-equiv="refresh" content="2">')
    )
