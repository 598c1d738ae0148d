"""What tables see of Ludo: every class by a position, every flaw with and without its fix, and the document's
abstractions once more by a plain reading. Positions are of two players, A and B opposite each other: a tile of B is 26
tiles further round for A."""

import random
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.errors import SparringError
from sparring.games.ludo.abstraction import Abstraction
from sparring.games.ludo.features import CLASSES, EDITIONS, FIXES, NAMES, PROSPECTS, equity
from sparring.games.ludo.game import Ludo
from sparring.games.registry import game

CORRECTED = EDITIONS["corrected"]
ALL = [Abstraction(name, fixes) for name in ("potential", "zone", "combined") for fixes in EDITIONS.values()]
UNSORTED = [Abstraction(name, unsorted=True) for name in NAMES] + [Abstraction("potential", CORRECTED, unsorted=True)]
GOAL, SAFE = 57, {1, 9, 22, 35, 48, 52, 53, 54, 55, 56}
STARS = {5: 12, 12: 18, 18: 25, 25: 31, 31: 38, 38: 44, 44: 51, 51: 57}


@cache
def ludo(players: int = 2, tokens: int = 4) -> Ludo:
    made = game("ludo", players=players, tokens=tokens)
    assert isinstance(made, Ludo)
    return made


def seen(text: str, *fixes: str, state: str = "potential") -> tuple[int, ...]:
    first = text.split("/")[0]
    made = ludo(text.count("/") + 1, first.count(",") + 1)
    return Abstraction(state, frozenset(fixes)).encode(made.parse(text))


def first_class(text: str, *fixes: str) -> str:
    """P of token 1."""
    return CLASSES[seen(text, *fixes)[0]]


def context(text: str, *fixes: str) -> int:
    return seen(text, *fixes)[4]


def threats(text: str, *fixes: str) -> tuple[int, ...]:
    return seen(text, *fixes)[5:]


def prospects(text: str, *fixes: str) -> list[str]:
    return [PROSPECTS[value] for value in seen(text, *fixes, state="zone")[4:8]]


# The sizes


def test_the_document_has_115248_states_of_which_sorting_leaves_7140() -> None:
    potential = Abstraction("potential")
    assert (potential.size, potential.states) == (115_248, 7_140)
    assert Abstraction("potential", unsorted=True).states == 115_248


def test_zone_has_8960_states_and_combined_4033680() -> None:
    assert Abstraction("zone").size == 8_960
    assert Abstraction("combined").size == 4_033_680


def test_the_tuples_have_9_12_and_17_numbers() -> None:
    lengths = [len(seen("3,0,15,20/33,0,0,0 A4", state=state)) for state in ("potential", "zone", "combined")]
    assert lengths == [9, 12, 17]


@pytest.mark.parametrize("abstraction", [Abstraction("potential"), Abstraction("zone")], ids=lambda one: one.name)
def test_every_row_is_another_tuple(abstraction: Abstraction) -> None:
    assert len({abstraction.decode(row) for row in range(abstraction.states)}) == abstraction.states


# The classes as written


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("0,15,0,0/0,0,0,0 A2", "null"),  # at home without a six
        ("57,15,0,0/0,0,0,0 A2", "null"),
        ("15,0,0,0/0,0,0,0 A2", "neutral"),
        ("15,0,0,0/40,0,0,0 A2", "risk"),  # B is three tiles behind 17
        ("15,0,0,0/0,0,0,0 A3", "boost"),
        ("20,0,0,0/0,0,0,0 A2", "safety"),  # a globe
        ("50,0,0,0/0,0,0,0 A3", "safety"),  # the corridor
        ("0,15,0,0/0,0,0,0 A6", "safety"),  # the start
        ("15,0,0,0/43,0,0,0 A2", "kill"),
        ("55,0,0,0/0,0,0,0 A2", "goal"),
        ("47,0,0,0/0,0,0,0 A4", "goal"),  # by the last star
    ],
)
def test_each_class_of_the_document(position: str, expected: str) -> None:
    assert first_class(position) == expected


def test_a_kill_comes_before_safety() -> None:
    assert first_class("0,15,0,0/27,0,0,0 A6") == "kill"


def test_a_kill_comes_before_a_boost() -> None:
    assert first_class("3,0,0,0/38,0,0,0 A2") == "kill"


def test_a_boost_comes_before_risk() -> None:
    assert first_class("15,0,0,0/48,0,0,0 A3") == "boost"


def test_a_threat_is_an_enemy_one_to_six_steps_behind() -> None:
    gaps = [gap for gap in range(-8, 9) if gap and threats(f"17,0,0,0/{43 - gap},0,0,0 A1")[0]]
    assert gaps == [1, 2, 3, 4, 5, 6]


