"""Packages of strangers: found, merged, named if they are broken, and never in the way of others."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import did, spar
from sparring.arena.experiment import Contest, make_experiment
from sparring.core.cache import content
from sparring.games import registry
from sparring.web import play
from strangers import forget, installed

GAME = """
from toy_games import Pennies


class Coins(Pennies):
    name = "coins"
"""
AGENTS = """
from sparring.agents.agent import Agent
from sparring.agents.decision import Decision


class Shower(Agent):
    \"\"\"Always the same side.\"\"\"

    def __init__(self, game, spec):
        self.spec = spec.text

    def decide(self, view):
        return Decision(self.spec, view.position, view.me, 0)


AGENTS = {"heads": Shower}
"""

POINTS = {"sparring.agents": {"coins": "coin_agents"}}


@pytest.fixture
def coins(tmp_path: Path) -> Iterator[None]:
    """A game without agents or heuristics of its own, as a package called coin-games."""
    with installed(tmp_path, "coin-games", {"coins.py": GAME}, {"sparring.games": {"coins": "coins:Coins"}}):
        yield


TWIN = {"sparring.agents": {"coins": "more_coin_agents"}}


@pytest.mark.usefixtures("coins")
def test_a_game_without_agents_is_listed_and_gets_agents_from_other_packages(tmp_path: Path) -> None:
    assert "coins: simultaneous, no chance, 2 players" in did("games")
    assert "random" in did("agents", "coins")
    assert "1 agent and 0 heuristics" in did("games", "coins")
    with installed(tmp_path / "a", "coin-agents", {"coin_agents.py": AGENTS}, POINTS):
        assert "heads" in did("agents", "coins")
        assert "random" in did("match", "coins", "heads", "random", "--games", 4)
        with installed(tmp_path / "b", "coin-twins", {"more_coin_agents.py": AGENTS}, TWIN):
            said = spar("agents", "coins")
    assert said.code == 0
    assert "coin-agents and coin-twins both have the agent heads of coins; that of coin-agents plays" in said.err


BROKEN = {
    "cannot be imported": (
        "import nothing_of_this_name\n",
        "ModuleNotFoundError: No module named 'nothing_of_this_name'",
    ),
    "a slip": ("def oops(:\n", "SyntaxError"),
    "leaves": ("raise SystemExit(3)\n", "SystemExit: 3"),
    "no game": ("Broken = 3\n", "3 is not a class derived from Game"),
    "no class": ("", "AttributeError: module 'broken' has no attribute 'Broken'"),
    "another name": (GAME + "Broken = Coins\n", "Coins calls itself coins, not broken"),
    "another contract": (
        GAME + "class Broken(Coins):\n    name, api = 'broken', 99\n",
        "Broken says api = 99, and this is contract 1 of games",
    ),
    "lacks something": (
        "from sparring.games.contract import Game\nclass Broken(Game):\n    name, api = 'broken', 1\n",
        "Broken does not define kind, new, state, version",
    ),
}


@pytest.mark.parametrize(("code", "fault"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_named_in_a_line_and_stops_no_other(code: str, fault: str, tmp_path: Path) -> None:
    with installed(tmp_path, "broken-games", {"broken.py": code}, {"sparring.games": {"broken": "broken:Broken"}}):
        listed = spar("games")
        asked = spar("match", "broken", "random", "random")
        assert "voronoi" in did("games", "isolation")
        assert {game.name for game in play.games(None)} == {"battlesnake", "flagwar", "isolation", "ludo"}
    assert (listed.code, "isolation:" in listed.out, "broken" in listed.out) == (0, True, False)
    (line,) = listed.err.splitlines()
    assert line.startswith("spar: broken of the package broken-games cannot be used: ")
    assert fault in line
    assert line.endswith("; update, repair or uninstall broken-games")
    assert (asked.code, asked.out, asked.err.splitlines()) == (2, "", [line])


def test_a_game_that_cannot_be_set_up_is_named_too(tmp_path: Path) -> None:
    code = f"{GAME}class Broken(Coins):\n    name = 'broken'\n    def __init__(self):\n        1 / 0\n"
    with installed(tmp_path, "broken-games", {"broken.py": code}, {"sparring.games": {"broken": "broken:Broken"}}):
        said = spar("games")
    told = "spar: broken of the package broken-games cannot be set up: ZeroDivisionError: division by zero\n"
    assert (said.code, said.err) == (0, told)


@pytest.mark.parametrize("group", ["agents", "heuristics", "searches"])
def test_a_broken_package_for_a_game_does_not_stop_the_game(group: str, tmp_path: Path) -> None:
    with installed(tmp_path, "bad-ideas", {"bad.py": "1 / 0\n"}, {f"sparring.{group}": {"isolation": "bad"}}):
        said = spar("agents", "isolation")
    assert (said.code, "voronoi" in said.out) == (0, True)
    (line,) = said.err.splitlines()
    assert line.startswith("spar: isolation of the package bad-ideas cannot be used: ZeroDivisionError")


@pytest.mark.usefixtures("coins")
def test_two_packages_with_one_game_are_refused_and_both_are_named(tmp_path: Path) -> None:
    twin = {"twin.py": GAME}
    with installed(tmp_path / "twin", "other-coins", twin, {"sparring.games": {"coins": "twin:Coins"}}):
        said, listed = spar("match", "coins", "random", "random"), spar("games")
    told = "the packages coin-games and other-coins both have a game called coins; uninstall one of them"
    assert (said.code, said.err) == (2, f"spar: {told}\n")
    assert (listed.code, listed.err) == (0, f"spar: {told}\n")


@pytest.mark.usefixtures("coins")
def test_a_game_knows_the_code_of_its_plug_ins_and_of_no_others(tmp_path: Path) -> None:
    ours, plain = registry.code("isolation"), registry.code("coins")
    assert plain.startswith(f"{ours}-")
    with installed(tmp_path / "more", "coin-agents", {"coin_agents.py": AGENTS}, POINTS):
        assert registry.code("coins") != plain
        assert registry.code("isolation") == ours


@pytest.mark.parametrize("file", ["coins.py", "coin_data/book.txt"])
def test_an_edited_file_of_a_plug_in_makes_another_experiment(tmp_path: Path, file: str) -> None:
    data = {"coin_data/__init__.py": "", "coin_data/book.txt": "heads\n"}
    files = {**data, "coins.py": GAME, "coin_agents.py": AGENTS}
    points = {"sparring.games": {"coins": "coins:Coins"}, **POINTS}
    ids = []
    with installed(tmp_path, "coin-games", files, points):
        (tmp_path / "coin_games-1.0.dist-info/top_level.txt").write_text("coins\ncoin_data\n")
        for text in (None, None, "# edited\n"):
            if text:
                with (tmp_path / file).open("a") as edited:
                    edited.write(text)
            for one in (tmp_path / name for name in files):
                os.utime(one, (0, 0))  # as if a new process had begun after the edit
            forget()
            content.cache_clear()
            ids.append(Contest.of(make_experiment(game="coins", agents=["heads", "random"], games=2)).id)
    assert ids[0] == ids[1] != ids[2]


KNIGHTS = """
from sparring.games.capabilities import LogReader
from sparring.games.isolation.game import Isolation


