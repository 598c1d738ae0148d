"""A decision is a value: the action, every candidate with its score and terms, and what the search knows.

Explaining a move is keeping the decision; terminal, page and logs only draw it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.games.contract import Action, Position
from sparring.search.matrix import Mixes
from sparring.search.tree import PROVEN, WIN
from sparring.table import columns, in_digits
from sparring.terms import MOST, UNWANTED_DRAW


@dataclass(frozen=True)
class Candidate:
    """A legal action and what was found of it. A score that is not exact is the most it can be worth."""

    action: Action
    score: float | None = None
    exact: bool = True
    line: tuple[Action, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def proven(self) -> bool:
        """Whether the score is that of a game played to its end."""
        return self.score is not None and (abs(self.score) > PROVEN or self.score < -MOST)

    @property
    def verdict(self) -> str:
        if self.score is None:
            return "-"
        if not self.proven:
            return f"{'' if self.exact else '<='}{_signed(self.score)}"
        if abs(self.score) <= PROVEN:
            return f"draws in {round(WIN - self.score / UNWANTED_DRAW)}"
        plies = round(WIN - abs(self.score))
        return f"{'wins' if self.score > 0 else 'loses'}{f' in {plies}' if plies else ''}"

    @property
    def says(self) -> str:
        """The verdict as the end of a sentence: `scores +2`, or `wins in 5`."""
        return self.verdict if self.proven else f"scores {self.verdict}"


class Judged(Candidate):
    """A move with its points, which however many are no proof of a win."""

    @property
    def proven(self) -> bool:
        return False


MARKED = 8
"""Candidates that are shown on a board; more of them would hide it."""


@dataclass(frozen=True)
class Mix:
    """What a player and its enemy choose from, and how often each is chosen."""

    own: list[Action]
    others: list[Action]
    game: Mixes

    @property
    def chances(self) -> dict[Action, float]:
        return {action: chance for action, chance in zip(self.own, self.game.rows.tolist(), strict=True) if chance}

    def likeliest(self, most: int) -> tuple[Any, Any]:
        """The places of the choices of both sides that are made most often, the likeliest first."""
        return np.argsort(-self.game.rows, kind="stable")[:most], np.argsort(-self.game.columns, kind="stable")[:most]


@dataclass(frozen=True)
class Decision:
    """What an agent decided in a position, and why."""

    agent: str
    position: Position
    player: int
    action: Action
    candidates: tuple[Candidate, ...] = ()
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    notes: Mapping[str, Any] = field(default_factory=dict)
    mix: Mix | None = None
    """What it was drawn from, by players who mix."""

    @property
    def name(self) -> str:
        return self._name(self.action)

    @property
    def chosen(self) -> Candidate:
        return next((c for c in self.candidates if c.action == self.action), Candidate(self.action))

    @property
    def score(self) -> float | None:
        return self.chosen.score

    def candidate(self, action: Action | str) -> Candidate:
        wanted = self.position.action(action, self.player)
        return next((c for c in self.candidates if c.action == wanted), Candidate(wanted))

    @property
    def ranked(self) -> list[Candidate]:
        """The candidates, the chosen one first and then the best."""
        return sorted(
            self.candidates, key=lambda c: (c.action != self.action, -(c.score if c.score is not None else -WIN))
        )

    def _name(self, action: Action) -> str:
        return self.position.game.action_name(self.position.state, self.player, action)

    def __str__(self) -> str:
        head = f"{self.agent} plays {self.name}"
        if self.score is not None:
            head += f" ({self.chosen.verdict})"
        known = [f"depth {self.depth}" if self.depth else "", f"{self.nodes:,} nodes" if self.nodes else ""]
        known.append(f"{self.seconds * 1000:.1f} ms")
        known += [f"{note}: {_plainly(value)}" for note, value in self.notes.items()]
        lines = [head, "  " + " · ".join(part for part in known if part)]
        if any(c.score is not None for c in self.candidates):
            lines.append(self.table())
        return "\n".join(lines)

    def table(self) -> str:
        """The candidates with their scores split into weighted terms, and the line each score stands for."""
        terms = list(self.weights) if any(c.terms for c in self.candidates) else []
        last = "why" if any(c.note for c in self.candidates) else "line"
        rows = [["", "move", "score", *terms, last]]
        for c in self.ranked:
            parts = [_signed(self.weights[t] * c.terms[t]) if t in c.terms else "" for t in terms]
            said = c.note or " ".join(self.position.names(c.line))
            rows.append([">" if c.action == self.action else "", self._name(c.action), c.verdict, *parts, said])
        return columns(rows)

    def why_not(self, action: Action | str) -> str:
        """Why another move was not chosen: what it scores, where it leads, and which terms make the difference."""
        other, best = self.candidate(action), self.chosen
        name = self._name(other.action)
        if other.action == self.action:
            return f"{name} is the move it plays."
        if other.score is None or best.score is None:
            return f"{self.agent} keeps no scores, so it cannot say why not {name}."
        if other.score == best.score:
            return f"{name} {best.says}, and so does {self.name}, which it prefers among equals."
        told = [f"{name} {other.says}, {self.name} {best.says}."]
        if other.line[1:]:
            told.append(f"After {name} it expects {' '.join(self.position.names(other.line)[1:])}.")
        gaps = {t: self.weights[t] * (other.terms[t] - best.terms[t]) for t in other.terms if t in best.terms}
        worst = sorted((gap, term) for term, gap in gaps.items() if gap)
        if worst:
            told.append("At the end of the lines: " + ", ".join(f"{term} {_signed(gap)}" for gap, term in worst) + ".")
        return " ".join(told)

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent,
            "position": self.position.text,
            "player": self.player,
            "move": self.name,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "weights": dict(self.weights),
            "notes": {
                name: value.item() if isinstance(value, np.generic) else value for name, value in self.notes.items()
            },
            "candidates": [
                {
                    "move": self._name(c.action),
                    "score": c.score,
                    "exact": c.exact,
                    "line": self.position.names(c.line),
                    "terms": dict(c.terms),
                    "note": c.note,
                }
                for c in self.ranked
            ],
        }

    def _repr_svg_(self) -> str:
        """The board with the best candidates as marks, the better the larger."""
        scored = [(c.action, c.score) for c in self.ranked if c.score is not None][:MARKED]
        ranks = sorted({score for _, score in scored}, reverse=True)
        marks = {action: 1 - ranks.index(score) / len(ranks) for action, score in scored}
        marks = marks or {self.action: 1.0}
        return self.position.game.svg(self.position.state, marks, self.player)


def _plainly(note: Any) -> Any:
    return ("no", "yes")[note] if isinstance(note, bool) else note


def _signed(value: float) -> str:
    return f"{'' if value < 0 else '+'}{in_digits(value + 0.0)}"
