"""Flag War as a game: positions in words, commands, heuristics, and games of simple agents."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

import sparring
from flagwar_situations import Situation, as_orders, made, ordered, played, scores, situations
from sparring.agents.spec import heuristics
from sparring.core.errors import SparringError
from sparring.games.flagwar.board import action_name, action_named, pieces_of
from sparring.games.flagwar.events import events_of
from sparring.games.flagwar.game import LISTED, FlagWar


@settings(max_examples=25, deadline=None)
@given(situations())
def test_any_position_is_the_same_after_text_and_json_and_scores_are_zero_sum(situation: Situation) -> None:
    game, position, orders = situation
    s = game.parse(position)
    for _ in range(2):
        assert game.parse(game.text(s)).tobytes() == s.tobytes()
        assert game.from_json(json.loads(json.dumps(game.to_json(s)))).tobytes() == s.tobytes()
        assert scores(s, 0) == {name: -value for name, value in scores(s, 1).items()}
        played(s, as_orders(orders))
    ElementTree.fromstring(game.svg(s, {ordered(s, as_orders(orders))[0]: 1.0}))


def test_pieces_that_are_not_named_are_at_their_starts() -> None:
    assert made().text(made().parse("A1:3,8")) == "r0 A1:3,8 A2:5,8 A3:6,8 B1:4,2 B2:5,2 B3:6,2"
    large = made(board="19x13").new(0)
    assert [pieces_of(large, side) for side in (0, 1)] == [[(x, y) for x in range(6, 13)] for y in (10, 2)]


def test_a_drawing_marks_stacks_and_leaves_out_zones_without_a_flag() -> None:
    lines = made().drawing(made().parse("A1:4,5+flag A2:4,5 B2:X")).splitlines()
    assert lines[0] == "10  .  .  .  .  :  F  :  .  .  .  ."
    assert lines[5].split()[5] == "A1+"
    assert ":" not in "".join(lines[9:11])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A1:4;5", "cannot read 'A1:4;5'; expected words such as r3"),
        ("A4:4,5", "no piece A4: a side has 3"),
        ("A1:11,5", "not on the board of 11x11"),
        ("A1:X+flag", "A1 is jailed"),
        ("A1:4,5+flag A2:4,6+flag", "there is only one"),
        ("A1:4,5 A1:4,6", "A1 is named twice"),
        ("r200", "--turn_limit 201 plays on"),
        ("r100", "written draw:rounds"),
        ("A1:X A2:X A3:X B1:X B2:X B3:X", "all pieces of A and B are jailed"),
        ("A1:X A2:X A3:X", "written B-wins:pieces"),
    ],
)
def test_a_wrong_position_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(SparringError, match=message) as refused:
        made().parse(text)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"board": "10x11"}, "the width odd"),
        ({"pieces": "4"}, "an odd number from 1 to 7"),
        ({"board": "7x11", "pieces": "5"}, "from 1 to 3"),
        ({"rules": "repo"}, "did you mean repo-11x11"),
        ({"swap": "jump"}, "unknown swap 'jump'"),
    ],
)
def test_a_wrong_option_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(SparringError, match=message):
        FlagWar(**options)


def test_options_begin_with_a_rule_set_and_set_the_limits() -> None:
    made(turn_limit=201).parse("r200")
    made(elimination="no").parse("A1:X A2:X A3:X")
    repo = FlagWar(rules="repo-11x11", swap="contact")
    assert (repo.config.survivor, repo.config.swap, repo.config.elimination) == ("continue", "contact", "no")
    assert repo.chosen() == {"rules": "repo-11x11", "swap": "contact"}
    assert FlagWar(board="19x13").chosen() == {"board": "19x13"}


def test_every_set_of_reachable_cells_has_one_action() -> None:
    game = made()
    legal = game.legal(game.new(0), 0)
    assert len(legal) == len(set(legal)) == 19**3
    assert (legal[0], legal[1:3]) == (0, [legal[1], legal[2]])


def test_a_rescuers_commands_are_counted_from_its_start_cell() -> None:
    s = made().parse("A1:9,1+key")
    assert len(made().commands(s, 0)[0]) == 19
    played(s, "A1d1")
    assert pieces_of(s, 0)[0] == (4, 7)


def test_of_too_many_commands_an_even_sample_is_listed() -> None:
    game = made(board="19x13")
    s = game.new(0)
    legal, single = game.legal(s, 1), game.commands(s, 1)
    assert len(legal) < LISTED
    assert {command << 8 * piece for piece, one in enumerate(single) for command in one.tolist()} <= set(legal)
    for piece, one in enumerate(single):
        counts = [sum(action >> 8 * piece & 255 == command for action in legal) for command in one.tolist()[1:]]
        assert 30 <= min(counts) <= max(counts) <= 45


def test_any_well_formed_command_is_legal_and_ends_at_the_edge() -> None:
    position = made().start()
    after = position.after({0: "1u9 2l999", 1: "stay"})
    assert pieces_of(after.state, 0) == [(4, 8), (0, 8), (6, 8)]
    assert position.action("2l7_1r1", 0) == position.action("1r1 2l7", 0)
    assert action_named("1u3 2l1 1d2", 3) == action_named("1d2_2l1", 3)  # the later of two
    assert action_named("1u99 3l1", 3) == action_named("1u31_3l1", 3)
    for name in ("stay", "1u3", "3l2", "1u3_2d1_3r10"):
        assert action_name(position.action(name, 0)) == name


@pytest.mark.parametrize("action", [-1, 32, 128, 1 << 24, 1 << 62, 2.0, True, None, "4u1", "1x3", "", "1u"])
def test_a_malformed_command_is_refused(action: Any) -> None:
    with pytest.raises(SparringError, match=r"is not legal here; legal: stay 1u?.* \.\.\."):
        made().start().action(action, 0)


def test_nothing_is_legal_in_a_finished_game() -> None:
    over = made().position("A-wins:flag")
    assert over.outcome == (1.0, 0.0)
    with pytest.raises(SparringError, match="the game is over"):
        over.action("stay", 0)


WORTH = {
    "the start": ("", "", [0, 0, 0, 0]),
    "a flag": ("A1:5,3 B1:0,0 B2:1,0 B3:2,0", "A1d3", [8500, 8500, 8500, 8500]),
    "a piece in the last row": ("A1:3,3 B1:0,4", "A1d3", [500, 500, 500, 500]),
    "in their zone": ("A1:3,1 B1:0,4 B2:0,4 B3:0,4", "A1r1", [1000, 1000, 1000, 1000]),
    "in their zone, our flag gone": ("A1:3,1 B1:0,5+flag B2:0,4 B3:0,4", "A1r1", [-8000, -8000, -7000, -7000]),
    "a capture": ("A1:5,5 B1:5,7", "A1u2", [200, 1200, 200, 1200]),
    "a rescue": ("A1:9,2 A2:X", "A1d1", [0, 1000, 0, 0]),
    "a win": ("A1:5,5+flag", "A1u1", [10_000, 10_000, 100_000, 100_000]),
    "a loss": ("B1:5,5+flag", "B1d1", [-10_000, -10_000, -100_000, -100_000]),
    "a draw": ("A1:5,5+flag B1:4,5+flag", "A1u1 B1d1", [0, 0, 0, 0]),
}
"""The position, a round, and A's score as written and corrected, each without captures and with them."""


