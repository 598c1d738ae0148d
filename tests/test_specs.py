"""Naming agents: what every form of a spec makes, and what one slip in it is told."""

import re
import uuid
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring.agents import spec as specs
from sparring.agents.agent import Agent, DeclaredAgent, View
from sparring.agents.spec import Spec
from sparring.arena.referee import play
from sparring.arena.supervisor import Supervisor
from sparring.core.dice import dice
from sparring.search.tree import Budget

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


EXAMPLES = [line.split("   ")[0] for line in (specs.__doc__ or "").strip().split("\n\n")[-1].splitlines()]
"""The first column of the last paragraph of the docstring that tells users how agents are named."""
assert len(EXAMPLES) >= 5


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


@pytest.mark.parametrize("text", EXAMPLES)
def test_every_documented_example_plays_a_legal_move_and_remembers_its_text(text: str) -> None:
    decision = sparring.explain(GAME, text, MIDGAME)
    assert decision.action in decision.position.legal
    assert made(text).spec == text


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("voronoi,depth=3", "alphabeta:voronoi,depth=3"),
        ("minimax:my_file.py:my_idea,depth=2", "my_file.py:my_idea,depth=2"),
    ],
    ids=["usual search", "file after a search"],
)
def test_two_texts_for_one_agent_play_the_same_moves(one: str, other: str) -> None:
    assert moves(made(one)) == moves(made(other))


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    before = sparring.explain(GAME, "my_file.py:my_other,depth=1", MIDGAME).score
    (tmp_path / "my_file.py").write_text(MY_FILE.replace("crowd=0.5", "crowd=0.25"))
    assert sparring.explain(GAME, "my_file.py:my_other,depth=1", MIDGAME).score == before / 2


def test_blanks_around_the_parts_do_not_matter() -> None:
    assert Spec.parse(" next_moves ( moves = 2 ) , depth = 3 ") == Spec(
        "next_moves ( moves = 2 ) , depth = 3", "next_moves", {"moves": 2.0}, {"depth": "3"}
    )


@pytest.mark.parametrize(
    ("option", "budget"),
    [
        ("nodes=20000", Budget(20_000)),
        ("nodes=2.5k,depth=3", Budget(2_500, 3)),
        ("nodes=1M", Budget(10**6)),
        ("time=150ms", Budget(seconds=0.15)),
        ("time=0.5s,depth=4", Budget(None, 4, 0.5)),
        ("search=minimax,depth=3", Budget(depth=3)),
    ],
)
def test_a_budget_is_read_with_its_abbreviation_and_unit(option: str, budget: Budget) -> None:
    assert made(f"open,{option}").budget == budget  # type: ignore[attr-defined]


def test_a_budget_is_kept() -> None:
    for nodes in (200, 3_000):
        assert sparring.explain(GAME, f"voronoi,nodes={nodes}").nodes == pytest.approx(nodes, abs=8)
    assert sparring.explain(GAME, "voronoi,depth=5").depth == 5


# Weights


def candidate_scores(text: str) -> dict[int, float | None]:
    return {c.action: c.score for c in sparring.explain(GAME, text, MIDGAME).candidates}


def test_weights_in_parentheses_change_the_score() -> None:
    plain = candidate_scores("next_moves,depth=1")
    doubled = candidate_scores("next_moves(moves=2, next_moves=2),depth=1")
    assert doubled == {action: 2 * score for action, score in plain.items() if score is not None}
    assert moves(made("next_moves,depth=3")) != moves(made("next_moves(moves=-1, next_moves=-.5),depth=3"))


@pytest.mark.parametrize(
    ("weighed", "plain"),
    [
        ("next_moves(next_moves=0),depth=2", "improved,depth=2"),
        ("my_file.py:my_other,depth=1", "open(open=-0.5),depth=1"),
        ("my_file.py:my_idea(yours=0),depth=1", "open,depth=1"),
    ],
    ids=["no weight", "weight of the file", "terms of a file"],
)
def test_a_weight_counts_as_much_as_it_says(weighed: str, plain: str) -> None:
    assert candidate_scores(weighed) == candidate_scores(plain)


