"""Go's `math/rand`, number for number: the generator of official games.

It is an additive lagged Fibonacci generator of 607 words. A small linear generator spreads the seed over the words, and
a table is mixed in: the state of the same generator after 7.8e12 steps from seed 1. We do not keep the table. The steps
are linear, so all of them together are one power of a polynomial.
"""

from collections.abc import MutableSequence
from functools import cache
from typing import Any

import numpy as np

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
        low = product & 0xFFFFFFFF
        if low < number:
            while low < (2**32 - number) % number:
                product = (self._int63() >> 31) * number
                low = product & 0xFFFFFFFF
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
