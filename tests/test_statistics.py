"""Intervals, Elo and ratings against values worked out by hand and against simulated truth."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.statistics.intervals import (
    ELO_PER_LOGIT,
    Array,
    PairScores,
    Score,
    elo,
    evidence,
    expected,
    logistic,
    ratings,
    wilson,
)

A_WINS, DRAW, B_WINS = 1.0, 0.5, 0.0
outcomes = st.sampled_from([A_WINS, DRAW, B_WINS])
matches = st.lists(st.lists(outcomes, min_size=2, max_size=2), max_size=80)


def simulated_blocks(seed: int, bias: float, blocks: int = 200) -> list[list[float]]:
    """Pairs between equal agents whose opening wins for the seat it favours with probability 1/2 + bias."""
    rng = random.Random(seed)
    return [[float(rng.random() < 0.5 + lean) for lean in (bias, -bias)] for _ in range(blocks)]


def simulated_league(
    strengths: list[float], blocks: int, seed: int, bias: float = 0, taste: float = 0
) -> list[PairScores]:
    """Every pair of agents plays the same openings, which favour a seat by `bias` and suit agents by a deviation of
    `taste`, both in Elo."""
    rng = np.random.default_rng(seed)
    likes = rng.normal(0, taste, (len(strengths), blocks))
    sides = np.array([bias, -bias])
    return [
        (i, j, (rng.random((blocks, 2)) < chances).astype(float))
        for i in range(len(strengths))
        for j in range(i)
        for lead in [(strengths[i] - strengths[j] + likes[i] - likes[j])[:, None] + sides]
        for chances in [logistic(lead / ELO_PER_LOGIT)]
    ]


def pairs(*games: float) -> Array:
    """Games as blocks of two."""
    return np.reshape(games, (-1, 2))


def share_covered(truth: dict[str, float], leagues: list[list[PairScores]]) -> float:
    tables = [ratings(list(truth), league) for league in leagues]
    return float(np.mean([rating.low <= truth[rating.name] <= rating.high for table in tables for rating in table]))


@pytest.mark.parametrize(
    ("score", "n", "low", "high"),
    [
        (0.5, 100, 0.40383, 0.59617),
        (0.8, 10, 0.49016, 0.94332),
        (0.0, 10, 0.0, 0.27754),
        (1.0, 10, 0.72246, 1.0),
        (0.5, 0, 0.0, 1.0),
    ],
)
def test_wilson_gives_the_values_worked_out_by_hand(score: float, n: float, low: float, high: float) -> None:
    assert wilson(score, n) == pytest.approx((low, high), abs=1e-5)


@given(st.floats(0, 1), st.floats(0, 1e9))
def test_wilson_always_contains_the_score_and_stays_in_range(score: float, n: float) -> None:
    low, high = wilson(score, n)
    assert 0 <= low <= score <= high <= 1


def test_ten_to_one_odds_are_400_elo_and_certain_results_are_infinitely_far_apart() -> None:
    assert elo(10 / 11) == pytest.approx(400)
    assert (elo(0), elo(1), expected(-math.inf), expected(math.inf)) == (-math.inf, math.inf, 0, 1)


@given(st.floats(-2000, 2000))
def test_elo_and_expected_score_undo_each_other(difference: float) -> None:
    assert elo(expected(difference)) == pytest.approx(difference, abs=1e-6)


def test_a_match_reads_as_one_line() -> None:
    few = Score.of([[A_WINS, A_WINS], [A_WINS, DRAW], [B_WINS, A_WINS], [DRAW, DRAW]])
    assert evidence(2000, 1000) == "2,000 games in 1,000 pairs"
    assert evidence(3, 1) == "3 games in 1 block"
    assert str(few) == "68.8 % [35.6, 89.8]  W 4 D 3 L 1  (8 games in 4 pairs)"


def test_a_score_that_is_no_game_result_is_refused() -> None:
    with pytest.raises(ValueError, match=r"from 0 to 1, not 1 to 1\.3"):
        Score.of([[A_WINS, 1.3]])


def test_a_shared_first_place_is_a_draw() -> None:
    assert str(Score.of([[A_WINS, 0.25], [B_WINS, B_WINS]])).startswith("31.2 %")
    assert Score.of([[A_WINS, 0.25], [B_WINS, B_WINS]]).drawn == 1


def test_a_match_without_games_knows_nothing() -> None:
    nothing = Score.of([])
    assert nothing.interval == (0.0, 1.0)
    assert nothing.elo_interval == (-math.inf, math.inf)
    assert (nothing.elo, nothing.p_better) == (0.0, 0.5)


@given(matches)
def test_figures_lie_in_their_intervals_and_the_opponent_sees_them_mirrored(blocks: list[list[float]]) -> None:
    ours, theirs = Score.of(blocks), Score.of([[1 - score for score in block] for block in blocks])
    low, high = ours.interval
    assert 0 <= low <= ours.mean <= high <= 1
    low, high = ours.elo_interval
    assert low < ours.elo < high
    assert theirs.elo == pytest.approx(-ours.elo, abs=1e-6)
    assert theirs.p_better == pytest.approx(1 - ours.p_better)


@pytest.mark.parametrize("result", [A_WINS, B_WINS])
def test_a_clean_sweep_has_finite_elo_with_a_wide_interval(result: float) -> None:
    sweep = Score.of([[result, result]] * 100)
    low, high = sorted(map(abs, sweep.elo_interval))
    assert low > 600
    assert 400 < high - low < math.inf
    assert 0 < Score.of([[result, result]] * 500).p_better < 1
    assert 0.95 < abs(Score.of([[result]] * 5).p_better - (result == B_WINS)) < 0.99


def test_openings_that_decide_the_winner_cancel_inside_a_pair() -> None:
    paired, unpaired = Score.of([[A_WINS, B_WINS]] * 30), Score.of([[A_WINS], [B_WINS]] * 30)
    assert paired.mean == unpaired.mean == 0.5
    assert unpaired.interval[0] < paired.interval[0] < paired.interval[1] < unpaired.interval[1]
    low, high = Score.of([[A_WINS, B_WINS]] * 100).interval
    assert 0.03 < high - low < 0.05, "even perfect cancelling leaves an interval"
    assert Score.of([[A_WINS, DRAW]] * 60).effective_games == pytest.approx(900), "also where one agent is better"
    assert Score.of([[A_WINS, B_WINS]] * 29).effective_games == 58, "too few pairs for credit"
    repeated = Score.of([[A_WINS, A_WINS], [B_WINS, B_WINS]] * 50)
    assert repeated.effective_games == pytest.approx(100, rel=0.02), "pairs that repeat themselves count once"


@pytest.mark.parametrize("bias", [0.0, 0.2, 0.4])
def test_the_interval_covers_equal_agents_95_times_in_100(bias: float) -> None:
    intervals = [Score.of(simulated_blocks(seed, bias, blocks=60)).interval for seed in range(400)]
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) == pytest.approx(0.95, abs=0.02)


def met(seed: int, taste: float, blocks: int = 60) -> list[tuple[np.ndarray, np.ndarray]]:
    """Pairs of games against an easy, an equal and a hard opponent; an opening suits the agent at every table."""
    rng = np.random.default_rng(seed)
    suits = rng.choice([-taste, taste], blocks)
    chances = [np.repeat((mean + suits)[:, None], 2, axis=1) for mean in (0.75, 0.5, 0.25)]
    return [(np.arange(blocks), (rng.random(chance.shape) < chance).astype(float)) for chance in chances]


@pytest.mark.parametrize("taste", [0.0, 0.2])
def test_the_interval_over_several_opponents_covers_the_truth_95_times_in_100(taste: float) -> None:
    intervals = [Score.over(met(seed, taste)).interval for seed in range(400)]
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) == pytest.approx(0.95, abs=0.02)


def test_an_opening_that_suits_an_agent_everywhere_is_one_piece_of_luck_and_an_easy_opponent_none() -> None:
    suited, plain = met(1, taste=0.24, blocks=400), met(1, taste=0.0, blocks=400)
    apart = [Score.of(np.concatenate([scores for _, scores in tables])) for tables in (suited, plain)]
    together = [Score.over(tables) for tables in (suited, plain)]
    assert together[0].effective_games < 0.9 * apart[0].effective_games
    assert together[1].effective_games > 1.1 * apart[1].effective_games
    assert [(one.games, one.won, one.lost, one.mean) for one in together] == [
        (one.games, one.won, one.lost, one.mean) for one in apart
    ]


def test_one_opponent_alone_or_none_is_as_ever() -> None:
    ((numbers, scores), *_) = met(1, taste=0.2)
    assert Score.over([(numbers, scores)]) == Score.of(scores)
    assert Score.over([(numbers[:0], scores[:0])]) == Score.over([]) == Score.of([])


def test_ratings_do_not_depend_on_the_order_of_meetings_blocks_and_agents() -> None:
    meetings = simulated_league([0, 50, 120], blocks=50, seed=3, taste=100)
    order = np.random.default_rng(0).permutation(50)
    mirrored = [(j, i, 1 - scores[order]) for i, j, scores in meetings[::-1]]
    for rating, again in zip(ratings("abc", meetings), ratings("abc", mirrored), strict=True):
        assert (rating.name, rating.elo, rating.games) == (again.name, pytest.approx(again.elo), again.games)
        assert (rating.low, rating.high) == pytest.approx((again.low, again.high))


def test_two_agents_are_rated_as_far_apart_as_their_score_says() -> None:
    assert ratings("ab", [(0, 1, pairs(DRAW, DRAW))]) == ratings("ab", [(0, 1, pairs(A_WINS, B_WINS))])
    best, worst = ratings("ab", [(0, 1, pairs(*[A_WINS] * 7500, *[B_WINS] * 2500))])
    assert best.elo - worst.elo == pytest.approx(elo(0.75), abs=0.1)


def test_the_best_comes_first_with_its_games_and_score() -> None:
    best = ratings(["slow", "fast"], [(0, 1, np.array([[B_WINS]])), (1, 0, np.array([[DRAW]]))])[0]
    assert (best.name, best.games, best.score) == ("fast", 2, 0.75)


@pytest.mark.parametrize("blocks", [10, 40])
def test_intervals_cover_the_truth_95_times_in_100(blocks: int) -> None:
    truth = {"a": 150.0, "b": 0.0, "c": -150.0}
    leagues = [simulated_league(list(truth.values()), blocks, seed) for seed in range(400)]
    assert share_covered(truth, leagues) == pytest.approx(0.95, abs=0.025)


@pytest.mark.parametrize(("bias", "taste"), [(300.0, 0.0), (0.0, 300.0)])
def test_intervals_know_that_the_games_of_a_block_belong_together(bias: float, taste: float) -> None:
    """Openings that decide games narrow them, openings that suit an agent at every table widen them."""
    leagues = [simulated_league([0.0] * 5, 60, seed, bias, taste) for seed in range(300)]
    assert share_covered(dict.fromkeys("abcde", 0.0), leagues) == pytest.approx(0.945, abs=0.025)


def test_blocks_not_played_at_a_table_are_left_out() -> None:
    meetings = simulated_league([0, 50, 120], blocks=50, seed=3)
    i, j, scores = meetings[0]
    missing = np.vstack([scores, np.full((20, 2), np.nan)])
    assert ratings("abc", [(i, j, missing), *meetings[1:]]) == ratings("abc", meetings)


def test_an_unbeaten_agent_has_a_finite_rating_and_a_wider_interval() -> None:
    unbeaten = ratings("ab", [(0, 1, np.ones((50, 2)))])[0]
    close = ratings("ab", [(0, 1, pairs(*[A_WINS, B_WINS] * 50))])[0]
    assert math.isfinite(unbeaten.elo)
    assert unbeaten.high - unbeaten.low > 4 * (close.high - close.low)


def test_a_ladder_of_a_million_clean_sweeps_converges() -> None:
    table = ratings("abcd", [(i, i + 1, np.ones((166_667, 2))) for i in range(3)])
    assert [rating.name for rating in table] == list("abcd")
    assert sum(rating.elo for rating in table) == pytest.approx(0, abs=1e-6)


def test_groups_that_never_met_are_rated_side_by_side() -> None:
    table = ratings("abcde", [(0, 1, np.array([[A_WINS]])), (2, 3, np.array([[A_WINS]]))])
    assert [rating.name for rating in table] == list("acebd")
    assert table[0].elo == pytest.approx(table[1].elo)


def test_a_league_without_games_knows_nothing() -> None:
    assert ratings([], []) == []
    table = ratings("ab", [(0, 1, np.zeros((0, 2)))])
    assert [(rating.elo, rating.games, rating.score) for rating in table] == [(0, 0, 0.5), (0, 0, 0.5)]
    assert table[0].low < -200


@given(st.integers(0, 2**32 - 1), st.integers(0, 60), st.sampled_from([-3000.0, -200.0, 0.0, 3000.0]))
def test_every_rating_is_finite_and_inside_its_interval(seed: int, blocks: int, lead: float) -> None:
    for rating in ratings("abc", simulated_league([lead, 0.0, -lead], blocks, seed)):
        assert -math.inf < rating.low < rating.elo < rating.high < math.inf


def test_superiority_and_inferiority_add_up_to_certainty() -> None:
    table = ratings("abc", simulated_league([0, 50, 120], blocks=50, seed=3))
    matrix = np.array([rating.superiority for rating in table])
    assert np.diag(matrix) == pytest.approx(0.5)
    assert matrix + matrix.T == pytest.approx(np.ones((3, 3)))
    assert (matrix[np.triu_indices(3, 1)] > 0.5).all()


def test_between_two_agents_superiority_is_much_like_p_better() -> None:
    scores = np.array(simulated_blocks(seed=5, bias=0.2))
    of_a = next(rating for rating in ratings("ab", [(0, 1, scores)]) if rating.name == "a")
    p_better = Score.of(scores).p_better
    assert sorted(of_a.superiority) == pytest.approx(sorted([0.5, p_better]), abs=0.01)
