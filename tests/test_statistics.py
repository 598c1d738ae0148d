"""Intervals, Elo and ratings against values worked out by hand and against simulated truth."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.arena.statistics import Score, elo, expected, ratings, wilson

A_WINS, DRAW, B_WINS = 1.0, 0.5, 0.0
outcomes = st.sampled_from([A_WINS, DRAW, B_WINS])
matches = st.lists(st.lists(outcomes, max_size=4), max_size=80)


def simulated_blocks(seed: int, bias: float, blocks: int = 200) -> list[list[float]]:
    """Pairs between equal agents whose opening wins for the seat it favours with probability 1/2 + bias."""
    rng = random.Random(seed)
    return [[float(rng.random() < 0.5 + lean) for lean in (bias, -bias)] for _ in range(blocks)]


def simulated_league(strengths: list[float], games: int, seed: int) -> list[tuple[int, int, float]]:
    """Every pair of agents plays `games` games, won with the probability their Elo says."""
    rng = random.Random(seed)
    return [
        (i, j, float(rng.random() < expected(strengths[i] - strengths[j])))
        for i in range(len(strengths))
        for j in range(i)
        for _ in range(games)
    ]


# Wilson's interval


@pytest.mark.parametrize(
    ("score", "n", "low", "high"),
    [
        (0.5, 100, 0.40383, 0.59617),
        (0.8, 10, 0.49016, 0.94332),
        (0.0, 10, 0.0, 0.27754),
        (1.0, 10, 0.72246, 1.0),
    ],
)
def test_wilson_gives_the_values_worked_out_by_hand(score: float, n: float, low: float, high: float) -> None:
    assert wilson(score, n) == pytest.approx((low, high), abs=1e-5)


def test_without_games_any_score_is_possible() -> None:
    assert wilson(0.5, 0) == (0.0, 1.0)


@given(st.floats(0, 1), st.floats(0, 1e9))
def test_wilson_always_contains_the_score_and_stays_in_range(score: float, n: float) -> None:
    low, high = wilson(score, n)
    assert 0 <= low <= score <= high <= 1


# Elo


def test_ten_to_one_odds_are_400_elo() -> None:
    assert elo(10 / 11) == pytest.approx(400)


def test_certain_results_are_infinitely_far_apart() -> None:
    assert (elo(0), elo(1), expected(-math.inf), expected(math.inf)) == (-math.inf, math.inf, 0, 1)


@given(st.floats(-2000, 2000))
def test_elo_and_expected_score_undo_each_other(difference: float) -> None:
    assert elo(expected(difference)) == pytest.approx(difference, abs=1e-6)


# One match


def test_a_match_reads_as_one_line() -> None:
    few = Score.of([[A_WINS, A_WINS], [A_WINS, DRAW], [B_WINS, A_WINS], [DRAW, DRAW]])
    assert str(few) == "68.8 % [35.6, 89.8]  W 4 D 3 L 1  (8 games in 4 pairs)"


def test_openings_not_yet_played_do_not_count() -> None:
    assert Score.of([[A_WINS, B_WINS], [], []]) == Score.of([[A_WINS, B_WINS]])


def test_a_score_that_is_no_game_result_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not \[0\.3\]"):
        Score.of([[A_WINS, 0.3]])


def test_a_match_without_games_knows_nothing() -> None:
    nothing = Score.of([])
    assert nothing.interval == (0.0, 1.0)
    assert nothing.elo_interval == (-math.inf, math.inf)
    assert (nothing.elo, nothing.p_better) == (0.0, 0.5)


@given(matches)
def test_the_mean_lies_in_its_interval(blocks: list[list[float]]) -> None:
    score = Score.of(blocks)
    low, high = score.interval
    assert 0 <= low <= score.mean <= high <= 1


@given(matches)
def test_the_elo_lies_in_its_interval(blocks: list[list[float]]) -> None:
    score = Score.of(blocks)
    low, high = score.elo_interval
    assert low < score.elo < high


@given(matches)
def test_the_opponent_sees_the_same_match_mirrored(blocks: list[list[float]]) -> None:
    ours, theirs = Score.of(blocks), Score.of([[1 - score for score in block] for block in blocks])
    assert theirs.elo == pytest.approx(-ours.elo, abs=1e-6)
    assert theirs.p_better == pytest.approx(1 - ours.p_better)


@pytest.mark.parametrize("result", [A_WINS, B_WINS])
def test_a_clean_sweep_has_finite_elo_with_a_wide_interval(result: float) -> None:
    sweep = Score.of([[result, result]] * 100)
    low, high = sweep.elo_interval
    assert 400 < high - low < math.inf


def test_a_clean_sweep_of_200_games_is_worth_at_least_600_elo() -> None:
    assert Score.of([[A_WINS, A_WINS]] * 100).elo_interval[0] > 600


@pytest.mark.parametrize("result", [A_WINS, B_WINS])
def test_even_a_thousand_wins_leave_some_doubt(result: float) -> None:
    assert 0 < Score.of([[result, result]] * 500).p_better < 1


def test_five_straight_wins_convince_but_do_not_prove() -> None:
    assert 0.95 < Score.of([[A_WINS]] * 5).p_better < 0.99


# Pairing


def test_openings_that_decide_the_winner_cancel_inside_a_pair() -> None:
    paired, unpaired = Score.of([[A_WINS, B_WINS]] * 30), Score.of([[A_WINS], [B_WINS]] * 30)
    assert paired.mean == unpaired.mean == 0.5
    assert unpaired.interval[0] < paired.interval[0] < paired.interval[1] < unpaired.interval[1]


def test_perfect_cancelling_still_leaves_an_interval() -> None:
    low, high = Score.of([[A_WINS, B_WINS]] * 100).interval
    assert 0.03 < high - low < 0.05


def test_fewer_than_thirty_pairs_earn_no_credit_for_pairing() -> None:
    assert Score.of([[A_WINS, B_WINS]] * 29).effective_games == 58


def test_pairs_that_only_repeat_themselves_count_once() -> None:
    repeated = Score.of([[A_WINS, A_WINS], [B_WINS, B_WINS]] * 50)
    assert repeated.effective_games == pytest.approx(100, rel=0.02)


def test_an_interrupted_pair_hardly_changes_the_interval() -> None:
    blocks = simulated_blocks(seed=1, bias=0.3)
    assert Score.of([*blocks, [A_WINS]]).interval == pytest.approx(Score.of(blocks).interval, abs=0.003)


@pytest.mark.parametrize("bias", [0.0, 0.2, 0.4])
def test_the_interval_covers_equal_agents_95_times_in_100(bias: float) -> None:
    intervals = [Score.of(simulated_blocks(seed, bias, blocks=60)).interval for seed in range(1000)]
    assert np.mean([low <= 0.5 <= high for low, high in intervals]) == pytest.approx(0.95, abs=0.02)


# A league


def test_ratings_do_not_depend_on_the_order_of_games() -> None:
    results = simulated_league([0, 50, 120], games=50, seed=3)
    assert ratings("abc", random.Random(0).sample(results, len(results))) == ratings("abc", results)


def test_ratings_do_not_depend_on_who_is_named_first() -> None:
    results = simulated_league([0, 50, 120], games=50, seed=3)
    assert ratings("abc", [(j, i, 1 - score) for i, j, score in results]) == ratings("abc", results)


def test_symmetric_results_rate_everyone_equal() -> None:
    circle = [(0, 1), (1, 2), (2, 0)]
    table = ratings("abc", [(i, j, result) for i, j in circle for result in (A_WINS, DRAW)])
    assert [rating.elo for rating in table] == pytest.approx([0, 0, 0])


def test_two_draws_rate_like_a_win_and_a_loss() -> None:
    drawn, shared = ratings("ab", [(0, 1, DRAW)] * 2), ratings("ab", [(0, 1, A_WINS), (0, 1, B_WINS)])
    assert drawn == shared


def test_two_agents_are_rated_as_far_apart_as_their_score_says() -> None:
    best, worst = ratings("ab", [(0, 1, A_WINS)] * 7500 + [(0, 1, B_WINS)] * 2500)
    assert best.elo - worst.elo == pytest.approx(elo(0.75), abs=0.1)


def test_the_best_comes_first_with_its_games_and_score() -> None:
    best = ratings(["slow", "fast"], [(0, 1, B_WINS), (1, 0, DRAW)])[0]
    assert (best.name, best.games, best.score) == ("fast", 2, 0.75)


def test_a_simulated_league_is_recovered_within_its_intervals() -> None:
    truth = {"a": 250.0, "b": 90.0, "c": -20.0, "d": -110.0, "e": -210.0}
    table = ratings(list(truth), simulated_league(list(truth.values()), games=400, seed=11))
    assert [rating.name for rating in table] == list(truth)
    assert all(rating.low < truth[rating.name] < rating.high < rating.low + 60 for rating in table)


def test_intervals_cover_the_truth_95_times_in_100() -> None:
    truth = {"a": 150.0, "b": 0.0, "c": -150.0}
    tables = [ratings(list(truth), simulated_league(list(truth.values()), 60, seed)) for seed in range(300)]
    covered = [rating.low <= truth[rating.name] <= rating.high for table in tables for rating in table]
    assert np.mean(covered) == pytest.approx(0.95, abs=0.025)


def test_an_unbeaten_agent_has_a_finite_rating_and_a_wider_interval() -> None:
    unbeaten = ratings("ab", [(0, 1, A_WINS)] * 100)[0]
    close = ratings("ab", [(0, 1, A_WINS), (0, 1, B_WINS)] * 50)[0]
    assert math.isfinite(unbeaten.elo)
    assert unbeaten.high - unbeaten.low > 4 * (close.high - close.low)


def test_a_ladder_of_a_million_clean_sweeps_converges() -> None:
    table = ratings("abcd", [(i, i + 1, A_WINS) for i in range(3)] * 300_000)
    assert [rating.name for rating in table] == list("abcd")
    assert sum(rating.elo for rating in table) == pytest.approx(0, abs=1e-6)


def test_groups_that_never_met_are_rated_side_by_side() -> None:
    table = ratings("abcde", [(0, 1, A_WINS), (2, 3, A_WINS)])
    assert [rating.name for rating in table] == list("acebd")
    assert table[0].elo == pytest.approx(table[1].elo)


def test_a_league_without_agents_is_empty() -> None:
    assert ratings([], []) == []
