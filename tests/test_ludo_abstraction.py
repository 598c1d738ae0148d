"""What tables see of Ludo: every class by a position, every flaw with and without its fix, and the abstractions of the
design document once more by a plain reading. Positions are of two players, A and B opposite each other: a tile of B is
26 tiles further round for A."""

import random
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.errors import SparringError
from sparring.games.ludo.abstraction import Abstraction
from sparring.games.ludo.features import CLASSES, FIXES, NAMES, PROSPECTS, VARIANTS, equity
from sparring.games.ludo.game import Ludo
from sparring.games.registry import game

CORRECTED = VARIANTS["corrected"]
ALL = [Abstraction(name, fixes) for name in ("potential", "zone", "combined") for fixes in VARIANTS.values()]
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


@pytest.mark.parametrize(
    ("name", "size", "states", "numbers"),
    [("potential", 115_248, 7_140, 9), ("zone", 8_960, 1_225, 12), ("combined", 4_033_680, 249_900, 17)],
)
def test_the_sizes_of_the_document_and_after_sorting(name: str, size: int, states: int, numbers: int) -> None:
    assert (Abstraction(name).size, Abstraction(name).states) == (size, states)
    assert Abstraction(name, unsorted=True).states == size
    assert len(seen("3,0,15,20/33,0,0,0 A4", state=name)) == numbers


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
        ("15,0,0,0/48,0,0,0 A3", "boost"),  # which comes before risk
        ("20,0,0,0/0,0,0,0 A2", "safety"),  # a globe
        ("50,0,0,0/0,0,0,0 A3", "safety"),  # the corridor
        ("0,15,0,0/0,0,0,0 A6", "safety"),  # the start
        ("15,0,0,0/43,0,0,0 A2", "kill"),
        ("0,15,0,0/27,0,0,0 A6", "kill"),  # which comes before safety
        ("3,0,0,0/38,0,0,0 A2", "kill"),  # and before a boost
        ("55,0,0,0/0,0,0,0 A2", "goal"),
        ("47,0,0,0/0,0,0,0 A4", "goal"),  # by the last star
    ],
)
def test_each_class_of_the_document(position: str, expected: str) -> None:
    assert first_class(position) == expected


def test_a_threat_is_an_enemy_one_to_six_steps_behind() -> None:
    gaps = [gap for gap in range(-8, 9) if gap and threats(f"17,0,0,0/{43 - gap},0,0,0 A1")[0]]
    assert gaps == [1, 2, 3, 4, 5, 6]
    assert threats("2,0,0,0/25,0,0,0 A1")[0] == 1  # A's 51, round the ring
    assert threats("22,0,0,0/46,0,0,0 A1")[0] == 0  # on a globe


def test_the_tuple_tells_a_threat_now_from_a_risk_to_come() -> None:
    """B is on A's 14."""
    assert seen("17,15,0,0/40,0,0,0 A3") == (2, 3, 0, 0, 1, 1, 1, 0, 0)
    assert seen("12,0,0,0/40,0,0,0 A4")[0] == 2 and threats("12,0,0,0/40,0,0,0 A4") == (0, 0, 0, 0)
    assert seen("19,0,0,0/40,0,0,0 A4")[0] == 1 and threats("19,0,0,0/40,0,0,0 A4") == (1, 0, 0, 0)


# The context: 0 trailing, 1 neutral, 2 leading


@pytest.mark.parametrize(
    ("position", "fixes", "expected"),
    [
        ("30,0,0,0/10,0,0,0 A1", [], 1),  # a gap of exactly 20 is neutral
        ("31,0,0,0/10,0,0,0 A1", [], 2),
        ("10,0,0,0/30,0,0,0 A1", [], 1),
        ("10,0,0,0/31,0,0,0 A1", [], 0),
        ("30,0,0,0/0,0,0,0/29,0,0,0/0,0,0,0 A1", [], 1),  # the best of the others counts
        ("30,0,0,0/0,0,0,0/3,0,0,0/0,0,0,0 A1", [], 2),
        ("20,1,0,0/10,0,0,0 A1", [], 2),  # the start is worth 10 more: 20 + 11 against 10
        ("52,0,0,0/40,41,0,0 A1", [], 2),  # the corridor is worth 50 more: 102 against 81
        ("57,0,0,0/40,39,0,0 A6", [], 2),  # the goal is worth 100: against 79
        ("57,0,0,0/40,40,0,0 A6", [], 1),  # and against 80
        ("40,39,0,0/57,0,0,0 A1", [], 0),
        ("40,40,0,0/57,0,0,0 A1", [], 1),
        ("57,0,0,0/46,45,45,0 A6", ["equity"], 2),  # the goal is worth 157: against 136
        ("57,0,0,0/46,45,46,0 A6", ["equity"], 1),  # and against 137
        ("57,0,0,10/56,0,0,0 A1", [], 1),  # as written, finishing lowers the equity
        ("57,0,0,10/56,0,0,0 A1", ["equity"], 2),
        ("30/20 A1", [], 1),  # as written, the margin does not fit games of one token
        ("30/20 A1", ["thresholds"], 2),
        ("25/20 A1", ["thresholds"], 1),
        ("30,0,0,0/10,0,0,0 A1", ["thresholds"], 1),  # 20 for four tokens
        ("15,0,0,0/0,0,0,0 A6", ["die"], 4),  # a six
        ("15,0,0,0/0,0,0,0 A5", ["die"], 1),
    ],
)
def test_the_context(position: str, fixes: list[str], expected: int) -> None:
    assert context(position, *fixes) == expected


