"""One SQLite file that keeps every experiment and all its games.

Games are kept as result batches: consecutive blocks of a table. Nothing is kept that can be counted from them. A batch
is written in one transaction and never changed, so that after a crash it is there whole or not at all. Slow agents
write batches of one block each; they are joined when they are read, because half a million small batches are slow.
"""

import json
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple
from datetime import UTC, datetime, timedelta
from itertools import chain, starmap
from typing import Any, NamedTuple

from sparring.arena.batch import FailureRecord, ResultBatch, unpacked
from sparring.arena.experiment import Contest, Experiment, Participant
from sparring.arena.notes import Metrics, NoteCounts
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.arena.store_file import NO_SUM, ExperimentRow, Row, RunRow, StoreFile, combined, sum_of
from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.registry import game as make_game

JOINED = 1 << 14
"""The most blocks that are joined to one batch: more would be no quicker and take more memory."""
LAST = "last"
ANY_ENCODING = "surrogateescape"
BATCH = "experiment, at_table, block, blocks, results, moves, seconds, metrics, failures, decisions_sum, games.sum"


class StoredExperiment(NamedTuple):
    """An experiment in a list of all."""

    id: str
    begun: str
    title: str
    game: str
    agents: tuple[str, ...]
    kept: int
    """Stored games. Fewer may count: see result.py."""


