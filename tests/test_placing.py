"""Plackett-Luce ratings, places and win shares against Bradley-Terry, worked values and simulated truth."""

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.statistics.intervals import ELO_PER_LOGIT, ratings
from sparring.statistics.plackett_luce import Placing, placings

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Games = tuple[Ints, Array, Ints]


def simulated(elos: list[float], blocks: int, seed: int = 1, taste: float = 0, step: float = 0) -> Games:
    """One game for every rotation of all agents in each block. An opening suits agents by a deviation of `taste`;
    scores are rounded to `step`, so that places are shared; all in Elo."""
    rng = np.random.default_rng(seed)
    n = len(elos)
    seats = np.array([np.roll(np.arange(n), turn) for turn in range(n)] * blocks)
    block = np.repeat(np.arange(blocks), n)
    strength = np.array(elos) + rng.normal(0, taste, (blocks, n))
    scores = strength[block[:, None], seats] + ELO_PER_LOGIT * rng.gumbel(size=seats.shape)
    return seats, np.floor(scores / step) if step else scores, block


def by_name(found: list[Placing]) -> dict[str, Placing]:
    return {placing.name: placing for placing in found}


@pytest.mark.parametrize("results", [[0.0, 1.0], [0.0, 0.5, 1.0]])
def test_with_two_seats_the_ratings_are_those_of_bradley_terry(results: list[float]) -> None:
    rng = np.random.default_rng(1)
    meetings = [(i, j, rng.choice(results, (50, 2))) for i, j in itertools.combinations(range(4), 2)]
    seats = np.concatenate([np.repeat([[i, j]], scores.size, axis=0) for i, j, scores in meetings])
    score = np.concatenate([scores.ravel() for _, _, scores in meetings])
    found = placings("abcd", seats, np.stack([score, 1 - score], axis=1), np.arange(600) // 2)
    for placing, rating in zip(found, ratings("abcd", meetings), strict=True):
        assert (placing.name, placing.seats) == (rating.name, rating.games)
        assert placing.elo == pytest.approx(rating.elo, abs=1e-6)
        assert placing.wins == pytest.approx(rating.score)
        assert placing.place == pytest.approx(2 - rating.score)
        assert placing.high - placing.low == pytest.approx(rating.high - rating.low, rel=0.25)


def log_likelihood(strength: Array, seats: tuple[int, ...], scores: tuple[float, ...]) -> float:
    """By definition: the mean over all orders that the places allow."""
    orders = [
        order
        for order in itertools.permutations(range(len(seats)))
        if all(scores[one] >= scores[two] for one, two in itertools.pairwise(order))
    ]
    power = np.exp(strength[list(seats)])
    return float(
        np.mean([sum(math.log(power[o[k]] / power[list(o[k:])].sum()) for k in range(len(o))) for o in orders])
    )


def test_shared_places_stand_for_all_orders_they_allow() -> None:
    """The ratings are where the posterior, written down by its definition, is highest."""
    games = [
        ((0, 1, 2, 1), (3, 1, 1, 2)),
        ((2, 0, 1, 1), (5, 5, 5, 0)),
        ((1, 2, 0, 0), (1, 1, 1, 1)),
        ((0, 2, 1, 2), (4, 3, 3, 4)),
    ]
    seats, scores = (np.array(column) for column in zip(*games, strict=True))
    found = by_name(placings("012", seats, scores, np.arange(4)))
    elos = np.array([found[name].elo for name in "012"])

    def posterior(strength: Array) -> float:
        prior = float((strength - 2 * np.log1p(np.exp(strength))).sum())
        return prior + sum(log_likelihood(strength, *game) for game in games)

    # the prior says where the mean is, which is left out
    low, high = elos / ELO_PER_LOGIT - 1, elos / ELO_PER_LOGIT + 1
    while high[0] - low[0] > 1e-9:
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (left, high) if posterior(left) < posterior(right) else (low, right)
    for direction in np.random.default_rng(0).normal(0, 1e-3, (100, 3)):
        assert posterior(low + direction) < posterior(low) + 1e-9


def test_an_agent_may_sit_in_several_seats() -> None:
    seats = np.repeat([[0, 0, 1], [1, 0, 0]], 100, axis=0)
    scores = np.random.default_rng(2).random((200, 3))
    found = by_name(placings(["often", "once"], seats, scores, np.arange(200)))
    assert (found["often"].seats, found["once"].seats) == (400, 200)
    assert found["often"].wins * 400 + found["once"].wins * 200 == pytest.approx(200)
    assert found["often"].low < 0 < found["often"].high


def test_empty_seats_count_for_nothing() -> None:
    seats, scores, blocks = simulated([100, 0, -100], 40)
    full = placings("abc", seats, scores, blocks)
    empty = np.full((len(seats), 1), -1)
    wider = np.hstack([seats[:, :1], empty, seats[:, 1:]])
    assert placings("abc", wider, np.hstack([scores[:, :1], empty + 9e9, scores[:, 1:]]), blocks) == full


def test_the_order_of_games_and_seats_does_not_matter() -> None:
    seats, scores, blocks = simulated([100, 0, -100], 40, step=100)
    order = np.random.default_rng(1).permutation(len(seats))
    again = placings("abc", seats[order, ::-1], scores[order, ::-1], blocks[order])
    for one, two in zip(placings("abc", seats, scores, blocks), again, strict=True):
        assert (one.elo, one.low, one.high) == pytest.approx((two.elo, two.low, two.high))
        assert (one.place, one.wins, one.wins_low) == pytest.approx((two.place, two.wins, two.wins_low))


def test_only_the_order_of_scores_matters() -> None:
    seats, scores, blocks = simulated([100, 0, -100], 40, step=100)
    assert placings("abc", seats, np.exp(scores / 400), blocks) == placings("abc", seats, scores, blocks)


def test_places_and_wins_are_split_when_shared() -> None:
    found = by_name(placings("abc", [[0, 1, 2], [0, 1, 2]], [[2, 2, 1], [3, 0, 0]], [0, 1]))
    assert [found[name].place for name in "abc"] == pytest.approx([1.25, 2.0, 2.75])
    assert [found[name].wins for name in "abc"] == pytest.approx([0.75, 0.25, 0.0])


def test_an_unbeaten_agent_keeps_sane_intervals() -> None:
    seats, scores, blocks = simulated([100, 0, -100], 40)
    scores[seats == 0] += 1e6
    best = placings("abc", seats, scores, blocks)[0]
    assert best.name == "a"
    assert (best.place, best.wins) == (1, 1)
    assert 1.01 < best.place_high < 1.2
    assert 0.9 < best.wins_low < 0.99
    assert 300 < best.high - best.low < 1500


def test_a_league_without_games_knows_nothing() -> None:
    nothing = placings("ab", np.zeros((0, 3), int), np.zeros((0, 3)), np.zeros(0, int))
    assert [(placing.elo, placing.seats) for placing in nothing] == [(0, 0), (0, 0)]
    assert nothing[0].low < -100
    assert placings([], np.zeros((0, 3), int), np.zeros((0, 3)), np.zeros(0, int)) == []


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(2, 5), st.sampled_from([1, 2, 100]))
def test_every_figure_is_finite_and_inside_its_interval(seed: int, games: int, width: int, scores: int) -> None:
    rng = np.random.default_rng(seed)
    seats = rng.integers(-1, 4, (games, width))
    for one in placings("abcd", seats, rng.integers(scores, size=seats.shape), rng.integers(40, size=games)):
        assert -math.inf < one.low <= one.elo <= one.high < math.inf
        assert one.place_low <= one.place <= one.place_high
        assert 0 <= one.wins_low <= one.wins <= one.wins_high <= 1


