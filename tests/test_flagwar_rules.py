"""The rules of Flag War, case by case and against a second implementation with lists."""

from typing import Any

import pytest
from hypothesis import given, settings

from flagwar_rulebook import RuleBook
from flagwar_situations import Situation, as_orders, made, ordered, played, situations
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import carrier_of, key, pending, pieces_of
from sparring.games.flagwar.events import events_of
from sparring.games.flagwar.state import GOES_ON

LARGE = {"board": "19x13"}
REPO = {"rules": "repo-11x11"}
BOUNCE = {"swap": "bounce"}


def placed(words: str, options: dict[str, Any]) -> Any:
    """A position in which pieces that are not named are far away, A's at the left edge and B's at the right edge."""
    game = made(**options)
    width, height = game.config.sides
    named = {word.partition(":")[0] for word in words.split()}
    far = {f"A{k + 1}": (0, height - 1 - k) for k in range(game.config.pieces)}
    far |= {f"B{k + 1}": (width - 1, k) for k in range(game.config.pieces)}
    away = [f"{name}:{x},{y}" for name, (x, y) in far.items() if name not in named]
    return game.parse(" ".join([*words.split(), *away]))


def words_of(s: Any) -> set[str]:
    return set(made().text(s).split())


CASES: dict[str, tuple[Any, ...]] = {
    "C1": ("A1:5,6 B1:5,4", "A1d1 B1u1", "A1:X B1:X lost:1,1", ["A1 is jailed by B1 at (5,5), tick 1"]),
    "C4": ("A1:4,3 B1:4,2", "A1d1", "A1:X B1:4,2 lost:1,0"),
    "C6": ("A1:3,8 B1:3,7", "A1d1 B1u1", "A1:3,8 B1:X", ["A1 stops at (3,8) after its contact with B1, tick 1"]),
    "C6 passing": ("A1:3,8 B1:3,7", "A1d1 B1u1", "A1:3,7 B1:3,8", [], REPO),
    "C6 bouncing": ("A1:3,8 B1:3,7", "A1d1 B1u1", "A1:3,8 B1:3,7", ["A1 bounces back to (3,8), tick 1"], BOUNCE),
    "C8 into neutral": ("A1:3,6 B1:3,5", "A1d1 B1u1", "A1:X B1:X"),
    "C9": ("A1:1,8 B1:4,7", "A1r6 B1u3", "A1:7,8 B1:4,10"),
    "C10": ("A1:3,8 B1:4,7", "A1r6 B1u3", "A1:4,8 B1:X", ["B1 is jailed by A1 at (4,8), tick 1"]),
    "C10 going on": ("A1:3,8 B1:4,7", "A1r6 B1u3", "A1:9,8 B1:X", ["B1 is jailed by A1 at (4,8), tick 1"], REPO),
    "C12": ("A1:4,8 B1:4,3 B2:1,5", "A1d6 B2r3", "A1:X B1:4,3 B2:X", ["A1 is jailed by B2 at (4,5), tick 3"]),
    "C13": ("A1:4,8 A2:4,7 B1:4,4", "A1d8 A2d7", "A1:X A2:X B1:4,4", ["A1 is jailed by B1 at (4,4), tick 4"]),
    "C14": ("A1:4,2 B1:4,2", "A1l2 B1r2", "A1:X B1:4,2", ["A1 is jailed by B1 at (4,2), tick 0"]),
    "C16": ("A1:4,6 B1:4,4 B2:3,5", "A1d1 B1u1 B2r1", "A1:X B1:X B2:X", ["A1 is jailed by B1 at (4,5), tick 1"]),
    "F1": (
        "A1:5,8 A2:5,9 A3:6,9 B1:5,10+flag",
        "B1d5",
        "A1:5,8 A2:5,8 A3:6,8 B1:X",
        ["A's flag is at home again", "A2 leaves its zone for (5,8)"],
    ),
    "F2": ("A1:5,10 A2:8,9 B1:5,9+flag", "A2l3", "A1:4,8 A2:5,8 B1:X"),
    "F3": ("A1:3,0", "A1r5", "A1:8,0"),
    "F3 in passing": ("A1:3,0", "A1r5", "A1:8,0+flag", [], {"pickup_in_passing": "yes"}),
    "F4": ("A1:3,0 A2:7,0", "A1r2 A2l2", "A1:5,0+flag A2:5,0", ["A1 takes B's flag at (5,0)"]),
    "F5": ("A1:3,5+flag B1:7,5+flag", "A1u1 B1d1", "draw:both_flags", ["a draw"]),
    "F5 as B likes it": ("A1:3,5+flag B1:7,5+flag", "A1u1 B1d1", "B-wins:both_flags", [], {"both_score": "b_wins"}),
    "F6": ("A1:9,2+flag A2:X", "A1d1", "A1:9,1+flag+key A2:5,8 freed:1,0", ["A1 uses A's key at (9,1)"]),
    "F6 afterwards": ("A1:9,1+flag+key A2:5,8", "", "A1:4,8 A2:5,8", ["A1 goes home to (4,8)"]),
    "F6 at once": ("A1:9,2+flag A2:X", "A1d1", "A1:4,8 A2:5,8", [], {"rescuer_reset": "same_round"}),
    "K5": ("A1:X A2:X A3:9,2", "A3d1", "A1:4,8 A2:5,8 A3:9,1+key freed:2,0"),
    "K8": ("A1:X A2:9,1", "", "A1:4,8 A2:9,1+key"),
    "K8 next round": ("A1:4,8 A2:9,1+key", "A2u1", "A2:5,8", ["A2 goes home to (5,8)"]),
    "the first of two on a key uses it": ("A1:X A2:9,1 A3:9,1", "", "A1:4,8 A2:9,1+key A3:9,1"),
    "K9": ("A1:X A2:9,1 B1:X", "", "A1:4,8 B1:X"),
    "X1": ("A3:9,8 B1:9,10 A1:0,0", "B1d10 A1r9", "A1:9,0+flag A3:9,8 B1:X", ["A1 takes B's flag at (9,0)"], LARGE),
    "X5": ("A3:9,1 A2:0,6+flag B1:9,2+flag", "B1d2", "A3:X B1:9,1+flag B-wins:flag", [], LARGE),
    "the last piece": ("A1:4,3 A2:X A3:X B1:4,2", "A1d1", "B-wins:pieces", ["B has won"]),
    "the last of both": ("A1:5,6 A2:X A3:X B1:5,4 B2:X B3:X", "A1d1 B1u1", "draw:pieces"),
    "no end without pieces": ("A1:4,3 A2:X A3:X B1:4,2", "A1d1", "A1:X A2:X A3:X B1:4,2", [], REPO),
    "met again where it was put back": ("A1:3,8 B1:3,7 B2:2,8", "A1d1 B1u1 B2r1", "A1:3,8 B1:X B2:X"),
    "the jailed do not hear": ("A1:X A2:5,8", "A1u3 A2d1", "A1:X A2:5,7"),
    "a flag that comes home is taken at once": ("A1:3,9 B1:5,5+flag A2:4,5 B2:5,10", "A2r1", "A2:X B1:X B2:5,10+flag"),
    "M7": ("A1:5,5", "A1l8", "A1:0,5"),
    "M9": ("A2:5,8", "A2u3", "A2:5,8"),
    "M10": ("B3:5,8", "B3u2", "B3:5,10+flag"),
    "M13": ("A1:7,9", "A1l2", "A1:7,9"),
    "M15": ("A1:5,8 B1:0,5+flag", "A1u2", "A1:5,10"),
    "M19": ("B1:9,0", "B1u10", "B1:9,0", [], LARGE),
    "straight out of the own zone": ("A1:5,9", "A1d4", "A1:5,5"),
    "not sideways within the own zone": ("A1:5,9", "A1l4", "A1:5,9"),
    "the longest distance there is": ("A1:0,7", "A1r9999", "A1:10,7"),
    "M20 wins": ("A1:5,5+flag", "A1u10", "A1:5,10+flag A-wins:flag"),
}
"""The position, the commands, words of the position afterwards, some of the events, and options."""


