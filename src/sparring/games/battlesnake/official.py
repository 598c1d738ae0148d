"""Food and royale's hazards as the official engine draws them from a seed, in plain Python.

The numbers are those of Go's `math/rand`, an additive lagged Fibonacci generator of 607 words. A small linear generator
spreads the seed over the words, and a table is mixed in: the state of the same generator after 7.8e12 steps from seed
1. We do not keep the table. The steps are linear, so all of them together are one power of a polynomial.
"""

from collections.abc import MutableSequence
from functools import cache
from typing import Any

import numpy as np

from sparring.games.battlesnake.board import body_of, cells, food_of, living, near_heads, place_food, place_hazards
from sparring.games.battlesnake.state import EMPTY, SEED_002

WORDS, LAG = 607, 273
PRIME, FACTOR = 2**31 - 1, 48271
THROWN_AWAY = 20
STEPS_OF_TABLE = 7_800_000_000_000
Words = np.ndarray[Any, np.dtype[np.uint64]]


class GoRandom:
    """The stream of numbers of a seed."""

    def __init__(self, seed: int) -> None:
        self._words = [int(word) for word in _spread(seed, 40, 20) ^ table()]
        self._tap, self._feed = 0, WORDS - LAG

    def _int63(self) -> int:
        self._tap = (self._tap - 1) % WORDS
        self._feed = (self._feed - 1) % WORDS
        word = (self._words[self._feed] + self._words[self._tap]) & 0xFFFFFFFFFFFFFFFF
        self._words[self._feed] = word
        return word & 0x7FFFFFFFFFFFFFFF

    def below(self, number: int) -> int:
        """A number below another, as Go's Intn draws it."""
        drawn = self._int63() >> 32
        if number & (number - 1) == 0:
            return drawn & (number - 1)
        while drawn > 2**31 - 1 - 2**31 % number:
            drawn = self._int63() >> 32
        return drawn % number

    def shuffle(self, things: MutableSequence[Any]) -> None:
        for last in range(len(things) - 1, 0, -1):
            other = self._place(last + 1)
            things[last], things[other] = things[other], things[last]

    def _place(self, number: int) -> int:
        """A number below another, by multiplication."""
        product = (self._int63() >> 31) * number
        while product & 0xFFFFFFFF < (2**32 - number) % number:
            product = (self._int63() >> 31) * number
        return product >> 32


def _spread(seed: int, high: int, middle: int) -> Words:
    """Mix a word for each place from three numbers of the small generator, two of them shifted."""
    numbers = [seed % PRIME or 89482311]
    for _ in range(THROWN_AWAY + 3 * WORDS):
        numbers.append(numbers[-1] * FACTOR % PRIME)
    a, b, c = np.array(numbers[THROWN_AWAY + 1 :], np.uint64).reshape(WORDS, 3).T
    mixed: Words = (a << np.uint64(high)) ^ (b << np.uint64(middle)) ^ c
    return mixed


@cache
def table() -> Words:
    """The words after STEPS_OF_TABLE steps from seed 1.

    Step k makes z[k] = z[k - 607] + z[k - 273] and puts it where z[k - 607] was, place 333 - k of the ring.
    """
    places = (WORDS - LAG - 1 - np.arange(WORDS)) % WORDS
    first = _spread(1, 20, 10)[places]
    coefficients = _power_of_x(STEPS_OF_TABLE)
    last = np.empty(WORDS, np.uint64)
    for step in range(WORDS):
        last[step] = (coefficients * first).sum()
        coefficients = _times_x(coefficients)
    words = np.empty(WORDS, np.uint64)
    words[(WORDS - LAG - 1 - np.arange(STEPS_OF_TABLE - WORDS, STEPS_OF_TABLE)) % WORDS] = last
    return words


def _power_of_x(exponent: int) -> Words:
    """x to a power, modulo x^607 - x^334 - 1 and with coefficients modulo 2^64."""
    power = np.zeros(WORDS, np.uint64)
    power[0] = 1
    for digit in f"{exponent:b}":
        power = _reduced(np.convolve(power, power))
        if digit == "1":
            power = _times_x(power)
    return power


def _reduced(product: Words) -> Words:
    while len(product) > WORDS:
        high = product[WORDS:]
        product = np.concatenate([product[:WORDS], np.zeros(max(0, len(high) - LAG), np.uint64)])
        product[: len(high)] += high
        product[WORDS - LAG : WORDS - LAG + len(high)] += high
    return product


def _times_x(polynomial: Words) -> Words:
    shifted = np.roll(polynomial, 1)
    shifted[WORDS - LAG : WORDS - LAG + 1] += polynomial[-1:]
    return shifted


# What the official engine draws


def grow_food(s: Any) -> None:
    """Grow food after a turn: the first of all free cells, shuffled, get it."""
    if s.map in (EMPTY, SEED_002):
        return
    chance = GoRandom(int(s.seed + s.turn - 1))
    missing = int(s.minimum_food - s.foods)
    if missing <= 0:
        missing = int(s.food_chance > 0 and 100 - chance.below(100) < s.food_chance)
    if missing > 0:
        taken = near_heads(s).union(food_of(s), *(body_of(s, snake) for snake in living(s)))
        free = [point for point in cells(s) if point not in taken]
        chance.shuffle(free)
        place_food(s, *free[:missing])


def close_in(s: Any) -> None:
    """Compute royale's free rectangle from the start of the game: every `shrink_every` turns one edge moves inwards."""
    if s.turn >= s.shrink_every or s.royale:
        s.hazards[:] = 0
    chance = GoRandom(int(s.seed))
    left, right, bottom, top = 0, int(s.width) - 1, 0, int(s.height) - 1
    for _ in range(s.turn // s.shrink_every):
        edge = chance.below(4)
        left, right = left + (edge == 0), right - (edge == 1)
        bottom, top = bottom + (edge == 2), top - (edge == 3)
    if s.turn >= s.shrink_every:
        place_hazards(s, *((x, y) for x, y in cells(s) if not (left <= x <= right and bottom <= y <= top)))
