"""A game of Flag War round by round: what was commanded and what became of it, what was predicted and what came.

Everything is from the game's own rounds, played again: see games/flagwar/account.py. A prediction is the round that an
agent expected, by the same function.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparring.agents.spec import heuristics
from sparring.arena.referee import PlayedGame
from sparring.core.errors import SparringError
from sparring.core.files import written_whole
from sparring.core.table import columns, in_a_line
from sparring.core.terms import Heuristic
from sparring.games.capabilities import LoggedGame
from sparring.games.contract import Action, Game
from sparring.games.flagwar.account import Account, Track, account, said
from sparring.games.flagwar.board import Point, settled
from sparring.games.flagwar.state import SIDES
from sparring.games.logs import first_object
from sparring.games.registry import game as make_game
from sparring.games.replay import Turn

GAME = "flagwar"
LOGS = "JSON Lines of `spar timeline`"
USUAL = "detailed_corrected"
"""What positions are valued by where a decision does not tell."""
SHARES = ("mix", "visits")
"""Notes of the chances by which a move was drawn, and of how often a search took each."""
PIECES = "pieces"
"""The note of what each piece's command gains alone, by its number, and of the piece's second best."""
OWN_PLACE = ("predicted", "evaluator", "evaluations", "runner_up", PIECES)
"""Notes of a decision that are shown elsewhere than among the others."""
MOST = 6
"""Entries of a mix or a list that are shown."""
LEAST = 0.005
"""The least chance in a mix that is."""

Terms = dict[str, float]


@dataclass(frozen=True)
class Judgement:
    """How a side's evaluator sees a round: its score before, and its weighted terms as they came and as predicted."""

    player: int
    evaluator: str
    before: float
    actual: Terms
    predicted: Terms | None = None
    foreign: bool = False  # the evaluator is not the agent's own, which is not at hand

    @property
    def by(self) -> str:
        return f"{self.evaluator}, for the agent's own evaluator is not at hand" if self.foreign else self.evaluator

    @property
    def rows(self) -> list[tuple[str, float, float]]:
        """Terms that are not zero throughout: as predicted, and as they came."""
        expected = self.predicted or {}
        rows = [(term, expected.get(term, 0.0), came) for term, came in self.actual.items()]
        return [row for row in rows if row[1] or row[2]]

    @property
    def scores(self) -> str:
        """`before +0, predicted +1,700 (delta +1,700), actual +200 (delta +200)`."""
        told = [f"before {signed(self.before)}"]
        told += [f"predicted {self._with_delta(self.predicted)}"] if self.predicted is not None else []
        return ", ".join([*told, f"actual {self._with_delta(self.actual)}"])

    def _with_delta(self, terms: Terms) -> str:
        total = sum(terms.values())
        return f"{signed(total)} (delta {signed(total - self.before)})"

    def to_json(self) -> dict[str, Any]:
        predicted = None if self.predicted is None else sum(self.predicted.values())
        actual = sum(self.actual.values())
        return {
            "player": SIDES[self.player],
            "evaluator": self.evaluator,
            "foreign": self.foreign,
            "before": self.before,
            "predicted": predicted,
            "actual": actual,
            "delta_predicted": None if predicted is None else predicted - self.before,
            "delta_actual": actual - self.before,
            "terms_predicted": self.predicted,
            "terms_actual": self.actual,
        }


