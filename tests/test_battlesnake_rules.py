"""The rules of Battlesnake, told as stories, and held against turns that the official engine decided."""

from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from official_boards import cases, game_of, state_of, told_of
from sparring.agents.agent import View
from sparring.agents.spec import agent
from sparring.arena.referee import play
from sparring.core.dice import dice, referees_dice
from sparring.core.errors import SparringError
from sparring.games.battlesnake import board, official
from sparring.games.battlesnake.board import body_of, food_of, hazards_of
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.state import BORDER, CAUSES, DEFAULT, MAPS, MOVES, NOBODY, RULES
from sparring.games.check import check
from sparring.games.contract import Position


@cache
def snakes(players: int = 2, **options: Any) -> Battlesnake:
    return Battlesnake(players=players, **options)


def turned(position: str, moves: str, **options: Any) -> Any:
    """The state after one turn, before food grows: moves in the order of the living, such as `up left`."""
    made = snakes(sum(word[0].isupper() for word in position.split()), **options)
    s = made.parse(position)
    chosen = dict(zip(board.living(s), map(MOVES.index, moves.split()), strict=True))
    made.play_turn(s, chosen)
    return s


def fates(s: Any) -> list[str]:
    """How each snake is: alive, or what it died of and by whom."""
    killers = ["" if killer == NOBODY else f" by {board.SNAKES[killer]}" for killer in s.killer[: s.snakes]]
    return [CAUSES[cause] + killer or "alive" for cause, killer in zip(s.cause, killers, strict=False)]


# The official engine


def test_three_thousand_official_turns_without_a_difference() -> None:
    wrong, tried = [], 0
    for case in cases("turns"):
        made = game_of(case, case["state"], rules=case["ruleset"])
        ids = [snake["id"] for snake in case["state"]["snakes"]]
        s = state_of(made, case["state"])
        s.seed, over = case["seed"], not made.actors(s)
        made.play_turn(s, {ids.index(snake): MOVES.index(move) for snake, move in case["moves"]})
        if case["ruleset"] == "royale" and not over:
            official.close_in(s)
        s.turn = case["state"]["turn"]
        case["next"]["hazards"].sort()
        tried += 1
        if told_of(s, ids) != case["next"] or over != case["over"]:
            wrong.append(case)
    assert tried >= 3000
    assert wrong == []


# The rules once more, with lists, for boards that no game comes to


@dataclass
class Plain:
    """A snake of the rule book."""

    body: list[tuple[int, int]]
    health: int
    fate: str = "alive"


def plain_turn(plain: list[Plain], food: list[Any], hazards: list[Any], moves: list[int], made: Battlesnake) -> None:
    """The stages of a turn, one after another, as the rule book has them."""
    (width, height), rules = made.config.sides, made.config.rules
    everybody = list(enumerate(plain))

    def still_there() -> list[tuple[int, Plain]]:
        return [(place, snake) for place, snake in everybody if snake.fate == "alive"]

    for (_, snake), move in zip(everybody, moves, strict=True):
        x, y = snake.body[0][0] + (0, 0, -1, 1)[move], snake.body[0][1] + (1, -1, 0, 0)[move]
        new = (x % width, y % height) if "wrapped" in rules else (x, y)
        snake.body = [new, *snake.body[:-1]]
    for _, snake in everybody:
        snake.health -= 1
        for hazard in hazards:
            if hazard == snake.body[0] and hazard not in food:
                snake.health = min(100, max(0, snake.health - made.config.hazard_damage))
                snake.fate = "hazard" if snake.health == 0 else snake.fate
    for meal in list(food):
        eaters = [snake for _, snake in still_there() if snake.body[0] == meal]
        for snake in eaters:
            snake.health = 100
            snake.body.append(snake.body[-1])
        if eaters:
            food.remove(meal)
    for _, snake in still_there():
        if snake.health <= 0:
            snake.fate = "out-of-health"
        elif not (0 <= snake.body[0][0] < width and 0 <= snake.body[0][1] < height):
            snake.fate = "wall-collision"
    frozen = made.config.lengths == "frozen"
    verdicts = {place: plain_collision(place, snake, still_there(), frozen) for place, snake in still_there()}
    for place, fate in verdicts.items():
        plain[place].fate = fate
    if "constrictor" in rules:
        food.clear()
        for snake in plain:
            snake.health = 100
            snake.body += [snake.body[-1]] if len(snake.body) > 1 and snake.body[-2] != snake.body[-1] else []


