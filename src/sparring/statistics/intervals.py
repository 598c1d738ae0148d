"""Statistics of results: intervals and Elo of a match, ratings of a league.

Every function here is pure and takes all finished games at once, so neither the order in which games end nor an
interrupted run can change a number. One-sided results keep finite, wide intervals.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from sparring.core.table import counted

Array = npt.NDArray[np.float64]

Z95 = 1.96
ELO_PER_LOGIT = 400 / math.log(10)
ENOUGH_BLOCKS = 30
TINY = sys.float_info.epsilon


def wilson(score: float, n: float, z: float = Z95) -> tuple[float, float]:
    """Interval of a mean score in 0..1 over `n` games. Unlike the usual +- it keeps its width at 0 and 1."""
    if n == 0:
        return 0.0, 1.0
    centre = (score * n + z * z / 2) / (n + z * z)
    reach = z * math.sqrt(n * score * (1 - score) + z * z / 4) / (n + z * z)
    return max(0.0, min(score, centre - reach)), min(1.0, max(score, centre + reach))


def elo(score: float) -> float:
    """Elo difference at which `score` is expected; infinite for a certain win or loss."""
    if not 0 < score < 1:
        return math.copysign(math.inf, score - 0.5)
    return ELO_PER_LOGIT * math.log(score / (1 - score))


def expected(difference: float) -> float:
    """Score expected of an agent that is `difference` Elo stronger: 1 / (1 + 10^(-d/400)), without overflow."""
    return (1 + math.tanh(difference / ELO_PER_LOGIT / 2)) / 2


@dataclass(frozen=True)
class Score:
    """Score of one agent against another, from blocks: the games of one opening with the seats swapped.

    Blocks, not games, are the unit of evidence. An opening that decides the winner gives each agent one win, so this
    luck cancels inside its block. `effective_games` is the number of independent games with the same evidence.
    """

    games: int
    blocks: int
    won: int
    drawn: int
    lost: int
    mean: float
    effective_games: float

    @classmethod
    def of(cls, blocks: npt.ArrayLike) -> "Score":
        """Build a score from the first agent's scores, (blocks, games a block): 1 wins, 0 loses, others are ties."""
        scores = np.asarray(blocks, float)
        return cls.over([(np.arange(len(scores)), scores)])

    @classmethod
    def over(cls, tables: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]]) -> "Score":
        """Join the scores of several tables, each given by the numbers of its blocks and their scores. Blocks with the
        same number have one opening, which may suit an agent at every table, so together they are one block. The
        strength of an opponent is not luck: luck is measured from the mean of each table."""
        met = [(numbers, scores.astype(float)) for numbers, scores in tables if scores.size]
        if not met:
            return cls(0, 0, 0, 0, 0, 0.5, 0.0)
        every = np.concatenate([scores.ravel() for _, scores in met])
        if not (every >= 0).all() or not (every <= 1).all():
            raise ValueError(f"a game scores from 0 to 1, not {every.min():g} to {every.max():g}")
        won, lost = int(np.count_nonzero(every == 1)), int(np.count_nonzero(every == 0))
        _, block = np.unique(np.concatenate([numbers for numbers, _ in met]), return_inverse=True)
        sizes = [np.full(len(scores), scores.shape[1]) for _, scores in met]
        due = [scores.mean() * size for (_, scores), size in zip(met, sizes, strict=True)]
        told = ([scores.sum(axis=1) for _, scores in met], sizes, due)
        points, games, luckless = (np.bincount(block, np.concatenate(part)).astype(float) for part in told)
        mean, effective = float(points.sum() / every.size), effective_games(points, games, luckless, len(block))
        return cls(every.size, len(games), won, every.size - won - lost, lost, mean, effective)

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the mean score: Wilson's, over the effective number of games."""
        return wilson(self.mean, self.effective_games)

    @property
    def elo(self) -> float:
        """Elo difference of the smoothed score, which is finite even if every game was won."""
        return elo(self._smoothed)

    @property
    def elo_interval(self) -> tuple[float, float]:
        """`interval` in Elo. After a clean sweep it is that of the smoothed score, so both ends are finite."""
        swept = self.mean in (0, 1)
        low, high = wilson(self._smoothed, self.effective_games + 1) if swept else self.interval
        return elo(low), elo(high)

    @property
    def p_better(self) -> float:
        """Probability that the true mean exceeds 1/2, by the normal approximation that Wilson's interval inverts.

        The spread is that of equal agents, so that a few wins in a row do not convince too much. It is never exactly 0
        or 1.
        """
        return float(_normal(np.array((2 * self._smoothed - 1) * math.sqrt(self.effective_games + 1))))

    @property
    def _smoothed(self) -> float:
        """Mean after one more tied game. Half a win and half a loss keep a sweep away from certainty."""
        return (self.mean * self.effective_games + 0.5) / (self.effective_games + 1)

    def __str__(self) -> str:
        low, high = self.interval
        share = f"{100 * self.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        count = f"W {self.won:,} D {self.drawn:,} L {self.lost:,}"
        return f"{share}  {count}  ({evidence(self.games, self.blocks)})"


