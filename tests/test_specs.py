"""Naming agents: what every form of a spec makes, and what one slip in it is told."""

from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring.agents import spec as specs
from sparring.agents.agent import Agent, AgentFunction, View
from sparring.agents.spec import Spec
from sparring.arena.referee import play
from sparring.core.dice import dice

GAME = sparring.game("isolation")
MIDGAME = "..#..#./.#A.#../.##.#.#/#.#B#../.#..#../#.##..#/..#.#.. A"

MY_FILE = """\
from sparring import Terms, agent, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits


@heuristic("isolation")
def my_idea(s, me):
    return Terms(mine=count(exits(s, me)), yours=-count(exits(s, 1 - me)))


@heuristic("isolation", crowd=0.5)
def my_other(s, me):
    return Terms(crowd=-count(exits(s, me)))


@heuristic("ludo")
def another_games(s, me):
    return 0.0


@agent("isolation")
def by_action(view):
    return view.legal[-1]


@agent("isolation")
def by_name(view):
    return view.name(view.legal[-1])
"""


@pytest.fixture(autouse=True)
def in_a_folder_with_my_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_file.py").write_text(MY_FILE)
    monkeypatch.chdir(tmp_path)


def examples() -> list[str]:
    """The first column of the last paragraph of the docstring that tells users how agents are named."""
    last = (specs.__doc__ or "").strip().split("\n\n")[-1]
    return [line.split("   ")[0] for line in last.splitlines()]


def made(text: str) -> Agent:
    return sparring.agent(GAME, text, strict=True)


def refused(text: str) -> str:
    """What is said of a bad spec: an error of ours, in one line."""
    with pytest.raises(sparring.SparringError) as error:
        made(text)
    message = str(error.value)
    assert "\n" not in message
    return message


def moves(agent: Agent, seed: int = 5) -> list[str]:
    """A game between an agent and one that takes the first legal move."""

    @sparring.agent("isolation")
    def first(view: View) -> int:
        return view.legal[0]

    opponent = specs.FunctionAgent("first", first)
    return [turn.action for turn in play(GAME, (agent, opponent), seed).turns]


# What works


def test_the_documentation_gives_examples() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize("text", examples())
def test_every_documented_example_plays_a_legal_move(text: str) -> None:
    decision = sparring.explain(GAME, text, MIDGAME)
    assert decision.action in decision.position.legal


@pytest.mark.parametrize("text", examples())
def test_an_agent_remembers_the_text_that_makes_it_again(text: str) -> None:
    assert made(text).spec == text


def test_a_heuristic_alone_is_searched_by_alphabeta() -> None:
    assert moves(made("voronoi,depth=3")) == moves(made("alphabeta:voronoi,depth=3"))


def test_a_heuristic_alone_can_name_another_search() -> None:
    assert made("open,search=minimax").budget == made("minimax:open").budget  # type: ignore[attr-defined]


def test_a_file_can_stand_after_a_search() -> None:
    assert moves(made("minimax:my_file.py:my_idea,depth=2")) == moves(made("my_file.py:my_idea,depth=2"))


def test_a_file_can_be_named_by_its_full_path(tmp_path: Path) -> None:
    assert moves(made(f"{tmp_path}/my_file.py:my_idea,depth=2")) == moves(made("my_file.py:my_idea,depth=2"))


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    before = sparring.explain(GAME, "my_file.py:my_other,depth=1", MIDGAME).score
    (tmp_path / "my_file.py").write_text(MY_FILE.replace("crowd=0.5", "crowd=0.25"))
    assert sparring.explain(GAME, "my_file.py:my_other,depth=1", MIDGAME).score == before / 2


def test_blanks_around_the_parts_do_not_matter() -> None:
    assert Spec.parse(" next_moves ( moves = 2 ) , depth = 3 ") == Spec(
        "next_moves ( moves = 2 ) , depth = 3", "next_moves", {"moves": 2.0}, {"depth": "3"}
    )


@pytest.mark.parametrize(
    ("written", "nodes"), [("20000", 20_000), ("20k", 20_000), ("1e4", 10_000), ("2.5k", 2_500), ("1M", 1_000_000)]
)
def test_node_budgets_may_be_abbreviated(written: str, nodes: int) -> None:
    assert made(f"open,nodes={written}").budget.nodes == nodes  # type: ignore[attr-defined]


@pytest.mark.parametrize(("written", "seconds"), [("150ms", 0.15), ("2s", 2.0), ("0.5s", 0.5)])
def test_time_budgets_carry_their_unit(written: str, seconds: float) -> None:
    assert made(f"open,time={written}").budget.seconds == pytest.approx(seconds)  # type: ignore[attr-defined]


