"""Games with more actions than bits in a word, and with states of kilobytes: searched and played like all others."""

from itertools import product

import numpy as np
import pytest

import sparring
from search_games import Heap, UnevenHeap
from sparring import heuristic
from sparring.agents.agent import RandomAgent, TreeSearchAgent, View
from sparring.arena.playout import can_play_out, play_out
from sparring.arena.referee import play
from sparring.core.dice import players_dice
from sparring.search.alphabeta import alphabeta, minimax
from sparring.search.tree import DEFAULT_VARIANT, PROVEN, REFERENCE, Budget, SearchVariant, TreeSearch

GAME = Heap(heap=200)


@heuristic("heap")
def rest(s, me):
    """Anything that tells positions and players apart."""
    return s.left * 7 % 5 - me * (s.left % 3)


def searching(template: object, depth: int, manner: SearchVariant = DEFAULT_VARIANT) -> TreeSearchAgent:
    search = TreeSearch(template, GAME, rest.judge(GAME.state), manner)  # type: ignore[arg-type]
    return TreeSearchAgent("it", search, Budget(depth=depth))


@pytest.mark.slow
@pytest.mark.parametrize("template", [alphabeta, minimax])
def test_a_search_in_a_list_of_actions_finds_the_win(template: object) -> None:
    """The other has 71 before it and cannot take all."""
    position = GAME.start().after(70)
    view = View(position, 1, players_dice(1, 1))
    decision = searching(template, 3).decide(view)
    assert GAME.state.itemsize > 4000
    assert (len(decision.candidates), decision.action, decision.chosen.verdict) == (70, 59, "wins in 3")
    shuffled = searching(template, 3, REFERENCE).decide(view)
    assert (shuffled.action, shuffled.score) == (59, 1_000_000)


@pytest.mark.slow
def test_alpha_beta_needs_no_strict_turns_to_find_the_score_of_minimax() -> None:
    game = UnevenHeap(heap=30)
    ways = [TreeSearch(template, game, rest.judge(game.state)) for template in (alphabeta, minimax)]
    for left, moves, depth in product((4, 9, 30), (0, 1, 2), (1, 2, 3, 4, 5, 6)):
        state = game.new(0)
        state.left, state.moves = left, moves
        for me in (0, 1):
            quick, full = (way.run(state, Budget(depth=depth), players_dice(1, me), me) for way in ways)
            assert quick.score == full.score
            assert quick.depth == depth or abs(full.score) > PROVEN


@pytest.mark.slow
def test_bulk_play_and_the_referee_play_the_same_games() -> None:
    players = [searching(alphabeta, 1), RandomAgent()]
    assert can_play_out(GAME)
    policies = [one.compiled_policy(GAME) for one in players]
    seeds = [7, 8, 9]
    _, moves = play_out(GAME, policies, np.array([[[0, 1], [1, 0]]]), np.array(seeds))  # type: ignore[arg-type]
    expected = []
    for seed, seating in product(seeds, ([0, 1], [1, 0])):
        expected += [turn.code for turn in play(GAME, [players[one] for one in seating], seed).turns]
    assert moves.tolist() == expected
    assert max(moves) > 63


def test_a_match_is_won_by_the_agent_that_looks_ahead() -> None:
    found = sparring.match(GAME, searching(alphabeta, 2), RandomAgent(), games=20)
    assert str(found).startswith("it beats random")
