"""Experiment files say what is meant in more than one way, and what is wrong with one is told with its line."""

import random
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from commands import spar
from sparring.arena.experiment import Contest, Experiment, load, make_experiment
from sparring.arena.store import Store
from sparring.core.errors import SparringError
from sparring.statistics.sprt import Sprt, TableSprt, parse_sprt, sprt_text


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "experiment.toml"


def planned(file: Path, text: str) -> Contest:
    """An experiment made ready, but not played."""
    file.write_text(text)
    [(experiment, places)] = load(file)
    return Contest.of(experiment, source=places)


def refused(file: Path, text: str) -> str:
    """What is told of a file that is wrong."""
    with pytest.raises(SparringError) as error:
        planned(file, text)
    (line,) = str(error.value).splitlines()
    return line


HEAD = 'game = "isolation"\n'


def test_agents_may_be_a_table_of_names(file: Path) -> None:
    text = (
        '[agents]\nplain = "random"\nmine = { spec = "improved", nodes = 300 }\n[agents.yours]\nspec = "open,depth=2"'
    )
    contest = planned(file, HEAD + text)
    assert contest.names == ["plain", "mine", "yours"]
    assert [member.spec for member in contest.participants] == ["random", "improved,nodes=300", "open,depth=2"]


def written(file: Path, text: str) -> Path:
    file.write_text(text)
    return file


def test_every_contestant_meets_every_opponent_and_nobody_else(file: Path) -> None:
    text = HEAD + '[contestants]\na = "greedy"\nb = "open,depth=1"\n[opponents]\nc = "random"\nd = "center,depth=1"'
    contest = planned(file, text)
    met = [{contest.names[number] for number in table} for table in contest.tables]
    assert met == [{"a", "c"}, {"a", "d"}, {"b", "c"}, {"b", "d"}]


def test_tables_say_who_meets_whom(file: Path) -> None:
    text = HEAD + 'agents = ["random", "greedy", "open,depth=1"]\ntables = [["greedy", "random"]]\ngames = 4'
    result = sparring.run(written(file, text))
    assert {frozenset(game.agents) for game in result.games} == {frozenset({"greedy", "random"})}
    assert result.games[0].agents == ("greedy", "random")
    alike = HEAD + 'games = 4\n[agents]\none = "open,depth=1"\nother = "open,depth=1"'
    assert sparring.run(written(file, alike)).pairings[0].score.mean == 0.5


@pytest.mark.parametrize(
    ("said", "test"),
    [
        ('sprt = "0:10"', Sprt(0, 10)),
        ('sprt = "-5:5,model=logistic,alpha=0.01"', Sprt(-5, 5, model="logistic", alpha=0.01)),
        ("[sprt]\nelo0 = 1\nelo1 = 6", Sprt(1, 6)),
        ("[sprt]", Sprt()),
    ],
)
def test_a_sequential_test_may_be_a_text_or_a_table(file: Path, said: str, test: Sprt) -> None:
    assert planned(file, HEAD + 'agents = ["random", "greedy"]\n' + said).experiment.sprt == test


@settings(deadline=None)
@given(
    low=st.integers(-400, 0),
    width=st.integers(1, 99),
    model=st.sampled_from(["normalised", "logistic"]),
    alpha=st.sampled_from([0.05, 0.01, 0.001, 0.25]),
    table=st.booleans(),
)
def test_a_sequential_test_is_read_back_from_text(low: int, width: int, model: str, alpha: float, table: bool) -> None:
    test: Sprt | TableSprt = Sprt(low, low + width, model, alpha=alpha)
    if table:
        test = TableSprt(low / 400, low / 400 + width / 100, alpha=alpha)
    assert sprt_text(parse_sprt(sprt_text(test))) == sprt_text(test)
    assert parse_sprt(sprt_text(test)) == test or table  # effects are written with six digits


def test_limits_are_read_in_their_units(file: Path) -> None:
    text = 'agents = ["random", "greedy"]\nlimit = "150ms"\nbank = 2.5\nstall = "5s"\nmemory = "512MB"\noutput = "64kB"'
    limits = planned(file, HEAD + text).experiment.limits()
    assert (limits.move, limits.bank, limits.stall) == (0.15, 2.5, 5.0)
    assert (limits.memory, limits.output) == (512 << 20, 64 << 10)


@pytest.mark.slow
def test_limits_failures_and_decisions_of_a_file_hold_in_its_games(file: Path, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        'import time\nfrom sparring import agent\n@agent("isolation")\ndef slow(view):\n    time.sleep(0.3)\n'
    )
    text = f'games = 20\ndecisions = true\nfailures = 2\nlimit = "100ms"\nagents = ["{tmp_path}/slow.py", "random"]'
    result = sparring.run(written(file, HEAD + text))
    assert result.failures() == {f"{tmp_path}/slow.py": {"timeout": 2}}
    assert result.played == 2
    assert any(game.decisions for game in result.games)


