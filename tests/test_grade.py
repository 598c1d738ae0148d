"""Agents graded by the exact solver."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import sparring
from sparring.analysis.grade import Grades, grade_sampled
from sparring.games.isolation.solver import winning_moves


@pytest.fixture(scope="module")
def grades() -> Grades:
    return sparring.grade("isolation", ["perfect", "voronoi", "random"], games=12, seed=5)


@pytest.mark.slow
def test_perfect_keeps_every_won_game_and_random_does_not(grades: Grades) -> None:
    assert grades.share("perfect")[0] == 1.0 > grades.share("random")[0]
    assert str(grades).index("perfect") < str(grades).index("random")
    assert json.loads(json.dumps(grades.to_json()))["kept"]["perfect"]


@pytest.mark.parametrize(("first", "others"), [(True, True), (False, False), (None, True)])
def test_only_positions_with_a_choice_count(first: bool | None, others: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every move wins random would keep the win, where none wins nobody can lose it, and not all are solved."""

    def told(state: Any, nodes: int) -> dict[int, bool | None]:
        moves = list(winning_moves(state, 1))
        return dict.fromkeys(moves, others) | {moves[0]: first}

    fake = SimpleNamespace(KNOWS_ALL=False, winning_moves=told)
    monkeypatch.setattr("sparring.analysis.grade.needed", lambda game, kind: fake)
    assert not any(sparring.grade("isolation", ["random"], games=2, seed=5).positions.values())


def test_the_interval_holds_the_share_and_narrows_with_positions(grades: Grades) -> None:
    mean, low, high = grades.share("voronoi")
    ply = max(grades.positions, key=lambda ply: grades.positions[ply])
    _, low_at, high_at = grades.share("voronoi", ply)
    assert low <= mean <= high
    assert high - low < high_at - low_at


def test_positions_are_taken_at_the_plies_that_are_asked_for(grades: Grades) -> None:
    some = grade_sampled(sparring.game("isolation"), [sparring.agent("isolation", "random")], 12, 5, plies=[16, 20])
    assert some.positions == {ply: grades.positions[ply] for ply in (16, 20)}
    assert some.kept["random"] == {ply: grades.kept["random"][ply] for ply in (16, 20)}


def test_where_no_position_was_graded_no_share_is_told() -> None:
    told = sparring.grade("isolation", ["greedy"], games=1, seed=1)
    assert not any(told.positions.values())
    assert str(told).startswith("no position was graded")
    assert "%" not in str(told)
    assert told.to_json()["shares"] == {"greedy": {}}


def test_the_plot_is_a_picture(grades: Grades, tmp_path: Path) -> None:
    grades.plot(tmp_path / "grades.svg")
    assert "<svg" in (tmp_path / "grades.svg").read_text()
