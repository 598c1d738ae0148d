"""What agents thought of their moves, over all decisions that were kept: how long they took, and what was noted, by
them or by the referee when it was seen what came of them.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.arena.batch import Sheet
from sparring.arena.notes import LONGEST_WORD, Note
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError, unknown
from sparring.core.table import in_a_line

Block = tuple[int, int]
"""Of which table, and which of its blocks."""


@dataclass
class Thoughts:
    """An agent's."""

    agent: str
    seconds: Any = field(default_factory=lambda: array("d"))  # of each move
    notes: dict[str, Note] = field(default_factory=dict)

    def add(self, decision: Mapping[str, Any], by: str = "") -> None:
        """Count the notes of a decision, apart for each word that is noted under another name."""
        self.seconds.append(decision["seconds"])
        notes = noted(decision)
        group = f" ({by} {in_a_line(str(notes[by]))[:LONGEST_WORD]})" if by in notes else ""
        for name, value in notes.items():
            self.notes.setdefault(name if name == by else name + group, Note()).add(value)

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


def thoughts(result: Tournament, sheets: Iterable[Sheet], by: str = "") -> dict[str, Thoughts]:
    """By agent, from sheets that hold the decisions of games that count; `by` names a note whose words the other notes
    are counted for, one by one. The sheets are taken one after another: all at once may not fit into memory."""
    found: dict[str, Thoughts] = {}
    for name, _, decision in decided(result, sheets):
        found.setdefault(name, Thoughts(name)).add(decision, by)
    if by and not any(by in one.notes for one in found.values()):
        names = dict.fromkeys(name for one in found.values() for name in one.notes)
        raise unknown("note", by, names) if names else SparringError("no notes are kept: play it with --decisions")
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