@dataclass(frozen=True)
class Thought:
    """What one side thought of a round before it was played, beside what came."""

    decision: Mapping[str, Any]
    judgement: Judgement
    expected: Account | None  # the round in which the other does what was predicted
    came: str  # what the other did
    right: bool  # whether that is what was predicted

    @property
    def predicted(self) -> str:
        """What the other was expected to do and where that would have led."""
        if self.expected is None:
            return ""
        others = self.expected.of(1 - self.judgement.player)
        moves = [track for track in others if track.path and track.command != "stay"]
        told = ", ".join(f"{track.name} {track.command} to {track.where}" for track in moves) or "all stay"
        return f"predicted {told}: {'right' if self.right else f'it was {self.came}'}"

    @property
    def effort(self) -> str:
        evaluations = self.decision["notes"].get("evaluations", self.decision["nodes"])
        told = f"{_told(evaluations)} evaluations, " if evaluations else ""
        return f"{told}{1000 * self.decision['seconds']:,.1f} ms"

    @property
    def runner_up(self) -> str:
        """As the agent noted it, or else its second candidate; of agents that choose piece by piece, see `alone`."""
        if PIECES in self.decision["notes"]:
            return ""
        candidates = self.decision["candidates"]
        scores = {one["move"]: one["score"] for one in candidates if one["score"] is not None}
        second = self.decision["notes"].get("runner_up") or next((move for move in [*scores][1:2]), "")
        worth = f" ({signed(scores[second])})" if isinstance(second, str) and second in scores else ""
        return f"runner-up {_told(second)}{worth}" if second else ""

    def alone(self, piece: int) -> list[str]:
        """What a piece's command gains by itself, and the piece's second best, of agents that choose piece by piece."""
        pieces = self.decision["notes"].get(PIECES)
        noted = pieces.get(str(piece + 1)) if isinstance(pieces, Mapping) else None
        if not isinstance(noted, Mapping):
            return ["", ""]
        second = " ".join(_gain(noted[one]) for one in ("runner_up", "runner_up_delta") if one in noted)
        return [_gain(noted.get("delta", "")), second]

    @property
    def notes(self) -> list[str]:
        """Whatever else the agent has noted, but for scores that are as told here."""
        before, predicted = self.judgement.before, sum((self.judgement.predicted or {}).values())
        told = {"score": before, "predicted_score": predicted, "delta": predicted - before}
        shown = {} if self.judgement.foreign else told
        notes = [one for one in self.decision["notes"].items() if one[0] not in OWN_PLACE and one not in shown.items()]
        return [
            in_a_line(f"{name.replace('_', ' ')} {_mixed(said) if name in SHARES else _told(said)}")
            for name, said in notes
        ]

    @property
    def lines(self) -> list[str]:
        told = [self.effort, self.runner_up, *self.notes]
        return [line for line in (" · ".join(part for part in told if part), self.predicted) if line]


@dataclass(frozen=True)
class RoundTold:
    """One round of a timeline."""

    number: int
    commands: tuple[str, ...]
    account: Account
    thoughts: tuple[Thought, ...]
    judgement: Judgement  # A's, by the usual evaluator: for rounds of which no decision is kept

    @property
    def judgements(self) -> list[Judgement]:
        return [thought.judgement for thought in self.thoughts] or [self.judgement]

    def __str__(self) -> str:
        lines = [f"round {self.number}", columns([["", *self.head, ""], *self.rows])]
        lines += [f"  {told}" for told in self.account.happened] or ["  no events"]
        for thought in self.thoughts:
            lines.append(f"{_who(thought)}: {thought.judgement.scores} by {thought.judgement.by}")
            lines += [f"  {line}" for line in thought.lines]
            lines += _breakdown(thought.judgement)
        if not self.thoughts:
            lines.append(f"worth to A: {self.judgement.scores}")
            lines += _breakdown(self.judgement)
        return "\n".join(lines)

    @property
    def head(self) -> list[str]:
        """Of the table of pieces, between their names and why they are where they are."""
        return ["command", "from", "planned", "actual", *(["delta", "runner-up"] if self._piecewise else [])]

    @property
    def rows(self) -> list[list[str]]:
        """What became of each piece, and what its command was believed to gain."""
        return [
            [track.name, track.command, said(track.began), track.plan, track.where, *self._alone(track), track.why]
            for track in self.account.tracks
        ]

    @property
    def _piecewise(self) -> bool:
        return any(PIECES in thought.decision["notes"] for thought in self.thoughts)

    def _alone(self, track: Track) -> list[str]:
        thought = next((one for one in self.thoughts if one.judgement.player == track.side), None)
        return (thought.alone(track.piece) if thought else ["", ""]) if self._piecewise else []

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.number,
            "commands": list(self.commands),
            "tracks": [track.to_json() for track in self.account.tracks],
            "events": [[*event] for event in self.account.events],
            "happened": self.account.happened,
            "judgements": [one.to_json() for one in self.judgements],
            "decisions": [thought.decision for thought in self.thoughts],
        }