def test_the_tuple_tells_a_threat_now_from_a_risk_to_come() -> None:
    """B is on A's 14."""
    assert seen("17,15,0,0/40,0,0,0 A3") == (2, 3, 0, 0, 1, 1, 1, 0, 0)
    assert seen("12,0,0,0/40,0,0,0 A4")[0] == 2 and threats("12,0,0,0/40,0,0,0 A4") == (0, 0, 0, 0)
    assert seen("19,0,0,0/40,0,0,0 A4")[0] == 1 and threats("19,0,0,0/40,0,0,0 A4") == (1, 0, 0, 0)


def test_a_threat_goes_round_the_ring() -> None:
    assert threats("2,0,0,0/25,0,0,0 A1")[0] == 1  # A's 51


def test_nobody_is_threatened_on_a_globe() -> None:
    assert threats("22,0,0,0/46,0,0,0 A1")[0] == 0


# The context


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("30,0,0,0/10,0,0,0 A1", 1),
        ("31,0,0,0/10,0,0,0 A1", 2),
        ("10,0,0,0/30,0,0,0 A1", 1),
        ("10,0,0,0/31,0,0,0 A1", 0),
    ],
)
def test_a_gap_of_exactly_20_is_neutral(position: str, expected: int) -> None:
    assert context(position) == expected


def test_the_best_of_the_others_counts() -> None:
    assert context("30,0,0,0/0,0,0,0/29,0,0,0/0,0,0,0 A1") == 1
    assert context("30,0,0,0/0,0,0,0/3,0,0,0/0,0,0,0 A1") == 2


def test_safety_is_worth_10_and_the_corridor_50_more() -> None:
    assert context("20,1,0,0/10,0,0,0 A1") == 2  # 20 + 11 against 10
    assert context("52,0,0,0/40,41,0,0 A1") == 2  # 102 against 81


@pytest.mark.parametrize(
    ("tile", "points"),
    [(57, 100), (52, 102), (56, 106), (1, 11), (9, 19), (22, 32), (35, 45), (48, 58), (10, 10), (40, 40), (0, 0)],
)
def test_what_a_token_is_worth_on_its_tile(tile: int, points: int) -> None:
    state = ludo().empty()
    state.at[1, 2] = tile
    assert equity(state, 1, 0) == points


def test_a_token_in_goal_is_worth_100_in_the_race() -> None:
    assert [context(f"57,0,0,0/40,{tile},0,0 A6") for tile in (39, 40)] == [2, 1]  # 79 and 80 against it
    assert [context(f"40,{tile},0,0/57,0,0,0 A1") for tile in (39, 40)] == [0, 1]


def test_a_token_in_goal_is_worth_157_with_the_fix() -> None:
    assert [context(f"57,0,0,0/46,45,{tile},0 A6", "equity") for tile in (45, 46)] == [2, 1]


# Each flaw, and its fix


def test_equity_finishing_lowers_it_as_written() -> None:
    position = "57,0,0,10/56,0,0,0 A1"
    assert (context(position), context(position, "equity")) == (1, 2)
    corridor, goal = "56,0,0,0/30,50,0,0 A1", "57,1,0,0/30,50,0,0 A1"
    assert (context(corridor), context(goal)) == (2, 2)


def test_suicide_on_a_globe_that_an_enemy_holds_looks_safe_as_written() -> None:
    position = "20,0,0,0/48,0,0,0 A2"
    assert (first_class(position), first_class(position, "suicide")) == ("safety", "suicide")


def test_boost_hides_risk_as_written() -> None:
    position = "15,0,0,0/48,0,0,0 A3"
    assert (first_class(position), first_class(position, "boost")) == ("boost", "risky boost")
    assert first_class("15,0,0,0/0,0,0,0 A3", "boost") == "boost"


def test_kill_hides_what_comes_after_as_written() -> None:
    position = "15,0,0,0/43,40,0,0 A2"
    assert (first_class(position), first_class(position, "kill")) == ("kill", "risky kill")
    assert first_class("15,0,0,0/43,0,0,0 A2", "kill", "threat") == "kill"


def test_exit_is_lumped_together_with_safety_and_unseen_by_zone_as_written() -> None:
    leaving, capturing = "0,15,0,0/0,0,0,0 A6", "0,15,0,0/27,0,0,0 A6"
    assert (first_class(leaving), first_class(leaving, "exit")) == ("safety", "exit")
    assert seen(capturing, state="zone")[4] == 0
    assert prospects(capturing, "exit")[0] == "captures"
    assert prospects(leaving, "exit")[0] == "leaves"


def test_threat_ignores_own_blockades_and_those_who_may_leave_home_as_written() -> None:
    blockade, start_of_b = "17,17,0,0/40,0,0,0 A1", "27,0,0,0/0,0,0,0 A1"
    assert (threats(blockade), threats(blockade, "threat")) == ((1, 1, 0, 0), (0, 0, 0, 0))
    assert (threats(start_of_b), threats(start_of_b, "threat")) == ((0, 0, 0, 0), (1, 0, 0, 0))