def test_a_weight_may_be_written_as_python_writes_numbers() -> None:
    for written in ("0.001", "1e-3", "+.5", "-2", "3"):
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
        ("minimax:open,depth=5,time=2s", "minimax looks to a fixed depth: give depth= "),
        ("open,nodes=many", "nodes must be a number, such as 0.5 or 20k, not 'many'"),
        ("open,nodes=0", "nodes must be a whole number from 1 to 1e15, not '0'"),
        ("open,depth=-3", "depth must be a whole number from 1 to 1e15, not '-3'"),
        ("open,time=5", "time must be such as 150ms or 2s, not '5'"),
        ("open,time=0s", "time must be such as 150ms or 2s, not '0s'"),
        ("next_moves(later=2)", "next_moves has no term 'later'; its terms: moves, next_moves"),
        ("next_moves(moves=two)", "weight of moves must be a number, such as 0.5 or 20k, not 'two'"),
        ("random,nodes=5", "random takes no options, but 'random,nodes=5' gives nodes"),
        ("random(open=2)", "random has no terms to weigh in 'random(open=2)'"),
        ("my_file.py", "my_file.py declares 4 things; say which: my_file.py:my_idea, my_file.py:my_other, my_file.py:"),
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


IDEA = "from sparring import *\n@heuristic('isolation')\ndef idea(s, me):\n    "


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("x = 1\n", ' declares nothing for isolation; put @heuristic("isolation") or @agent("isolation") above'),
        (
            IDEA.replace("isolation", "ludo") + "return 1",
            ' declares nothing for isolation, only for ludo; put @heuristic("isolation") or @agent("isolation") above',
        ),
        ("x = 1\n\ndef idea(s me):\n    return 1\n", ":3: "),
        ("def f():\n    return {}['here']\n\nX = f()\n" + IDEA + "return X", ":2: KeyError: 'here'"),
        (
            "import sparring.games.nothing\n" + IDEA + "return sparring.games.nothing.x",
            ":1: ModuleNotFoundError: No mod",
        ),
        (
            IDEA.replace(")", ", far=2)", 1) + "return Terms(near=1)",
            ":2: idea weighs 'far', which is none of its terms: ",
        ),
        (IDEA + "return Terms(1, 2)", ":2: idea: write Terms(name=value, ...), every term with its name"),
        (
            IDEA + "if me:\n        return Terms(a=1)\n    return Terms(b=1)",
            ":2: idea returns different terms in different places",
        ),
    ],
    ids=[
        "nothing declared",
        "another game",
        "syntax",
        "in a function",
        "import",
        "weight",
        "nameless term",
        "two kinds",
    ],
)
def test_what_is_wrong_inside_a_file_is_told_with_its_name_and_line(tmp_path: Path, written: str, told: str) -> None:
    file = tmp_path / "broken.py"
    file.write_text(written)
    assert refused(str(file)).startswith(f"{file}{told}")


# Compile errors

COMPILE_ERRORS = {
    "list of the file": (
        "x = 0.0\n    for w in WORTHS:\n        x += w\n    return x",
        "9",
        "WORTHS is a list; use numb",
    ),
    "dictionary": ('return TABLE["a"]', "8", "TABLE is a dict; use numbers, a tuple or a NumPy array"),
    "try": ("try:\n        return 1 / me\n    except ZeroDivisionError:\n        return 0.0", "10", "`except ZeroDiv"),
    "two types": ("if me:\n        return Terms(a=1)\n    return Terms(a=0.5)", "9|10", "it returns different types, "),
    "type changes": ("best = 0\n    best = 'a' if me else 1.5\n    return len(str(best))", "9", ""),
    "key=": ("return max((1, 2), key=lambda one: -one)", "8", "a call with key= is not possible; write a loop"),
    "returns a text": ("return 'good'", "6|7", "idea returned 'good'; return a number"),
    "returns nothing": ("best = 1.0", "6|7", "idea returned None; return a number"),
    "no such field": ("return s.att[me]", "8", "unknown field of the state 'att'; did you mean at?"),
    "generator": ("return sum(x for x in (1, 2))", "8", "a generator such as `f(c) for c in ...` is not possible"),
    "text with a format": ('return len(f"{me:3}")', "8", "an f-string with a format is not possible; leave the text"),
    "text with format()": ('return len("{}".format(me))', "8", "`.format` of a text cannot be compiled; leave the"),
    "global": ("global WORTHS\n    WORTHS = me\n    return me", "9", "`global` is not possible: a heuristic depends"),
    "with": ("with open(__file__) as file:\n        return len(file.read())", "6|7", "`with` is not possible; read"),
    "class": ("return Thing().worth", "8", "Thing is a class; use functions and numbers"),
    "object of a class": ("return THING.worth", "8", "THING is a Thing; use numbers, a tuple or a NumPy array"),
    "text as a term": ("return Terms(a='much')", "6|7", "idea returned Terms(a='much'); return Terms(name=number"),
    "None in a place": (
        "if me >= 0 and s.to_move < 2:\n        return None\n    return 1.0",
        "6|7",
        "idea returned None;",
    ),
    "no such function": ("return mobility(s, me)", "8", "name 'mobility' is not defined; import or define it"),
    "keyword only": ("return weighed(worth=me)", "6|7", ""),
    "helper of a second file": ("return worth(s)", "4", "HIDDEN is a dict; use numbers"),
}


