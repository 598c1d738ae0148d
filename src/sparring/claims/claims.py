"""The claims of a design document as data, under [document] in the file of an experiment, and figures with intervals.

A claim names a measure and an agent. The verdict follows from the measured interval and from the claim: its figure, or
a lower or upper bound. A percentage from games of the document has an interval too, so few games of ours confirm
nothing, and few games on either side refute nothing.
"""

from dataclasses import dataclass
from math import inf, sqrt
from typing import Any, Self

from pydantic import BaseModel, Field, model_validator

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
    def of_share(cls, share: float, low: float, high: float, of: str = "", source: str = "") -> "Estimate":
        """Return a share and the ends of its interval in percent."""
        return cls(100 * share, 100 * low, 100 * high, PERCENT, of, source)

    def __str__(self) -> str:
        if self.unit == SECONDS:
            # times are not repeatable enough for more than the order of magnitude, from a tenth of a second up
            return f"under {next(10.0**place for place in range(-1, 12) if self.value < 10.0**place):g} s"
        value = f"{shown(self.value, self.unit)} {self.unit}".rstrip()
        exact = self.low == self.high
        return value if exact else f"{value} [{shown(self.low, self.unit)}, {shown(self.high, self.unit)}]"

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


HOLDS, FAILS, SAME, OPEN = "holds", "does not hold", "no difference", "not decided"
NEVER, LATER = "was never testable", "only at full size"
ALIKE = "differing"
"""The measure of how often two agents play different games. If they never do, no game can tell them apart."""
NEAR = 5.0
"""Points around a claimed percentage within which the claim holds, and the share of games that may differ unseen."""
SLIGHT = 2.0  # the margin of the equivalence test in points: a smaller difference does not count


def negligible(ours: Estimate, par: float) -> bool:
    """True if all of an interval is within the margin around par."""
    shares = ours.unit in (PERCENT, POINTS) and ours.low < ours.high
    return shares and par - SLIGHT <= ours.low and ours.high <= par + SLIGHT


class Question(BaseModel, extra="forbid"):
    """A measure, the agent it is about, and the part of the experiment."""

    says: str = Field(min_length=1)
    measure: str = ""
    part: str = ""
    agent: str = ""
    against: str = ""
    note: str = ""
    word: str = ""  # the note of an agent on its moves that is counted, and the word in it
    settings: dict[str, Any] = {}
    quick: dict[str, Any] = {}  # settings of an instrument, and those that differ at the quick size


class Claim(Question):
    """A sentence of the document in our words, and the condition under which it holds."""

    figure: float | None = None
    of: int = Field(default=0, ge=0)  # the games behind a percentage; without them it counts as exact
    above: float | None = None
    below: float | None = None
    never: str = ""  # the reason why no measure can answer the claim
    why: str = ""  # an explanation of the answer that does not depend on the figures

    @model_validator(mode="after")
    def _can_be_answered(self) -> Self:
        if bool(self.never) == bool(self.measure):
            raise ValueError("a claim needs a measure, or under never the reason why none can answer it")
        if self.of and (self.measure != "share" or self.bounds or not 0 <= (self.figure or 0) <= 100):
            raise ValueError("of = ... is the number of games behind a share from 0 to 100 %")
        return self

    @property
    def open_ended(self) -> bool:
        """True if the claim gives neither a figure nor a bound."""
        return not self.never and self.figure is None and not self.bounds

    @property
    def bounds(self) -> tuple[float, ...]:
        """The bounds between which the claim holds."""
        return tuple(bound for bound in (self.above, self.below) if bound is not None)

    def verdict(self, ours: Estimate) -> str:
        """Compare the measured interval with the figure or the bounds."""
        if self.measure == ALIKE and ours.value == 0 and ours.high < NEAR:
            return NEVER
        if not self.bounds:
            return self._as_reported(ours)
        least = -inf if self.above is None else self.above
        most = inf if self.below is None else self.below
        if least < ours.low and ours.high < most:
            return HOLDS
        if ours.high <= least or ours.low >= most:
            return FAILS
        return SAME if any(negligible(ours, bound) for bound in self.bounds) else OPEN

    def _as_reported(self, ours: Estimate) -> str:
        assert self.figure is not None
        near = NEAR if ours.unit == PERCENT else 0.0
        if self.figure - near <= ours.low and ours.high <= self.figure + near:
            return HOLDS
        share = self.figure / 100
        theirs = Estimate.of_share(share, *wilson(share, self.of)) if self.of else Estimate.exactly(self.figure)
        apart = ours.minus(theirs)
        if not apart.low <= 0 <= apart.high:
            return FAILS
        return OPEN if near else HOLDS

    def reported(self, unit: str) -> str:
        """The figure that the document gives, and the games behind it."""
        if self.figure is None:
            return ""
        told = f"{self.figure:{'+' if unit == POINTS else ''},.10g} {unit}".rstrip()
        return f"{told} of {self.of:,} games" if self.of else told

    def rule(self, unit: str) -> str:
        """The condition for our figure under which the claim holds."""
        bounds = [("more than", self.above), ("less than", self.below)]
        told = [f"{word} {bound:,.10g} {unit}".rstrip() for word, bound in bounds if bound is not None]
        return " and ".join(told) or ("" if self.never else "around it")


class Size(BaseModel, extra="forbid"):
    """The amount of play: the games of each part, and the agents and parts that are left out."""

    games: int = Field(ge=1)
    only: list[str] = []  # only these agents; opponents always play
    parts: dict[str, int] = {}  # other numbers of games for some parts; 0 leaves a part out


class StrongestPart(BaseModel, extra="forbid"):
    """The part of the experiment that decides which agent is the strongest, and a remark on it."""

    part: str = ""
    says: str = ""


class Document(BaseModel, extra="forbid"):
    """A design document: its subject, its claims, the corrections of its flaws, and the strongest agents."""

    title: str
    about: str
    quick: Size
    full: Size | None = None  # the full size, if it is not the number of games of the file
    claims: dict[str, Claim] = Field(min_length=1)
    corrections: dict[str, Question] = {}
    strongest: StrongestPart = StrongestPart()

    @property
    def questions(self) -> dict[tuple[str, str], Question]:
        """The claims and the corrections by their places in the file."""
        claims = {("claims", name): claim for name, claim in self.claims.items()}
        return claims | {("corrections", name): one for name, one in self.corrections.items()}


def settings_at(path: tuple[Any, ...]) -> list[str]:
    inside: dict[Any, type[BaseModel]] = {"claims": Claim, "corrections": Question, "strongest": StrongestPart}
    inside |= {"quick": Size, "full": Size}
    return list(inside.get(path[0], Document).model_fields if len(path) > 1 else Document.model_fields)
