"""Better weights for an agent, found by playing and confirmed by games that the search for them has not seen.

The best of many trials is the luckiest of them. So nothing here looks for a best one: a method follows many cheap games
on its way through the weights, and the answer is the mean of the later half of that way.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from sparring.agents.userfile import keeping
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.arena.store import Store
from sparring.core.progress import Progress
from sparring.tuning.meeting import Edge, refuse_failures
from sparring.tuning.methods import METHODS, Array, Method
from sparring.tuning.task import DEFAULT, TUNED, Tuning
from sparring.tuning.tuned import Check, Tuned, later_mean


def tune(
    tuning: Tuning,
    store: Store | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    strict: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Tuned:
    """Follow a tuning to its end, from where the store has it; Ctrl-C leaves what is known so far."""
    code = tuning.code(strict, warn)
    diary = Diary(store, tuning.identity(code))
    with keeping(code.setup().files):
        return Work(tuning, diary, store, workers, progress).done()


class Diary:
    """What a long work has found, step by step: what is known already is not looked for again."""

    def __init__(self, store: Store | None, work: str) -> None:
        self._store = store
        self._work = work
        self._known: list[Any] = store.steps(work) if store else []
        self._read = 0

    def next(self, find: Callable[[], Any]) -> Any:
        if self._read == len(self._known):
            self._known.append(find())
            if self._store:
                self._store.add_step(self._work, self._read, self._known[-1])
        self._read += 1
        return self._known[self._read - 1]


class Work:
    """A tuning under way."""

    def __init__(
        self, tuning: Tuning, diary: Diary, store: Store | None, workers: int | None, progress: Progress | None
    ) -> None:
        self.tuning = tuning
        self.diary = diary
        self.store = store
        self.workers = workers
        self.progress = progress
        self.method: Method = METHODS[tuning.method](tuning.dials.start, tuning.steps, tuning.seed)
        self.way: list[Array] = []
        self.checks: list[Check] = []
        self.played = 0
        self.apart = False

    def done(self) -> Tuned:
        """All steps, with checks between them, and the confirmation."""
        confirmed = None
        with suppress(KeyboardInterrupt):
            while len(self.way) < self.tuning.steps:
                self._step()
                if self.tuning.is_checked_after(len(self.way)):
                    self._check()
            confirmed = self._confirm()
        way = np.array(self.way).reshape(-1, len(self.tuning.dials.weights))
        store = self.store.option if self.store else ""
        return Tuned(self.tuning, way, tuple(self.checks), confirmed, store, apart=self.apart)

    def _step(self) -> None:
        points, number = self.method.ask(), len(self.way)
        scores = self.diary.next(lambda: self.tuning.scores(self._play(self.tuning.step(number, points))))
        self.apart |= len(set(scores)) > 1
        self.method.tell(np.array(scores))
        self.way.append(self.method.centre)
        self._tell(self.tuning.games_a_step)

    def _check(self) -> None:
        contest = self.tuning.check(later_mean(np.array(self.way)))
        found = self.diary.next(lambda: vars(Edge.of(self._play(contest), TUNED, DEFAULT)))
        self.checks.append(Check(len(self.way) * self.tuning.games_a_step, Edge(**found)))
        self._tell(self.tuning.games_a_check)

    def _confirm(self) -> Tournament:
        contest = self.tuning.confirmation(later_mean(np.array(self.way)))
        before = self.played

        def tell(done: int, *_: Any) -> None:
            self._tell(before + done - self.played)

        result = run(contest, self.store, self.workers, progress=tell, source=self.tuning.command)
        refuse_failures(result)
        return result

    def _play(self, contest: Contest) -> Tournament:
        result = run(contest, workers=self.workers)
        if result.interrupted:
            raise KeyboardInterrupt
        refuse_failures(result)
        return result

    def _tell(self, games: int) -> None:
        self.played += games
        if self.progress:
            known = f"{self.checks[-1].edge} so far" if self.checks else ""
            self.progress(self.played, self.tuning.all_games, known)
