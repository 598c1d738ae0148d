"""Flag War's strategies: the seed's four steps to the letter, what came after them, and how they are measured."""

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

import sparring
from commands import at_home, did, spar
from flagwar_situations import made
from pages import Page
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.analysis.suite import Case, cases
from sparring.core.dice import dice, players_dice
from sparring.core.errors import SparringError
from sparring.games.flagwar import conduct
from sparring.games.flagwar.agents.exploiter import Exploiter
from sparring.games.flagwar.agents.mixed import ladder
from sparring.games.flagwar.board import action_name
from sparring.games.flagwar.game import FlagWar
from sparring.search.matrix import RegretMatching, drawn, proper, solve

SMALL = made(board="7x11", pieces="1")


@cache
def player(spec: str, game: FlagWar | None = None) -> Agent:
    return sparring.agent(game or made(), spec)


def decided(spec: str, position: str, me: int = 0, seed: int = 1, game: FlagWar | None = None) -> Decision:
    played = game or made()
    own = players_dice(seed, me)
    return player(spec, game).decide(View(played.position(position), me, own))


PREDICTING = [
    *("seed", "seed:corrected,captures", "repo64", "joint", "maximin_sampled,own=20,others=20", "level_k", "matrix"),
    *("regret", "double_oracle,plies=1", "mcts,iterations=100", "mcts,iterations=100,select=regret"),
]

# The seed's design


@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize("spec", ["seed", "seed,captures", "repo64"])
def test_from_the_start_the_seeds_design_never_moves(spec: str, me: int) -> None:
    assert decided(spec, "r0", me).name == "stay"


def test_the_seed_counts_what_it_evaluates() -> None:
    """Three pieces of 18 cells each and the baseline, for either side."""
    assert decided("seed", "r0").notes["evaluations"] == 2 * (3 * 18 + 1)


def test_jailed_pieces_are_neither_tried_nor_commanded() -> None:
    found = decided("seed", "A2:X A3:X B1:X B2:X")
    assert found.notes["evaluations"] == 2 * (18 + 1)
    assert not {word[0] for word in found.name.split("_")} & {"2", "3"}


def test_the_seed_sends_two_after_one_piece_and_three_if_captures_count() -> None:
    literal = decided("seed", "A1:3,8", 1)
    assert (literal.name, literal.notes["predicted"]) == ("1u8_2l2_3l3", "1d8")
    assert decided("seed,captures", "A1:3,8", 1).name == "1l1_2l2_3l3"


def test_pieces_that_choose_one_by_one_do_not_chase_the_same_one() -> None:
    assert decided("seed,captures,fix=one_by_one", "A1:3,8", 1).name == "1l1"


def test_of_equal_commands_the_first_is_taken_the_shortest_way_up() -> None:
    attacked = "A1:X A2:X A3:0,5 B1:0,2 B2:10,2 B3:X"
    assert decided("seed", attacked).name == "3u1"
    assert len({decided("seed,fix=ties", attacked, seed=seed).name for seed in range(8)}) > 2


def test_a_side_under_attack_freezes_if_it_compares_with_now() -> None:
    """The enemy gets to the last row whatever it does: nothing is better than now."""
    attacked = "A1:0,8 A2:1,8 A3:2,8 B1:10,7"
    assert decided("seed", attacked, 0).notes["delta"] < 0
    assert decided("seed,keep=baseline", attacked, 0).name == "stay"


@pytest.mark.parametrize("me", [0, 1])
@pytest.mark.parametrize("position", ["A1:3,8", "A1:5,3 B1:5,5 B2:0,0 B3:1,0", "A1:0,8 A2:X B1:5,10+flag B2:1,9+key"])
@pytest.mark.parametrize("spec", PREDICTING)
def test_what_is_predicted_comes_if_the_enemy_does_what_was_predicted(spec: str, position: str, me: int) -> None:
    """In the real game, by the agent's own evaluator."""
    found, here, judge = decided(spec, position, me), made().position(position), player(spec).judge  # type: ignore[attr-defined]
    came = here.after({me: found.action, 1 - me: found.notes["predicted"]}).state
    assert judge.score(came, me, judge.weights) == found.notes["predicted_score"]
    assert found.notes["delta"] == found.notes["predicted_score"] - found.notes["score"]


SWITCHES = {
    "evaluator": ("A1:6,5 A3:10,6 B1:3,9 B2:4,7", 1, "1u1_2r1_3l1", "1r1_2r1_3l1"),
    "reply": ("A1:3,8", 0, "1r1_2l1_3l2", "1d8"),
}
"""A position, who moves, what the seed's design does as it was written, and what with one fix."""


