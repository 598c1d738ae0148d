"""Heuristics for Battlesnake."""

from typing import Any

from sparring.core.kernel import kernel
from sparring.core.terms import Terms, heuristic
from sparring.games.battlesnake.rules import alive, column, head, row, size, steps_between, whole
from sparring.games.battlesnake.territory import by_rows, territory


@heuristic("battlesnake")
def lead(s, me):
    """My length minus that of the longest other snake."""
    return length_lead(s, me)


@heuristic("battlesnake")
def voronoi(s, me):
    """Cells that I reach first, minus those of the others."""
    mine, theirs = territory(s, me)
    return mine - theirs


@heuristic("battlesnake", lead=20, health=0.5, territory=3)
def steady(s, me):
    """Territory, length and health: what a snake needs to live long."""
    mine, theirs = territory(s, me)
    return Terms(territory=mine - theirs, lead=length_lead(s, me), health=s.health[me])


@heuristic("battlesnake", territory=3, lead=80, health=0.5, meal=3)
def strong(s, me):
    """Territory, length, and food that I reach before the others. The strongest player uses it."""
    mine, theirs = territory(s, me)
    return Terms(territory=mine - theirs, lead=length_lead(s, me), health=s.health[me], meal=next_meal(s, me))


@heuristic("battlesnake", lead=10, health=0.5)
def central(s, me):
    """Length, health and the middle of the board, without territory."""
    return Terms(lead=length_lead(s, me), health=s.health[me], centre=0 - from_centre(s, me))


@heuristic("battlesnake", territory=3, lead=20, health=0.5)
def negamax_leaf(s, me):
    """The evaluation of seed 002's Negamax: territory, length, health and the middle."""
    mine, theirs = territory(s, me)
    return Terms(territory=mine - theirs, lead=length_lead(s, me), health=s.health[me], centre=0 - from_centre(s, me))


@heuristic("battlesnake", territory=3, lead=20)
def negamax_leaf_as_coded(s, me):
    """The same as seed 002's code has it: half of the health rounded down, and territory with its ties."""
    mine, theirs = by_rows(s, me, True)
    return Terms(
        territory=mine - theirs, lead=length_lead(s, me), half_health=s.health[me] // 2, centre=0 - from_centre(s, me)
    )


@heuristic("battlesnake")
def no_matter(s, me):
    """Always zero: only winning and dying count."""
    return 0.0


@heuristic("battlesnake", lead=5)
def survival(s, me):
    """Health and length: the evaluation of seed 002's override as it was coded."""
    return Terms(health=s.health[me], lead=length_lead(s, me))


@heuristic("battlesnake", health=0.5, lead=10, territory=3)
def fitness(s, me):
    """One step of a plan in seed 002's RHEA: health, length, territory while others live, and the middle."""
    mine, theirs = territory(s, me) if s.living > 1 else (0, 0)
    return Terms(health=s.health[me], lead=length_lead(s, me), territory=mine - theirs, centre=0 - from_centre(s, me))


@heuristic("battlesnake", lead=10)
def fitness_coded(s, me):
    """The same as seed 002's code has it: half of the health rounded down, and no territory."""
    return Terms(half_health=s.health[me] // 2, lead=length_lead(s, me), centre=0 - from_centre(s, me))


@kernel
def length_lead(s: Any, me: int) -> int:
    longest = 0
    for other in range(s.snakes):
        if other != me and alive(s, other):
            longest = max(longest, size(s, other))
    return size(s, me) - longest


@kernel
def next_meal(s: Any, me: int) -> int:
    """Width plus height minus the steps to the nearest food that no other snake reaches sooner; 0 if there is none."""
    across = s.width + s.height
    best, here = across, head(s, me)
    for place in range(s.foods):
        cell = whole(s.food[place])
        mine = steps_between(s, here, cell)
        if mine < best:
            first = True
            for other in range(s.snakes):
                first &= other == me or not alive(s, other) or steps_between(s, head(s, other), cell) >= mine
            best = mine if first else best
    return across - best


@kernel
def from_centre(s: Any, me: int) -> int:
    """Steps from a head to the middle of the board."""
    return away_from_centre(s, head(s, me))


@kernel
def away_from_centre(s: Any, cell: int) -> int:
    return abs(column(s, cell) - s.width // 2) + abs(row(s, cell) - s.height // 2)