class Knights(Isolation):
    name = "knights"
    title = "Two Knights"
    offers = {LogReader: "knights.logs"}
"""
LOGS = """
from sparring.games.capabilities import LoggedGame
from sparring.games.replay import replay
from sparring.games.registry import game

LOGS = "a line of moves after `knights:`"


def is_log(text):
    return text.startswith("knights:")


def read_log(text, file):
    moves = text.split()[1:]
    start = game("knights", opening="free").start(0)
    return LoggedGame(tuple(replay(start, moves)), ("ann", "bob"), (), "broken off", 0)
"""
CASE = '[[cases]]\nname = "one"\nposition = "d4 e6"\nforbid = ["f5"]\n'


def test_a_game_brings_a_suite_experiments_and_a_reader_of_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {
        "knights/__init__.py": "",
        "knights/game.py": KNIGHTS,
        "knights/logs.py": LOGS,
        "knights/suite.toml": CASE,
        "knights/experiments/tour.toml": 'game = "knights"\nagents = ["random", "alphabeta:mine.py"]\n',
        "game.jsonl": "knights: d4 e6 f5 c5",
    }
    with installed(tmp_path, "knights", files, {"sparring.games": {"knights": "knights.game:Knights"}}):
        assert "positions with known answers" in did("games", "knights")
        assert "always" in did("suite", "knights", "random")
        assert did("replay", "game.jsonl").startswith("ann v bob: broken off, 4 moves\nmove 0 of 4: start\n")
        assert "random plays" in did("explain", "knights", "--agent", "random", "--position", "game.jsonl@3")
        refused = spar("explain", "isolation", "--agent", "random", "--position", "game.jsonl@3")
        assert "this is a position of knights, not of isolation" in refused.err
        assert "one of seed-000, " in spar("run", "tours").err
        assert "tour" in spar("run", "tours").err
