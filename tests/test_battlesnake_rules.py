"""The rules of Battlesnake, told as stories, and held against turns that the official engine decided."""

from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from official_boards import cases, game_of, state_of, told_of
from sparring.core.dice import dice, referees_dice, throw
from sparring.core.errors import SparringError
from sparring.games.battlesnake import board, official
from sparring.games.battlesnake.board import body_of, food_of, hazards_of
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import BORDER, CAUSES, DEFAULT, MOVES, NOBODY
from sparring.games.battlesnake.state import MAPS, RULES


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


def fates(s: Any) -> str:
    """What became of each snake: `lives`, or what it died of and by whom, such as `body B`."""
    words = [cause.removeprefix("snake-").removesuffix("-collision") or "lives" for cause in CAUSES]
    words[1] = "body"
    killers = ["" if killer == NOBODY else f" {board.SNAKES[killer]}" for killer in s.killer[: s.snakes]]
    return ", ".join(words[cause] + killer for cause, killer in zip(s.cause, killers, strict=False))


# The official engine


@pytest.mark.slow
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


# Who dies, and by whom


STORIES = """
two that swap cells both die       | A50:c3,b3,a3 B50:d3,e3,f3                 | right left | body B, body A
whatever their lengths             | A50:c3,b3,a3,a4 B50:d3,e3,f3              | right left | body B, body A
of two heads the shorter dies      | A50:c3,b3,a3,a4 B50:e3,f3,g3              | right left | lives, head A
of two equal heads both die        | A50:c3,b3,a3 B50:e3,f3,g3                 | right left | head B, head A
the longest of three heads lives   | A50:c5,b5 B50:e5,f5,g5 C50:d4,d3,d2,d1    | right left up | head C, head C, lives
of two equal and a shorter all die | A50:c5,b5,a5 B50:e5,f5,g5 C50:d4,d3       | right left up | head B, head A, head A
also the winner on a third body    | A50:c5,b5,a5 B50:e5,f5 C50:d7,d6,d5,d4    | right left up | body C, body C, lives
the longer of two bodies is named  | A50:d4,d5,d6 B50:c5,d5,e5,f5 C50:d6,d7,e7 | left down down | head B, lives, body B
heads that meet on food eat first  | A50:c3,b3,a3 B50:e3,f3,g3,g4 food:d3      | right left | head B, lives
the own tail cell is safe          | A50:c3,c4,d4,d3 B50:h3                    | right down | lives, lives
but deadly after a meal            | A50:c3,c4,d4,d3*2 B50:h3                  | right down | self A, lives
another's tail cell is safe        | A50:c3,b3,a3 B50:e5,e4,e3,d3              | right up | lives, lives
but deadly after its meal          | A50:c3,b3,a3 B50:e5,e4,e3,d3*2            | right up | body B, lives
and safe while it eats             | A50:c3,b3,a3 B50:e5,e4,e3,d3 food:e6      | right up | lives, lives
who starves off the board, starved | A1:a3,b3,c3 B50:h3                        | left down | out-of-health, lives
health 1 is enough to reach food   | A1:c3,b3,a3 B50:h3 food:d3                | right down | lives, lives
or is taken by a hazard            | A1:c3,b3,a3 B50:h3 hazards:d3             | right down | hazard, lives
which kills before a body does     | A10:c3,b3,a3 B50:e4,d4,d3,d2 hazards:d3   | right right | hazard, lives
food keeps hazards off             | A5:c3,b3,a3 B50:h3 food:d3 hazards:d3*3   | right down | lives, lives
a body that leaves is in no way    | A50:b3,b4,b5 B50:a4,a3,a2                 | left left | lives, wall
nor is its old head                | A50:b4,c4,d4 B50:a4,a3,a2                 | left left | lives, wall
nor a body that starves            | A50:b3,b4,b5 B1:a4,a3,a2                  | left up | lives, out-of-health
but one that dies by collision is  | A50:b3,b4 B50:a4,a3,a2 C50:a6,b6,c6,d6    | left up down | body B, head C, lives
"""


@pytest.mark.parametrize("story", STORIES.strip().splitlines(), ids=lambda story: story.partition("|")[0].strip())
def test_who_dies_and_by_whom(story: str) -> None:
    _, position, moves, expected = map(str.strip, story.split("|"))
    assert fates(turned(f"t5 {position}", moves)) == expected


