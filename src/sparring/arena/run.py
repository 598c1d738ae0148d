"""Play an experiment, or the rest of it, on all cores or on a cluster."""

import os
import threading
import time
from bisect import insort
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import chain, pairwise
from queue import SimpleQueue

import numpy as np

from sparring.arena import stopping
from sparring.arena.batch import ResultBatch
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.arena.summary import command_line
from sparring.arena.supervisor import Guest
from sparring.arena.workers import WorkerPool
from sparring.core.errors import SparringError
from sparring.core.progress import Progress

JOB_SECONDS = 0.05
"""The time of a job: short, so that little is lost on Ctrl-C, but long enough to be worth a message."""
MOST_BLOCKS = 1 << 14
LAST_WORDS_SECONDS = 0.5
"""The time that a worker has to finish its job after Ctrl-C."""
LOOKS_APART = 50
"""Sequential tests are computed again when there are 1/50 more games; the verdicts are the same, only later."""


def run(
    contest: Contest,
    store: Store | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    source: str = "",
) -> Tournament:
    """Play the blocks that are not in the store yet. Each is kept as soon as it is finished. Ctrl-C stops early."""
    started = time.perf_counter()
    scheduler, interrupted, printed = Scheduler(contest), False, dict[str, str]()
    if store and not contest.id:
        told = "only games of agents with a text can be kept in a store"
        raise SparringError(f"{told}: put your own into a file, and name that")
    if store:
        store.begin(contest, source or command_line(contest))
        for batch in store.batches(contest.id):
            scheduler.add(batch)
    try:
        with closing(_played(contest, scheduler, printed, workers, cluster)) as batches:
            for batch in batches:
                if store:
                    store.add(contest, batch)
                scheduler.add(batch)
                if progress:
                    progress(scheduler.games, contest.games, scheduler.known())
    except KeyboardInterrupt:
        interrupted = True
    return Tournament(
        contest=contest,
        batches=list(chain.from_iterable(scheduler.by_table)),
        seconds=time.perf_counter() - started,
        interrupted=interrupted,
        kept=bool(store),
        store=store.option if store else "",
        source=source,
        printed=printed,
    )


def _played(
    contest: Contest, scheduler: "Scheduler", printed: dict[str, str], workers: int | None, cluster: str | None
) -> Generator[ResultBatch]:
    if not scheduler.unfinished():
        return
    if cluster:
        from sparring.arena.cluster import on_cluster
        from sparring.arena.transfer import opened

        while scheduler.unfinished():
            pool_maker = partial(WorkerPool, contest.setup())
            read = partial(opened, contest=contest)
            name, jobs = contest.game.name, scheduler.jobs()
            yield from (batch for _, batch in on_cluster(cluster, name, pool_maker, jobs, read))
    else:
        with WorkerPool(contest.setup(), contest.agents) as pool:
            try:
                count = workers or default_workers(pool)
                pool.separate(count)
                while scheduler.unfinished():
                    yield from in_threads(pool.play, scheduler.jobs(), count)
            finally:
                printed.update(pool.printed)


