"""Maps: after every turn food grows and hazards come and go. All chance of the game is here.

Numbers are drawn from the given dice. See official.py for the numbers of the official engine.
"""

from typing import Any

from sparring.core.dice import roll
from sparring.core.kernel import cold, hot, kernel
from sparring.games.battlesnake.rules import alive, cell_of, head, head_on, stride, tail, whole
from sparring.games.battlesnake.state import EMPTY, POOLS, ROYALE, SEED_002, SINKHOLES, SNAIL

TRIES = 16
"""Cells tried at random before all are looked at. On most boards one of the first fits."""


@hot
def draw(s: Any, dice: Any) -> int:
    """Let the map act after a turn. Returns the cell of new food, or 0."""
    foods = s.foods
    grow_food(s, dice)
    change_hazards(s, dice)
    s.waiting = 0
    return whole(s.food[s.foods - 1]) if s.foods > foods else 0


# Food


@kernel
def grow_food(s: Any, dice: Any) -> None:
    """Keep the minimum of food; beyond it food grows by chance. A chance of 15 % is really 14 %, as in the official
    engine."""
    if s.map == EMPTY or s.map == SEED_002:
        return
    missing = s.minimum_food - s.foods
    if missing <= 0 and s.food_chance > 0:
        missing = int(100 - roll(dice, 100) < s.food_chance)
    for _ in range(missing):
        cell = fertile_cell(s, dice)
        if cell and s.foods < len(s.food):
            s.food[s.foods] = cell
            s.food_at[cell] += 1
            s.foods += 1


@kernel
def fertile_cell(s: Any, dice: Any) -> int:
    """Draw a cell where food may grow, all with the same chance; 0 if there is none."""
    for _ in range(TRIES):
        cell = cell_of(s, roll(dice, s.width), roll(dice, s.height))
        if fertile(s, cell):
            return cell
    chosen, found = 0, 0
    for x in range(s.width):
        for y in range(s.height):
            if fertile(s, cell_of(s, x, y)):
                found += 1
                if roll(dice, found) == 0:
                    chosen = cell_of(s, x, y)
    return chosen


@kernel
def fertile(s: Any, cell: int) -> bool:
    """True if a cell has no food and no living snake, and no head is beside it."""
    free = s.food_at[cell] == 0 and s.occupied[cell] == 0
    for snake in range(s.snakes):
        away = abs(head(s, snake) - cell)
        free &= not (alive(s, snake) and (away == 1 or away == stride(s)))
    return free


# Hazards


@kernel
def change_hazards(s: Any, dice: Any) -> None:
    if s.royale or s.map == ROYALE:
        close_in(s, dice)
    elif s.map == SINKHOLES:
        sink(s)
    elif s.map == SNAIL:
        snail_trails(s)
    elif s.map == POOLS:
        drain_pool(s, dice)


@cold
def close_in(s: Any, dice: Any) -> None:
    """Move one of the four edges of the free rectangle inwards, every `shrink_every` turns."""
    if s.turn < s.shrink_every and s.royale:
        s.hazards[:] = 0
    if s.turn % s.shrink_every:
        return
    left, right, bottom, top = s.width, -1, s.height, -1
    for x in range(s.width):
        for y in range(s.height):
            if s.hazards[cell_of(s, x, y)] == 0:
                left, right = min(left, x), max(right, x)
                bottom, top = min(bottom, y), max(top, y)
    edge = roll(dice, 4)
    left += int(edge == 0)
    right -= int(edge == 1)
    bottom += int(edge == 2)
    top -= int(edge == 3)
    for x in range(s.width):
        for y in range(s.height):
            inside = left <= x <= right and bottom <= y <= top
            s.hazards[cell_of(s, x, y)] = 0 if inside else 1


@cold
def sink(s: Any) -> None:
    """Make the sinkhole in the middle of the board wider and deeper, every `shrink_every` turns."""
    age, rings = s.turn - 2, 3 if s.width == 7 else 7 if s.width == 19 else 5
    ring = age // s.shrink_every
    if age < 0 or age % s.shrink_every or s.turn - 1 > s.shrink_every * rings:
        return
    for right in range(-ring, ring + 1):
        for up in range(-ring, ring + 1):
            if ring == 0 or abs(right) < ring or abs(up) < ring:
                s.hazards[cell_of(s, s.width // 2 + right, s.height // 2 + up)] += 1


@cold
def snail_trails(s: Any) -> None:
    """Lay as many hazards behind each snake as it is long, one turn late, and take one from every cell each turn.

    Like the official engine, this remembers the hazards of the next turn on cells above the board.
    """
    above = s.height * stride(s)
    for x in range(s.width):
        for y in range(s.height):
            cell = cell_of(s, x, y)
            laid = 0 if head_on(s, cell) else whole(s.hazards[cell + above])
            s.hazards[cell] = max(0, whole(s.hazards[cell]) - 1) + laid
            s.hazards[cell + above] = 0
    for snake in range(s.snakes):
        if alive(s, snake) and s.occupied[tail(s, snake)] == 1:  # two segments are a tail that stays
            s.hazards[tail(s, snake) + above] += s.length[snake]


@cold
def drain_pool(s: Any, dice: Any) -> None:
    """Dry up one of the pools, every `shrink_every` turns."""
    if s.turn == 1 or (s.turn - 1) % s.shrink_every:
        return
    chosen, pools = 0, 0
    for x in range(s.width):
        for y in range(s.height):
            if s.hazards[cell_of(s, x, y)]:
                pools += 1
                if roll(dice, pools) == 0:
                    chosen = cell_of(s, x, y)
    if pools:
        s.hazards[chosen] -= 1
