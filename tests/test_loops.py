"""A loop that never ends, in a user's heuristic, costs that agent its game and nobody anything else."""

from pathlib import Path

import pytest

import sparring
from commands import spar
from sparring.core.errors import EndlessLoop
from sparring.core.loops import MOST_ROUNDS, bounded

HELPER = """\
def waits(s):
    rounds = 0
    while rounds >= 0:
        rounds = (rounds + 1) % 5
    return rounds


def adds_up(most):
    total = 0
    for number in range(most):
        total += number
    return total
"""

IDEAS = """\
from __future__ import annotations

from typing import TYPE_CHECKING

from helper import adds_up, waits

from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits
from sparring.core.kernel import kernel

if TYPE_CHECKING:
    from nowhere import State


def adder(number):
    return lambda other: number + other


plus_three = adder(3)


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
def hangs_in_another_file(s, me):
    return waits(s)


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


@pytest.mark.parametrize(
    ("name", "where"),
    [("hangs", "ideas.py:32"), ("hangs_in_another_file", "helper.py:3"), ("hangs_in_a_kernel", "ideas.py:25")],
)
def test_a_loop_without_end_loses_the_game_and_is_told_with_its_line(ideas: Path, name: str, where: str) -> None:
    match = sparring.match("isolation", f"{ideas}:{name},depth=2", "random", games=2)
    told = f"stall: {where}: this loop did not end within 1,000,000 rounds"
    assert [game.reason for game in match.games] == [told, told]


def test_games_before_the_loop_hangs_are_played(ideas: Path) -> None:
    match = sparring.match("isolation", f"{ideas}:hangs_at_last,depth=1", "random", games=4, limit="200ms")
    stalled = [game for game in match.games if game.reason.startswith("stall: ideas.py:57: this loop")]
    assert 0 < len(stalled) < len(match.games)
    assert all(len(game.turns) > 10 for game in stalled)


def test_a_heuristic_that_cannot_be_compiled_is_bounded_as_well(ideas: Path) -> None:
    said = spar("match", "isolation", f"{ideas}:hangs_in_plain_python,depth=1", "random", "--games", "2")
    assert said.code == 2
    assert "ideas.py:50: this loop did not end within 1,000,000 rounds" in said.err


def test_helpers_of_a_heuristic_that_cannot_be_compiled_are_bounded_too(ideas: Path) -> None:
    said = spar("match", "isolation", f"{ideas}:hangs_in_a_plain_helper,depth=1", "random", "--games", "2")
    assert said.code == 2
    assert "helper.py:3: this loop did not end within 1,000,000 rounds" in said.err


def test_a_helper_may_return_the_terms(ideas: Path) -> None:
    agent = sparring.agent("isolation", f"{ideas}:leaves_it_to_another,depth=1", strict=True)
    assert agent.compiled


def test_explain_names_the_loop(ideas: Path) -> None:
    with pytest.raises(EndlessLoop, match=r"ideas.py:32: this loop did not end"):
        sparring.explain("isolation", f"{ideas}:hangs,depth=1")


def test_loops_that_end_count_anew_in_every_call(ideas: Path) -> None:
    decision = sparring.explain("isolation", f"{ideas}:works_hard,nodes={2 * MOST_ROUNDS // 1000}", "d4 e6")
    assert decision.nodes > MOST_ROUNDS // 1000


def test_a_function_without_loops_is_left_as_it_is() -> None:
    assert bounded(line_of_code) is line_of_code


def line_of_code() -> int:
    return 1