def plain_collision(place: int, snake: Plain, living: list[tuple[int, Plain]], frozen: bool) -> str:
    def size(one: Plain) -> int:
        return 3 if frozen else len(one.body)

    others = sorted((one for one in living if one[0] != place), key=lambda one: -size(one[1]))
    if snake.body[0] in snake.body[1:]:
        return f"snake-self-collision by {board.SNAKES[place]}"
    for other, rival in others:
        if snake.body[0] in rival.body[1:]:
            return f"snake-collision by {board.SNAKES[other]}"
    for other, rival in others:
        if snake.body[0] == rival.body[0] and size(rival) >= size(snake):
            return f"head-collision by {board.SNAKES[other]}"
    return "alive"


@st.composite
def tangles(draw: st.DrawFn) -> tuple[Battlesnake, list[Plain], list[Any], list[Any], list[int]]:
    """Short crooked snakes on a small board, on top of each other, with food and hazards in heaps."""
    players = draw(st.integers(2, 6))
    made = snakes(
        players,
        board="5x5",
        rules=draw(st.sampled_from(RULES)),
        hazard_damage=draw(st.sampled_from([14, 0, 60, -10])),
        lengths=draw(st.sampled_from(["real", "real", "frozen"])),
    )
    cell = st.tuples(st.integers(0, 4), st.integers(0, 4))
    plain = [
        Plain(draw(st.lists(cell, min_size=1, max_size=7)), draw(st.sampled_from([1, 2, 15, 50, 100])))
        for _ in range(players)
    ]
    food, hazards = draw(st.lists(cell, max_size=6)), draw(st.lists(cell, max_size=8))
    return made, plain, food, hazards, draw(st.lists(st.integers(0, 3), min_size=players, max_size=players))


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(tangles())
def test_any_tangle_is_resolved_as_the_rule_book_does(case: Any) -> None:
    made, plain, food, hazards, moves = case
    s = made.empty()
    for place, snake in enumerate(plain):
        board.place_snake(s, place, snake.body, snake.health)
    board.place_food(s, *food)
    board.place_hazards(s, *hazards)
    made.play_turn(s, dict(enumerate(moves)))
    plain_turn(plain, food, hazards, moves, made)
    assert fates(s) == [snake.fate for snake in plain]
    assert [body_of(s, place) for place in range(s.snakes)] == [snake.body for snake in plain]
    assert s.health[: s.snakes].tolist() == [snake.health for snake in plain]
    assert food_of(s) == food


# Two snakes meet


def test_two_facing_snakes_that_swap_cells_both_die_whatever_their_lengths() -> None:
    for longer in ("", ",a4"):
        s = turned(f"t5 A50:c3,b3,a3{longer} B50:d3,e3,f3", "right left")
        assert fates(s) == ["snake-collision by B", "snake-collision by A"]


def test_of_two_heads_that_meet_the_shorter_dies() -> None:
    assert fates(turned("t5 A50:c3,b3,a3,a4 B50:e3,f3,g3", "right left")) == ["alive", "head-collision by A"]


def test_of_two_equal_heads_both_die() -> None:
    s = turned("t5 A50:c3,b3,a3 B50:e3,f3,g3", "right left")
    assert fates(s) == ["head-collision by B", "head-collision by A"]


def test_of_three_heads_the_longest_lives_and_killed_both_others() -> None:
    s = turned("t5 A50:c5,b5,a5 B50:e5,f5,g5 C50:d4,d3,d2,d1,e1", "right left up")
    assert fates(s) == ["head-collision by C", "head-collision by C", "alive"]


def test_of_three_heads_two_of_which_are_equally_long_nobody_lives() -> None:
    s = turned("t5 A50:c5,b5,a5,a4,a3 B50:e5,f5,g5,g4,g3 C50:d4,d3,d2", "right left up")
    assert fates(s) == ["head-collision by B", "head-collision by A", "head-collision by A"]


