"""Territory, held against the same idea written with sets."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types

from sparring.agents.spec import heuristics
from sparring.core.dice import dice, referees_dice, throw
from sparring.core.kernel import entry, record_type
from sparring.games.battlesnake.board import Point, body_of, cells, living
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.room import flood_fill, threatened
from sparring.games.battlesnake.rules import cell_of, head
from sparring.games.battlesnake.territory import territory


@cache
def snakes(**options: Any) -> Battlesnake:
    return Battlesnake(**options)


@cache
def compiled(state: Any) -> Any:
    return entry(territory, types.UniTuple(types.int64, 2)(record_type(state), types.int64))


def found(made: Battlesnake, s: Any, me: int) -> tuple[int, int]:
    return tuple(compiled(made.state)(s, me))


def beside(s: Any, point: Point) -> set[Point]:
    x, y = point
    around = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}
    return {(x % int(s.width), y % int(s.height)) for x, y in around} if s.wrapped else around


def by_sets(s: Any, me: int) -> tuple[int, int]:
    bodies = {snake: body_of(s, snake) for snake in living(s)}
    counts = {snake: 3 if s.frozen else len(body) for snake, body in bodies.items()}
    own = {snake: {body[0]} for snake, body in bodies.items()}
    free = set(cells(s)) - {point for body in bodies.values() for point in body}
    step, reached = 0, {(0, 0)}
    while reached or step < max(map(len, bodies.values())):
        step += 1
        free |= {body[-step] for body in bodies.values() if step < len(body) and body[-step] != body[-step - 1]}
        gains = {snake: {near for point in own[snake] for near in beside(s, point)} & free for snake in bodies}
        for snake, gain in gains.items():
            rivals = [other for other in bodies if other != snake and counts[other] >= counts[snake]]
            own[snake] |= gain - {point for other in rivals for point in gains[other]}
        reached = set().union(*gains.values())
        free -= reached
    sizes = {snake: len(region) - 1 for snake, region in own.items()}
    return sizes.get(me, 0), sum(size for snake, size in sizes.items() if snake != me)


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("t5 A50:a1*3 B50:e5*3", (9, 9)),  # the five cells of the diagonal between them are nobody's
        ("t5 A50:a1*4 B50:e5*3", (14, 9)),  # and now they are the longer one's
        ("t5 A50:a1,b1,b2,a2 B50:d3,d4,d5,e5", (6, 17)),  # A gets out where its tail was
        ("t5 A50:a1,a2,b2,b1,c1,c2 B50:e5*8", (4, 19)),  # its room opens when its tail has passed
        ("t9 A0:_1,a1!wall-collision@3 B50:c3,c2,c1", (0, 24)),  # the dead have no territory
    ],
)
def test_small_boards_can_be_counted_by_hand(position: str, expected: tuple[int, int]) -> None:
    made = snakes(board="5x5")
    s = made.parse(position)
    assert found(made, s, 0) == by_sets(s, 0) == expected


@st.composite
def positions(draw: st.DrawFn) -> tuple[Battlesnake, Any]:
    """After some turns of a game in which snakes grow fast."""
    made = snakes(
        players=draw(st.sampled_from([2, 2, 2, 3, 4, 8])),
        board=draw(st.sampled_from(["7x7", "11x11", "9x6", "13x13"])),
        rules=draw(st.sampled_from(["standard", "standard", "wrapped"])),
        lengths=draw(st.sampled_from(["real", "real", "frozen"])),
        food_spawn_chance=100,
        minimum_food=10,
    )
    seed = draw(st.integers(0, 10**6))
    s, referee, choice = made.new(seed), referees_dice(seed), dice(seed, "moves")
    for _ in range(draw(st.integers(0, 60))):
        before = made.copy(s)
        safe = {player: made.safe_moves(s, player) or [0] for player in made.actors(s)}
        made.play(s, {player: moves[throw(choice, len(moves))] for player, moves in safe.items()}, referee)
        if not made.actors(s):
            return made, before
    return made, s


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(positions())
def test_bits_and_sets_agree(case: tuple[Battlesnake, Any]) -> None:
    made, s = case
    for me in range(made.seats):
        assert found(made, s, me) == by_sets(s, me)


@pytest.mark.parametrize(
    ("position", "cells"),
    [
        ("t5 A50:c3*3 B50:e5*3", 23),  # all of the board but the two heads
        ("t5 A50:a1,b1,b2,a2 B50:e5*3", 0),  # its own tail shuts it in
        ("t5 A50:c2,c1 B50:c5,c4,d4,d3,d2,d1", 11),  # two columns and the cell before it
        ("t5 A50:a1 B50:b1,b2,b3,b4,b5", 4),  # its own column
        ("t9 A0:_1,a1!wall-collision@3 B50:c3,c2,c1", 0),  # beyond the edge
    ],
)
def test_a_flood_fill_counts_the_empty_cells_in_reach(position: str, cells: int) -> None:
    s = snakes(board="5x5").parse(position)
    assert flood_fill(s, head(s, 0)) == cells


def test_a_flood_fill_goes_around_the_edge_of_a_wrapped_board() -> None:
    s = snakes(board="5x5", rules="wrapped").parse("t5 A50:a1 B50:b1,b2,b3,b4,b5")
    assert flood_fill(s, head(s, 0)) == 19


def test_a_cell_is_threatened_by_a_head_beside_it_that_is_as_long() -> None:
    def asked(position: str, **options: Any) -> list[str]:
        s = snakes(board="5x5", **options).parse(position)
        return [f"{'abcde'[x]}{y + 1}" for x in range(5) for y in range(5) if threatened(s, 0, cell_of(s, x, y))]

    assert asked("t5 A50:a1*3 B50:e5*3") == ["d5", "e4"]
    assert asked("t5 A50:a1*4 B50:e5*3") == []
    assert asked("t5 A50:a1*4 B50:e5*3", lengths="frozen") == ["d5", "e4"]
    assert asked("t5 A50:c1*3 B50:e5*3", rules="wrapped") == ["a5", "d5", "e1", "e4"]


def test_heuristics_tell_their_terms() -> None:
    position = "t5 A50:a1*4 B60:e5*3"
    frozen = snakes(board="5x5", lengths="frozen")
    steady = heuristics(frozen)["steady"].terms(frozen.parse(position), 0)
    assert steady == {"territory": 0.0, "lead": 0.0, "health": 50.0}, "what is contested is nobody's"
    made = snakes(board="5x5")
    s = made.parse(position)
    terms = {name: heuristic.terms(s, 0) for name, heuristic in heuristics(made).items()}
    assert terms == {
        "lead": {"lead": 1.0},
        "voronoi": {"voronoi": 5.0},
        "steady": {"territory": 5.0, "lead": 1.0, "health": 50.0},
        "strong": {"territory": 5.0, "lead": 1.0, "health": 50.0, "meal": 0.0},
        "central": {"lead": 1.0, "health": 50.0, "centre": -4.0},
        "negamax_leaf": {"territory": 5.0, "lead": 1.0, "health": 50.0, "centre": -4.0},
        "negamax_leaf_as_coded": {"territory": 5.0, "lead": 1.0, "half_health": 25.0, "centre": -4.0},
        "no_matter": {"no_matter": 0.0},
        "survival": {"health": 50.0, "lead": 1.0},
        "fitness": {"health": 50.0, "lead": 1.0, "territory": 5.0, "centre": -4.0},
        "fitness_coded": {"half_health": 25.0, "lead": 1.0, "centre": -4.0},
    }


def test_the_next_meal_is_one_that_nobody_reaches_sooner() -> None:
    made = snakes(board="5x5")
    strong = heuristics(made)["strong"]
    assert strong.terms(made.parse("t5 A50:a1*3 B60:e5*3 food:a3,e4"), 0)["meal"] == 8, "two steps of ten"
    assert strong.terms(made.parse("t5 A50:a1*3 B60:e5*3 food:e4"), 0)["meal"] == 0
    assert strong.terms(made.parse("t5 A50:a1*3 B60:e5*3 food:c3"), 0)["meal"] == 6, "as soon as the other"