SECOND = """\
HIDDEN = {"a": 1.0}

def worth(s):
    return HIDDEN["a"]

def weighed(*, worth):
    return worth

class Thing:
    worth = 1.0

THING = Thing()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("body", "line", "told"), COMPILE_ERRORS.values(), ids=COMPILE_ERRORS)
def test_a_heuristic_that_cannot_be_compiled_is_told_with_its_line_and_a_remedy(
    tmp_path: Path, body: str, line: str, told: str
) -> None:
    (tmp_path / "second.py").write_text(SECOND)
    head = "from sparring import Terms, heuristic\nfrom second import *\n\nWORTHS, TABLE = [1.0], {'a': 1.0}\n\n"
    (tmp_path / "mine.py").write_text(f'{head}@heuristic("isolation")\ndef idea(s, me):\n    {body}\n')
    said = refused("mine.py")
    assert re.match(rf"{tmp_path}/{'second' if 'HIDDEN' in told else 'mine'}.py:({line}): ", said)
    assert told in said


def test_a_compiled_heuristic_may_print_and_raise_errors_with_texts_of_its_own(tmp_path: Path) -> None:
    number = uuid.uuid4().int % 10**9  # never compiled before
    body = f'if me >= 0:\n        raise ValueError(f"no {{me + {number}}}")\n    print("moves", me)\n    return 1.0'
    (tmp_path / "mine.py").write_text(
        f'from sparring import heuristic\n\n@heuristic("isolation")\ndef idea(s, me):\n    {body}\n'
    )
    idea = specs.heuristic_named(GAME, "mine.py").judge(GAME.state)
    with pytest.raises(ValueError, match=f"no {number + 1}$"):
        idea.score(GAME.start().state, 1, idea.weights)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '@heuristic("isolaton")\ndef idea(s, me):\n    return 1.0',
            "mine.py:3: unknown game 'isolaton'; did you mean",
        ),
        ('@heuristic("isolation")\ndef idea(s, me):\n    return Terms(a=1.0)', "idea uses Terms; write `from sparring"),
        (
            'import sparring\n@heuristic("isolation")\ndef idea(s, me):\n    return sparring.Terms(a=1)',
            "mine.py:4: idea: write `from sparring import Terms` and then Terms(...) alone",
        ),
        (
            'from sparring import Terms as T\n@heuristic("isolation")\ndef idea(s, me):\n    return T(a=1)',
            "mine.py:4: idea: write `from sparring import Terms` and then Terms(...) alone",
        ),
        ('@heuristic("isolation")\ndef idea(s):\n    return 1.0', "of a state and a player: def idea(s, me)"),
        ('@heuristic("isolation")\nclass Idea:\n    pass', "of a state and a player: def Idea(s, me)"),
        ('@agent("isolation")\nclass Mine:\n    pass', "the class Mine needs a method decide(self, view)"),
    ],
    ids=[
        "misspelt game",
        "no import of Terms",
        "Terms of a module",
        "Terms renamed",
        "no player",
        "heuristic class",
        "class without decide",
    ],
)
def test_a_wrong_declaration_is_told_in_a_line(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "mine.py").write_text(f"from sparring import agent, heuristic\n\n{text}\n")
    assert told in refused("mine.py")


# Heuristics in heuristics

CALLING = """\
from sparring import Terms, heuristic
from sparring.games.isolation.heuristics import next_moves, voronoi


