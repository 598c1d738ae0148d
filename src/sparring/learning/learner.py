"""Run a learner: games to learn from, trials along the way, and a file from which the same command resumes."""

import re
import shlex
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents.learning_file import LearningFile, Trial
from sparring.core.amounts import parse_number
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel
from sparring.core.plots import picture
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Game
from sparring.statistics.intervals import wilson

OPENINGS = 4096
"""Number of different first positions. Then the first one comes again."""
TRIAL_SEED = 1_000_003
TRIALS = 20
SLICE_SECONDS = 0.2  # compiled code plays so long before Ctrl-C is noticed and progress is shown


# Numbers that change from game to game, such as learning rates

Schedule = np.dtype([("first", np.float64), ("factor", np.float64), ("last", np.float64)], align=True)
"""A number that changes by a factor each game, down to the last. With factor 0 it changes evenly from first to last."""


def schedule(what: str, text: str) -> tuple[float, float, float]:
    """Parse `0.1`, `0.1:0.01` (evenly) or `0.1*0.9995:0.01` (a factor each game) into first, factor and last."""
    shape = re.fullmatch(r"([^:*]+)(?:\*([^:*]+))?(?::([^:*]+))?", text)
    if not shape or (shape[2] and not shape[3]):
        raise SparringError(f"{what} must be such as 0.1, 0.1:0.01 or 0.1*0.9995:0.01, not {text!r}")
    first, factor, last = (parse_number(what, part) if part else None for part in shape.groups())
    values = (first or 0.0, factor or 0.0, first or 0.0 if last is None else last)
    if not all(0 <= value <= 1 for value in values) or factor == 0:
        raise SparringError(f"{what} must be from 0 to 1, and a factor more than 0, not {text!r}")
    return values


@kernel
def scheduled(schedule: Any, game: int, games: int) -> float:
    """Return the number for a game."""
    if schedule.factor:
        return max(schedule.last, schedule.first * schedule.factor**game)  # type: ignore[no-any-return]
    return schedule.first + (schedule.last - schedule.first) * game / games  # type: ignore[no-any-return]


# Learners


class Learner(ABC):
    """A player that gets better by playing. The same game and settings learn the same, bit for bit."""

    game: Game
    config: Any  # the settings, a dataclass with `games`, `seed` and `trial_games`
    training: Any  # the settings as compiled code takes them, with the number of games `done` so far
    title: str

    def __init__(self) -> None:
        self.curve: list[Trial] = []

    @abstractmethod
    def play(self, last: int, training: Any) -> int:
        """Play until the given number of games: learn from them, or try out against random players. Return the number
        of games won. The result does not depend on how games are divided into calls."""

    @abstractmethod
    def new_training(self, learning: bool = True) -> Any:
        """Return the settings for compiled code. A trial learns nothing and always has the same seed."""

    @abstractmethod
    def numbers(self) -> Mapping[str, Any]:
        """Return the arrays to store, from which learning can resume."""

    @abstractmethod
    def restore(self, numbers: Mapping[str, Any]) -> None: ...

    @abstractmethod
    def facts(self) -> Mapping[str, Any]:
        """Return what was learned, as plain data for JSON. `str()` returns it in a line."""

    @property
    def done(self) -> int:
        return int(self.training.done)

    @property
    def settings(self) -> dict[str, Any]:
        """All that the result depends on."""
        return {"game": self.game.name, **asdict(self.config), "options": self.game.options()}

    @property
    def command(self) -> str:
        words = ["spar", "learn", self.game.name, *self.game.option_words()]
        for field in fields(self.config):
            value = getattr(self.config, field.name)
            if value != field.default or field.name in ("td", "games", "seed"):
                words += [f"--{field.name.replace('_', '-')}", f"{value}"]
        return shlex.join(words)

    def trial(self, games: int) -> Trial:
        """Play against random players without learning, always with the same dice."""
        won = self.play(games, self.new_training(learning=False)) / games
        return Trial(self.done, won, *wilson(won, games))

    def save(self, file: Path) -> None:
        LearningFile(self.settings, self.command, self.done, self.curve, self.numbers()).save(file)

    def resume(self, file: Path) -> None:
        """Continue from a file; SparringError if it was made with other settings."""
        try:
            kept = LearningFile.load(file)
            kept.refuse_other(file, self.settings)
            self.restore(kept.numbers)
        except SparringError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise SparringError(f"{file} holds no learning to resume: delete it, or name another file") from error
        self.curve, self.training.done = kept.curve, kept.games


