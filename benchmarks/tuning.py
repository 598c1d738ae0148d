"""How much of what there is to gain do the methods of `spar tune` find? Simulated, so that the best is known.

A landscape is a hill in Elo over a cube of weights, whose axes lean and whose slopes differ. Games are won with the
chance that the difference in Elo says. Each line is the mean of many landscapes.
"""

import numpy as np

from sparring.core.table import columns
from sparring.statistics.intervals import expected
from sparring.tuning.methods import METHODS, Array
from sparring.tuning.tuned import tail_mean

LANDSCAPES = 30


class Hill:
    """Elo below the best weights; `gain` above the start in the middle."""

    def __init__(self, weights: int, gain: float, rng: np.random.Generator) -> None:
        self.start, self.best = np.full(weights, 0.5), rng.uniform(0.1, 0.9, weights)
        lean = np.eye(weights) + 0.4 * rng.normal(size=(weights, weights))
        shape = lean.T @ np.diag(np.exp(rng.normal(size=weights))) @ lean
        self.shape = shape * gain / ((self.start - self.best) @ shape @ (self.start - self.best))

    def elo(self, point: Array) -> float:
        return float(-(point - self.best) @ self.shape @ (point - self.best))


def found(name: str, hill: Hill, games: int, third: bool, seed: int) -> float:
    """What a method gains in so many games, its points meeting each other or all a third."""
    method, luck = METHODS[name], np.random.default_rng([seed, 1])
    tables = method.points if third else 1
    each = max(2, games // (method.steps * tables))
    steps = games // (each * tables)
    search, way = method(hill.start, steps, seed), []
    for _ in range(steps):
        points = search.ask()
        rivals = [hill.start] * len(points) if third else points[::-1]
        leads = [hill.elo(point) - hill.elo(rival) for point, rival in zip(points, rivals, strict=True)]
        won = np.array([luck.binomial(each, expected(lead)) / each for lead in leads])
        search.tell(won if third else np.array([won[0], 1 - won[0]]))
        way.append(search.centre)
    return hill.elo(tail_mean(np.array(way))) - hill.elo(hill.start)


def main() -> None:
    ways = {"spsa": ("spsa", False), "spsa against a third": ("spsa", True), "cma against a third": ("cma", True)}
    rows = [["weights", "to gain", "games", *ways]]
    for weights, gain in ((2, 40), (4, 100), (8, 100)):
        for games in (2_000, 6_000, 20_000):
            cells = []
            for name, third in ways.values():
                hills = [Hill(weights, gain, np.random.default_rng(seed)) for seed in range(LANDSCAPES)]
                gains = [found(name, hill, games, third, seed) for seed, hill in enumerate(hills)]
                cells.append(f"{np.mean(gains):+.0f} ±{1.96 * np.std(gains) / LANDSCAPES**0.5:.0f}")
            rows.append([f"{weights}", f"{gain}", f"{games:,}", *cells])
    print(columns(rows, right=set(range(6))))


if __name__ == "__main__":
    main()