@pytest.mark.parametrize("fix", SWITCHES)
def test_a_fix_of_the_seeds_design_changes_what_it_does(fix: str) -> None:
    position, me, written, fixed = SWITCHES[fix]
    assert decided("seed", position, me).name == written
    assert decided(f"seed,fix={fix}", position, me).name == fixed


def test_who_believes_in_the_first_of_the_enemys_commands_alone_is_taken_by_surprise() -> None:
    """All three of B come. To know of B1 alone is not to see whom A2 could catch."""
    position = "A1:5,3 B1:5,5 B2:0,0 B3:1,0"
    all_of_them, first = (decided(spec, position) for spec in ("seed", "seed,keep=all_replies"))
    assert all_of_them.notes["predicted"] == first.notes["predicted"] == "1d2_2u10_3u10"
    assert (all_of_them.name, first.name) == ("1d3_2l4_3d8", "1d3_3d8")
    assert first.notes["predicted_score"] < all_of_them.notes["predicted_score"]


def test_repo64_never_ends_two_pieces_on_one_cell() -> None:
    assert decided("repo64", "A1:3,8", 1).name == "1u8_3l3"


def test_two_jailed_pieces_froze_the_coded_repo64() -> None:
    jailed = "A1:0,6 A2:1,6 A3:2,6 B1:X B2:X B3:9,10"
    assert decided("repo64:as_coded", jailed, 1).name == "stay"
    assert decided("repo64", jailed, 1).name == "3l4"


def test_joint_counts_one_capture_once() -> None:
    """B1 and B3 each keep A2 from the flag, B1 at the cost of itself: one is enough, though both count if added up."""
    position = "A1:4,5 B1:4,7 B2:0,0"
    added, played_out = decided("repo64", position, 1), decided("joint", position, 1)
    assert added.notes["predicted"] == played_out.notes["predicted"] == "1d5_2d8"
    assert (added.name, played_out.name) == ("1r1_2u10_3l1", "1u3_2u10_3l1")
    assert (added.notes["predicted_score"], played_out.notes["predicted_score"]) == (-2200, 1700)


def test_the_coded_repo64_reckons_a_rescuers_end_from_the_key_where_it_stands() -> None:
    """B1 goes home first: then to the left of it is where B3 goes too."""
    assert decided("repo64:as_coded", "A1:3,8 B1:1,9+key", 1).name == "1l1_3l3"
    assert decided("repo64:as_coded,fix=ends", "A1:3,8 B1:1,9+key", 1).name == "1u8_3l3"


def test_the_coded_repo64_tells_no_figures() -> None:
    names = ("final_score", "worst_case", "similar_moves")
    coded, written = decided("repo64:as_coded", "A1:3,8", 1).notes, decided("repo64", "A1:3,8", 1).notes
    assert [coded[name] for name in names] == [None, 0, 0]
    assert [written[name] for name in names] == [written["predicted_score"], -2700, 1]


def test_what_the_last_round_caught_is_not_counted_again() -> None:
    caught = made().position("A1:5,5 B1:5,7").after({0: "1u2", 1: "stay"}).text
    assert "lost:0,1" in caught
    for spec in ("seed,captures", "repo64"):
        notes = decided(spec, caught).notes
        assert notes["score"] == 200
        assert notes["delta"] == notes["predicted_score"] - 200


def test_maximin_tries_45_000_rounds_and_no_piece_stays() -> None:
    found = decided("maximin_sampled", "r0")
    assert found.notes["evaluations"] == 300 * 150
    assert len(found.name.split("_")) == 3
    assert {int(word[2:]) for word in found.name.split("_")} <= set(range(1, 6))


def test_maximin_takes_what_is_best_at_its_worst() -> None:
    found = decided("maximin_sampled", "A1:5,3 B1:5,5 B2:0,0 B3:1,0")
    worst = [one.score for one in found.candidates]
    assert found.score == found.notes["worst"] == found.notes["predicted_score"] == max(worst) > min(worst)


@pytest.mark.parametrize("temper", ["balanced", "aggressive"])
def test_utility_goes_for_a_flag_that_is_in_reach_but_as_written_takes_up_for_down(temper: str) -> None:
    flag_below = "A1:5,3 B1:0,2 B2:0,3 B3:0,4"
    assert "1u3" in decided(f"utility:{temper}", flag_below).name.split("_")
    assert "1d3" in decided(f"utility:{temper}:corrected", flag_below).name.split("_")
    assert "1d3" in decided(f"utility:{temper},fix=up", flag_below).name.split("_")


