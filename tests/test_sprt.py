"""Sequential tests against known values, against themselves and against simulated truth."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.errors import SparringError
from sparring.statistics.sprt import (
    BIAS,
    LOGISTIC,
    NORMALISED,
    NORMALISED_ELO,
    PAIR_POINTS,
    SequentialTest,
    Sprt,
    TableSprt,
)

Array = npt.NDArray[np.float64]

KNOWN = (39, 8843, 26675, 9240, 44)
models = st.sampled_from([NORMALISED, LOGISTIC])
counts = st.tuples(*[st.one_of(st.integers(0, 3), st.integers(0, 10**9)) for _ in PAIR_POINTS])
bounds = st.lists(st.floats(-500, 500), min_size=2, max_size=2, unique=True).map(sorted)


def random_pairs(size: int, chances: tuple[float, ...] = (0.05, 0.2, 0.5, 0.2, 0.05), seed: int = 1) -> Array:
    return np.random.default_rng(seed).choice(PAIR_POINTS, size, p=chances)


@pytest.mark.parametrize(("model", "llr"), [(NORMALISED, 2.941675), (LOGISTIC, 0.555517)])
def test_a_known_match_has_its_known_llr(model: str, llr: float) -> None:
    assert Sprt(0.5, 2.5, model=model).llr(KNOWN) == pytest.approx(llr, abs=1e-6)


@pytest.mark.parametrize("model", [NORMALISED, LOGISTIC])
def test_the_other_side_sees_the_opposite(model: str) -> None:
    ours, theirs = Sprt(0, 10, model=model), Sprt(-10, 0, model=model)
    assert ours.llr(KNOWN) == pytest.approx(-theirs.llr(KNOWN[::-1]), abs=1e-8)


def test_the_likeliest_shares_are_found_among_all() -> None:
    """No distribution that obeys the hypothesis explains the pairs better: tried on a fine net of distributions."""
    seen = np.array([1.0, 4, 6, 8, 2])
    elo1 = 100.0
    rng = np.random.default_rng(3)
    shares = rng.dirichlet(seen + 1, 400_000)
    mean = shares @ PAIR_POINTS / 2
    deviation = np.sqrt(shares @ (PAIR_POINTS / 2) ** 2 - mean**2)
    fits = np.log(shares) @ seen
    normalised = NORMALISED_ELO * (mean - 0.5) / (math.sqrt(2) * deviation)
    near0, near1 = (fits[np.abs(normalised - elo) < 2].max() for elo in (0.0, elo1))
    assert Sprt(0, elo1).llr(seen) == pytest.approx(near1 - near0, abs=0.1)


@settings(deadline=None)
@given(models, bounds, counts)
def test_whatever_the_counts_the_llr_is_a_number(model: str, elos: list[float], pairs: tuple[int, ...]) -> None:
    llr = Sprt(*elos, model=model).llr(pairs)
    assert math.isfinite(llr)
    assert abs(llr) <= 15 * (sum(pairs) + 1)


@given(st.sampled_from([5.0, 10.0, 100.0]), st.lists(st.integers(0, 50), min_size=5, max_size=5))
def test_one_more_won_pair_never_speaks_for_the_weaker_hypothesis(elo1: float, pairs: list[int]) -> None:
    test = Sprt(0, elo1, model=LOGISTIC)
    assert test.llr([*pairs[:4], pairs[4] + 1]) > test.llr(pairs) - 1e-9


@pytest.mark.parametrize("model", [NORMALISED, LOGISTIC])
def test_the_path_is_the_llr_of_every_prefix(model: str) -> None:
    points, test = random_pairs(10_000), Sprt(model=model)
    path = test.path(points)
    prefixes = [1, 2, 3, 5, 17, 100, 4095, 4096, 4097, 10_000]
    llrs = [test.llr([np.count_nonzero(points[:k] == outcome) for outcome in PAIR_POINTS]) for k in prefixes]
    assert path[np.array(prefixes) - 1] == pytest.approx(llrs, abs=1e-9)


@given(models, st.lists(st.sampled_from(PAIR_POINTS.tolist()), max_size=60))
def test_the_path_does_not_know_the_future(model: str, points: list[float]) -> None:
    test = Sprt(0, 100, model=model)
    assert test.path(points)[:30] == pytest.approx(test.path(points[:30]), abs=1e-9)


@pytest.mark.parametrize("points", [random_pairs(500_000), np.full(500_000, 2.0)])
def test_half_a_million_pairs_have_a_path(points: Array) -> None:
    assert np.isfinite(Sprt().path(points)).all()


def test_points_that_no_pair_can_give_are_refused() -> None:
    with pytest.raises(ValueError, match="a pair gives"):
        Sprt().path([1.0, 0.25])


def test_wald_bounds_at_five_percent() -> None:
    assert Sprt().bounds == pytest.approx((-2.944, 2.944), abs=1e-3)


def test_what_follows_the_stop_changes_nothing() -> None:
    test, points = Sprt(0, 30), random_pairs(2000, (0.02, 0.13, 0.5, 0.25, 0.1))
    stop = test.stop(test.path(points))
    assert stop is not None
    for later in (0.0, 2.0):
        changed = np.append(points[: stop.blocks], np.full(3000, later))
        assert test.stop(test.path(changed)) == stop
        assert test.why(test.path(changed)) == test.why(test.path(points))


@pytest.mark.parametrize(
    ("points", "model", "pairs", "accepted"),
    [(2.0, NORMALISED, 10, 1), (0.0, LOGISTIC, 10, 0)],
)
def test_a_clean_sweep_ends_at_once(points: float, model: str, pairs: int, accepted: int) -> None:
    """Equal agents win ten pairs in a row in less than one match of a thousand."""
    test = Sprt(model=model)
    path = test.path(np.full(200, points))
    stop = test.stop(path)
    assert stop is not None
    assert (stop.blocks, stop.accepted) == (pairs, accepted)
    assert (np.diff(path) * (1 if accepted else -1) > 0).all()


@pytest.mark.parametrize("model", [NORMALISED, LOGISTIC])
@pytest.mark.parametrize(("elo0", "elo1"), [(-300, -200), (-5, 0), (0, 2), (100, 110), (150, 250)])
def test_every_match_that_one_side_wins_100_to_0_is_decided(model: str, elo0: float, elo1: float) -> None:
    test = Sprt(elo0, elo1, model=model)
    for points, accepted in ((2.0, 1), (0.0, 0)):
        path = test.path(np.full(50, points))
        stop = test.stop(path)
        assert stop is not None and stop.accepted == accepted
        assert np.isfinite(path).all()


def test_a_sweep_that_is_broken_early_leaves_the_ordinary_ratio() -> None:
    test = Sprt()
    assert test.path([2.0] * 8 + [1.0])[-1] == pytest.approx(test.llr((0, 0, 1, 0, 8)))
    assert test.llr((0, 0, 1, 0, 8)) < 0.5


def test_a_test_says_why_it_ended_and_that_its_elo_is_biased() -> None:
    test = Sprt()
    assert test.why(test.path(np.full(100, 2.0))) == (
        f"LLR 3.02 passed 2.94 after 10 pairs: +10 normalised Elo fits the games 20.5 times better than "
        f"0 normalised Elo. {BIAS}"
    )
    assert "0 normalised Elo fits" in test.why(test.path(np.full(100, 0.0)))


def test_a_test_that_goes_on_says_so() -> None:
    test = Sprt()
    assert test.why(test.path([])) == "LLR 0.00 after 0 pairs is between -2.94 and 2.94: the test goes on"
    assert test.why(test.path([2.0])).startswith("LLR 0.04 after 1 pair is between")
    assert test.stop(test.path([2.0])) is None


@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        (lambda: Sprt(10, 0), "elo0 must be below elo1, both within 500 of 0; they are 10 and 0"),
        (lambda: Sprt(0, math.nan), "elo0 must be below elo1"),
        (lambda: Sprt(0, 5000), "within 500"),
        (lambda: Sprt(alpha=0.7), "alpha is a chance of error: give one between 0 and 0.5, not 0.7"),
        (lambda: Sprt(beta=0.0), "beta is a chance of error"),
        (lambda: Sprt(model="bayes"), "unknown Elo model 'bayes'; take normalised or logistic"),
        (lambda: TableSprt(0.1, 0.1), "effect0 must be below effect1"),
    ],
)
def test_a_senseless_test_is_refused_with_the_remedy(wrong: type, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy.replace("?", r"\?")):
        wrong()


def test_blocks_without_a_difference_speak_for_no_effect() -> None:
    assert TableSprt().path(np.zeros(1000))[-1] == pytest.approx(-5)
    assert not TableSprt().path([]).size


def test_the_llr_of_tables_is_that_of_normal_observations_at_their_likeliest_deviation() -> None:
    leads = np.random.default_rng(4).normal(0.1, 2, 80)
    deviation = np.geomspace(0.5, 8, 200_001)[:, None]

    def best(effect: float) -> float:
        square = (leads**2).sum() / deviation**2 - 2 * effect * leads.sum() / deviation + 80 * effect**2
        return float((-80 * np.log(deviation) - square / 2).max())

    for scale in (1, 1e-200, 1e200):
        assert TableSprt(0, 0.3).path(scale * leads)[-1] == pytest.approx(best(0.3) - best(0), abs=1e-6)


@given(st.lists(st.floats(-1e300, 1e300), max_size=50), st.sampled_from([0.01, 0.1, 2.0]))
def test_whatever_the_leads_the_llr_is_a_number(leads: list[float], effect1: float) -> None:
    assert np.isfinite(TableSprt(0, effect1).path(leads)).all()


def test_tables_say_why_they_ended() -> None:
    said = TableSprt().why(TableSprt().path(np.ones(50)))
    assert said.startswith("LLR 3.02 passed 2.94 after 31 blocks: an effect of +0.1 fits the games 20.6 times better")


def accepted(test: SequentialTest, matches: list[Array]) -> float:
    stops = [test.stop(test.path(match)) for match in matches]
    return float(np.mean([stop is not None and stop.accepted == 1 for stop in stops]))


@pytest.mark.parametrize("model", [NORMALISED, LOGISTIC])
def test_equal_agents_pass_one_time_in_twenty(model: str) -> None:
    matches = [random_pairs(1500, seed=seed) for seed in range(150)]
    assert accepted(Sprt(0, 30, model=model), matches) < 0.09


def test_a_better_agent_fails_one_time_in_twenty() -> None:
    effect = math.sqrt(2) * 30 / NORMALISED_ELO
    gain = effect * math.sqrt(0.12)  # at even chances the points of a pair deviate by the root of 0.48, twice its score
    chances = tuple(np.array([0.05, 0.2, 0.5, 0.2, 0.05]) + gain * np.array([0, -1, 0, 1, 0]) * 2)
    matches = [random_pairs(1500, chances, seed) for seed in range(150)]
    assert accepted(Sprt(0, 30), matches) > 0.91


def test_equal_agents_pass_at_tables_one_time_in_twenty() -> None:
    rng = np.random.default_rng(5)
    winners = rng.integers(8, size=(300, 3000))
    matches = [(winner == 0).astype(float) - (winner == 1) for winner in winners]
    assert accepted(TableSprt(0, 0.15), matches) < 0.09
    assert accepted(TableSprt(0, 0.15), [match + 0.15 * math.sqrt(0.25) for match in matches]) > 0.91
