"""Openings: snakes, first food and hazards where the official engine puts them.

The numbers come from Go's generator or from our own dice.
"""

from collections.abc import MutableSequence
from typing import Any

from sparring.core.dice import throw
from sparring.core.errors import SparringError
from sparring.games.battlesnake.board import Point, cells, heads, near_heads, place_food, place_hazards, place_snakes
from sparring.games.battlesnake.official import GoRandom
from sparring.games.battlesnake.rules import MAX_HEALTH, START_LENGTH
from sparring.games.battlesnake.state import COLUMNS, EMPTY, INNER_WALL, POOLS, RINGS, SEED_002

FIXED_FROM = 7
"""The smallest square board with fixed places for snakes and food."""
POOL_CHOICES = {
    7: [[(3, 3)]],
    11: [[(3, 3), (7, 7)], [(3, 7), (7, 3)], [(3, 5), (7, 5)], [(5, 7), (5, 3)]],
    19: [[(5, 5), (13, 13), (5, 13), (13, 5)], [(5, 10), (13, 10), (10, 13), (10, 5)]],
}

BENCH = (
    ((1, 2), (1, 1), (1, 0)),
    ((0, 5), (0, 4), (0, 3)),
    ((5, 0), (4, 0), (3, 0)),
    ((0, 3), (0, 2), (0, 1)),
)
"""The openings of seed_002: the body of the first snake. The second is on the opposite side of the centre."""
BENCH_FOOD = ((5, 5), (5, 4), (5, 6))


class FastChance:
    """Random numbers from dice."""

    def __init__(self, dice: Any) -> None:
        self._dice = dice

    def below(self, number: int) -> int:
        return int(throw(self._dice, number))

    def shuffle(self, things: MutableSequence[Any]) -> None:
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]


Chance = FastChance | GoRandom


def set_up(s: Any, chance: Chance, again: Chance) -> None:
    """Set up an empty board. `again` has the same numbers from the start, for maps that draw."""
    fixed = s.width == s.height and s.width >= FIXED_FROM
    if s.map == SEED_002:
        first = BENCH[chance.below(len(BENCH))]
        bodies = [list(first), [(int(s.width) - 1 - x, int(s.height) - 1 - y) for x, y in first]][: s.snakes]
    else:
        places = _fixed_places(s, chance) if fixed else _random_places(s, chance)
        bodies = [[point] * START_LENGTH for point in places]
    for snake, body in enumerate(bodies):
        place_snakes(s, {snake: (body, MAX_HEALTH)})
    if s.map == SEED_002:
        place_food(s, *BENCH_FOOD)
    elif s.map != EMPTY:
        place_food(s, *(_fixed_food(s, chance) if fixed else _random_food(s, chance)))
    place_hazards(s, *_hazards(s, again))


def _fixed_places(s: Any, chance: Chance) -> list[Point]:
    """The corners and the middles of the sides, one cell from the edge: all of one kind, then all of the other."""
    low, middle, high = 1, (int(s.width) - 1) // 2, int(s.width) - 2
    corners = [(low, low), (low, high), (high, low), (high, high)]
    cardinals = [(low, middle), (middle, low), (middle, high), (high, middle)]
    chance.shuffle(corners)
    chance.shuffle(cardinals)
    places = corners + cardinals if chance.below(2) == 0 else cardinals + corners
    return places[: s.snakes]


def _random_places(s: Any, chance: Chance) -> list[Point]:
    """Cells of one colour, without the centre, so that all distances have the same parity."""
    places: list[Point] = []
    for _ in range(s.snakes):
        free = [(x, y) for x, y in cells(s) if (x + y) % 2 == 0 and (x, y) not in places and (x, y) != _centre(s)]
        if not free:
            raise SparringError(f"no room for {s.snakes} snakes on a board of {s.width}x{s.height}; take a larger one")
        places.append(free[chance.below(len(free))])
    return places


def _fixed_food(s: Any, chance: Chance) -> list[Point]:
    """One food for each snake, two moves away and not towards the centre, and one in the centre."""
    food: list[Point] = []
    if s.snakes <= 4 or s.width * s.height >= 121:
        for near in heads(s):
            corners = [(near[0] + right, near[1] + up) for right in (-1, 1) for up in (-1, 1)]
            choice = [point for point in corners if point not in food and _fit_for_food(s, near, point)]
            if not choice:
                raise SparringError(f"no room for the food of {s.snakes} snakes on {s.width}x{s.height}; take fewer")
            food.append(choice[chance.below(len(choice))])
    return [*food, _centre(s)]


def _fit_for_food(s: Any, near: Point, point: Point) -> bool:
    """True if a cell is further from the centre than the head on some axis, and no corner."""
    centre, last = _centre(s), (int(s.width) - 1, int(s.height) - 1)
    beyond = any(point[axis] < near[axis] < centre[axis] or point[axis] > near[axis] > centre[axis] for axis in (0, 1))
    return point != centre and beyond and not all(point[axis] in (0, last[axis]) for axis in (0, 1))


def _random_food(s: Any, chance: Chance) -> list[Point]:
    """Draw as much food as there are snakes, not on a snake and not beside a head."""
    food: list[Point] = []
    near = near_heads(s)
    for _ in range(s.snakes):
        free = [point for point in cells(s) if point not in food and point not in near]
        if free:
            food.append(free[chance.below(len(free))])
    return food


def _hazards(s: Any, chance: Chance) -> list[Point]:
    if s.map == COLUMNS:
        return [(x, y) for x, y in cells(s) if x % 2 and y % 2]
    if s.map == INNER_WALL:
        return _ring(s, 1)
    if s.map == RINGS:
        return [point for inset in range(1, int(s.width) // 2 - 1, 2) for point in _ring(s, inset)]
    if s.map == POOLS:
        choices = POOL_CHOICES[int(s.width)]
        return choices[chance.below(len(choices))]
    return []


def _ring(s: Any, inset: int) -> list[Point]:
    """The cells at this distance from the nearest edge."""
    right, top = int(s.width) - 1, int(s.height) - 1
    return [(x, y) for x, y in cells(s) if min(x, y, right - x, top - y) == inset]


def _centre(s: Any) -> Point:
    return (int(s.width) - 1) // 2, (int(s.height) - 1) // 2
