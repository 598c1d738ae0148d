"""Early ends of a table: a sequential test is decided, or an agent is retired because it failed too often.

Blocks are looked at in the order of their numbers, so it does not matter which game was finished first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.arena.batch import FAILED, ResultBatch, stacked
from sparring.arena.experiment import Contest
from sparring.arena.playout import result_type
from sparring.statistics.sprt import Stop


@dataclass(frozen=True)
class SprtState:
    """The state of a sequential test. With two players each pair has a test, with more there is one for all tables."""

    tables: Sequence[int]
    path: Any
    """The LLR after each block that all tables have finished, up to the end of the test. A block that repeats another
    does not change it."""
    stop: Stop | None

    @property
    def llr(self) -> float:
        return float(self.path[-1]) if len(self.path) else 0.0

    def until(self, block: int) -> "SprtState":
        """The state if the games end before a block."""
        stop = self.stop if self.stop and self.stop.blocks <= block else None
        return replace(self, path=self.path[:block], stop=stop)


def stop_points(contest: Contest, by_table: Sequence[Sequence[ResultBatch]]) -> tuple[list[SprtState], dict[int, int]]:
    """The states of the sequential tests, and the retired agents with the last block that each played.

    A failure after the end of the table's test does not count, nor does a test that ends after an agent's retirement.
    """
    found = [sprt_state(contest, tables, by_table) for tables in sprt_groups(contest)]
    leaving = _retirements(contest, by_table, found)
    found = [one.until(min(_ends(contest, one.tables, leaving))) for one in found]
    return found, _retirements(contest, by_table, found)


def _ends(contest: Contest, tables: Sequence[int], retired: Mapping[int, int]) -> list[int]:
    """The blocks at which tables end because all is played or an agent is retired."""
    left = [retired[agent] + 1 for table in tables for agent in contest.tables[table] if agent in retired]
    return [*(contest.blocks(table) for table in tables), *left]


def table_end(contest: Contest, table: int, tests: Sequence[SprtState], retired: Mapping[int, int]) -> int:
    """The first block of a table that does not count."""
    decided = [one.stop.blocks for one in tests if table in one.tables and one.stop]
    return min([*_ends(contest, [table], retired), *decided])


def distinct_blocks(contest: Contest, table: int, numbers: Any) -> Any:
    """The blocks that do not repeat an earlier one, as a mask. Agents without randomness play the same game from the
    same opening, and a game that is played twice proves no more than once."""
    chance = contest.game.kind.chance or contest.experiment.limits().move is not None  # a clock is chance too
    if chance or any(contest.participants[number].draws for number in contest.tables[table]):
        return np.ones(len(numbers), bool)
    starts = contest.game.starts(contest.block_seed(numbers)).view(np.ndarray)
    openings = np.unique(starts.view(f"V{starts.itemsize}"), return_inverse=True)[1]
    rounds = len(contest.rounds(table))
    distinct = np.zeros(len(numbers), bool)
    distinct[np.unique(openings * rounds + numbers % rounds, return_index=True)[1]] = True
    return distinct


def sprt_groups(contest: Contest) -> list[range]:
    """The groups of tables that share a sequential test; none if the experiment has no test."""
    every = range(len(contest.tables))
    if not contest.experiment.sprt:
        return []
    return [every[table : table + 1] for table in every] if contest.game.seats == 2 else [every]


def sprt_state(contest: Contest, tables: Sequence[int], by_table: Sequence[Sequence[ResultBatch]]) -> SprtState:
    """The state of a test, without regard to retired agents."""
    test = contest.experiment.sprt
    assert test
    scores = _tested_scores(contest, {table: by_table[table] for table in tables})
    numbers = np.arange(len(scores))
    distinct = np.any([distinct_blocks(contest, table, numbers) for table in tables], axis=0)
    path = test.path(scores[distinct])[np.cumsum(distinct) - 1]
    ended = test.stop(path)
    return SprtState(tables, path[: ended.blocks] if ended else path, ended)


def _tested_scores(contest: Contest, by_table: Mapping[int, Sequence[ResultBatch]]) -> Any:
    """The score of each block that all tables have finished: with two players the first agent's points, with more the
    mean score of the first agent minus that of the second."""
    results = {}
    for table, batches in by_table.items():
        whole = 0
        for batch in batches:
            whole = batch.end if batch.block == whole else whole
        none = np.zeros((0, contest.games_a_block(table)), result_type(contest.game.seats))
        results[table] = stacked([none, *(batch.results for batch in batches if batch.end <= whole)])
    blocks = min(len(result) for result in results.values())
    if contest.game.seats == 2:
        ((_, pairs),) = results.items()
        return pairs["scores"][:, 0, 0] + pairs["scores"][:, 1, 1]
    mean = np.zeros((2, blocks))
    seats = np.zeros(2)
    for table, result in results.items():
        seated = contest.seated(table, np.arange(blocks))
        for agent in (0, 1):
            mean[agent] += (result["scores"][:blocks] * (seated == agent)).sum(axis=(1, 2))
            seats[agent] += (contest.rounds(table)[0] == agent).sum()
    return mean[0] / max(1, seats[0]) - mean[1] / max(1, seats[1])


def _retirements(
    contest: Contest, by_table: Sequence[Sequence[ResultBatch]], tests: Sequence[SprtState]
) -> dict[int, int]:
    """The agents that failed too often, and the block in which each reached the limit. That block is its last."""
    most = contest.experiment.failures
    failed: list[tuple[int, int, int]] = []
    for table, batches in enumerate(by_table) if most else ():
        over = table_end(contest, table, tests, {})
        for batch in batches:
            for place, game in np.argwhere(batch.results["ending"] >= FAILED).tolist() if batch.failures else ():
                seat = int(batch.results[place, game]["failed"])
                if batch.block + place < over:
                    failed.append((batch.block + place, table, contest.seating(table, batch.block + place, game)[seat]))
    times: Counter[int] = Counter()
    last: dict[int, int] = {}
    for block, table, agent in sorted(failed):
        if all(block <= last.get(other, block) for other in contest.tables[table]):  # or it does not count
            times[agent] += 1
            if times[agent] >= most:
                last.setdefault(agent, block)
    return last
