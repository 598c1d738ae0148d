"""A figure, how sure it is, and how it is told."""

from dataclasses import dataclass
from math import sqrt

from sparring.statistics.intervals import wilson

COUNT, PERCENT, POINTS, SECONDS, ELO = "", "%", "points", "s", "Elo"
"""Units: things, shares, differences of shares, times by the clock, and ratings."""


@dataclass(frozen=True)
class Measured:
    """A figure with its 95 % interval. Of what is known exactly, both ends are the figure itself."""

    value: float
    low: float
    high: float
    unit: str = COUNT
    of: str = ""  # what it rests on, e.g. 280 games
    source: str = ""  # its id in the store

    @classmethod
    def exactly(cls, value: float, unit: str = COUNT, of: str = "", source: str = "") -> "Measured":
        return cls(value, value, value, unit, of, source)

    @classmethod
    def of_share(cls, percent: float, games: int, of: str = "", source: str = "") -> "Measured":
        """A percentage of so many games, each by itself."""
        low, high = wilson(percent / 100, games)
        return cls(percent, 100 * low, 100 * high, PERCENT, of, source)

    def __str__(self) -> str:
        if self.unit == SECONDS:
            return f"under {self._magnitude:g} s"
        told = f"{shown(self.value, self.unit)} {self.unit}".rstrip()
        exact = self.low == self.high
        return told if exact else f"{told} [{shown(self.low, self.unit)}, {shown(self.high, self.unit)}]"

    @property
    def _magnitude(self) -> float:
        """No clock says the same twice: of a time only its size is told, and none below a tenth of a second."""
        return next(10.0**place for place in range(-1, 12) if self.value < 10.0**place)

    def less(self, other: "Measured") -> "Measured":
        """The difference of two that were measured apart, its interval by Newcombe's square-and-add rule."""
        gap = self.value - other.value
        low = gap - sqrt((self.value - self.low) ** 2 + (other.high - other.value) ** 2)
        high = gap + sqrt((self.high - self.value) ** 2 + (other.value - other.low) ** 2)
        unit = POINTS if self.unit == PERCENT else self.unit
        return Measured(gap, low, high, unit, self.of, f"{self.source} {other.source}")


def shown(value: float, unit: str) -> str:
    """A number in as many digits as mean something."""
    if unit in (POINTS, ELO):
        return f"{value:+.{1 if unit == POINTS else 0}f}"
    whole = unit == COUNT and (value == round(value) or abs(value) >= 1000)
    return f"{value:,.{0 if whole else 1}f}"
