"""A course of learning: games to learn from, trials along the way, and a file from which the same course goes on,
whatever happens to the process."""

import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents.learned import LearnedFile, Trial
from sparring.core.errors import SparringError
from sparring.core.plots import picture
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Game
from sparring.statistics.intervals import wilson

OPENINGS = 4096
"""First positions of games. Longer courses begin with the first one again."""
TRIAL_SEED = 1_000_003
TRIALS = 20
LAP_SECONDS = 0.2
"""How often Ctrl-C is heard and progress told."""


class Learner(ABC):
    """A player that gets better by playing. It follows from the game and its settings to the last bit."""

    game: Game
    given: Any
    """The settings, a dataclass with `games`, `seed` and `trial_games`."""
    training: Any
    """The settings as compiled code takes them, and games `done`, which it counts: it does not hear interrupts."""
    title: str

    def __init__(self) -> None:
        self.curve: list[Trial] = []

    @abstractmethod
    def play(self, last: int, training: Any) -> int:
        """Play on to a number of games, and learn from them or try against random players; returns how many it has won.
        It does not matter how games are divided into calls."""

    @abstractmethod
    def new_training(self, learning: bool = True) -> Any:
        """The settings for compiled code; those of a trial learn nothing, and have the seed of all trials."""

    @abstractmethod
    def numbers(self) -> Mapping[str, Any]:
        """The arrays that a file keeps, from which learning can go on."""

    @abstractmethod
    def restore(self, numbers: Mapping[str, Any]) -> None: ...

    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """What is known of it, as plain data."""

    @abstractmethod
    def __str__(self) -> str:
        """The same in a line."""

    @property
    def done(self) -> int:
        """Games learned from so far."""
        return int(self.training.done)

    @property
    def settings(self) -> dict[str, Any]:
        return {"game": self.game.name, **asdict(self.given), "options": self.game.options()}

    @property
    def command(self) -> str:
        """The command that learns the same."""
        said = {one.name.replace("_", "-"): (getattr(self.given, one.name), one.default) for one in fields(self.given)}
        told = {
            name: value for name, (value, usual) in said.items() if value != usual or name in ("td", "games", "seed")
        }
        words = [word for name, value in told.items() for word in (f"--{name}", f"{value}")]
        return shlex.join(["spar", "learn", self.game.name, *self.game.option_words(), *words])

    def trial(self, games: int) -> Trial:
        """Play against random players without learning, always with the same dice."""
        won = self.play(games, self.new_training(learning=False)) / games
        return Trial(self.done, won, *wilson(won, games))

    def save(self, file: Path) -> None:
        LearnedFile(self.settings, self.command, self.done, self.curve, self.numbers()).save(file)

    def resume(self, file: Path) -> None:
        """Go on from a file; SparringError if it was made with other settings."""
        try:
            kept = LearnedFile.load(file)
            kept.refuse_other(file, self.settings)
            self.restore(kept.numbers)
        except (KeyError, ValueError) as error:
            if isinstance(error, SparringError):
                raise
            raise SparringError(f"{file} holds no learning to go on with: delete it, or name another file") from error
        self.curve, self.training.done = kept.curve, kept.games


@dataclass(frozen=True)
class Learned:
    """A learner after its course, or after a part of it."""

    learner: Learner
    file: Path | None
    interrupted: bool = False

    def __str__(self) -> str:
        learner, given = self.learner, self.learner.given
        done = f"{learner.done:,} of {given.games:,} games" if self.interrupted else f"{learner.done:,} games"
        lines = [f"{learner.title} from {done}", str(learner)]
        if learner.curve:
            rows = [["games", "won", "95 %"]]
            for trial in learner.curve:
                share = f"{100 * trial.won:.1f} %"
                rows.append([f"{trial.games:,}", share, f"[{100 * trial.low:.1f}, {100 * trial.high:.1f}]"])
            lines += ["", f"greedy, {given.trial_games:,} games against random", columns(rows, right={0, 1})]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "settings": self.learner.settings,
            "command": self.learner.command,
            "games": self.learner.done,
            **self.learner.facts(),
            "curve": [trial._asdict() for trial in self.learner.curve],
            "file": str(self.file) if self.file else None,
            "interrupted": self.interrupted,
        }

    def plot(self, file: Path) -> None:
        """The learning curve with its intervals."""
        games, won, low, high = (np.array(column) for column in zip(*self.learner.curve, strict=True))
        with picture(file) as axes:
            axes.plot(games, won, marker="o")
            axes.fill_between(games, low, high, alpha=0.2)
            axes.set(xlabel="games of learning", ylabel="won against random", title=self.learner.title)


@lru_cache(maxsize=4)
def openings(game: Game, seed: int) -> Any:
    """First positions for games, before chance has its say."""
    return game.openings(range(seed * OPENINGS, (seed + 1) * OPENINGS))


def refuse_at_once(game: Game) -> None:
    if game.kind.simultaneous:
        raise SparringError(f"games are learned in which players move in turn, which {game.name} is not")


def learn(learner: Learner, file: Path | None = None, progress: Progress | None = None) -> Learned:
    """Follow a course, from its beginning or from where its file has come. After each twentieth of it the learner is
    tried out and saved, and after an interruption it is saved too."""
    if file and file.exists():
        learner.resume(file)
    games, lap = learner.given.games, 1
    try:
        while learner.done < games or _owes_trial(learner):
            if _owes_trial(learner):
                learner.curve.append(learner.trial(learner.given.trial_games))
            else:
                before, started = learner.done, time.perf_counter()
                learner.play(min(next_stop(games, before), before + lap), learner.training)
                lap = max(1, int((learner.done - before) * LAP_SECONDS / max(1e-6, time.perf_counter() - started)))
            if file and _stops_at(games, learner.done) and not _owes_trial(learner):
                learner.save(file)
            if progress:
                known = f"{100 * learner.curve[-1].won:.1f} % against random" if learner.curve else ""
                progress(learner.done, games, known)
    except KeyboardInterrupt:
        if file:
            learner.save(file)
        return Learned(learner, file, interrupted=True)
    return Learned(learner, file)


def next_stop(games: int, done: int) -> int:
    """When a learner is tried out and saved again: some twenty times, the last time at the end."""
    every = -(-games // TRIALS)
    return min(games, done - done % every + every)


def _stops_at(games: int, done: int) -> bool:
    return done > 0 and next_stop(games, done - 1) == done


def _owes_trial(learner: Learner) -> bool:
    """Whether it is time to try the learner out: also if that was interrupted the last time."""
    tried_after = learner.curve[-1].games if learner.curve else 0
    return learner.given.trial_games > 0 and _stops_at(learner.given.games, learner.done) and tried_after < learner.done
