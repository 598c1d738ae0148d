"""An experiment file of several parts: the same contestants under other rules, at other tables, against others."""

from dataclasses import dataclass
from typing import Any

from sparring.arena.result import Tournament
from sparring.arena.telling import summary
from sparring.core.table import columns, plain
from sparring.statistics.intervals import Score


@dataclass(frozen=True)
class Parts:
    """What came of each part, as far as they were played."""

    parts: tuple[Tournament, ...]
    source: str  # the command that plays it
    seconds: float = 0.0

    @property
    def title(self) -> str:
        return self.parts[0].contest.experiment.title

    @property
    def interrupted(self) -> bool:
        return any(part.interrupted for part in self.parts)

    def __str__(self) -> str:
        stopped = ["interrupted; what was played is counted below"] if self.interrupted else []
        head = [self.title, ""] if self.title else []
        return plain("\n".join([*stopped, *head, *self._told(), f"{self._again}: {self.source}"]))

    def to_json(self) -> dict[str, Any]:
        named = {part.contest.experiment.part: part.to_json() for part in self.parts}
        return {"title": self.title, "interrupted": self.interrupted, "seconds": self.seconds, "parts": named}

    @property
    def _again(self) -> str:
        return "go on" if self.interrupted else "again"

    def _told(self) -> list[str]:
        """One table of all, where all have the same contestants; else what each part says by itself."""
        contestants = list(self.parts[0].contest.experiment.contestants)
        if not contestants or any(list(part.contest.experiment.contestants) != contestants for part in self.parts):
            return [text for part in self.parts for text in (part.contest.experiment.part, str(part), "")]
        columns_of = [(part, other) for part in self.parts for other in part.contest.experiment.opponents]
        rows = [["contestant", *(self._heading(*column) for column in columns_of)]]
        each = set()
        for name in contestants:
            scores = [part.against(name, other) for part, other in columns_of]
            claims = [part.contest.experiment.contestants[name].claim for part, _ in columns_of]
            rows.append([name, *map(told, scores, claims)])
            each |= {score.games for score in scores}
        if len(columns_of) > len(contestants):
            rows = [list(column) for column in zip(*rows, strict=True)]
            rows[0][0] = "part"
        games = sum(part.played for part in self.parts)
        share = f"{min(each):,} in each cell" if len(each) == 1 else f"{min(each):,} to {max(each):,} in a cell"
        foot = f"{games:,} games, {share}, {self.seconds:.1f} s; a cell is the % won there, with its 95 % interval"
        remarks = []
        for part in self.parts:
            found = summary(part)
            remarks += [f"{part.contest.experiment.part}: {line}" for line in (found.repeats, *found.failures) if line]
        return [columns(rows, right=set(range(1, len(rows[0])))), "", foot, *remarks]

    def _heading(self, part: Tournament, opponent: str) -> str:
        several = len(part.contest.experiment.opponents) > 1
        return f"{part.contest.experiment.part} {opponent}" if several else part.contest.experiment.part


def told(score: Score, claim: float | None = None) -> str:
    """A share in percent, how far its interval goes to the side where it goes further, and what somebody claimed."""
    if not score.games:
        return ""
    low, high = score.interval
    share = f"{100 * score.mean:.1f} ±{100 * max(high - score.mean, score.mean - low):.1f}"
    return share if claim is None else f"{share} [{claim:g}]"
