"""The rule-based agent of Ludo told as stories, and scored once more by a plain reading of the document that describes
it; and its reference opponents. Positions are of two players, A and B opposite each other, unless they say otherwise:
a tile of B is 26 tiles further round for A."""

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import agent, named_agents
from sparring.arena.referee import play as play_game
from sparring.core.dice import dice, players_dice
from sparring.core.errors import SparringError
from sparring.core.kernel import compiled_mode
from sparring.games.contract import Position
from sparring.games.ludo import agents as ludo_agents
from sparring.games.ludo import rulebased
from sparring.games.ludo.game import Ludo
from sparring.games.registry import game

pytestmark = pytest.mark.slow


@cache
def ludo(players: int = 2, **options: Any) -> Ludo:
    made = game("ludo", players=players, **options)
    assert isinstance(made, Ludo)
    return made


def decision(text: str, spec: str = "rulebased:as_written", seed: int = 0, **options: Any) -> Decision:
    made = ludo(text.count("/") + 1, **options)
    position = made.position(text)
    return agent(made, spec).explain(View(position, position.mover, dice(seed, "test")))


def judged(text: str, spec: str = "rulebased:as_written", token: int = 1, **options: Any) -> Candidate:
    return decision(text, spec, **options).candidate(token - 1)


def score(text: str, spec: str = "rulebased:as_written", token: int = 1, **options: Any) -> float:
    found = judged(text, spec, token, **options).score
    assert found is not None
    return found


def phase(text: str, spec: str = "rulebased:as_written") -> str:
    return str(decision(text, spec).notes["phase"])


def test_the_points_are_those_of_the_document() -> None:
    points = {"win": 1_000_000, "capture": 50_000, "flee": 50_000, "home_base": 10_000, "cluster": 4_000}
    points |= {"form_blockade": 3_500, "get_out": 7_000, "progress": 1_000, "star_jump": 5_500, "globe_hop": 500}
    points |= {"balanced_front": 350, "split_blockade": 250, "risk": 800, "break_blockade": 500}
    told = agent(ludo(), "rulebased:as_written").tunable
    assert {term: told[term].default for term in points} == points


# The rules, in the order of the document. Two tokens at home would be the opening, so most stories have fewer.


def test_reaching_the_goal_is_a_win_move() -> None:
    assert score("55,0,2,3/0,0,0,0 A2") == 1_000_000
    assert judged("55,0,2,3/0,0,0,0 A2").note == "WIN_MOVE"


def test_the_last_star_leads_to_the_goal() -> None:
    assert score("47,0,2,3/0,0,0,0 A4") == 1_000_000


def test_landing_on_an_enemy_is_a_capture() -> None:
    """B's 33 is A's 7."""
    assert score("3,0,15,20/33,0,0,0 A4") == 50_000


def test_an_enemy_on_the_second_star_is_captured_but_the_first_is_overlooked() -> None:
    assert judged("3,0,15,20/38,0,0,0 A2").note == "CAPTURE_MOVE"  # A's 12
    assert judged("3,0,15,20/31,0,0,0 A2").note == "strategy"  # A's 5


def test_who_leaves_home_captures_on_its_start() -> None:
    assert judged("0,15,16,20/27,0,0,0 A6").note == "CAPTURE_MOVE"


def test_nobody_is_captured_on_a_globe() -> None:
    assert judged("5,0,15,20/35,0,0,0 A4").note == "strategy"


def test_a_threatened_token_that_comes_to_safety_flees() -> None:
    """B's 30 is A's 4, three tiles behind A's 7."""
    assert score("7,0,15,20/30,0,0,0 A2") == 50_000
    assert judged("7,0,15,20/30,0,0,0 A2").note == "FLEE_MOVE"


def test_a_token_that_nobody_threatens_does_not_flee() -> None:
    assert judged("7,0,15,20/26,0,0,0 A2").note == "strategy"


