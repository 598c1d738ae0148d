"""The rules of Ludo, told as stories, and played in step with a plain board that knows nothing of the compiled rules.

`python tests/test_ludo_rules.py` writes tests/data/ludo_games.txt anew.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.agents.spec import agent
from sparring.arena import notation
from sparring.arena.referee import play
from sparring.core.dice import dice, throw
from sparring.core.errors import SparringError
from sparring.games.ludo.board import RING_CELLS
from sparring.games.ludo.game import Ludo
from sparring.games.registry import game

GOLDEN = Path(__file__).parent / "data" / "ludo_games.txt"
SVG = "{http://www.w3.org/2000/svg}"
HOME = "0,0,0,0"


@cache
def ludo(**options: Any) -> Ludo:
    made = game("ludo", **options)
    assert isinstance(made, Ludo)
    return made


def moved(text: str, token: int = 1, **options: Any) -> str:
    """The position after a token's move, before the next roll."""
    made = ludo(players=text.count("/") + 1, **options)
    position = made.position(text)
    assert token - 1 in position.legal, f"token {token} cannot move in {text}"
    return made.text(made.after_move(position.state, token - 1))


def legal_names(text: str, **options: Any) -> list[str]:
    position = ludo(players=text.count("/") + 1, **options).position(text)
    return [position.name(action) for action in position.legal]


