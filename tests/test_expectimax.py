"""Looking ahead where dice are rolled, against the same written down once more in plain Python."""

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from sparring.agents.agent import View
from sparring.core.dice import dice, players_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import table_address
from sparring.games.contract import Position
from sparring.games.ludo import rules
from sparring.games.ludo.endgame import win_chance
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.heuristics import cautious
from sparring.games.ludo.solver.table import endgame
from sparring.games.ludo.state import State

GAMES = {players: Ludo(players=players) for players in (2, 3, 4)}
SCORE, WEIGHTS = cautious.score(State), cautious.weigh()


def value(state, me: int) -> float:
    return float(SCORE(state, me, WEIGHTS))


def rolled(game: Ludo, state, number: int):
    """What follows a roll: the state in which whoever can move is to move, or the die has passed on."""
    after = game.copy(state)
    rules.rolled(after, number)
    return after


def expected(game: Ludo, after, me: int, depth: int) -> float:
    """The value of a position after a move, by recursion."""
    if depth == 1 or game.outcome(after):
        return value(after, me)
    total = 0.0
    for number in range(1, 7):
        state = rolled(game, after, number)
        moves = game.legal(state, int(state.to_move))
        if moves:
            roller = int(state.to_move)
            state = max((game.after_move(state, move) for move in moves), key=lambda reply: value(reply, roller))
        total += expected(game, state, me, depth - 1)
    return total / 6


@st.composite
def views(draw):
    """What a player sees who is to move, anywhere in a game of two, three or four."""
    game = GAMES[draw(st.sampled_from([2, 3, 4]))]
    state, own = game.start(draw(st.integers(0, 10**6))).state, dice(draw(st.integers(0, 10**6)))
    for _ in range(draw(st.integers(0, 200))):
        moves = game.legal(state, int(state.to_move))
        following = game.copy(state)
        game.play(following, {int(state.to_move): moves[-1]}, own)
        if game.outcome(following):
            break
        state = following
    return View(Position(game, state, own), int(state.to_move), players_dice(1, 0))


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(views(), st.integers(1, 3))
def test_every_move_is_worth_what_brute_force_says(view, depth):
    game = view.position.game
    decision = sparring.agent(game, f"expectimax:cautious,depth={depth}").decide(view)
    for candidate in decision.candidates:
        by_hand = expected(game, game.after_move(view.state, candidate.action), view.me, depth)
        assert candidate.score == pytest.approx(by_hand, rel=1e-9)
    assert decision.score == max(candidate.score for candidate in decision.candidates)
    assert decision.depth == depth


CLOSE = "0,0,20,1/45,33,0,0 A6"


def decided(spec: str, text: str = CLOSE, players: int = 2, seed: int = 0):
    return sparring.explain(GAMES[players], spec, text, seed=seed)


@pytest.mark.slow
def test_roll_outs_come_near_to_a_long_run():
    """Of 400 games the share of wins is off by more than four times its own noise once in many thousand tries."""
    long, short = decided("rollouts:semi_smart,games=20000"), decided("rollouts:semi_smart,games=400", seed=9)
    for one, other in zip(long.candidates, short.candidates, strict=True):
        noise = math.sqrt(one.score * (1 - one.score) / 400)
        assert abs(one.score - other.score) < 4.5 * noise


@pytest.mark.slow
def test_roll_outs_see_a_win_in_one_and_call_it_certain():
    assert decided("rollouts:one_ply,games=20", "57,57,57,51/9,8,0,0 A6").score == 1


@pytest.mark.slow
def test_roll_outs_count_their_games_and_claim_no_depth():
    told = str(decided("rollouts:one_ply,games=20"))
    assert "games a move: 20" in told and "depth" not in told


def test_the_same_dice_draw_the_same_roll_outs():
    first, second, third = (decided("rollouts:one_ply,games=50", seed=seed) for seed in (3, 3, 4))
    assert [c.score for c in first.candidates] == [c.score for c in second.candidates]
    assert [c.score for c in first.candidates] != [c.score for c in third.candidates]


IDEA = '''
from sparring import heuristic


@heuristic("ludo")
def idea(s, me):
    """The own steps alone."""
    total = 0
    for token in range(4):
        total += s.at[me, token]
    return total
'''


def test_a_heuristic_of_ones_own_plays_alone_and_after_every_search(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(IDEA)
    alone, one_ply = decided("mine.py"), decided("one_ply:mine.py:idea")
    assert [c.score for c in alone.candidates] == [c.score for c in one_ply.candidates]
    assert decided("expectimax:mine.py:idea,depth=2").depth == 2
    assert decided("rollouts:one_ply:mine.py:idea,games=5").score is not None


def test_a_heuristic_from_python_plays_alone():
    assert sparring.explain(GAMES[2], cautious, CLOSE).score == decided("one_ply").score


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("expectimax:cautios", "did you mean cautious"),
        ("expectimax:cautious,depth=7", "depth must be a whole number from 1 to 6, not '7'"),
        ("expectimax:cautious,depth=0", "depth must be a whole number"),
        ("expectimax:cautious,nodes=5", "unknown option of expectimax:cautious 'nodes'"),
        ("expectimax:cautious(greed=1)", "no term 'greed'"),
        ("rollouts:strongest", "unknown agent for rollouts"),
        ("rollouts:one_ply,games=x", "games must be a number"),
        ("strongest,depth=2", "strongest takes no options"),
        ("strongest(danger=1)", "no terms to weigh"),
        ("alphabeta:cautious", "without chance"),
    ],
)
def test_slips(spec, says):
    with pytest.raises(SparringError, match=says):
        sparring.agent(GAMES[2], spec)


@pytest.mark.slow
def test_the_strongest_plays_games_of_three_and_other_rules():
    assert decided("strongest", "0,0,20,1/45,33,0,0/0,0,0,0 A6", players=3).depth == 4
    assert sparring.explain(Ludo(players=2, rules="ludopy"), "strongest", "0,0,20,1/45,33,0,0 A6").depth == 3


@pytest.mark.slow
def test_the_strongest_knows_what_the_endgame_is_worth():
    """With two tokens to go on each side, looking ahead only averages exact chances: it finds the exact chance."""
    text, table = "57,57,20,1/57,33,57,0 A6", table_address(endgame(GAMES[2]))
    for candidate in decided("strongest", text).candidates:
        after = GAMES[2].after_move(GAMES[2].parse(text), candidate.action)
        assert candidate.score == pytest.approx(win_chance(after, 0, table), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "games", "least"), [(2, 160, 0.55), (4, 48, 0.30)])
def test_the_strongest_beats_one_ply(players, games, least):
    """Par is a half of two, and a quarter alone among four."""
    others = ["one_ply", "one_ply(danger=1)", "one_ply(steps=1)"][: players - 1]
    result = sparring.match(GAMES[players], "strongest", *others, games=games)
    assert result.total("strongest").mean > least