@pytest.mark.parametrize("what", WORTH)
def test_a_position_is_worth_what_its_terms_say(what: str) -> None:
    position, orders, worth = WORTH[what]
    s = made().parse(position)
    played(s, orders)
    found = scores(s)
    evaluators = [f"{one}_{variant}" for variant in ("as_written", "corrected") for one in ("quick", "detailed")]
    assert [found[name] for name in evaluators] == worth


def test_standing_on_a_flag_counts_only_before_the_round_that_takes_it() -> None:
    s = made().parse("A1:5,0")
    terms = heuristics(made())["quick_as_written"].terms
    assert terms(s, 0)["on_flag"] == 1
    played(s)
    assert terms(s, 0)["on_flag"] == 0


def test_raid_counts_last_pieces_open_ways_home_and_columns() -> None:
    terms = heuristics(made())["raid"].terms
    found = terms(made().parse("A1:5,3+flag A2:X A3:X B1:4,6 B2:8,2"), 0)
    assert (found["last_piece"], found["way_home"], found["off_centre"]) == (1, 1, 0 - (1 + 3 + 1))
    ways = {"A1:5,3+flag B1:5,6": 0, "A1:5,3+flag B1:5,4": 0, "A1:5,3+flag B1:5,7 B2:5,2": 1, "B1:5,7+flag": -1}
    assert {position: terms(made().parse(position), 0)["way_home"] for position in ways} == ways


def test_an_agent_that_never_moves_wins_only_by_what_the_other_loses() -> None:
    """Random pieces walk into enemies on their ground and are jailed: so most random players end."""
    result = sparring.match("flagwar", "random", "still", games=20, seed=1)
    won = {game.reason: game.agents[game.scores.index(1.0)] for game in result.games if 1.0 in game.scores}
    assert won == {"flag brought home": "random", "no pieces left": "still"}


def test_events_are_in_the_order_of_the_round_and_a_piece_that_stands_is_not_stopped() -> None:
    def told(position: str, orders: str) -> list[str]:
        return [str(event) for event in events_of(played(made().parse(position), orders))]

    assert told("A1:5,6 A2:X A3:9,2 B1:5,4+flag B2:5,10", "A1d1 A3d1 B1u1") == [
        "A1 is jailed by B1 at (5,5), tick 1",
        "B1 is jailed by A1 at (5,5), tick 1",
        "A's flag is at home again",
        "B2 takes A's flag at (5,10)",
        "A3 uses A's key at (9,1)",
        "A1 is freed and stands at (4,8)",
        "A2 is freed and stands at (5,8)",
    ]
    assert told("A1:3,8 B1:3,7", "B1u1") == ["B1 is jailed by A1 at (3,8), tick 1"]
