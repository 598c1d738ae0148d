"""What finished games prove: everything is computed from the sheets, whoever played them and in whichever order.

Only blocks that count are looked at: those before an agent was retired and before a sequential test ended.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from sparring.arena import telling
from sparring.arena.batch import Sheet, ending_text, stacked
from sparring.arena.experiment import Contest
from sparring.arena.lengths import Lengths, lengths, unit
from sparring.arena.notes import Metrics, Note
from sparring.arena.playout import result_type
from sparring.arena.referee import PlayedGame
from sparring.arena.schedule import block_seed
from sparring.arena.stopping import Standing, end, first_time, stopped
from sparring.statistics.intervals import Rating, Score, ratings
from sparring.statistics.plackett_luce import Placing, placings
from sparring.statistics.sprt import BIAS


@dataclass(frozen=True)
class Pairing:
    """The blocks two agents played; in each, the first agent sits in front in the first game."""

    first: str
    second: str
    results: Any  # (blocks, 2)
    distinct: Any  # which of the blocks are evidence
    endings: tuple[str, ...]  # of the game
    swapped: bool = False

    def of_first(self, field: str) -> Any:
        """A field of the results, (blocks, 2), as the first agent has it."""
        seat = int(self.swapped)
        return np.stack([self.results[field][:, 0, seat], self.results[field][:, 1, 1 - seat]], axis=1)

    @cached_property
    def score(self) -> Score:
        """The first agent's."""
        return Score.of(self.of_first("scores")[self.distinct])

    @property
    def reversed(self) -> "Pairing":
        return Pairing(self.second, self.first, self.results, self.distinct, self.endings, not self.swapped)

    def effort(self) -> dict[str, float]:
        """What the first agent spent on a move, on average."""
        moves = max(1, int(self.of_first("moves").sum(dtype=np.int64)))
        spent = ("depth", "nodes", "seconds")
        return {field: float(self.of_first(field).sum(dtype=np.float64)) / moves for field in spent}

    def faults(self) -> dict[str, int]:
        """How many games the first agent lost by each kind of failure."""
        seat = int(self.swapped)
        mine = np.stack([self.results["failed"][:, 0] == seat, self.results["failed"][:, 1] == 1 - seat], axis=1)
        return counted_endings(self.endings, self.results["ending"][mine])

    @property
    def better(self) -> str | None:
        """The agent that is shown to be better: the whole interval of its Elo is above 0. None if neither is."""
        low, high = self.score.elo_interval
        return self.first if low > 0 else self.second if high < 0 else None

    @property
    def told(self) -> "Pairing":
        """The same as it is told: seen from the better agent, or from the first if neither is shown to be better."""
        return self.reversed if self.better == self.second else self

    def verdict(self) -> str:
        one = self.told
        return telling.verdict(one.first, one.second, one.score)

    def to_json(self) -> dict[str, Any]:
        """In the order in which the agents were named. All figures are the first agent's; of a list with two, the
        second is the second agent's."""
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
    """All that came of an experiment so far."""

    contest: Contest
    sheets: Sequence[Sheet]
    seconds: float = 0.0
    interrupted: bool = False
    kept: bool = False  # in a store
    store: str = ""  # the option that names it, where it is not the usual one
    source: str = ""  # the command that ran it, where it was no match or league

    @property
    def id(self) -> str:
        return self.contest.id

    @property
    def names(self) -> list[str]:
        return self.contest.names

    @cached_property
    def by_table(self) -> list[list[Sheet]]:
        """The sheets of each table in order."""
        tables: list[list[Sheet]] = [[] for _ in self.contest.tables]
        for sheet in sorted(self.sheets, key=lambda sheet: sheet.block):
            tables[sheet.table].append(sheet)
        return tables

    @cached_property
    def _stopped(self) -> tuple[list[Standing], dict[int, int]]:
        return stopped(self.contest, self.by_table)

    @property
    def standings(self) -> list[Standing]:
        """How sequential tests stand: that of each pair, or the one of larger tables."""
        return self._stopped[0]

    @property
    def retired(self) -> dict[int, int]:
        """The agents that failed too often, by number, and the last block they played."""
        return self._stopped[1]

    @property
    def standing(self) -> Standing | None:
        """The only one, if there is one."""
        return self.standings[0] if len(self.standings) == 1 else None

    @property
    def decided(self) -> int:
        """How many sequential tests have ended."""
        return sum(one.stop is not None for one in self.standings)

    @property
    def tested(self) -> str:
        """The agents of a sequential test: its Elo, effect and LLR are the first one's over the second."""
        first, second = self.contest.tables[0] if self.contest.game.seats == 2 else (0, 1)
        return f"test of {self.names[first]} against {self.names[second]}"

    def why(self) -> str:
        """Why the sequential test ended, or that it goes on; of a league, how many have; nothing without one."""
        test = self.contest.experiment.sprt
        if not test:
            return ""
        if self.standing:
            return f"{self.tested}: {test.why(self.standing.path, over=self.played >= self.due)}"
        null, alternative, _ = test.words
        return f"{self.decided} of {len(self.standings)} pairs were decided between {null} and {alternative}. {BIAS}"

    def end(self, table: int) -> int:
        """The first block of a table that does not count."""
        return end(self.contest, table, *self._stopped)

    @cached_property
    def blocks(self) -> list[tuple[Any, Any]]:
        """For each table the numbers of its blocks that count, and their results, (blocks, games a block)."""
        found = []
        for table, sheets in enumerate(self.by_table):
            none = np.zeros((0, self.contest.games_a_block(table)), result_type(self.contest.game.seats))
            numbers = np.concatenate([np.zeros(0, np.int64), *(sheet.numbers for sheet in sheets)])
            results = stacked([none, *(sheet.results for sheet in sheets)])
            counted = numbers < self.end(table)
            found.append((numbers, results) if counted.all() else (numbers[counted], results[counted]))
        return found

    @property
    def played(self) -> int:
        """How many games count."""
        return sum(results.size for _, results in self.blocks)

    @property
    def due(self) -> int:
        """How many games count in the end: all, unless an agent was retired or a sequential test is decided."""
        return sum(self.end(table) * self.contest.games_a_block(table) for table in range(len(self.contest.tables)))

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """In a game of two, how each pair did."""
        if self.contest.game.seats != 2:
            return ()
        endings = self.contest.game.endings
        return tuple(
            Pairing(self.names[first], self.names[second], self.blocks[table][1], self.distinct(table), endings)
            for table, (first, second) in enumerate(self.contest.tables)
        )

    def distinct(self, table: int) -> Any:
        """Which of the blocks that count are evidence."""
        return first_time(self.contest, table, self.blocks[table][0])

    @cached_property
    def ratings(self) -> list[Rating]:
        """In a game of two, fitted on all games at once, best first."""
        meetings = []
        for (first, second), (numbers, _), pairing in zip(self.contest.tables, self.blocks, self.pairings, strict=True):
            scores = np.full((self.contest.experiment.games // 2, 2), np.nan)
            scores[numbers[pairing.distinct]] = pairing.of_first("scores")[pairing.distinct]
            meetings.append((first, second, scores))
        return ratings(self.names, meetings)

    @cached_property
    def placings(self) -> list[Placing]:
        """In a game of more than two, fitted on all games at once, best first."""
        seated, scores, blocks = [], [], []
        for table, blocks_of_table in enumerate(self.blocks):
            numbers, results = (part[self.distinct(table)] for part in blocks_of_table)
            seatings = np.array(self.contest.seatings(table))
            seated.append(np.tile(seatings, (len(numbers), 1)))
            failed = results["failed"][..., None] == np.arange(self.contest.game.seats)
            last = np.where(failed, -1, results["scores"])  # who failed is behind all others, also if nobody won
            scores.append(last.reshape(-1, self.contest.game.seats))
            blocks.append(np.repeat(numbers, len(seatings)))
        return placings(self.names, np.concatenate(seated), np.concatenate(scores), np.concatenate(blocks))

    def between(self, first: str, second: str) -> Pairing | None:
        """How two agents met, seen from the first; None if they did not."""
        for pairing in self.pairings:
            if {pairing.first, pairing.second} == {first, second} and len(pairing.results):
                return pairing if pairing.first == first else pairing.reversed
        return None

    def won_by(self, name: str, table: int) -> Any:
        """What an agent of a table made of each game, block by block: its score; of more than two players its share of
        the first place, in all its seats together. A seat that failed has none, whoever else has won."""
        seatings = np.array(self.contest.seatings(table))
        results = self.blocks[table][1]
        scores, seats = results["scores"], np.arange(self.contest.game.seats)
        if len(seats) > 2:
            first = (scores == scores.max(axis=-1, keepdims=True)) & (seats != results["failed"][..., None])
            scores = first / first.sum(axis=-1, keepdims=True)
        return (scores * (seatings == self.names.index(name))).sum(axis=-1)

    def table_of(self, one: str, other: str) -> int:
        """Where two meet."""
        pair = [self.names.index(one), self.names.index(other)]
        return [sorted(set(table)) for table in self.contest.tables].index(sorted(pair))

    def against(self, contestant: str, opponent: str) -> Score:
        """How a contestant did against an opponent."""
        table = self.table_of(contestant, opponent)
        return Score.of(self.won_by(contestant, table)[self.distinct(table)])

    def total(self, contestant: str) -> Score:
        """How a contestant did against all opponents."""
        number = self.names.index(contestant)
        tables = [table for table, agents in enumerate(self.contest.tables) if agents[0] == number]
        evident = [(table, self.distinct(table)) for table in tables]
        return Score.over([(self.blocks[at][0][new], self.won_by(contestant, at)[new]) for at, new in evident])

    def endings(self) -> dict[str, int]:
        """How many games came to each end."""
        codes = [results["ending"].ravel() for _, results in self.blocks]
        return counted_endings(self.contest.game.endings, np.concatenate(codes))

    @cached_property
    def lengths(self) -> Lengths:
        """How long the games were."""
        game = self.contest.game
        parts = [lengths(game, results["moves"]).ravel() for _, results in self.blocks]
        return Lengths(np.bincount(np.concatenate(parts)), unit(game))

    @cached_property
    def metrics(self) -> dict[str, Metrics]:
        """By agent, what it counts of its moves; only the agents that declare metrics."""
        found: dict[str, Metrics] = {}
        for sheet in self.sheets:
            seatings = self.contest.seatings(sheet.table)
            counted = max(0, min(sheet.end, self.end(sheet.table)) - sheet.block) * len(seatings)
            for place, seats in enumerate(sheet.metrics[:counted]):
                for number, metrics in zip(seatings[place % len(seatings)], seats, strict=False):
                    for label, note in metrics.items():
                        found.setdefault(self.names[number], {}).setdefault(label, Note()).join(note)
        return {name: found[name] for name in self.names if name in found}

    def failures(self) -> dict[str, Counter[str]]:
        """How often each agent failed in each way, for those that did."""
        found: dict[str, Counter[str]] = {}
        for table, (_, results) in enumerate(self.blocks):
            for place, seating in enumerate(self.contest.seatings(table)):
                for seat, number in enumerate(seating):
                    lost = results["ending"][:, place][results["failed"][:, place] == seat]
                    if lost.size:
                        tally = found.setdefault(self.names[number], Counter())
                        tally.update(counted_endings(self.contest.game.endings, lost))
        return found

    def last_words(self, name: str) -> str:
        """What was wrong when an agent failed first."""
        number = self.names.index(name)
        for sheet in sorted(self.sheets, key=lambda sheet: (sheet.block, sheet.table)):
            for failure in sheet.failures:
                seat = sheet.results[failure.block - sheet.block, failure.game]["failed"]
                if self.contest.seatings(sheet.table)[failure.game][seat] == number:
                    return failure.detail
        return ""

    @property
    def games(self) -> list[PlayedGame]:
        """Every game that counts, one by one: for looking at, not for counting."""
        return [self.game(number) for number in range(1, self.last + 1) if self.was_played(number)]

    @property
    def last(self) -> int:
        """The largest number that a game can have. Where tables differ in their seatings, not all numbers are used."""
        tables = range(len(self.contest.tables))
        return max(self.number(table, self.contest.blocks(table), 0) - 1 for table in tables)

    def place(self, number: int) -> tuple[int, int, int]:
        """Table, block and game of the block. Games are numbered from 1, block by block, table by table."""
        sizes = [self.contest.games_a_block(table) for table in range(len(self.contest.tables))]
        block, rest = divmod(number - 1, sum(sizes))
        table = bisect_right(ends := list(accumulate(sizes)), rest)
        return table, block, rest - (ends[table - 1] if table else 0)

    def number(self, table: int, block: int, game: int) -> int:
        """The number of a game: the inverse of `place`."""
        sizes = [self.contest.games_a_block(other) for other in range(len(self.contest.tables))]
        return block * sum(sizes) + sum(sizes[:table]) + game + 1

    def was_played(self, number: int) -> bool:
        table, block, _ = self.place(number)
        return block < self.end(table) and self._sheet(table, block) is not None

    def _sheet(self, table: int, block: int) -> Sheet | None:
        sheets = self.by_table[table]
        place = bisect_right(sheets, block, key=lambda sheet: sheet.block) - 1
        return sheets[place] if place >= 0 and block in range(sheets[place].block, sheets[place].end) else None

    def game(self, number: int) -> PlayedGame:
        """One game to look at."""
        table, block, game = self.place(number)
        sheet = self._sheet(table, block)
        if sheet is None:
            raise IndexError(number)
        experiment = self.contest.experiment
        specs = tuple(self.contest.members[agent].spec for agent in self.contest.seatings(table)[game])
        return sheet.played(self.contest.game, specs, block_seed(experiment.seed, block), block, game)

    def command(self) -> str:
        """The command that plays the same games again, or goes on where it was interrupted; nothing if none does."""
        command = self.source or (telling.command(self.contest) if self.id else "")
        return command + self.store if command else ""

    def __str__(self) -> str:
        return telling.told(self)

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
            "retired": [self.names[number] for number in self.retired],
            "remarks": {agent.name: agent.remark for agent in self.contest.agents if agent.remark},
        }
        if self.played:
            told["lengths"] = self.lengths.to_json()
        told["metrics"] = {
            name: {label: note.to_json() for label, note in metrics.items()} for name, metrics in self.metrics.items()
        }
        if experiment.sprt:
            llrs = [one.llr for one in self.standings]
            told["sprt"] = {"llr": llrs[0] if self.standing else llrs, "why": self.why()}
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
