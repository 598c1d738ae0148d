"""Ratings of games for more than two: order of places, mean place, and share of first places.

The model is Plackett-Luce: first place is drawn among all seats in proportion to their strengths, then second place
among the rest, and so on. Seats that share a place stand for all orders that they could have had: the log likelihood is
the mean over these orders. With two seats this is Bradley-Terry with a tie as half a win.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sparring.statistics.intervals import ELO_PER_LOGIT, ENOUGH_BLOCKS, Array, effective_games, logistic, wilson

Ints = npt.NDArray[np.int64]

REFITS = 1000
BUNDLES = 1000
"""With more blocks than this, blocks are bundled: a thousand bundles show the variation as well as a million blocks."""
NUMBERS_AT_ONCE = 4_000_000
MOST_STEPS = 100
EXACT, CLOSE = 1e-9, 1e-3
LEAST_WEIGHT = 1e-6
TAILS = (0.025, 0.975)


@dataclass(frozen=True)
class Placing:
    """An agent's place in a league of tables, each figure with its 95 % interval.

    `elo` is above the league's mean. `place` is the mean place of its seats; 1 is best, and shared places are split.
    `wins` is the share of first places of its seats; shared wins are split.
    """

    name: str
    elo: float
    low: float
    high: float
    seats: int
    place: float
    place_low: float
    place_high: float
    wins: float
    wins_low: float
    wins_high: float
    superiority: tuple[float, ...]
    """Probability of being stronger than each agent of the league, in the order of the placings."""


def placings(
    names: Sequence[str],
    seats: npt.ArrayLike,
    scores: npt.ArrayLike,
    blocks: npt.ArrayLike,
    prior: float = 2.0,
    seed: int = 0,
) -> list[Placing]:
    """Rate every agent, best first, on all games at once: a row for each game, a column for each seat.

    `seats` has the agent of each seat, -1 for an empty one. The higher of two `scores` is the better place. Games with
    the same number in `blocks` share their luck. Prior: each agent also ties `prior` > 0 virtual games with an agent
    rated 0. Intervals of ratings come from refits with random weights for all blocks and for the virtual games. Those
    of places and wins are Wilson's over the effective number of seats. With fewer than 30 blocks, games count as
    independent.
    """
    if not (n := len(names)):
        return []
    agents = np.asarray(seats, np.int64)
    unit = np.unique(np.asarray(blocks), return_inverse=True)[1]
    if unit.max(initial=0) + 1 < ENOUGH_BLOCKS:
        unit = np.arange(len(agents))
    pattern, tables, ahead, level = _patterns(agents, np.asarray(scores, float))
    elos, refits = _elos(n, tables, ahead, pattern, unit % BUNDLES, prior, seed)
    low, high = np.quantile(refits, TAILS, axis=0)
    above = (refits[:, :, None] > refits[:, None]).sum(axis=0) + len(refits) / 2 * np.eye(n)
    order = np.argsort(-elos, kind="stable")
    superiority = ((above + 0.5) / (len(refits) + 1))[:, order]

    taken, first = tables >= 0, ahead == 0
    rivals = np.maximum(taken.sum(axis=1, keepdims=True) - 1, 1) * taken
    behind = np.where(taken, (ahead + level / 2) / np.maximum(rivals, 1), 0)
    winner = first / np.maximum(first.sum(axis=1, keepdims=True), 1)
    where = unit[:, None] * n + np.maximum(tables, 0)[pattern]
    sat, met, beaten, won = (
        _sums(where, figure[pattern], int(unit.max(initial=-1)) + 1, n) for figure in (taken, rivals, behind, winner)
    )
    found = []
    for a in order:
        seated = sat[:, a]
        rating = float(elos[a]), float(min(low[a], elos[a])), float(max(high[a], elos[a]))
        mean_rivals = float(met[:, a].sum() / max(1, seated.sum()))
        place, place_low, place_high = (1 + mean_rivals * share for share in _mean(beaten[:, a], seated))
        wins = _mean(won[:, a], seated)
        better = tuple(superiority[a].tolist())
        found.append(Placing(names[a], *rating, int(seated.sum()), place, place_low, place_high, *wins, better))
    return found


def _mean(points: Array, seats: Array) -> tuple[float, float, float]:
    """Mean and interval of a figure in 0..1, from its sum and the number of seats in each unit."""
    played = seats > 0
    if not played.any():
        return 0.5, 0.0, 1.0
    mean = float(points.sum() / seats.sum())
    return mean, *wilson(mean, effective_games(points[played], seats[played]))


def _patterns(seats: Ints, scores: Array) -> tuple[Ints, Ints, Ints, Ints]:
    """Group games that ended alike into patterns: a pattern for each game, and for each pattern, in no order of seats,
    the agents, the number of seats before each (-1 at empty seats), and the number of others level with it."""
    taken, width = seats >= 0, seats.shape[1]
    scores = np.where(taken, scores, -np.inf)
    places = np.zeros(seats.shape, np.int64)
    for other in scores.T:
        places += other[:, None] > scores
    pattern, patterns = _alike(np.sort(np.where(taken, seats * width + places, -1), axis=1))
    tables, ahead = patterns // width, np.where(patterns < 0, -1, patterns % width)
    level = np.zeros(tables.shape, np.int64)
    for place in ahead.T:
        level += place[:, None] == ahead
    return pattern, tables, ahead, level - 1


def _elos(
    n: int, tables: Ints, ahead: Ints, pattern: Ints, bundle: Ints, prior: float, seed: int
) -> tuple[Array, Array]:
    """The most probable ratings, and those of refits with random weights: Rubin's Bayesian bootstrap.

    The virtual games have random weights too. Every refit leaves the unbeaten unbeaten, so their interval comes from
    these weights.
    """
    bundles = int(bundle.max(initial=-1)) + 1
    cell, games = np.unique(bundle * len(tables) + pattern, return_counts=True)
    bundle, pattern = np.divmod(cell, max(1, len(tables)))
    tables, ahead = tables[pattern], ahead[pattern]
    sets, drawn = _choices(n, tables, ahead, games, bundle, bundles)
    where = bundle[:, None] * n + np.maximum(tables, 0)
    wins = _sums(where, np.where(tables < 0, 0, games[:, None]), bundles, n)

    rng = np.random.default_rng(seed)
    random = rng.standard_exponential((REFITS, bundles))
    virtual = np.maximum(rng.standard_gamma(prior / 2, (REFITS, 2, n)), LEAST_WEIGHT)
    mean = _fit(sets, drawn.sum(axis=0)[None], wins.sum(axis=0)[None], np.full((1, 2, n), prior / 2), np.zeros((1, n)))
    strengths = [mean]
    for part in np.array_split(np.arange(REFITS), 1 + REFITS * sets.size // NUMBERS_AT_ONCE):
        strengths.append(_fit(sets, random[part] @ drawn, random[part] @ wins, virtual[part], mean, CLOSE))
    strength = np.concatenate(strengths)
    elos = ELO_PER_LOGIT * (strength - strength.mean(axis=1, keepdims=True))
    return elos[0], elos[1:]


def _choices(n: int, tables: Ints, ahead: Ints, games: Ints, bundle: Ints, bundles: int) -> tuple[Array, Array]:
    """The sets among which places were drawn, as seats of each agent, and how often in each bundle.

    Seats that share a place were drawn in any order. Each part of them was left, with all seats behind, in one of as
    many orders as there are parts of its size.
    """
    table, tables = _alike(tables)
    bits = 1 << np.arange(tables.shape[1])
    choices: list[tuple[Ints, Ints, Array]] = [(table[:0], bundle[:0], np.zeros(0))]
    for place in range(len(bits)):
        tied, behind = (ahead == place) @ bits, (ahead > place) @ bits
        order = np.argsort(tied, kind="stable")
        for alike in np.split(order, np.flatnonzero(np.diff(tied[order])) + 1):
            group = int(tied[alike[0]]) if alike.size else 0
            base = table[alike] << len(bits) | behind[alike]
            for part in _parts(group):
                orders = math.comb(group.bit_count(), part.bit_count())
                choices.append((base | part, bundle[alike], games[alike] / orders))
    left, bundle, weight = (np.concatenate(column) for column in zip(*choices, strict=True))
    used = np.zeros(len(tables) << len(bits), bool)
    used[left] = True
    distinct = np.flatnonzero(used)
    members = np.zeros((len(distinct), n), np.int64)
    for seat, bit in enumerate(bits):
        present = np.flatnonzero(distinct & bit)
        members[present, tables[distinct[present] >> len(bits), seat]] += 1
    number, sets = _alike(members)
    set_of = np.zeros(len(used), np.int64)
    set_of[distinct] = number
    return sets.astype(float), _sums(bundle * len(sets) + set_of[left], weight, bundles, len(sets))


def _sums(where: Ints, figures: npt.NDArray[np.generic], rows: int, columns: int) -> Array:
    """Sum figures by cell into a table, whose cells are counted row by row."""
    sums = np.bincount(where.ravel(), figures.ravel().astype(float), rows * columns)
    return sums.astype(float).reshape(rows, columns)


def _parts(group: int) -> Iterator[int]:
    """Every part of a group of seats except the empty one, as sets of bits."""
    part = group
    while part:
        yield part
        part = (part - 1) & group


def _alike(rows: Ints) -> tuple[Ints, Ints]:
    """A number for each row, the same for equal rows, and a row for each number."""
    base = int(rows.max(initial=0)) + 2
    number, numbers = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        if numbers > np.iinfo(np.int64).max // base:
            distinct, number = np.unique(number, return_inverse=True)
            numbers = len(distinct)
        number, numbers = number * base + column + 1, numbers * base
    _, example, number = np.unique(number, return_index=True, return_inverse=True)
    return number, rows[example]


def _fit(sets: Array, drawn: Array, wins: Array, virtual: Array, strength: Array, accuracy: float = EXACT) -> Array:
    """Most probable strengths in logits by Newton's method; every row is a separate fit.

    Steps are shortened as in the fit of Bradley-Terry ratings: larger sets obey the same bound.
    """
    n = wins.shape[1]
    for _ in range(MOST_STEPS):
        power = np.exp(strength - strength.max(axis=1, keepdims=True))
        total = power @ sets.T
        rate = drawn / total
        expected = power * (rate @ sets)
        rate /= total
        virtual_win = logistic(strength)
        against = virtual.sum(axis=1) * virtual_win
        slope = wins - expected + virtual[:, 0] - against
        shared = (rate[:, None] * sets.T) @ sets
        information = (expected + against * (1 - virtual_win))[:, :, None] * np.eye(n)
        information = information - power[:, :, None] * shared * power[:, None]
        step = np.linalg.solve(information, slope[:, :, None])[:, :, 0]
        change = np.maximum(step.max(axis=1), 0) - np.minimum(step.min(axis=1), 0)
        strength = strength + step * (np.log1p(change) / np.maximum(change, np.finfo(float).tiny))[:, None]
        if (change < accuracy).all():
            break
    return strength
