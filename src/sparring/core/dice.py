"""Seeded randomness as a record, with the same numbers in compiled and in plain code.

Nothing in the package draws from a global generator. The referee's dice are a separate record, never part of a state,
so that no agent can see future rolls.
"""

import hashlib
import struct
from typing import Any

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.kernel import kernel, record

Dice = np.dtype([("word", np.int64, (4,))], align=True)
"""Marsaglia's xorshift with four 32-bit words, kept in 64 bits so that plain Python never overflows."""


REFEREE, FIRST_ROLL = 1000, 1001
"""Streams of a seed besides those of its players, which have the numbers of their seats."""


def dice(*path: int | str) -> Any:
    """Fresh dice for a purpose, e.g. `dice(seed, "opening")`. Another path gives an independent stream."""
    told = tuple(part if isinstance(part, str) else int(part) for part in path)
    return _of(hashlib.blake2b(repr(told).encode(), digest_size=16).digest())


def _of(digest: bytes) -> Any:
    fresh = record(Dice)
    fresh.word[:] = np.frombuffer(digest, "<u4")
    fresh.word[3] |= 1
    return fresh


def seed_dice_plain(d: Any, seed: int, stream: int) -> None:
    """Seed dice from numbers alone, which compiled code can do too. Other numbers give an independent stream."""
    for place in range(4):
        x = 0x9E3779B9 * place
        for part in (seed & 0xFFFFFFFF, (seed >> 32) & 0xFFFFFFFF, stream):
            x = (x + part) & 0xFFFFFFFF
            x = ((x ^ (x >> 16)) * 0x21F0AAAD) & 0xFFFFFFFF
            x = ((x ^ (x >> 15)) * 0x735A2D97) & 0xFFFFFFFF
            x = x ^ (x >> 15)
        d.word[place] = x
    d.word[3] |= 1


seed_dice = kernel(seed_dice_plain)
"""`seed_dice_plain` for compiled code."""


def players_dice(seed: int, seat: int) -> Any:
    """A player's own dice in the game of a seed."""
    fresh = record(Dice)
    seed_dice_plain(fresh, seed, seat)
    return fresh


def referees_dice(seed: int) -> Any:
    """The dice of the game of a seed, which no player sees."""
    return players_dice(seed, REFEREE)


def one_way(d: Any, purpose: str) -> bytes:
    """Sixteen bytes that follow from dice and a purpose, from which the dice cannot be computed."""
    return hashlib.blake2b(d.tobytes(), digest_size=16, person=purpose.encode()).digest()


def guests_dice(own: Any) -> bytes:
    """Dice for untrusted code in place of a player's own: they tell nothing of the player's, nor of any others. The
    player's own move on, so that the next move gets others."""
    digest = hashlib.blake2b(own.tobytes(), digest_size=32, person=b"dice").digest()
    *words, last, first, second, third, fourth = struct.unpack("<8I", digest)
    own["word"] = first, second, third, fourth | 1
    return struct.pack("<4q", *words, last | 1)


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
def random_bit(bits: int, d: Any) -> int:
    """A random bit of a set."""
    for _ in range(roll(d, count(bits))):
        bits &= bits - 1
    return lowest(bits)