def test_a_threat_is_an_enemy_one_to_six_steps_behind() -> None:
    notes = {gap: judged(f"7,0,20,20/{33 - gap},0,0,0 A2").note for gap in range(-3, 9) if gap}
    assert [gap for gap, note in notes.items() if note == "FLEE_MOVE"] == [1, 2, 3, 4, 5, 6]


def test_distance_goes_round_the_ring() -> None:
    """B's 25 is A's 51, three tiles behind A's 2 by way of the tile that A never walks."""
    assert judged("2,3,20,20/25,0,0,0 A1").terms["risk"] == -(7 - 4)


def test_the_corridor_is_progress_home() -> None:
    assert score("50,0,2,3/0,0,0,0 A3") == 10_000


def test_even_a_step_back_in_the_corridor_is_progress_home() -> None:
    assert judged("55,0,2,3/0,0,0,0 A6").note == "HOME_BASE_PROGRESS"


def test_two_tokens_of_one_enemy_nearby_are_a_cluster_to_block() -> None:
    """B's 41 and 43 are A's 15 and 17."""
    assert judged("10,0,20,27/41,43,0,0 A3").note == "BLOCKADE_CLUSTER"
    assert judged("10,0,20,27/41,50,0,0 A3").note == "strategy"


def test_two_tokens_of_two_enemies_are_no_cluster() -> None:
    """B's 2 and C's 43 are A's 15 and 17."""
    assert judged("10,0,20,30/2,0,0,0/43,0,0,0/0,0,0,0 A3").note == "strategy"


def test_joining_an_own_token_forms_a_blockade() -> None:
    assert score("3,7,0,20/0,0,0,0 A4") == 3_500


def test_there_is_no_blockade_in_goal() -> None:
    assert judged("55,57,0,20/0,0,0,0 A2").note == "WIN_MOVE x2"
    assert judged("55,57,0,20/0,0,0,0 A2", "rulebased:as_written,fix=win").note == "HOME_BASE_PROGRESS x5"


def test_tokens_together_at_home_or_in_goal_are_no_blockade() -> None:
    state = game("ludo", players=2).parse("57,57,0,0/0,0,0,0 A6")
    joins, in_blockade = (getattr(one, "py_func", one) for one in (rulebased.joins, rulebased.in_blockade))
    for tile in (0, 57):
        there = rulebased.Move(me=0, token=0, here=20, there=tile, phases=0, fixes=0)
        assert not joins(state, there)
        assert not in_blockade(state, there._replace(here=tile, there=20))
    assert score("0,0,15,20/0,0,0,0 A6") == 35_000  # nothing is broken by leaving home


def test_a_token_forms_no_blockade_with_itself() -> None:
    """From 56 a 2 leads to the goal and back to 56; from 55 a 4 to 55."""
    for text in ("56,0,2,3/0,0,0,0 A2", "55,0,2,3/0,0,0,0 A4"):
        assert judged(text, "rulebased:as_written,fix=bounce").note == "strategy"
    assert judged("56,56,0,3/0,0,0,0 A2", "rulebased:as_written,fix=bounce").note == "FORM_BLOCKADE_MOVE"


def test_a_six_gets_a_token_out_of_home() -> None:
    assert score("0,7,15,20/0,0,0,0 A6") == 7_000


def test_leaving_home_comes_after_forming_a_blockade_though_it_is_worth_more() -> None:
    assert score("0,1,15,20/0,0,0,0 A6") == 3_500


# Strategy


def bonuses(text: str, token: int = 1) -> dict[str, float]:
    found = judged(text, token=token)
    return {name: value for name, value in found.terms.items() if value}


def test_a_plain_step_is_progress() -> None:
    assert bonuses("7,6,0,20/0,0,0,0 A3") == {"progress": 1}
    assert score("7,6,0,20/0,0,0,0 A3") == 1_000


def test_a_star_jump_is_worth_more_than_some_rules() -> None:
    assert bonuses("3,2,0,20/0,0,0,0 A2") == {"progress": 1, "star_jump": 1}
    assert score("3,2,0,20/0,0,0,0 A2") == 6_500