@heuristic("isolation", a=2)
def own(s, me):
    return Terms(a=voronoi(s, me), b=1.0)


@heuristic("isolation")
def calls(s, me):
    return voronoi(s, me) - next_moves(s, me) + own(s, me)
"""


@pytest.mark.slow
def test_a_heuristic_may_call_those_of_the_game_and_its_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CALLING)
    state, found = GAME.position(MIDGAME).state, specs.heuristics(GAME)
    voronoi, next_moves = (found[name](state, 0) for name in ("voronoi", "next_moves"))
    mine = specs.heuristic_named(GAME, "mine.py:calls")
    assert mine(state, 0) == pytest.approx(voronoi - next_moves + 2 * voronoi + 1)
    bound = made("mine.py:calls").search.judge  # type: ignore[attr-defined]
    assert bound.score(state, 0, bound.weights) == mine(state, 0) == mine.plain_terms(state, 0)["calls"]
    weighed = found["next_moves"].judge(GAME.state)
    assert weighed.score(state, 1, weighed.weights) == found["next_moves"](state, 1)


# Functions and classes as agents


def test_a_function_may_answer_with_an_action_its_name_or_a_number_of_numpy() -> None:
    def last(view: View) -> int:
        return np.array(view.legal).max()  # type: ignore[no-any-return]

    one = sparring.agent("isolation")(last)
    assert moves(made("my_file.py:by_action")) == moves(made("my_file.py:by_name")) == moves(sparring.agent(GAME, one))


def test_a_declared_heuristic_plays_without_a_file() -> None:
    @sparring.heuristic("isolation")
    def nothing(s, me):  # type: ignore[no-untyped-def]
        return 0.0

    assert moves(sparring.agent(GAME, nothing)) == moves(made("null"))


def test_agent_without_a_spec_declares_a_function() -> None:
    def idle(view: View) -> int:
        """Takes what comes
        first."""
        return view.legal[0]

    for game in ("isolation", GAME):
        declared = sparring.agent(game)(idle)
        assert isinstance(declared, DeclaredAgent)
        assert (declared.name, declared.game) == ("idle", "isolation")


CLASS = """\
from sparring import agent


@agent("isolation")
class Counts:
    games = 0

    def __init__(self):
        Counts.games += 1
        self.seen = 0

    def decide(self, view):
        self.seen += 1
        return view.legal[self.seen % len(view.legal)]

    def game_ended(self, view):
        print("ended", self.seen, view.position.outcome)
        raise RuntimeError
"""


def test_a_class_is_one_object_a_game_and_is_told_its_end_and_may_fail_then(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(CLASS)
    counts = made("mine.py")
    played = [play(GAME, [counts, made("random")], seed) for seed in (1, 2)]
    own = [[turn for turn in game.turns if turn.player == 0] for game in played]
    ends = [line.split()[1] for line in capfd.readouterr().out.splitlines() if line.startswith("ended ")]
    assert [int(seen) for seen in ends] == [len(turns) for turns in own]
    with Supervisor() as supervisor:
        away = [play(GAME, [supervisor.guest(GAME, counts), made("random")], seed) for seed in (1, 2)]
    assert [game.turns for game in away] == [game.turns for game in played]


def test_a_class_that_cannot_be_made_loses_its_game(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CLASS.replace("self.seen = 0", "1 / 0"))
    assert play(GAME, [made("mine.py"), made("random")], 1).reason.startswith("crash: ZeroDivisionError")


def test_agent_with_a_spec_makes_the_agent_of_a_game_by_name_and_leaves_a_made_one_as_it_is() -> None:
    agent = sparring.agent("isolation", "open,depth=2")
    at = GAME.position(MIDGAME)
    assert agent.decide(View(at, at.mover, dice(1))).action in at.legal
    assert sparring.agent(GAME, agent) is agent


def test_a_name_after_an_agent_that_takes_none_is_refused() -> None:
    for game, name in (("isolation", "perfect"), ("isolation", "random"), ("ludo", "strongest")):
        with pytest.raises(sparring.SparringError, match=f"{name} takes no name after it, but '{name}:x' gives x"):
            sparring.agent(game, f"{name}:x")
