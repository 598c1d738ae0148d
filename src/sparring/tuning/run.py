"""Run a tuning: find better weights by playing, and confirm them by games that the search has not seen.

The best of many trials is mostly the luckiest one, so no best trial is chosen. A method follows many cheap games on its
path through the weights, and the answer is the mean of the later half of that path.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from itertools import chain, repeat
from typing import Any

import numpy as np

from sparring.agents.userfile import from_snapshot
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.arena.store import Store
from sparring.core.progress import Progress
from sparring.tuning.meeting import EloDifference, Warn, games_a_block, refuse_failures
from sparring.tuning.methods import METHODS, Array, Method
from sparring.tuning.task import DEFAULT, MILESTONES, TUNED, Tuning
from sparring.tuning.tuned import Tuned, tail_mean


def tune(
    tuning: Tuning, store: Store | None, workers: int | None, progress: Progress | None, strict: bool, warn: Warn | None
) -> Tuned:
    """Run a tuning from where the store has it to its end. Ctrl-C returns the result so far."""
    code = tuning.confirmation(tuning.space.start, games_a_block(tuning.game), strict, warn)  # all agents that play
    with from_snapshot(code.setup().files):
        return TuningRun(tuning, code.id, store, workers, progress).result()


class TuningRun:
    """A tuning in progress. A step that the store has, for the same search with the same code, is not played again."""

    def __init__(
        self, tuning: Tuning, code: str, store: Store | None, workers: int | None, progress: Progress | None
    ) -> None:
        self.tuning, self.store, self.workers, self.progress = tuning, store, workers, progress
        search = json.dumps([code, tuning.games, tuning.method, tuning.only]).encode()
        self.id = hashlib.blake2b(search, digest_size=8).hexdigest()
        self.kept = enumerate(chain(store.steps(self.id) if store else (), repeat(None)))
        self.method: Method = METHODS[tuning.method](tuning.space.start, tuning.steps, tuning.seed)
        self.path: list[Array] = []
        self.milestones: list[tuple[int, EloDifference]] = []
        self.played = 0
        self.apart = False

    def result(self) -> Tuned:
        """Play all steps, the milestones between them, and the confirmation."""
        confirmed = None
        with suppress(KeyboardInterrupt):
            while len(self.path) < self.tuning.steps:
                self._step()
                if len(self.path) * MILESTONES % self.tuning.steps < MILESTONES:
                    self._milestone()
            confirmed = self._confirm()
        path = np.array(self.path).reshape(-1, len(self.tuning.space.weights))
        store = self.store.option if self.store else ""
        return Tuned(self.tuning, path, tuple(self.milestones), confirmed, store, apart=self.apart)

    def _step(self) -> None:
        points, number = self.method.ask(), len(self.path)
        scores = self._recall(lambda: self.tuning.scores(self._play(self.tuning.step(number, points))))
        self.apart |= len(set(scores)) > 1
        self.method.tell(np.array(scores))
        self.path.append(self.method.centre)
        self._report(self.tuning.games_per_step)

    def _milestone(self) -> None:
        contest = self.tuning.milestone(tail_mean(np.array(self.path)))
        found = self._recall(lambda: vars(EloDifference.of(self._play(contest), TUNED, DEFAULT)))
        self.milestones.append((len(self.path) * self.tuning.games_per_step, EloDifference(**found)))
        self._report(self.tuning.games_per_milestone)

    def _recall(self, compute: Callable[[], Any]) -> Any:
        """Return the next result that the store has, or compute it and keep it."""
        number, found = next(self.kept)
        if found is None:
            found = compute()
            if self.store:
                self.store.add_step(self.id, number, found)
        return found

    def _play(self, contest: Contest) -> Tournament:
        result = run(contest, workers=self.workers)
        if result.interrupted:
            raise KeyboardInterrupt
        refuse_failures(result)
        return result

    def _confirm(self) -> Tournament:
        contest = self.tuning.confirmation(tail_mean(np.array(self.path)))
        before = self.played

        def tell(done: int, *_: Any) -> None:
            self._report(before + done - self.played)

        result = run(contest, self.store, self.workers, progress=tell, source=self.tuning.command)
        refuse_failures(result)
        return result

    def _report(self, games: int) -> None:
        self.played += games
        if self.progress:
            known = f"{self.milestones[-1][1]} so far" if self.milestones else ""
            self.progress(self.played, self.tuning.all_games, known)
