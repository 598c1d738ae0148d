"""What results prove: intervals and Elo of a match, ratings of a league.

Everything here is a pure function of finished games, of all of them at once, so neither the order in which
games end nor an interrupted run can change a number. One-sided results keep finite and honestly wide answers.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from sparring.core.table import counted

Array = npt.NDArray[np.float64]

Z95 = 1.96
ELO_PER_LOGIT = 400 / math.log(10)
ENOUGH_BLOCKS = 30
TINY = sys.float_info.epsilon


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
    def of(cls, blocks: Array | Iterable[Sequence[float]]) -> Score:
        """Count the first agent's scores from 0 to 1, neither of which is a draw; blocks without a finished game do not
        count."""
        if isinstance(blocks, np.ndarray) and blocks.ndim == 2:
            scores, sizes = blocks.ravel().astype(float), np.full(len(blocks) if blocks.size else 0, blocks.shape[1])
        else:
            played = [block for block in blocks if len(block)]
            scores, sizes = np.fromiter(chain.from_iterable(played), float), np.array([len(b) for b in played], int)
        if not scores.size:
            return cls(0, 0, 0, 0, 0, 0.5, 0.0)
        if not (scores >= 0).all() or not (scores <= 1).all():
            raise ValueError(f"a game scores from 0 to 1, not {scores.min():g} to {scores.max():g}")
        won, lost = int(np.count_nonzero(scores == 1)), int(np.count_nonzero(scores == 0))
        points = np.add.reduceat(scores, np.cumsum(sizes) - sizes)
        mean = float(points.sum() / scores.size)
        return cls(scores.size, len(sizes), won, scores.size - won - lost, lost, mean, effective_games(points, sizes))

    @classmethod
    def over(cls, tables: Sequence[tuple[Array, Array]]) -> Score:
        """The scores of several tables together, each given by the numbers of its blocks and their scores. Blocks of
        one number have one opening, which may suit an agent at every table: together they are one block. How easy an
        opponent is, is no luck: what counts as luck is measured from the mean of each table."""
        met = [(numbers, scores, cls.of(scores)) for numbers, scores in tables if scores.size]
        if not met:
            return cls.of([])
        sizes = [np.full(len(scores), scores.shape[1]) for _, scores, _ in met]
        due = [one.mean * size for (_, _, one), size in zip(met, sizes, strict=True)]
        _, block = np.unique(np.concatenate([numbers for numbers, _, _ in met]), return_inverse=True)
        told = ([scores.sum(axis=1) for _, scores, _ in met], sizes, due)
        points, games, luckless = (np.bincount(block, np.concatenate(part)).astype(float) for part in told)
        won, drawn, lost = (sum(getattr(one, name) for _, _, one in met) for name in ("won", "drawn", "lost"))
        mean, effective = float(points.sum() / games.sum()), effective_games(points, games, luckless, len(block))
        return cls(int(games.sum()), len(games), won, drawn, lost, mean, effective)

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
        return float(_normal(np.array(deviations)))

    @property
    def _smoothed(self) -> float:
        """Mean after one more, drawn game: half a win and half a loss keep a sweep away from certainty."""
        return (self.mean * self.effective_games + 0.5) / (self.effective_games + 1)

    def __str__(self) -> str:
        low, high = self.interval
        share = f"{100 * self.mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
        count = f"W {self.won:,} D {self.drawn:,} L {self.lost:,}"
        return f"{share}  {count}  ({evidence(self.games, self.blocks)})"


def evidence(games: int, blocks: int) -> str:
    """`2,000 games in 1,000 pairs`."""
    return f"{counted(games, 'game')} in {counted(blocks, 'pair' if games == 2 * blocks else 'block')}"


def effective_games(points: Array, games: Array, due: Array | None = None, pieces: int | None = None) -> float:
    """How many independent games would fix the mean as well as these blocks, given by their points and games. Blocks
    that are put together of several `pieces` also tell what points were `due`: not all pieces have the same mean.

    It is the number of games over the design effect: the variance of the mean as the blocks show it, over the
    one Wilson assumes of independent games. That is below 1 when openings cancel inside blocks or games are
    drawn, above 1 when a block's games repeat each other; 1 when there is no telling, after few blocks or a
    clean sweep. What none of n blocks showed may yet happen in about 4/n of them (two-sided rule of three),
    so even perfect cancelling leaves some variance.
    """
    n, total = len(games), float(games.sum())
    mean = float(points.sum()) / total
    if n < ENOUGH_BLOCKS or mean in (0, 1):
        return total
    surplus = float(((points - (mean * games if due is None else due)) ** 2).sum())
    observed = surplus * n / (n - 1) / (total * mean * (1 - mean))
    return total / max(observed, 4 * total / (pieces or n) ** 2)


Meeting = tuple[int, int, Array]
"""Agents i and j, and i's scores in 0..1: a row for each block, NaN in the blocks that were not played."""


@dataclass(frozen=True)
class Rating:
    """One agent's place in a league: Elo above the league's mean, its 95 % interval, games and mean score."""

    name: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    superiority: tuple[float, ...]
    """Probability of being stronger than each agent of the league, in the order of the ratings."""
    apart: tuple[float, ...]
    """Standard error of the difference to each, in Elo."""


def ratings(names: Sequence[str], meetings: Sequence[Meeting], prior: float = 2.0) -> list[Rating]:
    """Bradley-Terry Elo of every agent, best first, fitted on all games at once; a draw is half a win.

    Weak prior: each agent also draws `prior` > 0 virtual games against one rated 0. It keeps the unbeaten
    finite, relates groups that never met, and shrinks the span of short leagues a little. Ratings have mean
    0; 95 % intervals rest on blocks, of which row k is the same one in every meeting.
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
    return [
        Rating(
            names[a],
            float(elos[a]),
            float(elos[a] - reach[a]),
            float(elos[a] + reach[a]),
            round(games[a]),
            float(means[a]),
            tuple(superiority[a].tolist()),
            tuple(apart[a, order].tolist()),
        )
        for a in order
    ]


def _covariance_of_points(meetings: Sequence[Meeting], strength: Array, prior: float) -> Array:
    """How the agents' points would vary together over other blocks: by the information, were games independent.

    A meeting's points vary by its effective number of games, at the score its ratings expect, so a clean sweep
    varies too. An agent that an opening suits does well there at every table: meetings vary together as their
    surplus in the same blocks did, once there are enough blocks to tell.
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
        sizes = np.full(blocks, width)
        variance = (blocks * width) ** 2 * win * (1 - win) / effective_games(points[played], sizes)
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

    Steps are shortened by log(1 + d) / d, d being the largest change of any difference: on logistic
    likelihoods this converges from anywhere, however one-sided the results, without a line search.
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
    """Chance to win when `x` logits stronger, written so as not to overflow."""
    win: Array = (1 + np.tanh(x / 2)) / 2
    return win


def _normal(deviations: Array) -> Array:
    """Probability that a standard normal is below; never exactly 0 or 1."""
    doubt = np.vectorize(lambda x: math.erfc(x / math.sqrt(2)) / 2, otypes=[float])(np.abs(deviations))
    doubt = np.maximum(doubt, TINY)
    below: Array = np.where(deviations > 0, 1 - doubt, doubt)
    return below
