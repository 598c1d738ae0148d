"""Schedule: which agents meet, in which seats, on which seeds.

A table is a group of agents that play together. A block is one seed at one table, played once for each seating. Block k
has the same seed at every table, so that all agents are tried on the same openings and dice.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import gcd
from typing import Any, NamedTuple

import numpy as np

Table = tuple[int, ...]
"""The agents at a table by their numbers. With more seats than agents, some have several seats."""


class Job(NamedTuple):
    """Consecutive blocks to be played at one table."""

    table: int
    block: int
    blocks: int


def league_tables(agents: int, seats: int) -> list[Table]:
    """Every group of agents that fits a table; with fewer agents than seats, every table at which all of them sit."""
    if agents >= seats:
        return list(combinations(range(agents), seats))
    return [table for table in combinations_with_replacement(range(agents), seats) if len(set(table)) == agents]


def gauntlet(contestants: Sequence[int], opponents: Sequence[int], seats: int, side: int = 1) -> list[Table]:
    """Tables at which each contestant meets each opponent. A contestant has `side` seats, as far apart as possible, and
    the opponent has all the others."""
    own = [seat * side % seats < side for seat in range(seats)]
    return [tuple(one if mine else other for mine in own) for one in contestants for other in opponents]


@cache
def seatings(table: Table, all_orders: bool = False) -> Any:
    """The seatings of a table as an array (rounds, games, seats) of agents; block k is played by round k % rounds.

    With `all_orders` there is one round, with every order. Otherwise a round is one order turned seat by seat. With
    three or more agents the rounds go through all orders: in a single order an agent would always sit before the same
    other one, and would gain or lose by its neighbour.
    """
    if all_orders:
        return np.array([list(dict.fromkeys(permutations(table)))])
    first = _turned(table)
    if len(set(table)) < 3:
        return np.array([first])
    seen, rounds = set[Table](), []
    for rest in dict.fromkeys(permutations(table[1:])):
        turned = _turned((table[0], *rest))
        if len(turned) == len(first) and seen.isdisjoint(turned):
            seen.update(turned)
            rounds.append(turned)
    step = next(step for step in range(round(0.618 * len(rounds)), 0, -1) if gcd(step, len(rounds)) == 1)
    return np.array([rounds[step * place % len(rounds)] for place in range(len(rounds))])  # unlike orders come early


def _turned(table: Table) -> list[Table]:
    return list(dict.fromkeys(table[place:] + table[:place] for place in range(len(table))))


def block_seed(seed: int, block: Any) -> Any:
    """The seed of one block, or of an array of blocks."""
    return seed * 1_000_003 + block
