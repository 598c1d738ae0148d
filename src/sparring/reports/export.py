"""The games of an experiment for other programs: as JSON Lines, as CSV or as Parquet.

The games are read batch by batch, so that the moves and decisions of only one batch are in memory. Games that do not
count in a report (see result.py) are not exported.
"""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sparring.arena.batch import ResultBatch, ending_text
from sparring.arena.result import Tournament
from sparring.arena.store import Store
from sparring.core.errors import SparringError, lacking
from sparring.core.files import atomic_write
from sparring.core.progress import Progress
from sparring.games.contract import Game
from sparring.games.replay import turns

Row = dict[str, Any]
Writer = Callable[[Path, int, Iterator[Row]], None]
"""Writes rows of games with a number of seats to a file."""
CHUNK = 5000  # games between two updates of the progress bar, and in a row group of a Parquet file
CACHED_NAMES = 1 << 16
COLUMNS = {
    **{"experiment": "string", "game": "int64", "table": "int64", "block": "int64", "seed": "int64"},
    **{"seats": "string", "opening": "string", "moves": "string", "scores": "float64", "ending": "string"},
    **{"failed_seat": "int64", "failed_agent": "string", "detail": "string"},
    **{"turns": "int64", "nodes": "int64", "depth": "int64", "seconds": "float64"},
}
"""The columns of a table of games, and their types in a Parquet file."""
LISTS = ("seats", "moves", "scores", "turns", "nodes", "depth", "seconds")
EFFORT = {"turns": "moves", "nodes": "nodes", "depth": "depth", "seconds": "seconds"}
"""Exported columns of the effort of each seat, and the names of these fields in a batch."""


def export(store: Store, prefix: str, file: Path, progress: Progress | None = None) -> int:
    """Write all games that count of the experiment whose id begins so, and return their number."""
    writers: dict[str, Writer] = {".jsonl": _write_jsonl, ".csv": _write_csv, ".parquet": _write_parquet}
    if file.suffix not in writers:
        raise SparringError(f"unknown format of {file.name}; name a file that ends in {', '.join(writers)}")
    if file.suffix == ".parquet":
        _pyarrow()
    contest = store.contest(id := store.find(prefix))
    result = Tournament(contest, [replace(batch, moves=()) for batch in store.batches(id)])
    jsonl = file.suffix == ".jsonl"
    rules = {"rules": {"game": contest.game.name, "options": contest.game.chosen()}} if jsonl else {}

    def rows() -> Iterator[Row]:
        games = (row for batch in store.batches(id, decisions=jsonl) for row in _rows(result, batch))
        for done, row in enumerate(games):
            if progress and done % CHUNK == 0:
                progress(done, result.played)
            yield row | rules  # with the rules, each line can be replayed alone

    with atomic_write(file) as part:
        writers[file.suffix](part, contest.game.seats, rows())
    return result.played


def _rows(result: Tournament, batch: ResultBatch) -> Iterator[Row]:
    contest, game, names = result.contest, result.contest.game, result.names
    blocks = range(batch.block, min(batch.end, result.end(batch.table)))
    first, second = (result.number(batch.table, block, 0) for block in (0, 1))
    seeds = contest.block_seed(batch.numbers[: len(blocks)])
    openings = [_text(game, start) for start in map(game.to_bytes, game.starts(seeds))]
    failures = {(failure.block, failure.game): failure for failure in batch.failures}
    codes, ends = batch.moves.tolist(), batch.ends.tolist()
    fields = {name: batch.results[name].tolist() for name in ("scores", "ending", "failed", *EFFORT.values())}
    for place, (block, seed) in enumerate(zip(blocks, seeds.tolist(), strict=True)):
        for turn, seating in enumerate(seated := contest.seated(batch.table, block).tolist()):
            at, agents = place * len(seated) + turn, [names[agent] for agent in seating]
            failed, failure = fields["failed"][place][turn], failures.get((block, turn))
            row = {
                "experiment": contest.id,
                "game": first + block * (second - first) + turn,
                "table": batch.table,
                "block": block,
                "seed": seed,
                "seats": agents,
                "opening": openings[place],
                "moves": _move_names(game, seed, codes[ends[at - 1] if at else 0 : ends[at]]),
                "scores": fields["scores"][place][turn],
                "ending": ending_text(game.endings, fields["ending"][place][turn]),
                "failed_seat": None if failed < 0 else failed,
                "failed_agent": None if failed < 0 else agents[failed],
                "detail": failure.detail if failure else None,
                **{column: fields[name][place][turn] for column, name in EFFORT.items()},
            }
            row["seconds"] = [round(seconds, 9) for seconds in row["seconds"]]  # stored in single precision
            yield row | ({"decisions": batch.decisions[at]} if batch.decisions else {})


@lru_cache(maxsize=CACHED_NAMES)
def _text(game: Game, start: bytes) -> str:
    return game.text(game.from_bytes(start))


def _move_names(game: Game, seed: int, codes: Sequence[int]) -> list[str]:
    if game.fixed_names:
        return [_fixed_name(game, code) for code in codes]
    return [turn.action for turn in turns(game.start(seed), codes)]


@lru_cache(maxsize=CACHED_NAMES)
def _fixed_name(game: Game, code: int) -> str:
    return game.action_name(game.start().state, 0, code)


def _write_jsonl(part: Path, seats: int, rows: Iterator[Row]) -> None:
    with part.open("w", encoding="utf-8") as out:
        out.writelines(f"{json.dumps(row)}\n" for row in rows)


def _write_csv(part: Path, seats: int, rows: Iterator[Row]) -> None:
    """Write a row for each game. Fields of seats have a column for each seat: agent_0, agent_1, score_0 and so on."""
    by_seat = {"seats": "agent", "scores": "score"} | {column: column for column in EFFORT}
    single = [column for column in COLUMNS if column not in by_seat]
    with part.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow([*single, *(f"{name}_{seat}" for name in by_seat.values() for seat in range(seats))])
        for row in rows:
            row["moves"] = " ".join(row["moves"])
            writer.writerow([*(row[name] for name in single), *chain.from_iterable(row[name] for name in by_seat)])


def _write_parquet(part: Path, seats: int, rows: Iterator[Row]) -> None:
    pa, parquet = _pyarrow()
    single = [(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()]
    schema = pa.schema([(name, pa.list_(kind) if name in LISTS else kind) for name, kind in single])
    with parquet.ParquetWriter(part, schema) as out:
        while group := list(islice(rows, CHUNK)):
            out.write_table(pa.Table.from_pylist(group, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise lacking("Parquet files need pyarrow", "parquet") from error
    return pyarrow, pyarrow.parquet