def test_threat_sees_the_star_that_carries_an_enemy_on() -> None:
    position = "25,0,0,0/41,0,0,0 A1"  # B's 41 is A's 15; with a 3 it lands on 18 and jumps to 25
    assert (threats(position)[0], threats(position, "threat")[0]) == (0, 1)


def test_thresholds_do_not_fit_games_of_one_token_as_written() -> None:
    assert (context("30/20 A1"), context("30/20 A1", "thresholds")) == (1, 2)
    assert context("25/20 A1", "thresholds") == 1
    assert context("30,0,0,0/10,0,0,0 A1", "thresholds") == 1  # 20 for four tokens, as ever


def test_die_a_six_is_unseen_as_written() -> None:
    six, five = "15,0,0,0/0,0,0,0 A6", "15,0,0,0/0,0,0,0 A5"
    assert [context(six), context(five), context(six, "die"), context(five, "die")] == [1, 1, 4, 1]
    assert prospects("15,0,57,0/0,0,0,0 A5", "die") == ["moves", "stuck", "stuck", "stuck"]


def test_real_move_sees_the_capture_on_the_first_star() -> None:
    position = "3,0,0,0/31,0,0,0 A2"
    assert (first_class(position), first_class(position, "real_move")) == ("boost", "kill")


def test_back_is_called_safety_as_written() -> None:
    for position in ("55,0,0,0/0,0,0,0 A6", "54,0,0,0/0,0,0,0 A6"):
        assert (first_class(position), first_class(position, "back")) == ("safety", "back")


def test_stakes_tell_a_long_way_from_a_short_one() -> None:
    near_home, near_goal = "4,0,0,0/28,0,0,0 A1", "43,0,0,0/15,0,0,0 A1"
    assert [threats(near_home)[0], threats(near_goal)[0]] == [1, 1]
    assert [threats(near_home, "threat", "stakes")[0], threats(near_goal, "threat", "stakes")[0]] == [1, 2]
    assert first_class("41,0,0,0/14,0,0,0 A2", "stakes") == "high risk"


def test_left_alone_tells_what_becomes_of_the_other_token_of_a_blockade() -> None:
    position = "24,24,0,0/47,0,0,0 A6"  # B is on A's 21, where it cannot reach 30
    assert first_class(position, "threat") == "neutral"
    assert first_class(position, "threat", "left_alone") == "risk"


def test_as_written_has_no_fix_and_corrected_all() -> None:
    assert {"as_written": frozenset(), "corrected": frozenset(FIXES)} == EDITIONS


# The tuples


def test_zone_counts_tokens_at_home_exposed_safe_and_in_goal() -> None:
    assert seen("0,15,22,57/0,0,0,0 A1", state="zone")[:4] == (1, 1, 1, 1)


def test_combined_ends_with_how_many_moves_kill_risk_save_and_boost() -> None:
    found = seen("15,20,15,3/43,0,0,0 A2", state="combined")
    assert [CLASSES[value] for value in found[4:8]] == ["kill", "safety", "kill", "boost"]
    assert found[13:] == (2, 0, 1, 1)


def test_the_meaning_of_a_tuple_in_words() -> None:
    position = "15,19,57,0/43,40,0,0 A2"
    told = {one.name: one.meaning(one.encode(ludo().parse(position))) for one in map(Abstraction, NAMES)}
    assert told == {
        "potential": "P: kill, risk, null, null · leading · T: 1 1 0 0",
        "zone": "1 home, 2 path, 0 safe, 1 goal · EV: captures, -, -, - · TV: 1 1 0 0",
        "combined": "1 home, 2 path, 0 safe, 1 goal · P: kill, risk, null, null · leading · T: 1 1 0 0",
    }


def test_an_unknown_state_names_those_that_exist() -> None:
    with pytest.raises(SparringError, match="unknown state of ludo 'zones'; did you mean zone"):
        Abstraction("zones")


# Properties, on positions of random games

positions = st.builds(
    lambda seed, players, tokens, plies: _somewhere(seed, players, tokens, plies),
    st.integers(0, 10_000),
    st.integers(2, 4),
    st.integers(1, 4),
    st.integers(0, 150),
)


def _somewhere(seed: int, players: int, tokens: int, plies: int) -> Any:
    position, chance = ludo(players, tokens).start(seed), random.Random(seed)
    for _ in range(plies):
        following = position.after(chance.choice(position.legal))
        if following.over:
            break
        position = following
    return position.state


@given(positions, st.sampled_from(ALL))
@settings(max_examples=120, deadline=None)
def test_a_row_decodes_to_the_sorted_tuple(state: Any, abstraction: Abstraction) -> None:
    row = abstraction.row(state)
    assert 0 <= row < abstraction.states
    assert abstraction.decode(row, int(state.tokens)) == abstraction.sorted(abstraction.encode(state))


