"""Territory: the cells that a snake reaches before all others, if all snakes just run.

A cell that several reach at the same time belongs to the longest of them, which would win there. If they are equally
long, none of them gets it. Bodies block cells until their tails have passed. Nobody eats on the way.

All cells of a snake spread by one step at once, as rows of bits. For two snakes on a board up to 11x11 each snake has
three integers of four rows with 16 bits. `by_rows` does the same for any board and any number of snakes.
"""

from typing import Any

import numpy as np

from sparring.core.bits import count
from sparring.core.kernel import cold, hot, kernel
from sparring.games.battlesnake.rules import alive, column, head, row, segment, size, stride_bits

ROW = 16
REPEATED = np.array([0, 1, 1 << 16 | 1, 1 << 32 | 1 << 16 | 1, 1 << 48 | 1 << 32 | 1 << 16 | 1])
"""Factors that repeat the bits of a row: zero to four rows in an integer."""


@kernel
def territory(s: Any, me: int) -> tuple[int, int]:
    """Number of my cells and of all others' cells, without heads."""
    if s.living == 2 and alive(s, me) and s.wrapped == 0 and stride_bits(s) == 4:
        rival = 0
        while rival == me or not alive(s, rival):
            rival += 1
        return between_two(s, me, rival)
    return by_rows(s, me, False)


@hot
def spread(low: int, cells: int, high: int) -> int:
    """The cells beside those of an integer; `low` has the four rows below, `high` those above."""
    return cells << 1 | cells >> 1 | cells << ROW | cells >> ROW | low >> 3 * ROW | high << 3 * ROW


@hot
def board_rows(s: Any, first: int) -> int:
    """The cells of four rows of the board."""
    return (((1 << s.width) - 1) << 1) * REPEATED[min(4, max(0, s.height - first))]


@hot
def bit_of(cell: int, word: int) -> int:
    """A cell as a bit of one of the three integers; 0 if it is in another."""
    return int(cell >> 6 == word) << (cell & 63)


@kernel
def between_two(s: Any, me: int, you: int) -> tuple[int, int]:
    free0, free1, free2 = board_rows(s, 0), board_rows(s, 4), board_rows(s, 8)
    for snake in (me, you):
        for place in range(s.length[snake]):
            cell = segment(s, snake, place) - ROW
            free0 &= ~bit_of(cell, 0)
            free1 &= ~bit_of(cell, 1)
            free2 &= ~bit_of(cell, 2)
    cell = head(s, me) - ROW
    mine0, mine1, mine2 = bit_of(cell, 0), bit_of(cell, 1), bit_of(cell, 2)
    cell = head(s, you) - ROW
    yours0, yours1, yours2 = bit_of(cell, 0), bit_of(cell, 1), bit_of(cell, 2)
    i_yield, you_yield = -int(size(s, me) <= size(s, you)), -int(size(s, you) <= size(s, me))
    step, gained = 1, 1
    while gained or step <= max(s.length[me], s.length[you]):
        for snake in (me, you):
            cell = left_behind(s, snake, step) - ROW
            free0 |= bit_of(cell, 0)
            free1 |= bit_of(cell, 1)
            free2 |= bit_of(cell, 2)
        my0, your0 = spread(0, mine0, mine1) & free0, spread(0, yours0, yours1) & free0
        my1, your1 = spread(mine0, mine1, mine2) & free1, spread(yours0, yours1, yours2) & free1
        my2, your2 = spread(mine1, mine2, 0) & free2, spread(yours1, yours2, 0) & free2
        gained = my0 | my1 | my2 | your0 | your1 | your2
        free0 &= ~(my0 | your0)
        free1 &= ~(my1 | your1)
        free2 &= ~(my2 | your2)
        mine0, yours0 = mine0 | my0 & ~(your0 & i_yield), yours0 | your0 & ~(my0 & you_yield)
        mine1, yours1 = mine1 | my1 & ~(your1 & i_yield), yours1 | your1 & ~(my1 & you_yield)
        mine2, yours2 = mine2 | my2 & ~(your2 & i_yield), yours2 | your2 & ~(my2 & you_yield)
        step += 1
    return count(mine0) + count(mine1) + count(mine2) - 1, count(yours0) + count(yours1) + count(yours2) - 1


@hot
def left_behind(s: Any, snake: int, step: int) -> int:
    """The cell that a snake's tail leaves with a step; a border cell if it leaves none."""
    place = s.length[snake] - step
    if place <= 0:
        return 0
    cell = segment(s, snake, place)
    return 0 if segment(s, snake, place - 1) == cell else cell


@cold
def by_rows(s: Any, me: int, as_coded: bool) -> tuple[int, int]:
    """Territory on any board. As the design document's code counts it, a cell that several reach at the same time
    belongs to the snake listed first, even if it is shorter, and bodies never move away."""
    rows, longest = s.height, 0
    free = np.full(rows, (1 << s.width) - 1, np.int64)
    mine = np.zeros((s.snakes, rows), np.int64)
    gains = np.zeros((s.snakes, rows), np.int64)
    for snake in range(s.snakes):
        if alive(s, snake):
            longest = max(longest, s.length[snake])
            mine[snake, row(s, head(s, snake))] = 1 << column(s, head(s, snake))
            for place in range(s.length[snake]):
                cell = segment(s, snake, place)
                free[row(s, cell)] &= ~(1 << column(s, cell))
    step, gained = 1, True
    while gained or step <= longest:
        for snake in range(s.snakes):
            cell = left_behind(s, snake, step)
            if cell and alive(s, snake) and not as_coded:
                free[row(s, cell)] |= 1 << column(s, cell)
        for snake in range(s.snakes):
            for y in range(rows):
                gains[snake, y] = beside(s, mine, snake, y) & free[y]
        gained = take(s, mine, gains, free, as_coded)
        step += 1
    own, others = 0, 0
    for snake in range(s.snakes):
        cells = -int(alive(s, snake))
        for y in range(rows):
            cells += count(mine[snake, y])
        own += cells * int(snake == me)
        others += cells * int(snake != me)
    return own, others


@hot
def beside(s: Any, mine: Any, snake: int, y: int) -> int:
    """The cells that a snake reaches in a row from neighbouring cells, also across edges on a wrapped board."""
    last, top, cells = s.width - 1, s.height - 1, mine[snake, y]
    found = cells << 1 | cells >> 1
    if y > 0 or s.wrapped:
        found |= mine[snake, y - 1 if y > 0 else top]
    if y < top or s.wrapped:
        found |= mine[snake, y + 1 if y < top else 0]
    return found | cells >> last | (cells & 1) << last if s.wrapped else found


@hot
def take(s: Any, mine: Any, gains: Any, free: Any, first_listed: bool) -> bool:
    """Give each reached cell to the longest snake that reached it, or to the first listed."""
    gained = False
    for y in range(s.height):
        reached = 0
        for snake in range(s.snakes):
            reached |= gains[snake, y]
            contested = 0
            for other in range(s.snakes):
                if other < snake if first_listed else other != snake and size(s, other) >= size(s, snake):
                    contested |= gains[other, y]
            mine[snake, y] |= gains[snake, y] & ~contested
        free[y] &= ~reached
        gained |= reached != 0
    return gained
