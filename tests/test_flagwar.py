"""Flag War as players meet it: positions in words, commands, what positions are worth, and agents."""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache, partial
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import sparring
from flagwar_situations import GAMES, Situation, as_orders, made, ordered, played, situations
from sparring.agents.agent import View, agent
from sparring.agents.spec import heuristics
from sparring.arena import gametext
from sparring.arena.referee import play
from sparring.core.dice import dice, players_dice, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import compiled_mode
from sparring.games.check import check
from sparring.games.flagwar.board import action_name, pieces_of
from sparring.games.flagwar.events import events_of
from sparring.games.flagwar.game import LISTED, FlagWar
from sparring.games.flagwar.state import State

ALL = ("quick_as_written", "quick_corrected", "detailed_as_written", "detailed_corrected")


@cache
def scorers() -> dict[str, Any]:
    known = heuristics(made())
    return {name: partial(score_with, known[name].score(State), known[name].weigh()) for name in ALL}


def score_with(score: Any, weights: Any, s: Any, player: int) -> float:
    return float(score(s, player, weights))


def scores(s: Any, player: int = 0) -> dict[str, float]:
    """What every evaluator says of a position."""
    return {name: scorer(s, player) for name, scorer in scorers().items()}


def after(position: str, orders: str, **options: str) -> Any:
    s = made(**options).parse(position)
    played(s, orders)
    return s


# The contract


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"board": "19x13", "rules": "repo-11x11", "turn_limit": "9"}], ids=str)
def test_flagwar_keeps_the_contract(options: dict[str, str]) -> None:
    found = check(made(**options), 2)
    assert found.passed, str(found)


@settings(max_examples=60, deadline=None)
@given(situations())
def test_any_position_is_the_same_after_text_and_json(situation: Situation) -> None:
    game, position, orders = situation
    s = game.parse(position)
    for _ in range(2):
        assert game.parse(game.text(s)).tobytes() == s.tobytes()
        assert game.from_json(json.loads(json.dumps(game.to_json(s)))).tobytes() == s.tobytes()
        ElementTree.fromstring(game.svg(s, {ordered(s, as_orders(orders))[0]: 1.0}))
        played(s, as_orders(orders))


def transcript() -> str:
    """A hash of rounds by all rules: states, events and what they are worth."""
    digest, chance = hashlib.blake2b(digest_size=16), dice("transcript")
    for options in GAMES:
        game = FlagWar(**options)
        s = game.new(0)
        for _ in range(12):
            orders = [sum(throw(chance, 128) << 8 * piece for piece in range(game.config.pieces)) for _ in (0, 1)]
            events = game.play_round(s, dict(enumerate(orders)))
            digest.update(game.to_bytes(s) + repr((events, scores(s, 0), scores(s, 1))).encode())
    return f"{digest.hexdigest()} {compiled_mode()}"


@pytest.mark.slow
def test_the_plain_twin_plays_the_same_rounds_and_values_them_the_same() -> None:
    plain = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    answer = subprocess.run([sys.executable, __file__], env=plain, capture_output=True, text=True, timeout=120)
    assert answer.stdout.split() == [transcript().split()[0], "False"], answer.stderr


# Positions in words


def test_pieces_that_are_not_named_are_at_their_starts() -> None:
    assert made().text(made().parse("A1:3,8")) == "r0 A1:3,8 A2:5,8 A3:6,8 B1:4,2 B2:5,2 B3:6,2"


def test_the_large_board_starts_as_it_should() -> None:
    s = made(board="19x13").new(0)
    assert pieces_of(s, 0) == [(x, 10) for x in range(6, 13)]
    assert pieces_of(s, 1) == [(x, 2) for x in range(6, 13)]


