"""The exact truth of Ludo for two with two tokens: known figures, hand-solved ends, and what the table is good for."""

import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

import sparring
from commands import did, spar
from sparring.analysis.grade import ExactGrades
from sparring.core.errors import SparringError
from sparring.core.kernel import entry, record_type, table_address, workspace
from sparring.games.ludo.endgame import DONE, PAIR_OF, PAIRS, UNKNOWN, win_chance
from sparring.games.ludo.solver import table
from sparring.games.ludo.solver.kept import FILES_KEPT, kept
from sparring.games.ludo.solver.policy import PolicyGrade
from sparring.games.ludo.solver.table import endgame, table_name
from sparring.games.ludo.state import GOAL, State

SMALL = ("--players", 2, "--tokens", 2)
LUDO: Any = sparring.game("ludo", players=2, tokens=2)
OTHER_RULES: Any = sparring.game(
    "ludo",
    players=2,
    tokens=2,
    overshoot="stay",
    exit_onto_blockade="fail",
    star_capture="last",
    blockade="none",
    extra_turn_on_six="no",
)
look_up = entry(win_chance, types.float64(record_type(State), types.int64, types.int64))
unfinished = st.integers(0, GOAL - 1)
pair = st.lists(unfinished, min_size=2, max_size=2)


def chance(sides: list[list[int]], mover: int = 0, me: int = 0) -> float:
    """The chance of a player to win before the mover rolls."""
    state = LUDO.new(0)
    state.tokens, state.to_move = len(sides[0]), mover
    for player, tiles in enumerate(sides):
        state.at[player, : len(tiles)] = tiles
    return float(look_up(state, me, table_address(endgame(LUDO))))


def test_every_chance_is_one_and_no_position_is_certain_before_its_end() -> None:
    table = endgame(LUDO).reshape(PAIRS, PAIRS)
    assert (table[DONE, :DONE] == 1).all() and (table[:DONE, DONE] == 0).all()
    assert table[:DONE, :DONE].min() > 0 and table[:DONE, :DONE].max() < 1


def set_up(rules: Any, sides: list[list[int]], die: int) -> Any:
    state = rules.new(0)
    state.at[:2, :2], state.to_move, state.die = sides, 0, die
    return state


@settings(deadline=None, max_examples=50)
@given(pair, pair)
def test_a_chance_is_the_mean_over_rolls_of_the_best_move(one: list[int], other: list[int]) -> None:
    total = 0.0
    for die in range(1, 7):
        state = set_up(LUDO, [one, other], die)
        after = [LUDO.after_move(state, token) for token in LUDO.legal(state, 0)]
        sides = [state.at[:2, :2].tolist() for state in after] or [[one, other]]
        rolls = 0 if die == 6 else 1
        total += max(1.0 if side[0] == [GOAL, GOAL] else chance(side, rolls) for side in sides)
    assert chance([one, other]) == pytest.approx(total / 6, abs=1e-6)


def codes_of(rules: Any, positions: list[int]) -> Any:
    """What follows some positions for each roll and token: twice the next position, and one more for another roll."""
    states, codes = workspace(State, 3), np.zeros((table.POSITIONS, 6, 2), np.int32)
    states[0] = rules.new(0)
    for position in positions:
        table.compiled_following()(position, position + 1, states, codes)
    return codes[positions]


@pytest.mark.slow
def test_the_table_of_other_rules_follows_these_rules() -> None:
    """For every move, in positions where tokens are near each other or near the goal."""
    draw, met = random.Random(1), 0
    for _ in range(100):
        sides = [[draw.choice([0, 51, 53, 56, draw.randrange(20, 30)]) for _ in range(2)]]
        sides.append([(tile + draw.randrange(24, 30)) % 51 + 1 for tile in sides[0]])
        own, other = (int(PAIR_OF[tuple(side)]) for side in sides)
        for rules in (LUDO, OTHER_RULES):
            (codes,) = codes_of(rules, [own * PAIRS + other])
            for die in range(1, 7):
                state = set_up(rules, sides, die)
                for token in rules.legal(state, 0):
                    after = rules.after_move(state, token)
                    pairs = [int(PAIR_OF[tuple(tiles)]) for tiles in after.at[:2, :2]]
                    first, second = pairs if after.to_move == 0 else pairs[::-1]
                    place = token if sides[0] == sorted(sides[0]) else 1 - token
                    assert codes[die - 1, place] == 2 * (first * PAIRS + second) + (after.to_move == 0)
                    met += pairs[1] != other
    assert met > 20, "tokens were sent home"
    assert table_name(LUDO) != table_name(OTHER_RULES)


