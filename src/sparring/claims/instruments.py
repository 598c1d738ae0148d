"""What takes more than games: an opponent that knows an agent, positions with known answers, a solver, a course of
learning. Each reading is taken once and kept in the store, where it is found again as long as the code is the same."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparring.agents.spec import agent, exploiter
from sparring.analysis.exploit import exploit
from sparring.analysis.grade import PLIES, keep_wins
from sparring.analysis.suite import cases, suite
from sparring.arena.experiment import hashed, slip
from sparring.claims.claims import Question
from sparring.claims.measured import COUNT, PERCENT, Measured
from sparring.claims.measures import Evidence
from sparring.core import defaults
from sparring.core.errors import SparringError, unknown
from sparring.games import registry
from sparring.games.capabilities import Solver, needed
from sparring.games.contract import Game
from sparring.games.learnable import StateEncoders
from sparring.learning.course import learn
from sparring.learning.qlearning import SELF, QLearner, QSettings


class Instrument(BaseModel):
    """Reads something of an agent or of a state, by its text. Its fields are its settings."""

    model_config = ConfigDict(extra="forbid")

    def check(self, game: Game) -> None:
        """An error if the game has nothing to read, or not with these settings."""

    def looks_at(self, game: Game, of: str) -> str:
        """A hash of what is read, of users' files too: after an edit it is something else. An error if there is no such
        agent or state."""
        return hashed(agent(game, of).sources)

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        raise NotImplementedError


class Exploited(Instrument):
    """Percent of the points that an opponent has who knows what the agent will do."""

    games: int = Field(default=defaults.EXPLOITED_GAMES, ge=1)

    def looks_at(self, game: Game, of: str) -> str:
        exploiter(game, agent(game, of), plies=1)
        return super().looks_at(game, of)

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        known = exploit(game, agent(game, of), self.games, evidence.seed, progress=evidence.progress)
        return _percent((known.share, *known.interval), f"{known.games:,} games")


class Solved(Instrument):
    """Percent of the positions of a tactical suite that an agent solves: of all, or of those that are named."""

    tries: int = Field(default=defaults.TRIES, ge=1)
    cases: list[str] = []

    def check(self, game: Game) -> None:
        known = [case.name for case in cases(game.name)]
        for name in self.cases:
            if name not in known:
                raise unknown("case", name, known)

    def looks_at(self, game: Game, of: str) -> str:
        return super().looks_at(game, of) + hashed({case.name: case.text().encode() for case in cases(game.name)})

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        found = suite(game.name, [of], self.tries, evidence.seed, evidence.progress)
        times = dict(zip((case.name for case in found.cases), found.solved[of], strict=True))
        named = self.cases or list(times)
        share = 100 * sum(times[name] for name in named) / (self.tries * len(named))
        return Measured.exactly(share, PERCENT, f"{len(named)} positions")


class KeepsWon(Instrument):
    """Percent of the choices that keep a won game won, by the exact solver. Early plies take it the longest."""

    games: int = Field(default=defaults.GRADED_GAMES, ge=1)
    plies: list[int] = Field(default=list(PLIES), min_length=1)

    def check(self, game: Game) -> None:
        if needed(game, Solver).KNOWS_ALL:
            raise SparringError(f"no game of {game.name} is won before its end: chance has a say")

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        player = agent(game, of)
        grades = keep_wins(game, [player], self.games, evidence.seed, evidence.progress, self.plies)
        return _percent(grades.share(player.spec), f"{sum(grades.positions.values()):,} positions")


class States(Instrument):
    """How many different states there are."""

    def check(self, game: Game) -> None:
        needed(game, StateEncoders)

    def looks_at(self, game: Game, of: str) -> str:
        return f"{needed(game, StateEncoders).encoder(of).size}"

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        return Measured.exactly(needed(game, StateEncoders).encoder(of).size, COUNT, "counted")


class Learned(States):
    """Percent of games that a table wins after its course when all others play at random."""

    games: int = Field(default=QSettings.games, ge=1)
    against: str = QSettings.against
    reward: str = QSettings.reward
    gamma: float = QSettings.gamma
    alpha: str = QSettings.alpha
    epsilon: str = QSettings.epsilon

    def check(self, game: Game) -> None:
        super().check(game)
        self._settings("", defaults.SEED).fitted(game)
        self._opponents(game)

    def looks_at(self, game: Game, of: str) -> str:
        return super().looks_at(game, of) + self._opponents(game)

    def read(self, game: Game, of: str, evidence: Evidence) -> Measured:
        found = learn(QLearner(game, self._settings(of, evidence.seed)), progress=evidence.progress)
        if found.interrupted:
            raise KeyboardInterrupt
        trial = found.learner.trial(QSettings.trial_games)
        return _percent((trial.won, trial.low, trial.high), f"{QSettings.trial_games:,} games")

    def _opponents(self, game: Game) -> str:
        return "" if self.against == SELF else hashed(agent(game, self.against).sources)

    def _settings(self, state: str, seed: int) -> QSettings:
        return QSettings(state=state, seed=seed, trial_games=0, **self.model_dump())


INSTRUMENTS: dict[str, type[Instrument]] = {
    **{"exploited": Exploited, "solved": Solved, "keeps_won": KeepsWon},
    **{"states": States, "learned": Learned},
}


def instrument(question: Question, quick: bool) -> Instrument:
    """The one that a question asks for, set as it says."""
    kind, settings = INSTRUMENTS[question.measure], {**question.settings, **(question.quick if quick else {})}
    try:
        return kind.model_validate(settings)
    except ValidationError as error:
        raise SparringError(slip(error, kind.model_fields)) from error


def reading(evidence: Evidence, question: Question, game: Game) -> Measured:
    """What a question's instrument says of its agent or state, or how much more than of the other."""
    ours = _kept(evidence, question, game, question.agent)
    return ours.less(_kept(evidence, question, game, question.against)) if question.against else ours


def _kept(evidence: Evidence, question: Question, game: Game, of: str) -> Measured:
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
    return Measured(**evidence.store.steps(id)[0]["found"])


def _percent(shares: tuple[float, float, float], of: str) -> Measured:
    value, low, high = (100 * one for one in shares)
    return Measured(value, low, high, PERCENT, of)
