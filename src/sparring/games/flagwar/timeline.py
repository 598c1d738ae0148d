"""A game of Flag War round by round: commands, walks and events, and predictions beside what came.

All of it comes from the rounds of the game, played again: see trace.py. A predicted round is played by the same
function.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sparring.agents.spec import heuristics
from sparring.arena.referee import PlayedGame
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.core.table import columns, one_line
from sparring.core.terms import Heuristic
from sparring.games.capabilities import LoggedGame
from sparring.games.contract import Game
from sparring.games.flagwar.board import without_last_round
from sparring.games.flagwar.facts import canonical
from sparring.games.flagwar.geometry import Point, point_name
from sparring.games.flagwar.state import SIDES
from sparring.games.flagwar.trace import PieceTrace, RoundTrace, trace_round
from sparring.games.logs import first_json_object, text_of
from sparring.games.registry import game as make_game
from sparring.games.replay import Step, Turn

GAME = "flagwar"
LOGS = "JSON Lines of `spar timeline`"
DEFAULT = "detailed_corrected"  # the evaluator of rounds without a decision that names one
CHANCES = ("mix", "visits")  # notes that hold a share for each move
PIECES = "pieces"
"""The note of agents that choose piece by piece: the gain of each command, and each piece's second best."""
SHOWN_ELSEWHERE = ("predicted", "evaluations", "runner_up", PIECES)
MOST_ENTRIES, LEAST_SHARE = 6, 0.005  # how many entries of a list are shown, and the smallest share

Terms = dict[str, float]


@dataclass(frozen=True)
class RoundEvaluation:
    """A side's score before a round, and the weighted terms after it, actual and predicted."""

    player: int
    evaluator: str
    before: float
    actual: Terms
    predicted: Terms | None = None
    foreign: bool = False  # not the agent's own evaluator, which is not available

    @property
    def by(self) -> str:
        return f"{self.evaluator}{', for the agent has an evaluator that is not available' * self.foreign}"

    @property
    def rows(self) -> list[tuple[str, float, float]]:
        """The terms that are not zero: predicted and actual."""
        expected = self.predicted or {}
        rows = [(term, expected.get(term, 0.0), actual) for term, actual in self.actual.items()]
        return [row for row in rows if row[1] or row[2]]

    @property
    def scores(self) -> str:
        """`before +0, predicted +1,700 (delta +1,700), actual +200 (delta +200)`."""
        known = {"predicted": self.predicted, "actual": self.actual}
        totals = {name: sum(terms.values()) for name, terms in known.items() if terms is not None}
        told = [f"{name} {signed(total)} (delta {signed(total - self.before)})" for name, total in totals.items()]
        return ", ".join([f"before {signed(self.before)}", *told])

    def to_json(self) -> dict[str, Any]:
        terms = {"predicted": self.predicted, "actual": self.actual}
        totals = {name: None if one is None else sum(one.values()) for name, one in terms.items()}
        return {
            "player": SIDES[self.player],
            "evaluator": self.evaluator,
            "foreign": self.foreign,
            "before": self.before,
            **totals,
            **{f"delta_{name}": None if total is None else total - self.before for name, total in totals.items()},
            **{f"terms_{name}": one for name, one in terms.items()},
        }


