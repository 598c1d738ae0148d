"""Games with more actions than bits in a word, and with states of kilobytes: searched and played like all others."""

from itertools import product

import numpy as np
import pytest

import sparring
from search_games import Heap, SmallHeap, UnevenHeap
from sparring import heuristic
from sparring.agents.agent import RandomAgent, TreeSearchAgent, View
from sparring.arena.playout import can_play_out, play_out
from sparring.arena.referee import play
from sparring.core.dice import players_dice
from sparring.games.contract import Position
from sparring.search.alphabeta import alphabeta
from sparring.search.minimax import minimax
from sparring.search.tree import PROVEN, REFERENCE, Budget, TreeSearch
from wide_game import CELLS, Claims, State, lead

GAME = Claims()


def searching(template: object, depth: int, manner: object = None) -> TreeSearchAgent:
    extra = (manner,) if manner else ()
    return TreeSearchAgent("it", TreeSearch(template, GAME, lead.judge(State), *extra), Budget(depth=depth))  # type: ignore[arg-type]


def view(position: Position) -> View:
    return View(position, position.mover, players_dice(1, position.mover))


def best_cells(position: Position) -> list[int]:
    values = position.state.values * (position.state.owner == 0)
    return sorted(range(CELLS), key=lambda cell: -values[cell])


def test_such_a_game_has_more_actions_than_bits_in_a_word_and_a_state_of_kilobytes() -> None:
    assert len(GAME.start(1).legal) == 150
    assert State.itemsize > 2000


@pytest.mark.parametrize("template", [alphabeta, minimax])
@pytest.mark.parametrize("depth", [1, 2])
def test_a_search_takes_the_cell_of_the_highest_value(template: object, depth: int) -> None:
    position = GAME.start(5).after("c0")
    decision = searching(template, depth).decide(view(position))
    assert decision.action == best_cells(position)[0]
    assert len(decision.candidates) == 149


def test_alpha_beta_and_minimax_agree_on_the_score_and_the_line() -> None:
    position = GAME.start(3)
    one, two = (searching(template, 2).decide(view(position)) for template in (alphabeta, minimax))
    first, second = best_cells(position)[:2]
    values = position.state.values
    assert one.score == two.score == values[first] - values[second]
    assert one.chosen.line == two.chosen.line == (first, second)
    assert one.nodes < two.nodes


@heuristic("heap")
def rest(s, me):
    """Anything that tells positions and players apart."""
    return s.left * 7 % 5 - me * (s.left % 3)


@pytest.mark.parametrize("kind", [SmallHeap, UnevenHeap])
def test_alpha_beta_needs_no_strict_turns_to_find_the_score_and_line_of_minimax(kind: type[Heap]) -> None:
    game = kind(heap=30)
    ways = [TreeSearch(template, game, rest.judge(game.state)) for template in (alphabeta, minimax)]
    for left, moves, depth in product((4, 9, 30), (0, 1, 2), (1, 2, 3, 4, 5, 6)):
        state = game.new(0)
        state.left, state.moves = left, moves
        for me in (0, 1):
            quick, full = (way.run(state, Budget(depth=depth), players_dice(1, me), me) for way in ways)
            assert quick.score == full.score
            assert quick.depth == depth or abs(full.score) > PROVEN


def test_moves_in_any_order_lead_to_the_same_score() -> None:
    position = GAME.start(4)
    assert (
        searching(alphabeta, 2, REFERENCE).decide(view(position)).score
        == searching(alphabeta, 2).decide(view(position)).score
    )


def test_bulk_play_and_the_referee_play_the_same_games() -> None:
    players = [searching(alphabeta, 1), RandomAgent()]
    assert can_play_out(GAME)
    policies = [one.compiled_policy(GAME) for one in players]
    seeds = [7, 8, 9]
    results, moves = play_out(GAME, policies, np.array([[[0, 1], [1, 0]]]), np.array(seeds))  # type: ignore[arg-type]
    expected = []
    for seed in seeds:
        for seating in ([0, 1], [1, 0]):
            played = play(GAME, [players[one] for one in seating], seed)
            expected += [turn.code for turn in played.turns]
    assert moves.tolist() == expected
    assert max(moves) > 63
    assert results["scores"][:, 0, 0].tolist() == [1.0, 1.0, 1.0]


def test_a_match_is_won_by_the_agent_that_looks_ahead() -> None:
    found = sparring.match(GAME, searching(alphabeta, 1), RandomAgent(), games=20)
    assert str(found).startswith("it beats random")