def test_with_frozen_lengths_who_ate_is_longer_and_still_dies_head_to_head() -> None:
    s = turned("t5 A50:c3,b3,a3,a4 B50:e3,f3,g3 food:d3", "right left", lengths="frozen")
    assert fates(s) == "head B, head A"
    assert s.length[:2].tolist() == [5, 4]


# The turn as a whole


DECIDED = "t6 A49:_3,a3,b3!wall-collision@6 B49:h2,h3,h4"


def test_a_deciding_turn_ends_the_game_which_then_stands_still() -> None:
    made = snakes(2)
    before = made.position("t5 A50:a3,b3,c3 B50:h3,h4,h5")
    after = before.after({0: "left", 1: "down"})
    assert (before.actors, after.over, after.outcome) == ((0, 1), True, (0.0, 1.0))
    assert made.ending(after.state) == "left the board"
    s = made.parse(DECIDED)
    made.play_turn(s, {1: 0})
    assert made.text(s) == DECIDED == made.text(turned(before.text, "left down"))


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


def test_a_constrictor_never_gives_a_cell_back() -> None:
    made = snakes(2, rules="constrictor")
    assert food_of(made.new(1)) == []
    s = made.parse("t0 A100:f6*3 B100:f9*3")
    lengths = [int(s.length[0])]
    for _ in range(4):
        made.play_turn(s, {0: 2, 1: 2})
        lengths.append(int(s.length[0]))
    assert (lengths, s.health[0]) == ([3, 3, 4, 5, 6], 100)


def test_a_lonely_snake_plays_on_until_it_dies() -> None:
    position = snakes(1).position("t5 A50:b3,c3,d3").after({0: "left"})
    assert not position.over
    assert position.after({0: "left"}).outcome == (7 / 5000,)


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


def after_turns(turns: int, **options: Any) -> Any:
    """A snake goes round and round while the map does its work."""
    made = snakes(1, **{"minimum_food": 0, "food_spawn_chance": 0, **options})
    s = made.parse("t0 A100:b2*3")
    board.place_hazards(s, *hazards_of(made.new(3)))
    for turn in range(turns):
        made.play(s, {0: (0, 3, 1, 2)[turn % 4]}, referees_dice(turn))
        s.health[0] = 100
    return s


def test_the_empty_map_has_no_food_and_never_grows_any() -> None:
    assert food_of(snakes(1, map="empty").new(1)) == []
    assert food_of(after_turns(4, map="empty", minimum_food=1)) == []


@pytest.mark.parametrize(
    ("map", "side", "count", "distances"),
    [
        ("hz_inner_wall", 11, 32, {1}),
        ("hz_rings", 11, 32 + 16, {1, 3}),
        ("hz_rings", 19, 64 + 48 + 32 + 16, {1, 3, 5, 7}),
        ("hz_columns", 11, 25, {1, 3, 5}),
    ],
)
def test_hazards_lie_on_rings_at_a_distance_from_the_edge(map: str, side: int, count: int, distances: set[int]) -> None:
    hazards, last = hazards_of(snakes(1, map=map, board=f"{side}x{side}").new(3)), side - 1
    assert len(hazards) == count
    assert {min(x, y, last - x, last - y) for x, y in hazards} == distances
    assert map != "hz_columns" or all(x % 2 and y % 2 for x, y in hazards)


def test_healing_pools_dry_up_one_after_another() -> None:
    pools = [len(hazards_of(after_turns(turns, map="healing_pools", shrink_every=5))) for turns in (0, 5, 6, 10, 11)]
    assert pools == [2, 2, 1, 1, 0]


def test_a_sinkhole_opens_in_the_middle_gets_wider_and_deeper_and_stops_before_the_edge() -> None:
    holes = [hazards_of(after_turns(turns, map="sinkholes", shrink_every=3)) for turns in (1, 2, 4, 5, 8, 60)]
    assert [len(hole) for hole in holes[:5]] == [0, 1, 1, 6, 6 + 21]
    assert holes[3].count((5, 5)) == 2
    assert max(x for x, _ in holes[5]) == 9


