"""Counts of the notes that agents make about their moves.

The kind of a value decides how it is counted: the share of yes, the mean of numbers, the count of each word. The notes
that an agent declares as its metrics are counted in every game, all others only where decisions are kept.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring.core.table import one_line

FEW_WORDS, LONGEST_WORD = 12, 30
OTHER = "other"
"""Stands for lists, sentences and long words. They are not shown if they are the majority."""


@dataclass
class NoteCounts:
    """The values that were noted under one name."""

    yes: int = 0
    asked: int = 0  # how often the value was yes or no
    total: float = 0.0
    numbers: int = 0
    words: Counter[str] = field(default_factory=Counter)

    def add(self, value: Any) -> None:
        """Count a value. Values of other types are ignored."""
        if isinstance(value, bool):
            self.yes += value
            self.asked += 1
        elif isinstance(value, int | float):
            self.total += value
            self.numbers += 1
        elif isinstance(value, str) and len(self.words) <= FEW_WORDS + 1:
            word = one_line(value)
            self.words[word if len(word) <= LONGEST_WORD and "," not in word and ":" not in word else OTHER] += 1

    def join(self, other: "NoteCounts") -> None:
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)

    def packed(self) -> dict[str, Any]:
        """The counts as JSON, without zeros."""
        return {name: count for name, count in vars(self).items() if count}

    @classmethod
    def unpacked(cls, counts: Mapping[str, Any]) -> "NoteCounts":
        return cls(**{**counts, "words": Counter(counts.get("words", {}))})

    def to_json(self) -> dict[str, Any]:
        """The counts that say something; empty if there were too many different words."""
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


Metrics = dict[str, NoteCounts]
"""The metrics of one player, by their names in tables."""


def count(metrics: Metrics, declared: Mapping[str, str], notes: Mapping[str, Any]) -> None:
    """Add the notes of a move. `declared` maps the notes that are metrics to their names in tables."""
    for name, label in declared.items():
        if name in notes:
            metrics.setdefault(label, NoteCounts()).add(notes[name])
