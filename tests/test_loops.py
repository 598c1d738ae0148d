"""A loop that never ends, in a user's heuristic, costs that agent its game and nobody anything else."""

from pathlib import Path

import pytest

import sparring
from commands import spar
from sparring.core.errors import EndlessLoop
from sparring.core.loops import MOST_ROUNDS

HELPER = """\
def waits(s):
    rounds = 0
    while rounds >= 0:
        rounds = (rounds + 1) % 5
    return rounds


def every_pair(most):
    total = 0
    for first in range(most):
        total += adds_up(most) + adds_up(second=1, most=first)
    return total


def every_triple(most, after=0):
    for first in range(most):
        if first > after and every_pair(most) < 0:
            return first
    return most


def one_calls_two(number):
    return 0 if number < 0 else two_calls_one(number)


def two_calls_one(number):
    return one_calls_two(number + 1)


def adds_up(most, second=0):
    total = second
    for number in range(most):
        total += number
    return total


def returns_at_last(most):
    for number in range(most):
        if number == most - 1:
            return number
    return 0


def raises_at_last(most):
    for number in range(most):
        if number == most - 1:
            raise ValueError("caught")
    return 0
"""

IDEAS = """\
from __future__ import annotations

from typing import TYPE_CHECKING

import helper
from helper import adds_up, every_pair, one_calls_two, waits

from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits
from sparring.core.kernel import kernel

if TYPE_CHECKING:
    from nowhere import State


def adder(number):
    return lambda other: number + other


plus_three = adder(3)
most = lambda s: max([waits(s) + more for more in range(3)])


@kernel
def never(s):
    while s.to_move >= 0:
        pass
    return 0


@heuristic("isolation")
def hangs(s, me):
    while s.to_move >= 0:
        pass
    return 0


@heuristic("isolation")
def hangs_in_a_term(s, me):
    return Terms(here=waits(s), there=count(exits(s, me)))


@heuristic("isolation")
def hangs_in_another_file(s, me):
    return waits(s)


@heuristic("isolation")
def hangs_in_a_lambda(s, me):
    return most(s)


@heuristic("isolation")
def hangs_in_a_kernel(s, me):
    return never(s)


@heuristic("isolation")
def hangs_in_plain_python(s, me):
    found = {"cells": [s.at[me]]}
    while found:
        pass
    return len(found["cells"])


@heuristic("isolation")
def hangs_at_last(s, me):
    while count(s.blocked) > 20:
        pass
    return count(exits(s, me))


@heuristic("isolation")
def works_hard(s: State, me: int) -> float:
    total = 0
    for number in range(3):
        total += number
    return adds_up(1000) + total + count(exits(s, me))


@heuristic("isolation")
def hangs_in_helpers_of_helpers(s, me):
    return every_pair(990_000) + helper.every_triple(990_000)


@heuristic("isolation")
def hangs_in_a_function_inside(s, me):
    def every(most):
        total = me
        for number in range(most):
            total += number
        return total

    total = 0
    for number in range(990_000):
        total += every(number)
    return total


@heuristic("isolation")
def hangs_behind_an_exception(s, me):
    total = 0
    for number in range(2_000):
        try:
            total += helper.raises_at_last(2_000)
        except Exception:
            total = 0
    return total


@heuristic("isolation")
def hangs_in_helpers_that_return(s, me):
    total = 0
    for number in range(2_000):
        total += helper.returns_at_last(2_000)
    return total


@heuristic("isolation")
def asks_a_heuristic(s, me):
    total = 0
    while total >= 0:
        total += hangs_in_helpers_of_helpers(s, me)
    return total


@heuristic("isolation")
def asks_the_next(s, me):
    return asks_the_last(s, me)


@heuristic("isolation")
def asks_the_last(s, me):
    return asks_the_next(s, me)


@heuristic("isolation")
def recurs_in_two(s, me):
    return one_calls_two(me)


@heuristic("isolation")
def recurs_inside(s, me):
    def deeper(number):
        return deeper(number + 1) if number >= 0 else 0

    return deeper(me)


def looper():
    most = 3

    @kernel
    def loop(number):
        while number > most:
            number += 1
        return number

    return loop


made = looper()


@heuristic("isolation")
def makes_a_loop(s, me):
    return made(me)


def ten(s):
    return s.to_move + s.to_move


def hundred(s):
    return ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s) + ten(s)


def many(s):
    return hundred(s) + hundred(s) + hundred(s) + hundred(s) + hundred(s) + hundred(s) + hundred(s) + hundred(s)


def more(s):
    return many(s) + many(s) + many(s) + many(s) + many(s) + many(s) + many(s) + many(s) + many(s) + many(s)


@heuristic("isolation")
def calls_too_much(s, me):
    return more(s) + more(s) + more(s) + more(s) + more(s) + more(s) + more(s) + more(s) + more(s) + more(s) + more(s)


@heuristic("isolation")
def works_in_helpers(s, me):
    return every_pair(500) + count(exits(s, me))


def late(s, me):
    for number in range(3):
        if number == 2:
            return Terms(exits=count(exits(s, me)), rest=number)
    return Terms(exits=0, rest=0)


@heuristic("isolation")
def leaves_it_to_another(s, me):
    if me < 0:
        return Terms(exits=0, rest=0)
    return late(s, me)


@heuristic("isolation")
def hangs_in_a_plain_helper(s, me):
    mine = max([0, 1], key=lambda player: player == me)
    return mine + waits(s)
"""


