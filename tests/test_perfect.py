"""The perfect agent: what is won stays won."""

import pytest

import sparring
from sparring.agents.agent import View
from sparring.core.dice import players_dice
from sparring.games.isolation.solver.proof import solve


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "opponent", "games"),
    [("5x5", "random", 40), ("5x5", "voronoi", 40), ("5x5", "improved,reference", 40), ("7x7", "voronoi", 6)],
)
def test_perfect_never_loses_a_won_opening(board: str, opponent: str, games: int) -> None:
    won = 0
    for game in sparring.match(sparring.game("isolation", board=board), "perfect", opponent, games=games).games:
        seat = game.agents.index("perfect")
        won_for_it = solve(game.positions()[0].state).wins == (seat == 0)
        assert game.scores[seat] == 1 or not won_for_it
        won += game.scores[seat] == 1
    assert won


@pytest.mark.parametrize("board", ["5x5", "5x6", "6x6", "4x5"])
def test_perfect_wins_as_second_player_with_free_placement(board: str) -> None:
    free = sparring.game("isolation", board=board, opening="free")
    for game in sparring.match(free, "random", "perfect", games=6).games:
        seat = game.agents.index("perfect")
        assert seat == 0 or game.scores[1] == 1


def test_perfect_does_not_place_a_knights_move_from_the_centre() -> None:
    """There the first player would win by mirroring every move."""
    decision = sparring.explain(sparring.game("isolation", opening="free"), "perfect", "d4")
    assert decision.notes["why"] == "placed by the colour rule"
    assert not solve(decision.position.after(decision.action).state).wins


def test_perfect_places_by_search_where_cells_are_blocked() -> None:
    checkered = ".#.#./#.#.#/.#A#./#.#.#/.#.#. B"
    decision = sparring.explain(sparring.game("isolation", board="5x5"), "perfect", checkered)
    assert decision.notes["why"] == "placed"


def test_in_a_lost_position_it_plays_for_mistakes_and_says_so() -> None:
    decision = sparring.explain("isolation", "perfect", "d4 e6 f5 c5")
    assert decision.notes["why"].startswith("lost; ")
    assert {candidate.verdict for candidate in decision.candidates} == {"loses"}


def test_when_it_cannot_solve_it_searches_and_counts_those_nodes() -> None:
    decision = sparring.agent("isolation", "perfect,nodes=1")
    found = sparring.explain("isolation", decision, "d4 e6")
    assert found.notes["why"] == "not solved: voronoi"
    assert found.nodes > 1000


@pytest.mark.parametrize("spec", ["perfect", "perfect,nodes=500000000"])
def test_it_takes_no_longer_than_it_is_given_for_a_move(spec: str) -> None:
    large = sparring.game("isolation", board="7x9")
    view = View(large.position("d4 e6"), 0, players_dice(1, 0), seconds=0.05)
    found = sparring.agent(large, spec).decide(view)
    assert found.notes["why"] == "not solved: voronoi"
    assert found.nodes < 50_000_000