@dataclass(frozen=True)
class DecisionReport:
    """One side's decision, beside what came of the round."""

    decision: Mapping[str, Any]
    evaluation: RoundEvaluation
    expected: RoundTrace | None  # the round in which the enemy does what was predicted
    actual: str  # the enemy's command
    right: bool  # the prediction has the same effect

    @property
    def head(self) -> str:
        return one_line(f"{SIDES[self.evaluation.player]} {self.decision['agent']}")

    @property
    def lines(self) -> list[str]:
        """Effort, runner-up and notes in one line; the prediction in another."""
        evaluations = self.decision["notes"].get("evaluations", self.decision["nodes"])
        effort = f"{_short(evaluations)} evaluations, " if evaluations else ""
        told = [f"{effort}{1000 * self.decision['seconds']:,.1f} ms", self._runner_up, *self.notes]
        return [line for line in (" · ".join(filter(None, told)), self.predicted) if line]

    @property
    def predicted(self) -> str:
        """The enemy's expected commands, where they would have led, and whether that was right."""
        if self.expected is None:
            return ""
        enemy = 1 - self.evaluation.player
        moves = [one for one in self.expected.pieces if one.side == enemy and one.path and one.command != "stay"]
        told = ", ".join(f"{one.name} {one.command} to {one.where}" for one in moves) or "all stay"
        return f"predicted {told}: {'right' if self.right else f'it was {self.actual}'}"

    @property
    def _runner_up(self) -> str:
        """The noted runner-up, or the second candidate. Agents that choose piece by piece have one for each piece."""
        if PIECES in self.decision["notes"]:
            return ""
        scores = {one["move"]: one["score"] for one in self.decision["candidates"] if one["score"] is not None}
        second = self.decision["notes"].get("runner_up") or next((move for move in [*scores][1:2]), "")
        worth = f" ({signed(scores[second])})" if isinstance(second, str) and second in scores else ""
        return f"runner-up {_short(second)}{worth}" if second else ""

    def of_piece(self, piece: int) -> list[str]:
        """The gain of a piece's command, and the piece's second best command, of agents that choose piece by piece."""
        pieces = self.decision["notes"].get(PIECES)
        noted = pieces.get(str(piece + 1)) if isinstance(pieces, Mapping) else None
        if not isinstance(noted, Mapping):
            return ["", ""]
        second = " ".join(_gain(noted[one]) for one in ("runner_up", "runner_up_delta") if one in noted)
        return [_gain(noted.get("delta", "")), second]

    @property
    def notes(self) -> list[str]:
        """The other notes of the agent, without scores that equal those of the timeline."""
        before, predicted = self.evaluation.before, sum((self.evaluation.predicted or {}).values())
        told = {"score": before, "predicted_score": predicted, "delta": predicted - before}
        shown = () if self.evaluation.foreign else told.items()
        return [
            one_line(f"{name.replace('_', ' ')} {_shares(said) if name in CHANCES else _short(said)}")
            for name, said in self.decision["notes"].items()
            if name not in SHOWN_ELSEWHERE and (name, said) not in shown
        ]


@dataclass(frozen=True)
class RoundReport:
    """One round of a timeline."""

    number: int
    commands: tuple[str, ...]
    trace: RoundTrace
    decisions: tuple[DecisionReport, ...]
    default: RoundEvaluation  # A's, for rounds without decisions

    def __str__(self) -> str:
        lines = [f"round {self.number}", columns([["", *self.head, ""], *self.rows])]
        lines += [f"  {told}" for told in self.trace.happened] or ["  no events"]
        for one in self.decisions:
            lines.append(f"{one.head}: {one.evaluation.scores} by {one.evaluation.by}")
            lines += [*(f"  {line}" for line in one.lines), *_breakdown(one.evaluation)]
        if not self.decisions:
            lines += [f"worth to A: {self.default.scores}", *_breakdown(self.default)]
        return "\n".join(lines)

    @property
    def head(self) -> list[str]:
        """The columns of the table of pieces between name and reason."""
        return ["command", "from", "planned", "actual", *(["delta", "runner-up"] if self._piecewise else [])]

    @property
    def rows(self) -> list[list[str]]:
        """Rows with the fate of each piece and the expected gain of its command."""
        return [
            [one.name, one.command, point_name(one.began), one.plan, one.where, *self._gains(one), one.why]
            for one in self.trace.pieces
        ]

    @property
    def _piecewise(self) -> bool:
        return any(PIECES in one.decision["notes"] for one in self.decisions)

    def _gains(self, piece: PieceTrace) -> list[str]:
        decision = next((one for one in self.decisions if one.evaluation.player == piece.side), None)
        return (decision.of_piece(piece.piece) if decision else ["", ""]) if self._piecewise else []

    def to_json(self) -> dict[str, Any]:
        evaluations = [one.evaluation for one in self.decisions] or [self.default]
        return {
            "round": self.number,
            "commands": list(self.commands),
            "tracks": [one.to_json() for one in self.trace.pieces],
            "events": [[*event] for event in self.trace.events],
            "happened": self.trace.happened,
            "judgements": [one.to_json() for one in evaluations],
            "decisions": [one.decision for one in self.decisions],
        }