def test_a_drawing_has_up_on_top_and_tells_flags_keys_zones_and_stacks() -> None:
    lines = made().drawing(made().parse("A1:4,5+flag A2:4,5 B2:X")).splitlines()
    assert lines[0] == "10  .  .  .  .  :  F  :  .  .  .  ."
    assert lines[1].split()[2] == "K"  # B's, in A's land
    assert lines[5].split()[5] == "A1+"
    assert ":" not in "".join(lines[9:11])  # B's flag is away
    assert "A1 (4,5) with B's flag" in lines[-2]
    assert "B2 jailed" in lines[-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A1:4;5", "cannot read 'A1:4;5'; expected the round"),
        ("A4:4,5", "no piece A4: a side has 3"),
        ("A1:11,5", "not on the board of 11x11"),
        ("A1:X+flag", "A1 is jailed"),
        ("A1:4,5+flag A2:4,6+flag", "there is only one"),
        ("A1:4,5 A1:4,6", "A1 is there twice"),
        ("C-wins:flag", "cannot read"),
    ],
)
def test_a_slip_in_a_position_is_told(text: str, message: str) -> None:
    with pytest.raises(SparringError, match=message):
        made().parse(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"board": "10x11"}, "the width odd"),
        ({"board": "big"}, "expected WIDTHxHEIGHT"),
        ({"pieces": "4"}, "an odd number from 1 to 7"),
        ({"board": "7x11", "pieces": "5"}, "from 1 to 3"),
        ({"rules": "repo"}, "did you mean repo-11x11"),
        ({"swap": "jump"}, "unknown swap 'jump'"),
        ({"turn_limit": "never"}, "turn_limit must be a number"),
    ],
)
def test_a_slip_in_an_option_is_told(options: dict[str, str], message: str) -> None:
    with pytest.raises(SparringError, match=message):
        FlagWar(**options)


def test_a_rule_set_is_where_options_begin() -> None:
    repo = FlagWar(rules="repo-11x11", swap="contact")
    assert (repo.config.survivor, repo.config.swap, repo.config.elimination) == ("continue", "contact", "no")
    assert repo.chosen() == {"rules": "repo-11x11", "swap": "contact"}
    assert FlagWar(board="19x13").chosen() == {"board": "19x13"}


# Commands


def test_every_set_of_reachable_cells_has_one_action() -> None:
    game = made()
    legal = game.legal(game.new(0), 0)
    assert len(legal) == len(set(legal)) == 19**3
    assert legal[0] == 0


def test_commands_of_a_rescuer_are_counted_from_its_home() -> None:
    game = made()
    s = game.parse("A1:9,1+key")
    assert len(game.commands(s, 0)[0]) == 19
    played(s, "A1d1")
    assert pieces_of(s, 0)[0] == (4, 7)


def test_too_many_commands_are_spread_evenly() -> None:
    game = made(board="19x13")
    s = game.new(0)
    legal, single = game.legal(s, 1), game.commands(s, 1)
    assert len(legal) < LISTED
    assert {command << 8 * piece for piece, one in enumerate(single) for command in one.tolist()} <= set(legal)
    for piece, one in enumerate(single):
        counts = [sum(action >> 8 * piece & 255 == command for action in legal) for command in one.tolist()[1:]]
        assert 30 <= min(counts) <= max(counts) <= 45


def test_any_command_is_legal_and_ends_at_the_edge() -> None:
    position = made().start()
    after = position.after({0: "1u9 2l999", 1: "stay"})
    assert pieces_of(after.state, 0) == [(4, 8), (0, 8), (6, 8)]
    assert position.action("2l7_1r1", 0) == position.action("1r1 2l7", 0)


@pytest.mark.parametrize("action", [-1, 32, 128, 1 << 24, 1 << 62, 2.0, True, None, "4u1", "1x3", "", "1u"])
def test_what_is_no_command_is_refused(action: Any) -> None:
    with pytest.raises(SparringError, match=r"is not legal here; legal: stay 1u?.* \.\.\."):
        made().start().action(action, 0)


def test_nothing_is_legal_when_it_is_over() -> None:
    over = made().position("A-wins:flag")
    assert over.outcome == (1.0, 0.0)
    with pytest.raises(SparringError, match="the game is over"):
        over.action("stay", 0)


def test_action_names_are_read_back() -> None:
    for name in ("stay", "1u3", "3l2", "1u3_2d1_3r10"):
        assert action_name(made().start().action(name, 0)) == name


# What positions are worth


@settings(max_examples=100, deadline=None)
@given(situations())
def test_what_is_good_for_one_is_as_bad_for_the_other(situation: Situation) -> None:
    game, position, orders = situation
    s = game.parse(position)
    for _ in range(2):
        mine, theirs = scores(s, 0), scores(s, 1)
        assert mine == {name: -value for name, value in theirs.items()}
        played(s, as_orders(orders))


