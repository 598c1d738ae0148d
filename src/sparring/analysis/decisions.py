"""Statistics of the decisions that were kept: how long moves took, and what agents or the referee noted of them."""

from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.arena.batch import ResultBatch
from sparring.arena.notes import LONGEST_WORD, NoteCounts
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError, unknown
from sparring.core.table import one_line

Block = tuple[int, int]  # a table and one of its blocks


@dataclass
class DecisionStats:
    """The times and notes of one agent's decisions."""

    agent: str
    seconds: Any = field(default_factory=lambda: array("d"))  # of each move
    notes: dict[str, NoteCounts] = field(default_factory=dict)

    def add(self, decision: Mapping[str, Any], by: str = "") -> None:
        """Count the notes of a decision, in groups by the word of the note `by`."""
        self.seconds.append(decision["seconds"])
        notes = all_notes(decision)
        group = f" ({by} {one_line(str(notes[by]))[:LONGEST_WORD]})" if by in notes else ""
        for name, value in notes.items():
            self.notes.setdefault(name if name == by else name + group, NoteCounts()).add(value)

    @property
    def told(self) -> dict[str, NoteCounts]:
        """The notes that have a summary."""
        return {name: note for name, note in self.notes.items() if str(note)}

    @property
    def times(self) -> dict[str, float]:
        """The times within which half of the moves and 95 % of them were made, and the longest time."""
        p50, p95, slowest = np.quantile(self.seconds, [0.5, 0.95, 1.0]).tolist()
        return {"p50": p50, "p95": p95, "max": slowest}

    def to_json(self) -> dict[str, Any]:
        notes = {name: note.to_json() for name, note in self.told.items()}
        return {"agent": self.agent, "moves": len(self.seconds), "seconds": self.times, "notes": notes}


def all_notes(decision: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes on a decision, those of the agent and those that were added once its consequences were seen."""
    said = {**decision["notes"], **decision.get("hindsight", {})}
    return {one_line(name)[:LONGEST_WORD]: value for name, value in said.items()}


def decision_stats(result: Tournament, batches: Iterable[ResultBatch], by: str = "") -> dict[str, DecisionStats]:
    """Return the statistics by agent. `by` is a note whose words split the other notes into groups.

    Batches are taken one by one, because all of them may not fit into memory.
    """
    found: dict[str, DecisionStats] = {}
    for name, _, decision in kept_decisions(result, batches):
        found.setdefault(name, DecisionStats(name)).add(decision, by)
    if by and not any(by in one.notes for one in found.values()):
        names = dict.fromkeys(name for one in found.values() for name in one.notes)
        raise unknown("note", by, names) if names else SparringError("no notes are kept: play it with --decisions")
    return {name: found[name] for name in result.names if name in found}


def kept_decisions(
    result: Tournament, batches: Iterable[ResultBatch]
) -> Iterator[tuple[str, Block, Mapping[str, Any]]]:
    """Yield every decision of the batches with its agent and its block."""
    contest = result.contest
    for batch in batches if contest.experiment.decisions else ():
        blocks = np.arange(batch.block, min(batch.end, result.end(batch.table)))
        games = ((block, agents) for block in blocks.tolist() for agents in contest.seated(batch.table, block).tolist())
        for (block, agents), decisions in zip(games, batch.decisions, strict=False):
            for decision in decisions:
                yield result.names[agents[decision["player"]]], (batch.table, block), decision