def test_a_free_globe_is_a_hop() -> None:
    assert bonuses("7,6,0,20/0,0,0,0 A2") == {"progress": 1, "globe_hop": 1}


def test_the_least_advanced_token_on_its_way_balances_the_front() -> None:
    assert bonuses("7,57,0,20/0,0,0,0 A3") == {"progress": 1, "balanced_front": 1}
    assert bonuses("7,57,0,20/0,0,0,0 A3", token=4) == {"progress": 1}


def test_leaving_a_blockade_is_rewarded_and_punished_at_once() -> None:
    assert bonuses("20,20,0,3/0,0,0,0 A3") == {"progress": 1, "split_blockade": 1, "break_blockade": -1}
    assert score("20,20,0,3/0,0,0,0 A3") == 1_000 + 250 - 500


def test_a_rule_leaves_no_room_for_bonuses_but_for_penalties() -> None:
    assert bonuses("20,20,0,24/0,0,0,0 A4") == {"form_blockade": 1, "break_blockade": -1}


def test_a_blockade_that_bounces_back_onto_itself_is_not_broken() -> None:
    """From 56 a 2 leads to the goal and back to 56."""
    assert "break_blockade" not in bonuses("56,56,0,3/0,0,0,0 A2")


# Risk


@pytest.mark.parametrize(("gap", "points"), [(1, 4_800), (2, 4_000), (3, 3_200), (4, 2_400), (5, 1_600), (6, 800)])
def test_the_nearer_the_enemy_behind_the_greater_the_risk(gap: int, points: int) -> None:
    """By a star from 29 to 38, which is B's 12."""
    assert score(f"29,6,0,7/{12 - gap},0,0,0 A2") == 6_500 - points


def test_the_risks_of_all_enemies_add_up() -> None:
    """B, who is next to A here, stands one and three steps behind A's 47."""
    assert judged("43,6,0,7/33,31,0,0/0,0,0,0/0,0,0,0 A4").terms["risk"] == -6 - 4


def test_no_risk_on_a_safe_tile() -> None:
    assert judged("19,6,0,7/46,0,0,0 A3").terms.get("risk", 0) == 0


def test_no_risk_from_enemies_at_home_or_in_goal_or_in_their_corridor() -> None:
    assert judged("26,6,0,7/0,57,53,0 A3").terms.get("risk", 0) == 0


def test_a_captor_is_at_risk_too() -> None:
    assert score("3,0,15,20/33,32,0,0 A4") == 50_000 - 4_800


def test_threatened_and_not_fleeing_only_the_risk_counts() -> None:
    found = judged("20,6,0,7/45,0,0,0 A3")
    assert found.score == -3_200 + 800  # four steps behind A's 23
    assert found.note == "strategy, but threatened and not fleeing: only its risk counts"


def test_a_threatened_token_may_capture_for_nothing_and_even_reach_the_goal_for_nothing() -> None:
    assert score("20,6,0,7/45,50,0,0 A4") == -800 * 2
    assert score("51,6,0,7/24,0,0,0 A6") == 0
    assert judged("46,6,0,7/19,0,0,0 A5").note == "WIN_MOVE, but threatened and not fleeing: only its risk counts"


# Phases and their boundaries


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("0,0,7,8/0,0,0,0 A3", "opening"),
        ("0,6,7,8/0,0,0,0 A3", "midgame"),
        ("1,6,7,57/0,0,0,0 A3", "midgame"),
        ("1,6,52,57/0,0,0,0 A3", "closing"),
        ("1,6,52,56/0,0,0,0 A3", "closing"),
        ("1,6,51,57/0,0,0,0 A3", "midgame"),
        ("57,57,57,50/0,0,0,0 A3", "closing"),
        ("1,6,7,8/57,57,0,0 A3", "critical"),
        ("1,6,7,8/57,56,0,0 A3", "midgame"),
        ("0,0,57,55/0,0,0,0 A1", "opening"),
        ("0,0,7,8/57,57,0,0 A3", "opening"),
        ("1,2,57,57/57,57,0,0 A3", "closing"),
        ("1,6,7,8/57,0,0,0/57,0,0,0/57,0,0,0 A3", "midgame"),
    ],
)
def test_the_phase(text: str, named: str) -> None:
    assert phase(text) == named