def test_utility_as_written_never_stays_and_walks_at_its_own_zone() -> None:
    """A2 wishes to be near its flag, and believes that a step into the zone brings it there."""
    near_home = "A1:5,5+flag B1:0,2 B2:1,2 B3:2,2"
    assert decided("utility,fix=up", near_home).name == "1u5_2u2_3l1"
    assert decided("utility:corrected", near_home).name == "1u5_3l1"


def test_utility_goes_for_the_key_of_a_jailed_mate_because_it_wishes_to() -> None:
    """It is worth more than a cell in the flag's column, while somebody is jailed."""
    assert decided("utility:aggressive:corrected", "A1:X A2:9,4 A3:0,8 B1:0,4 B2:X B3:X").name == "2d3_3r5"
    assert "2l4" in decided("utility:aggressive:corrected", "A1:0,9 A2:9,4 A3:0,8 B1:0,4 B2:X B3:X").name.split("_")


def test_a_thief_is_blocked_in_its_column_on_its_way_home() -> None:
    found = decided("utility:defensive,fix=up", "A1:0,5 A2:X A3:X B1:4,9+flag B2:X B3:X")
    assert found.candidates[0].terms["block_path"] == pytest.approx(0.7 + 0.3 * 0.6)
    assert found.name == "1r4"


# Matrix games


def test_rock_paper_scissors_is_a_third_each() -> None:
    game = solve(np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]]))
    assert game.value == pytest.approx(0)
    assert game.rows == pytest.approx([1 / 3] * 3)
    assert game.columns == pytest.approx([1 / 3] * 3)
    assert game.exploitability == pytest.approx(0)


@pytest.mark.parametrize("solved", [solve, RegretMatching(2000)], ids=["exact", "regret"])
def test_both_ways_to_solve_find_what_is_known(solved: Any) -> None:
    """Unequal stakes: the row that may win 3 is played a quarter of the time. And a dominated row never is."""
    game = solved(np.array([[3.0, -1], [-1, 1], [-2, -2]]))
    assert game.value == pytest.approx(1 / 3, abs=1e-3)
    assert game.rows == pytest.approx([1 / 3, 2 / 3, 0], abs=1e-2)
    assert game.exploitability < 1e-2


def test_a_mix_is_drawn_by_its_chances() -> None:
    own, counts = dice("mix"), np.zeros(3)
    for _ in range(3000):
        counts[drawn(np.array([0.2, 0.0, 0.8]), own)] += 1
    assert counts[1] == 0
    assert counts[0] / 3000 == pytest.approx(0.2, abs=0.03)


def test_a_mix_of_nothing_but_crumbs_is_played_as_it_is() -> None:
    """Rock, paper, scissors with 25 signs, each of which beats the twelve after it."""
    ahead = (np.arange(25)[None, :] - np.arange(25)[:, None]) % 25
    cycle = solve(np.where(ahead == 0, 0.0, np.where(ahead <= 12, 1.0, -1.0)))
    assert proper(cycle.rows, 0.05) == pytest.approx([1 / 25] * 25)
    assert proper(np.array([0.04, 0.96]), 0.05).tolist() == [0, 1]


# Players who mix


MIXED = ["level_k", "matrix", "regret", "double_oracle"]


@pytest.mark.parametrize("spec", MIXED)
def test_mixed_players_draw_from_their_seed(spec: str) -> None:
    position = "r3 A1:3,0 A2:4,8 B1:4,6 B2:5,2"
    found = [decided(spec, position, seed=seed) for seed in range(12)]
    assert [one.name for one in found] == [decided(spec, position, seed=seed).name for seed in range(12)]
    assert len({str(one.notes["mix"]) for one in found}) == 1
    assert {one.name for one in found} <= set(found[0].notes["mix"])
    assert sum(found[0].notes["mix"].values()) == pytest.approx(1, abs=1e-2)


def test_a_mix_tells_what_it_is_worth_and_what_can_be_gained_by_knowing_it() -> None:
    position = "r3 A1:5,0+flag B1:5,2 B2:5,2 B3:5,2"
    exact, any_of_three = (decided(spec, position).notes for spec in ("matrix", "level_k"))
    mix, _ = player("matrix").mix(made().parse(position), 0)  # type: ignore[attr-defined]
    assert exact["value"] == pytest.approx(mix.game.value)
    assert exact["exploitability"] == pytest.approx(0, abs=1e-6)
    assert any_of_three["exploitability"] > 100


