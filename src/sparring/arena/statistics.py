"""What results prove: intervals and Elo of a match, ratings of a league.

Everything here is a pure function of finished games, of all of them at once, so neither the order in which
games end nor an interrupted run can change a number. One-sided results keep finite and honestly wide answers.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparring.table import counted

Array = npt.NDArray[np.float64]

Z95 = 1.96
ELO_PER_LOGIT = 400 / math.log(10)
ENOUGH_BLOCKS = 30


def wilson(score: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Interval of a mean score in 0..1 over `n` games; unlike the usual +- it keeps its width at 0 and 1."""
    if n == 0:
        return 0.0, 1.0
    centre = (score * n + z * z / 2) / (n + z * z)
    reach = z * math.sqrt(n * score * (1 - score) + z * z / 4) / (n + z * z)
    return max(0.0, min(score, centre - reach)), min(1.0, max(score, centre + reach))


def elo(score: float) -> float:
    """Elo difference at which `score` is expected: infinite for a certain win or loss."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return ELO_PER_LOGIT * math.log(score / (1 - score))


def expected(difference: float) -> float:
    """Score expected when `difference` Elo stronger: 1 / (1 + 10^(-d/400)), written so as not to overflow."""
    return (1 + math.tanh(difference / ELO_PER_LOGIT / 2)) / 2


@dataclass(frozen=True)
class Score:
    """How one agent did against another, from blocks: the games of one opening with the seats swapped.

    Blocks are the unit of evidence, not games: an opening that decides the winner gives each agent one win,
    luck that cancels inside its block. `effective_games` is how many independent games would prove as much.
    """

    games: int
    blocks: int
    won: int
    drawn: int
    lost: int
    mean: float
    effective_games: float

    @classmethod
    def of(cls, blocks: Iterable[Sequence[float]]) -> Score:
        """Count the first agent's scores, each 1, 0.5 or 0; blocks without a finished game do not count."""
        played = [block for block in blocks if len(block)]
        count = Counter(score for block in played for score in block)
        won, drawn, lost = count[1], count[0.5], count[0]
        games = won + drawn + lost
        if games != count.total():
            raise ValueError(f"a game scores 1, 0.5 or 0, not {sorted(set(count) - {1, 0.5, 0})}")
        mean = (won + drawn / 2) / games if games else 0.5
        return cls(games, len(played), won, drawn, lost, mean, games / _design_effect(played, mean))

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean score: Wilson's, over the effective number of games."""
        return wilson(self.mean, self.effective_games)

    @property
    def elo(self) -> float:
        """Elo difference of the smoothed score, hence finite even when every game was won."""
        return elo(self._smoothed)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """`interval` in Elo; after a clean sweep that of the smoothed score, which keeps both ends finite."""
        swept = self.mean in (0, 1)
        low, high = wilson(self._smoothed, self.effective_games + 1) if swept else self.interval
        return elo(low), elo(high)

    @property
    def p_better(self) -> float:
        """Probability that the true mean exceeds 1/2, by the normal approximation that Wilson's inverts.

        The spread is that of equal agents, lest few straight wins convince too much; never exactly 0 or 1.
        """
        deviations = (2 * self._smoothed - 1) * math.sqrt(self.effective_games + 1)
        doubt = max(math.erfc(abs(deviations) / math.sqrt(2)) / 2, sys.float_info.epsilon)
        return 1 - doubt if deviations > 0 else doubt

    @property
    def _smoothed(self) -> float:
        """Mean after one more, drawn game: half a win and half a loss keep a sweep away from certainty."""
        return (self.mean * self.effective_games + 0.5) / (self.effective_games + 1)

    def __str__(self) -> str:
        low, high = self.interval
        unit = "pair" if self.games == 2 * self.blocks else "block"
        share = f"{100 * self.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        count = f"W {self.won} D {self.drawn} L {self.lost}"
        return f"{share}  {count}  ({self.games} games in {counted(self.blocks, unit)})"


def _design_effect(blocks: Sequence[Sequence[float]], mean: float) -> float:
    """Variance of the mean score as the blocks show it, over the one Wilson assumes of independent games.

    Below 1 when openings cancel inside blocks or games are drawn, above 1 when a block's games repeat each
    other; 1 when there is no telling, after few blocks or a clean sweep. What none of n blocks showed may yet
    happen in about 4/n of them (two-sided rule of three), so even perfect cancelling leaves some variance.
    """
    n = len(blocks)
    if n < ENOUGH_BLOCKS or mean in (0, 1):
        return 1.0
    games = sum(len(block) for block in blocks)
    surplus = sum((sum(block) - mean * len(block)) ** 2 for block in blocks)
    observed = surplus * n / (n - 1) / (games * mean * (1 - mean))
    return max(observed, 4 * games / n**2)


@dataclass(frozen=True)
class Rating:
    """One agent's place in a league: Elo above the league's mean, its 95 % interval, games and mean score."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float


def ratings(names: Sequence[str], results: Iterable[tuple[int, int, float]], prior: float = 2.0) -> list[Rating]:
    """Bradley-Terry Elo of every agent, best first, from results (i, j, score of i); a draw is half a win.

    Weak prior: each agent also draws `prior` > 0 virtual games against one rated 0. It keeps the unbeaten
    finite, relates groups that never met, and shrinks the span of short leagues a little. Ratings have mean
    0; 95 % intervals come from the posterior's curvature, with games taken as independent.
    """
    if not (n := len(names)):
        return []
    points = np.zeros((n, n))
    for (i, j, score), times in Counter(results).items():
        points[i, j] += times * score
        points[j, i] += times * (1 - score)
    strength, information = _fit_bradley_terry(points, prior)
    centre = np.eye(n) - 1 / n
    ranks = ELO_PER_LOGIT * (centre @ strength)
    reach = ELO_PER_LOGIT * Z95 * np.sqrt(np.diag(centre @ np.linalg.inv(information) @ centre))
    games = (points + points.T).sum(axis=1)
    scores = np.divide(points.sum(axis=1), games, out=np.full(n, 0.5), where=games > 0)
    table = [
        Rating(name, float(rank), float(rank - r), float(rank + r), round(played), float(score))
        for name, rank, r, played, score in zip(names, ranks, reach, games, scores, strict=True)
    ]
    return sorted(table, key=lambda rating: -rating.elo)


def _fit_bradley_terry(points: Array, prior: float) -> tuple[Array, Array]:
    """Most probable strengths in logits, and the information (inverse covariance) there, by Newton's method.

    Steps are shortened by log(1 + d) / d, d being the largest change of any difference: on logistic
    likelihoods this converges from anywhere, however one-sided the results, without a line search.
    """
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(200):
        win = _logistic(strength[:, None] - strength)
        virtual_win = _logistic(strength)
        slope = (points - games * win).sum(axis=1) + prior * (0.5 - virtual_win)
        shared = games * win * (1 - win)
        information = np.diag(shared.sum(axis=1) + prior * virtual_win * (1 - virtual_win)) - shared
        step = np.linalg.solve(information, slope)
        change = float(np.ptp(np.append(step, 0.0)))
        if change < 1e-9:
            break
        strength += step * math.log1p(change) / change
    return strength, information


def _logistic(x: Array) -> Array:
    return (1 + np.tanh(x / 2)) / 2
