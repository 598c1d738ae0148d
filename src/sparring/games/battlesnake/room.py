"""Questions that a snake asks before a step: is there a way out, and does a longer head wait there?"""

from typing import Any

import numpy as np

from sparring.core.bits import count
from sparring.core.kernel import cold, kernel
from sparring.games.battlesnake.rules import alive, cell_of, column, head, on_board, row, size, steps_between


@cold
def flood_fill(s: Any, cell: int) -> int:
    """The number of empty cells that can be reached from a cell past the bodies as they lie now. The cell itself, which
    may be a head, does not count."""
    if not on_board(s, cell):
        return 0
    empty, reached = np.zeros(s.height, np.int64), np.zeros(s.height, np.int64)
    for y in range(s.height):
        for x in range(s.width):
            empty[y] |= int(s.occupied[cell_of(s, x, y)] == 0) << x
    start = 1 << column(s, cell)
    empty[row(s, cell)] |= start
    reached[row(s, cell)] = start
    while sweep(s, empty, reached):
        pass
    cells = -1
    for y in range(s.height):
        cells += count(reached[y])
    return cells


@kernel
def sweep(s: Any, empty: Any, reached: Any) -> bool:
    """Spread over the rows of the board, upwards and then downwards. Return whether anything was gained."""
    last, top, gained = s.width - 1, s.height - 1, False
    for step in range(2 * s.height):
        y = min(step, 2 * top + 1 - step)
        below = reached[y - 1] if y > 0 else reached[top] * s.wrapped
        above = reached[y + 1] if y < top else reached[0] * s.wrapped
        before, cells = 0, (reached[y] | below | above) & empty[y]
        while cells != before:
            before, sides = cells, cells << 1 | cells >> 1
            if s.wrapped:
                sides |= cells >> last | (cells & 1) << last
            cells |= sides & empty[y]
        gained |= cells != reached[y]
        reached[y] = cells
    return gained


@kernel
def threatened(s: Any, me: int, cell: int) -> bool:
    """True if another snake that is at least as long can have its head on a cell in one step: to meet it there is to
    die."""
    found = False
    for other in range(s.snakes):
        if other != me and alive(s, other):
            found |= size(s, other) >= size(s, me) and steps_between(s, head(s, other), cell) == 1
    return found
