"""The rule-based agent with the interface of its design document, and the reasons that are stored with its moves."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import spar
from sparring.agents.agent import View
from sparring.agents.spec import agent
from sparring.arena.referee import play
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.games.contract import Position
from sparring.games.ludo.agents.interface import BoardState, RuleBasedHeuristicAgent
from sparring.games.registry import game
from test_ludo_rulebased import placed

pytestmark = pytest.mark.slow

CAPTURE = BoardState([0, 0, 20, 1], [[45, 33, 0, 0]], 6, [0, 1, 2, 3])
"""The player's last piece may capture, one enemy sitting opposite."""


def seen_by_the_mover(position: Position) -> BoardState:
    """The pieces of the mover and of the others in the order of their seats; those of empty seats are at home."""
    s, me = position.state, position.mover
    tiles = {int(s.start[player] - s.start[me]) % 52 // 13: s.at[player].tolist() for player in range(s.players)}
    own, *enemies = (tiles.get(seat, [0] * 4) for seat in range(4))
    return BoardState(own, enemies, int(s.die), list(range(len(position.legal))), list(position.legal))


@settings(derandomize=True, max_examples=40, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(["standard", "ludopy"]))
def test_it_chooses_the_moves_of_rulebased_as_written(seed: int, rules: str) -> None:
    position = placed(seed)
    if not position or not position.game.is_legal(position.state, position.mover, position.legal[0]):
        return
    made = game("ludo", players=position.game.seats, rules=rules)
    position = made.position(position.text) if rules == "standard" else made.position(f"{position.text} round1=0")
    decided = agent(made, "rulebased:as_written").decide(View(position, position.mover, players_dice(7, 0)))
    state, ours = seen_by_the_mover(position), RuleBasedHeuristicAgent(seed=7, debug_scores=True, rules=rules)
    assert state.movable_pieces is not None
    assert state.movable_pieces[ours.act(state)] == decided.action
    scored = {one["piece"]: one["score"] for one in ours.get_last_score_debug()["moves"]}  # type: ignore[index]
    assert scored == {one.action: one.score for one in decided.candidates}


@pytest.mark.parametrize("moves", [None, [], (), np.array([], int)])
def test_without_a_valid_move_it_answers_0(moves: Any) -> None:
    ours = RuleBasedHeuristicAgent(seed=1, debug_scores=True)
    assert ours.act(SimpleNamespace(player_pieces=[0] * 4, enemy_pieces=[], dice_roll=3, valid_moves=moves)) == 0
    assert ours.get_last_score_debug() is None


@pytest.mark.parametrize(
    ("moves", "movable", "action"),
    [([0, 1, 2, 3], None, 3), ([0, 1, 2, 3], [], 3), ([2, 3], None, 3), ([2, 3], [], 3), ([0, 1], [2, 3], 1)],
)
def test_actions_are_pieces_or_places_among_the_movable_pieces(moves: list[int], movable: Any, action: int) -> None:
    assert RuleBasedHeuristicAgent(seed=1).act(replace(CAPTURE, valid_moves=moves, movable_pieces=movable)) == action


@pytest.mark.parametrize("enemies", [None, [], [[0, 0, 57, 57]], [[0] * 4, [57, 57, 57, 0], [0] * 4]])
def test_without_enemies_on_the_way_there_is_no_risk(enemies: Any) -> None:
    ours = RuleBasedHeuristicAgent(seed=1, debug_scores=True)
    ours.act(replace(CAPTURE, enemy_pieces=enemies))
    assert [one["risk"] for one in ours.get_last_score_debug()["moves"]] == [0, 0, 0, 0]  # type: ignore[index]


def test_equal_moves_are_chosen_at_random_and_the_same_by_the_same_seed() -> None:
    start = BoardState([0] * 4, [[0] * 4] * 3, 6, [0, 1, 2, 3])
    chosen = [RuleBasedHeuristicAgent(seed=seed).act(start) for seed in range(30)]
    assert set(chosen) == {0, 1, 2, 3}
    assert chosen[:5] == [RuleBasedHeuristicAgent(seed=seed).act(start) for seed in range(5)]


def test_scores_are_told_only_if_they_are_asked_for() -> None:
    assert (RuleBasedHeuristicAgent.is_on_policy, RuleBasedHeuristicAgent.needs_replay_learning) == (False, False)
    arrays = BoardState(np.array(CAPTURE.player_pieces), np.array(CAPTURE.enemy_pieces), np.int64(6), np.arange(4))  # type: ignore[arg-type]
    assert RuleBasedHeuristicAgent(seed=1).act(arrays) == 3
    silent, telling = RuleBasedHeuristicAgent(seed=1), RuleBasedHeuristicAgent(seed=1, debug_scores=True)
    assert telling.get_last_score_debug() is None
    assert silent.act(CAPTURE) == telling.act(CAPTURE) == 3
    assert (silent.supports_score_debug, telling.supports_score_debug) == (False, True)
    assert silent.get_last_score_debug() is None
    told = telling.get_last_score_debug()
    assert told is not None
    assert (told["phase"], told["best_action"], told["best_score"]) == ("opening", 3, 50_000)
    assert [one["rule"] for one in told["moves"]] == [
        *("FORM_BLOCKADE_MOVE", "FORM_BLOCKADE_MOVE", "strategy", "CAPTURE_MOVE"),
    ]
    assert json.loads(json.dumps(told)) == told


@pytest.mark.parametrize(
    ("change", "slip"),
    [
        ({"dice_roll": 7}, "dice_roll must be 1 to 6, not 7"),
        ({"player_pieces": [0, 0, 20, 58]}, "tiles 0 to 57"),
        ({"player_pieces": [0, 0, 20]}, "same number of pieces"),
        ({"enemy_pieces": [[0] * 4] * 4}, "up to three enemies"),
        ({"movable_pieces": [1]}, "4 valid_moves for 1 movable_pieces"),
        ({"valid_moves": [4]}, r"no pieces \[4\]"),
    ],
)
def test_a_slip_in_a_state_is_told(change: dict[str, Any], slip: str) -> None:
    with pytest.raises(SparringError, match=slip):
        RuleBasedHeuristicAgent(seed=1).act(replace(CAPTURE, **change))


def test_what_ludopys_own_game_observes_is_a_state() -> None:
    pieces, enemies = np.array([0, 0, 20, 1]), np.array([[45, 33, 0, 0], [0] * 4, [5, 0, 0, 57]])
    state = BoardState.of_ludopy([6, np.array([0, 1, 3]), pieces, enemies, False, False])
    assert state == BoardState([0, 0, 20, 1], enemies.tolist(), 6, [0, 1, 3])


def kept(spec: str, games: int = 2) -> list[dict[str, Any]]:
    made = game("ludo", players=2)
    played = [play(made, [agent(made, spec), agent(made, "random")], seed, decisions=True) for seed in range(games)]
    return [one for game_ in played for one in game_.decisions if one["player"] == 0]


@pytest.mark.parametrize("variant", ["as_written", "corrected", "as_coded"])
def test_a_kept_decision_tells_rule_phase_multiplier_base_bonuses_and_risk(variant: str) -> None:
    decisions = kept(f"rulebased:{variant}")
    assert {one["notes"]["rule"] for one in decisions} > {"GET_OUT_OF_HOME", "strategy"}
    assert {one["notes"]["phase"] for one in decisions} > {"opening", "midgame"}
    for one in decisions:
        why, chosen = one["notes"], one["candidates"][0]
        parts = why["base"] * why["multiplier"] + why["bonuses"] - why["risk"] - why["penalties"]
        assert chosen["move"] == one["move"]
        assert chosen["score"] == pytest.approx(parts)
        assert sum(one["weights"][term] * value for term, value in chosen["terms"].items()) == pytest.approx(parts)


@pytest.mark.parametrize("spec", ["rulebased:corrected", "one_ply", "tabular:potential"])
def test_keeping_decisions_plays_the_same_game(spec: str) -> None:
    made = game("ludo", players=2)
    one, other = (
        play(made, [agent(made, spec), agent(made, "random")], 3, decisions=decisions) for decisions in (False, True)
    )
    assert [turn.code for turn in one.turns] == [turn.code for turn in other.turns]


def test_a_kept_decision_of_a_search_has_the_terms_at_the_end_of_its_line() -> None:
    made = game("isolation")
    players = [agent(made, "alphabeta:next_moves,depth=2")] * 2
    for one in play(made, players, 1, decisions=True).decisions[:6]:
        chosen = next(candidate for candidate in one["candidates"] if candidate["move"] == one["move"])
        total = sum(one["weights"][term] * value for term, value in chosen["terms"].items())
        assert chosen["terms"] and chosen["score"] == pytest.approx(total)


def test_a_report_counts_how_often_each_rule_decided_by_phase(tmp_path: Path) -> None:
    store = tmp_path / "games.db"

    def matched(*words: Any) -> list[str]:
        """Play a match. Return the experiments in the store."""
        assert spar("match", "ludo", *words, "--store", store).code == 0
        return [one["id"] for one in json.loads(spar("experiments", "--json", "--store", store).out)]

    (id,) = matched("rulebased:as_written", "random", "--players", 2, "--games", 4, "--decisions")
    plain, by_phase = (
        json.loads(spar("report", id, "--json", "--store", store, *more).out)["thoughts"]
        for more in ([], ["--by", "phase"])
    )
    whole, parts = (next(one["notes"] for one in told if one["agent"].startswith("rule")) for told in (plain, by_phase))
    assert whole["phase"] == parts["phase"]
    for rule, times in whole["rule"]["counts"].items():
        counted = [note["counts"].get(rule, 0) for name, note in parts.items() if name.startswith("rule (phase ")]
        assert sum(counted) == times
    assert parts["rule (phase opening)"]["moves"] == whole["phase"]["counts"]["opening"]
    told = spar("report", id, "--store", store, "--by", "phase").out
    assert "rule (phase opening)" in told and "GET_OUT_OF_HOME" in told
    slip = spar("report", id, "--store", store, "--by", "phse")
    assert slip.code != 0 and "phase" in slip.err
    (bare,) = set(matched("furthest", "random", "--players", 2, "--games", 2)) - {id}
    slip = spar("report", bare, "--store", store, "--by", "phase")
    assert slip.code != 0 and "play it with --decisions" in slip.err