def test_all_tokens_in_goal_is_closing() -> None:
    state = ludo(4, play_to_end="yes").empty()
    state.at[0] = 57
    assert rulebased.phases_of(state, 0, 7) == rulebased.CLOSING


def test_the_opening_counts_leaving_home_five_times() -> None:
    assert score("0,0,15,20/0,0,0,0 A6") == 35_000
    assert judged("0,0,15,20/0,0,0,0 A6").note == "GET_OUT_OF_HOME x5"


def test_closing_counts_coming_home_five_times_and_winning_twice() -> None:
    assert score("50,57,53,0/0,0,0,0 A3") == 50_000
    assert score("54,57,53,0/0,0,0,0 A3") == 2_000_000


def test_critical_counts_captures_half_as_much_again_and_clusters_twice() -> None:
    assert score("3,0,15,20/33,57,57,0 A4") == 75_000
    assert judged("10,0,20,27/41,43,57,57 A3").terms["cluster"] == 2


# Edge cases of the document


def test_who_cannot_move_answers_0() -> None:
    made = ludo()
    position = Position(made, made.empty(), dice(0))
    for name in ludo_agents.BENCH[1:]:
        assert agent(made, name).decide(View(position, 0, dice(0))).action == 0


def test_equal_moves_are_chosen_at_random() -> None:
    chosen = [decision("0,0,0,0/0,0,0,0 A6", seed=seed).action for seed in range(400)]
    assert all(60 < chosen.count(token) < 140 for token in range(4))


def test_the_same_dice_choose_the_same() -> None:
    assert len({decision("0,0,0,0/0,0,0,0 A6", seed=3).action for _ in range(5)}) == 1


def test_the_best_move_is_chosen_whatever_its_place() -> None:
    for seed in range(20):
        assert decision("3,0,15,20/33,0,0,0 A4", seed=seed).action == 0
        assert decision("20,15,0,3/33,0,0,0 A4", seed=seed).action == 3


def test_an_agent_of_rules_learns_nothing() -> None:
    made = agent(ludo(), "rulebased:as_written")
    assert (made.is_on_policy, made.needs_replay_learning) == (False, False)  # type: ignore[attr-defined]


def test_fewer_tokens_do_not_count_as_tokens_at_home() -> None:
    assert decision("7,8/0,0 A3", tokens=2).notes["phase"] == "midgame"
    assert decision("0,0/0,0 A6", tokens=2).notes["phase"] == "opening"


# The flaws: each fix changes what it says

WRITTEN = "rulebased:as_written"