@dataclass(frozen=True)
class LearningResult:
    """A learner after all its games, or after some of them."""

    learner: Learner
    file: Path | None
    interrupted: bool = False

    def __str__(self) -> str:
        learner, config = self.learner, self.learner.config
        done = f"{learner.done:,} of {config.games:,} games" if self.interrupted else f"{learner.done:,} games"
        lines = [f"{learner.title} from {done}", str(learner)]
        if learner.curve:
            rows = [["games", "won", "95 %"]]
            for games, *shares in learner.curve:
                won, low, high = (f"{100 * share:.1f}" for share in shares)
                rows.append([f"{games:,}", f"{won} %", f"[{low}, {high}]"])
            lines += ["", f"greedy, {config.trial_games:,} games against random", columns(rows, right={0, 1})]
        return "\n".join(lines)

    __repr__ = __str__

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
        games, won, low, high = np.array(self.learner.curve).T
        with picture(file) as axes:
            axes.plot(games, won, marker="o")
            axes.fill_between(games, low, high, alpha=0.2)
            axes.set(xlabel="games of learning", ylabel="won against random", title=self.learner.title)


@lru_cache(maxsize=4)
def openings(game: Game, seed: int) -> Any:
    """Return the first positions of games, before any chance."""
    return game.openings(range(seed * OPENINGS, (seed + 1) * OPENINGS))


def require_kernels(game: Game) -> None:
    """Refuse games whose rules or chance are in plain Python: learning plays whole games in compiled code."""
    if not game.written or (game.kind.chance and not game.kernels.chance):
        words = " ".join([game.name, *game.option_words()])
        raise SparringError(f"{words} cannot be learned: its rules are not all compiled")


def learn(learner: Learner, file: Path | None = None, progress: Progress | None = None) -> LearningResult:
    """Learn from the beginning, or from the progress in the file. After each twentieth of the games, try the learner
    out and save it. Save it after an interruption too."""
    if file and file.exists():
        learner.resume(file)
    games, slice_games, interrupted = learner.config.games, 1, False
    try:
        while learner.done < games or _trial_due(learner):
            if _trial_due(learner):
                learner.curve.append(learner.trial(learner.config.trial_games))
            else:
                before, started = learner.done, time.perf_counter()
                learner.play(min(next_stop(games, before), before + slice_games), learner.training)
                seconds = max(1e-6, time.perf_counter() - started)
                slice_games = max(1, int((learner.done - before) * SLICE_SECONDS / seconds))
            if file and _is_stop(games, learner.done) and not _trial_due(learner):
                learner.save(file)
            if progress:
                known = f"{100 * learner.curve[-1].won:.1f} % against random" if learner.curve else ""
                progress(learner.done, games, known)
    except KeyboardInterrupt:
        interrupted = True
        if file:
            learner.save(file)
    return LearningResult(learner, file, interrupted)


def next_stop(games: int, done: int) -> int:
    """Return when the learner is next tried out and saved: about twenty times, the last time at the end."""
    every = -(-games // TRIALS)
    return min(games, done - done % every + every)


def _is_stop(games: int, done: int) -> bool:
    return done > 0 and next_stop(games, done - 1) == done


def _trial_due(learner: Learner) -> bool:
    """Return whether it is time for a trial, also if the last one was interrupted."""
    last_trial = learner.curve[-1].games if learner.curve else 0
    return learner.config.trial_games > 0 and _is_stop(learner.config.games, learner.done) and last_trial < learner.done