@dataclass(frozen=True)
class Timeline:
    """A game and all its rounds."""

    played: PlayedGame
    rounds: tuple[RoundReport, ...]

    @property
    def title(self) -> str:
        return one_line(" v ".join(self.played.agents))

    @property
    def result(self) -> str:
        scores = "-".join(f"{score:g}" for score in self.played.scores)
        return one_line(f"{scores}, {self.played.reason}, {len(self.rounds)} rounds")

    def __str__(self) -> str:
        sides = "   ".join(f"{side} is {agent}" for side, agent in zip(SIDES, self.played.agents, strict=True))
        return "\n\n".join([f"{one_line(sides)}\n{self.result}", *map(str, self.rounds)])

    def write(self, file: Path) -> None:
        """Write JSON Lines: a line for the game, then one for each round."""
        names = ("game", "options", "seed", "agents", "start", "scores", "reason")
        head = {name: getattr(self.played, name) for name in names}
        with atomic_write(file) as part, part.open("w", encoding="utf-8") as out:
            out.writelines(f"{json.dumps(line)}\n" for line in (head, *(one.to_json() for one in self.rounds)))


def timeline(played: PlayedGame) -> Timeline:
    """The timeline of a game, with the agents' decisions if they were kept."""
    if played.game != GAME:
        raise SparringError(f"timelines are of games of {GAME}, not of {played.game}; `spar replay` shows this one")
    game, rounds, caught = make_game(GAME, **played.options), list[RoundReport](), dict[tuple[int, int], Point]()
    for place, step in enumerate(played.steps()[:-1]):
        trace = trace_round(game, step.position.state, step.actions, caught)
        caught = trace.caught
        decisions = tuple(_decision(game, trace, one, step) for one in played.decisions[2 * place : 2 * place + 2])
        names, default = tuple(turn.action for turn in step.turns), _evaluation(trace, 0, heuristics(game)[DEFAULT])
        rounds.append(RoundReport(place + 1, names, trace, decisions, default))
    return Timeline(played, tuple(rounds))


def _decision(game: Game, trace: RoundTrace, decision: Mapping[str, Any], step: Step) -> DecisionReport:
    me, actions, noted = int(decision["player"]), step.actions, decision["notes"].get("predicted")
    reply = game.action_named(trace.before, 1 - me, noted) if isinstance(noted, str) else None
    expected, right = None, False
    if reply is not None:
        expected = trace_round(game, trace.before, {me: actions[me], 1 - me: reply})
        effects = {canonical(game, trace.before, 1 - me, action) for action in (reply, actions[1 - me])}
        right = len(effects) == 1
    usual, known = heuristics(game)[DEFAULT], () if ".py" in str(decision["agent"]) else heuristics(game).values()
    evaluator = next((one for one in known if set(one.weights) == set(decision["weights"])), None)
    own = [one["terms"] for one in decision["candidates"] if one["move"] == decision["move"]]
    weights = decision["weights"] if evaluator else {}
    evaluation = _evaluation(trace, me, evaluator or usual, weights, expected, [*own, {}][0])
    if evaluator is None and "score" in decision["notes"]:
        evaluation = replace(evaluation, foreign=True)
    return DecisionReport(decision, evaluation, expected, step.turns[1 - me].action, right)


