"""Result batches and errors as plain bytes, for results that come from other machines.

Nothing is unpickled: a head in JSON, then two arrays. Whatever does not fit the job that was given out is refused.
"""

import json
import struct
import traceback
from dataclasses import asdict
from socket import gethostname
from typing import Any

import numpy as np

from sparring.arena.batch import FAILED, FailureRecord, ResultBatch, VoidedBlock, unpacked
from sparring.arena.experiment import Contest
from sparring.arena.limits import VERDICTS
from sparring.arena.notes import NoteCounts
from sparring.arena.playout import result_type
from sparring.arena.schedule import Job
from sparring.arena.wire import INVALID, cleaned
from sparring.core.errors import SparringError

HEAD = struct.Struct(">QQ")
"""The sizes of the JSON and of the results; the moves follow."""
UNFIT = (*INVALID, struct.error)
MOST_BYTES = 1 << 28
MOST_TEXT = 10_000


def packed(batch: ResultBatch) -> bytes:
    """Return a batch as bytes."""
    head = {
        "failures": [asdict(one) for one in batch.failures],
        "decisions": batch.decisions,
        "seconds": batch.seconds,
        "metrics": [[{name: one.packed() for name, one in seat.items()} for seat in game] for game in batch.metrics],
        "voids": [asdict(one) for one in batch.voids],
    }
    results, moves = batch.packed()
    return _joined(head, results, moves)


def packed_error(error: Exception) -> bytes:
    """Return an error as bytes. One of another program's making comes with its traceback."""
    if isinstance(error, SparringError):
        return _joined({"refused": str(error)})
    where = f"on {gethostname()}, where it was raised:\n{''.join(traceback.format_exception(error))}"
    return _joined({"failed": f"{type(error).__name__}: {error}", "note": where})


def _joined(head: dict[str, Any], results: bytes = b"", moves: bytes = b"") -> bytes:
    text = json.dumps(head).encode()
    return HEAD.pack(len(text), len(results)) + text + results + moves


def opened(data: bytes, job: Job, contest: Contest) -> ResultBatch:
    """Return the batch of a job, or raise the error that came in its place."""
    try:
        head, results, moves = _parts(data)
        if "refused" not in head and "failed" not in head:
            return _batch(head, results, moves, job, contest)
    except UNFIT as wrong:
        raise SparringError(f"a node sent no results of {job}: {type(wrong).__name__}: {wrong}") from wrong
    raise opened_error(data)


def opened_error(data: bytes) -> Exception:
    """Return the error that came in place of results."""
    try:
        head, _, _ = _parts(data)
        if "refused" in head:
            return SparringError(str(head["refused"])[:MOST_TEXT])
        error = RuntimeError(str(head["failed"])[:MOST_TEXT])
        error.add_note(str(head["note"])[:MOST_TEXT])
    except UNFIT as wrong:
        return SparringError(f"a node sent no error: {type(wrong).__name__}: {wrong}")
    return error


def _parts(data: bytes) -> tuple[dict[str, Any], bytes, bytes]:
    text, size = HEAD.unpack_from(data)
    start = HEAD.size + text
    head = cleaned(json.loads(data[HEAD.size : start]))
    if not isinstance(head, dict):
        raise TypeError("its head is no table")
    return head, data[start : start + size], data[start + size :]


def _batch(head: dict[str, Any], results: bytes, moves: bytes, job: Job, contest: Contest) -> ResultBatch:
    seats, games = contest.game.seats, job.blocks * contest.games_a_block(job.table)
    if len(results) != games * result_type(seats).itemsize:
        raise ValueError("results of another length")
    rows, codes = unpacked([results], [moves], seats)
    kinds = len(contest.game.endings)
    ending, failed = rows["ending"], rows["failed"]
    verdict = (ending >= FAILED) & (ending < FAILED + len(VERDICTS))
    fits = np.where(failed >= 0, verdict & (failed < seats), (ending < kinds) & (failed == -1))
    if not (
        fits.all() and ((rows["scores"] >= 0) & (rows["scores"] <= 1)).all() and np.isfinite(rows["seconds"]).all()
    ):
        raise ValueError("results that no game has")
    if len(codes) != rows["moves"].sum(dtype=np.int64) or any(
        len(head[name]) not in (0, games) for name in ("decisions", "metrics")
    ):
        raise ValueError("moves of another number of games")
    return ResultBatch(
        job.table,
        job.block,
        rows.reshape(job.blocks, -1),
        codes,
        tuple(_failure(one, job) for one in head["failures"]),
        tuple([dict(one) for one in game] for game in head["decisions"]),
        float(head["seconds"]),
        tuple([_metrics(seat) for seat in game] for game in head["metrics"]),
        tuple(VoidedBlock(_block(one, job), str(one["reason"])) for one in head["voids"]),
    )


def _metrics(seat: dict[str, Any]) -> dict[str, NoteCounts]:
    return {name: NoteCounts.unpacked(counts) for name, counts in seat.items()}


def _block(told: dict[str, Any], job: Job) -> int:
    block = told["block"]
    if type(block) is not int or not job.block <= block < job.block + job.blocks:
        raise ValueError("a block of another job")
    return block


def _failure(told: dict[str, Any], job: Job) -> FailureRecord:
    texts = [str(told[name])[:MOST_TEXT] for name in ("detail", "output", "position")]
    return FailureRecord(_block(told, job), int(told["game"]), *texts)
