"""What `spar explain` tells of Flag War: both sides, terms for every command, and why not any other."""

import json
import re

import pytest

import sparring
from commands import did, spar
from sparring.agents.decision import Decision
from sparring.core.errors import SparringError

CHASED = "r3 A1:3,8"
MIDGAME = "r9 A1:5,3 A2:X B1:5,5 B2:0,0 B3:1,0"
ONE_ROUND = [
    *("utility", "utility:corrected", "seed", "seed,captures", "seed:corrected", "seed,keep=all_replies", "repo64"),
    *("repo64:as_coded", "joint", "maximin_sampled,own=20,others=10", "level_k", "matrix,size=8", "regret,size=8"),
    *("raid,size=8", "mcts,iterations=50,select=regret"),
]
"""Agents whose scores are points after the round."""
FURTHER = ["double_oracle,size=6,rounds=4,starts=1", "mcts,iterations=50"]
SILENT = ["random", "still"]


def explained(spec: str, position: str, player: str = "B") -> Decision:
    return sparring.explain("flagwar", spec, position, player=player)


def test_without_a_player_both_sides_are_explained() -> None:
    told = did("explain", "flagwar", "--agent", "seed", "--agent", "still", "--position", CHASED)
    heads = re.findall(r"^(\S+) plays (\S+) as (.)", told, re.MULTILINE)
    assert heads == [("seed", "1r1_2l1_3l2", "A"), ("seed", "1u8_2l2_3l3", "B"), *(("still", "stay", s) for s in "AB")]
    listed = json.loads(did("explain", "flagwar", "--agent", "seed", "--position", CHASED, "--json"))
    assert [one["player"] for one in listed] == [0, 1]
    alone = json.loads(did("explain", "flagwar", "--agent", "seed", "--position", CHASED, "--player", "B", "--json"))
    assert alone["move"] == listed[1]["move"] == "1u8_2l2_3l3"


def test_in_python_all_sides_are_a_list_and_one_is_a_decision() -> None:
    both = sparring.explain_all("flagwar", "seed", CHASED)
    assert [decision.name for decision in both] == [explained("seed", CHASED, side).name for side in "AB"]
    with pytest.raises(SparringError, match="explain_all"):
        sparring.explain("flagwar", "seed", CHASED)
    assert len(sparring.explain_all("isolation", "open,depth=1", "d4 e6")) == 1


def test_where_one_moves_the_player_goes_without_saying() -> None:
    assert " as " not in str(sparring.explain("isolation", "open,depth=1", "d4 e6")).splitlines()[0]


def test_a_picture_is_of_one_side() -> None:
    said = spar("explain", "flagwar", "--agent", "seed", "--svg", "board.svg")
    assert said.code == 2
    assert "name one --agent and --player" in said.err


@pytest.mark.parametrize("position", [CHASED, MIDGAME])
@pytest.mark.parametrize("spec", ONE_ROUND)
def test_every_candidate_has_terms_that_add_up_to_its_score(spec: str, position: str) -> None:
    found = explained(spec, position)
    assert found.candidates
    for one in found.candidates:
        weighed = sum(found.weights[term] * value for term, value in one.terms.items())
        assert one.score == pytest.approx(weighed)


@pytest.mark.parametrize("spec", FURTHER)
def test_the_terms_of_agents_that_look_further_are_those_after_the_round(spec: str) -> None:
    found = explained(spec, CHASED)
    assert all(set(one.terms) == set(found.weights) for one in found.candidates)


@pytest.mark.parametrize("position", [CHASED, MIDGAME])
@pytest.mark.parametrize("spec", [*ONE_ROUND, *FURTHER, *SILENT])
def test_no_agent_is_at_a_loss_for_words(spec: str, position: str) -> None:
    """Any command can be asked about, and nothing is told as a program would."""
    found = explained(spec, position)
    told = str(found)
    assert not set("{}[]'") & set(told)
    assert f"{found.agent} plays {found.name} as B" in told
    for command in ("1u1_2u1", "3l2", "1u31", "stay"):
        why = found.why_not(command)
        assert re.search(r"scores|plays|does not weigh \S+: .+", why), why
        assert "keeps no scores" not in why


def test_any_command_is_judged_as_the_candidates_are() -> None:
    """By the rounds that it would lead to, and one that goes too far as the one that does the same."""
    found = explained("seed", CHASED)
    assert found.why_not("1u8_2l2") == ("1u8_2l2 scores +1700, and so does 1u8_2l2_3l3, which it prefers among equals.")
    assert found.why_not("1u31") == found.why_not("1u8")
    assert found.why_not("1u8") == (
        "1u8 scores +1000, 1u8_2l2_3l3 scores +1700. The difference: back_wall -500, pieces -200."
    )
    wishes = explained("utility", CHASED)
    assert wishes.candidate("2d8_3l1").score < wishes.chosen.score


def test_a_player_that_mixes_says_how_likely_another_command_was() -> None:
    found = explained("matrix,size=8", CHASED)
    assert found.mix
    likely = next(action for action in found.mix.chances if action != found.action)
    assert f"has a chance of {found.mix.chances[likely]:.1%}" in found.why_not(likely)
    assert found.why_not("2u3_3u3").count("in which 2u3_3u3 has no part") == 1


def test_what_single_pieces_gain_is_a_table() -> None:
    told = str(explained("seed", CHASED)).splitlines()
    assert told[2].split() == ["pieces", "delta", "runner_up_delta", "runner_up"]
    assert told[3].split() == ["1", "1500", "1000", "1u7"]


def test_a_long_list_is_cut_where_it_is_printed_only() -> None:
    found = explained("maximin_sampled,own=100,others=2", CHASED)
    rest = len(found.candidates) - 40
    assert rest > 20
    assert str(found).endswith(f"and {rest} more that score no better; JSON has all")
    assert len(found.to_json()["candidates"]) == len(found.candidates)


@pytest.mark.parametrize(
    ("position", "remedy"),
    [
        ("r200", "--turn_limit 201 plays on"),
        ("r100", "written draw:rounds"),
        ("r50 idle:20", "written draw:stall"),
        ("A1:X A2:X A3:X B1:X B2:X B3:X", "all pieces of A and B are jailed"),
        ("A1:X A2:X A3:X", "written B-wins:pieces"),
    ],
)
def test_a_position_that_no_game_goes_on_from_is_refused(position: str, remedy: str) -> None:
    said = spar("explain", "flagwar", "--agent", "seed", "--position", position)
    assert said.code != 0
    assert remedy in said.err
    assert len(said.err.splitlines()) == 1


def test_a_position_is_past_the_limits_of_its_own_game() -> None:
    did("explain", "flagwar", "--agent", "still", "--position", "r200", "--turn_limit", 201)
    did("explain", "flagwar", "--agent", "seed", "--position", "A1:X A2:X A3:X", "--elimination", "no")
    ended = spar("explain", "flagwar", "--agent", "seed", "--position", "r100 draw:rounds")
    assert "the game is over in r100" in ended.err
