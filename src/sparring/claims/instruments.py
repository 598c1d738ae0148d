"""Measures that need more than games: exploitation, positions with known answers, a solver, learning.

Each reading is taken once and kept in the store, where it is found again as long as the code is the same.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from sparring.agents.spec import agent, exploiter
from sparring.analysis.exploit import exploit
from sparring.analysis.grade import PLIES, grade_sampled
from sparring.analysis.suite import cases, suite
from sparring.arena.experiment import first_error, source_hash
from sparring.claims.claims import COUNT, PERCENT, Estimate, Question
from sparring.claims.measures import Evidence
from sparring.core import defaults
from sparring.core.errors import SparringError, unknown
from sparring.games import registry
from sparring.games.capabilities import Solver, needed
from sparring.games.contract import Game
from sparring.games.learnable import StateEncoders
from sparring.learning.learner import learn
from sparring.learning.qlearning import SELF, QLearner, QSettings


class Instrument(BaseModel, extra="forbid"):
    """A measurement of an agent or of a state encoder, given by its text. The fields are the settings."""

    def check(self, game: Game) -> None:
        """Raise an error if the game cannot be measured with these settings."""

    def looks_at(self, game: Game, of: str) -> str:
        """Return a hash of everything that is measured, also of users' files. Raise an error for an unknown name."""
        return source_hash(agent(game, of).sources)

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        raise NotImplementedError


class ExploitedInstrument(Instrument):
    """Percent of the points for an opponent that knows the agent's moves."""

    games: int = Field(default=defaults.EXPLOITED_GAMES, ge=1)

    def looks_at(self, game: Game, of: str) -> str:
        exploiter(game, agent(game, of), plies=1)
        return super().looks_at(game, of)

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        known = exploit(game, agent(game, of), self.games, evidence.seed, progress=evidence.progress)
        return Estimate.of_share(known.share, *known.interval, f"{known.games:,} games")


class SolvedInstrument(Instrument):
    """Percent of the positions of a suite that an agent solves: of all, or of the named ones."""

    tries: int = Field(default=defaults.TRIES, ge=1)
    cases: list[str] = []

    def check(self, game: Game) -> None:
        known = [case.name for case in cases(game.name)]
        if strange := [name for name in self.cases if name not in known]:
            raise unknown("case", strange[0], known)

    def looks_at(self, game: Game, of: str) -> str:
        return super().looks_at(game, of) + source_hash({case.name: case.text().encode() for case in cases(game.name)})

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        found = suite(game.name, [of], self.tries, evidence.seed, evidence.progress)
        solved = zip(found.cases, found.solved[of], strict=True)
        times = [count for case, count in solved if not self.cases or case.name in self.cases]
        share = 100 * sum(times) / (self.tries * len(times))
        return Estimate.exactly(share, PERCENT, f"{len(times)} positions")


class KeepsWonInstrument(Instrument):
    """Percent of the choices that keep a won game won, by the exact solver. Early plies take longest."""

    games: int = Field(default=defaults.GRADED_GAMES, ge=1)
    plies: list[int] = Field(default=list(PLIES), min_length=1)

    def check(self, game: Game) -> None:
        if needed(game, Solver).KNOWS_ALL:
            raise SparringError(f"no game of {game.name} is won before its end, because of chance")

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        player = agent(game, of)
        grades = grade_sampled(game, [player], self.games, evidence.seed, evidence.progress, self.plies)
        return Estimate.of_share(*grades.share(player.spec), f"{sum(grades.positions.values()):,} positions")


class StatesInstrument(Instrument):
    """The number of different states of an encoder."""

    def looks_at(self, game: Game, of: str) -> str:
        return f"{needed(game, StateEncoders).encoder(of).size}"

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        return Estimate.exactly(needed(game, StateEncoders).encoder(of).size, COUNT, "counted")


class LearnedInstrument(StatesInstrument):
    """Percent of games that a table wins against random players after its learning."""

    games: int = Field(default=QSettings.games, ge=1)
    against: str = QSettings.against
    reward: str = QSettings.reward
    gamma: float = QSettings.gamma
    alpha: str = QSettings.alpha
    epsilon: str = QSettings.epsilon

    def check(self, game: Game) -> None:
        needed(game, StateEncoders)
        self._settings("", defaults.SEED).fitted(game)
        self._opponents(game)

    def looks_at(self, game: Game, of: str) -> str:
        return super().looks_at(game, of) + self._opponents(game)

    def read(self, game: Game, of: str, evidence: Evidence) -> Estimate:
        found = learn(QLearner(game, self._settings(of, evidence.seed)), progress=evidence.progress)
        if found.interrupted:
            raise KeyboardInterrupt
        trial = found.learner.trial(QSettings.trial_games)
        return Estimate.of_share(trial.won, trial.low, trial.high, f"{QSettings.trial_games:,} games")

    def _opponents(self, game: Game) -> str:
        return "" if self.against == SELF else source_hash(agent(game, self.against).sources)

    def _settings(self, state: str, seed: int) -> QSettings:
        return QSettings(state=state, seed=seed, trial_games=0, **self.model_dump())


INSTRUMENTS: dict[str, type[Instrument]] = {
    **{"exploited": ExploitedInstrument, "solved": SolvedInstrument, "keeps_won": KeepsWonInstrument},
    **{"states": StatesInstrument, "learned": LearnedInstrument},
}


def instrument(question: Question, quick: bool) -> Instrument:
    kind, settings = INSTRUMENTS[question.measure], {**question.settings, **(question.quick if quick else {})}
    try:
        return kind.model_validate(settings)
    except ValidationError as error:
        raise SparringError(first_error(error, kind.model_fields)) from error


def reading(evidence: Evidence, question: Question, game: Game) -> Estimate:
    """Measure the agent or state of a question, or its difference to the other."""
    ours = _kept(evidence, question, game, question.agent)
    return ours.minus(_kept(evidence, question, game, question.against)) if question.against else ours


def _kept(evidence: Evidence, question: Question, game: Game, of: str) -> Estimate:
    used = instrument(question, evidence.quick)
    about: Mapping[str, Any] = {
        **{"measure": question.measure, "of": of, "settings": used.model_dump(), "seed": evidence.seed},
        **{"game": game.name, "options": game.options(), "code": registry.code(game.name)},
        "looked_at": used.looks_at(game, of),
    }
    id = hashlib.blake2b(json.dumps(about, sort_keys=True).encode(), digest_size=6).hexdigest()
    if not evidence.store.steps(id):
        found = used.read(game, of, evidence)
        evidence.store.add_step(id, 0, {"about": about, "found": asdict(found) | {"source": id}})
    return Estimate(**evidence.store.steps(id)[0]["found"])
