"""Ways to better weights where every answer is noisy: which points to try next, and what to make of their scores.

A method works in a cube: a point is a weight for each term, from 0 at the low end of its range to 1 at the high end. It
is asked for points and told their scores. Told the same scores it asks for the same points, so that a tuning which was
interrupted goes on by telling its method again what is known.
"""

import math
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from sparring.core.errors import lacking

Array = npt.NDArray[np.float64]


class Method(Protocol):
    """`steps` are how many make a whole tuning, unless there are too few games; a step tries `points`."""

    steps: int
    points: int
    centre: Array

    def __init__(self, start: Array, steps: int, seed: int) -> None: ...

    def ask(self) -> Array: ...

    def tell(self, scores: Array) -> None: ...


class Spsa:
    """Simultaneous perturbation: all weights are moved at once, each to a side that is drawn, and all to the other
    sides. Whichever scores more shows the way, and many small steps add up to a direction.

    The exponents are Spall's. Reach and gain were chosen in simulations: a long reach tells the two points apart, and
    what it does wrong near the best weights is the same on both sides.
    """

    steps, points = 250, 2
    REACH, GAIN = 0.2, 0.05
    SETTLING = 0.1  # of the steps, before the gain begins to fall in earnest

    def __init__(self, start: Array, steps: int, seed: int) -> None:
        self.centre = start
        self._settling = self.SETTLING * steps
        self._done = 0
        self._random = np.random.default_rng(seed)
        self._sides = np.zeros(len(start))

    @property
    def _reach(self) -> float:
        return float(self.REACH / (self._done + 1) ** 0.101)

    def ask(self) -> Array:
        self._sides = self._random.choice([-1.0, 1.0], len(self.centre))
        aside = self._reach * self._sides
        return np.clip([self.centre + aside, self.centre - aside], 0, 1)

    def tell(self, scores: Array) -> None:
        slope = (scores[0] - scores[1]) / (2 * self._reach) * self._sides
        gain = self.GAIN * ((self._settling + 1) / (self._settling + self._done + 1)) ** 0.602
        self.centre = np.clip(self.centre + gain * slope, 0, 1)
        self._done += 1


class CmaEs:
    """Evolution with a covariance: points are drawn around a centre, which moves to the better half of them, and the
    cloud takes the shape of what was good. Many points with few games each: the mean of half a crowd is less noisy than
    any of them."""

    steps, points = 20, 64
    REACH = 0.2

    def __init__(self, start: Array, steps: int, seed: int) -> None:
        try:
            import cma
        except ImportError as error:
            raise lacking("CMA-ES needs a library, --method spsa none", "tune") from error
        random = np.random.default_rng(seed)
        chosen: dict[str, Any] = {
            "bounds": [0, 1],
            "popsize": self.points,
            "CSA_dampfac": 3.0,  # noise looks like steps that are too large or too small: believe it slowly
            "randn": lambda *shape: random.standard_normal(shape),
            "seed": math.nan,  # leave the global generator alone
            "verbose": -9,
        }
        self.centre = start
        self._cloud = cma.CMAEvolutionStrategy(start, self.REACH, chosen)
        self._asked: list[Array] = []

    def ask(self) -> Array:
        self._asked = self._cloud.ask()
        return np.array(self._asked)

    def tell(self, scores: Array) -> None:
        self._cloud.tell(self._asked, (-scores).tolist())
        self.centre = np.clip(self._cloud.result.xfavorite, 0, 1)


METHODS: Mapping[str, type[Method]] = {"spsa": Spsa, "cma": CmaEs}
