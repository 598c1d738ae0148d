"""Go's generator, and boards, food and hazards that follow from official seeds."""

import pytest

from official_boards import cases, game_of, state_of, told_of
from sparring.core.dice import referees_dice
from sparring.games.battlesnake import official
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.official import GoRandom

SEEDS = list(cases("seeds"))


def test_the_numbers_are_those_that_every_go_program_of_seed_1_prints() -> None:
    chance = GoRandom(1)
    assert [chance.below(100) for _ in range(10)] == [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]


def test_seeds_are_taken_modulo_a_prime_as_go_does_also_below_zero() -> None:
    drawn = [GoRandom(seed).below(1 << 30) for seed in (-5, 2**31 - 1 - 5, 0, 2**31 - 1)]
    assert drawn[0] == drawn[1] != drawn[2] == drawn[3]


def test_a_seed_sets_up_the_official_board() -> None:
    assert {len(case["ids"]) for case in SEEDS} == set(range(1, 9))
    wrong = []
    for case in SEEDS:
        made = game_of(case, case["setup"], rng="go")
        if told_of(made.new(case["seed"]), case["ids"]) != case["setup"]:
            wrong.append(case["seed"])
    assert wrong == []


def test_a_seed_grows_the_official_food_and_closes_in_as_the_official_royale() -> None:
    wrong = []
    for case in SEEDS:
        s = state_of(game_of(case, case["setup"], map="royale", rng="go"), case["post_from"])
        s.seed, s.turn = case["seed"], s.turn + 1
        official.grow_food(s)
        official.close_in(s)
        s.turn -= 1
        if told_of(s, case["ids"]) != case["post"]:
            wrong.append(case["seed"])
    assert wrong == []


def test_with_an_official_seed_the_referees_dice_change_nothing() -> None:
    made, ends = Battlesnake(rng="go", map="royale", shrink_every=2), set()
    for number in range(4):
        s = made.new(77)
        for move in (0, 0, 2):
            made.play(s, {0: move, 1: move}, referees_dice(number))
        ends.add(made.text(s))
    assert len(ends) == 1


def test_a_player_is_not_shown_the_seed_from_which_the_food_follows() -> None:
    made = Battlesnake(rng="go")
    s = made.new(77)
    assert (s.seed, made.seen(s).seed) == (77, 0)


def test_an_official_game_is_written_with_its_seed_and_goes_on_as_before() -> None:
    made = Battlesnake(rng="go")
    s = made.new(77)
    again = made.from_json(made.to_json(made.parse(made.text(s))))
    for one in (s, again):
        for _ in range(3):
            made.play(one, {0: 0, 1: 1}, referees_dice(0))
    assert made.text(s) == made.text(again)


@pytest.mark.parametrize("board", ["11x11", "8x10"])
def test_seed_0_is_no_seed_but_still_a_game(board: str) -> None:
    made = Battlesnake(rng="go", board=board)
    assert made.new(0).seed == 0
    assert made.text(made.new(0)) == made.text(made.new(0))
