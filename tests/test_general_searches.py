"""Searches that ask a game for what it can do: expectimax, one ply, RHEA and matrix, on games that are none of ours."""

from typing import Any

import numpy as np
import pytest

import sparring
from search_games import both, heads_or_tails
from sparring import heuristic
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec
from sparring.core import plugins
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel
from sparring.games.contract import Kind
from sparring.games.kernels import CHANCE
from toy_games import Pennies, Written

# A race: whoever is to move takes the number that was rolled, 1 or 2 (rolled three times as often), or 1; at 5 one wins


@kernel
def racing(s: Any) -> int:
    if s.at[0] >= 5 or s.at[1] >= 5:
        return 0
    return CHANCE if s.rolled == 0 else 1 << s.to_move


@kernel
def taken_or_one(s: Any, player: int, found: Any) -> int:
    found[0], found[1] = 101, 100 + s.rolled
    return 1 if s.rolled == 1 else 2


@kernel
def advance(s: Any, joint: Any) -> None:
    s.at[s.to_move] += joint.of[s.to_move] - 100
    s.to_move = 1 - s.to_move
    s.rolled = 0


@kernel
def two_numbers(s: Any) -> int:
    return 2


@kernel
def three_to_one(s: Any, k: int) -> float:
    return 0.25 + 0.5 * k


@kernel
def rolled(s: Any, k: int) -> None:
    s.rolled = k + 1


@kernel
def first_there(s: Any, player: int) -> float:
    return 1.0 if s.at[player] >= 5 else -1.0


class Short(Written):
    name = "short"
    kind = Kind(simultaneous=False, chance=True, players=(2, 2))
    state = np.dtype([("at", np.int64, (2,)), ("to_move", np.int64), ("rolled", np.int64)], align=True)
    written = {
        "actors": racing,
        "actions": taken_or_one,
        "apply": advance,
        "outcomes": two_numbers,
        "probability": three_to_one,
        "happen": rolled,
        "reward": first_there,
        "WIDEST": 2,
    }


# Pennies with stakes: both show heads or tails; who matches wins a round, and heads counts double


@kernel
def show(s: Any, joint: Any) -> None:
    first = joint.of[0]
    s.won[int(first != joint.of[1])] += 2 if first == 0 and joint.of[1] == 0 else 1
    s.left -= 1


@kernel
def ahead(s: Any, player: int) -> float:
    lead = s.won[player] - s.won[1 - player]
    return 1.0 if lead > 0 else -1.0 if lead < 0 else 0.0


class Coins(Pennies):
    """The rules as kernels."""

    name = "coins"
    written = {"actors": both, "legal": heads_or_tails, "apply": show, "reward": ahead}
    actors, legal, apply, outcome = Written.actors, Written.legal, Written.apply, Written.outcome


@heuristic("short")
def behind(s, me):
    """Likes to be behind, unless the game is over."""
    return s.at[1 - me] - s.at[me]


@heuristic("short")
def lead(s, me):
    return s.at[me] - s.at[1 - me]


@heuristic("coins")
def coins(s, me):
    return s.won[me] - s.won[1 - me]


def agent(game: Any, search: str, judge: Any, options: str = "") -> Agent:
    """A search with a heuristic of this file, which has no name that a spec could find."""
    spec = Spec.parse(f"{search}:{judge.name}{options}")
    found = plugins.only("sparring.searches", "search", search)
    assert found.fits(game)
    return found.make(game, spec, judge)  # type: ignore[no-any-return]


def decided(made: Agent, game: Any, text: str, me: int = 0, seed: int = 1) -> Decision:
    return made.decide(View(game.position(text), me, players_dice(seed, me)))


def scores(decision: Decision) -> dict[int, float]:
    return {candidate.action: candidate.score for candidate in decision.candidates}


@pytest.mark.slow
def test_one_ply_takes_the_best_position_by_a_list_of_actions() -> None:
    game = Short()
    found = decided(agent(game, "one_ply", lead), game, "1 2 0 2")
    assert (found.action, scores(found)) == (102, {101: 0, 102: 1})


@pytest.mark.slow
@pytest.mark.parametrize(("search", "options"), [("one_ply", ""), ("expectimax", ",depth=2")])
def test_a_win_counts_more_than_the_heuristic(search: str, options: str) -> None:
    game = Short()
    assert decided(agent(game, search, behind, options), game, "3 2 0 2").action == 102


@pytest.mark.slow
def test_expectimax_weighs_outcomes_by_their_probability() -> None:
    """The reply: of a 1 only one step, of a 2 two, which comes three times as often."""
    game = Short()
    found = decided(agent(game, "expectimax", lead, ",depth=2"), game, "1 1 0 2")
    assert scores(found) == {101: 1 - 0.25 * 1 - 0.75 * 2, 102: 2 - 0.25 * 1 - 0.75 * 2}
    drawn = scores(decided(agent(game, "expectimax", lead, ",depth=2,samples=4000"), game, "1 1 0 2"))
    assert drawn[102] == pytest.approx(0.25, abs=0.05)


@pytest.mark.slow
def test_rhea_wins_more_rounds_than_chance() -> None:
    """Against somebody who shows anything, heads pays: a match counts two."""
    game = Coins(rounds=6)
    made = agent(game, "rhea", coins, ",turns=4k,genome=6")
    found = [decided(made, game, "0 0 6", seed=seed) for seed in range(8)]
    assert sum(one.action == 0 for one in found) >= 6
    assert all(one.nodes <= 4000 and "choose0" in one.notes["plans"] for one in found)


def test_the_matrix_mixes_as_theory_says() -> None:
    """Payoffs 2, -1 / -1, 1 of the first player: two fifths heads; a draw of nothing in the last round."""
    game = Coins(rounds=5)
    found = decided(agent(game, "matrix", coins), game, "0 0 5")
    assert found.mix is not None
    assert found.mix.game.rows == pytest.approx([0.4, 0.6])
    assert found.mix.game.value == pytest.approx(0.2)
    assert {decided(agent(game, "matrix", coins), game, "0 0 5", seed=seed).action for seed in range(9)} == {0, 1}


def test_a_win_in_the_matrix_is_worth_more_than_a_lead() -> None:
    game = Coins(rounds=5)
    last = decided(agent(game, "matrix", coins), game, "0 0 1")
    assert last.mix is not None
    assert last.mix.game.payoffs.tolist() == [[10, -10], [-10, 10]]


@pytest.mark.parametrize(
    ("game", "spec", "says"),
    [
        ("isolation", "expectimax:open", "a game of turns that lists the outcomes of chance, which isolation is not"),
        ("isolation", "rhea:open", "a game of joint actions that its compiled rules list, which isolation is not"),
        ("ludo", "matrix:progress", "who act at once and whose actions are listed, which ludo is not"),
        ("flagwar", "one_ply:raid", "in which one acts after another, which flagwar is not"),
    ],
)
def test_a_search_that_does_not_fit_says_what_it_needs(game: str, spec: str, says: str) -> None:
    with pytest.raises(SparringError, match=says):
        sparring.agent(game, spec)


def test_games_of_ours_get_them_where_they_fit() -> None:
    assert sparring.explain("isolation", "one_ply:open", "d4 e6").candidates
    snakes = sparring.game("battlesnake", board="7x7")
    assert sparring.match(snakes, "matrix:voronoi", "random", games=10).games


@pytest.mark.parametrize("game", ["isolation", "ludo", "battlesnake", "flagwar"])
def test_monte_carlo_tree_search_fits_every_game(game: str) -> None:
    assert plugins.only("sparring.searches", "search", "mcts").fits(sparring.game(game))
