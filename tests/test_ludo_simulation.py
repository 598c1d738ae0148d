"""Moves as agents of Ludo expect them are those of the rules: under every option, on crowded boards."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.agents.agent import View
from sparring.agents.spec import agent
from sparring.core.dice import dice
from sparring.core.kernel import Weights, record
from sparring.games.ludo import rulebased
from sparring.games.ludo.danger import hit_chance
from sparring.games.ludo.features import move_seen
from sparring.games.ludo.rules import landing
from test_ludo_rulebased import ludo, thrown

pytestmark = pytest.mark.slow

OPTIONS: list[dict[str, str]] = [
    {},
    {"overshoot": "stay"},
    {"overshoot": "ludopy"},
    {"overshoot": "ludopy", "star_capture": "last"},
    {"exit_onto_blockade": "fail"},
    {"star_capture": "last"},
    {"blockade": "none"},
    {"blockade": "none", "exit_onto_blockade": "fail"},
    {"rules": "ludopy"},
]


boards = given(st.integers(0, 10**9), st.sampled_from(OPTIONS))


@settings(max_examples=300, deadline=None)
@boards
def test_a_token_lands_where_the_rules_bring_it_or_is_sent_home(seed: int, options: dict[str, str]) -> None:
    made, state = thrown(seed, **options)
    me = int(state.to_move)
    alone = made.copy(state)
    alone.at[[player for player in range(4) if player != me]] = 0
    written = record(Weights)
    written.of[rulebased.FIXES_AT] = sum(rulebased.BIT[fix] for fix in rulebased.AS_WRITTEN)
    for token in made.legal(state, me):
        there = int(landing(state, int(state.at[me, token])))
        assert made.after_move(alone, token).at[me, token] == there, "with nobody in the way"
        assert made.after_move(state, token).at[me, token] in (there, 0)
        assert rulebased.move_of(state, token, written).there == there
        assert move_seen(state, token, 0).there == there


@settings(max_examples=300, deadline=None)
@boards
def test_the_chance_to_be_hit_is_that_of_playing_out_all_rolls(seed: int, options: dict[str, str]) -> None:
    made, state = thrown(seed, **options)
    for token in range(4):
        spared = 1.0
        for other in range(1, made.seats):
            hits = 0
            for die in range(1, 7):
                state.to_move, state.die = other, die
                after = [made.after_move(state, move) for move in made.legal(state, other)]
                hits += any(one.at[0, token] != state.at[0, token] for one in after)
            spared *= 1 - hits / 6
        assert hit_chance(state, 0, int(state.at[0, token])) == pytest.approx(1 - spared)


def test_nobody_walks_out_of_the_corridor_for_points() -> None:
    """By the rules of ludopy a 6 leads from 52 back to 51 of the ring."""
    made = ludo(2, rules="ludopy")
    position = made.position("52,20,57,0/0,0,0,0 A6")
    decision = agent(made, "rulebased:corrected").explain(View(position, 0, dice(0)))
    assert decision.name == "t4_0to1"
    assert decision.candidate(0).note == "strategy" and decision.candidate(0).score < 0  # type: ignore[operator]
