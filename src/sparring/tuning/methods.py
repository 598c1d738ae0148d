"""Methods to find better weights when every score is noisy.

A point holds a weight for each term, from 0 at the low end of its range to 1 at the high end. A method is asked for
points and told their scores. The same scores lead to the same points, so an interrupted tuning continues by telling its
method the known scores again.
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.core.errors import lacking

Array = npt.NDArray[np.float64]


class Spsa:
    """Simultaneous perturbation: each weight moves to a random side, and all to the other sides for a second point.

    The weights go toward the point that scored more; many small steps add up to a direction. The exponents are Spall's.
    Reach and gain were chosen in simulations: a long reach tells the two points apart, and its error near the best
    weights is the same on both sides.
    """

    steps, points = 250, 2
    REACH, GAIN = 0.2, 0.05
    SETTLING = 0.1  # the share of the steps before the gain falls noticeably

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
    """Evolution with a covariance: points are drawn around a centre, which moves toward the better half of them. The
    distribution takes the shape of the good points. Many points play few games each, as their mean is less noisy."""

    steps, points = 20, 64
    REACH = 0.2

    def __init__(self, start: Array, steps: int, seed: int) -> None:
        try:
            import cma
        except ImportError as error:
            raise lacking("CMA-ES needs a library, --method spsa does not", "tune") from error
        random = np.random.default_rng(seed)
        chosen: dict[str, Any] = {
            "bounds": [0, 1],
            "popsize": self.points,
            "CSA_dampfac": 3.0,  # adapt the step size slowly, because noise looks like steps of a wrong size
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


Method = Spsa | CmaEs
METHODS: Mapping[str, type[Method]] = {"spsa": Spsa, "cma": CmaEs}
"""Each takes `steps` steps if there are enough games, and tries `points` points in a step."""