STORIES = """
# leaving home
a six brings a token from home to its start: 0,0,0,0/0,0,0,0 A6 -> 1,0,0,0/0,0,0,0 A-
leaving home sends an enemy home from the start: 0,0,0,0/27,0,0,0 A6 -> 1,0,0,0/0,0,0,0 A-
leaving home sends two enemies home: 0,0,0,0/27,27,0,0 A6 -> 1,0,0,0/0,0,0,0 A-
a blockade on the start can hold: 0,0,0,0/27,27,0,0 A6 -> 0,0,0,0/27,27,0,0 A- | exit_onto_blockade=fail
one enemy on the start never holds: 0,0,0,0/27,0,0,0 A6 -> 1,0,0,0/0,0,0,0 A- | exit_onto_blockade=fail
# landing
a token moves as many tiles as the die shows: 2,0,0,0/0,0,0,0 A4 -> 6,0,0,0/0,0,0,0 B-
a single enemy is sent home: 3,0,0,0/33,0,0,0 A4 -> 7,0,0,0/0,0,0,0 B-
two tokens send home the token that lands on them: 3,0,0,0/33,33,0,0 A4 -> 0,0,0,0/33,33,0,0 B-
without blockades two tokens are sent home: 3,0,0,0/33,33,0,0 A4 -> 7,0,0,0/0,0,0,0 B- | blockade=none
a blockade can be passed: 3,0,0,0/33,33,0,0 A5 -> 8,0,0,0/33,33,0,0 B-
own tokens may share a tile: 3,7,7,0/0,0,0,0 A4 -> 7,7,7,0/0,0,0,0 B-
a token on a globe is protected: 5,0,0,0/35,0,0,0 A4 -> 0,0,0,0/35,0,0,0 B-
a free globe is a tile like others: 5,0,0,0/34,0,0,0 A4 -> 9,0,0,0/34,0,0,0 B-
a token on its own start is protected: 24,0,0,0/1,0,0,0 A3 -> 0,0,0,0/1,0,0,0 B-
a start protects nobody but its owner: 14,0,0,0/0,0,0,0/38,0,0,0/0,0,0,0 C2 -> 0,0,0,0/0,0,0,0/40,0,0,0/0,0,0,0 D-
two strangers on a start are a blockade: 14,14,0,0/0,0,0,0/38,0,0,0/0,0,0,0 C2 -> 14,14,0,0/0,0,0,0/0,0,0,0/0,0,0,0 D-
the start of an empty seat is a tile like others: 14,0,0,0/38,0,0,0 B2 -> 0,0,0,0/40,0,0,0 A-
# stars
a jump onto a star is no reason for another jump: 43,0,0,0/0,0,0,0 A1 -> 51,0,0,0/0,0,0,0 B-
from the last star a six leads into the goal: 51,0,0,0/0,0,0,0 A6 -> 57,0,0,0/0,0,0,0 A-
from the last star a five leads to 56: 51,0,0,0/0,0,0,0 A5 -> 56,0,0,0/0,0,0,0 B-
a jump sends home tokens on both stars: 3,0,0,0/31,38,0,0 A2 -> 12,0,0,0/0,0,0,0 B-
the jump into the goal sends home from the last star: 50,0,0,0/25,0,0,0 A1 -> 57,0,0,0/0,0,0,0 B-
a blockade on the first star ends the jump: 3,0,0,0/31,31,38,0 A2 -> 0,0,0,0/31,31,38,0 B-
a blockade on the second star comes after a capture: 3,0,0,0/31,38,38,0 A2 -> 0,0,0,0/0,38,38,0 B-
a blockade on the last star bars the goal: 50,0,0,0/25,25,0,0 A1 -> 0,0,0,0/25,25,0,0 B-
jumps can count only where they end: 3,0,0,0/31,31,38,0 A2 -> 12,0,0,0/31,31,0,0 B- | star_capture=last
so the last star does not count: 50,0,0,0/25,0,0,0 A1 -> 57,0,0,0/25,0,0,0 B- | star_capture=last
a token on a star is not safe: 12,0,0,0/30,0,0,0 B1 -> 0,0,0,0/38,0,0,0 A-
# corridor and goal
a token turns into its corridor: 50,0,0,0/0,0,0,0 A3 -> 53,0,0,0/0,0,0,0 B-
the goal needs an exact roll: 53,0,0,0/0,0,0,0 A4 -> 57,0,0,0/0,0,0,0 B-
a token is reflected from 56 by a six: 56,0,0,0/0,0,0,0 A6 -> 52,0,0,0/0,0,0,0 A-
a token is reflected from 56 by a two: 56,0,0,0/0,0,0,0 A2 -> 56,0,0,0/0,0,0,0 B-
a token is reflected from 52 by a six: 52,0,0,0/0,0,0,0 A6 -> 56,0,0,0/0,0,0,0 A-
as in ludopy the whole die leads back: 56,0,0,0/0,0,0,0 A5 -> 52,0,0,0/0,0,0,0 B- | overshoot=ludopy
as in ludopy a token comes back to the ring: 53,0,0,0/25,0,0,0 A6 -> 51,0,0,0/0,0,0,0 A- | overshoot=ludopy
nobody on the ring meets a token in a corridor: 52,0,0,0/24,0,0,0 B2 -> 52,0,0,0/26,0,0,0 A-
a token in a corridor meets nobody on the ring: 50,0,0,0/26,0,0,0 A2 -> 52,0,0,0/26,0,0,0 B-
# turns
a six gives another roll: 2,0,0,0/0,0,0,0 A6 -> 8,0,0,0/0,0,0,0 A-
the other roll can be switched off: 2,0,0,0/0,0,0,0 A6 -> 8,0,0,0/0,0,0,0 B- | extra_turn_on_six=no
# the end
in a game for all places the die skips C: 57/9/57/8 B1 places=CA -> 57/10/57/8 D- places=CA | tokens=1 play_to_end=yes
and A, which also has a place: 57/9/57/8 D1 places=CA -> 57/9/57/9 B- places=CA | tokens=1 play_to_end=yes
a six that finishes gives no other roll: 51/9/2/8 A6 -> 57/9/2/8 B- | tokens=1 play_to_end=yes
# seats
side by side the starts are 13 tiles apart: 13,0,0,0/1,0,0,0 A1 -> 0,0,0,0/1,0,0,0 B- | seats=0,1
side by side the rest of the ring is free: 12,0,0,0/1,0,0,0 A1 -> 13,0,0,0/1,0,0,0 B- | seats=0,1
"""
"""A story: the position before the move of the first token -> the position before the next roll | options."""


@pytest.mark.parametrize("told", re.findall(r"(?m)^\w.*", STORIES), ids=lambda told: told.partition(":")[0])
def test_the_first_token_moves(told: str) -> None:
    rest, _, options = told.partition(": ")[2].partition(" | ")
    before, after = rest.split(" -> ")
    assert moved(before, **dict(word.split("=") for word in options.split())) == after


def test_a_star_carries_on_to_the_next_star_and_the_last_into_the_goal() -> None:
    stars = [5, 12, 18, 25, 31, 38, 44, 51, 57]
    for star, following in pairwise(stars):
        assert moved(f"{star - 1},0,0,0/0,0,0,0 A1").startswith(f"{following},0,0,0/")


