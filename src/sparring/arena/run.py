"""Playing an experiment: what is left of it, on all cores or on a cluster, until it is finished or decided."""

import os
import threading
import time
from bisect import insort
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import pairwise
from queue import SimpleQueue

import numpy as np

from sparring.arena import stopping, telling
from sparring.arena.batch import Sheet
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.arena.supervisor import Guest
from sparring.arena.workers import Crew
from sparring.core.errors import SparringError
from sparring.core.progress import Progress

JOB_SECONDS = 0.05
"""Blocks that together take about so long are one job: few enough to lose little, enough to be worth a message."""
MOST_BLOCKS = 1 << 14
LAST_WORDS_SECONDS = 0.5
"""What a worker has to finish its job when all are told to stop."""
LOOKS_APART = 50
"""A sequential test is computed anew whenever a fiftieth more is known; the verdict is the same, only later."""


def run(
    contest: Contest,
    store: Store | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Progress | None = None,
    source: str = "",
) -> Tournament:
    """Play what is left of an experiment, keep every block as soon as it is finished, and stop early on Ctrl-C."""
    started = time.perf_counter()
    ledger, interrupted = Ledger(contest), False
    if store and not contest.id:
        raise SparringError("only games of agents that a text names can be kept in a store")
    if store:
        store.begin(contest, source or telling.command(contest))
        for sheet in store.sheets(contest.id):
            ledger.add(sheet)
    try:
        with closing(_played(contest, ledger, workers, cluster)) as sheets:
            for sheet in sheets:
                if store:
                    store.add(contest, sheet)
                ledger.add(sheet)
                if progress:
                    progress(ledger.games, contest.games, ledger.known())
    except KeyboardInterrupt:
        interrupted = True
    return Tournament(
        contest=contest,
        sheets=ledger.sheets,
        seconds=time.perf_counter() - started,
        interrupted=interrupted,
        kept=bool(store),
        store=store.option if store else "",
        source=source,
    )


def _played(contest: Contest, ledger: "Ledger", workers: int | None, cluster: str | None) -> Generator[Sheet]:
    if not ledger.unfinished():
        return
    if cluster:
        from sparring.arena.cluster import on_cluster

        while ledger.unfinished():
            for _, sheet in on_cluster(cluster, contest.game.name, partial(Crew, contest.setup()), ledger.jobs()):
                yield sheet
    else:
        with Crew(contest.setup(), contest.agents) as crew:
            while ledger.unfinished():
                yield from in_threads(crew.play, ledger.jobs(), workers or default_workers(crew))


class Ledger:
    """Which blocks are played, which are to be played next, and when enough is known."""

    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.sheets: list[Sheet] = []
        self.games = 0
        self._ends = [contest.blocks(table) for table in range(len(contest.tables))]
        self._done = [np.zeros(end, bool) for end in self._ends]
        self._by_table: list[list[Sheet]] = [[] for _ in self._ends]
        self._blocks_a_job = [1] * len(self._ends)
        self._standings = [stopping.standing(contest, tables, self._by_table) for tables in stopping.asked(contest)]
        self._next_look = [1] * len(self._standings)

    def add(self, sheet: Sheet) -> None:
        self.sheets.append(sheet)
        insort(self._by_table[sheet.table], sheet, key=lambda one: one.block)
        self.games += sheet.results.size
        self._done[sheet.table][sheet.block : sheet.end] = True
        if sheet.seconds:
            fitting = int(JOB_SECONDS * sheet.blocks / sheet.seconds)
            self._blocks_a_job[sheet.table] = max(1, min(fitting, 2 * sheet.blocks, MOST_BLOCKS))
        if sheet.failures:
            self._look()
            return
        for number, one in enumerate(self._standings):
            if sheet.table in one.tables:
                self._look_at(number)

    def _look(self) -> None:
        """See where all tables end, from all that is known: it may be later again than it seemed from less."""
        self._standings, retired = stopping.stopped(self.contest, self._by_table)
        tables = range(len(self._ends))
        self._ends = [stopping.end(self.contest, table, self._standings, retired) for table in tables]

    def _look_at(self, number: int) -> None:
        """See whether a sequential test has ended, if there is enough that is new to it."""
        tables = self._standings[number].tables
        whole = min(_leading(self._done[table]) for table in tables)
        if whole >= self._next_look[number]:
            self._next_look[number] = whole + 1 + whole // LOOKS_APART
            self._standings[number] = found = stopping.standing(self.contest, tables, self._by_table)
            if found.stop:
                for table in tables:
                    self._ends[table] = min(self._ends[table], found.stop.blocks)

    def unfinished(self) -> bool:
        """Whether something is left to be played."""
        self._look()
        return any(not done[:end].all() for done, end in zip(self._done, self._ends, strict=True))

    def known(self) -> str:
        """What sequential tests say so far."""
        if len(self._standings) > 1:
            decided = sum(one.stop is not None for one in self._standings)
            return f"{decided} of {len(self._standings)} pairs decided"
        return f"LLR {self._standings[0].llr:+.2f}" if self._standings else ""

    def jobs(self) -> Iterator[Job]:
        """What is left to be played, low blocks first, all tables side by side."""
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


def _leading(done: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> int:
    """How many blocks are done before the first that is not."""
    return len(done) if done.all() else int(np.argmin(done))


def in_threads(play: Callable[[Job], Sheet], jobs: Iterator[Job], workers: int) -> Iterator[Sheet]:
    """Results as they come. Left early, by Ctrl-C say, no thread takes another job."""
    results: SimpleQueue[Sheet | BaseException | None] = SimpleQueue()
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
        for thread in threads:  # one that is cut off in compiled code would take the process down with it
            if thread.is_alive():
                thread.join(LAST_WORDS_SECONDS)


def default_workers(crew: Crew) -> int:
    """All cores, but one alone where a clock is running or plain Python of this process would fight over them."""
    timed = crew.setup.limits.move is not None or any(agent.timed for agent in crew.agents)
    plain = any(not agent.compiled and not isinstance(agent, Guest) for agent in crew.agents)
    return 1 if timed or plain else os.cpu_count() or 1


def differing(one: Tournament, other: Tournament) -> tuple[int, int]:
    """How many games two runs of an experiment have both played, and how many of them went another way."""
    common = differ = 0
    for sheets, others in zip(one.by_table, other.by_table, strict=True):
        mine, yours = by_number(sheets), by_number(others)
        both = mine.keys() & yours.keys()
        common += len(both)
        differ += sum(mine[number] != yours[number] for number in both)
    return common, differ


def by_number(sheets: Sequence[Sheet]) -> dict[int, tuple[bytes, ...]]:
    """What each game of a table was, but for the time it took."""
    found = {}
    for sheet in sheets:
        results, moves = sheet.results.ravel(), sheet.moves.astype("<u8")
        kept = [results[name] for name in results.dtype.names if name != "seconds"]
        first = sheet.block * sheet.results.shape[1]
        for place, (start, end) in enumerate(pairwise([0, *sheet.ends.tolist()])):
            found[first + place] = (moves[start:end].tobytes(), *(field[place].tobytes() for field in kept))
    return found