@pytest.mark.parametrize("nodes", [200, 3_000])
def test_a_budget_of_nodes_is_kept_to_the_last_few(nodes: int) -> None:
    assert sparring.explain(GAME, f"voronoi,nodes={nodes}").nodes == pytest.approx(nodes, abs=8)


def test_a_budget_of_depth_is_reached_exactly() -> None:
    assert sparring.explain(GAME, "voronoi,depth=5").depth == 5


# Weights


def candidate_scores(text: str) -> dict[int, float | None]:
    return {c.action: c.score for c in sparring.explain(GAME, text, MIDGAME).candidates}


def test_weights_in_parentheses_change_the_score() -> None:
    plain, doubled = (
        candidate_scores("next_moves,depth=1"),
        candidate_scores("next_moves(moves=2, next_moves=2),depth=1"),
    )
    assert doubled == {action: 2 * score for action, score in plain.items() if score is not None}


def test_a_term_without_weight_does_not_count() -> None:
    assert candidate_scores("next_moves(next_moves=0),depth=2") == candidate_scores("improved,depth=2")


def test_a_negative_weight_turns_preferences_round() -> None:
    assert moves(made("next_moves,depth=3")) != moves(made("next_moves(moves=-1, next_moves=-.5),depth=3"))


def test_the_weight_in_the_file_is_the_default() -> None:
    assert candidate_scores("my_file.py:my_other,depth=1") == candidate_scores("open(open=-0.5),depth=1")


def test_the_terms_of_a_file_can_be_reweighed_too() -> None:
    assert candidate_scores("my_file.py:my_idea(yours=0),depth=1") == candidate_scores("open,depth=1")


@pytest.mark.parametrize("written", ["0.001", "1e-3", "+.5", "-2", "3"])
def test_a_weight_may_be_written_as_python_writes_numbers(written: str) -> None:
    assert made(f"open(open={written})").tunable["open"].default == float(written)


# Slips


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "cannot read the agent ''; expected NAME[:HEURISTIC][(term=weight)][,option=value]"),
        ("open(open=1", "cannot read the agent 'open(open=1'"),
        ("open,=5", "cannot read '=5' in the agent 'open,=5'; expected name=value"),
        ("open,nodes=", "cannot read 'nodes=' in the agent 'open,nodes='; expected name=value"),
        ("voronoy", "unknown agent of isolation 'voronoy'; did you mean voronoi?"),
        ("alphabeta:opn", "unknown heuristic of isolation 'opn'; did you mean open?"),
        ("alphabeta", "alphabeta needs a heuristic, e.g. alphabeta:"),
        ("open,search=quick", "unknown search 'quick'; known: alphabeta, "),
        ("open,node=500", "unknown option of open 'node'; did you mean nodes"),
        ("open,nodes=500,time=1s", "give nodes= or time=, not both, in 'open,nodes=500,time=1s'"),
        ("minimax:open,nodes=500", "minimax looks to a fixed depth: give depth= and nothing else"),
        ("minimax:open,time=2s", "minimax looks to a fixed depth: give depth= "),
        ("minimax:open,depth=5,nodes=10", "minimax looks to a fixed depth: give depth= "),
        ("open,nodes=many", "nodes must be a number, such as 0.5 or 20k, not 'many'"),
        ("open,nodes=0", "nodes must be a whole number from 1 to 1e15, not '0'"),
        ("open,depth=-3", "depth must be a whole number from 1 to 1e15, not '-3'"),
        ("open,depth=1.2.3", "depth must be a number, such as 0.5 or 20k, not '1.2.3'"),
        ("open,time=5", "time must be such as 150ms or 2s, not '5'"),
        ("open,time=0s", "time must be such as 150ms or 2s, not '0s'"),
        ("next_moves(later=2)", "next_moves has no term 'later'; its terms: moves, next_moves"),
        ("next_moves(moves=two)", "weight of moves must be a number, such as 0.5 or 20k, not 'two'"),
        ("random,nodes=5", "random takes no options, but 'random,nodes=5' gives nodes"),
        ("random(open=2)", "random has no terms to weigh in 'random(open=2)'"),
        (
            "my_file.py",
            "my_file.py declares 4 things; say which: my_file.py:my_idea, my_file.py:my_other, my_file.py:by",
        ),
        ("my_file.py:my_ida", "unknown name in my_file.py 'my_ida'; did you mean my_idea"),
        ("my_file.py:another_games", "unknown name in my_file.py 'another_games'"),
        ("my_file.py:by_name,depth=3", "my_file.py:by_name takes no options"),
        ("alphabeta:my_file.py:by_name", "my_file.py:by_name is an agent, not a heuristic; name it alone"),
        ("your_file.py:idea", "no file your_file.py"),
    ],
)
def test_a_slip_is_told_in_one_line_with_a_remedy(text: str, told: str) -> None:
    assert refused(text).startswith(told)


