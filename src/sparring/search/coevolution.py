"""Rolling horizon evolution with plans for all players. See rhea.py, whose parts breed and try the plans.

Plain evolution must guess a policy for the opponents. Here each opponent has a population of its own, which evolves
the best answer to ours.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.search.rhea import forget_best, goes_on, packed, rank

actors: Any
playable: Any
begin_plans: Any
try_plan: Any
breed: Any


def coevolution(populations: Any, states: Any, me: int, heuristic: Any, weights: Any, dice: Any, clock: Any) -> None:
    """Evolve a population for each player. A plan is tried against the best plans of the others' last generation, so a
    better plan of one player makes the others evolve an answer."""
    own, players, acting = populations[me], len(populations), actors(states[0])
    if own.scored < 0:
        for player in range(players):
            begin_plans(populations[player], dice)
    while goes_on(own, clock, players * own.genome):
        if own.scored == own.population:
            for player in range(players):
                breed(populations[player], dice)
                forget_best(populations[player])
        for player in range(players):
            if acting >> player & 1:
                try_plan(populations, player, own.scored, states, heuristic, weights, dice, clock)
        own.scored += 1
        if own.scored == own.population:
            for player in range(players):
                rank(populations[player])


def by_plans(populations: Any, s: Any, me: int, others: int, step: int, dice: Any) -> int:
    """The actions of all others by their best plans. Before the first generation has been tried, these are the plans
    that were best at the last move."""
    played = 0
    while others:
        other = lowest(others)
        others &= others - 1
        theirs = populations[other]
        half = theirs.parents if theirs.ranked else 1 - theirs.parents
        action = theirs.found[playable(theirs, s, other, int(theirs.genes[half, theirs.elite, step]))]
        populations[me].joint.of[other] = action
        played |= packed(action, other)
    return played