def test_who_wins_head_to_head_on_a_third_body_dies_there() -> None:
    s = turned("t5 A50:c5,b5,a5,a4,a3 B50:e5,f5,g5 C50:d7,d6,d5,d4", "right left up")
    assert fates(s) == ["snake-collision by C", "snake-collision by C", "alive"]


def test_of_two_bodies_on_a_cell_the_longer_one_is_named() -> None:
    """Bodies overlap only if somebody dies there too: A and B have just run through each other."""
    s = turned("t5 A50:d4,d5,d6 B50:c5,d5,e5,f5 C50:d6,d7,e7", "left down down")
    assert fates(s)[2] == "snake-collision by B"


def test_heads_that_meet_on_food_both_eat_first() -> None:
    s = turned("t5 A50:c3,b3,a3 B50:e3,f3,g3,g4 food:d3", "right left")
    assert fates(s) == ["head-collision by B", "alive"]
    assert s.length[:2].tolist() == [4, 5]
    assert food_of(s) == []


def test_with_frozen_lengths_who_ate_is_longer_and_still_dies_head_to_head() -> None:
    s = turned("t5 A50:c3,b3,a3,a4 B50:e3,f3,g3 food:d3", "right left", lengths="frozen")
    assert fates(s) == ["head-collision by B", "head-collision by A"]
    assert s.length[:2].tolist() == [5, 4]


# Tails


def test_ones_own_tail_cell_is_safe() -> None:
    assert fates(turned("t5 A50:c3,c4,d4,d3 B50:h3,h4,h5", "right down"))[0] == "alive"


def test_ones_own_tail_cell_is_deadly_after_a_meal() -> None:
    s = turned("t5 A50:c3,c4,d4,d3*2 B50:h3,h4,h5", "right down")
    assert fates(s)[0] == "snake-self-collision by A"


def test_anothers_tail_cell_is_safe() -> None:
    assert fates(turned("t5 A50:c3,b3,a3 B50:e5,e4,e3,d3", "right up"))[0] == "alive"


def test_anothers_tail_cell_is_deadly_after_its_meal() -> None:
    assert fates(turned("t5 A50:c3,b3,a3 B50:e5,e4,e3,d3*2", "right up"))[0] == "snake-collision by B"


def test_anothers_tail_cell_is_safe_while_it_eats() -> None:
    s = turned("t5 A50:c3,b3,a3 B50:e5,e4,e3,d3 food:e6", "right up")
    assert fates(s) == ["alive", "alive"]
    assert body_of(s, 1) == [(4, 5), (4, 4), (4, 3), (4, 2), (4, 2)]


# Health, food and hazards


def test_a_turn_costs_one_health() -> None:
    assert turned("t5 A50:c3,b3,a3 B50:h3,h4,h5", "right down").health[:2].tolist() == [49, 49]


def test_the_last_health_is_enough_to_reach_food() -> None:
    s = turned("t5 A1:c3,b3,a3 B50:h3,h4,h5 food:d3", "right down")
    assert (fates(s)[0], s.health[0], s.length[0]) == ("alive", 100, 4)


def test_food_listed_twice_feeds_twice() -> None:
    s = turned("t5 A50:c3,b3,a3 B50:h3,h4,h5 food:d3*2,a1", "right down")
    assert body_of(s, 0) == [(3, 2), (2, 2), (1, 2), (1, 2), (1, 2)]
    assert food_of(s) == [(0, 0)]


def test_who_starves_off_the_board_has_starved() -> None:
    assert fates(turned("t5 A1:a3,b3,c3 B50:h3,h4,h5", "left down"))[0] == "out-of-health"


def test_who_leaves_the_board_is_drawn_beside_it_and_dead() -> None:
    s = turned("t5 A50:a3,b3,c3 B50:h3,h4,h5", "left down")
    assert fates(s) == ["wall-collision", "alive"]
    assert snakes(2).text(s) == "t6 A49:_3,a3,b3!wall-collision@6 B49:h2,h3,h4"


def test_with_the_last_health_into_a_hazard_it_is_the_hazard_that_kills() -> None:
    assert fates(turned("t5 A1:c3,b3,a3 B50:h3,h4,h5 hazards:d3", "right down"))[0] == "hazard"


