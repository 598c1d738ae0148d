"""Why a table ends before all of its games are played: a sequential test is decided, or an agent has failed too often.

Both are found from blocks in the order of their numbers, so it does not matter which game ended first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.arena.batch import FAILED, Sheet
from sparring.arena.experiment import Contest
from sparring.arena.playout import result_type
from sparring.arena.schedule import block_seed
from sparring.statistics.sprt import Stop


@dataclass(frozen=True)
class Standing:
    """What a sequential test asks: of each pair by itself in a game of two, of all tables together in one of more."""

    tables: Sequence[int]
    path: Any
    """The LLR, block by block as far as all tables have come and to where it ended. Where a block only repeats another
    it stays as it is."""
    stop: Stop | None

    @property
    def llr(self) -> float:
        return float(self.path[-1]) if len(self.path) else 0.0

    def until(self, block: int) -> "Standing":
        """The same, if nothing is played from some block on."""
        stop = self.stop if self.stop and self.stop.blocks <= block else None
        return replace(self, path=self.path[:block], stop=stop)


def stopped(contest: Contest, by_table: Sequence[Sequence[Sheet]]) -> tuple[list[Standing], dict[int, int]]:
    """How the sequential tests stand, and the agents that were retired with the last block that they played.

    A failure after its table's test has ended does not count, nor does a test that ends after somebody has left."""
    found = [standing(contest, tables, by_table) for tables in asked(contest)]
    leaving = _retirements(contest, by_table, found)
    found = [one.until(min(_ends(contest, one.tables, leaving))) for one in found]
    return found, _retirements(contest, by_table, found)


def _ends(contest: Contest, tables: Sequence[int], retired: Mapping[int, int]) -> list[int]:
    """Where tables end by themselves, or because one of their agents has left."""
    left = [retired[agent] + 1 for table in tables for agent in contest.tables[table] if agent in retired]
    return [*(contest.blocks(table) for table in tables), *left]


def end(contest: Contest, table: int, standings: Sequence[Standing], retired: Mapping[int, int]) -> int:
    """The first block of a table that does not count."""
    decided = [one.stop.blocks for one in standings if table in one.tables and one.stop]
    return min([*_ends(contest, [table], retired), *decided])


def first_time(contest: Contest, table: int, numbers: Any) -> Any:
    """Which of some blocks do not only repeat an earlier one: agents that leave nothing to chance play the same
    from the same opening, and a game played twice proves no more than once."""
    chance = contest.game.kind.chance or contest.experiment.limits().move is not None  # a clock is chance too
    if chance or any(contest.members[number].draws for number in contest.tables[table]):
        return np.ones(len(numbers), bool)
    starts = contest.game.starts(block_seed(contest.experiment.seed, numbers)).view(np.ndarray)
    distinct = np.zeros(len(numbers), bool)
    distinct[np.unique(starts.view(f"V{starts.itemsize}"), return_index=True)[1]] = True
    return distinct


def asked(contest: Contest) -> list[range]:
    """The tables that answer a question together; nothing is asked without a sequential test."""
    every = range(len(contest.tables))
    if not contest.experiment.sprt:
        return []
    return [every[table : table + 1] for table in every] if contest.game.seats == 2 else [every]


def standing(contest: Contest, tables: Sequence[int], by_table: Sequence[Sequence[Sheet]]) -> Standing:
    """To where its test ends, whoever may have left before."""
    test = contest.experiment.sprt
    assert test
    scores = _tested_scores(contest, {table: by_table[table] for table in tables})
    numbers = np.arange(len(scores))
    distinct = np.any([first_time(contest, table, numbers) for table in tables], axis=0)
    path = test.path(scores[distinct])[np.cumsum(distinct) - 1]
    ended = test.stop(path)
    return Standing(tables, path[: ended.blocks] if ended else path, ended)


def _tested_scores(contest: Contest, by_table: Mapping[int, Sequence[Sheet]]) -> Any:
    """What a sequential test looks at, block by block as far as all its tables have come: the first agent's points in a
    pair; in games of more, how far the first agent's mean score is above the second's."""
    results = {}
    for table, sheets in by_table.items():
        whole = 0
        for sheet in sheets:
            whole = sheet.end if sheet.block == whole else whole
        parts = [sheet.results for sheet in sheets if sheet.end <= whole]
        results[table] = np.concatenate(parts) if parts else np.zeros((0, 2), result_type(contest.game.seats))
    blocks = min(len(result) for result in results.values())
    if contest.game.seats == 2:
        ((_, pairs),) = results.items()
        return pairs["scores"][:, 0, 0] + pairs["scores"][:, 1, 1]
    mean = np.zeros((2, blocks))
    seats = np.zeros(2)
    for table, result in results.items():
        for game, seating in enumerate(contest.seatings(table)):
            for seat, agent in enumerate(seating):
                if agent < 2 and blocks:
                    mean[agent] += result["scores"][:blocks, game, seat]
                    seats[agent] += 1
    return mean[0] / max(1, seats[0]) - mean[1] / max(1, seats[1])


def _retirements(
    contest: Contest, by_table: Sequence[Sequence[Sheet]], standings: Sequence[Standing]
) -> dict[int, int]:
    """Who failed too often, and in which block the last straw fell; who is retired plays no later block."""
    most = contest.experiment.failures
    failed: list[tuple[int, int, int]] = []
    for table, sheets in enumerate(by_table) if most else ():
        seatings, over = contest.seatings(table), end(contest, table, standings, {})
        for sheet in sheets:
            for place, game in np.argwhere(sheet.results["ending"] >= FAILED).tolist() if sheet.failures else ():
                seat = int(sheet.results[place, game]["failed"])
                if sheet.block + place < over:
                    failed.append((sheet.block + place, table, seatings[game][seat]))
    times: Counter[int] = Counter()
    last: dict[int, int] = {}
    for block, table, agent in sorted(failed):
        if all(block <= last.get(other, block) for other in contest.tables[table]):  # or it does not count
            times[agent] += 1
            if times[agent] >= most:
                last.setdefault(agent, block)
    return last
