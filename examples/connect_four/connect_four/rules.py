"""The rules of Connect Four. Each side's stones are a set of bits, column by column from the bottom.

Every column has one bit more than rows. It is never set, so that no line runs over the edge of the board.
"""

import numpy as np

from sparring.core.kernel import kernel

ROWS, COLUMNS = 6, 7
HEIGHT = ROWS + 1
COLUMN = (1 << ROWS) - 1
BOARD = sum(COLUMN << HEIGHT * column for column in range(COLUMNS))
STEPS = (1, HEIGHT - 1, HEIGHT, HEIGHT + 1)
"""From a cell to the next one of a column, a diagonal, a row and the other diagonal."""

ALTERNATE = True

State = np.dtype([("stones", np.int64, (2,)), ("moves", np.int64)], align=True)


@kernel
def four(stones):
    """Whether four of these stones are in a line."""
    for step in STEPS:
        pairs = stones & stones >> step
        if pairs & pairs >> 2 * step:
            return True
    return False


@kernel
def actors(s):
    """The players drop stones in turn, until one has four in a line or the board is full."""
    return 0 if s.moves == ROWS * COLUMNS or four(s.stones[1 - (s.moves & 1)]) else 1 << (s.moves & 1)


@kernel
def legal(s, player):
    """The columns that are not full."""
    taken, columns = s.stones[0] | s.stones[1], 0
    for column in range(COLUMNS):
        if not taken >> (HEIGHT * column + ROWS - 1) & 1:
            columns |= 1 << column
    return columns


@kernel
def apply(s, joint):
    """A stone falls to the lowest free cell of its column."""
    player, taken = s.moves & 1, s.stones[0] | s.stones[1]
    bottom = HEIGHT * joint.of[player]
    s.stones[player] |= taken + (1 << bottom) & COLUMN << bottom
    s.moves += 1


@kernel
def reward(s, player):
    """A line of four wins; a full board without one is a draw."""
    return 1.0 if four(s.stones[player]) else -1.0 if four(s.stones[1 - player]) else 0.0


@kernel
def ending(s):
    return 0 if four(s.stones[0]) or four(s.stones[1]) else 1
