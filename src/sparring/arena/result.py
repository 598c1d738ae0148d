"""Results of an experiment. Everything is computed from the batches, in whichever order they were played.

Only blocks that count are used: those before the end of a sequential test and the retirement of an agent.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from sparring.arena.batch import FailureRecord, ResultBatch, VoidedBlock, ending_text, stacked
from sparring.arena.chart import as_html
from sparring.arena.experiment import Contest
from sparring.arena.lengths import GameLengths, game_length, length_unit
from sparring.arena.notes import Metrics, NoteCounts
from sparring.arena.playout import result_type
from sparring.arena.referee import PlayedGame
from sparring.arena.stopping import SprtState, distinct_blocks, stop_points, table_end
from sparring.arena.summary import command_line, full_text, verdict
from sparring.statistics.intervals import Rating, Score, ratings
from sparring.statistics.plackett_luce import Placing, placings
from sparring.statistics.sprt import BIAS

EFFORT = ("depth", "nodes", "seconds")


@dataclass(frozen=True)
class Pairing:
    """The blocks that two agents played. In the first game of a block the first agent has the first seat."""

    first: str
    second: str
    results: Any  # (blocks, 2)
    distinct: Any  # which of the blocks are evidence
    endings: tuple[str, ...]  # of the game
    swapped: bool = False

    def of_first(self, field: str) -> Any:
        """A field of the results, (blocks, 2), in the seat of the first agent."""
        seat = int(self.swapped)
        return np.stack([self.results[field][:, 0, seat], self.results[field][:, 1, 1 - seat]], axis=1)

    @cached_property
    def score(self) -> Score:
        """The score of the first agent."""
        return Score.of(self.of_first("scores")[self.distinct])

    @property
    def reversed(self) -> "Pairing":
        return Pairing(self.second, self.first, self.results, self.distinct, self.endings, not self.swapped)

    def effort(self) -> dict[str, float]:
        """The first agent's average depth, nodes and seconds of a move."""
        totals = {field: float(self.of_first(field).sum(dtype=np.float64)) for field in ("moves", *EFFORT)}
        return {field: totals[field] / max(1, totals["moves"]) for field in EFFORT}

    def faults(self) -> dict[str, int]:
        """The number of games that the first agent lost by each verdict."""
        mine = self.results["failed"] == [int(self.swapped), 1 - int(self.swapped)]
        return counted_endings(self.endings, self.results["ending"][mine])

    @property
    def better(self) -> str | None:
        """The agent that is significantly better: the whole interval of its Elo is above 0. None if neither is."""
        low, high = self.score.elo_interval
        return self.first if low > 0 else self.second if high < 0 else None

    @property
    def told(self) -> "Pairing":
        """The pairing as it is printed: the better agent first, or no change if there is no significant difference."""
        return self.reversed if self.better == self.second else self

    def verdict(self) -> str:
        """One line about the better agent, by how much, and how certain that is."""
        one = self.told
        return verdict(one.first, one.second, one.score)

    def to_json(self) -> dict[str, Any]:
        """All figures are those of the agent that was named first. A list has the first and the second agent's."""
        score = self.score
        return {
            "first": self.first,
            "second": self.second,
            "better": self.better,
            "verdict": self.verdict() if score.games else None,
            "games": score.games,
            "won": score.won,
            "drawn": score.drawn,
            "lost": score.lost,
            "score": score.mean,
            "interval": score.interval,
            "elo": score.elo if score.games else None,
            "elo_interval": score.elo_interval if score.games else None,
            "p_better": score.p_better,
            "effort": [self.effort(), self.reversed.effort()],
            "faults": [self.faults(), self.reversed.faults()],
        }