def test_a_hazard_kills_before_a_body_does() -> None:
    assert fates(turned("t5 A10:c3,b3,a3 B50:e4,d4,d3,d2 hazards:d3", "right right"))[0] == "hazard"


def test_stacked_hazards_each_hurt() -> None:
    assert turned("t5 A50:c3,b3,a3 B50:h3,h4,h5 hazards:d3*2", "right down").health[0] == 21


def test_food_in_a_hazard_keeps_it_off() -> None:
    s = turned("t5 A5:c3,b3,a3 B50:h3,h4,h5 food:d3 hazards:d3*3", "right down")
    assert (fates(s)[0], s.health[0], s.length[0]) == ("alive", 100, 4)


def test_hazards_with_negative_damage_heal_up_to_full_health() -> None:
    s = turned("t5 A50:c3,b3,a3 B95:h3,h4,h5 hazards:d3,h2", "right down", hazard_damage=-10)
    assert s.health[:2].tolist() == [59, 100]


# Who dies in time is in nobody's way


def test_the_body_of_who_leaves_the_board_is_in_nobodys_way() -> None:
    assert fates(turned("t5 A50:b3,b4,b5 B50:a4,a3,a2", "left left"))[0] == "alive"


def test_the_old_head_cell_of_who_leaves_the_board_is_free() -> None:
    assert fates(turned("t5 A50:b4,c4,d4 B50:a4,a3,a2", "left left")) == ["alive", "wall-collision"]


def test_the_body_of_who_starves_is_in_nobodys_way() -> None:
    assert fates(turned("t5 A50:b3,b4,b5 B1:a4,a3,a2", "left up")) == ["alive", "out-of-health"]


def test_the_body_of_who_dies_by_collision_kills() -> None:
    s = turned("t5 A50:b3,b4,b5 B50:a4,a3,a2 C50:a6,b6,c6,d6", "left up down")
    assert fates(s) == ["snake-collision by B", "head-collision by C", "alive"]


# The turn as a whole


def test_a_deciding_turn_is_not_over_before_it_is_played() -> None:
    made, position = snakes(2), "t5 A50:a3,b3,c3 B50:h3,h4,h5"
    assert made.position(position).actors == (0, 1)
    after = made.position(position).after({0: "left", 1: "down"})
    assert (after.over, after.outcome, made.ending(after.state)) == (True, (0.0, 1.0), "left the board")


def test_a_finished_game_stands_still() -> None:
    made = snakes(2)
    s = made.parse("t6 A49:_3,a3,b3!wall-collision@6 B49:h2,h3,h4")
    made.play_turn(s, {1: 0})
    assert made.text(s) == "t6 A49:_3,a3,b3!wall-collision@6 B49:h2,h3,h4"


def test_without_moves_nobody_moves_but_all_get_hungry() -> None:
    made = snakes(2)
    s = made.parse("t5 A50:c3,b3,a3 B50:h3,h4,h5")
    made.play_turn(s, {})
    assert made.text(s) == "t6 A49:c3,b3,a3 B49:h3,h4,h5"


@pytest.mark.parametrize(
    ("body", "rules", "new"),
    [
        ("c3,b3,a3", "standard", (3, 2)),
        ("c3,d3,e3", "standard", (1, 2)),
        ("c3,c4,c5", "standard", (2, 1)),
        ("c3,c2,c1", "standard", (2, 3)),
        ("c3*3", "standard", (2, 3)),
        ("c3", "standard", (2, 3)),
        ("a3,k3,j3", "wrapped", (1, 2)),
        ("k3,a3,b3", "wrapped", (9, 2)),
        ("c1,c11,c10", "wrapped", (2, 1)),
        ("c11,c1,c2", "wrapped", (2, 9)),
    ],
)
def test_a_snake_whose_answer_cannot_be_read_goes_straight_on(body: str, rules: str, new: tuple[int, int]) -> None:
    made = snakes(2, rules=rules)
    s = made.parse(f"t5 A50:{body} B50:h7,h8,h9")
    made.play_turn(s, {0: DEFAULT, 1: 1})
    assert body_of(s, 0)[0] == new


# Rulesets


