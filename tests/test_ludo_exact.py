"""The exact truth of Ludo for two with two tokens: known figures, hand-solved ends, and what the table is good for."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

import sparring
from sparring.errors import SparringError
from sparring.exact.kept import FILES_KEPT, kept
from sparring.exact.ludo.table import endgame
from sparring.games.ludo.endgame import DONE, PAIRS, UNKNOWN, win_chance
from sparring.games.ludo.state import GOAL, State
from sparring.kernel import address_of, entry, record_type

LUDO: Any = sparring.game("ludo", players=2, tokens=2)
look_up = entry(win_chance, types.float64(record_type(State), types.int64, types.int64))
unfinished = st.integers(0, GOAL - 1)


def chance(sides: list[list[int]], mover: int = 0, me: int = 0) -> float:
    """Of a player to win before the mover rolls."""
    game: Any = sparring.game("ludo", players=2, tokens=len(sides[0]))
    state = game.empty()
    state.to_move = mover
    for player, tiles in enumerate(sides):
        state.at[player, : len(tiles)] = tiles
    return float(look_up(state, me, address_of(endgame(LUDO))))


# The table


def test_in_the_corridors_who_rolls_first_wins_five_games_of_nine() -> None:
    """From every tile of a corridor one number of six leads into goal, and a six rolls again, so that the chance of
    the first is p = 1/6 + 1/6 p + 4/6 (1 - p)."""
    for mine in range(52, 57):
        for yours in range(52, 57):
            assert chance([[57, mine], [57, yours]]) == pytest.approx(5 / 9, abs=1e-6)


@pytest.mark.slow
def test_without_another_roll_after_a_six_it_is_six_of_eleven() -> None:
    game: Any = sparring.game("ludo", players=2, tokens=1, extra_turn_on_six="no")
    state = game.empty()
    state.at[:2, 0] = 53, 55
    assert look_up(state, 0, address_of(endgame(game))) == pytest.approx(6 / 11, abs=1e-6)


def test_every_chance_is_one_and_no_position_is_certain_before_its_end() -> None:
    table = endgame(LUDO).reshape(PAIRS, PAIRS)
    assert (table[DONE, :DONE] == 1).all() and (table[:DONE, DONE] == 0).all()
    assert table[:DONE, :DONE].min() > 0 and table[:DONE, :DONE].max() < 1


@settings(deadline=None)
@given(st.data())
def test_a_chance_is_the_mean_over_rolls_of_the_best_move(data: st.DataObject) -> None:
    """The table against the game's own rules in plain Python, for whoever is to move."""
    sides = [[data.draw(unfinished), data.draw(unfinished)] for _ in range(2)]
    mover = data.draw(st.integers(0, 1))
    total = 0.0
    for die in range(1, 7):
        state = LUDO.empty()
        state.at[:2, :2], state.to_move, state.die = sides, mover, die
        moves = LUDO.legal(state, mover)
        after = [LUDO.after_move(state, token).at[:2, :2].tolist() for token in moves] or [sides]
        rolls = mover if die == 6 else 1 - mover
        total += max(1.0 if side[mover] == [57, 57] else chance(side, rolls, mover) for side in after)
    assert chance(sides, mover, mover) == pytest.approx(total / 6, abs=1e-6)


def test_with_the_first_roll_the_same_position_is_worth_more_than_with_the_second() -> None:
    assert chance([[0, 0], [0, 0]]) == pytest.approx(0.5123, abs=5e-4)
    assert chance([[0, 0], [0, 0]], mover=1) == pytest.approx(1 - 0.5123, abs=5e-4)


# What others look up


@settings(deadline=None)
@given(st.data())
def test_tokens_in_goal_and_the_order_of_tokens_change_nothing(data: st.DataObject) -> None:
    """So the end of a game of four tokens is a game of two."""
    tokens = [[data.draw(unfinished), data.draw(unfinished)] for _ in range(2)]
    mover = data.draw(st.integers(0, 1))
    four = [list(data.draw(st.permutations([*pair, GOAL, GOAL]))) for pair in tokens]
    three = [list(data.draw(st.permutations([*pair, GOAL]))) for pair in tokens]
    assert chance(four, mover) == chance(three, mover) == chance(tokens, mover)
    assert chance([[tokens[0][0]], [tokens[1][0]]], mover) == chance(
        [[tokens[0][0], GOAL], [GOAL, tokens[1][0]]], mover
    )


@settings(deadline=None)
@given(st.data())
def test_what_one_wins_the_other_loses(data: st.DataObject) -> None:
    sides = [[data.draw(unfinished), data.draw(unfinished)] for _ in range(2)]
    mover = data.draw(st.integers(0, 1))
    assert chance(sides, mover, 0) + chance(sides, mover, 1) == pytest.approx(1)
    assert chance(sides, mover, 0) == chance(sides[::-1], 1 - mover, 1)


def test_more_than_two_tokens_to_go_are_unknown() -> None:
    assert chance([[1, 2, 3, 57], [57, 57, 1, 2]]) == UNKNOWN
    assert chance([[57, 57, 1, 2], [1, 2, 3, 57]]) == UNKNOWN


def test_of_a_finished_game_the_outcome_is_known() -> None:
    state = LUDO.after_move(LUDO.parse("57,56/0,1 A1"), 1)
    assert [look_up(state, player, address_of(endgame(LUDO))) for player in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"players": 4}, "--players 2"),
        ({"players": 3}, "--players 2"),
        ({"players": 2, "seats": "0,1"}, "--seats"),
        ({"players": 2, "rules": "ludopy"}, "rules=ludopy"),
        ({"players": 2, "extra_turn_on_six": "not_in_round_1"}, "not_in_round_1"),
        ({"players": 2, "max_consecutive_sixes": 3}, "max_consecutive_sixes"),
        ({"players": 2, "home_tries": 3}, "home_tries"),
    ],
)
def test_games_that_positions_do_not_tell_all_of_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(SparringError, match=named):
        endgame(sparring.game("ludo", **options))  # type: ignore[arg-type]


# What is kept


@pytest.mark.parametrize("harm", ["none", "truncated", "flipped", "empty"])
def test_what_is_kept_is_made_once_and_anew_if_damaged(harm: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    def make() -> dict[str, Any]:
        made.append(1)
        return {"numbers": np.arange(1000.0)}

    kept("thing", ["bits.py"], make)
    file = next((tmp_path / "sparring").glob("thing-*.npz"))
    whole = file.read_bytes()
    flipped = whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:]
    file.write_bytes({"none": whole, "truncated": whole[:3000], "flipped": flipped, "empty": b""}[harm])
    again = kept("thing", ["bits.py"], make)
    assert (again["numbers"] == np.arange(1000.0)).all()
    assert len(made) == (1 if harm == "none" else 2)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_of_what_followed_from_other_sources_only_the_last_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number, source in enumerate(["bits.py", "dice.py", "terms.py", "table.py", "errors.py"]):
        assert kept("thing", [source], lambda number=number: {"number": np.array(number)})["number"] == number
    assert len(list((tmp_path / "sparring").iterdir())) == FILES_KEPT
    assert kept("thing", ["errors.py"], lambda: {"number": np.array(-1)})["number"] == 4


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept("thing", ["bits.py"], lambda: {"number": np.ones(1)})["number"] == 1