@pytest.mark.parametrize("case", CASES)
def test_a_round_ends_as_documented(case: str) -> None:
    position, orders, expected, *more = CASES[case]
    events, options = (*more, *([], {})[len(more) :])
    s = placed(position, options)
    told = [str(event) for event in events_of(played(s, orders))]
    assert set(expected.split()) <= words_of(s)
    assert [event for event in events if event not in told] == []
    if not any("wins" in word or "draw" in word for word in expected.split()):
        assert s.ending == GOES_ON


@pytest.mark.parametrize(
    ("position", "keys"),
    [("A1:X", [(9, 1), None]), ("A1:X B1:X", [(9, 1), (1, 9)]), ("", [None, None])],
    ids=["K1", "K2 and K3", "K4"],
)
def test_a_side_has_a_key_while_it_has_jailed_pieces(position: str, keys: list[Any]) -> None:
    s = placed(position, {})
    assert [key(s, side) for side in (0, 1)] == keys


ROUNDS: dict[str, tuple[Any, ...]] = {
    "no piece moves for 20 rounds": ({}, "r0", [""] * 20, "r20 draw:stall"),
    "a move starts the count again": ({}, "idle:19", ["A1d1", *[""] * 19], "idle:19"),
    "to and fro until the limit": ({"turn_limit": 7}, "r0", [*["A1r1", "A1l1"] * 3, "A1r1"], "r7 draw:rounds"),
    "the limit of the small board": ({}, "r98", ["A1d1", "A1u1"], "r100 draw:rounds"),
    "the limit of the large board": (LARGE, "r198", ["A1d1", "A1u1"], "r200 draw:rounds"),
    "all charge at all": ({}, "r0", ["A1d9 A2d9 A3d9 B1u9 B2u9 B3u9"], "r1 draw:pieces"),
}


@pytest.mark.parametrize("case", ROUNDS)
def test_a_game_ends_in_the_round_of_its_limit_and_not_before(case: str) -> None:
    options, position, orders, expected = ROUNDS[case]
    s = made(**options).parse(position)
    for one in orders:
        assert s.ending == GOES_ON
        played(s, one)
    assert set(expected.split()) <= words_of(s)


def test_a_finished_game_does_not_change() -> None:
    s = made().parse("A-wins:flag")
    before = s.tobytes()
    assert played(s, "A1d3").event_count == 0
    assert s.tobytes() == before


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(situations())
def test_any_round_is_that_of_the_second_implementation(situation: Situation) -> None:
    """Whatever is left in the record from the round before."""
    game, position, orders = situation
    s, twin = game.parse(position), game.parse(position)
    book = RuleBook(game, s)
    book.play(orders)
    log, used = played(s, as_orders(orders)), played(game.new(0), "A1l3 B2u7")
    places, carriers = [pieces_of(s, side) for side in (0, 1)], [carrier_of(s, side) for side in (0, 1)]
    found = places, carriers, [set(pending(s, side)) for side in (0, 1)], s.ending != GOES_ON, int(s.winner)
    assert (s.lost.tolist(), s.freed.tolist()) == (book.lost, book.freed)
    assert found == book.told()
    assert log.event_count < len(log.events)
    rules.play_round(twin, *ordered(twin, as_orders(orders)), used)
    assert s.tobytes() == twin.tobytes()
    assert events_of(log) == events_of(used)
