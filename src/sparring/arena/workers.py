"""A pool of agents that plays the blocks of an experiment: on threads of this process, or on another machine."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.dependencies import Sources
from sparring.agents.probe import can_copy
from sparring.agents.spec import agent
from sparring.agents.userfile import from_snapshot
from sparring.arena.batch import ResultBatch, VoidedBlock
from sparring.arena.bulk_process import BulkProcesses, LostProcess
from sparring.arena.limits import NO_CLOCK, Limits
from sparring.arena.playout import can_play_out, empty_results, play_out, prepare
from sparring.arena.referee import play_block
from sparring.arena.schedule import Job, Table, seatings
from sparring.arena.supervisor import Guest, Supervisor
from sparring.games.contract import Game


@dataclass(frozen=True)
class PlaySettings:
    """Everything that is needed to play, in a form that can be pickled."""

    game: Game
    specs: tuple[str, ...]
    tables: tuple[Table, ...]
    first_seed: int
    """The seed of block 0; the next blocks have the next numbers."""
    all_orders: bool = False
    limits: Limits = NO_CLOCK
    decisions: bool = False
    files: Mapping[str, Sources] = field(default_factory=dict)
    """By the file that a spec names: the text of the file and of the modules it imports when the experiment began."""


class WorkerPool:
    """Plays jobs, several at the same time. Users' Python agents play in processes of their own."""

    def __init__(self, settings: PlaySettings, agents: Sequence[Agent] | None = None) -> None:
        self.settings = settings
        self._rounds = [seatings(table, settings.all_orders) for table in settings.tables]
        with ExitStack() as opened:
            with from_snapshot(settings.files):
                made = agents or [agent(settings.game, spec) for spec in settings.specs]
            supervisor = opened.enter_context(Supervisor(settings.limits))
            self.agents = [supervisor.guest(settings.game, one) if one.sources else one for one in made]
            bulk = settings.limits.move is None and not settings.decisions and can_play_out(settings.game)
            self._policies = [one.compiled_policy(settings.game) if bulk and not one.metrics else None for one in made]
            self._apart: BulkProcesses | None = None
            self._opened = opened.pop_all()

    def __enter__(self) -> "WorkerPool":
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def separate(self, workers: int) -> None:
        """Play with users' compiled heuristics in processes, one for each worker, where the system allows that."""
        if can_copy() and any(policy and one.sources for policy, one in zip(self._policies, self.agents, strict=True)):
            prepare(self.settings.game)
            self._apart = BulkProcesses(self._play_all, self._no_results, workers)
            self._opened.callback(self._apart.close)

    @property
    def printed(self) -> dict[str, str]:
        """The end of the last output of each guest that printed anything, by its name."""
        return {one.name: one.printed for one in self.agents if isinstance(one, Guest) and one.printed}

    def play(self, job: Job) -> ResultBatch:
        started = time.perf_counter()
        try:
            batch = self._play_in_bulk(job) or self._play_by_referee(job)
        except LostProcess as lost:
            batch = self._play_by_referee(job)
            batch = replace(batch, voids=(VoidedBlock(job.block, str(lost)), *batch.voids))
        return replace(batch, seconds=time.perf_counter() - started)

    def _play_in_bulk(self, job: Job) -> ResultBatch | None:
        """Play all games in one compiled call; None if an agent or an option needs Python."""
        table, results = self.settings.tables[job.table], self._no_results(job)
        if not all(self._policies[number] for number in table):
            return None
        try:
            if self._apart and any(self.agents[number].sources for number in table):
                moves = self._apart.play(job, results, self.settings.limits.stall)
            else:
                moves = self._play_all(job, results)
        except Exception as error:
            if isinstance(error, LostProcess):
                raise
            return None  # a heuristic failed: the referee plays these games again and finds out whose
        return ResultBatch(job.table, job.block, results.view(np.ndarray).reshape(job.blocks, -1), moves)

    def _no_results(self, job: Job) -> Any:
        """Memory for the results of a job."""
        return empty_results(self.settings.game, job.blocks, self._rounds[job.table].shape[1])

    def _play_all(self, job: Job, results: Any) -> Any:
        """Play a job in this process. Fill in the results, and return the moves."""
        table = self.settings.tables[job.table]
        policies = [policy for number in table if (policy := self._policies[number])]
        places = seatings(tuple(map(table.index, table)), self.settings.all_orders)
        seeds = self.settings.first_seed + job.block + np.arange(job.blocks)
        return play_out(self.settings.game, policies, np.roll(places, -job.block, axis=0), seeds, results)[1]

    def _play_by_referee(self, job: Job) -> ResultBatch:
        settings, rounds, blocks, voids = self.settings, self._rounds[job.table], [], []
        for block in range(job.block, job.block + job.blocks):
            seated = [[self.agents[number] for number in seating] for seating in rounds[block % len(rounds)]]
            seed = settings.first_seed + block
            games, reasons = play_block(settings.game, seated, seed, settings.limits, settings.decisions)
            blocks.append(games)
            voids += [VoidedBlock(block, reason) for reason in reasons]
        return replace(ResultBatch.of(job.table, job.block, settings.game, blocks), voids=tuple(voids))
