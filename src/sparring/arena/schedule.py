"""Who meets whom, in which seats, on which seeds.

A table is a group of agents that play together, a block one seed at one table with every seating. Block k has the
same seed at every table, so that all agents are tried on the same openings and dice.
"""

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement, permutations
from typing import Any, NamedTuple

Table = tuple[int, ...]
"""The agents at a table by their numbers; with more seats than agents, some sit twice."""


class Job(NamedTuple):
    """Consecutive blocks to be played at one table."""

    table: int
    block: int
    blocks: int


def everybody(agents: int, seats: int) -> list[Table]:
    """A league: every group of agents that fits the table, or with few agents every table where all of them sit."""
    if agents >= seats:
        return list(combinations(range(agents), seats))
    return [table for table in combinations_with_replacement(range(agents), seats) if len(set(table)) == agents]


def gauntlet(contestants: Sequence[int], opponents: Sequence[int], seats: int, side: int = 1) -> list[Table]:
    """Every contestant meets every opponent but no other contestant. It takes one seat, or `side` of them as far from
    each other as they go; the opponent takes all the others."""
    own = [seat * side % seats < side for seat in range(seats)]
    return [tuple(one if mine else other for mine in own) for one in contestants for other in opponents]


def seatings(table: Table, all_orders: bool = False) -> list[Table]:
    """The ways in which a table sits down: turned round seat by seat, or in all orders; agents by their numbers."""
    turned = [table[place:] + table[:place] for place in range(len(table))]
    return list(dict.fromkeys(permutations(table) if all_orders else turned))


def block_seed(seed: int, block: Any) -> Any:
    """Of one block, or of an array of them."""
    return seed * 1_000_003 + block