@pytest.mark.parametrize(
    ("fix", "text", "before", "after"),
    [
        ("order", "0,1,15,20/0,0,0,0 A6", 3_500, 7_000),
        ("order", "0,1,0,20/0,0,0,0 A6", 3_500, 35_000),
        ("strategy", "3,2,0,20/0,0,0,0 A2", 6_500, 6_500 * 0.375),
        ("win", "55,0,2,3/0,0,0,0 A2", 1_000_000, 10_000),
        ("win", "55,57,57,57/0,0,0,0 A2", 2_000_000, 2_000_000),
        ("capture", "3,0,15,20/33,0,0,0 A4", 50_000, 50_000 * (1 + 33 / 57)),
        ("flee", "7,0,15,20/30,0,0,0 A2", 50_000, 50_000 * 7 / 57),
        ("progress", "7,6,0,20/0,0,0,0 A3", 1_000, 500),
        ("split", "20,20,0,3/0,0,0,0 A3", 750, 500),
        ("split", "20,20,0,3/0,0,0,0 A2", 1_250, 1_750),
        ("bounce", "55,0,2,3/0,0,0,0 A6", 10_000, 1_000),
        ("cluster", "11,0,3,27/42,44,0,0 A3", 4_000, 1_000),
        ("real_move", "5,6,0,7/35,0,0,0 A4", 1_850, -5_000),
        ("real_move", "3,0,15,20/33,33,0,0 A4", 50_000, -3_000),
        ("real_move", "3,0,15,20/31,0,0,0 A2", 1_000 + 5_500 + 350, 50_000),
        ("risk", "17,6,0,7/46,0,0,0 A6", 1_000 - 800 * 4, 1_000 - 800 * 23 / 6),
        ("phases", "54,57,0,0/0,0,0,0 A3", 1_000_000, 2_000_000),
        ("critical_first", "3,0,0,20/33,57,57,0 A4", 50_000, 75_000),
        ("relief", "20,6,0,7/45,0,0,0 A3", -2_400, 1_000 - 2_400 + 4_800),
        ("no_override", "20,6,0,7/45,0,0,0 A3", -2_400, 1_000 - 2_400),
        ("rules_first", "20,6,0,7/45,50,0,0 A4", -1_600, 50_000 - 1_600),
        ("rules_first", "20,6,0,7/45,0,0,0 A3", -2_400, -2_400),
    ],
)
def test_a_fix(fix: str, text: str, before: float, after: float) -> None:
    assert score(text) == pytest.approx(before)
    assert score(text, f"{WRITTEN},fix={fix}") == pytest.approx(after)
    if fix in rulebased.CORRECTED:
        kept = agent(ludo(), f"rulebased:corrected,keep={fix}")
        assert kept.fixes == rulebased.CORRECTED - {fix}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("bug", "text", "before", "after"),
    [
        ("frames", "3,0,15,20/33,0,0,0 A4", 1_350, 50_000),  # an enemy on the same tile
        ("frames", "3,0,15,20/12,0,0,0 A2", 50_000, 6_850),  # and on a tile of the same number
        ("frames", "3,0,15,20/7,0,0,0 A4", 0, 1_350),  # which threatens, for before and behind are the same
        ("exit", "0,7,15,20/32,0,0,0 A6", 50_000, 7_000),  # B's 32 is A's 6
        ("overshoot", "55,0,2,3/0,0,0,0 A6", 1_000_000, 10_000),
    ],
)
def test_a_bug_of_the_code(bug: str, text: str, before: float, after: float) -> None:
    others = "+".join(sorted(rulebased.AS_WRITTEN - {bug}))
    assert score(text, f"rulebased:as_coded,fix={others}") == pytest.approx(before)
    assert score(text) == pytest.approx(after)


def test_as_coded_leaves_home_to_tile_6() -> None:
    """Where it sees an own token that is not there."""
    assert judged("0,6,15,20/0,0,0,0 A6", "rulebased:as_coded").note == "FORM_BLOCKADE_MOVE"
    assert judged("0,6,15,20/0,0,0,0 A6").note == "GET_OUT_OF_HOME"


def test_a_blockade_in_front_of_two_enemies_is_a_cluster_after_all() -> None:
    assert judged("11,14,3,27/38,39,0,0 A3", f"{WRITTEN},fix=cluster").note == "BLOCKADE_CLUSTER"


def test_fixes_of_one_move_leave_the_others_alone() -> None:
    text = "0,4,56,20/31,0,45,57 A6"
    plain = decision(text)
    for fix, changed in {"win": set(), "bounce": {2}, "order": set(), "risk": {1}}.items():
        fixed = decision(text, f"{WRITTEN},fix={fix}")
        assert {t for t in range(4) if plain.candidate(t).score != fixed.candidate(t).score} == changed, fix


# How agents are named


@pytest.mark.parametrize(
    ("spec", "slip"),
    [
        ("rulebased:as_wirtten", "as_written"),
        ("rulebased:as_written,fix=riks", "risk"),
        ("rulebased:as_written,fix=risk,keep=risk", "both fixes and keeps risk"),
        ("rulebased:as_written,nodes=5", "unknown option"),
        ("rulebased:as_written(flea=5)", "no term 'flea'"),
        ("semi_smart,nodes=5", "takes no options"),
        ("one_ply:cautios", "cautious"),
        ("one_ply(dangre=1)", "no term 'dangre'"),
        ("rulebased:as_written,fix", "needs the names of flaws"),
    ],
)
def test_a_slip_in_the_name_is_told(spec: str, slip: str) -> None:
    with pytest.raises(SparringError, match=slip):
        agent(ludo(), spec)


