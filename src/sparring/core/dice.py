"""Seeded randomness as a record, the same numbers compiled and plain.

Nothing in the package draws from a global generator. The referee's dice are a record of its own, never part
of a state, so that no agent can look at rolls to come.
"""

import hashlib
from typing import Any

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.kernel import kernel, record

Dice = np.dtype([("word", np.int64, (4,))], align=True)
"""Marsaglia's xorshift with four 32-bit words, kept in 64 bits so that plain Python never overflows."""


REFEREE, FIRST_ROLL = 1000, 1001
"""Streams of a seed beside those of its players, which are numbered by their seats."""


def dice(*path: int | str) -> Any:
    """Fresh dice for a purpose, e.g. `dice(seed, "opening")`: another path, an independent stream."""
    told = tuple(part if isinstance(part, str) else int(part) for part in path)
    digest = hashlib.blake2b(repr(told).encode(), digest_size=16).digest()
    fresh = record(Dice)
    fresh.word[:] = np.frombuffer(digest, "<u4")
    fresh.word[3] |= 1
    return fresh


def scatter(d: Any, seed: int, stream: int) -> None:
    """Make dice fresh from numbers alone, which compiled code can do too: other numbers, an independent stream."""
    for place in range(4):
        x = 0x9E3779B9 * place
        for part in (seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF, stream):
            x = (x + part) & 0xFFFFFFFF
            x = ((x ^ (x >> 16)) * 0x21F0AAAD) & 0xFFFFFFFF
            x = ((x ^ (x >> 15)) * 0x735A2D97) & 0xFFFFFFFF
            x = x ^ (x >> 15)
        d.word[place] = x
    d.word[3] |= 1


sow = kernel(scatter)
"""`scatter` for compiled code."""


def players_dice(seed: int, seat: int) -> Any:
    """A player's own dice in the game of a seed."""
    fresh = record(Dice)
    scatter(fresh, seed, seat)
    return fresh


def referees_dice(seed: int) -> Any:
    """The dice of the game of a seed, which no player ever sees."""
    return players_dice(seed, REFEREE)


def throw(d: Any, sides: int) -> int:
    """A number from 0 to sides - 1."""
    word = d.word
    t = word[0] ^ ((word[0] << 11) & 0xFFFFFFFF)
    word[0] = word[1]
    word[1] = word[2]
    word[2] = word[3]
    word[3] = word[3] ^ (word[3] >> 19) ^ t ^ (t >> 8)
    return (word[3] * sides) >> 32


roll = kernel(throw)
"""`throw` for compiled code."""


@kernel
def any_bit(bits: int, d: Any) -> int:
    """Any bit of a set, each as likely as the others."""
    for _ in range(roll(d, count(bits))):
        bits &= bits - 1
    return lowest(bits)