def test_level_k_draws_from_its_last_answers() -> None:
    """The first are to stay, and the answers to who stays."""
    position = "B1:5,10+flag A1:0,8"
    answers = ladder(player("level_k").simulation(made().parse(position)), 0, 6)[0]  # type: ignore[attr-defined]
    names = [action_name(action) for action in answers]
    assert len(set(names)) == 7
    assert set(decided("level_k", position).notes["mix"]) == set(names[-3:])
    assert set(decided("level_k,last=1", position).notes["mix"]) == {names[-1]}


def test_the_double_oracle_does_not_play_what_it_would_play_less_than_one_time_in_twenty() -> None:
    """All of them would be five, three of them hardly ever."""
    mix = decided("double_oracle,trust=0,plies=1", "A1:3,8").notes["mix"]
    assert len(mix) == 2
    assert sum(mix.values()) == pytest.approx(1)


def test_the_mix_of_a_matrix_is_spread_over_several_commands() -> None:
    names = {decided("matrix", "r3 A1:5,0+flag B1:5,2 B2:5,2 B3:5,2", seed=seed).name for seed in range(12)}
    assert len(names) > 1


@pytest.mark.parametrize("position", ["r3", "r3 A1:3,5 B1:2,4", "r3 A1:3,0+flag B1:1,3", "r3 A1:0,0 B1:3,2"])
def test_the_double_oracle_finds_the_value_of_all_commands(position: str) -> None:
    plain = "double_oracle:quick_corrected(result=0),starts=10,plies=1,trust=0"  # without results no draw is unwanted
    state, oracle = SMALL.parse(position), player(plain, SMALL)
    mix, sim = oracle.mix(state, 0)  # type: ignore[attr-defined]
    whole = solve(sim.payoffs(0, SMALL.legal(state, 0), SMALL.legal(state, 1)))
    assert mix.game.value == pytest.approx(whole.value)


def test_who_does_not_want_draws_counts_them_for_less_than_nothing() -> None:
    state = made().parse("r6 A1:3,5+flag B1:7,5+flag")
    sim = player("double_oracle").simulation(state)  # type: ignore[attr-defined]
    both_home = [made().action_named(state, side, name) for side, name in ((0, "1u1"), (1, "1d1"))]
    assert sim.after(0, *both_home) == 0
    for plies in (1, 2):
        assert sim.payoffs(0, both_home[:1], both_home[1:], plies, 500.0)[0, 0] == -500


def test_a_trusting_player_plays_the_answer_to_what_is_expected() -> None:
    position = "r3 A1:3,0 A2:4,8 B1:4,6 B2:5,2"
    wary, trusting = (decided(f"double_oracle,trust={trust}", position).notes["mix"] for trust in (0, 1))
    assert len(trusting) == 1 < len(wary)
    assert decided("double_oracle,trust=1", position.replace("r3", "r20")).notes["mix"].keys() != trusting.keys()
    assert "trust must be from 0 to 1, not 2, in" in spar("suite", "flagwar", "double_oracle,trust=2").err


