"""What a map does after every turn: food grows, hazards come and go. All of a game's chance is here.

Numbers are drawn from the dice that are handed in. For the same as the official engine draws from a seed, see
official.py.
"""

from typing import Any

from sparring.core.dice import roll
from sparring.core.kernel import cold, hot, kernel
from sparring.games.battlesnake.rules import (
    alive,
    cell_of,
    head,
    head_on,
    stride,
    tail,
    whole,
)
from sparring.games.battlesnake.state import EMPTY, POOLS, ROYALE, SEED_002, SINKHOLES, SNAIL

TRIES = 16
"""Cells tried at random before all are looked at: on a board that is not crowded one of the first will do."""


@hot
def draw(s: Any, dice: Any) -> int:
    """What the map does after a turn; where food has come, if it has."""
    foods = s.foods
    grow_food(s, dice)
    change_hazards(s, dice)
    s.waiting = 0
    return whole(s.food[s.foods - 1]) if s.foods > foods else 0


# Food


@kernel
def grow_food(s: Any, dice: Any) -> None:
    """There is always the minimum; beyond that food comes by chance. 15 % are really 14, as in the official engine."""
    if s.map == EMPTY or s.map == SEED_002:
        return
    missing = s.minimum_food - s.foods
    if missing <= 0 and s.food_chance > 0:
        missing = int(100 - roll(dice, 100) < s.food_chance)
    for _ in range(missing):
        cell = fertile_cell(s, dice)
        if cell:
            add_food(s, cell)


@kernel
def add_food(s: Any, cell: int) -> None:
    if s.foods < len(s.food):
        s.food[s.foods] = cell
        s.food_at[cell] += 1
        s.foods += 1


@kernel
def fertile_cell(s: Any, dice: Any) -> int:
    """Any cell on which food may grow, each as likely as the others; 0 if there is none."""
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
    """Neither food nor a living snake is there, and no head beside it."""
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
    """Every so many turns one edge of the free rectangle, any of the four, moves in."""
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
    only_free(s, left, right, bottom, top)


@kernel
def only_free(s: Any, left: int, right: int, bottom: int, top: int) -> None:
    """One hazard on every cell outside of a rectangle, none inside."""
    for x in range(s.width):
        for y in range(s.height):
            inside = left <= x <= right and bottom <= y <= top
            s.hazards[cell_of(s, x, y)] = 0 if inside else 1


@cold
def sink(s: Any) -> None:
    """A sinkhole in the middle of the board gets wider and deeper every so many turns."""
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
    """Snakes leave as many hazards as they are long, one turn late, and every turn takes one of them away.

    What is laid next turn is remembered where the official engine does, on cells above the board.
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
    """Every so many turns one of the pools dries up."""
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