def test_fixes_can_be_added_and_taken_away() -> None:
    def fixes(spec: str) -> Any:
        return agent(ludo(), spec).fixes  # type: ignore[attr-defined]

    assert fixes("rulebased:as_written,fix=risk+order") == rulebased.AS_WRITTEN | {"risk", "order"}
    assert fixes("rulebased:as_coded,fix=frames+exit+overshoot") == fixes("rulebased") == rulebased.AS_WRITTEN
    assert fixes("rulebased:corrected,keep=phases") == rulebased.CORRECTED - {"phases"}


def test_points_can_be_changed() -> None:
    assert score("3,0,15,20/33,0,0,0 A4", "rulebased:as_written(capture=7)") == 7


def test_every_agent_says_what_it_does() -> None:
    assert all(named_agents(ludo()).values())


def test_the_decision_shows_rule_phase_and_points() -> None:
    told = str(decision("0,0,15,3/33,0,0,0 A6"))
    assert "phase: opening" in told
    assert "GET_OUT_OF_HOME x5" in told
    assert "+35,000" in told
    assert "wins" not in str(decision("55,0,2,3/0,0,0,0 A2"))


def test_a_score_is_the_sum_of_its_terms() -> None:
    for position in crowded(40):
        for spec in ("rulebased:as_written", "rulebased:corrected", "rulebased:as_coded", "semi_smart", "one_ply"):
            found = agent(position.game, spec).explain(View(position, position.mover, dice(0)))
            for candidate in found.candidates:
                total = sum(found.weights[term] * value for term, value in candidate.terms.items())
                assert candidate.score == pytest.approx(total)


# The same scores by a plain reading of the document


def placed(seed: int) -> Position | None:
    """Tokens thrown onto the board of two to four players, many of them close to each other."""
    draw = np.random.default_rng(seed)
    players = int(draw.integers(2, 5))
    made, taken = ludo(players), {}
    state = made.empty()
    near = int(draw.integers(1, 52))
    for player in range(players):
        for token in range(4):
            kind = draw.random()
            tile = int(draw.integers(0, 58)) if kind < 0.4 else 0 if kind < 0.5 else 57 if kind < 0.6 else -1
            if tile < 0:
                tile = (near - int(state.start[player]) + int(draw.integers(0, 14))) % 52
            ring = (int(state.start[player]) + tile - 1) % 52
            if 1 <= tile <= 51 and taken.setdefault(ring, player) != player:
                tile = 0
            state.at[player, token] = tile
        if (state.at[player] == 57).all():
            state.at[player, 0] = 52
    state.to_move = int(draw.integers(0, players))
    state.die = int(draw.integers(1, 7))
    return Position(made, state, dice(seed)) if made.legal(state, int(state.to_move)) else None


def crowded(many: int) -> Iterator[Position]:
    for seed in range(many):
        position = placed(seed)
        if position:
            yield position


SAFE = {0, 1, 9, 22, 35, 48, 52, 53, 54, 55, 56, 57}
STARS = [5, 12, 18, 25, 31, 38, 44, 51]