@settings(deadline=None)
@given(st.data())
def test_tokens_in_goal_and_the_order_of_tokens_change_nothing(data: st.DataObject) -> None:
    """So the end of a game of four tokens is a game of two."""
    tokens = [data.draw(pair), data.draw(pair)]
    mover = data.draw(st.integers(0, 1))
    four = [list(data.draw(st.permutations([*side, GOAL, GOAL]))) for side in tokens]
    three = [list(data.draw(st.permutations([*side, GOAL]))) for side in tokens]
    assert chance(four, mover) == chance(three, mover) == chance(tokens, mover)
    assert chance([[tokens[0][0]], [tokens[1][0]]], mover) == chance(
        [[tokens[0][0], GOAL], [GOAL, tokens[1][0]]], mover
    )


@settings(deadline=None, max_examples=50)
@given(pair, pair, st.integers(0, 1))
def test_what_one_wins_the_other_loses(one: list[int], other: list[int], mover: int) -> None:
    assert chance([one, other], mover, 0) + chance([one, other], mover, 1) == pytest.approx(1)
    assert chance([one, other], mover, 0) == chance([other, one], 1 - mover, 1)


def test_more_than_two_tokens_to_go_are_unknown_and_the_outcome_of_a_finished_game_is_known() -> None:
    assert chance([[1, 2, 3, 57], [57, 57, 1, 2]]) == chance([[57, 57, 1, 2], [1, 2, 3, 57]]) == UNKNOWN
    state = LUDO.after_move(LUDO.parse("57,56/0,1 A1"), 1)
    assert [look_up(state, player, table_address(endgame(LUDO))) for player in range(2)] == [1, 0]


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
def test_games_whose_positions_do_not_hold_everything_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(SparringError, match=named):
        endgame(sparring.game("ludo", **options))  # type: ignore[arg-type]