def evidence(games: int, blocks: int) -> str:
    """The amount of evidence: `2,000 games in 1,000 pairs`."""
    return f"{counted(games, 'game')} in {counted(blocks, 'pair' if games == 2 * blocks else 'block')}"


def effective_games(points: Array, games: Array, due: Array | None = None, pieces: int | None = None) -> float:
    """Number of independent games that would fix the mean as well as these blocks do, given their points and games. For
    blocks joined of several `pieces`, `due` has the points that were expected, since not all pieces have the same
    mean.

    It is the number of games divided by the design effect: the variance of the mean that the blocks show, divided by
    the variance of independent games. The effect is below 1 if openings cancel inside blocks or games are tied, above 1
    if games of a block repeat each other, and 1 if nothing can be said: after few blocks or a clean sweep. An outcome
    that none of n blocks showed may still happen in about 4/n of them (two-sided rule of three), so even perfect
    cancelling leaves some variance.
    """
    n, total = len(games), float(games.sum())
    mean = float(points.sum()) / total
    if n < ENOUGH_BLOCKS or mean in (0, 1):
        return total
    surplus = float(((points - (mean * games if due is None else due)) ** 2).sum())
    observed = surplus * n / (n - 1) / (total * mean * (1 - mean))
    return total / max(observed, 4 * total / (pieces or n) ** 2)


PairScores = tuple[int, int, Array]
"""Agents i and j, and i's scores in 0..1: a row for each block, NaN in blocks that were not played."""