class Reading:
    """The document read once more, with lists and sets, for one position."""

    def __init__(self, position: Position) -> None:
        s = position.state
        self.me, self.die = int(s.to_move), int(s.die)
        self.mine = [int(tile) for tile in s.at[self.me]]
        seats = [int(start) // 13 for start in s.start]
        self.enemies = []
        for other in range(int(s.players)):
            if other != self.me:
                shift = 13 * (seats[other] - seats[self.me])
                own = [int(tile) for tile in s.at[other]]
                on_ring = [(tile - 1 + shift) % 52 + 1 for tile in own if 1 <= tile <= 51]
                self.enemies.append((on_ring, own.count(57)))

    def phase(self) -> str:
        if self.mine.count(0) >= 2:
            return "opening"
        if sum(tile >= 52 for tile in self.mine) >= 2:
            return "closing"
        return "critical" if any(finished >= 2 for _, finished in self.enemies) else "midgame"

    def behind(self, tile: int) -> list[int]:
        return [(tile - enemy) % 52 for on_ring, _ in self.enemies for enemy in on_ring]

    def risk(self, tile: int) -> float:
        return 0.0 if tile in SAFE else sum((7 - d) * 800.0 for d in self.behind(tile) if 1 <= d <= 6)

    def landing(self, here: int) -> int:
        if here == 0:
            return 1
        tile = here + self.die
        if tile in STARS:
            return (*STARS, 57)[STARS.index(tile) + 1]
        return tile if tile <= 57 else 57 - (tile - 57)

    def cluster(self, tile: int) -> bool:
        def near(enemy: int) -> bool:
            return min((tile - enemy) % 52, (enemy - tile) % 52) <= 6

        return tile not in SAFE and any(sum(map(near, on_ring)) >= 2 for on_ring, _ in self.enemies)

    def score(self, token: int) -> float:
        here = self.mine[token]
        there = self.landing(here)
        others = self.mine[:token] + self.mine[token + 1 :]
        phase, risk, threatened = self.phase(), self.risk(there), self.risk(here) > 0
        stacked = here not in (0, 57) and here in others
        if there == 57:
            rule, points = "WIN", 1_000_000 * (2 if phase == "closing" else 1)
        elif (there == 1 or there not in SAFE) and 0 in self.behind(there):
            rule, points = "CAPTURE", 50_000 * (1.5 if phase == "critical" else 1)
        elif threatened and there in SAFE:
            rule, points = "FLEE", 50_000
        elif 52 <= there <= 57:
            rule, points = "HOME", 10_000 * (5 if phase == "closing" else 1)
        elif self.cluster(there):
            rule, points = "CLUSTER", 4_000 * (2 if phase == "critical" else 1)
        elif there in others:
            rule, points = "FORM", 3_500
        elif here == 0:
            rule, points = "GET_OUT", 7_000 * (5 if phase == "opening" else 1)
        else:
            rule, points = "", 1_000
            points += 5_500 * (here + self.die in STARS)
            points += 500 * (there in (9, 22, 35, 48))
            points += 350 * (here == min(tile for tile in self.mine if tile not in (0, 57)))
            points += 250 * stacked
        if threatened and rule != "FLEE":
            return -risk
        return points - risk - 500 * (stacked and there != here)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 10**9))
def test_the_kernels_score_as_a_plain_reading_of_the_document_does(seed: int) -> None:
    position = placed(seed)
    if position:
        found = agent(position.game, WRITTEN).decide(View(position, position.mover, dice(seed)))
        reading = Reading(position)
        assert {c.action: c.score for c in found.candidates} == {
            token: pytest.approx(reading.score(token)) for token in position.legal
        }


# Reference opponents


def best(text: str, spec: str, **options: Any) -> str:
    return decision(text, spec, **options).name


def test_semi_smart_captures_before_it_leaves_home() -> None:
    assert best("27,0,0,20/7,0,0,0 A6", "semi_smart") == "t1_27x33"


def test_semi_smart_leaves_home_before_it_runs() -> None:
    assert best("27,0,57,57/0,0,0,0 A6", "semi_smart") == "t2_0to1"


def test_semi_smart_takes_the_longest_step_by_star() -> None:
    assert best("27,29,22,57/0,0,0,0 A2", "semi_smart") == "t2_29to38"


def test_semi_smart_is_not_sent_home_if_it_can_help_it() -> None:
    assert best("5,13,13,57/35,0,0,0 A4", "semi_smart") in ("t2_13to17", "t3_13to17")


def test_one_ply_leaves_danger() -> None:
    assert best("20,40,57,57/45,0,0,0 A2", "one_ply") == "t1_20to22"


