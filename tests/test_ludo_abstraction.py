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
from sparring.games.contract import Position
from sparring.games.ludo.abstraction import Abstraction
from sparring.games.ludo.features import CLASSES, NAMES, PROSPECTS, VARIANTS, equity
from sparring.games.ludo.game import Ludo
from sparring.games.registry import game
from test_ludo_rulebased import SAFE, STARS, Reading

CORRECTED = VARIANTS["corrected"]
ALL = [Abstraction(name, fixes) for name in ("potential", "zone", "combined") for fixes in VARIANTS.values()]
UNSORTED = [Abstraction(name, unsorted=True) for name in NAMES] + [Abstraction("potential", CORRECTED, unsorted=True)]


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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "states", "numbers"),
    [("potential", 115_248, 7_140, 9), ("zone", 8_960, 1_225, 12), ("combined", 4_033_680, 249_900, 17)],
)
def test_the_sizes_of_the_document_and_after_sorting(name: str, size: int, states: int, numbers: int) -> None:
    assert (Abstraction(name).size, Abstraction(name).states) == (size, states)
    assert Abstraction(name, unsorted=True).states == size
    assert len(seen("3,0,15,20/33,0,0,0 A4", state=name)) == numbers


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


def test_the_worth_of_a_token_on_its_tile() -> None:
    state, points = (
        ludo().new(0),
        {0: 0, 1: 11, 9: 19, 10: 10, 22: 32, 35: 45, 40: 40, 48: 58, 52: 102, 56: 106, 57: 100},
    )
    for tile, worth in points.items():
        state.at[1, 2] = tile
        assert equity(state, 1, 0) == worth, tile


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
def test_threats_and_their_fixes(
    fixes: list[str], position: str, written: tuple[int, ...], fixed: tuple[int, ...]
) -> None:
    assert (threats(position), threats(position, *fixes)) == (written, fixed)


def test_zone_sees_leaving_home_and_what_the_die_moves_with_a_fix() -> None:
    leaving, capturing = "0,15,0,0/0,0,0,0 A6", "0,15,0,0/27,0,0,0 A6"
    assert seen(capturing, state="zone")[4] == 0
    assert [prospects(text, "exit")[0] for text in (capturing, leaving)] == ["captures", "leaves"]
    assert prospects("15,0,57,0/0,0,0,0 A5", "die") == ["moves", "stuck", "stuck", "stuck"]


def test_zone_counts_tokens_at_home_exposed_safe_and_in_goal() -> None:
    assert seen("0,15,22,57/0,0,0,0 A1", state="zone")[:4] == (1, 1, 1, 1)


def test_combined_ends_with_how_many_moves_kill_risk_save_and_boost() -> None:
    found = seen("15,20,15,3/43,0,0,0 A2", state="combined")
    assert [CLASSES[value] for value in found[4:8]] == ["kill", "safety", "kill", "boost"]
    assert found[13:] == (2, 0, 1, 1)


def test_the_meaning_of_a_tuple_in_words() -> None:
    position = "15,19,57,0/43,40,0,0 A2"
    told = {one.name: one.meaning(ludo().parse(position)) for one in map(Abstraction, NAMES)}
    assert told == {
        "potential": "P: kill, risk, null, null · leading · T: 1 1 0 0",
        "zone": "1 home, 2 path, 0 safe, 1 goal · EV: captures, -, -, - · TV: 1 1 0 0",
        "combined": "1 home, 2 path, 0 safe, 1 goal · P: kill, risk, null, null · leading · T: 1 1 0 0",
    }


# Properties, on positions of random games

players, plies, seeds = st.integers(2, 4), st.integers(0, 150), st.integers(0, 10_000)
positions = st.builds(lambda *given: somewhere(*given), seeds, players, st.integers(1, 4), plies)
of_two_tokens = st.builds(lambda *given: somewhere(*given), seeds, players, st.just(2), plies)


