"""A figure with its interval, and how it is printed."""

from dataclasses import dataclass
from math import sqrt

from sparring.statistics.intervals import wilson

COUNT, PERCENT, POINTS, SECONDS, ELO = "", "%", "points", "s", "Elo"
"""Units: things, shares, differences of shares, times by the clock, and ratings."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval. If it is exact, both ends are the figure itself."""

    value: float
    low: float
    high: float
    unit: str = COUNT
    of: str = ""  # the evidence, e.g. 280 games
    source: str = ""  # its id in the store

    @classmethod
    def exactly(cls, value: float, unit: str = COUNT, of: str = "", source: str = "") -> "Estimate":
        return cls(value, value, value, unit, of, source)

    @classmethod
    def of_share(cls, percent: float, games: int, of: str = "", source: str = "") -> "Estimate":
        """Return a percentage of a number of independent games."""
        low, high = wilson(percent / 100, games)
        return cls(percent, 100 * low, 100 * high, PERCENT, of, source)

    def __str__(self) -> str:
        if self.unit == SECONDS:
            return f"under {self._magnitude:g} s"
        value = f"{shown(self.value, self.unit)} {self.unit}".rstrip()
        exact = self.low == self.high
        return value if exact else f"{value} [{shown(self.low, self.unit)}, {shown(self.high, self.unit)}]"

    @property
    def _magnitude(self) -> float:
        """The order of magnitude of a time, from a tenth of a second up. Times are not repeatable enough for more."""
        return next(10.0**place for place in range(-1, 12) if self.value < 10.0**place)

    def minus(self, other: "Estimate") -> "Estimate":
        """Return the difference of two independent estimates, its interval by Newcombe's square-and-add rule."""
        gap = self.value - other.value
        low = gap - sqrt((self.value - self.low) ** 2 + (other.high - other.value) ** 2)
        high = gap + sqrt((self.high - self.value) ** 2 + (other.value - other.low) ** 2)
        unit = POINTS if self.unit == PERCENT else self.unit
        return Estimate(gap, low, high, unit, self.of, f"{self.source} {other.source}")


def shown(value: float, unit: str) -> str:
    """Print a number with its significant digits."""
    if unit in (POINTS, ELO):
        return f"{value:+.{1 if unit == POINTS else 0}f}"
    whole = unit == COUNT and (value == round(value) or abs(value) >= 1000)
    return f"{value:,.{0 if whole else 1}f}"
