"""What agents thought of their moves, over all decisions that were kept: how long they took, and what was noted, by
them or by the referee when it was seen what came of them.

Notes are counted by what they are: a yes or a no is a share, a number a mean, and of a few words each is counted. So
whatever an agent notes of its moves is told of all of them together.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.arena.result import Tournament
from sparring.arena.sheet import Sheet
from sparring.table import in_a_line

Block = tuple[int, int]
"""Of which table, and which of its blocks."""
FEW_WORDS, LONGEST_WORD = 8, 30
OTHER = "other"
"""What is too long to be a word, or a list, or a sentence. If most is such, there is nothing to count."""


@dataclass
class Note:
    """What was noted under one name."""

    yes: int = 0
    asked: int = 0  # how often it was a yes or a no
    total: float = 0.0
    numbers: int = 0
    words: Counter[str] = field(default_factory=Counter)

    def add(self, value: Any) -> None:
        """Count a value. What is no yes or no, no number and no word is passed over."""
        if isinstance(value, bool):
            self.yes += value
            self.asked += 1
        elif isinstance(value, int | float):
            self.total += value
            self.numbers += 1
        elif isinstance(value, str) and len(self.words) <= FEW_WORDS + 1:
            word = in_a_line(value)
            self.words[word if len(word) <= LONGEST_WORD and "," not in word and ":" not in word else OTHER] += 1

    def to_json(self) -> dict[str, Any]:
        """As little as there is to tell; nothing if it were too many different words."""
        told: dict[str, Any] = {}
        if self.asked:
            told |= {"share": self.yes / self.asked, "moves": self.asked}
        if self.numbers:
            told |= {"mean": self.total / self.numbers, "moves": told.get("moves", 0) + self.numbers}
        if 0 < len(self.words.keys() - {OTHER}) <= FEW_WORDS and 2 * self.words[OTHER] <= self.words.total():
            told |= {"counts": dict(self.words.most_common()), "moves": told.get("moves", 0) + self.words.total()}
        return told

    def __str__(self) -> str:
        told = self.to_json()
        parts = [f"{100 * told['share']:.1f} %"] if "share" in told else []
        parts += [f"{told['mean']:,.{0 if abs(told['mean']) >= 1000 else 2}f}"] if "mean" in told else []
        parts += [f"{word} {times:,}" for word, times in told.get("counts", {}).items()]
        return f"{', '.join(parts)} of {told['moves']:,} moves" if parts else ""


@dataclass
class Thoughts:
    """An agent's."""

    agent: str
    seconds: Any = field(default_factory=lambda: array("d"))  # of each move
    notes: dict[str, Note] = field(default_factory=dict)

    def add(self, decision: Mapping[str, Any]) -> None:
        self.seconds.append(decision["seconds"])
        for name, value in noted(decision).items():
            self.notes.setdefault(name, Note()).add(value)

    @property
    def told(self) -> dict[str, Note]:
        """The notes of which there is something to tell."""
        return {name: note for name, note in self.notes.items() if str(note)}

    @property
    def times(self) -> dict[str, float]:
        """What half of the moves and 95 % of them took at most, and the slowest of all."""
        p50, p95, slowest = np.quantile(self.seconds, [0.5, 0.95, 1.0]).tolist()
        return {"p50": p50, "p95": p95, "max": slowest}

    def to_json(self) -> dict[str, Any]:
        notes = {name: note.to_json() for name, note in self.told.items()}
        return {"agent": self.agent, "moves": len(self.seconds), "seconds": self.times, "notes": notes}


def noted(decision: Mapping[str, Any]) -> dict[str, Any]:
    """What was noted of a decision, when it was made and when it was seen what came of it."""
    said = {**decision["notes"], **decision.get("hindsight", {})}
    return {in_a_line(name)[:LONGEST_WORD]: value for name, value in said.items()}


def thoughts(result: Tournament, sheets: Iterable[Sheet]) -> dict[str, Thoughts]:
    """By agent, from sheets that hold the decisions of games that count. They are taken one after another: all at
    once may not fit into memory."""
    found: dict[str, Thoughts] = {}
    for name, _, decision in decided(result, sheets):
        found.setdefault(name, Thoughts(name)).add(decision)
    return {name: found[name] for name in result.names if name in found}


def decided(result: Tournament, sheets: Iterable[Sheet]) -> Iterator[tuple[str, Block, Mapping[str, Any]]]:
    """Every decision that was kept, with who made it and in which block of games."""
    contest = result.contest
    for sheet in sheets if contest.experiment.decisions else ():
        seatings = contest.seatings(sheet.table)
        blocks = max(0, min(sheet.end, result.end(sheet.table)) - sheet.block)
        for place, decisions in enumerate(sheet.decisions[: blocks * len(seatings)]):
            block, seating = divmod(place, len(seatings))
            for decision in decisions:
                yield result.names[seatings[seating][decision["player"]]], (sheet.table, sheet.block + block), decision
