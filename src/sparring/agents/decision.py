"""Decisions: the action, every candidate with its score and terms, and what the search knows. To explain a move is to
keep its decision. Terminal, page and logs only draw it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from sparring.core.markup import Html, tag
from sparring.core.table import columns, four_digits
from sparring.core.terms import MOST, UNWANTED_TIE
from sparring.games.capabilities import canonical
from sparring.games.contract import Action, Position
from sparring.games.lookahead import names
from sparring.search.matrix import MixedStrategies
from sparring.search.tree import PROVEN, WIN


class GameEnd(NamedTuple):
    """An end of the game that a search has reached."""

    result: int
    """1 if the player who moves has won, 0 if the game is drawn, -1 if it is lost."""
    plies: int | None
    """Moves to the end, by all players; None if the search does not tell sooner ends from later ones."""

    @classmethod
    def of(cls, score: float) -> "GameEnd | None":
        """Return the end that a score of a tree search stands for; None if a heuristic gave the score. A search values
        ends near WIN, -WIN and UNWANTED_TIE * WIN, the closer the sooner they come."""
        if not MOST < abs(score) <= WIN:
            return None
        drawn = abs(score) <= PROVEN
        plies = round(WIN - abs(score / UNWANTED_TIE if drawn else score))
        return cls(0 if drawn else 1 if score > 0 else -1, plies or None)

    def __str__(self) -> str:
        return f"{('draws', 'wins', 'loses')[self.result]}{f' in {self.plies}' if self.plies else ''}"


@dataclass(frozen=True)
class Candidate:
    """A legal action with what was found about it. A score that is not exact is an upper bound."""

    action: Action
    score: float | None = None
    exact: bool = True
    line: tuple[Action, ...] = ()
    terms: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def end(self) -> GameEnd | None:
        """The end of the game that the score stands for, if it stands for one."""
        return None if self.score is None else GameEnd.of(self.score)

    @property
    def proven(self) -> GameEnd | None:
        """The end that is sure to come. An upper bound proves nothing, unless it is a loss."""
        end = self.end
        return end if end and (self.exact or end.result < 0) else None

    @property
    def verdict(self) -> str:
        if self.score is None:
            return "-"
        if self.end:
            return str(self.end) if self.proven else f"at best {self.end}"
        return f"{'' if self.exact else '<='}{_signed(self.score)}"

    @property
    def says(self) -> str:
        """The verdict as the end of a sentence: `scores +2`, or `wins in 5`."""
        return self.verdict if self.end else f"scores {self.verdict}"


class EstimatedCandidate(Candidate):
    """A candidate whose score is an estimate. However high, it is no proof of a win."""

    @property
    def end(self) -> None:
        return None


MARKED = 8
"""How many candidates are marked on a board; more would hide it."""
TOLD, SHOWN = 40, 10
"""How many candidates are printed, and shown in a console or a notebook; JSON has all of them."""


@dataclass(frozen=True)
class Mix:
    """The actions of a player and its opponent, and how often each is chosen."""

    own: list[Action]
    others: list[Action]
    game: MixedStrategies

    @property
    def chances(self) -> dict[Action, float]:
        return {action: chance for action, chance in zip(self.own, self.game.rows.tolist(), strict=True) if chance}

    def likeliest(self, most: int) -> tuple[Any, Any]:
        """Return the places of the most frequent choices of both sides, the likeliest first."""
        return np.argsort(-self.game.rows, kind="stable")[:most], np.argsort(-self.game.columns, kind="stable")[:most]


@dataclass(frozen=True)
class Decision:
    """An agent's decision in a position, with its reasons."""

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
    """The mixed strategy that the action was drawn from, if there is one."""
    ask: Callable[[Action], Candidate] | None = field(default=None, repr=False, compare=False)
    """Judge a legal action that is not among the candidates. Set by agents with too many actions to list."""

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
        """Return the candidate for an action, or for another action with the same effect; ask for it if needed."""
        wanted = self.position.action(action, self.player)
        same = canonical(self.position.game, self.position.state, self.player, wanted)
        known = {c.action: c for c in self.candidates}
        if same in known or wanted in known:
            return known.get(wanted) or known[same]
        return self.ask(same) if self.ask else Candidate(wanted)

    @property
    def ranked(self) -> list[Candidate]:
        """The candidates: the chosen one, then the others from best to worst."""
        return sorted(
            self.candidates, key=lambda c: (c.action != self.action, -(c.score if c.score is not None else -WIN))
        )

    def names(self, line: Sequence[Action]) -> list[str]:
        """Return the names of the actions of a line."""
        return names(self.position.game, self.position.state, self.player, line)

    def _name(self, action: Action) -> str:
        return self.position.game.action_name(self.position.state, self.player, action)

    def __str__(self) -> str:
        return self._text(TOLD)

    def __repr__(self) -> str:
        return self._text(SHOWN)

    def _text(self, most: int) -> str:
        head = f"{self.agent} plays {self.name}"
        if len(self.position.actors) > 1:
            head += f" as {self.position.game.player_name(self.player)}"
        if self.score is not None:
            head += f" ({self.chosen.verdict})"
        known = [f"depth {self.depth}" if self.depth else "", f"{self.nodes:,} nodes" if self.nodes else ""]
        known.append(f"{self.seconds * 1000:.1f} ms")
        notes = {note: value for note, value in self.notes.items() if note != "mix" or self.mix is None}
        tables = {
            note: value
            for note, value in notes.items()
            if isinstance(value, Mapping) and all(isinstance(row, Mapping) for row in value.values())
        }
        known += [f"{note}: {_plainly(value)}" for note, value in notes.items() if note not in tables]
        lines = [head, "  " + " · ".join(part for part in known if part)]
        lines += [_as_table(note, value) for note, value in tables.items() if value]
        if any(c.score is not None or c.note for c in self.candidates):
            lines.append(self.table(most))
        return "\n".join(lines)

    def table(self, most: int = TOLD) -> str:
        """Return a table of the candidates, with scores split into weighted terms and the line behind each score."""
        terms = list(self.weights) if any(c.terms for c in self.candidates) else []
        last = "why" if any(c.note for c in self.candidates) else "line"
        rows = [["", "move", "score", *terms, last]]
        for c in self.ranked[:most]:
            parts = [_signed(self.weights[t] * c.terms[t]) if t in c.terms else "" for t in terms]
            said = ": ".join(filter(None, (c.note, " ".join(self.names(c.line)))))
            rows.append([">" if c.action == self.action else "", self._name(c.action), c.verdict, *parts, said])
        more = len(self.candidates) - most
        return columns(rows) + (f"\n   and {more:,} more that score no better; JSON has all" if more > 0 else "")

    def why_not(self, action: Action | str) -> str:
        """Say why another move was not chosen: its score, the line after it, and the terms that differ."""
        other, best = self.candidate(action), self.chosen
        name = self._name(other.action)
        if other.action == self.action:
            return f"{name} is the move it plays."
        if other.score is None or best.score is None:
            return f"{self.agent} does not weigh {name}{f': {other.note}' if other.note else ''}."
        if other.score == best.score:
            drawn = f". {self._drawn(other.action)}" if self.mix else ", which it prefers among equals."
            return f"{name} {best.says}, and so does {self.name}{drawn}"
        told = [f"{name} {other.says}, {self.name} {best.says}."]
        if self.mix:
            told.append(self._drawn(other.action))
        if other.line[1:]:
            told.append(f"After {name} it expects {' '.join(self.names(other.line)[1:])}.")
        gaps = {t: self.weights[t] * (other.terms[t] - best.terms[t]) for t in other.terms if t in best.terms}
        worst = sorted((gap, term) for term, gap in gaps.items() if _signed(gap) != "+0")
        if worst:
            where = "At the end of the lines" if other.line and best.line else "The difference"
            told.append(f"{where}: {', '.join(f'{term} {_signed(gap)}' for gap, term in worst)}.")
        return " ".join(told)

    def _drawn(self, action: Action) -> str:
        """Say how likely another move was in the mixed strategy."""
        assert self.mix
        chance = self.mix.chances.get(action, 0.0)
        likely = f"has a chance of {chance:.1%}" if chance else "has no part"
        return f"It draws from a mix, in which {self._name(action)} {likely}."

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
                    "verdict": c.verdict,
                    "proven": c.proven._asdict() if c.proven else None,
                    "line": self.names(c.line),
                    "terms": dict(c.terms),
                    "note": c.note,
                }
                for c in self.ranked
            ],
        }

    def _repr_html_(self) -> str:
        return tag("div", Html(self.svg()), tag("pre", repr(self)))

    def svg(self) -> str:
        """Draw the board with marks for the best candidates, larger for better ones."""
        scored = [(c.action, c.score) for c in self.ranked if c.score is not None][:MARKED]
        ranks = sorted({score for _, score in scored}, reverse=True)
        marks = {action: 1 - ranks.index(score) / len(ranks) for action, score in scored}
        marks = marks or {self.action: 1.0}
        return self.position.game.svg(self.position.state, marks, self.player)


def _as_table(name: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    heads = list(dict.fromkeys(head for row in rows.values() for head in row))
    told = [[f"  {one}", *(str(_plainly(row.get(head, ""))) for head in heads)] for one, row in rows.items()]
    return columns([[f"  {name}", *heads], *told])


def _plainly(note: Any) -> Any:
    """Return a note as text or number: no types, and no more digits than a score has."""
    if isinstance(note, Mapping):
        return ", ".join(f"{name} {_plainly(value)}" for name, value in note.items())
    if isinstance(note, bool | np.bool_):
        return "yes" if note else "no"
    if note is None:
        return "nothing"
    return four_digits(float(note) + 0.0) if isinstance(note, float | np.floating) else note


def _signed(value: float) -> str:
    """Return a number with its sign, without the rounding errors of long sums."""
    return f"{'' if (value := round(value, 9)) < 0 else '+'}{four_digits(value + 0.0)}"