def test_superiority_and_inferiority_add_up_to_certainty() -> None:
    matrix = np.array([placing.superiority for placing in placings("abc", *simulated([40, 0, -40], 40))])
    assert np.diag(matrix) == pytest.approx(0.5)
    assert matrix + matrix.T == pytest.approx(np.ones((3, 3)))
    assert (matrix[np.triu_indices(3, 1)] > 0.5).all()


def test_openings_that_suit_an_agent_widen_its_interval() -> None:
    seats, scores, blocks = simulated([0.0] * 4, 200, taste=300)
    together = placings("abcd", seats, scores, blocks)[0]
    apart = placings("abcd", seats, scores, np.arange(len(seats)))[0]
    assert together.high - together.low > 1.3 * (apart.high - apart.low)
    assert together.wins_high - together.wins_low > 1.3 * (apart.wins_high - apart.wins_low)


@pytest.mark.parametrize(("blocks", "taste"), [(8, 0.0), (60, 200.0)])
def test_intervals_cover_the_truth_95_times_in_100(blocks: int, taste: float) -> None:
    found = [p for seed in range(60) for p in placings("abcd", *simulated([0.0] * 4, blocks, seed, taste))]
    assert np.mean([p.low <= 0 <= p.high for p in found]) == pytest.approx(0.95, abs=0.04)
    assert np.mean([p.place_low <= 2.5 <= p.place_high for p in found]) == pytest.approx(0.95, abs=0.04)
    assert np.mean([p.wins_low <= 0.25 <= p.wins_high for p in found]) == pytest.approx(0.95, abs=0.04)