@pytest.mark.parametrize(
    ("cell", "move", "new"),
    [("a3", "left", (10, 2)), ("k3", "right", (0, 2)), ("c1", "down", (2, 10)), ("c11", "up", (2, 0))],
)
def test_wrapped_heads_come_back_at_the_opposite_edge(cell: str, move: str, new: tuple[int, int]) -> None:
    s = turned(f"t5 A50:{cell}*3 B50:h7,h8,h9", f"{move} down", rules="wrapped")
    assert (fates(s)[0], body_of(s, 0)[0]) == ("alive", new)


def test_wrapped_snakes_eat_and_collide_across_an_edge() -> None:
    s = turned("t5 A50:a3,b3,c3 B50:k6,k5,k4,k3,k2 food:k3", "left up", rules="wrapped")
    assert fates(s) == ["snake-collision by B", "alive"]
    assert food_of(s) == []


def test_a_constrictor_never_gives_a_cell_back() -> None:
    made = snakes(2, rules="constrictor")
    assert food_of(made.new(1)) == []
    s = made.parse("t0 A100:f6*3 B100:f9*3")
    lengths = [int(s.length[0])]
    for _ in range(4):
        made.play_turn(s, {0: 2, 1: 2})
        lengths.append(int(s.length[0]))
    assert lengths == [3, 3, 4, 5, 6]
    assert s.health[0] == 100


def test_a_lonely_snake_plays_on_until_it_dies() -> None:
    made = snakes(1)
    position = made.position("t5 A50:b3,c3,d3").after({0: "left"})
    assert not position.over
    last = position.after({0: "left"})
    assert last.over
    assert last.outcome == (7 / 5000,)


def test_several_may_play_solo_until_nobody_lives() -> None:
    made = snakes(2, rules="solo")
    after = made.position("t5 A50:a3,b3,c3 B50:h3,h4,h5").after({0: "left", 1: "down"})
    assert after.actors == (1,)


def test_royale_closes_in_by_one_edge_every_so_many_turns() -> None:
    made, ends = snakes(1, rules="royale", shrink_every=3, board="7x7"), set()
    for seed in range(12):
        s, free = made.parse("t1 A100:d4*3"), []
        for move in (0, 3, 1, 1, 2):
            made.play(s, {0: move}, referees_dice(seed))
            free.append(49 - len(hazards_of(s)))
        ends.add(tuple(hazards_of(s)))
        assert free[:4] == [49, 42, 42, 42]
        assert free[4] in (35, 36)
    assert len(ends) > 4


# Maps


def started(**options: Any) -> Any:
    return snakes(1, **options).new(3)


def after_turns(turns: int, **options: Any) -> Any:
    """A snake goes round and round while the map does its work."""
    made = snakes(1, minimum_food=0, food_spawn_chance=0, **options)
    s = made.parse("t0 A100:b2*3")
    board.place_hazards(s, *hazards_of(made.new(3)))
    for turn in range(turns):
        made.play(s, {0: (0, 3, 1, 2)[turn % 4]}, referees_dice(turn))
        s.health[0] = 100
    return s


def test_the_empty_map_has_no_food_and_never_grows_any() -> None:
    made = snakes(1, map="empty")
    s = made.new(1)
    for turn in range(4):
        made.play(s, {0: (0, 3, 1, 2)[turn]}, referees_dice(turn))
    assert food_of(s) == []


def test_columns_are_hazards_where_both_coordinates_are_odd() -> None:
    hazards = hazards_of(started(map="hz_columns"))
    assert len(hazards) == 25
    assert all(x % 2 and y % 2 for x, y in hazards)


def test_the_inner_wall_is_one_cell_from_the_edge() -> None:
    hazards = hazards_of(started(map="hz_inner_wall"))
    assert len(hazards) == 32
    assert {min(x, y, 10 - x, 10 - y) for x, y in hazards} == {1}


def test_rings_leave_every_other_ring_free() -> None:
    assert {min(x, y, 10 - x, 10 - y) for x, y in hazards_of(started(map="hz_rings"))} == {1, 3}
    assert {min(x, y, 18 - x, 18 - y) for x, y in hazards_of(started(map="hz_rings", board="19x19"))} == {1, 3, 5, 7}


def test_healing_pools_dry_up_one_after_another() -> None:
    pools = [len(hazards_of(after_turns(turns, map="healing_pools", shrink_every=5))) for turns in (0, 5, 6, 10, 11)]
    assert pools == [2, 2, 1, 1, 0]


