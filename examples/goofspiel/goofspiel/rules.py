"""The rules of Goofspiel. Cards and prizes are sets of bits: card 1 is bit 1."""

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.kernel import kernel
from sparring.games.kernels import CHANCE

MOST_CARDS = 13

State = np.dtype(
    [("prize", np.int64), ("prizes", np.int64), ("hands", np.int64, (2,)), ("points", np.int64, (2,))], align=True
)


@kernel
def actors(s):
    """A prize is turned up; then both bid at once."""
    return 3 if s.prize else CHANCE if s.prizes else 0


@kernel
def legal(s, player):
    """Every card in the hand."""
    return s.hands[player]


@kernel
def apply(s, joint):
    """The higher bid takes the prize; equal bids take nothing. Both cards are gone."""
    first, second = joint.of[0], joint.of[1]
    if first != second:
        s.points[0 if first > second else 1] += s.prize
    s.hands[0] &= ~(1 << first)
    s.hands[1] &= ~(1 << second)
    s.prize = 0


@kernel
def outcomes(s):
    return count(s.prizes)


@kernel
def probability(s, k):
    return 1 / count(s.prizes)


@kernel
def happen(s, k):
    """The k-th of the prizes that are left is turned up."""
    left = s.prizes
    for _ in range(k):
        left &= left - 1
    s.prize = lowest(left)
    s.prizes &= ~(1 << s.prize)


@kernel
def reward(s, player):
    """More points win."""
    lead = s.points[player] - s.points[1 - player]
    return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0
