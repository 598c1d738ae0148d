"""A result batch: the games of some blocks at one table, as arrays.

Workers return batches, the store keeps them, and statistics are computed from them. A million games are a few arrays;
a single game is reconstructed from them on demand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from sparring.arena.limits import VERDICTS
from sparring.arena.notes import Metrics
from sparring.arena.playout import result_type
from sparring.arena.referee import Effort, PlayedGame, thought
from sparring.games.contract import Game
from sparring.games.replay import turns

FAILED = 128
"""Codes from here on are verdicts on a player that failed; smaller codes are endings of the game."""


def stacked(results: Sequence[Any]) -> Any:
    """Concatenate results. As bytes this is many times faster than NumPy's copy of records field by field."""
    dtype = results[0].dtype
    return np.concatenate([part.view(f"V{dtype.itemsize}") for part in results]).view(dtype)


@dataclass(frozen=True)
class FailureRecord:
    """Details of a player's failure. The verdict is the ending of the game."""

    block: int
    game: int  # of the block
    detail: str
    output: str = ""
    position: str = ""


@dataclass(frozen=True)
class VoidedBlock:
    """A block that was played again, because it was disturbed by what no agent is to blame for."""

    block: int
    reason: str


@dataclass(frozen=True)
class ResultBatch:
    """Games of consecutive blocks at one table, in order: block by block, seating by seating."""

    table: int
    block: int
    results: Any  # (blocks, games a block) of result_type
    moves: Any  # of all games, one after another
    failures: tuple[FailureRecord, ...] = ()
    decisions: tuple[Sequence[dict[str, Any]], ...] = ()  # of each game, where they are kept
    seconds: float = 0.0  # that it took
    metrics: tuple[Sequence[Metrics], ...] = ()  # of each game by seat, where agents declare some
    voids: tuple[VoidedBlock, ...] = ()

    @property
    def blocks(self) -> int:
        return len(self.results)

    @property
    def end(self) -> int:
        return self.block + self.blocks

    @property
    def numbers(self) -> Any:
        """The numbers of the blocks."""
        return np.arange(self.block, self.end)

    @cached_property
    def ends(self) -> Any:
        """The index in `moves` at which the moves of each game end."""
        return np.cumsum(self.results["moves"].sum(axis=-1, dtype=np.int64))

    def part(self, block: int, end: int) -> "ResultBatch":
        """The batch of the blocks from `block` up to but not including `end`."""
        size = self.results.shape[1]
        first, after = (block - self.block) * size, (end - self.block) * size
        start = self.ends[first - 1] if first else 0
        return ResultBatch(
            table=self.table,
            block=block,
            results=self.results[block - self.block : end - self.block],
            moves=self.moves[start : self.ends[after - 1]],
            failures=tuple(failure for failure in self.failures if block <= failure.block < end),
            decisions=self.decisions[first:after],
            seconds=self.seconds * (end - block) / self.blocks,
            metrics=self.metrics[first:after],
            voids=tuple(one for one in self.voids if block <= one.block < end),
        )

    def packed(self) -> tuple[bytes, bytes]:
        """Results and moves as bytes, with as few bytes a move as possible."""
        widest = np.min_scalar_type(int(self.moves.max())) if len(self.moves) else np.uint8
        return self.results.tobytes(), self.moves.astype(widest).tobytes()

    @classmethod
    def of(cls, table: int, block: int, game: Game, blocks: Sequence[Sequence[PlayedGame]]) -> "ResultBatch":
        """The batch of games that the referee played."""
        games = list(chain.from_iterable(blocks))
        results = np.zeros((len(blocks), len(blocks[0])), result_type(game.seats))
        failures = []
        for (place, number), one in zip(np.ndindex(results.shape), games, strict=True):
            result = results[place, number]
            result["scores"], result["failed"] = one.scores, one.failed
            for field in ("moves", "nodes", "depth", "seconds"):
                result[field] = [getattr(effort, field) for effort in one.efforts]
            if one.failed < 0:
                result["ending"] = game.endings.index(one.reason)
            else:
                result["ending"] = FAILED + VERDICTS.index(one.reason.split(":")[0])
                failures.append(FailureRecord(block + place, number, one.reason, one.output, one.failed_at))
        moves = np.array([turn.code for one in games for turn in one.turns], np.int64)
        decisions = tuple(one.decisions for one in games) if any(one.decisions for one in games) else ()
        metrics = tuple(one.metrics for one in games) if any(any(one.metrics) for one in games) else ()
        return cls(table, block, results, moves, tuple(failures), decisions, metrics=metrics)

    def played(self, game: Game, agents: tuple[str, ...], seed: int, block: int, number: int) -> PlayedGame:
        """Reconstruct one game by replaying its moves."""
        place = (block - self.block) * self.results.shape[1] + number
        result = self.results[block - self.block, number]
        opening, moves = game.start(seed), self.moves[self.ends[place - 1] if place else 0 : self.ends[place]]
        told = [failure for failure in self.failures if (failure.block, failure.game) == (block, number)]
        decisions = self.decisions[place] if self.decisions else ()
        spent = {field: result[field].tolist() for field in ("moves", "depth", "nodes", "seconds")}
        return PlayedGame(
            game=game.name,
            options=game.options(),
            seed=seed,
            agents=agents,
            start=opening.text,
            turns=tuple(turns(opening, moves.tolist(), map(thought, decisions))),
            scores=tuple(result["scores"].tolist()),
            reason=told[0].detail if told else ending_text(game.endings, int(result["ending"])),
            efforts=tuple(Effort(*one) for one in zip(*spent.values(), strict=True)),
            failed=int(result["failed"]),
            output=told[0].output if told else "",
            failed_at=told[0].position if told else "",
            decisions=tuple(decisions),
        )


def unpacked(results: Sequence[bytes], moves: Sequence[bytes], seats: int) -> tuple[Any, Any]:
    """Results and moves of packed batches, concatenated. The batches may differ in the bytes a move."""
    table = np.frombuffer(b"".join(results), result_type(seats))
    turns = np.concatenate([[0], np.cumsum(table["moves"].sum(axis=-1, dtype=np.int64))])
    ends = np.cumsum([len(one) for one in results]) // table.itemsize
    counts = np.diff(turns[ends], prepend=0)
    widths = np.array([len(one) for one in moves]) // np.maximum(counts, 1)
    parts = [np.zeros(0, np.uint8)]
    for alike in np.split(np.arange(len(moves)), np.flatnonzero(np.diff(widths)) + 1):
        parts.append(np.frombuffer(b"".join(moves[alike[0] : alike[-1] + 1]), f"<u{max(1, widths[alike[0]])}"))
    return table, np.concatenate(parts)


def ending_text(endings: Sequence[str], code: int) -> str:
    return VERDICTS[code - FAILED] if code >= FAILED else endings[code]
