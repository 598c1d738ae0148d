"""What is good in Connect Four."""

from connect_four.rules import BOARD, COLUMN, HEIGHT, STEPS
from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.core.kernel import kernel

MIDDLE = COLUMN << 3 * HEIGHT


@kernel
def threats(s, player):
    """The free cells in which a stone of a player would complete four."""
    stones, cells = s.stones[player], 0
    for step in STEPS:
        pairs = stones & stones >> step
        cells |= (pairs & stones >> 2 * step) << 3 * step  # three, then the free cell
        cells |= (pairs & stones >> 2 * step) >> step  # the free cell, then three
        cells |= (pairs & stones >> 3 * step) << 2 * step
        cells |= (stones & pairs >> 2 * step) << step
    return cells & BOARD & ~(s.stones[0] | s.stones[1])


@heuristic("connect_four", middle=0.2)
def lines(s, me):
    """Cells that complete four, and stones in the middle column, each less the opponent's."""
    you = 1 - me
    return Terms(
        threats=count(threats(s, me)) - count(threats(s, you)),
        middle=count(s.stones[me] & MIDDLE) - count(s.stones[you] & MIDDLE),
    )
