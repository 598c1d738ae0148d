"""`spar explain` for Flag War: both sides, terms for every command, and why not another."""

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
    alone = json.loads(did("explain", "flagwar", "--agent", "seed", "--position", CHASED, "--player", "B", "--json"))
    assert [one["player"] for one in listed] == [0, 1]
    assert alone["move"] == listed[1]["move"] == sparring.explain_all("flagwar", "seed", CHASED)[1].name
    with pytest.raises(SparringError, match="explain_all"):
        sparring.explain("flagwar", "seed", CHASED)
    assert len(sparring.explain_all("isolation", "open,depth=1", "d4 e6")) == 1
    assert " as " not in str(sparring.explain("isolation", "open,depth=1", "d4 e6")).splitlines()[0]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["--svg", "board.svg"], "name one --agent and --player"),
        (["--position", "r100 draw:rounds"], "the game is over in r100"),
    ],
)
def test_what_cannot_be_explained_is_refused_in_one_line(words: list[str], remedy: str) -> None:
    said = spar("explain", "flagwar", "--agent", "seed", *words)
    assert (said.code, remedy in said.err, len(said.err.splitlines())) == (2, True, 1), said


@pytest.mark.slow
@pytest.mark.parametrize("spec", [*ONE_ROUND, *FURTHER, *SILENT])
def test_every_candidate_has_its_terms_and_any_command_an_answer(spec: str) -> None:
    """Terms add up to the score, but for agents that look further. Nothing is printed as Python would."""
    found = explained(spec, MIDGAME)
    assert found.candidates or spec in SILENT
    for one in found.candidates if spec not in SILENT else ():
        assert set(one.terms) == set(found.weights)
        if spec in ONE_ROUND:
            assert one.score == pytest.approx(sum(found.weights[term] * one.terms[term] for term in one.terms))
    told = str(found)
    assert not set("{}[]'") & set(told)
    assert f"{found.agent} plays {found.name} as B" in told
    for command in ("1u1_2u1", "3l2", "1u31", "stay"):
        assert re.search(r"scores|plays|does not weigh \S+: .+", found.why_not(command))


def test_any_command_is_judged_as_the_candidates_are() -> None:
    """By the rounds that it leads to. A command that is too long is the one with the same effect."""
    found = explained("seed", CHASED)
    assert found.why_not("1u8_2l2") == ("1u8_2l2 scores +1700, and so does 1u8_2l2_3l3, which it prefers among equals.")
    assert found.why_not("1u31") == found.why_not("1u8")
    assert found.why_not("1u8") == (
        "1u8 scores +1000, 1u8_2l2_3l3 scores +1700. The difference: back_wall -500, pieces -200."
    )
    goals = explained("utility", CHASED)
    assert goals.candidate("2d8_3l1").score < goals.chosen.score


def test_an_agent_that_mixes_tells_the_chance_of_another_command() -> None:
    found = explained("matrix,size=8", CHASED)
    assert found.mix
    likely = next(action for action in found.mix.chances if action != found.action)
    assert f"has a chance of {found.mix.chances[likely]:.1%}" in found.why_not(likely)
    assert found.why_not("2u3_3u3").count("in which 2u3_3u3 has no part") == 1


def test_a_long_list_is_cut_only_where_it_is_printed() -> None:
    found = explained("maximin_sampled,own=100,others=2", CHASED)
    rest = len(found.candidates) - 40
    assert rest > 20
    assert str(found).endswith(f"and {rest} more that score no better; JSON has all")
    assert len(found.to_json()["candidates"]) == len(found.candidates)