class Store(StoreFile):
    """The open file of kept games; without a path, the user's own. Several processes may have it open at the same time.
    With `new=False` a missing file is not made, and the store is empty."""

    @property
    def nothing(self) -> str:
        """The message of an empty store."""
        return f"no games are stored in {self.path} yet; play some: spar match GAME AGENT AGENT{self.option}"

    def begin(self, contest: Contest, command: str = "") -> None:
        """Enter an experiment if it is new, and note that it runs now."""
        experiment, now = contest.experiment, datetime.now(UTC).isoformat()
        with self.transaction():
            runs = self._runs()
            last = max((run.last_run for run in runs.values()), default="")
            if now <= last:
                told = f"the clock shows {now[:10]}, but {self.path} was used on {last[:10]}"
                print(f"{told}: set the clock, or times in reports are wrong", file=sys.stderr, flush=True)
                now = (datetime.fromisoformat(last) + timedelta(microseconds=1)).isoformat()
            if known := runs.get(contest.id):
                self._update(known._replace(last_run=now))
                return
            game = experiment.game, contest.game.seats, contest.game.version, registry.code(experiment.game)
            text = command, experiment.model_dump_json(), json.dumps(contest.tables)
            self.insert("experiments", (contest.id, now, experiment.title, *game, *text))
            run = RunRow(contest.id, now)
            for row in self._rows(f"SELECT {BATCH} FROM games WHERE experiment=?", contest.id):  # saved from damage
                run = run.with_batch(row[3] * contest.games_a_block(row[1]), row[-1])
            self.insert("runs", run)
            for number, one in enumerate(contest.participants):
                sources = json.dumps({name: source.decode(errors=ANY_ENCODING) for name, source in one.sources.items()})
                self.insert("agents", (contest.id, number, one.name, one.spec, int(one.draws), one.hash, sources))

    def _runs(self) -> dict[str, RunRow]:
        """The runs of all experiments, by their ids."""
        return {run.experiment: run for run in starmap(RunRow, self._kept("runs"))}

    def _update(self, run: RunRow) -> None:
        values = (*run[1:], sum_of("runs", *run), run.experiment)
        self._sql.execute("UPDATE runs SET last_run=?, games=?, tally=?, sum=? WHERE experiment=?", values)

    def add(self, contest: Contest, batch: ResultBatch) -> None:
        """Keep a batch, except for blocks that another process with the same experiment has kept already."""
        with self.transaction():
            known = self._sql.execute(
                "SELECT block, block+blocks FROM games WHERE experiment=:id AND at_table=:table AND block<:end AND "
                "block>=(SELECT coalesce(max(block), 0) FROM games WHERE experiment=:id AND at_table=:table AND "
                "block<=:block) ORDER BY block",  # the last before and those within, by the index alone
                {"id": contest.id, "table": batch.table, "block": batch.block, "end": batch.end},
            ).fetchall()
            block, (run,) = batch.block, starmap(RunRow, self._kept("runs", "WHERE experiment=?", contest.id))
            for start, end in [*known, (batch.end, batch.end)]:
                if block < start:
                    part = batch.part(block, start) if known else batch
                    run = run.with_batch(part.results.size, self._add(contest, part))
                block = max(block, end)
            self._update(run)

    def _add(self, contest: Contest, batch: ResultBatch) -> bytes:
        """Keep a batch, and return its sum."""
        decisions = zlib.compress(json.dumps(batch.decisions).encode()) if batch.decisions else None
        metrics = [[{label: note.packed() for label, note in seat.items()} for seat in game] for game in batch.metrics]
        place = contest.id, batch.table, batch.block, batch.blocks
        told = (json.dumps(one) if one else None for one in (metrics, [astuple(one) for one in batch.failures]))
        return self.insert("games", (*place, *batch.packed(), float(batch.seconds), *told), decisions)

    def batches(self, id: str, decisions: bool = False) -> Iterator[ResultBatch]:
        """All games of an experiment, one batch after another: all of them may not fit into memory."""
        for run in _joined(self._batch_rows(id, "decisions" if decisions else "NULL")):
            yield self._batch(run)

    def _batch_rows(self, id: str, decisions: str) -> Iterator[Row]:
        """All batches of an experiment, checked. The tally is of the same moment: another process may add batches."""
        known, found = NO_SUM, NO_SUM
        query = f"SELECT runs.*, {BATCH}, {decisions} FROM runs LEFT JOIN games USING (experiment) WHERE experiment=?"
        for row in self._rows(f"{query} ORDER BY at_table, block", id):
            run, batch = row[:5], row[5:]
            known = RunRow(*self._checked("runs", run)).tally if found == NO_SUM else known
            if batch[1] is not None:
                found = combined(found, batch[-2])
                yield (*self._checked("games", batch[:-1]), batch[-1])
        if found != known:
            raise self._damaged(f"batches of {id} are missing")

    def batch(self, id: str, table: int, block: int) -> ResultBatch | None:
        """The batch that holds a block, with its decisions; None if the block was not played."""
        query = f"SELECT {BATCH}, decisions FROM games WHERE experiment=? AND at_table=? AND block<=?"
        for row in self._rows(f"{query} ORDER BY block DESC LIMIT 1", id, table, block):
            if block < row[2] + row[3]:
                return self._batch([(*self._checked("games", row[:-1]), row[-1])])
        return None

    def _batch(self, run: Sequence[Row]) -> ResultBatch:
        """Join batches whose blocks follow one another."""
        ids, tables, starts, blocks, results, moves, seconds, metrics, failures, sums, texts = zip(*run, strict=True)
        table, codes = unpacked(results, moves, self._experiment(ids[0]).seats)
        table = table.reshape(starts[-1] + blocks[-1] - starts[0], -1)
        counted = [_metrics(row, count * table.shape[1]) for row, count in zip(metrics, blocks, strict=True)]
        if texts[0] and sum_of("decisions", texts[0]) != sums[0]:
            raise self._damaged(f"decisions of {ids[0]} are not what was written")
        return ResultBatch(
            table=tables[0],
            block=starts[0],
            results=table,
            moves=codes,
            failures=tuple(FailureRecord(*one) for row in failures if row for one in json.loads(row)),
            decisions=tuple(json.loads(zlib.decompress(texts[0]))) if texts[0] else (),
            seconds=sum(seconds),
            metrics=tuple(chain.from_iterable(counted)) if any(metrics) else (),
        )

    def _experiment(self, id: str) -> ExperimentRow:
        for row in self._kept("experiments", "WHERE id=?", id):
            return ExperimentRow(*row)
        raise self._damaged(f"the settings of {id} are missing")

    def steps(self, work: str) -> list[Any]:
        """The results of the steps of a long run so far."""
        rows = list(self._kept("steps", "WHERE work=? ORDER BY number", work))
        if [number for _, number, _ in rows] != list(range(len(rows))):
            raise self._damaged(f"steps of {work} are missing")
        return [json.loads(found) for *_, found in rows]

    def add_step(self, work: str, number: int, found: Any) -> None:
        """Keep the result of a step. Another process with the same run has found the same."""
        with self.transaction():
            if not any(self._rows("SELECT 1 FROM steps WHERE work=? AND number=?", work, number)):
                self.insert("steps", (work, number, json.dumps(found)))

    def contest(self, id: str) -> Contest:
        """A stored experiment with its tables and participants, without agents that can play."""
        kept = self._experiment(id)
        experiment = Experiment.model_validate_json(kept.description)
        game = make_game(experiment.game, **experiment.options)
        if game.version != kept.version:
            told = f"{id} was played by the rules of {game.name} {kept.version}, but this is {game.version}"
            raise SparringError(f"{told}; play it again by the command that `spar experiments` shows")
        participants = []
        for _, _, name, spec, draws, _, sources in self._agents(id):
            texts = {file: text.encode(errors=ANY_ENCODING) for file, text in json.loads(sources).items()}
            participants.append(Participant(name, spec, bool(draws), texts))
        if len(participants) != len(experiment.entries):
            raise self._damaged(f"agents of {id} are missing")
        return Contest(experiment, game, tuple(participants), tuple(map(tuple, json.loads(kept.tables))), id=id)

    def _agents(self, id: str) -> Iterator[Row]:
        return self._kept("agents", "WHERE experiment=? ORDER BY number", id)

    def command(self, id: str) -> str:
        """The command that runs or continues an experiment."""
        return self._experiment(id).command

    def code(self, id: str) -> str:
        """A hash of the code that played it."""
        return self._experiment(id).code

    def begun(self, id: str) -> str:
        """The time of the first run."""
        return self._experiment(id).begun

    def ran_since(self, moment: str) -> list[str]:
        """The experiments that were begun or continued at a time or later."""
        return [id for id, run in self._runs().items() if run.last_run >= moment]

    def game(self, prefix: str, number: int) -> PlayedGame:
        """One game of the experiment whose id begins with `prefix`, with its decisions if they were kept.

        All results are read, because they tell which games count. Decisions, most of the data, are read for one game.
        """
        contest = self.contest(id := self.find(prefix))
        result = Tournament(contest, list(self.batches(id)))
        table, block, _ = result.place(number)
        if number not in range(1, result.last + 1) or not result.was_played(number):
            raise no_such_game(prefix, number, result.last)
        batch = self.batch(id, table, block)
        return Tournament(contest, [batch] if batch else []).game(number)

    def version(self) -> int:
        """A number that changes whenever another process has written to the file."""
        self._check_place()
        return int(self._one("PRAGMA data_version"))

    def games_kept(self) -> dict[str, int]:
        """The number of games of each experiment: it grows whenever something was played."""
        return {id: run.games for id, run in self._runs().items()}

    def find(self, prefix: str) -> str:
        """The id that begins with `prefix`; for "last", of the experiment that was run last."""
        runs = self._runs()
        found = [id for id in runs if id.startswith(prefix)] if prefix else list(runs)
        if prefix == LAST and runs:
            found = [max(runs, key=lambda id: runs[id].last_run)]
        if not runs:
            raise SparringError(self.nothing)
        if len(found) != 1 or not prefix:
            verb = "begin" if found else "begins"
            told = f"{'several experiments' if found else 'no experiment'} in {self.path} {verb} with {prefix!r}"
            raise SparringError(f"{told}; `spar experiments{self.option}` lists them")
        return found[0]

    def listed(self) -> list[StoredExperiment]:
        """Every experiment, the latest last."""
        listing = []
        for id, run in sorted(self._runs().items(), key=lambda one: one[1].last_run):
            kept, names = self._experiment(id), tuple(name for _, _, name, *_ in self._agents(id))
            listing.append(StoredExperiment(id, kept.begun, kept.title, kept.game, names, run.games))
        return listing


def no_such_game(source: str, number: int, last: int) -> SparringError:
    reason = "was not played" if 1 <= number <= last else "does not exist"
    return SparringError(f"{source} has games 1 to {last}; game {number} {reason}")


def _joined(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Group rows whose blocks follow one another. A row with decisions, which take much memory, stays alone."""
    run: list[Row] = []
    size, after = 0, (-1, -1)
    for row in rows:
        _, table, block, blocks, *_, decisions = row
        if run and (after != (table, block) or size + blocks > JOINED or decisions):
            yield run
            run, size = [], 0
        run.append(row)
        size, after = JOINED if decisions else size + blocks, (table, block + blocks)
    if run:
        yield run


def _metrics(counts: str | None, games: int) -> list[list[Metrics]]:
    """The metrics of each game of a row, by seat; empty if no agent noted any."""
    found = json.loads(counts) if counts else [[]] * games
    return [[{label: NoteCounts.unpacked(one) for label, one in seat.items()} for seat in game] for game in found]
