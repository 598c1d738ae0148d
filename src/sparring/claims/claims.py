"""What a design document claims, as data: under [document] in the file of the experiment that answers it.

A claim names a measure and whom it is taken of. The verdict follows from the measured interval and from what the claim
says it should be: its figure, or more or less than something. A percentage that was measured by games of its own is no
more certain than ours, so that few games of ours confirm nothing, and few on either side refute nothing.
"""

from math import inf
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from sparring.claims.measured import PERCENT, POINTS, Measured

HOLDS, FAILS, SAME, NEVER, OPEN, LATER = (
    "holds",
    "does not hold",
    "no difference",
    "was never testable",
    "not decided",
    "only at full size",
)
ALIKE = "differing"
"""The measure of how often two play different games. Where they never do, nothing could ever tell them apart."""
NEAR = 5.0
"""Points within which a percentage is as it was claimed, and below which two that never differed hardly ever could."""
SLIGHT = 2.0
"""Points below which a difference makes no difference: the margin of the equivalence test."""


def negligible(ours: Measured, par: float) -> bool:
    """Whether all of an interval is within the margin around par: if there is a difference, it is smaller."""
    shares = ours.unit in (PERCENT, POINTS) and ours.low < ours.high
    return shares and par - SLIGHT <= ours.low and ours.high <= par + SLIGHT


class Question(BaseModel):
    """What is measured, of whom, and in which part of the experiment."""

    model_config = ConfigDict(extra="forbid")
    says: str = Field(min_length=1)
    measure: str = ""
    part: str = ""
    agent: str = ""
    against: str = ""
    note: str = ""
    word: str = ""
    """Of an agent's notes on its moves, the one that is counted, and which word of it."""
    settings: dict[str, Any] = {}
    quick: dict[str, Any] = {}
    """Of a measurement that takes more than games; and what is different of them at the quick size."""


class Claim(Question):
    """A sentence of the document in our own words, and when it holds."""

    figure: float | None = None
    of: int = Field(default=0, ge=0)
    """The games that a percentage rests on; without, it is taken for exact."""
    above: float | None = None
    below: float | None = None
    never: str = ""
    """Why nothing that could be measured here would answer it."""
    why: str = ""
    """What explains the answer, whatever the figures are."""

    @model_validator(mode="after")
    def _can_be_answered(self) -> Self:
        if bool(self.never) == bool(self.measure):
            raise ValueError("a claim names the measure that answers it, or says under never why none can")
        if self.of and (self.measure != "share" or self.bounds or not 0 <= (self.figure or 0) <= 100):
            raise ValueError("of = ... tells the games behind a figure that is a share, from 0 to 100 %")
        return self

    @property
    def open_ended(self) -> bool:
        """Whether nothing is said of what it should come to."""
        return not self.never and self.figure is None and not self.bounds

    @property
    def bounds(self) -> tuple[float, ...]:
        """Above and below which it would hold."""
        return tuple(bound for bound in (self.above, self.below) if bound is not None)

    def verdict(self, ours: Measured) -> str:
        """By where the measured interval is: near the figure or away from it, within the bounds or outside of them."""
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

    def _as_reported(self, ours: Measured) -> str:
        assert self.figure is not None
        near = NEAR if ours.unit == PERCENT else 0.0
        if self.figure - near <= ours.low and ours.high <= self.figure + near:
            return HOLDS
        apart = ours.less(Measured.of_share(self.figure, self.of) if self.of else Measured.exactly(self.figure))
        if not apart.low <= 0 <= apart.high:
            return FAILS
        return OPEN if near else HOLDS

    def reported(self, unit: str) -> str:
        """Its figure as the document gives it, if it does, and the games that it rests on."""
        if self.figure is None:
            return ""
        told = f"{self.figure:{'+' if unit == POINTS else ''},.10g} {unit}".rstrip()
        return f"{told} of {self.of:,} games" if self.of else told

    def rule(self, unit: str) -> str:
        """When it holds: what our figure has to be."""
        bounds = [("more than", self.above), ("less than", self.below)]
        told = [f"{word} {bound:,.10g} {unit}".rstrip() for word, bound in bounds if bound is not None]
        return " and ".join(told) or ("" if self.never else "around it")


class Size(BaseModel):
    """How much is played: the games of each part, some agents or all, and some parts not at all."""

    model_config = ConfigDict(extra="forbid")
    games: int = Field(ge=1)
    only: list[str] = []
    """These agents, or all; opponents always play."""
    parts: dict[str, int] = {}
    """Other numbers of games; 0 leaves a part out."""


class Strongest(BaseModel):
    """The part of the experiment in which those meet who may be the strongest, and what to know of it."""

    model_config = ConfigDict(extra="forbid")
    part: str = ""
    says: str = ""


class Document(BaseModel):
    """A design document: what it is about, its claims, what its flaws cost, and what there is beyond it."""

    model_config = ConfigDict(extra="forbid")
    title: str
    about: str
    quick: Size
    """What is played when there is little time."""
    full: Size | None = None
    """What is played for a verdict, if that takes another number of games than the file has."""
    claims: dict[str, Claim] = Field(min_length=1)
    corrections: dict[str, Question] = {}
    strongest: Strongest = Strongest()


def settings_at(path: tuple[Any, ...]) -> list[str]:
    """What may be said where a path of a document leads, for who has said something else."""
    inside: dict[Any, type[BaseModel]] = {
        **{"claims": Claim, "corrections": Question},
        **{"quick": Size, "full": Size, "strongest": Strongest},
    }
    return list(inside.get(path[0], Document).model_fields if len(path) > 1 else Document.model_fields)