@dataclass(frozen=True)
class Timeline:
    """A game and all its rounds."""

    played: PlayedGame
    rounds: tuple[RoundTold, ...]

    @property
    def title(self) -> str:
        return in_a_line(" v ".join(self.played.agents))

    @property
    def result(self) -> str:
        scores = "-".join(f"{score:g}" for score in self.played.scores)
        return in_a_line(f"{scores}, {self.played.reason}, {len(self.rounds)} rounds")

    def __str__(self) -> str:
        sides = "   ".join(f"{side} is {agent}" for side, agent in zip(SIDES, self.played.agents, strict=True))
        return "\n\n".join([f"{in_a_line(sides)}\n{self.result}", *map(str, self.rounds)])

    def write(self, file: Path) -> None:
        """As JSON Lines: the game, then a line for each round."""
        played = self.played
        head = {
            name: getattr(played, name) for name in ("game", "options", "seed", "agents", "start", "scores", "reason")
        }
        with written_whole(file) as part, part.open("w", encoding="utf-8") as out:
            out.writelines(f"{json.dumps(line)}\n" for line in (head, *(one.to_json() for one in self.rounds)))


def timeline(played: PlayedGame) -> Timeline:
    """The timeline of a game; what agents thought is in it if their decisions were kept."""
    if played.game != GAME:
        raise SparringError(f"timelines are of games of {GAME}, not of {played.game}; `spar replay` shows this one")
    return Timeline(played, tuple(_rounds(make_game(GAME, **played.options), played)))


def _rounds(game: Game, played: PlayedGame) -> Iterator[RoundTold]:
    caught: dict[tuple[int, int], Point] = {}
    for place, step in enumerate(played.steps()[:-1]):
        actions = step.actions
        told = account(game, step.position.state, actions, caught)
        caught = told.caught
        names = tuple(turn.action for turn in step.turns)
        decisions = played.decisions[2 * place : 2 * place + 2]
        thoughts = tuple(_thought(game, told, one, actions, names) for one in decisions)
        yield RoundTold(place + 1, names, told, thoughts, _judged(told, 0, heuristics(game)[USUAL]))


def _thought(
    game: Game, told: Account, decision: Mapping[str, Any], actions: Mapping[int, Action], names: Sequence[str]
) -> Thought:
    me = int(decision["player"])
    said = decision["notes"].get("predicted")
    reply = game.action_named(told.before, 1 - me, said) if isinstance(said, str) else None
    expected = None if reply is None else account(game, told.before, {me: actions[me], 1 - me: reply})
    came = game.canonical(told.before, 1 - me, actions[1 - me])
    right = reply is not None and game.canonical(told.before, 1 - me, reply) == came
    evaluator = _evaluator(game, decision)
    weights = decision["weights"] if evaluator and set(decision["weights"]) == set(evaluator.weights) else {}
    judgement = _judged(told, me, evaluator or heuristics(game)[USUAL], weights, expected, _own_terms(decision))
    if evaluator is None and "score" in decision["notes"]:
        judgement = replace(judgement, foreign=True)
    return Thought(decision, judgement, expected, names[1 - me], right)


def _evaluator(game: Game, decision: Mapping[str, Any]) -> Heuristic | None:
    """By which an agent judges: as it noted, or the one whose terms its decision has; none if it is a user's."""
    known = heuristics(game)
    same = [one for one in known.values() if set(one.weights) == set(decision["weights"])]
    own = same[0] if same and ".py" not in str(decision["agent"]) else None
    return known.get(str(decision["notes"].get("evaluator"))) or own