def test_a_sinkhole_opens_in_the_middle_and_gets_wider_and_deeper() -> None:
    sizes = [len(hazards_of(after_turns(turns, map="sinkholes", shrink_every=3))) for turns in (1, 2, 4, 5, 8)]
    assert sizes == [0, 1, 1, 6, 6 + 21]
    assert hazards_of(after_turns(5, map="sinkholes", shrink_every=3)).count((5, 5)) == 2


def test_a_sinkhole_stops_before_the_edge() -> None:
    assert max(x for x, _ in hazards_of(after_turns(60, map="sinkholes", shrink_every=3))) == 9


def test_a_snail_leaves_a_trail_that_fades() -> None:
    made = snakes(1, map="snail_mode", minimum_food=0, food_spawn_chance=0)
    s, trails = made.parse("t5 A100:c3,b3,a3"), []
    for _ in range(5):
        made.play(s, {0: 3}, referees_dice(0))
        trails.append({point: hazards_of(s).count(point) for point in sorted(set(hazards_of(s)))})
    assert trails[0] == {(1, 13): 3}
    assert trails[1] == {(1, 2): 3, (2, 13): 3}
    assert trails[4] == {(2, 2): 1, (3, 2): 2, (4, 2): 3, (5, 13): 3}


def test_the_test_bench_of_seed_002_opens_in_four_ways_each_the_same_for_both() -> None:
    made = snakes(2, map="seed_002")
    seen = set()
    for seed in range(40):
        s = made.new(seed)
        first, second = body_of(s, 0), body_of(s, 1)
        assert [(10 - x, 10 - y) for x, y in first] == second
        assert len(set(first)) == 3
        assert food_of(s) == [(5, 5), (5, 4), (5, 6)]
        seen.add(tuple(first))
    assert len(seen) == 4


@pytest.mark.parametrize("rng", ["fast", "go"])
def test_on_the_test_bench_of_seed_002_no_food_grows_so_that_all_starve(rng: str) -> None:
    made = snakes(2, map="seed_002", rng=rng)
    s = made.new(9)
    board.clear_food(s)
    for turn in range(20):
        made.play(s, {0: (3, 0, 2, 1)[turn % 4], 1: (2, 1, 3, 0)[turn % 4]}, referees_dice(turn))
    assert (s.living, s.foods, s.health[0]) == (2, 0, 80)


@pytest.mark.parametrize(
    ("options", "chance"),
    [
        ({}, True),
        ({"map": "empty"}, False),
        ({"map": "seed_002"}, False),
        ({"map": "seed_002", "rules": "royale"}, True),
        ({"map": "sinkholes", "food_spawn_chance": 0, "minimum_food": 0}, False),
    ],
    ids=str,
)
def test_a_game_in_which_nothing_is_drawn_says_so_and_its_repetitions_are_no_evidence(
    options: dict[str, Any], chance: bool
) -> None:
    assert snakes(2, **options).kind.chance is chance


# Food


def test_there_is_never_less_than_the_minimum_of_food() -> None:
    made = snakes(2, minimum_food=4, food_spawn_chance=0)
    s = made.parse("t5 A50:c3,b3,a3 B50:h3,h4,h5 food:d3")
    made.play(s, {0: 3, 1: 1}, referees_dice(1))
    assert s.foods == 4


def test_a_chance_of_15_percent_is_14_as_in_official_games() -> None:
    made, grown = snakes(1, minimum_food=0), 0
    before = made.parse("t5 A50:c3,b3,a3")
    for seed in range(4000):
        s = made.copy(before)
        made.play(s, {0: 3}, referees_dice(seed))
        grown += int(s.foods)
    assert 0.12 < grown / 4000 < 0.16


def test_food_grows_neither_on_snakes_nor_on_food_nor_beside_heads() -> None:
    made, places = snakes(1, board="3x3", minimum_food=2, food_spawn_chance=0), set()
    for seed in range(60):
        s = made.parse("t5 A50:a1,b1,c1 food:c3")
        made.play(s, {0: 0}, referees_dice(seed))
        places.add(food_of(s)[1])
    assert places == {(1, 2), (2, 0), (2, 1)}  # of nine: a2 a1 b1 are the snake, a3 b2 beside its head, c3 food