def test_a_game_ends_with_the_first_winner_or_when_all_places_are_taken() -> None:
    won = ludo().position("57,57,56,57/9,0,0,0/57,57,57,56/0,0,0,0 A1").after("t3_56to57")
    assert (won.outcome, won.game.ending(won.state)) == ((1.0, 0.0, 0.0, 0.0), "all tokens in goal")
    to_end = ludo(play_to_end="yes")
    assert not to_end.position("57,57,56,57/9,0,0,0/56,57,57,57/8,0,0,0 A1").after("t3_56to57").over
    last = to_end.position("57,57,57,57/57,57,57,57/56,57,57,57/8,0,0,0 C1 places=BA").after("t1_56to57")
    assert last.outcome == pytest.approx((2 / 3, 1.0, 1 / 3, 0.0))
    assert last.game.ending(last.state) == "all places taken"


def test_nobody_can_move_in_a_finished_game() -> None:
    position = ludo(players=2).position("57,57,57,57/9,0,0,0 A-")
    assert (position.over, position.outcome) == (True, (1.0, 0.0))
    with pytest.raises(SparringError, match=r"players \[\] are to act"):
        position.after({0: "t1_57to57"})


def test_two_players_sit_opposite_each_other_and_the_first_player_can_be_chosen() -> None:
    assert ludo(players=2).new(0).start[:2].tolist() == [0, 26]
    assert [int(made.new(0).to_move) for made in (ludo(first_player=2), ludo())] == [2, 0]


# Dice


def test_a_game_starts_with_a_six_and_the_mover_depends_on_the_seed() -> None:
    texts = [ludo().start(seed).text for seed in range(50)]
    assert texts == [game("ludo").start(seed).text for seed in range(50)]
    assert set(texts) == {f"{'/'.join([HOME] * 4)} {player}6" for player in "ABCD"}


def test_the_same_state_goes_elsewhere_with_other_dice() -> None:
    followers = set()
    for seed in range(100):
        state = ludo().parse("2,0,0,0/9,0,0,0/4,0,0,0/1,0,0,0 A1")
        ludo().play(state, {0: 0}, dice(seed))
        followers.add(ludo().text(state).split()[1])
    assert followers == {f"B{die}" for die in range(1, 7)}


# A plain board: the rule book in lists and words