def _own_terms(decision: Mapping[str, Any]) -> Mapping[str, float]:
    """What the agent says of the move it chose."""
    chosen = [one["terms"] for one in decision["candidates"] if one["move"] == decision["move"]]
    return chosen[0] if chosen else {}


def _judged(
    told: Account,
    player: int,
    evaluator: Heuristic,
    weights: Mapping[str, float] | None = None,
    expected: Account | None = None,
    own: Mapping[str, float] | None = None,
) -> Judgement:
    """The prediction is that of the expected round, or else `own`, the terms that the agent tells."""
    weighed = weights or {term: weight.default for term, weight in evaluator.weights.items()}

    def terms(values: Mapping[str, float]) -> Terms:
        return {term: weighed[term] * value + 0.0 for term, value in values.items() if term in weighed}

    before = settled(told.before)
    told_by = own if expected is None else evaluator.terms(expected.after, player)
    return Judgement(
        player,
        evaluator.name,
        sum(terms(evaluator.terms(before, player)).values()),
        terms(evaluator.terms(told.after, player)),
        terms(told_by) if told_by else None,
    )


def _who(thought: Thought) -> str:
    return in_a_line(f"{SIDES[thought.judgement.player]} {thought.decision['agent']}")


def _breakdown(judgement: Judgement) -> list[str]:
    """Predicted and actual terms side by side, marked where they differ; without a prediction, in one line."""
    if not judgement.rows:
        return []
    if judgement.predicted is None:
        return [f"  {', '.join(f'{term} {signed(came)}' for term, _, came in judgement.rows)}"]
    rows = [["   ", "", "predicted", "actual"]]
    for term, expected, came in judgement.rows:
        rows.append(["  !" if expected != came else "   ", term, signed(expected), signed(came)])
    return columns(rows, right={2, 3}).splitlines()


def _mixed(mix: Any) -> str:
    """The likeliest first; what is never played is not told."""
    if not (isinstance(mix, Mapping) and all(isinstance(chance, float | int) for chance in mix.values())):
        return _told(mix)
    ranked = sorted(mix.items(), key=lambda one: -one[1])
    return _told([f"{name} {100 * chance:.0f} %" for name, chance in ranked if chance >= LEAST])


def _told(value: Any) -> str:
    """A note of any kind, short."""
    if isinstance(value, Mapping):
        value = [f"{name} {_told(one)}" for name, one in value.items()]
    if isinstance(value, list):
        return ", ".join([*map(_told, value[:MOST]), *(["..."] if len(value) > MOST else [])])
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


def _gain(noted: Any) -> str:
    return signed(noted) if isinstance(noted, float | int) else _told(noted)


def signed(value: float) -> str:
    return f"{value + 0.0:+,.0f}" if value == int(value) else f"{value:+,.4g}"


def read(file: Path) -> Timeline:
    """A timeline that was written as JSON Lines. It is played again, and has to come to the same events."""
    if not file.is_file():
        raise SparringError(f"no file {file}; `spar timeline ... --jsonl {file.name}` writes one")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text in UTF-8") from error
    return of(text, file.name)


def of(text: str, file: str) -> Timeline:
    """The same of what a file says."""
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
    came = [[*told.account.events] for told in again.rounds]
    if came != noted:
        wrong = next(
            (place for place, (one, other) in enumerate(zip(came, noted, strict=False)) if one != other), len(came)
        )
        raise SparringError(f"{file}: round {wrong + 1} does not come out as it was written")
    return again


def is_log(text: str) -> bool:
    head = first_object(text)
    return {"game", "agents", "start"} <= head.keys() and head["game"] == GAME


def read_log(text: str, file: str) -> LoggedGame:
    played = of(text, file).played
    return LoggedGame(tuple(played.steps()), played.agents, played.scores, played.reason, played.seed)
