"""Rolling horizon evolution with plans for all players: see rhea.py, whose breeding and trying of plans it shares.

A policy has to be guessed, and whoever plays otherwise is not prepared for. Here the others have populations of their
own, which look for the best answer to ours as ours does to theirs.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.search.rhea import forget_best, goes_on, packed, rank

actors: Any
fitted: Any
begin_plans: Any
try_plan: Any
breed: Any


def coevolution(evolutions: Any, states: Any, me: int, heuristic: Any, weights: Any, dice: Any, clock: Any) -> None:
    """A population for everybody, generation by generation. A plan meets the best of the others' last generation, so
    that whoever finds a better plan makes all others look for an answer to it."""
    own, players, acting = evolutions[me], len(evolutions), actors(states[0])
    if own.scored < 0:
        for player in range(players):
            begin_plans(evolutions[player], dice)
    while goes_on(own, clock, players * own.genome):
        if own.scored == own.population:
            for player in range(players):
                breed(evolutions[player], dice)
                forget_best(evolutions[player])
        for player in range(players):
            if acting >> player & 1:
                try_plan(evolutions, player, own.scored, states, heuristic, weights, dice, clock)
        own.scored += 1
        if own.scored == own.population:
            for player in range(players):
                rank(evolutions[player])


def by_plans(evolutions: Any, s: Any, me: int, others: int, step: int, dice: Any) -> int:
    """All others go by their best plans, of which nothing is known before the first generation has been tried but which
    was the best at the last move."""
    played = 0
    while others:
        other = lowest(others)
        others &= others - 1
        theirs = evolutions[other]
        half = theirs.parents if theirs.ranked else 1 - theirs.parents
        action = theirs.found[fitted(theirs, s, other, int(theirs.genes[half, theirs.elite, step]))]
        evolutions[me].joint.of[other] = action
        played |= packed(action, other)
    return played
