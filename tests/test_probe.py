"""A heuristic that is no function of the position, or no number, is noticed before it plays."""

from pathlib import Path

import pytest

import sparring
from sparring.core.errors import SparringError

FILE = """\
import random

import numpy as np

from sparring import Terms, heuristic
from sparring.core.bits import count
from sparring.games.{game}.rules import *

TABLE = np.zeros(3)


def roll():
    return random.random()


def mark(s):
    s.{field} = 1


@heuristic("{game}")
def rolls(s, me):
    return roll()


@heuristic("{game}")
def numpys(s, me):
    return np.random.random()


@heuristic("{game}")
def marks(s, me):
    mark(s)
    return 1.0


@heuristic("{game}")
def divides(s, me):
    return Terms(fine=1.0, share=np.inf - np.inf)


@heuristic("{game}")
def huge(s, me):
    return 1e30


@heuristic("{game}")
def breaks(s, me):
    return TABLE[99 + me]


@heuristic("{game}")
def sound(s, me):
    return 1.0 + me
"""
FIELDS = {"isolation": "blocked", "ludo": "to_move", "battlesnake": "turn"}


@pytest.fixture(params=FIELDS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "mine.py").write_text(FILE.format(game=request.param, field=FIELDS[request.param]))
    return request.param, f"{tmp_path / 'mine.py'}"


def test_a_heuristic_that_is_no_function_of_the_position_is_refused(file: tuple[str, str]) -> None:
    game, path = file
    for name, told in (("rolls", "random"), ("numpys", "random"), ("marks", "changes the state, `s")):
        for _ in range(2):
            with pytest.raises(SparringError, match=rf"mine.py:\d+: {name} .*{told}"):
                sparring.agent(game, f"one_ply:{path}:{name}")


def test_a_value_that_is_no_usable_number_is_named_with_its_position(
    file: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    game, path = file
    for name, told in (("divides", "share is nan"), ("huge", "too large"), ("breaks", ""), ("sound", "")):
        sparring.agent(game, f"one_ply:{path}:{name}")
        warned = capsys.readouterr().err.replace("compiling (first run only) ...\n", "")
        assert (told in warned and "position" in warned) if told else not warned