def test_a_name_like_no_other_is_answered_with_all_there_are() -> None:
    assert all(name in refused("zzz") for name in ["random", "perfect", "next_moves", "minimax:HEURISTIC"])


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("x = 1\n", '{file} declares nothing for isolation; put @heuristic("isolation") or @agent("isolation") above'),
        ("x = 1\n\ndef idea(s me):\n    return 1\n", "{file}:3: "),
        ("x = 1\n\ny = x / 0\n", "{file}:3: ZeroDivisionError: division by zero"),
        ("def f():\n    return {}['here']\n\nf()\n", "{file}:2: KeyError: 'here'"),
        (
            "import numpy as np\nimport no_such_thing\n",
            "{file}:2: ModuleNotFoundError: No module named 'no_such_thing'",
        ),
        (
            "from sparring import *\n@heuristic('isolation', far=2)\ndef idea(s, me):\n    return Terms(near=1)\n",
            "{file}:2: idea weighs 'far', which is none of its terms: near",
        ),
        (
            "from sparring import *\n@heuristic('isolation')\ndef idea(s, me):\n    return Terms(1, 2)\n",
            "{file}:2: idea: write Terms(name=value, ...), every term with its name",
        ),
        (
            "from sparring import *\n@heuristic('isolation')\ndef idea(s, me):\n"
            "    if me:\n        return Terms(a=1)\n    return Terms(b=1)\n",
            "{file}:2: idea returns different terms in different places",
        ),
    ],
    ids=["nothing declared", "syntax", "exception", "in a function", "import", "weight", "nameless term", "two kinds"],
)
def test_what_is_wrong_inside_a_file_is_told_with_its_name_and_line(tmp_path: Path, written: str, told: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(written)
    assert refused(str(file)).startswith(told.format(file=file))


# Functions as agents


def test_a_function_may_answer_with_an_action_or_its_name() -> None:
    assert moves(made("my_file.py:by_action")) == moves(made("my_file.py:by_name"))


def test_a_function_may_answer_with_an_action_from_numpy() -> None:
    @sparring.agent("isolation")
    def last(view: View) -> int:
        return np.array(view.legal).max()  # type: ignore[no-any-return]

    assert moves(specs.FunctionAgent("last", last)) == moves(made("my_file.py:by_action"))


def test_a_declared_function_plays_without_a_file() -> None:
    @sparring.agent("isolation")
    def last(view: View) -> int:
        return view.legal[-1]

    assert moves(sparring.agent(GAME, last)) == moves(made("my_file.py:by_action"))


def test_a_declared_heuristic_plays_without_a_file() -> None:
    @sparring.heuristic("isolation")
    def nothing(s, me):  # type: ignore[no-untyped-def]
        return 0.0

    assert moves(sparring.agent(GAME, nothing)) == moves(made("null"))


def test_agent_without_a_spec_declares_a_function() -> None:
    @sparring.agent("isolation")
    def idle(view: View) -> int:
        """Takes what comes
        first."""
        return view.legal[0]

    assert isinstance(idle, AgentFunction)
    assert (idle.name, idle.game, idle.description) == ("idle", "isolation", "Takes what comes first.")


def test_agent_without_a_spec_also_takes_a_game_that_is_set_up() -> None:
    assert sparring.agent(GAME)(lambda view: view.legal[0]).game == "isolation"


def test_agent_with_a_spec_makes_the_agent_of_a_game_by_name() -> None:
    agent = sparring.agent("isolation", "open,depth=2")
    at = GAME.position(MIDGAME)
    assert agent.decide(View(at, at.mover, dice(1))).action in at.legal


def test_an_agent_already_made_passes_through() -> None:
    agent = made("open,depth=2")
    assert sparring.agent(GAME, agent) is agent


@pytest.mark.parametrize(
    ("game", "spec"), [("isolation", "perfect:x"), ("isolation", "random:x"), ("ludo", "strongest:x")]
)
def test_a_name_after_an_agent_that_takes_none_is_refused(game: str, spec: str) -> None:
    with pytest.raises(sparring.SparringError, match=f"{spec[:-2]} takes no name after it, but '{spec}' gives x"):
        sparring.agent(game, spec)