@given(positions, st.sampled_from(ALL))
@settings(max_examples=120, deadline=None)
def test_a_tuple_has_a_number_of_its_own_and_comes_back_from_it(state: Any, abstraction: Abstraction) -> None:
    told = abstraction.encode(state)
    assert 0 <= abstraction.index(told) < abstraction.size
    assert abstraction.at_index(abstraction.index(told), int(state.tokens)) == told


@pytest.mark.parametrize("name", NAMES)
def test_every_number_is_that_of_its_tuple(name: str) -> None:
    abstraction = Abstraction(name)
    for number in range(0, abstraction.size, 101):
        assert abstraction.index(abstraction.at_index(number)) == number


@given(positions, st.sampled_from(UNSORTED))
@settings(max_examples=120, deadline=None)
def test_unsorted_every_tuple_has_a_row_of_its_own(state: Any, abstraction: Abstraction) -> None:
    told = abstraction.encode(state)
    assert abstraction.row(state) == abstraction.index(told) < abstraction.states == abstraction.size
    assert abstraction.decode(abstraction.row(state), int(state.tokens)) == told


def test_unsorted_the_order_of_the_tokens_matters() -> None:
    one, other = (ludo().parse(f"{tokens},0,0/43,0,0,0 A2") for tokens in ("15,20", "20,15"))
    assert Abstraction("potential", unsorted=True).row(one) != Abstraction("potential", unsorted=True).row(other)
    assert Abstraction("potential").row(one) == Abstraction("potential").row(other)


def test_a_table_that_would_not_fit_into_memory_is_refused() -> None:
    with pytest.raises(SparringError, match="485,822,610 states, too many for a table; sort it"):
        Abstraction("combined", CORRECTED, unsorted=True)


@given(positions, st.sampled_from(ALL))
@settings(max_examples=60, deadline=None)
def test_the_order_of_the_tokens_does_not_matter(state: Any, abstraction: Abstraction) -> None:
    row, tokens = abstraction.row(state), int(state.tokens)
    mine = state.at[state.to_move].tolist()
    for order in permutations(range(tokens)):
        twin = state.copy()
        twin.at[state.to_move, :tokens] = [mine[place] for place in order]
        assert abstraction.row(twin) == row


@given(positions)
@settings(max_examples=150, deadline=None)
def test_a_plain_reading_of_the_document_sees_the_same(state: Any) -> None:
    assert Abstraction("potential").encode(state) == plain_potential(state)


def plain_potential(s: Any) -> tuple[int, ...]:
    """The nine numbers as the document describes them, in plain Python."""
    me, die = int(s.to_move), int(s.die)
    enemies = [
        (tile + int(s.start[other] - s.start[me]) - 1) % 52 + 1
        for other in range(s.players)
        for tile in s.at[other, : s.tokens].tolist()
        if other != me and 0 < tile <= 51
    ]

    def threatened(tile: int) -> bool:
        return 0 < tile <= 51 and tile not in SAFE and any(1 <= (tile - enemy) % 52 <= 6 for enemy in enemies)

    def classified(tile: int) -> int:
        if tile == GOAL or (tile == 0 and die != 6):
            return 0
        there = 1 if tile == 0 else tile + die if tile + die <= GOAL else 2 * GOAL - tile - die
        jump = tile > 0 and there in STARS and tile + die <= 51
        there = STARS[there] if jump else there
        if there == GOAL:
            return 6
        if there in enemies and (there == 1 or there not in SAFE):
            return 5
        if there in SAFE:
            return 4
        return 3 if jump else 2 if threatened(there) else 1

    def worth(player: int) -> int:
        tiles = s.at[player, : s.tokens].tolist()
        extra = (100 - GOAL if tile == GOAL else 50 if tile > 51 else 10 if tile in SAFE else 0 for tile in tiles)
        return sum(tiles) + sum(extra)

    mine = s.at[me].tolist()
    tokens = range(4)
    gap = worth(me) - max(worth(other) for other in range(s.players) if other != me)
    classes = [classified(mine[token]) if token < s.tokens else 0 for token in tokens]
    flags = [int(threatened(mine[token])) for token in tokens]
    return (*classes, 0 if gap < -20 else 2 if gap > 20 else 1, *flags)


def test_a_token_that_may_not_move_has_no_potential() -> None:
    """With `overshoot=stay` a token that would run past the goal stays where it is."""
    potentials = {
        rule: Abstraction("potential").encode(game("ludo", players=2, overshoot=rule).parse("55,15,0,0/0,0,0,0 A6"))[0]
        for rule in ("stay", "reflect")
    }
    assert potentials["stay"] == 0 < potentials["reflect"]