WORTH = {
    "the start": ("", "", [0, 0, 0, 0]),
    "a flag": ("A1:5,3 B1:0,0 B2:1,0 B3:2,0", "A1d3", [8500, 8500, 8500, 8500]),
    "a piece in the last row": ("A1:3,3 B1:0,4", "A1d3", [500, 500, 500, 500]),
    "in their zone": ("A1:3,1 B1:0,4 B2:0,4 B3:0,4", "A1r1", [1000, 1000, 1000, 1000]),
    "in their zone, our flag gone": ("A1:3,1 B1:0,5+flag B2:0,4 B3:0,4", "A1r1", [-8000, -7000, -8000, -7000]),
    "a capture": ("A1:5,5 B1:5,7", "A1u2", [200, 200, 1200, 1200]),
    "a rescue": ("A1:9,2 A2:X", "A1d1", [0, 0, 1000, 0]),
    "a win": ("A1:5,5+flag", "A1u1", [10_000, 100_000, 10_000, 100_000]),
    "a loss": ("B1:5,5+flag", "B1d1", [-10_000, -100_000, -10_000, -100_000]),
    "a draw": ("A1:5,5+flag B1:4,5+flag", "A1u1 B1d1", [0, 0, 0, 0]),
}


@pytest.mark.parametrize("what", WORTH)
def test_a_position_is_worth_what_its_terms_say(what: str) -> None:
    position, orders, worth = WORTH[what]
    assert list(scores(after(position, orders)).values()) == worth


def test_the_chased_piece_is_worth_what_the_design_says() -> None:
    """A1 runs down to the last row. One that catches it on the way gains 1700 over staying, however late."""
    stays = scores(after("A1:3,8", "A1d8"), 1)["detailed_as_written"]
    assert stays == -500
    for orders in ("B1l1", "B2l2", "B3l3"):
        assert scores(after("A1:3,8", f"A1d8 {orders}"), 1)["detailed_as_written"] - stays == 1700


def test_standing_on_a_flag_counts_only_before_the_round_that_takes_it() -> None:
    s = made().parse("A1:5,0")
    assert heuristics(made())["quick_as_written"].terms(s, 0)["on_flag"] == 1
    played(s)
    assert heuristics(made())["quick_as_written"].terms(s, 0)["on_flag"] == 0


# Agents


def test_who_never_moves_can_win_only_by_what_the_other_loses() -> None:
    """Pieces that walk into others on their ground are jailed, and so most random players end."""
    result = sparring.match("flagwar", "random", "still", games=20, seed=1)
    won = {game.reason: game.agents[game.scores.index(1.0)] for game in result.games if 1.0 in game.scores}
    assert won == {"flag brought home": "random", "no pieces left": "still"}


@pytest.mark.parametrize("board", ["11x11", "19x13"])
def test_a_game_can_be_written_and_replayed(board: str) -> None:
    game = made(board=board)
    players = [sparring.agent(game, "random"), sparring.agent(game, "random")]
    game_played = play(game, players, seed=3)
    again = gametext.read(gametext.write(game_played))
    assert again.turns == game_played.turns
    assert again.positions()[-1].outcome == game_played.scores


def test_an_agent_may_answer_in_words_and_go_too_far() -> None:
    @agent("flagwar")
    def runner(view: View) -> str:
        return "1u99 3l1" if view.me else "1d99"

    game = made()
    player = sparring.agent(game, runner)
    turns = play(game, [player, player], seed=1).turns
    assert [turn.action for turn in turns[:2]] == ["1d31", "1u31_3l1"]


def test_the_random_agent_is_drawn_from_its_own_dice() -> None:
    game = made()
    player = sparring.agent(game, "random")
    answers = {
        player.decide(View(game.start(), side, players_dice(seed, side))).action for seed in range(5) for side in (0, 1)
    }
    assert len(answers) == 10


def test_events_tell_a_round_in_its_order() -> None:
    s = made().parse("A1:5,6 A2:X A3:9,2 B1:5,4+flag B2:5,10")
    told = [str(event) for event in events_of(played(s, "A1d1 A3d1 B1u1"))]
    assert told == [
        "A1 is jailed by B1 at (5,5), tick 1",
        "B1 is jailed by A1 at (5,5), tick 1",
        "A's flag is at home again",
        "B2 takes A's flag at (5,10)",
        "A3 uses A's key at (9,1)",
        "A1 is freed and stands at (4,8)",
        "A2 is freed and stands at (5,8)",
    ]


if __name__ == "__main__":
    print(transcript())
