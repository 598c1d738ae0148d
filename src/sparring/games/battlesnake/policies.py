"""Opponent models of seed 002: quick policies by which a planning snake believes that others move.

A policy does not look at the other heads, which makes it quick.
"""

from typing import Any

from sparring.core.bits import count, lowest
from sparring.core.dice import roll
from sparring.core.kernel import cold, kernel
from sparring.games.battlesnake.heuristics import away_from_centre
from sparring.games.battlesnake.rules import (
    MOVES,
    UP,
    actors,
    alive,
    beside,
    default_move,
    head,
    move,
    on_board,
    safe_moves,
    segment,
    tail,
)
from sparring.games.battlesnake.territory import territory
from sparring.search.tree import SearchVariant

STRAIGHT, RANDOM, SMART, TERRITORIAL = range(4)
POLICIES = ("straight", "random", "smart", "territorial")
HUNGRY = 30
"""With less health than this, food counts five times as much."""
WORST = -1_000_000


@kernel
def policy_move(s: Any, snake: int, me: int, policy: int, dice: Any) -> int:
    """The move of a snake by one of the policies, as `me` expects it."""
    if policy == SMART:
        return smart(s, snake)
    if policy == STRAIGHT:
        return default_move(s, snake)
    if policy == RANDOM:
        return roll(dice, len(MOVES))
    return territorial(s, snake, me)


@kernel
def smart(s: Any, snake: int) -> int:
    """Avoid bodies, take food beside the head, and otherwise go to the middle, more so while there is food."""
    here, chosen, best = head(s, snake), UP, WORST
    before, urge = away_from_centre(s, here), 50 if s.health[snake] < HUNGRY else 10
    for direction in range(4):
        cell = beside(s, here, direction)
        if on_board(s, cell):
            distance = away_from_centre(s, cell)
            value = -1000 * blocked(s, snake, cell) - distance
            if s.food_at[cell]:
                value += 5 * urge
            elif s.foods and distance < before:
                value += urge
            if value > best:
                chosen, best = direction, value
    return chosen


@kernel
def blocked(s: Any, snake: int, cell: int) -> int:
    """Count the reasons against a cell: a body other than the own tail, and the neck once more."""
    occupied = (s.occupied[cell] > 0) & (cell != tail(s, snake))
    return int(occupied) + int((s.length[snake] > 1) & (cell == segment(s, snake, 1)))


@cold
def territorial(s: Any, snake: int, me: int) -> int:
    """Maximise the own territory against that of the planning snake, as if nobody else moved."""
    here, chosen, best = head(s, snake), UP, WORST
    for direction in range(4):
        cell = beside(s, here, direction)
        if on_board(s, cell):
            value = -10_000 * blocked(s, snake, cell)
            if value == 0:
                value = territory_after(s, snake, me, direction)
            if value > best:
                chosen, best = direction, value
    return chosen


@kernel
def territory_after(s: Any, snake: int, me: int, direction: int) -> int:
    """Evaluate a move and take it back: a copy of the state would cost more."""
    last = tail(s, snake)
    behind = (s.front[snake] - 1) & (s.body.shape[1] - 1)
    overwritten = s.body[snake, behind]
    move(s, snake, direction)
    mine, theirs = territory(s, snake)
    if s.living > 2:
        theirs = territory(s, me)[0]
    s.occupied[head(s, snake)] -= 1
    s.body[snake, behind] = overwritten
    s.front[snake] = (behind + 1) & (s.body.shape[1] - 1)
    s.occupied[last] += 1
    return mine - theirs


@kernel
def repaired(s: Any, snake: int, direction: int) -> int:
    """The move itself, or a safe one if it leads off the board or into a body and a safe one exists."""
    moves = safe_moves(s, snake)
    if moves == 0 or moves >> direction & 1:
        return direction
    for _ in range(direction % count(moves)):
        moves &= moves - 1
    return lowest(moves)


# The parts of an evolution that are the snakes' own: see search/rhea.py


@kernel
def fitted(own: Any, s: Any, snake: int, gene: int) -> int:
    """Turn a gene into a move."""
    return repaired(s, snake, gene) if own.repair else gene


@kernel
def believed(own: Any, s: Any, snake: int, me: int, dice: Any) -> int:
    return policy_move(s, snake, me, own.policy, dice)


@kernel
def standing(own: Any, s: Any, me: int, heuristic: Any, weights: Any) -> float:
    if not alive(s, me):
        return own.lost
    value = heuristic(s, me, weights)
    return value + own.won if s.living == 1 else value


@kernel
def without_map(s: Any, dice: Any) -> int:
    """End the turn without food: food that may come is nothing to count on."""
    s.waiting = 0
    return actors(s)


@kernel
def nothing_open(s: Any, snake: int) -> float:
    """Nothing is open for a snake that is dead."""
    return 0.0


EVOLVING = SearchVariant(
    "snakes",
    {
        "playable": fitted,
        "predicted": believed,
        "position_value": standing,
        "settle": without_map,
        "stake": nothing_open,
    },
)
