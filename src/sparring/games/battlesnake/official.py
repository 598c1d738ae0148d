"""Food and royale's hazards as the official engine draws them from a seed, in plain Python."""

from typing import Any

from sparring.games.battlesnake.board import body_of, cells, food_of, living, near_heads, place_food, place_hazards
from sparring.games.battlesnake.go_random import GoRandom
from sparring.games.battlesnake.state import EMPTY, SEED_002


def grow_food(s: Any) -> None:
    """Grow food after a turn: the first of all free cells, shuffled, get it."""
    if s.map in (EMPTY, SEED_002):
        return
    chance = GoRandom(int(s.seed + s.turn - 1))
    missing = int(s.minimum_food - s.foods)
    if missing <= 0:
        missing = int(s.food_chance > 0 and 100 - chance.below(100) < s.food_chance)
    if missing > 0:
        taken = near_heads(s).union(food_of(s), *(body_of(s, snake) for snake in living(s)))
        free = [point for point in cells(s) if point not in taken]
        chance.shuffle(free)
        place_food(s, *free[:missing])


def close_in(s: Any) -> None:
    """Compute royale's free rectangle from the start of the game: every `shrink_every` turns one edge moves inwards."""
    if s.turn >= s.shrink_every or s.royale:
        s.hazards[:] = 0
    chance = GoRandom(int(s.seed))
    left, right, bottom, top = 0, int(s.width) - 1, 0, int(s.height) - 1
    for _ in range(s.turn // s.shrink_every):
        edge = chance.below(4)
        left, right = left + (edge == 0), right - (edge == 1)
        bottom, top = bottom + (edge == 2), top - (edge == 3)
    if s.turn >= s.shrink_every:
        place_hazards(s, *((x, y) for x, y in cells(s) if not (left <= x <= right and bottom <= y <= top)))
