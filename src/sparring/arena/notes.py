"""Notes of moves, counted.

Notes are counted by what they are: a yes or a no is a share, a number a mean, and of a few words each is counted. So
whatever an agent notes of its moves is told of all of them together. The notes that an agent declares as its metrics
are counted in every game; the others where decisions are kept.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sparring.core.table import in_a_line

FEW_WORDS, LONGEST_WORD = 12, 30
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

    def join(self, other: "Note") -> None:
        """Count all that another has counted."""
        self.yes += other.yes
        self.asked += other.asked
        self.total += other.total
        self.numbers += other.numbers
        self.words += other.words

    def packed(self) -> dict[str, Any]:
        """The counts as JSON, without zeros: `Note.unpacked` reads them back."""
        return {name: count for name, count in vars(self).items() if count}

    @classmethod
    def unpacked(cls, counts: Mapping[str, Any]) -> "Note":
        return cls(**{**counts, "words": Counter(counts.get("words", {}))})

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


Metrics = dict[str, Note]
"""The metrics of one player, by what tables call them."""


def count(metrics: Metrics, declared: Mapping[str, str], notes: Mapping[str, Any]) -> None:
    """Add what was noted of a move; `declared` names the notes that are metrics, and what tables call each."""
    for name, label in declared.items():
        if name in notes:
            metrics.setdefault(label, Note()).add(notes[name])