@pytest.fixture
def ideas(tmp_path: Path) -> Path:
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "ideas.py").write_text(IDEAS)
    return tmp_path / "ideas.py"


def line(text: str, of: str = IDEAS) -> int:
    return of[: of.index(text)].count("\n") + 1


ADDS = f"helper.py:{line('for number in range(most):', HELPER)}"
HANGING = {
    "hangs": f"ideas.py:{line('hangs(s') + 1}",
    "hangs_in_another_file": "helper.py:3",
    "hangs_in_a_lambda": "helper.py:3",
    "hangs_in_a_kernel": f"ideas.py:{line('never(s') + 1}",
    "hangs_in_helpers_of_helpers": ADDS,
    "hangs_in_a_function_inside": f"ideas.py:{line('for number in range(most):')}",
    "hangs_behind_an_exception": f"ideas.py:{line('for number in range(2_000):')}",
    "hangs_in_helpers_that_return": f"helper.py:{line('returns_at_last', HELPER) + 1}",
}


@pytest.mark.parametrize("name", HANGING)
def test_a_loop_without_end_is_told_with_its_line(ideas: Path, name: str) -> None:
    with pytest.raises(EndlessLoop, match=f"^{HANGING[name]}: the loops did not end within 1,000,000 rounds"):
        sparring.explain("isolation", f"{ideas}:{name},depth=2")


def test_a_loop_without_end_loses_the_game(ideas: Path) -> None:
    match = sparring.match("isolation", f"{ideas}:hangs_in_another_file,depth=2", "random", games=2)
    told = "stall: helper.py:3: the loops did not end within 1,000,000 rounds"
    assert [game.reason for game in match.games] == [told, told]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("recurs_in_two", "one_calls_two calls two_calls_one calls one_calls_two"),
        ("recurs_inside", "deeper calls itself"),
        ("asks_the_next", "asks_the_next calls asks_the_last calls asks_the_next"),
        ("asks_a_heuristic", "hangs_in_helpers_of_helpers loops, and a loop calls it"),
        ("makes_a_loop", "made: to bound its loops, write this function at the top of a file"),
        ("calls_too_much", "a call of this function leads to more than 10,000 others"),
    ],
)
def test_recursion_and_loops_that_cannot_be_bounded_are_refused_in_a_line(ideas: Path, name: str, told: str) -> None:
    with pytest.raises(sparring.SparringError, match=rf"^[^:]*\w+.py:\d+: {told}[^\n]*$"):
        sparring.agent("isolation", f"{ideas}:{name},depth=1")


def test_tuning_names_the_loop(ideas: Path) -> None:
    said = spar(
        "tune", "isolation", f"{ideas}:hangs_in_a_term,depth=1", "--games", "10", "--out", ideas.parent / "tuned.toml"
    )
    assert said.code == 2
    assert "stall: helper.py:3: the loops did not end" in said.err


def test_games_before_the_loop_hangs_are_played(ideas: Path) -> None:
    match = sparring.match("isolation", f"{ideas}:hangs_at_last,depth=1", "random", games=4, limit="200ms")
    stalled = [game for game in match.games if game.reason.startswith("stall: ideas.py:")]
    assert 0 < len(stalled) < len(match.games)
    assert all(len(game.turns) > 10 for game in stalled)


@pytest.mark.parametrize(
    ("name", "place"),
    [("hangs_in_plain_python", f"ideas.py:{line('while found:')}"), ("hangs_in_a_plain_helper", "helper.py:3")],
)
def test_a_heuristic_that_cannot_be_compiled_is_bounded_as_well(ideas: Path, name: str, place: str) -> None:
    said = spar("match", "isolation", f"{ideas}:{name},depth=1", "random", "--games", "2")
    assert said.code == 2
    assert f"{place}: the loops did not end within 1,000,000 rounds" in said.err


def test_a_helper_may_return_the_terms(ideas: Path) -> None:
    assert sparring.agent("isolation", f"{ideas}:leaves_it_to_another,depth=1", strict=True).compiled


@pytest.mark.parametrize("name", ["works_hard", "works_in_helpers"])
def test_loops_that_end_count_anew_in_every_call(ideas: Path, name: str) -> None:
    decision = sparring.explain("isolation", f"{ideas}:{name},nodes={2 * MOST_ROUNDS // 1000}", "d4 e6")
    assert decision.nodes > MOST_ROUNDS // 1000


def test_loops_in_a_folder_beside_the_file_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    loop = "    while most > 0:\n        most -= 1\n"
    (tmp_path / "parts" / "far.py").write_text(
        f"from sparring.core.kernel import kernel\n\n\n@kernel\ndef far(most):\n{loop}    return most\n"
    )
    (tmp_path / "ideas.py").write_text(
        "import parts.far\nfrom sparring import heuristic\n\n\n"
        '@heuristic("isolation")\ndef waiting(s, me):\n    return parts.far.far(2_000_000)\n'
    )
    with pytest.raises(EndlessLoop, match=r"^far.py:6: the loops did not end"):
        sparring.explain("isolation", f"{tmp_path / 'ideas.py'}:waiting,depth=2")