def _evaluation(
    trace: RoundTrace,
    player: int,
    evaluator: Heuristic,
    weights: Mapping[str, float] | None = None,
    expected: RoundTrace | None = None,
    own: Mapping[str, float] | None = None,
) -> RoundEvaluation:
    """Evaluate a round. The prediction is that of the expected round, or else `own`, the terms that the agent tells."""
    weighed = weights or {term: weight.default for term, weight in evaluator.weights.items()}

    def terms(values: Mapping[str, float]) -> Terms:
        return {term: weighed[term] * value + 0.0 for term, value in values.items() if term in weighed}

    before, actual = (evaluator.terms(s, player) for s in (without_last_round(trace.before), trace.after))
    predicted = evaluator.terms(expected.after, player) if expected else own
    known = terms(predicted) if predicted else None
    return RoundEvaluation(player, evaluator.name, sum(terms(before).values()), terms(actual), known)


def _breakdown(evaluation: RoundEvaluation) -> list[str]:
    """Predicted and actual terms, marked where they differ; without a prediction, in one line."""
    if not evaluation.rows:
        return []
    if evaluation.predicted is None:
        return [f"  {', '.join(f'{term} {signed(actual)}' for term, _, actual in evaluation.rows)}"]
    rows = [["   ", "", "predicted", "actual"]]
    for term, expected, actual in evaluation.rows:
        rows.append(["  !" if expected != actual else "   ", term, signed(expected), signed(actual)])
    return columns(rows, right={2, 3}).splitlines()


def _shares(shares: Any) -> str:
    """The largest first; shares that round to nothing are left out."""
    if not (isinstance(shares, Mapping) and all(isinstance(share, float | int) for share in shares.values())):
        return _short(shares)
    ranked = sorted(shares.items(), key=lambda one: -one[1])
    return _short([f"{name} {100 * share:.0f} %" for name, share in ranked if share >= LEAST_SHARE])


def _short(value: Any) -> str:
    """A note of any kind, shortened."""
    if isinstance(value, Mapping):
        value = [f"{name} {_short(one)}" for name, one in value.items()]
    if isinstance(value, list):
        return ", ".join([*map(_short, value[:MOST_ENTRIES]), *(["..."] if len(value) > MOST_ENTRIES else [])])
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _gain(noted: Any) -> str:
    return signed(noted) if isinstance(noted, float | int) else _short(noted)


def signed(value: float) -> str:
    return f"{value + 0.0:+,.0f}" if value == int(value) else f"{value:+,.4g}"


# Files


def read(file: Path) -> Timeline:
    """Read JSON Lines of a timeline."""
    return from_text(text_of(file, f"`spar timeline ... --jsonl {file.name}` writes one"), file.name)


def from_text(text: str, file: str) -> Timeline:
    """Play the game of JSON Lines again, and refuse it if other events follow. `file` is the name in messages."""
    try:
        head, *rounds = [json.loads(line) for line in text.splitlines()]
        settings = {name: head[name] for name in ("game", "options", "seed", "start", "reason")}
        settings |= {name: tuple(head[name]) for name in ("agents", "scores")}
        turns = tuple(Turn(-1, name, -1) for one in rounds for name in one["commands"])
        decisions = tuple(decision for one in rounds for decision in one["decisions"])
        again = timeline(PlayedGame(**settings, turns=turns, decisions=decisions))
        noted = [[tuple(event) for event in one["events"]] for one in rounds]
    except SparringError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SparringError(f"{file} is no timeline; `spar timeline ... --jsonl FILE` writes one") from error
    for number, (one, events) in enumerate(zip_longest([one.trace.events for one in again.rounds], noted), 1):
        if [*(one or ())] != events:
            raise SparringError(f"{file}: round {number} does not come out as it was written")
    return again


def is_log(text: str) -> bool:
    head = first_json_object(text)
    return {"game", "agents", "start"} <= head.keys() and head["game"] == GAME


def read_log(text: str, file: str) -> LoggedGame:
    played = from_text(text, file).played
    return LoggedGame(tuple(played.steps()), played.agents, played.scores, played.reason, played.seed)