@pytest.mark.slow
@pytest.mark.parametrize("case", cases("flagwar"), ids=lambda case: case.name)
def test_the_double_oracle_solves_every_case_whatever_it_draws(case: Case) -> None:
    game = made(**case.options)
    mix, _ = player("double_oracle", game).mix(game.parse(case.position), case.player)  # type: ignore[attr-defined]
    assert [one for one in mix.chances if not case.solved_by(one, *case.set_up("flagwar"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("other", ["seed", "repo64"])
def test_the_double_oracle_beats_the_document(other: str) -> None:
    assert "won 4 · drawn 0 · lost 0" in did("match", "flagwar", "double_oracle", other, "--games", 4)


def test_the_best_players_do_not_stand_still_at_the_start() -> None:
    for spec in ("matrix", "double_oracle"):
        assert "stay" not in {decided(spec, "r0", me, seed).name for seed in range(6) for me in (0, 1)}


@pytest.mark.parametrize("spec", ["matrix", "double_oracle"])
def test_a_win_is_played_even_if_a_position_says_nothing_of_rounds(spec: str) -> None:
    found = [decided(spec, "A1:5,5+flag B1:0,2 B2:1,2 B3:2,2", seed=seed).name for seed in range(4)]
    assert all(re.match(r"1u\d", name) for name in found), found


def test_a_users_heuristic_judges_rounds(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "from sparring import heuristic\n\n\n"
        '@heuristic("flagwar")\ndef leftmost(s, me):\n    return -(s.at[me, 0] & 31) + (s.at[1 - me, 0] & 31)\n'
    )
    monkeypatch.chdir(tmp_path)
    assert "1l4" in decided("matrix:mine.py:leftmost,size=8", "r3").name


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*MIXED, "seed", "repo64", "joint", "maximin_sampled", "utility"])
def test_everybody_commands_seven_pieces(spec: str) -> None:
    large = made(board="19x13")
    found = decided(spec, "r0", game=large)
    assert large.is_legal(large.new(0), 0, found.action)


# Measuring


def test_who_knows_the_seed_beats_it() -> None:
    found = json.loads(did("exploit", "flagwar", "seed", "--games", 4, "--json"))
    assert (found["won"], found["games"]) == (2, 2)  # all that there are, for neither leaves anything to chance
    assert found["interval"] == [1, 1]
    assert found["gain"] > 0


def test_to_know_an_agent_is_worth_nothing_where_one_wins_anyway() -> None:
    knowing = Exploiter(made(), player("seed"))
    knowing.decide(View(made().position("r7 A1:5,5+flag B1:0,2 B2:1,2 B3:2,2"), 0, players_dice(1, 0)))
    assert knowing.gains == [0]


def test_the_exploiter_knows_a_mix_but_not_what_is_drawn() -> None:
    told = did("exploit", "flagwar", "matrix,size=8", "--games", 2)
    assert re.match(r"who knows matrix,size=8 has [\d.]+ % of the points against it, \[.*\], 2 games", told)


def test_only_games_with_an_exploiter_have_agents_to_exploit() -> None:
    assert "ludo has no exploiter" in spar("exploit", "ludo", "random", "--players", 2).err


def test_the_suite_tells_who_solves_what() -> None:
    told = did("suite", "flagwar", "seed", "still").splitlines()
    assert told[0].split()[:3] == ["case", "seed", "still"]
    assert len(told) == 1 + len(cases("flagwar")) + 2
    assert told[-2].split() == ["all", "84.6", "%", "15.4", "%"]
    assert told[-1].split() == ["always", "11", "of", "13", "2", "of", "13"]
    shares = json.loads(did("suite", "flagwar", "seed", "still", "--json"))["solved"]
    assert {name for name, times in shares["still"].items() if times} == {"one for one", "not into the arms"}
    assert {name for name, times in shares["seed"].items() if not times} == {"start", "start of B"}
    assert {*shares["seed"].values(), *shares["still"].values()} == {0, 20}


CONDUCT = {
    "two for the one that comes": ("A1:3,8", "1l1_2l2", "1d8", "1d8", {"duplicate_chase": True}),
    "two for one that was expected": ("A1:3,8", "1l1_2l2", "stay", "1d8", {"duplicate_chase": True}),
    "one for one": ("A1:3,8", "1l1_2u1", "1d8", "1d8", {"duplicate_chase": False}),
    "one for each": ("A1:3,8 A3:7,8", "1l1_3r1", "1d8_3d8", None, {"duplicate_chase": False}),
    "who walks into them is not chased": ("A1:4,8", "2u1_3u1", "1d8", None, {"duplicate_chase": False}),
    "two at one who stays": ("A1:4,4 B2:5,4", "1u2_2l1", "stay", None, {"duplicate_chase": True}),
    "nobody moves": ("r3", "stay", "1d1", None, {"moves": False, "duplicate_chase": False}),
    "a free flag is taken": ("B1:0,10 A1:X A2:X", "1r5", "stay", None, {"takes_flag": True}),
    "a free flag is left": ("B1:0,10 A1:X A2:X", "1d5", "stay", None, {"takes_flag": False}),
    "the way is closed in time": ("A1:3,8 B1:0,10 B2:X B3:X", "1r5", "1u2", None, {}),
    "a thief is caught": ("A1:0,3+flag B1:0,2 B2:X B3:X", "1u1", "stay", None, {"catches_thief": True}),
    "a thief gets away": ("A1:0,3+flag B1:1,2 B2:X B3:X", "stay", "1r1", None, {"catches_thief": False}),
    "a thief out of reach": ("A1:9,5+flag B1:0,2 B2:X B3:X", "1u1", "1l1", None, {}),
}
"""The position, what B does, what A does, what B predicted, and what is seen of B's conduct."""


@pytest.mark.parametrize("case", CONDUCT)
def test_what_is_seen_of_a_sides_commands(case: str) -> None:
    position, own, other, predicted, expected = CONDUCT[case]
    here = made().position(position)
    actions = {0: here.action(other, 0), 1: here.action(own, 1)}
    seen = conduct.observed(made(), here.state, actions, 1, {"predicted": predicted})
    assert {name: seen.get(name) for name in expected} == expected
    assert set(seen) - set(expected) <= {"moves", "duplicate_chase"}


def test_a_report_tells_stalls_and_how_far_predictions_were_off(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, "")
    did("match", "flagwar", "seed", "still", "--games", 2, "--decisions")
    found = json.loads(did("report", "last", "--json"))
    assert found["stalled"]["seed"] == {"rounds over": 0.0, "nothing changed": 1.0}
    notes = {one["agent"]: one["notes"] for one in found["thoughts"]}
    assert notes["seed"]["off_by"] == {"mean": 0.0, "moves": 40}  # it predicts that nobody moves
    assert notes["still"]["moves"] == {"share": 0.0, "moves": 40}
    told = did("report", "last")
    assert "stalls: games that only a limit ended\n  seed   100.0 %  nothing changed 100.0 %" in told
    did("match", "flagwar", "seed,captures", "random", "--games", 4, "--decisions")
    notes = {one["agent"]: one["notes"] for one in json.loads(did("report", "last", "--json"))["thoughts"]}
    mine = notes["seed,captures"]
    assert mine["off_by"]["mean"] >= abs(mine["predicted_minus_actual"]["mean"]) > 0
    assert 0 < mine["duplicate_chase"]["share"] < 1
    assert did("report", "last", "--html", "report.html") == ""
    assert "Stalls" in Page((tmp_path / "report.html").read_text()).texts("h2")


def test_a_case_names_the_commands_that_matter() -> None:
    case = Case(name="", position="A1:4,5", player=0, accept=["1u3"], forbid=["2l1_3l2"])
    here = case.set_up("flagwar")
    assert case.solved_by("1u3_2l1", *here)
    assert not case.solved_by("1u3_2l1_3l2", *here)
    assert not case.solved_by("1u2", *here)


def test_a_case_is_solved_by_what_commands_do_not_by_what_they_are_called() -> None:
    known = {case.name: (case, *case.set_up("flagwar")) for case in cases("flagwar")}

    def solved(name: str, action: str) -> bool:
        case, position, side = known[name]
        return case.solved_by(action, position, side)

    assert solved("free flag", "2d31")  # to the edge, where the flag is
    assert solved("home", "1u31_2r31")
    assert not solved("start", "1u1")  # its own zone is above it
    assert solved("start", "1u1_2d1")
    guarded, *here = known["not into the arms"]
    assert not guarded.solved_by("1d31", *here)
    assert guarded.model_copy(update={"forbid": ("1d31",)}).solved_by("1d2", *here)
    assert not guarded.model_copy(update={"forbid": ("1d31",)}).solved_by("1d3", *here)


def test_an_action_is_canonical_if_it_is_listed_and_what_jailed_pieces_are_told_is_nothing() -> None:
    position = made().position("A1:X A2:4,5 B1:9,1")
    state, listed = position.state, set(made().legal(position.state, 0))
    said = {"1d3_2l31": "2l4", "1u1": "stay", "3u2": "stay", "2u31_3d31": "2u3_3d8"}
    for told, done in said.items():
        action = conduct.canonical(made(), state, 0, position.action(told, 0))
        assert action_name(action) == done
        assert action in listed


def test_games_without_cases_say_so() -> None:
    assert "isolation has no tactical suite" in spar("suite", "isolation", "random").err


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("seed:nonsense", "as_written"),
        ("seed,fix=nonsense", "one_by_one"),
        ("seed,captures=3", "leave it out"),
        ("utility:mad", "aggressive"),
        ("utility:aggressive:balanced", "two tempers"),
        ("utility,fix=down", "home, paths"),
        ("matrix:nonsense", "quick_corrected"),
        ("matrix,size=1000", "from 1 to 400, not '1000'"),
        ("matrix,size=0", "from 1 to 400, not '0'"),
        ("still,fast", "no options"),
    ],
)
def test_slips_in_specs_are_answered_with_what_there_is(spec: str, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        sparring.agent(made(), spec)