class Scheduler:
    """Keeps track of finished blocks, hands out jobs, and ends tables early."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.by_table: list[list[ResultBatch]] = [[] for _ in contest.tables]
        self.games = 0
        self._done = [np.zeros(contest.blocks(table), bool) for table in range(len(contest.tables))]
        self._blocks_a_job = [1] * len(contest.tables)
        self._look()

    def add(self, batch: ResultBatch) -> None:
        insort(self.by_table[batch.table], batch, key=lambda one: one.block)
        self.games += batch.results.size
        self._done[batch.table][batch.block : batch.end] = True
        if batch.seconds:
            fitting = int(JOB_SECONDS * batch.blocks / batch.seconds)
            self._blocks_a_job[batch.table] = max(1, min(fitting, 2 * batch.blocks, MOST_BLOCKS))
        if batch.failures or (self._tests and self.games >= self._next_look):
            self._look()

    def _look(self) -> None:
        """Compute the ends of all tables. An end may move later when more blocks are known."""
        self._tests, retired = stopping.stop_points(self.contest, self.by_table)
        tables = range(len(self.by_table))
        self._ends = [stopping.table_end(self.contest, table, self._tests, retired) for table in tables]
        self._next_look = self.games + len(self._tests) + self.games // LOOKS_APART

    def unfinished(self) -> bool:
        """Return whether there are blocks to be played."""
        self._look()
        return any(not done[:end].all() for done, end in zip(self._done, self._ends, strict=True))

    def known(self) -> str:
        """The state of the sequential tests, for the progress bar."""
        if len(self._tests) > 1:
            decided = sum(one.stop is not None for one in self._tests)
            return f"{decided} of {len(self._tests)} pairs decided"
        return f"LLR {self._tests[0].llr:+.2f}" if self._tests else ""

    def jobs(self) -> Iterator[Job]:
        """The jobs that are left: low blocks first, all tables side by side."""
        block = 0
        while block < max(self._ends):
            window = max(self._blocks_a_job)
            for table in range(len(self._ends)):
                yield from self._missing(table, block, block + window)
            block += window

    def _missing(self, table: int, block: int, end: int) -> Iterator[Job]:
        while block < (upto := min(end, self._ends[table])):
            if self._done[table][block]:
                block += 1
                continue
            played = np.flatnonzero(self._done[table][block:upto])
            blocks = min(int(played[0]) if len(played) else upto - block, self._blocks_a_job[table])
            yield Job(table, block, blocks)
            block += blocks


def in_threads(play: Callable[[Job], ResultBatch], jobs: Iterator[Job], workers: int) -> Iterator[ResultBatch]:
    """Yield results as they come. If the caller leaves early, as on Ctrl-C, no thread takes another job."""
    results: SimpleQueue[ResultBatch | BaseException | None] = SimpleQueue()
    taking, stopped = threading.Lock(), threading.Event()

    def work() -> None:
        while not stopped.is_set():
            try:
                with taking:
                    job = next(jobs, None)
                if job is None:
                    break
                results.put(play(job))
            except BaseException as error:
                results.put(error)
        results.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    try:
        for thread in threads:
            thread.start()
        working = workers
        while working:
            result = results.get()
            if result is None:
                working -= 1
            elif isinstance(result, BaseException):
                raise result
            else:
                yield result
    finally:
        stopped.set()
        for thread in threads:  # a thread that is killed in compiled code would crash the process
            if thread.is_alive():
                thread.join(LAST_WORDS_SECONDS)


def default_workers(pool: WorkerPool) -> int:
    """All cores; one if there is a clock or an agent in plain Python, which would compete for the interpreter."""
    timed = pool.settings.limits.move is not None or any(agent.timed for agent in pool.agents)
    plain = any(not agent.compiled and not isinstance(agent, Guest) for agent in pool.agents)
    return 1 if timed or plain else os.cpu_count() or 1


def count_differences(one: Tournament, other: Tournament) -> tuple[int, int]:
    """The number of games that two runs of an experiment have in common, and how many of these differ."""
    common = differ = 0
    for batches, others in zip(one.by_table, other.by_table, strict=True):
        mine, yours = games_by_number(batches), games_by_number(others)
        both = mine.keys() & yours.keys()
        common += len(both)
        differ += sum(mine[number] != yours[number] for number in both)
    return common, differ


def games_by_number(batches: Sequence[ResultBatch]) -> dict[int, tuple[bytes, ...]]:
    """Each game of a table as bytes, without the time it took."""
    found = {}
    for batch in batches:
        results, moves = batch.results.ravel(), batch.moves.astype("<u8")
        kept = [results[name] for name in results.dtype.names if name != "seconds"]
        first = batch.block * batch.results.shape[1]
        for place, (start, end) in enumerate(pairwise([0, *batch.ends.tolist()])):
            found[first + place] = (moves[start:end].tobytes(), *(field[place].tobytes() for field in kept))
    return found