def test_one_ply_can_be_made_fearless() -> None:
    assert "danger" not in decision("20,40,57,57/45,0,0,0 A2", "one_ply(danger=0)").weights


def test_furthest_and_rearmost() -> None:
    assert best("20,40,57,3/0,0,0,0 A1", "furthest") == "t2_40to41"
    assert best("20,40,57,2/0,0,0,0 A1", "rearmost") == "t4_2to3"
    assert best("20,40,0,2/0,0,0,0 A6", "rearmost") == "t3_0to1"


@pytest.mark.parametrize("options", [{}, {"players": 2}, {"players": 3, "tokens": 2}, {"rules": "ludopy"}])
def test_they_play_whole_games(options: dict[str, Any]) -> None:
    made = game("ludo", **options)
    table = ["rulebased:as_written", "rulebased:corrected", "semi_smart", "one_ply"][: made.seats]
    played = play_game(made, [agent(made, spec) for spec in table], 5)
    assert sum(played.scores) == 1


# The plain twin


def transcript() -> dict[str, Any]:
    """What agents decide in some crowded positions; who plays whole games for each move, in a few of them. Learned
    values are sums of many small numbers: of equal moves, noise in the last digit may prefer another one; their twins
    are compared elsewhere, by value."""
    told = {}
    for number, position in enumerate(crowded(60)):
        agents = [spec for spec in ludo_agents.BENCH[1:] if "td_" not in spec]
        for spec in (spec for spec in agents if number < 5 or not spec.startswith("rollouts")):
            found = agent(position.game, spec).explain(View(position, position.mover, players_dice(1, 0)))
            told[f"{position.text} {spec}"] = {key: value for key, value in found.to_json().items() if key != "seconds"}
    return {"compiled": compiled_mode(), "told": told}


def test_the_plain_twin_decides_and_explains_the_same() -> None:
    answers = []
    for disable in ("0", "1"):
        ran = subprocess.run(
            [sys.executable, __file__],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert ran.returncode == 0, ran.stderr
        answers.append(json.loads(ran.stdout))
    compiled, plain = answers
    assert (compiled["compiled"], plain["compiled"]) == (True, False)
    assert len(plain["told"]) > 200
    assert plain["told"] == compiled["told"]


# What they are worth


def loaded(name: str) -> Any:
    """A benchmark as a module."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent.parent / "benchmarks" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


share = loaded("ludo_ladder").share


def won(players: int, hero: str, foil: str = "random", games: int = 6_000) -> float:
    return float(share(players, hero, foil, games).wins)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "four", "two"),
    [
        ("random", 24.1, 51.6),
        ("furthest", 23.9, 35.9),
        ("rearmost", 16.6, 49.8),
        ("rulebased:as_coded,fix=exit+overshoot", 28.1, 57.9),
        ("rulebased:as_written(split_blockade=0)", 35.8, 72.0),
        ("rulebased:as_written(split_blockade=0),fix=rules_first", 39.2, 72.0),
        ("rulebased:as_written(split_blockade=0),fix=no_override", 41.7, 72.6),
        ("rulebased:as_written(split_blockade=0),fix=no_override+order", 40.4, 73.2),
        ("semi_smart", 53.6, 83.4),
        ("one_ply", 75.6, 90.7),
    ],
)
def test_the_strength_is_that_of_an_earlier_prototype(spec: str, four: float, two: float) -> None:
    """Which played 3,000 games of each kind: 95 % lie within 1.8 of the truth, and within 1.3 with ours."""
    assert won(4, spec) == pytest.approx(four, abs=3)
    assert won(2, spec) == pytest.approx(two, abs=3)


@pytest.mark.slow
def test_the_fixes_pay() -> None:
    assert won(4, "rulebased:corrected") > won(4, "rulebased:as_written") + 25
    assert won(2, "rulebased:corrected", "rulebased:as_written", 4_000) > 70
    assert won(2, "one_ply", "rulebased:corrected", 4_000) > 50


if __name__ == "__main__":
    print(json.dumps(transcript()))