class PlainLudo:
    """Ludo by names of tiles. Each player has its own way, a list of 58 of them."""

    def __init__(self, options: dict[str, Any], roll: Callable[[], int]) -> None:
        config = game("ludo", **options).config
        self.config, self.roll = config, roll
        self.ways = [self.way(int(seat)) for seat in config.seats.split(",")]
        self.steps = [[0] * config.tokens for _ in self.ways]
        self.mover, self.die, self.sixes, self.turns = config.first_player, 0, 0, 0
        self.places: list[int] = []

    @staticmethod
    def way(seat: int) -> list[str]:
        ring = [f"ring {(13 * seat + step) % 52}" for step in range(51)]
        return [f"home {seat}", *ring, *(f"corridor {seat} {step}" for step in range(5)), f"goal {seat}"]

    def movable(self) -> list[int]:
        found = []
        for token, step in enumerate(self.steps[self.mover]):
            too_far = step + self.die > 57 and self.config.overshoot == "stay"
            if (step == 0 and self.die == 6) or (0 < step < 57 and not too_far):
                found.append(token)
        return found

    def in_first_round(self) -> bool:
        return self.turns < len(self.ways)

    def over(self) -> bool:
        return len(self.places) >= (len(self.ways) - 1 if self.config.play_to_end == "yes" else 1)

    def next_player(self) -> None:
        self.turns += 1
        self.sixes = 0
        self.mover = (self.mover + 1) % len(self.ways)
        while self.mover in self.places:
            self.mover = (self.mover + 1) % len(self.ways)

    def six_counts(self) -> bool:
        wish = self.config.extra_turn_on_six
        return wish == "yes" or (wish == "not_in_round_1" and not self.in_first_round())

    def roll_until_somebody_can_move(self) -> list[int]:
        tries = 0
        while True:
            self.die = self.roll()
            self.sixes = self.sixes + 1 if self.die == 6 else 0
            most = self.config.max_consecutive_sixes
            lost = bool(most) and self.config.extra_turn_on_six != "no" and self.sixes == most
            if not lost and self.movable():
                return self.movable()
            tries += 1
            rounds = self.config.home_tries_rounds
            allowed = rounds == "all" or (rounds == "1" and self.in_first_round())
            if not lost and not any(self.steps[self.mover]) and allowed and tries < self.config.home_tries:
                continue
            if lost or self.die != 6 or not self.six_counts():
                self.next_player()
                tries = 0

    def move(self, token: int) -> None:
        step = self.steps[self.mover][token]
        target = 1 if step == 0 else step + self.die
        if target > 57:
            target = 57 - self.die if self.config.overshoot == "ludopy" else 57 - (target - 57)
            self.come_to(token, [target])
        else:
            self.come_to(token, self.stops(target))
        if all(step == 57 for step in self.steps[self.mover]):
            self.places.append(self.mover)
        if not self.over() and (self.die != 6 or not self.six_counts() or self.mover in self.places):
            self.next_player()

    def stops(self, target: int) -> list[int]:
        stars = [5, 12, 18, 25, 31, 38, 44, 51, 57]
        if target not in stars[:-1]:
            return [target]
        jump = [target, stars[stars.index(target) + 1]]
        return jump if self.config.star_capture == "both" else jump[1:]

    def come_to(self, token: int, stops: list[int]) -> None:
        for stop in stops:
            self.steps[self.mover][token] = stop
            if not self.survives(self.ways[self.mover][stop]):
                self.steps[self.mover][token] = 0
                return

    def survives(self, tile: str) -> bool:
        for other, way in enumerate(self.ways):
            there = [token for token, step in enumerate(self.steps[other]) if way[step] == tile]
            if other == self.mover or not there:
                continue
            globe = tile in (f"ring {index}" for index in (8, 21, 34, 47))
            leaving_home = tile == self.ways[self.mover][1]
            blockade = len(there) > 1 and self.config.blockade == "kills_lander"
            if globe or tile == way[1] or (blockade and not leaving_home):
                return False
            if blockade and self.config.exit_onto_blockade == "fail":
                return False
            for token in there:
                self.steps[other][token] = 0
        return True


OPTIONS = {
    "players": st.sampled_from([2, 3, 4]),
    "tokens": st.sampled_from([1, 2, 3, 4, 4]),
    "first_player": st.sampled_from([0, 1]),
    "overshoot": st.sampled_from(["reflect", "ludopy", "stay"]),
    "exit_onto_blockade": st.sampled_from(["capture", "fail"]),
    "star_capture": st.sampled_from(["both", "last"]),
    "blockade": st.sampled_from(["kills_lander", "none"]),
    "extra_turn_on_six": st.sampled_from(["yes", "no", "not_in_round_1"]),
    "max_consecutive_sixes": st.sampled_from([0, 2, 3]),
    "home_tries": st.sampled_from([1, 3]),
    "home_tries_rounds": st.sampled_from(["0", "1", "all"]),
    "play_to_end": st.sampled_from(["no", "yes"]),
}


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.fixed_dictionaries(OPTIONS), st.integers(0, 10**6))
def test_with_any_options_the_plain_board_plays_the_same_game(options: dict[str, Any], seed: int) -> None:
    """Text, JSON and bytes restore each state of some games."""
    made, rolls, choice = ludo(**options), dice(seed, "rolls"), dice(seed, "choice")
    same = rolls.copy()
    plain = PlainLudo(options, lambda: 1 + throw(same, 6))
    state = made.new(0)
    made.draw(state, rolls)
    while not plain.over():
        movable = plain.roll_until_somebody_can_move()
        assert (int(state.to_move), int(state.die)) == (plain.mover, plain.die)
        assert made.legal(state, plain.mover) == movable
        token = movable[throw(choice, len(movable))]
        before = made.text(state)
        plain.move(token)
        made.play(state, {int(state.to_move): token}, rolls)
        assert [tokens[: state.tokens].tolist() for tokens in state.at[: state.players]] == plain.steps, before
        if seed % 4 == 0:
            wanted = made.to_bytes(state)
            data = json.loads(json.dumps(made.to_json(state)))
            again = [made.parse(made.text(state)), made.from_json(data), made.from_bytes(wanted)]
            assert [made.to_bytes(one) for one in again] == [wanted] * 3
    outcome = made.outcome(state)
    assert outcome is not None
    assert [outcome[player] for player in plain.places] == sorted(outcome, reverse=True)[: len(plain.places)]