@pytest.mark.parametrize("harm", ["none", "truncated", "flipped", "empty"])
def test_what_is_kept_is_made_once_and_anew_if_damaged(harm: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []

    def make() -> dict[str, Any]:
        made.append(1)
        return {"numbers": np.arange(1000.0)}

    kept("thing", ["core/bits.py"], make)
    file = next((tmp_path / "sparring").glob("thing-*.npz"))
    whole = file.read_bytes()
    flipped = whole[:2000] + bytes([whole[2000] ^ 1]) + whole[2001:]
    file.write_bytes({"none": whole, "truncated": whole[:3000], "flipped": flipped, "empty": b""}[harm])
    again = kept("thing", ["core/bits.py"], make)
    assert (again["numbers"] == np.arange(1000.0)).all()
    assert len(made) == (1 if harm == "none" else 2)
    assert [path.name for path in file.parent.iterdir()] == [file.name]


def test_of_what_followed_from_other_sources_only_the_last_is_kept(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number, source in enumerate([f"core/{name}.py" for name in ("bits", "dice", "terms", "table", "errors")]):
        assert kept("thing", [source], lambda number=number: {"number": np.array(number)})["number"] == number
    assert len(list((tmp_path / "sparring").iterdir())) == FILES_KEPT
    assert kept("thing", ["core/errors.py"], lambda: {"number": np.array(-1)})["number"] == 4


def test_where_nothing_can_be_written_it_is_made_each_time(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert kept("thing", ["core/bits.py"], lambda: {"number": np.ones(1)})["number"] == 1


def following() -> list[Any]:
    return codes_of(LUDO, list(range(1000, table.POSITIONS - 2000, 100_007))).tolist()  # type: ignore[no-any-return]


@pytest.mark.slow
def test_the_figures_are_those_that_others_found() -> None:
    assert "with the first roll against perfect play  51.2" in did("solve", "ludo", *SMALL)
    told = json.loads(did("solve", "ludo", *SMALL, "--json"))
    known = {"first": 0.5123, "v_random": 0.7389, "v_furthest": 0.765, "v_rearmost": 0.745, "answer_to_random": 0.7430}
    assert told["figures"] == pytest.approx(known, abs=5e-4)
    assert told["positions"] == PAIRS**2


@pytest.mark.slow
def test_played_games_agree_with_the_exact_figures() -> None:
    known = {"random": 0.7390, "furthest": 0.7648, "rearmost": 0.7452}
    for opponent, share in known.items():
        score = sparring.match(LUDO, "perfect", opponent, games=3_000, seed=1).against("perfect", opponent).mean
        assert score == pytest.approx(share, abs=0.0175), opponent  # two standard errors


@pytest.mark.slow
def test_perfect_knows_the_chance_of_every_move() -> None:
    position = LUDO.position("0,14/3,57 A6")
    solved: Any = sparring.solve(LUDO, position)
    decision = sparring.explain(LUDO, "perfect", position)
    assert {c.action: c.score for c in decision.candidates} == pytest.approx(
        {action: 100 * wins for action, wins in solved.chances.items()}
    )
    assert decision.action == max(solved.chances, key=lambda action: solved.chances[action])
    assert f"wins {decision.score:.2f} %" in str(decision)


def test_perfect_takes_the_goal_that_wins_and_plays_nothing_larger() -> None:
    assert sparring.explain(LUDO, "perfect", "56,57/1,1 A1").score == 100
    for options in ({}, {"players": 2}, {"tokens": 2}):
        with pytest.raises(SparringError, match="add --players 2 --tokens 2"):
            sparring.agent(sparring.game("ludo", **options), "perfect")


def test_solve_names_the_chance_of_each_move_of_a_position() -> None:
    """The end of a game of four tokens is solved too."""
    lines = did("solve", "ludo", *SMALL, "--position", "0,14/3,57 A6").splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["t1_0to1", "t2_14to20"]
    two = json.loads(did("solve", "ludo", *SMALL, "--position", "0,14/3,57 A6", "--json"))
    assert two["moves"]["t1_0to1"] > two["moves"]["t2_14to20"]
    four = json.loads(did("solve", "ludo", "--players", 2, "--position", "57,0,14,57/57,3,57,57 A6", "--json"))
    assert sorted(two["moves"].values()) == sorted(four["moves"].values())


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ("solve ludo", "add --players 2 --tokens 2"),
        ("solve ludo --players 2", "add --players 2 --tokens 2"),
        ("solve ludo --players 2 --tokens 2 --first d4", "leave out --first"),
        ("solve ludo --players 2 --tokens 2 --home_tries 3", "leave out home_tries"),
        ("solve ludo --players 2 --position 1,2,3,57/0,0,0,0_A1", "at most two tokens to go"),
        ("solve ludo --players 2 --tokens 2 --position 57,57/0,1_A-", "the game is over"),
        ("grade ludo random", "add --players 2 --tokens 2"),
        ("grade ludo --players 2 --tokens 2 lazy.py", "lazy.py is not compiled"),
    ],
)
def test_what_cannot_be_solved_is_refused_in_one_line(
    words: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("lazy.py").write_text(
        "from sparring import agent\n\n@agent('ludo')\ndef lazy(view):\n    return view.legal[0]\n"
    )
    said = spar(*(word.replace("_A", " A") for word in words.split()))
    assert said.code == 2
    assert remedy in said.err.splitlines()[-1]


@pytest.mark.slow
def test_the_losses_of_choices_add_up_to_the_distance_from_half_of_the_games() -> None:
    """Two ways to the same number: games lost, and win chances lost on the way."""
    worth = json.loads(did("grade", "ludo", *SMALL, "furthest", "--json"))["worths"]["furthest"]
    assert (worth["v_random"], worth["v_perfect"]) == pytest.approx((0.4353, 0.2352), abs=5e-4)
    assert worth["v_perfect"] + worth["choices"] * worth["loss"] == pytest.approx(0.5, abs=1e-4)


def test_grades_rank_the_best_first() -> None:
    better, worse = PolicyGrade(0.6, 0.4, 10.0, 0.01, 0.8), PolicyGrade(0.5, 0.2, 10.0, 0.03, 0.5)
    lines = str(ExactGrades("ludo", {"worse": worse, "better": better})).splitlines()
    assert [line.split() for line in lines[-2:]] == [
        ["better", "60.0", "40.0", "1.00", "80.0"],
        ["worse", "50.0", "20.0", "3.00", "50.0"],
    ]


def test_threads_that_need_a_table_at_the_same_time_share_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code has its address, so none may be released."""
    both = threading.Barrier(2)

    def slow(*_: Any) -> dict[str, Any]:
        both.wait(10)
        return {"chances": np.zeros(1, np.float32)}

    monkeypatch.setattr(table, "kept", slow)
    monkeypatch.setattr(table, "_HELD", {})
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(table.endgame, [LUDO] * 2)
    assert one is other