@dataclass(frozen=True)
class Tournament:
    """The result of an experiment so far."""

    contest: Contest
    batches: Sequence[ResultBatch]
    seconds: float = 0.0
    interrupted: bool = False
    kept: bool = False  # in a store
    store: str = ""  # the option that names the store, if it is not the default
    source: str = ""  # the command that ran it, if it was no match or league
    printed: Mapping[str, str] = field(default_factory=dict)  # by name, the end of an agent's last output

    @property
    def id(self) -> str:
        return self.contest.id

    @property
    def names(self) -> list[str]:
        return self.contest.names

    @cached_property
    def by_table(self) -> list[list[ResultBatch]]:
        """The batches of each table, in the order of blocks."""
        tables: list[list[ResultBatch]] = [[] for _ in self.contest.tables]
        for batch in sorted(self.batches, key=lambda batch: batch.block):
            tables[batch.table].append(batch)
        return tables

    @cached_property
    def _stopped(self) -> tuple[list[SprtState], dict[int, int]]:
        return stop_points(self.contest, self.by_table)

    @property
    def sprt_states(self) -> list[SprtState]:
        """The sequential tests: one of each pair, or one of all larger tables."""
        return self._stopped[0]

    @property
    def retired(self) -> dict[int, int]:
        """The agents that failed too often, by number, with the last block of each."""
        return self._stopped[1]

    @property
    def sprt_state(self) -> SprtState | None:
        """The sequential test, if there is exactly one."""
        return self.sprt_states[0] if len(self.sprt_states) == 1 else None

    @property
    def decided(self) -> int:
        """The number of sequential tests that have ended."""
        return sum(one.stop is not None for one in self.sprt_states)

    @property
    def tested(self) -> str:
        """The agents of a sequential test. Its Elo, effect and LLR are those of the first."""
        first, second = self.contest.tables[0] if self.contest.game.seats == 2 else (0, 1)
        return f"test of {self.names[first]} against {self.names[second]}"

    def why(self) -> str:
        """The outcome of the sequential test in words; in a league the number of decided pairs."""
        test = self.contest.experiment.sprt
        if not test:
            return ""
        if self.sprt_state:
            return f"{self.tested}: {test.why(self.sprt_state.path, over=self.played >= self.due)}"
        null, alternative, _ = test.words
        return f"{self.decided} of {len(self.sprt_states)} pairs were decided between {null} and {alternative}. {BIAS}"

    def end(self, table: int) -> int:
        """The first block of a table that does not count."""
        return table_end(self.contest, table, *self._stopped)

    @cached_property
    def blocks(self) -> list[tuple[Any, Any]]:
        """The blocks of each table that count: their numbers, and their results (blocks, games a block)."""
        found = []
        for table, batches in enumerate(self.by_table):
            none = np.zeros((0, self.contest.games_a_block(table)), result_type(self.contest.game.seats))
            numbers = np.concatenate([np.zeros(0, np.int64), *(batch.numbers for batch in batches)])
            results = stacked([none, *(batch.results for batch in batches)])
            counted = numbers < self.end(table)
            found.append((numbers, results) if counted.all() else (numbers[counted], results[counted]))
        return found

    @property
    def played(self) -> int:
        """The number of games that count."""
        return sum(results.size for _, results in self.blocks)

    @property
    def due(self) -> int:
        """The number of games that will count: all, unless an agent is retired or a sequential test is decided."""
        return sum(self.end(table) * self.contest.games_a_block(table) for table in range(len(self.contest.tables)))

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """The pairs of a game of two players."""
        if self.contest.game.seats != 2:
            return ()
        endings = self.contest.game.endings
        return tuple(
            Pairing(self.names[first], self.names[second], self.blocks[table][1], self.distinct(table), endings)
            for table, (first, second) in enumerate(self.contest.tables)
        )

    def seated(self, table: int) -> Any:
        """The agents, by number, of the games that count: (blocks, games a block, seats)."""
        return self.contest.seated(table, self.blocks[table][0])

    def distinct(self, table: int) -> Any:
        """A mask of the blocks that count and do not repeat others."""
        return distinct_blocks(self.contest, table, self.blocks[table][0])

    @cached_property
    def ratings(self) -> list[Rating]:
        """Elo ratings in a game of two players, fitted to all games at once, best first."""
        meetings = []
        for (first, second), (numbers, _), pairing in zip(self.contest.tables, self.blocks, self.pairings, strict=True):
            scores = np.full((self.contest.experiment.games // 2, 2), np.nan)
            scores[numbers[pairing.distinct]] = pairing.of_first("scores")[pairing.distinct]
            meetings.append((first, second, scores))
        return ratings(self.names, meetings)

    @cached_property
    def placings(self) -> list[Placing]:
        """Ratings in a game of more than two players, fitted to all games at once, best first."""
        seated, scores, blocks = [], [], []
        for table, blocks_of_table in enumerate(self.blocks):
            numbers, results = (part[self.distinct(table)] for part in blocks_of_table)
            agents = self.contest.seated(table, numbers)
            seated.append(agents.reshape(-1, agents.shape[-1]))
            failed = results["failed"][..., None] == np.arange(self.contest.game.seats)
            last = np.where(failed, -1, results["scores"])  # a failed player is last, even if nobody won
            scores.append(last.reshape(-1, self.contest.game.seats))
            blocks.append(np.repeat(numbers, agents.shape[1]))
        return placings(self.names, np.concatenate(seated), np.concatenate(scores), np.concatenate(blocks))

    def between(self, first: str, second: str) -> Pairing | None:
        """The pairing of two agents, from the first one's side; None if they did not meet."""
        for pairing in self.pairings:
            if {pairing.first, pairing.second} == {first, second} and len(pairing.results):
                return pairing if pairing.first == first else pairing.reversed
        return None

    def won_by(self, name: str, table: int) -> Any:
        """The score of an agent in each game, (blocks, games). With more than two players it is the share of first
        place of all its seats. A seat that failed has none of it."""
        results = self.blocks[table][1]
        scores, seats = results["scores"], np.arange(self.contest.game.seats)
        if len(seats) > 2:
            first = (scores == scores.max(axis=-1, keepdims=True)) & (seats != results["failed"][..., None])
            scores = first / first.sum(axis=-1, keepdims=True)
        return (scores * (self.seated(table) == self.names.index(name))).sum(axis=-1)

    def table_of(self, one: str, other: str) -> int:
        """The table at which two agents meet."""
        pair = [self.names.index(one), self.names.index(other)]
        return [sorted(set(table)) for table in self.contest.tables].index(sorted(pair))

    def against(self, contestant: str, opponent: str) -> Score:
        """The score of a contestant against an opponent."""
        table = self.table_of(contestant, opponent)
        return Score.of(self.won_by(contestant, table)[self.distinct(table)])

    def total(self, contestant: str) -> Score:
        """The score of a contestant against all opponents."""
        number = self.names.index(contestant)
        tables = [table for table, agents in enumerate(self.contest.tables) if agents[0] == number]
        evident = [(table, self.distinct(table)) for table in tables]
        return Score.over([(self.blocks[at][0][new], self.won_by(contestant, at)[new]) for at, new in evident])

    def endings(self) -> dict[str, int]:
        """The number of games with each ending."""
        codes = [results["ending"].ravel() for _, results in self.blocks]
        return counted_endings(self.contest.game.endings, np.concatenate(codes))

    @cached_property
    def lengths(self) -> GameLengths:
        game = self.contest.game
        parts = [game_length(game, results["moves"]).ravel() for _, results in self.blocks]
        return GameLengths(np.bincount(np.concatenate(parts)), length_unit(game))

    @cached_property
    def metrics(self) -> dict[str, Metrics]:
        """The metrics of each agent that declares some."""
        found: dict[str, Metrics] = {}
        for batch in self.batches:
            if not batch.metrics:
                continue
            seated = self.contest.seated(batch.table, np.arange(batch.block, min(batch.end, self.end(batch.table))))
            for agents, seats in zip(seated.reshape(-1, seated.shape[-1]).tolist(), batch.metrics, strict=False):
                for number, metrics in zip(agents, seats, strict=False):
                    for label, note in metrics.items():
                        found.setdefault(self.names[number], {}).setdefault(label, NoteCounts()).join(note)
        return {name: found[name] for name in self.names if name in found}

    def failures(self) -> dict[str, Counter[str]]:
        """The number of games that each failed agent lost by each verdict."""
        found: dict[str, Counter[str]] = {}
        for table, (_, results) in enumerate(self.blocks):
            lost = results["failed"] >= 0
            agents = np.take_along_axis(self.seated(table), results["failed"][..., None].clip(0), axis=-1)[..., 0]
            for number in np.unique(agents[lost]).tolist():
                endings = results["ending"][lost & (agents == number)]
                kinds = counted_endings(self.contest.game.endings, endings)
                found.setdefault(self.names[number], Counter()).update(kinds)
        return found

    @property
    def voids(self) -> list[tuple[int, VoidedBlock]]:
        """The blocks that were played again, with their tables; a block may have been disturbed several times."""
        return [
            (batch.table, one) for batch in self.batches for one in batch.voids if one.block < self.end(batch.table)
        ]

    def first_failure(self, name: str) -> FailureRecord:
        """An agent's first failure."""
        number = self.names.index(name)
        for batch in sorted(self.batches, key=lambda batch: (batch.block, batch.table)):
            for failure in batch.failures:
                seat = batch.results[failure.block - batch.block, failure.game]["failed"]
                if self.contest.seating(batch.table, failure.block, failure.game)[seat] == number:
                    return failure
        return FailureRecord(0, 0, "")

    @property
    def games(self) -> list[PlayedGame]:
        """Every game that counts. Slow: statistics use the arrays of `blocks`."""
        return [self.game(number) for number in range(1, self.last + 1) if self.was_played(number)]

    @property
    def last(self) -> int:
        """The largest number of a game. Not all numbers are used if tables differ in their games a block."""
        tables = range(len(self.contest.tables))
        return max(self.number(table, self.contest.blocks(table), 0) - 1 for table in tables)

    @cached_property
    def _starts(self) -> list[int]:
        """The number of games of a block at the tables before each table, and last at all tables."""
        return [0, *accumulate(self.contest.games_a_block(table) for table in range(len(self.contest.tables)))]

    def place(self, number: int) -> tuple[int, int, int]:
        """Table, block and game of the block of a number. Games are numbered from 1, block by block, table by table."""
        block, rest = divmod(number - 1, self._starts[-1])
        table = bisect_right(self._starts, rest) - 1
        return table, block, rest - self._starts[table]

    def number(self, table: int, block: int, game: int) -> int:
        """The number of a game: the inverse of `place`."""
        return block * self._starts[-1] + self._starts[table] + game + 1

    def was_played(self, number: int) -> bool:
        table, block, _ = self.place(number)
        return block < self.end(table) and self._sheet(table, block) is not None

    def _sheet(self, table: int, block: int) -> ResultBatch | None:
        batches = self.by_table[table]
        place = bisect_right(batches, block, key=lambda batch: batch.block) - 1
        return batches[place] if place >= 0 and block in range(batches[place].block, batches[place].end) else None

    def game(self, number: int) -> PlayedGame:
        """Reconstruct one game."""
        table, block, game = self.place(number)
        batch = self._sheet(table, block)
        if batch is None:
            raise IndexError(number)
        specs = tuple(self.contest.participants[agent].spec for agent in self.contest.seating(table, block, game))
        return batch.played(self.contest.game, specs, self.contest.block_seed(block), block, game)

    def command(self) -> str:
        """The command that plays the same games again or continues them; empty if there is none."""
        command = self.source or (command_line(self.contest) if self.id else "")
        return command + self.store if command else ""

    def __str__(self) -> str:
        return full_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_json(self) -> dict[str, Any]:
        experiment = self.contest.experiment
        told: dict[str, Any] = {
            "id": self.id,
            "title": experiment.title,
            "game": self.contest.game.name,
            "options": self.contest.game.options(),
            "seed": experiment.seed,
            "games": self.played,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "command": self.command(),
            "endings": self.endings(),
            "failures": self.failures(),
            "voids": [{"table": table, **vars(one)} for table, one in self.voids],
            "retired": [self.names[number] for number in self.retired],
            "remarks": {agent.name: agent.remark for agent in self.contest.agents if agent.remark},
            "metrics": {
                name: {label: note.to_json() for label, note in found.items()} for name, found in self.metrics.items()
            },
        }
        if self.played:
            told["lengths"] = self.lengths.to_json()
        if experiment.sprt:
            llrs = [one.llr for one in self.sprt_states]
            told["sprt"] = {"llr": llrs[0] if self.sprt_state else llrs, "why": self.why()}
        if self.contest.game.seats == 2:
            told["ratings"] = [vars(rating) for rating in self.ratings] if self.played else []
            told["pairings"] = [pairing.to_json() for pairing in self.pairings]
        else:
            told["placings"] = [vars(placing) for placing in self.placings] if self.played else []
        if experiment.contestants:
            totals = {name: self.total(name) for name in experiment.contestants}
            told["totals"] = {name: {"score": one.mean, "interval": one.interval} for name, one in totals.items()}
        return told


def counted_endings(endings: Sequence[str], codes: Any) -> dict[str, int]:
    kinds, times = np.unique(codes, return_counts=True)
    return {ending_text(endings, kind): int(n) for kind, n in zip(kinds.tolist(), times, strict=True)}