def test_a_crowded_board_grows_what_it_has_room_for() -> None:
    made = snakes(1, board="3x3", minimum_food=9)
    s = made.parse("t5 A50:a1,b1,c1,c2,c3,b3")
    made.play(s, {0: 0}, referees_dice(0))
    assert food_of(s) == [(1, 2)]  # its tail was there; a3 and b2 are beside its head


# The opening


@pytest.mark.parametrize("players", range(1, 9))
@pytest.mark.parametrize("size", ["7x7", "11x11", "25x25", "8x12"])
def test_every_game_opens_with_snakes_of_three_and_food(players: int, size: str) -> None:
    s = snakes(players, board=size).new(players)
    bodies = [body_of(s, snake) for snake in range(players)]
    assert [len(set(body)) for body in bodies] == [1] * players
    assert len({body[0] for body in bodies}) == players
    assert s.foods == len(set(food_of(s))) > 0


def test_openings_differ_by_seed_and_by_nothing_else() -> None:
    made = snakes(4)
    assert made.text(made.new(5)) == made.text(made.new(5))
    assert len({made.text(made.new(seed)) for seed in range(30)}) > 20


# Scores


def test_who_dies_in_the_same_turn_shares_the_place() -> None:
    made = snakes(2)
    after = made.position("t5 A50:c3,b3,a3 B50:e3,f3,g3").after({0: "right", 1: "left"})
    assert after.outcome == (0.5, 0.5)


def test_with_four_the_place_counts() -> None:
    made = snakes(4)
    dead = "!wall-collision@{}"
    text = f"t9 A0:_1,a1{dead.format(3)} B0:_2,a2{dead.format(7)} C0:_3,a3{dead.format(7)} D50:f6,f5,f4"
    assert made.outcome(made.parse(text)) == (0.0, 0.5, 0.5, 1.0)


def test_who_lives_at_the_last_turn_shares_the_first_place() -> None:
    made = snakes(3, max_turns=10)
    s = made.parse("t10 A0:_1,a1!wall-collision@3 B50:c3,c4,c5 C50:f6,f5,f4")
    assert made.outcome(s) == (0.0, 0.75, 0.75)
    assert made.ending(s) == "turns over"


# What holds in every game


@st.composite
def games(draw: st.DrawFn) -> tuple[Battlesnake, int]:
    chosen = draw(st.sampled_from(MAPS))
    made = snakes(
        draw(st.integers(1, 2 if chosen == "seed_002" else 8)),
        board=draw(st.sampled_from(["11x11"] if chosen == "seed_002" else ["7x7", "11x11", "19x19"])),
        rules=draw(st.sampled_from(RULES)),
        map=chosen,
        lengths=draw(st.sampled_from(["real", "frozen"])),
        food_spawn_chance=draw(st.sampled_from([0, 15, 100])),
        shrink_every=draw(st.sampled_from([1, 5, 25])),
        hazard_damage=draw(st.sampled_from([14, 100, -10])),
    )
    return made, draw(st.integers(0, 10**6))