def somewhere(seed: int, players: int, tokens: int, plies: int) -> Any:
    """A position of a random game."""
    position, chance = ludo(players, tokens).start(seed), random.Random(seed)
    for _ in range(plies):
        following = position.after(chance.choice(position.legal))
        if following.over:
            break
        position = following
    return position.state


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.lists(of_two_tokens, min_size=4, max_size=4), st.sampled_from([*ALL, *UNSORTED]))
def test_positions_have_the_same_row_if_they_have_the_same_tuple(states: list[Any], abstraction: Abstraction) -> None:
    """With sorted tokens, unless the abstraction keeps their order."""
    for one in states:
        assert 0 <= abstraction.row(one) < abstraction.states
        for other in states:
            same = told(abstraction, one) == told(abstraction, other)
            assert (abstraction.row(one) == abstraction.row(other)) == same


def told(abstraction: Abstraction, state: Any) -> tuple[int, ...]:
    """The tuple of a position, with sorted tokens if the abstraction sorts them."""
    seen = list(abstraction.encode(state))
    start, threat = (0, 5) if abstraction.name == "potential" else (4, 8)
    pairs = sorted(zip(seen[start : start + 4], seen[threat : threat + 4], strict=True))
    if not abstraction.unsorted:
        seen[start : start + 4], seen[threat : threat + 4] = zip(*pairs, strict=True)
    return tuple(seen)


def test_unsorted_the_order_of_the_tokens_matters() -> None:
    one, other = (ludo().parse(f"{tokens},0,0/43,0,0,0 A2") for tokens in ("15,20", "20,15"))
    assert Abstraction("potential", unsorted=True).row(one) != Abstraction("potential", unsorted=True).row(other)
    assert Abstraction("potential").row(one) == Abstraction("potential").row(other)


@pytest.mark.parametrize(
    ("given", "slip"),
    [
        (("zones",), "unknown state of ludo 'zones'; did you mean zone"),
        (("combined", CORRECTED, True), "485,822,610 states, too many for a table; sort it"),
    ],
)
def test_an_abstraction_that_cannot_be_is_refused(given: tuple[Any, ...], slip: str) -> None:
    with pytest.raises(SparringError, match=slip):
        Abstraction(*given)


@settings(derandomize=True, max_examples=30, deadline=None)
@given(positions, st.sampled_from(ALL))
def test_the_order_of_the_tokens_does_not_matter(state: Any, abstraction: Abstraction) -> None:
    row, tokens = abstraction.row(state), int(state.tokens)
    mine = state.at[state.to_move].tolist()
    for order in permutations(range(tokens)):
        twin = state.copy()
        twin.at[state.to_move, :tokens] = [mine[place] for place in order]
        assert abstraction.row(twin) == row


@settings(derandomize=True, max_examples=100, deadline=None)
@given(positions)
def test_a_plain_reading_of_the_document_sees_the_same(state: Any) -> None:
    assert Abstraction("potential").encode(state) == plain_potential(state)


def plain_potential(s: Any) -> tuple[int, ...]:
    """The nine numbers as the document describes them, in plain Python."""
    reading = Reading(Position(ludo(int(s.players), int(s.tokens)), s, None))

    def classified(tile: int) -> int:
        if tile == 57 or (tile == 0 and reading.die != 6):
            return 0
        there = reading.landing(tile)
        if there == 57:
            return 6
        if 0 in reading.behind(there) and (there == 1 or there not in SAFE):
            return 5
        if there in SAFE:
            return 4
        return 3 if tile > 0 and tile + reading.die in STARS else 2 if reading.risk(there) else 1

    def worth(player: int) -> int:
        tiles = s.at[player, : s.tokens].tolist()
        return sum(
            tile + (43 if tile == 57 else 50 if tile > 51 else 10 if tile in SAFE - {0} else 0) for tile in tiles
        )

    worths = [worth(player) for player in range(s.players)]
    gap = worths.pop(reading.me) - max(worths)
    tokens = reading.mine[: s.tokens]
    nobody = [0] * (4 - len(tokens))
    flags = [int(reading.risk(tile) > 0) for tile in tokens]
    return (*map(classified, tokens), *nobody, 0 if gap < -20 else 2 if gap > 20 else 1, *flags, *nobody)


def test_a_token_that_may_not_move_has_no_potential() -> None:
    """With `overshoot=stay` a token that would run past the goal stays where it is."""
    potentials = {
        rule: Abstraction("potential").encode(game("ludo", players=2, overshoot=rule).parse("55,15,0,0/0,0,0,0 A6"))[0]
        for rule in ("stay", "reflect")
    }
    assert potentials["stay"] == 0 < potentials["reflect"]
