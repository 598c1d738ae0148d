"""Values of positions of Ludo: their features, the mathematics of learning, and the tables that are shipped."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.agents.learning_file import LearningFile
from sparring.core.errors import SparringError
from sparring.games.ludo import value
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import td_linear, td_net
from sparring.games.ludo.state import State
from sparring.games.ludo.value import EXPOSED, GROUPS, HUNTED, MOST, ROLLING, TILES, TOKENS
from sparring.games.registry import folder, game
from sparring.learning.learner import learn
from sparring.learning.td import TdLearner, TdSettings
from test_ludo_abstraction import somewhere

TRAINED = folder("ludo") / "trained"
FEATURES = value.FEATURES.count
TWO, FOUR = Ludo(players=2), Ludo(players=4)


def seen(game: Ludo, text: str, me: int) -> dict[int, float]:
    """The features of a position before the roll, as a player sees it."""
    state = before_roll(game, text)
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    found = value.observe(state, me, features, amounts)
    return dict(zip(features[:found].tolist(), amounts[:found].tolist(), strict=True))


def before_roll(game: Ludo, text: str):
    state = game.parse(text)
    state.die = 0
    return state


def standing(seat: int, tile: int, nth: int = 0) -> int:
    return (seat * TOKENS + nth) * TILES + tile


SCORES = {heuristic.name: (heuristic.score(State), heuristic.weigh()) for heuristic in (td_linear, td_net)}


def worth(heuristic, state, me: int) -> float:
    score, weights = SCORES[heuristic.name]
    return float(score(state, me, weights))


def test_a_player_sees_its_own_tokens_first_and_others_in_the_order_of_play():
    found = seen(FOUR, "0,0,3,57/0,0,0,9/1,1,0,0/0,0,0,0 C6", me=1)
    own = {standing(0, 0), standing(0, 0, 1), standing(0, 0, 2), standing(0, 9)}
    third = {standing(1, 1), standing(1, 1, 1), standing(1, 0), standing(1, 0, 1)}
    fourth = {standing(2, 0, nth) for nth in range(4)}
    first = {standing(3, 0), standing(3, 0, 1), standing(3, 3), standing(3, 57)}
    assert own | third | fourth | first | {ROLLING + 1} == {feature for feature in found if found[feature] == 1}


def test_tokens_that_may_be_sent_home_are_seen_with_the_chance():
    """B's token on its 45 is on A's 19, and A's on 15 and 17 reach it with a 4 and a 2. A's on 20 is hit by a 1."""
    found = seen(TWO, "15,17,20,57/45,57,57,0 A1", me=0)
    assert found[HUNTED + 2 * TILES + 45] == pytest.approx(2 / 6)
    assert found[EXPOSED + 20] == pytest.approx(1 / 6)
    assert EXPOSED + 15 not in found
    found = seen(TWO, "15,17,20,57/45,57,57,0 A1", me=1)  # from the other side
    assert found[EXPOSED + 45] == pytest.approx(2 / 6)
    assert found[HUNTED + 2 * TILES + 20] == pytest.approx(1 / 6)
    assert ROLLING + 2 in found


def before_any_roll(seed: int, players: int):
    state = somewhere(seed, players, 4, seed % 250)
    state.die = 0
    return state


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.integers(0, 3))
def test_a_value_does_not_depend_on_the_numbers_of_seats(seed, turn):
    """With all players turned by some seats each position has the same value as before."""
    state = before_any_roll(seed, players=4)
    turned = FOUR.copy(state)
    turned.at[:] = np.roll(state.at, turn, axis=0)
    turned.place[:] = np.roll(state.place, turn)
    turned.to_move = (state.to_move + turn) % 4
    for heuristic in (td_linear, td_net):
        for me in range(4):
            assert worth(heuristic, turned, (me + turn) % 4) == pytest.approx(worth(heuristic, state, me), abs=1e-5)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(st.integers(0, 10**6), st.permutations(range(4)))
def test_a_value_does_not_depend_on_the_order_of_tokens_and_two_chances_nearly_add_up(seed, order):
    state = before_any_roll(seed, players=2)
    mixed = TWO.copy(state)
    mixed.at[0] = state.at[0][list(order)]
    assert worth(td_net, mixed, 0) == pytest.approx(worth(td_net, state, 0), abs=1e-5)
    assert worth(td_net, state, 0) + worth(td_net, state, 1) == pytest.approx(1, abs=0.25)


def test_the_terms_of_the_linear_value_add_up_to_its_chance_and_a_finished_game_is_worth_its_result():
    state = before_roll(TWO, "15,17,20,57/45,57,57,0 A1")
    over = TWO.parse("57,57,57,57/57,57,57,56 A-")
    assert [worth(one, over, me) for one in (td_net, td_linear) for me in (0, 1)] == [1, 0, 1, 0]
    terms = td_linear.terms(state, 0)
    assert list(terms) == list(GROUPS)
    assert 1 / (1 + math.exp(-sum(terms.values()))) == pytest.approx(worth(td_linear, state, 0))


@pytest.mark.slow
def test_the_terms_of_a_linear_value_can_be_weighed_and_a_net_has_none():
    with pytest.raises(SparringError, match="no term 'danger'"):
        sparring.agent(TWO, "one_ply:td_net(danger=2)")
    state = before_roll(TWO, "15,17,20,57/45,57,57,0 A1")
    score, bold, timid = td_linear.score(State), td_linear.weigh({"danger": 0}), td_linear.weigh({"danger": 3})
    assert score(state, 0, timid) < score(state, 0, bold)


@pytest.mark.parametrize("file", sorted(TRAINED.glob("td_*.npz")), ids=lambda file: file.stem)
def test_every_shipped_table_has_the_settings_that_made_it(file):
    kept = LearningFile.load(file)
    given = TdSettings(**{name: kept.settings[name] for name in TdSettings.__dataclass_fields__})
    learner = TdLearner(game("ludo", **kept.settings["options"]), given)
    assert (kept.settings, kept.command, kept.games) == (learner.settings, learner.command, given.games)
    assert kept.numbers["table"].shape == learner.table.shape
    assert file.stat().st_size < 400_000
    assert np.isfinite(kept.numbers["table"]).all()


def learner(made: Ludo = TWO, **given) -> TdLearner:
    return TdLearner(made, TdSettings(**{"trial_games": 0, **given}))


def trained(**given) -> TdLearner:
    made = learner(**given)
    learn(made)
    return made


def first_game(made: TdLearner):
    """The positions after moves in the first game of learning, the last one at its end."""
    made.play(1, made.training)
    over = made.history["place"].any(axis=1)
    return made.history[: 1 + int(np.flatnonzero(over)[0])]


def numpy_value(table, features, amounts, hidden: int):
    """The value once more, with matrices."""
    x = np.zeros(FEATURES)
    np.add.at(x, features, amounts)
    linear, out, rows = table[:FEATURES], table[FEATURES : FEATURES + hidden], table[FEATURES + hidden :]
    units = np.maximum(0, x @ rows.reshape(FEATURES, hidden))
    return x, units, 1 / (1 + math.exp(-(x @ linear + units @ out)))


@pytest.mark.slow
@pytest.mark.parametrize("hidden", [0, 8])
def test_learning_from_one_game_is_what_the_textbook_says(hidden):
    """The lambda-return by its definition, the gradient by matrices, from the end of the game to its beginning."""
    game, td = Ludo(players=2, tokens=1), "net" if hidden else "linear"
    made = learner(game, td=td, hidden=hidden, games=1, alpha=0.02, trace=0.7, seed=5)
    expected = made.table.astype(np.float64)
    *history, last = first_game(made)
    for player in range(2):
        target = float(last["place"][player] == 1)
        for state in history[::-1]:
            features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
            found = value.observe(state, player, features, amounts)
            x, units, chance = numpy_value(expected, features[:found], amounts[:found], hidden)
            step = made.config.alpha * (target - chance)
            out = expected[FEATURES : FEATURES + hidden].copy()
            expected[:FEATURES] += step * x
            expected[FEATURES : FEATURES + hidden] += step * units
            expected[FEATURES + hidden :] += step * np.outer(x, out * (units > 0)).ravel()
            target = made.config.trace * target + (1 - made.config.trace) * chance
    assert np.abs(made.table - learner(game, td=td, hidden=hidden, games=1, seed=5).table).max() > 0
    assert made.table == pytest.approx(expected, abs=2e-4)


@pytest.mark.slow
def test_a_little_learning_beats_random_by_far(tmp_path):
    out = tmp_path / "quick.npz"
    learn(learner(games=2000, alpha=0.02, trial_games=200), out)
    assert LearningFile.load(out).curve[-1].low > 0.7
    match = sparring.match(TWO, f"one_ply:{out}", "random", games=200)
    assert match.total(f"one_ply:{out}").interval[0] > 0.65


@pytest.mark.parametrize("options", [{"tokens": 2, "rules": "standard"}, {"players": 3, "rules": "ludopy"}])
def test_a_value_is_learned_of_any_game_of_ludo(options):
    made = TdLearner(game("ludo", **options), TdSettings(games=50, trial_games=0))
    learn(made)
    assert made.settings["options"] == game("ludo", **options).options()
    assert np.isfinite(made.table).all() and made.table.any()


def test_a_table_of_another_size_is_never_read_beyond_its_end(tmp_path):
    settings = learner(td="net").settings
    LearningFile(settings, "", 1, [], {"table": np.zeros(FEATURES)}).save(tmp_path / "short.npz")
    with pytest.raises(SparringError, match=r"short.npz holds 1,396 numbers where 90,804 are needed"):
        sparring.agent(TWO, f"one_ply:{tmp_path / 'short.npz'}")


def test_a_file_that_is_no_table_is_named(tmp_path):
    file = tmp_path / "no.npz"
    whole = (TRAINED / "td_linear_2.npz").read_bytes()
    for content in (b"nothing", b"", whole[:500], whole[:-100]):
        file.write_bytes(content)
        with pytest.raises(SparringError, match=r"no\.npz holds no learned value; `spar learn"):
            sparring.agent(TWO, f"one_ply:{file}")
        with pytest.raises(SparringError, match=r"no\.npz is no table of ludo"):
            sparring.agent(TWO, f"tabular:{file}")
    with pytest.raises(SparringError, match="holds no learned value"):
        sparring.agent(TWO, f"one_ply:{Path('nowhere.npz')}")
