"""What Battlesnake players value."""

from typing import Any

from sparring.games.battlesnake.rules import alive, column, head, row
from sparring.games.battlesnake.territory import territory
from sparring.kernel import kernel
from sparring.terms import Terms, heuristic


@heuristic("battlesnake")
def lead(s, me):
    """Own length less that of the longest other."""
    return length_lead(s, me)


@heuristic("battlesnake")
def voronoi(s, me):
    """Cells that are reached first, less those of the others."""
    mine, theirs = territory(s, me)
    return mine - theirs


@heuristic("battlesnake", lead=20, health=0.5, territory=3)
def steady(s, me):
    """Territory, length and health: what a snake needs to live long."""
    mine, theirs = territory(s, me)
    return Terms(territory=mine - theirs, lead=length_lead(s, me), health=s.health[me])


@heuristic("battlesnake", lead=10, health=0.5)
def central(s, me):
    """Length, health and the middle of the board; nothing of territory."""
    return Terms(lead=length_lead(s, me), health=s.health[me], centre=0 - from_centre(s, me))


@heuristic("battlesnake", health=0.5, lead=10, territory=3)
def fitness(s, me):
    """What a step of a plan is worth to RHEA, as seed 002 has it: health, length, territory, unless nobody else is left
    to share it with, and the middle."""
    mine, theirs = territory(s, me) if s.living > 1 else (0, 0)
    return Terms(health=s.health[me], lead=length_lead(s, me), territory=mine - theirs, centre=0 - from_centre(s, me))


@heuristic("battlesnake", lead=10)
def fitness_coded(s, me):
    """The same as seed 002's code has it: half of the health in whole numbers, and nothing of territory."""
    return Terms(half_health=s.health[me] // 2, lead=length_lead(s, me), centre=0 - from_centre(s, me))


@kernel
def length_lead(s: Any, me: int) -> int:
    longest = 0
    for other in range(s.snakes):
        if other != me and alive(s, other):
            longest = max(longest, s.length[other])
    return s.length[me] - longest


@kernel
def from_centre(s: Any, me: int) -> int:
    """Steps from a head to the middle of the board."""
    return away_from_centre(s, head(s, me))


@kernel
def away_from_centre(s: Any, cell: int) -> int:
    return abs(column(s, cell) - s.width // 2) + abs(row(s, cell) - s.height // 2)