def test_an_experiment_is_kept_whole(file: Path, tmp_path: Path) -> None:
    text = """
        title = "all of it"
        game = "isolation"
        options = { board = "4x5", piece = "queen" }
        games = 4
        seed = 11
        seating = "permutations"
        stall = "5s"
        failures = 3
        sprt = "0:100,alpha=0.1"
        [agents]
        mine = { spec = "open", nodes = 50, time = "5ms", claim = 61.5 }
        yours = "greedy"
    """
    result = sparring.run(written(file, text), store=(store := Store(tmp_path / "games.db")))
    kept = store.contest(result.id)
    assert kept.experiment == result.contest.experiment
    assert (kept.names, kept.tables) == (result.names, result.contest.tables)
    assert kept.game.options() == result.contest.game.options()


GOOD = """# a comment
title = "tidy"
game = "isolation"
options = { board = "5x5" }
games = 4
seed = 3
failures = 5
stall = "5s"

[agents]
mine = { spec = "improved", nodes = 200 }
"open,depth=2" = "open,depth=2"
'quoted' = { spec = "greedy" }
[agents.far]
spec = "center"
nodes = 50
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("mine = { spec", "mine = { spek", ":11: agents.mine.spe"),
        ('"improved"', '"improvd"', ":11: unknown agent of isolation 'improvd'; did you mean improved"),
        ('= "open,depth=2"', '= "open,depht=2"', ":12: unknown option of open 'depht'; did you mean depth"),
        ('"greedy"', '"greedy,depth=3"', ":13: greedy takes no options"),
        ('spec = "center"', 'spec = "centre"', ":14: unknown agent of isolation 'centre'"),
        ("games = 4", "games = 5", ":5: games come in pairs"),
        ("games = 4", 'games = "four"', ":5: games must be a "),
        ("seed = 3", "seed = -3", ":6: seed must be a whole number from 0 to"),
        ('stall = "5s"', 'stall = "5"', ":8: stall must be such as 150ms"),
        ('stall = "5s"', 'bank = "1 hour"', ":8: bank must be such as 150ms"),
        ('stall = "5s"', 'memory = "lots"', ":8: memory must be such as 512MB"),
        ('stall = "5s"', 'sprt = "0-10"', ":8: a sequential test is such as 0:10"),
        ('stall = "5s"', 'sprt = "effect=0:0.1"', ":8: a sequential test of 2 players is given in Elo"),
        ('stall = "5s"', "sprt = { elo0 = 20 }", ":8: "),
        ('stall = "5s"', "sprt = { ello = 5 }", ":8: unknown setting of a sequential test 'ello'; did you mean elo"),
        ('stall = "5s"', 'tables = [["mine", "nobody"]]', ":8: unknown agent at a table 'nobody'"),
        ('stall = "5s"', 'tables = [["mine", "mine"]]', ":8: a table seats 2 agents"),
        ('stall = "5s"', 'tables = ["mine"]', ":8: tables"),
        ("5x5", "5x50", ":4: no board '5x50'"),
        ('game = "isolation"', 'game = "isolatoin"', ":3: unknown game 'isolatoin'; did you mean isolation"),
        ("[agents]\n", "[agents]\n[agents]\n", ":11: "),
    ],
)
def test_a_slip_is_told_with_its_line(file: Path, old: str, new: str, told: str) -> None:
    assert GOOD.count(old) == 1
    assert refused(file, GOOD.replace(old, new)).startswith(f"{file}{told}")


@pytest.mark.parametrize(
    "agents",
    ['agents = ["random", { spec = "greedy" }]', 'agents = "random"', "agents = [[]]"],
)
def test_agents_that_are_neither_texts_nor_a_table_are_told(file: Path, agents: str) -> None:
    assert refused(file, HEAD + agents).startswith(f"{file}:2: agents")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", r":1: game is missing; say game = "),
        (HEAD, r":1: .*name \[agents\]"),
        (HEAD + 'agents = ["random"]', r":2: name at least two agents"),
        (HEAD + 'agents = ["random", "random"]', r":2: .*random cannot meet itself"),
        (HEAD + '[contestants]\na = "random"', r":1: .*name \[agents\], or \[contestants\] and \[opponents\]"),
        (HEAD + '[contestants]\na = "random"\n[opponents]\na = "greedy"', r":5: a is a contestant and an opponent"),
        (
            HEAD + 'tables = [["a", "b"]]\n[contestants]\na = "random"\n[opponents]\nb = "greedy"',
            r":2: tables seat the agents named under \[agents\]",
        ),
    ],
)
def test_a_file_that_says_too_little_is_told_what_is_missing(file: Path, text: str, told: str) -> None:
    assert re.match(re.escape(str(file)) + told, refused(file, text))


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"game = \xff\xfe")
    said = spar("run", file)
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert str(file) in said.err


@pytest.mark.parametrize("name", ["nowhere.toml", "."])
def test_a_file_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    said = spar("run", tmp_path / name)
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert "no experiment" in said.err


def test_a_wrong_change_of_a_setting_is_not_blamed_on_the_file(file: Path) -> None:
    with pytest.raises(SparringError, match=r"^games must be a"):
        load(written(file, HEAD + 'agents = ["random", "greedy"]\ngames = 4'), games="four")


SETTINGS = {
    "title": ('"fine"', ["5", "[1]"]),
    "games": ("4", ['"4 games"', "3.5", "[]", "7", "0"]),
    "seed": ("1", ["-1", '"one"', "1.5"]),
    "timed": ("false", ['"never"', "3"]),
    "limit": ('"1s"', ['"1"', '"0s"', "[1]", "-5"]),
    "bank": ('"0s"', ['"bank"', "-1"]),
    "stall": ('"5s"', ['"0s"', '"5 min"', "false"]),
    "memory": ('"1GB"', ['"1"', "5", '"0MB"']),
    "output": ('"1MB"', ['"MB"', "true"]),
    "failures": ("3", ["-3", '"none"']),
    "decisions": ("false", ['"sometimes"', "12"]),
    "seating": ('"rotations"', ['"round"', "1"]),
    "options": ('{ board = "5x5" }', ['{ board = "2x2" }', "{ board = 5 }", '{ bord = "5x5" }', "4"]),
}
ENTRIES = ['"random"', '"greedy"', '{ spec = "open", nodes = 30 }', '"center,depth=1"', '{ spec = "improved,depth=1" }']
WRONG_ENTRIES = ['"randm"', "5", "{ nodes = 30 }", '{ spec = "open", nodes = 0 }', '"open,depth=x"', "{ }", '"(("']
NAMES = ["a", "two-words", '"with, comma=1"', "'single'", '"dotted.name"', "x_1"]


def lines(chance: random.Random) -> list[str]:
    """A file that is right: settings in any order, among comments and empty lines; then the agents."""
    chosen = chance.sample(sorted(SETTINGS), chance.randint(0, len(SETTINGS)))
    found = ['game = "isolation"', *(f"{name} = {SETTINGS[name][0]}" for name in chosen)]
    chance.shuffle(found)
    found.append("[agents]")
    for name in chance.sample(NAMES, chance.randint(2, len(NAMES))):
        found.append(f"{name} = {chance.choice(ENTRIES)}")
    for _ in range(chance.randint(0, 5)):
        found.insert(chance.randint(0, len(found)), chance.choice(["", "# games = 4", "   ", "# [agents]"]))
    return found


def spoil(text: list[str], chance: random.Random) -> int:
    """Make one line wrong, and say which."""
    agents = text.index("[agents]")
    settings_ = [place for place, line in enumerate(text[:agents]) if line.partition(" ")[0] in SETTINGS]
    entries = [place for place, line in enumerate(text) if place > agents and "=" in line and line[0] != "#"]
    how = chance.choice(["unknown key", "wrong entry", "broken", *["wrong value"] * bool(settings_)])
    if how == "unknown key":
        place = chance.randint(0, agents)
        text.insert(place, chance.choice(["gmaes = 4", "agent = []", 'comment = "x"']))
    elif how == "wrong value":
        place = chance.choice(settings_)
        name = text[place].split()[0]
        text[place] = f"{name} = {chance.choice(SETTINGS[name][1])}"
    elif how == "wrong entry":
        place = chance.choice(entries)
        name = text[place].split(" = ")[0]
        text[place] = f"{name} = {chance.choice(WRONG_ENTRIES)}"
    else:
        place = chance.randint(0, len(text))
        text.insert(place, chance.choice(["what is this", "= 5", "[", 'x = "']))
    return place + 1


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_a_file_that_is_right_is_taken(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    text = "\n".join(lines(random.Random(seed)))
    Experiment.model_validate(tomllib.loads(text))
    planned(tmp_path_factory.getbasetemp() / "right.toml", text)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_whatever_is_wrong_in_a_file_its_line_is_named(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    chance = random.Random(seed)
    text = lines(chance)
    number = spoil(text, chance)
    file = tmp_path_factory.getbasetemp() / "wrong.toml"
    told = refused(file, "\n".join(text))
    assert told.startswith(f"{file}:{number}: "), "\n".join([told, *text])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"agents": ["random", 5]}, "agents"),
        ({"agents": [], "games": 2}, r"name \[agents\]"),
        ({"agents": ["random", "greedy"], "games": 10**12}, "games: Input should be less than or equal to 100000000"),
        ({"agents": ["random", "greedy"], "bank": "2s"}, "a bank pays for moves beyond their limit"),
        ({"agents": ["random", "greedy"], "limit": True}, "limit must be such as 150ms or 2s, not 'True'"),
        ({"agents": ["random", "greedy"], "sprt": "0:10,alpha=0.05,alpha=0.01"}, "given twice"),
        ({"agents": ["random", "greedy"], "sprt": {"alhpa": 0.1}}, "did you mean alpha"),
        ({"agents": ["random", "greedy"], "gmaes": 2}, "gmaes"),
        ({"agents": ["random", "greedy"], "limit": -1.0}, "limit"),
        ({"agents": ["random", "greedy"], "sprt": {"elo0": None}}, "elo0"),
        ({"agents": ["random", "greedy"], "sprt": {"elo1": True}}, "elo1 of a sequential test cannot be True"),
    ],
)
def test_wrong_settings_from_python_are_named(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SparringError, match=told):
        make_experiment(game="isolation", **settings)