# Words and pictures


def test_a_move_is_named_by_its_token_and_its_tiles() -> None:
    assert legal_names("0,4,56,30/0,0,0,20 A6") == ["t1_0to1", "t2_4to10", "t3_56to52", "t4_30to36"]
    moves = ["3,0,0,0/33,0,0,0 A4", "3,0,0,0/33,33,0,0 A4", "50,0,0,0/0,0,0,0 A1"]
    assert [legal_names(text) for text in moves] == [["t1_3x7"], ["t1_3to0"], ["t1_50to57"]]


def test_json_holds_the_whole_position() -> None:
    made = ludo(players=2, tokens=2)
    assert made.to_json(made.parse("0,57/14,0 B6")) == {
        "players": {
            "A": {"seat": 0, "tokens": [0, 57], "place": None},
            "B": {"seat": 2, "tokens": [14, 0], "place": None},
        },
        **{"to_move": "B", "die": 6, "legal": [1, 2], "sixes": 0, "tries": 0, "round1": 0},
    }


def test_the_drawing_counts_four_tokens_on_a_tile_and_the_ring_is_a_closed_walk_of_52_cells() -> None:
    assert "Ax4" in str(ludo(players=2).position("8,8,8,8/0,0,0,0 A1"))
    assert len(set(RING_CELLS)) == 52
    for (row, column), (next_row, next_column) in pairwise([*RING_CELLS, RING_CELLS[0]]):
        assert max(abs(row - next_row), abs(column - next_column)) == 1


def test_the_picture_is_well_formed_and_shows_all_tokens_and_the_die() -> None:
    position = ludo().position("9,9,54,57/0,0,12,1/14,30,57,57/0,0,0,44 A6")
    picture = ElementTree.fromstring(position._repr_svg_())
    assert position.text in picture.attrib["aria-label"]
    names = [mark.text for mark in picture.findall(f"{SVG}text")]
    assert sorted(names) == sorted([*"ABCD", *"123", *"1234", *"12", *"1234", *"✓✓✓"])
    assert len([dot for dot in picture.findall(f"{SVG}circle") if dot.attrib["r"] == "2.6"]) == 6


def test_tokens_are_marked_on_the_picture_the_best_one_largest() -> None:
    position = ludo(players=2).position("9,20,0,0/9,0,0,0 A1")
    picture = ElementTree.fromstring(position.game.svg(position.state, {0: 1.0, 1: 0.0}))
    halos = [float(dot.attrib["r"]) for dot in picture.findall(f"{SVG}circle") if "opacity" in dot.attrib]
    assert halos == [20.0, 13.0]