def grid(points: list[tuple[int, int]], s: Any, length: int) -> list[int]:
    counts = [0] * length
    for cell in board.cells_at(s, points):
        counts[cell] += 1
    return counts


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(games())
def test_grids_and_lists_agree_and_the_dead_stay_dead(case: tuple[Battlesnake, int]) -> None:
    made, seed = case
    s, referee, choice = made.new(seed), referees_dice(seed), dice(seed, "moves")
    for _ in range(40):
        actors = made.actors(s)
        if not actors:
            break
        before = made.copy(s)
        views = [View(Position(made, s, referee), player, choice) for player in actors]
        made.play(s, {view.me: agent(made, "random_safe").decide(view).action for view in views}, referee)
        bodies = [point for snake in board.living(s) for point in body_of(s, snake)]
        assert (s.occupied % BORDER).tolist() == grid(bodies, s, len(s.occupied))
        assert s.food_at.tolist() == grid(food_of(s), s, len(s.food_at))
        assert s.living == len(board.living(s)) == sum(s.cause[: s.snakes] == 0)
        assert s.turn == before.turn + 1
        for snake in range(s.snakes):
            assert s.length[snake] >= before.length[snake]
            if before.cause[snake]:
                assert body_of(s, snake)[0] == body_of(before, snake)[0]
                assert (s.cause[snake], s.died_on[snake]) == (before.cause[snake], before.died_on[snake])
            elif s.cause[snake] == 0:
                assert 1 <= s.health[snake] <= 100
        assert made.to_bytes(made.parse(made.text(s))) == made.to_bytes(s)
        assert made.to_bytes(made.from_json(made.to_json(s))) == made.to_bytes(s)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"rules": "wrapped_constrictor", "players": 4},
        {"map": "royale", "board": "7x7", "shrink_every": 2},
        {"map": "snail_mode", "players": 3},
        {"map": "sinkholes", "shrink_every": 1},
        {"map": "healing_pools", "hazard_damage": -30, "shrink_every": 2},
        {"board": "19x19", "players": 8, "rules": "royale", "shrink_every": 2},
        {"map": "seed_002", "lengths": "frozen"},
    ],
    ids=str,
)
def test_every_kind_of_game_keeps_the_contract(options: dict[str, Any]) -> None:
    found = check(snakes(**options), games=3)
    assert found.passed, str(found)


def test_the_game_keeps_the_contract() -> None:
    assert check(snakes(), games=3).passed


def test_a_referee_plays_it_to_the_end() -> None:
    made = snakes(4)
    played = play(made, [agent(made, "random_safe")] * 4, seed=2)
    assert sum(played.scores) == pytest.approx(2.0)
    assert played.reason in made.endings


# Text and pictures


def test_the_board_is_drawn_with_heads_in_capitals() -> None:
    made = snakes(2, board="5x5")
    s = made.parse("t3 A98:b2,b3,c3 B97:e5*3 food:a1 hazards:d1,e1*2")
    assert made.drawing(s).splitlines() == [
        " 5 . . . . B",
        " 4 . . . . .",
        " 3 . a a . .",
        " 2 . A . . .",
        " 1 * . . : 2",
        "   a b c d e",
        "",
        "turn 3",
        "A  length 3, health 98",
        "B  length 3, health 97",
    ]


def test_the_picture_shows_snakes_food_and_marks() -> None:
    made = snakes(2)
    drawn = made.svg(made.parse("t3 A98:a2,k2,j2 B97:e5*3 food:a1 hazards:d1"), {0: 0.5})
    tags = [part.tag.partition("}")[2] for part in ElementTree.fromstring(drawn)]
    assert tags.count("polyline") == 3  # A goes across the edge
    assert tags.count("circle") == 1 + 2 * 3 + 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("t3 A98:b2,b3", "the snakes are A in a game of 2 players"),
        ("t3 A98:b2 B50:z9", "not on the board of 11x11"),
        ("t3 A98:b2 B50:99", "no cell '99'"),
        ("t3 A0:b2 B50:c3", "expected 1 to 100"),
        ("t3 A98:b2 B50:c3 C50:d4", "say --players 3"),
        ("t3 A98:b2 B50:c3!boredom@2", "nobody dies of 'boredom'"),
        ("t3 A98:b2 B50:c3 food:z1", "not on the board"),
        ("hello", "cannot read 'hello'; expected the turn"),
    ],
)
def test_a_slip_in_a_position_is_told(text: str, message: str) -> None:
    with pytest.raises(SparringError, match=message):
        snakes(2).parse(text)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 9}, "players must be a number from 1 to 8"),
        ({"board": "11"}, "expected WIDTHxHEIGHT"),
        ({"board": "26x26"}, "from 3x3 to 25x25"),
        ({"rules": "squad"}, "unknown rules 'squad'"),
        ({"map": "hz_ring"}, "did you mean hz_rings"),
        ({"map": "sinkholes", "board": "9x9"}, "7x7, 11x11 and 19x19"),
        ({"map": "seed_002", "board": "7x7"}, "two snakes on 11x11"),
        ({"map": "seed_002", "players": 3}, "two snakes on 11x11"),
        ({"lengths": "short"}, "unknown lengths 'short'"),
        ({"shrink_every": 0}, "from 1 to"),
    ],
)
def test_options_that_make_no_game_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(SparringError, match=message):
        Battlesnake(**options)