def test_a_snail_leaves_a_trail_that_fades() -> None:
    made = snakes(1, map="snail_mode", minimum_food=0, food_spawn_chance=0)
    s, trails = made.parse("t5 A100:c3,b3,a3"), []
    for _ in range(5):
        made.play(s, {0: 3}, referees_dice(0))
        trails.append({point: hazards_of(s).count(point) for point in sorted(set(hazards_of(s)))})
    assert trails[0] == {(1, 13): 3}
    assert trails[1] == {(1, 2): 3, (2, 13): 3}
    assert trails[4] == {(2, 2): 1, (3, 2): 2, (4, 2): 3, (5, 13): 3}


@pytest.mark.parametrize("rng", ["fast", "go"])
def test_the_test_bench_of_seed_002_opens_alike_for_both_and_grows_no_food(rng: str) -> None:
    made = snakes(2, map="seed_002", rng=rng)
    opened = [made.new(seed) for seed in range(1, 40)]
    bodies = [(body_of(s, 0), body_of(s, 1)) for s in opened]
    assert all([(10 - x, 10 - y) for x, y in first] == second and len(set(first)) == 3 for first, second in bodies)
    assert len({tuple(first) for first, _ in bodies}) == 4
    assert {tuple(food_of(s)) for s in opened} == {((5, 5), (5, 4), (5, 6))}
    s = opened[9]
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


@pytest.mark.parametrize(("chance", "low", "high"), [(1, 0, 0), (15, 100, 180), (100, 980, 999)])
def test_a_chance_is_one_percent_less_than_it_says_as_in_official_games(chance: int, low: int, high: int) -> None:
    made, grown = snakes(1, minimum_food=0, food_spawn_chance=chance), 0
    before = made.parse("t5 A50:c3,b3,a3")
    for seed in range(1000):
        s = made.copy(before)
        made.play(s, {0: 3}, referees_dice(seed))
        grown += int(s.foods)
    assert low <= grown <= high


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


@pytest.mark.parametrize(("players", "size"), [(1, "7x7"), (8, "7x7"), (8, "11x11"), (5, "25x25"), (8, "8x12")])
def test_every_game_opens_with_snakes_of_three_and_food(players: int, size: str) -> None:
    s = snakes(players, board=size).new(players)
    bodies = [body_of(s, snake) for snake in range(players)]
    assert [len(set(body)) for body in bodies] == [1] * players
    assert len({body[0] for body in bodies}) == players
    assert s.foods == len(set(food_of(s))) > 0
    if size == "8x12":  # no places are fixed, but all distances between heads have the same parity
        assert {sum(body[0]) % 2 for body in bodies} == {0}
        assert not board.near_heads(s) & {*food_of(s)}


def test_openings_differ_by_seed_and_by_nothing_else() -> None:
    made = snakes(4)
    assert made.text(made.new(5)) == made.text(made.new(5))
    assert len({made.text(made.new(seed)) for seed in range(30)}) > 20


# Scores


@pytest.mark.parametrize(
    ("position", "scores"),
    [
        ("t6 A49:d3,c3,b3!head-collision@6byB B49:d3,e3,f3!head-collision@6byA", (0.5, 0.5)),
        (
            "t9 A0:_1,a1!wall-collision@3 B0:_2,a2!wall-collision@7 C0:_3,a3!wall-collision@7 D50:f6,f5,f4",
            (0.0, 0.5, 0.5, 1.0),
        ),
        ("t10 A0:_1,a1!wall-collision@3 B50:c3,c4,c5 C50:f6,f5,f4", (0.0, 0.75, 0.75)),
    ],
    ids=["who dies in the same turn shares the place", "with four the place counts", "who lives at the end shares it"],
)
def test_scores(position: str, scores: tuple[float, ...]) -> None:
    made = snakes(len(scores), max_turns=10)
    s = made.parse(position)
    assert made.outcome(s) == scores
    assert (made.ending(s) == "turns over") == position.startswith("t10")


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
@settings(max_examples=30, deadline=None)
@given(games())
def test_grids_and_lists_agree_and_the_dead_stay_dead(case: tuple[Battlesnake, int]) -> None:
    made, seed = case
    s, referee, choice = made.new(seed), referees_dice(seed), dice(seed, "moves")
    for _ in range(40):
        actors = made.actors(s)
        if not actors:
            break
        before = made.copy(s)
        safe = {player: made.safe_moves(s, player) or [0] for player in actors}
        made.play(s, {player: moves[throw(choice, len(moves))] for player, moves in safe.items()}, referee)
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