# Slips


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("", "cannot read ''; expected each player's tokens"),
        ("1,0,0,0/0,0,0,0", "expected each player's tokens, the mover and its roll"),
        ("1,0,0,0/0,0,0,0 C6", "cannot read"),
        ("1,0,0,0/0,0,0,0 A7", "cannot read"),
        ("1,0,0/0,0,0,0 A6", "are not 4 tokens of each of 2 players"),
        ("1,0,0,0 A6", "are not 4 tokens of each of 2 players"),
        ("58,0,0,0/0,0,0,0 A6", "no tile '58'; expected 0 for home"),
        ("x,0,0,0/0,0,0,0 A6", "no tile 'x'"),
        ("3,0,0,0/29,0,0,0 A6", "A stands on the same tile as B on 29"),
        ("51,0,0,0/25,0,0,0 A6", "A stands on the same tile as B on 25"),
        ("0,0,0,0/0,0,0,0 A5", "A cannot move with a 5"),
        ("1,0,0,0/0,0,0,0 A-", "give the roll of A, e.g. A6"),
        ("57,57,57,57/0,0,0,0 A6", "the game is over: write A-"),
        ("1,0,0,0/0,0,0,0 A6 sixes=2", "sixes=2 does not fit the game's options; expected at most 0"),
        ("1,0,0,0/0,0,0,0 A6 round1=2", "round1=2 does not fit"),
        ("1,0,0,0/0,0,0,0 A6 luck=2", "'luck' in .* only sixes=, tries=, round1= and places= may follow"),
        ("1,0,0,0/0,0,0,0 A6 places=B", "nobody finished"),
    ],
)
def test_a_position_that_cannot_be_read_says_what_is_wrong(text: str, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        ludo(players=2).parse(text)


def test_as_many_sixes_as_end_the_turn_cannot_be_in_a_position() -> None:
    with pytest.raises(SparringError, match="sixes=3 does not fit the game's options; expected at most 2"):
        ludo(players=2, max_consecutive_sixes=3).parse("2,0,0,0/0,0,0,0 A6 sixes=3")


def test_json_that_lacks_something_says_what() -> None:
    with pytest.raises(SparringError, match="needs 'die'"):
        ludo().from_json({"players": {}, "to_move": "A"})


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"players": 5}, "players must be a number from 2 to 4, not 5"),
        ({"players": "two"}, "players must be a number from 2 to 4, not 'two'"),
        ({"tokens": 0}, "tokens must be a number from 1 to 4"),
        ({"overshoot": "bounce"}, "unknown overshoot 'bounce'; known: ludopy, reflect, stay"),
        ({"seats": "0,2"}, "2 seats for 4 players; say how many players there are"),
        ({"players": 2, "seats": "2,0"}, "seats '2,0' cannot be read; .* in this order"),
        ({"players": 2, "seats": "0,4"}, "seats '0,4' cannot be read"),
        ({"players": 2, "first_player": 2}, "first_player must be a number from 0 to 1"),
        ({"max_consecutive_sixes": 1}, "nobody can leave home"),
        ({"rules": "ludopy", "tokens": 2}, "rules=ludopy sets tokens=4; leave it out"),
        ({"rules": "ludopy", "players": 2, "seats": "1,3"}, "ludopy never passes over seat 0"),
        ({"rule": "ludopy"}, "did you mean rules"),
    ],
    ids=str,
)
def test_an_option_that_cannot_be_is_refused_with_the_remedy(options: dict[str, Any], remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        game("ludo", **options)


def test_options_may_be_texts_as_commands_and_files_give_them() -> None:
    made = ludo(players=3, play_to_end=True, home_tries=3)
    assert game("ludo", **made.options()).options() == made.options()
    assert made.options()["play_to_end"] == "yes"
    ludopy = game("ludo", rules="ludopy").options()
    assert (ludopy["overshoot"], ludopy["home_tries"], ludopy["exit_onto_blockade"]) == ("ludopy", "4", "fail")


# Games that must not change by accident

MATCHES: dict[str, tuple[dict[str, Any], int]] = {
    "four players": ({}, 1),
    "two players": ({"players": 2}, 2),
    "two tokens, and who overshoots stays": ({"players": 2, "tokens": 2, "overshoot": "stay"}, 3),
    "three tries, three sixes": ({"players": 3, "tokens": 2, "home_tries": 3, "max_consecutive_sixes": 3}, 4),
    "to the last place": ({"tokens": 1, "play_to_end": "yes", "star_capture": "last", "blockade": "none"}, 5),
    "side by side, as in ludopy": ({"players": 2, "seats": "0,1", "rules": "ludopy"}, 6),
}
ADVICE = (
    "the same seed no longer plays this game as stored; if that is intended, raise the game's version, run "
    "`python tests/test_ludo_rules.py` and look at the diff of tests/data/ludo_games.txt"
)


def replayed(match: str) -> str:
    options, seed = MATCHES[match]
    made = game("ludo", **options)
    return notation.write(play(made, [agent(made, "random")] * made.seats, seed))


def stored() -> dict[str, str]:
    games = re.split(r"(?m)^(?=\[Game )", GOLDEN.read_text())[1:]
    return dict(zip(MATCHES, games, strict=True))


@pytest.mark.parametrize("match", MATCHES)
def test_the_same_seed_plays_the_stored_game_to_its_result(match: str) -> None:
    assert replayed(match) == stored()[match], ADVICE
    played = notation.read(stored()[match])
    passed = played.positions()
    assert not any(position.over for position in passed[:-1])
    assert passed[-1].outcome == pytest.approx(played.scores, abs=1e-5)


if __name__ == "__main__":
    GOLDEN.write_text("".join(replayed(match) for match in MATCHES))