@dataclass(frozen=True)
class Rating:
    """An agent's place in a league: Elo above the league's mean, its 95 % interval, games and mean score."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    superiority: tuple[float, ...]
    """Probability of being stronger than each agent of the league, in the order of the ratings."""
    apart: tuple[float, ...]  # standard error of the difference to each agent, in Elo


def ratings(names: Sequence[str], meetings: Sequence[PairScores], prior: float = 2.0) -> list[Rating]:
    """Bradley-Terry Elo of every agent, best first, fitted on all games at once. A tie is half a win.

    Weak prior: each agent also ties `prior` > 0 virtual games with an agent rated 0. It keeps the unbeaten finite,
    relates groups that never met, and shrinks the span of short leagues a little. Ratings have mean 0. Their 95 %
    intervals rest on blocks: row k is the same block in every meeting.
    """
    if not (n := len(names)):
        return []
    points = np.zeros((n, n))
    meetings = [(i, j, np.asarray(scores, float)) for i, j, scores in meetings]
    for i, j, scores in meetings:
        points[i, j] += np.nansum(scores)
        points[j, i] += np.nansum(1 - scores)
    strength, information = _fit_bradley_terry(points, prior)
    to_elo = ELO_PER_LOGIT * (np.eye(n) - 1 / n)
    response = to_elo @ np.linalg.inv(information)
    covariance = response @ _covariance_of_points(meetings, strength, prior) @ response.T
    elos, variance = to_elo @ strength, np.diag(covariance)
    reach = Z95 * np.sqrt(variance)
    order = np.argsort(-elos, kind="stable")
    apart = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, TINY))
    superiority = _normal((elos[:, None] - elos) / apart)[:, order]
    games = (points + points.T).sum(axis=1)
    means = np.divide(points.sum(axis=1), games, out=np.full(n, 0.5), where=games > 0)
    table = []
    for a in order.tolist():
        rated, far = float(elos[a]), float(reach[a])
        compared = tuple(superiority[a].tolist()), tuple(apart[a, order].tolist())
        table.append(Rating(names[a], rated, rated - far, rated + far, round(games[a]), float(means[a]), *compared))
    return table


def _covariance_of_points(meetings: Sequence[PairScores], strength: Array, prior: float) -> Array:
    """Estimate how the agents' points would vary together over other blocks. Start from independent games.

    A meeting's points vary by its effective number of games, at the score that its ratings expect, so a clean sweep
    varies too. An agent that an opening suits does well there at every table, so meetings vary together as their
    surplus in the same blocks did, if there are enough blocks.
    """
    n = len(strength)
    virtual_win = logistic(strength)
    covariance = np.diag(prior * virtual_win * (1 - virtual_win))
    surplus = np.zeros((max((len(scores) for _, _, scores in meetings), default=0), n))
    for i, j, scores in meetings:
        played = ~np.isnan(scores).any(axis=1)
        blocks, width = int(played.sum()), scores.shape[1]
        if not blocks * width:
            continue
        points = scores.sum(axis=1)
        beyond = np.where(played, points - points[played].mean(), 0.0)
        win = float(logistic(strength[i] - strength[j]))
        variance = (blocks * width) ** 2 * win * (1 - win) / effective_games(points[played], np.full(blocks, width))
        seen = float((beyond**2).sum())
        if blocks < ENOUGH_BLOCKS or seen == 0:
            covariance[[i, j], [i, j]] += variance
            covariance[[i, j], [j, i]] -= variance
        else:
            beyond *= math.sqrt(variance / seen)
            surplus[: len(beyond), i] += beyond
            surplus[: len(beyond), j] -= beyond
    covariance += surplus.T @ surplus
    return covariance


def _fit_bradley_terry(points: Array, prior: float) -> tuple[Array, Array]:
    """Most probable strengths in logits, and the information (inverse covariance) there, by Newton's method.

    Steps are shortened by log(1 + d) / d, where d is the largest change of any difference. On logistic likelihoods this
    converges from anywhere without a line search, however one-sided the results are.
    """
    games = points + points.T
    strength = np.zeros(len(points))
    for _ in range(200):
        win = logistic(strength[:, None] - strength)
        virtual_win = logistic(strength)
        slope = (points - games * win).sum(axis=1) + prior * (0.5 - virtual_win)
        shared = games * win * (1 - win)
        information = np.diag(shared.sum(axis=1) + prior * virtual_win * (1 - virtual_win)) - shared
        step = np.linalg.solve(information, slope)
        change = float(np.ptp(np.append(step, 0.0)))
        if change < 1e-9:
            break
        strength += step * math.log1p(change) / change
    return strength, information


def logistic(x: Array) -> Array:
    """Chance to win for an agent that is `x` logits stronger, without overflow."""
    win: Array = (1 + np.tanh(x / 2)) / 2
    return win


def _normal(deviations: Array) -> Array:
    """Probability that a standard normal is below `x`; never exactly 0 or 1."""
    below: Array = np.vectorize(lambda x: math.erfc(-x / math.sqrt(2)) / 2, otypes=[float])(deviations)
    return np.clip(below, TINY, 1 - TINY)
