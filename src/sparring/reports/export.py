"""The games of an experiment for other programs: a line of JSON each, a spreadsheet's row, or Parquet.

Sheet by sheet, so that the moves and thoughts of only one of them are in memory at a time. Games that do not count in
a report (see result.py) are not exported either.
"""

import csv
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any

from sparring.arena.batch import Sheet, ending_text
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.schedule import block_seed
from sparring.arena.store import Store
from sparring.core.errors import SparringError, lacking
from sparring.core.files import written_whole
from sparring.core.progress import Progress
from sparring.games.contract import Game
from sparring.games.replay import turns

Row = dict[str, Any]

AT_ONCE = 5000
"""Games between two looks at the progress bar, and of a group of rows in a Parquet file."""
OPENINGS = 1 << 16
SPENT = {"turns": "moves", "nodes": "nodes", "depth": "depth", "seconds": "seconds"}
"""What is exported of every seat, and what a sheet calls it."""


def export(store: Store, start: str, file: Path, progress: Progress | None = None) -> int:
    """Write all games that count of the experiment whose id begins so, and say how many they are."""
    writer = writer_for(file)
    contest = store.contest(id := store.find(start))
    result = Tournament(contest, [replace(sheet, moves=()) for sheet in store.each_sheet(id)])
    ends = [int(numbers[-1]) + 1 if len(numbers) else 0 for numbers, _ in result.blocks]
    total = result.played
    rows: Iterator[Row] = chain.from_iterable(
        _rows(contest, [result.number(sheet.table, block, 0) for block in (0, 1)], sheet, ends[sheet.table])
        for sheet in store.each_sheet(id, decisions=file.suffix == ".jsonl")
    )
    with written_whole(file) as part:
        if file.suffix == ".jsonl":  # so that each line can be played again wherever it comes to
            rows = (row | {"rules": {"game": contest.game.name, "options": contest.game.chosen()}} for row in rows)
        writer(part, contest.game.seats, _watched(rows, total, progress))
    return total


def writer_for(file: Path) -> "Writer":
    """How files of this suffix are written."""
    writers: dict[str, Writer] = {".jsonl": _as_jsonl, ".csv": _as_csv, ".parquet": _as_parquet}
    if file.suffix not in writers:
        raise SparringError(f"cannot tell what {file.name} should be; name a file ending in {', '.join(writers)}")
    if file.suffix == ".parquet":
        _pyarrow()
    return writers[file.suffix]


Writer = Callable[[Path, int, Iterator[Row]], None]


def _watched(rows: Iterator[Row], total: int, progress: Progress | None) -> Iterator[Row]:
    for done, row in enumerate(rows):
        if progress and done % AT_ONCE == 0:
            progress(done, total)
        yield row


def _rows(contest: Contest, numbers: Sequence[int], sheet: Sheet, end: int) -> Iterator[Row]:
    """The games of a sheet, but for blocks from `end` on; `numbers` are those of the table's first two blocks."""
    game, seatings, names = contest.game, contest.seatings(sheet.table), contest.names
    blocks = range(sheet.block, min(sheet.end, end))
    seeds = block_seed(contest.experiment.seed, sheet.numbers[: len(blocks)])
    openings = [_text(game, start) for start in map(game.to_bytes, game.starts(seeds))]
    failures = {(failure.block, failure.game): failure for failure in sheet.failures}
    codes, ends = sheet.moves.tolist(), sheet.ends.tolist()
    fields = {name: sheet.results[name].tolist() for name in ("scores", "ending", "failed", *SPENT.values())}
    seats = [[names[agent] for agent in seating] for seating in seatings]
    for place, (block, seed) in enumerate(zip(blocks, seeds.tolist(), strict=True)):
        for turn, agents in enumerate(seats):
            at = place * len(seats) + turn
            played = codes[ends[at - 1] if at else 0 : ends[at]]
            failed, failure = fields["failed"][place][turn], failures.get((block, turn))
            row = {
                "experiment": contest.id,
                "game": numbers[0] + block * (numbers[1] - numbers[0]) + turn,
                "table": sheet.table,
                "block": block,
                "seed": seed,
                "seats": agents,
                "opening": openings[place],
                "moves": _named(game, seed, played),
                "scores": fields["scores"][place][turn],
                "ending": ending_text(game.endings, fields["ending"][place][turn]),
                "failed_seat": None if failed < 0 else failed,
                "failed_agent": None if failed < 0 else agents[failed],
                "detail": failure.detail if failure else None,
                **{said: fields[name][place][turn] for said, name in SPENT.items()},
            }
            row["seconds"] = [round(seconds, 9) for seconds in row["seconds"]]  # kept in single precision
            yield row | ({"decisions": sheet.decisions[at]} if sheet.decisions else {})


@lru_cache(maxsize=OPENINGS)
def _text(game: Game, start: bytes) -> str:
    return game.text(game.from_bytes(start))


def _named(game: Game, seed: int, codes: Sequence[int]) -> list[str]:
    if game.fixed_names:
        return [_fixed_name(game, code) for code in codes]
    return [turn.action for turn in turns(game.start(seed), codes)]


@lru_cache(maxsize=OPENINGS)
def _fixed_name(game: Game, code: int) -> str:
    return game.action_name(game.start().state, 0, code)


def _as_jsonl(part: Path, seats: int, rows: Iterator[Row]) -> None:
    with part.open("w", encoding="utf-8") as out:
        out.writelines(f"{json.dumps(row)}\n" for row in rows)


def _as_csv(part: Path, seats: int, rows: Iterator[Row]) -> None:
    """What differs by seat has a column for each: agent_0, agent_1, score_0 and so on."""
    by_seat = {"seats": "agent", "scores": "score"} | {said: said for said in SPENT}
    alone = ("experiment", "game", "table", "block", "seed", "opening", "moves", "ending")
    failed = ("failed_seat", "failed_agent", "detail")
    with part.open("w", encoding="utf-8", newline="") as out:
        sheet = csv.writer(out)
        sheet.writerow([*alone, *failed, *(f"{name}_{seat}" for name in by_seat.values() for seat in range(seats))])
        for row in rows:
            row["moves"] = " ".join(row["moves"])
            told = [row[name] for name in (*alone, *failed)]
            sheet.writerow([*told, *chain.from_iterable(row[name] for name in by_seat)])


def _as_parquet(part: Path, seats: int, rows: Iterator[Row]) -> None:
    pa, parquet = _pyarrow()
    whole, text = pa.int64(), pa.string()
    kinds = {
        **dict.fromkeys(("game", "table", "block", "seed", "failed_seat"), whole),
        **dict.fromkeys(("seats", "moves"), pa.list_(text)),
        **dict.fromkeys(("turns", "nodes", "depth"), pa.list_(whole)),
        **dict.fromkeys(("scores", "seconds"), pa.list_(pa.float64())),
    }
    place = ("experiment", "game", "table", "block", "seed", "seats", "opening")
    order = (*place, "moves", "scores", "ending", "failed_seat", "failed_agent", "detail", *SPENT)
    schema = pa.schema([(name, kinds.get(name, text)) for name in order])
    with parquet.ParquetWriter(part, schema) as out:
        while group := list(islice(rows, AT_ONCE)):
            out.write_table(pa.Table.from_pylist(group, schema=schema))


def _pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise lacking("Parquet files need pyarrow", "parquet") from error
    return pyarrow, pyarrow.parquet