@pytest.mark.parametrize(
    ("tile", "points"),
    [(57, 100), (52, 102), (56, 106), (1, 11), (9, 19), (22, 32), (35, 45), (48, 58), (10, 10), (40, 40), (0, 0)],
)
def test_the_worth_of_a_token_on_its_tile(tile: int, points: int) -> None:
    state = ludo().empty()
    state.at[1, 2] = tile
    assert equity(state, 1, 0) == points


# Each flaw, and its fix


@pytest.mark.parametrize(
    ("fixes", "position", "written", "fixed"),
    [
        (["suicide"], "20,0,0,0/48,0,0,0 A2", "safety", "suicide"),  # on a globe that an enemy holds
        (["boost"], "15,0,0,0/48,0,0,0 A3", "boost", "risky boost"),
        (["boost"], "15,0,0,0/0,0,0,0 A3", "boost", "boost"),
        (["kill"], "15,0,0,0/43,40,0,0 A2", "kill", "risky kill"),
        (["kill", "threat"], "15,0,0,0/43,0,0,0 A2", "kill", "kill"),
        (["exit"], "0,15,0,0/0,0,0,0 A6", "safety", "exit"),
        (["real_move"], "3,0,0,0/31,0,0,0 A2", "boost", "kill"),  # a capture on the first star
        (["back"], "55,0,0,0/0,0,0,0 A6", "safety", "back"),
        (["back"], "54,0,0,0/0,0,0,0 A6", "safety", "back"),
        (["stakes"], "41,0,0,0/14,0,0,0 A2", "risk", "high risk"),
        (["threat"], "24,24,0,0/47,0,0,0 A6", "neutral", "neutral"),  # B is on A's 21, where it cannot reach 30
        (["threat", "left_alone"], "24,24,0,0/47,0,0,0 A6", "neutral", "risk"),
    ],
)
def test_the_class_with_and_without_a_fix(fixes: list[str], position: str, written: str, fixed: str) -> None:
    assert (first_class(position), first_class(position, *fixes)) == (written, fixed)


@pytest.mark.parametrize(
    ("fixes", "position", "written", "fixed"),
    [
        (["threat"], "17,17,0,0/40,0,0,0 A1", (1, 1, 0, 0), (0, 0, 0, 0)),  # an own blockade
        (["threat"], "27,0,0,0/0,0,0,0 A1", (0, 0, 0, 0), (1, 0, 0, 0)),  # tokens that may leave home
        (["threat"], "25,0,0,0/41,0,0,0 A1", (0, 0, 0, 0), (1, 0, 0, 0)),  # from A's 15 by the star on 18
        (["threat", "stakes"], "4,0,0,0/28,0,0,0 A1", (1, 0, 0, 0), (1, 0, 0, 0)),  # little to lose
        (["threat", "stakes"], "43,0,0,0/15,0,0,0 A1", (1, 0, 0, 0), (2, 0, 0, 0)),  # much to lose
    ],
)
def test_the_threats_with_and_without_a_fix(
    fixes: list[str], position: str, written: tuple[int, ...], fixed: tuple[int, ...]
) -> None:
    assert (threats(position), threats(position, *fixes)) == (written, fixed)


def test_zone_sees_leaving_home_and_what_the_die_moves_with_a_fix() -> None:
    leaving, capturing = "0,15,0,0/0,0,0,0 A6", "0,15,0,0/27,0,0,0 A6"
    assert seen(capturing, state="zone")[4] == 0
    assert [prospects(text, "exit")[0] for text in (capturing, leaving)] == ["captures", "leaves"]
    assert prospects("15,0,57,0/0,0,0,0 A5", "die") == ["moves", "stuck", "stuck", "stuck"]


def test_as_written_has_no_fix_and_corrected_all() -> None:
    assert {"as_written": frozenset(), "corrected": frozenset(FIXES)} == VARIANTS


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


@given(positions, st.sampled_from([*ALL, *UNSORTED]))
@settings(max_examples=200, deadline=None)
def test_a_row_decodes_to_its_tuple(state: Any, abstraction: Abstraction) -> None:
    """With sorted tokens, unless the abstraction keeps their order."""
    row, told = abstraction.row(state), abstraction.encode(state)
    assert 0 <= row < abstraction.states
    expected = told if abstraction.unsorted else abstraction.sorted(told)
    assert abstraction.decode(row, int(state.tokens)) == expected


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
