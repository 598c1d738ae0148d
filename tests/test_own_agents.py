"""What the author of an agent sees of it: its output, where it crashed, and when a game begins and ends."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from commands import Said, at_home, spar
from sparring.agents.agent import Agent, RandomAgent, View
from sparring.agents.decision import Decision
from sparring.arena.referee import play
from toy_games import Race

MINE = """
from sparring import agent

@agent("isolation")
def chatty(view):
    for line in range(30):
        print("line", line)
    return view.legal[0]

@agent("isolation")
def crashy(view):
    return {}[len(view.legal)]

@agent("isolation")
class Keeps:
    def __init__(self, step=1):
        self.step, self.moves = step, 0

    def decide(self, view):
        self.moves += self.step
        print("move", self.moves)
        return view.legal[0]

    def game_ended(self, view):
        print("over" if view.position.over else "not over", "after", self.moves)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A match of two agents in one file."""
    with pytest.MonkeyPatch.context() as patch:
        at_home(tmp_path_factory.mktemp("mine"), patch, MINE)
        yield spar("match", "isolation", "mine.py:chatty", "mine.py:Keeps", "--games", 2)


@pytest.mark.slow
def test_what_agents_print_is_shown_below_their_names_and_bounded(played: Said) -> None:
    shown = played.err.split("mine.py:chatty printed last (only the end is shown):\n")[1].splitlines()
    assert [*map(str.strip, shown[:20])] == [f"line {line}" for line in range(10, 30)]
    assert not shown[20].startswith(" ")
    assert "line" not in played.out


@pytest.mark.slow
def test_an_object_of_a_class_plays_one_game_and_is_told_its_end(played: Said) -> None:
    lines = re.split(r"mine.py:Keeps printed last.*:\n", played.err)[1].splitlines()
    own = [line.strip() for line in lines[: next((n for n, line in enumerate(lines) if line[0] != " "), None)]]
    moves = int(own[-1].removeprefix("over after "))
    assert own[:-1] == [f"move {number + 1}" for number in range(moves)][1 - len(own) :]


@pytest.mark.slow
def test_the_command_below_a_crash_repeats_it_with_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, MINE)
    lines = spar("match", "isolation", "--board", "6x6", "mine.py:crashy", "random", "--games", 2).out.splitlines()
    lost = next(n for n, line in enumerate(lines) if line.startswith("mine.py:crashy lost"))
    assert "KeyError: " in lines[lost] and lines[lost].endswith("(mine.py:12))")
    assert "--board 6x6" in lines[lost + 1]
    again = spar(*shlex.split(lines[lost + 1].removeprefix("see it again: spar ")))
    assert again.code == 2
    assert 'mine.py", line 12, in crashy\n      return {}[len(view.legal)]' in again.err
    assert "spar: mine.py:crashy failed: KeyError: " in again.err.splitlines()[-1]


def test_explain_shows_what_an_agent_prints_beside_its_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, MINE)
    explained = spar("explain", "isolation", "--agent", "mine.py:Keeps", "--json")
    assert json.loads(explained.out)["agent"] == "mine.py:Keeps"
    assert explained.err == "mine.py:Keeps printed:\n  move 1\n"


def test_a_class_that_needs_arguments_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    at_home(tmp_path, monkeypatch, MINE.replace("step=1", "step, depth=1"))
    refused = spar("match", "isolation", "mine.py:Keeps", "random")
    told = "the class Keeps is made without arguments for each game; give step of its __init__ a default"
    assert refused.err == f"spar: {tmp_path}/mine.py:14: {told}\n"


def test_a_failure_knows_its_position_also_if_others_play_on() -> None:
    class FailsLate(Agent):
        spec, moves = "fails_late", 0

        def decide(self, view: View) -> Decision:
            self.moves += 1
            if self.moves == 3:
                raise RuntimeError(view.position.text)
            return RandomAgent().decide(view)

    played = play(Race(players=3), [RandomAgent(), FailsLate(), RandomAgent()], 0)
    assert played.reason == f"crash: RuntimeError: {played.failed_at}"
    assert [turn.player for turn in played.turns].count(1) > 3
