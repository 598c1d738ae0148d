"""Tuning finds better weights in noisy games and tests them; ablation finds which parts make an agent strong."""

import json
import re
import shlex
import signal
import sqlite3
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import at_home, did, finished, spar, started
from sparring.agents.spec import Spec
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.core.errors import SparringError
from sparring.core.terms import Weight
from sparring.statistics.intervals import expected
from sparring.tuning.ablation import parts
from sparring.tuning.meeting import EloDifference
from sparring.tuning.methods import METHODS, Array
from sparring.tuning.task import Tuning
from sparring.tuning.tuned import tail_mean

ISOLATION = sparring.game("isolation")
CRIPPLED = "next_moves(moves=-1,next_moves=0.2),nodes=50"
USERS_FILE = '''
"""A heuristic with a term that matters and one that does not."""
from sparring import Terms, Weight, heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits, opponent


@heuristic("isolation", moves=Weight(0.5, low=0, high=2), whim=Weight(3, 3, 3))
def mine(s, me):
    moves = count(exits(s, me)) - count(exits(s, opponent(me)))
    return Terms(moves=moves, corner=s.at[me] % 2, whim=count(exits(s, me)) * 0.0)
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(tmp_path, monkeypatch, USERS_FILE)


# Methods, where the best weights are known


BEST = np.array([0.8, 0.3, 0.6, 0.45])
STEEPNESS = np.array([500.0, 300.0, 200.0, 100.0])


def strength(point: Array) -> float:
    """In Elo, below the best."""
    return float(-(STEEPNESS * (point - BEST) ** 2).sum())


@pytest.mark.parametrize(("name", "games"), [("spsa", 6000), ("cma", 25600)])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_method_finds_the_best_weights_though_every_game_is_mostly_luck(name: str, games: int, seed: int) -> None:
    """Two points meet each other, more meet the weights that it began with."""
    method, luck = METHODS[name], np.random.default_rng([seed, 1])
    start, each = np.full(4, 0.5), games // method.steps // method.points
    search, way = method(start, method.steps, seed), []
    for _ in range(method.steps):
        points = search.ask()
        assert points.shape == (method.points, 4)
        assert ((points >= 0) & (points <= 1)).all()
        rivals = points[::-1] if method.points == 2 else [start] * method.points
        leads = [strength(point) - strength(rival) for point, rival in zip(points, rivals, strict=True)]
        search.tell(np.array([luck.binomial(each, expected(lead)) / each for lead in leads]))
        way.append(search.centre)
    assert strength(start) < -50
    assert strength(tail_mean(np.array(way))) > -12


def test_told_the_same_scores_a_method_asks_for_the_same_points() -> None:
    for method in METHODS.values():
        one, two = (method(np.full(3, 0.5), 10, seed=7) for _ in range(2))
        for _ in range(10):
            np.random.seed(1)  # nobody draws from the generator of all
            points = one.ask()
            np.random.seed(2)
            assert (two.ask() == points).all()
            scores = points.sum(axis=1)
            one.tell(scores)
            two.tell(scores)


# Ranges


def test_a_range_is_as_declared_or_as_wide_as_the_weight_is_large_and_holds_the_default() -> None:
    assert Weight(8000).range == (-8000, 24000)
    assert Weight(-10).range == (-30, 10)
    assert Weight(0).range == (-2, 2)
    assert Weight(0.25, low=0, high=2).range == (0, 2)
    assert Weight(0.25, low=0).range == (0, 0.75)

    def far(s, me):  # type: ignore[no-untyped-def]
        return 1.0

    with pytest.raises(SparringError, match="widen"):
        sparring.heuristic("isolation", far=Weight(3, low=0, high=2))(far)


def test_fixed_weights_are_not_tuned_and_a_weight_outside_its_range_widens_it(home: Path) -> None:
    space = Tuning(ISOLATION, "mine.py(moves=5),nodes=50").space
    assert list(space.weights) == ["moves", "corner"]
    assert space.weights["moves"].range == (0, 5)
    assert space.agent_at(np.array([0.5, 0.5])) == "mine.py(moves=2.5,corner=1),nodes=50"
    assert list(Tuning(ISOLATION, "mine.py", only=("corner",)).space.weights) == ["corner"]


@pytest.mark.parametrize("agent", ["matrix", "level_k", "seed:corrected", "matrix:detailed_corrected"])
def test_what_winning_counts_in_flag_war_is_not_tuned(agent: str) -> None:
    weights = Tuning(sparring.game("flagwar"), agent).space.weights
    assert "flag" in weights
    assert "result" not in weights


# Real games


def test_tuning_by_games_that_all_end_alike_says_so_and_what_would_help(home: Path) -> None:
    """In self-play this agent never moves, whatever its weights are."""
    words = ("tune", "flagwar", "seed", "--stall_limit", 1, "--games", 20, "--workers", 1)
    said = spar(*words)
    assert said.out.splitlines()[0] == (
        "nothing was tuned: all candidates scored the same in all games; "
        "give more --games, or an opponent such as --against random"
    )
    assert "play it" not in said.err
    told = did(*words, "--against", "random", "--against", "random", "--out", "other.toml")
    assert not told.startswith("nothing was tuned")
    assert told.count("against random: tuned ") == told.count(" --against random") == 1


@pytest.mark.slow
def test_a_crippled_heuristic_is_healed_and_its_file_names_an_agent(home: Path) -> None:
    """By CMA-ES; the page about tuning has the output of the usual method."""
    words = ["tune", "isolation", CRIPPLED, "--games", 900, "--method", "cma"]
    out = did(*words, "--plot", "way.svg")
    assert out.startswith("tuned is better: +")
    assert "over the default weights, 224 games in 112 pairs" in out
    assert (home / "way.svg").read_text().startswith("<?xml")
    told = json.loads(did(*words, "--json"))
    assert told["edge"]["low"] > 50
    assert len(told["path"]) * told["path"][0]["games"] >= 600
    assert [check["after"] for check in told["milestones"]] == sorted(check["after"] for check in told["milestones"])
    scores = []
    for name in ("next_moves_tuned.toml", told["agent"]):
        match = json.loads(did("match", "isolation", name, CRIPPLED, "--games", 60, "--json"))
        scores.append(match["pairings"][0]["score"])
    assert scores[0] == scores[1] > 0.6


@pytest.mark.slow
def test_a_tuning_that_was_killed_or_stopped_goes_on_to_the_same_end(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["tune", "isolation", "next_moves,nodes=20", "--games", 200]
    running = started(home, *words)
    while not kept_steps(home / "games.db") and running.poll() is None:
        time.sleep(0.005)
    running.send_signal(signal.SIGKILL)
    finished(running)
    known = len(kept_steps(home / "games.db"))
    assert known
    played = iter([False, False, False, True])

    def stopped_at_last(contest: Contest, **settings: Any) -> Tournament:
        return replace(run(contest, **settings), interrupted=next(played))

    with monkeypatch.context() as patch:
        patch.setattr("sparring.tuning.run.run", stopped_at_last)
        said = spar(*words)
    assert said.code == 130
    assert said.out.startswith("interrupted after ")
    assert "continue: spar tune isolation" in said.out
    assert known < len(kept_steps(home / "games.db"))
    assert not list(home.glob("*.toml"))
    went_on = json.loads(did(*words, "--json"))
    once = json.loads(did(*words, "--json", "--store", "other.db", "--workers", 1))
    for told in (went_on, once):
        del told["confirmed"], told["command"]
    assert went_on == once
    assert kept_steps(home / "games.db") == kept_steps(home / "other.db")


def kept_steps(store: Path) -> list[tuple[int, str]]:
    try:
        with sqlite3.connect(store) as sql:
            return sql.execute("SELECT number, found FROM steps ORDER BY number").fetchall()
    except sqlite3.Error:
        return []


def test_the_printed_command_writes_the_same_files_and_may_confirm(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["tune", "isolation", "next_moves,nodes=20", "--games", 20, "--confirm", 4, "--out", "my best.toml"]
    told = did(*words, "--plot", "way.svg")
    (again,) = [line.removeprefix("again: spar ") for line in told.splitlines() if line.startswith("again: ")]
    best, picture = home / "my best.toml", home / "way.svg"
    first, found = best.read_text(), kept_steps(home / "games.db")
    best.unlink()
    picture.unlink()
    monkeypatch.setattr("sparring.tuning.run.TuningRun._play", stopped)  # nothing is played again
    assert did(*shlex.split(again)) == told
    assert best.read_text() == first
    assert picture.exists()
    words[words.index("--confirm") + 1] = 40
    more = json.loads(did(*words, "--json"))
    assert kept_steps(home / "games.db") == found
    assert more["confirmed"]["games"] == 40
    assert [one["after"] for one in more["milestones"]] == [4, 6, 8, 10, 14, 16, 18, 20], "8 in 10 steps of 2 games"
    assert best.read_text().startswith(f"# {more['verdict']}\n")


@pytest.mark.parametrize("players", [2, 3])
def test_a_match_is_suggested_unless_the_weights_are_worse(
    home: Path, monkeypatch: pytest.MonkeyPatch, players: int
) -> None:
    """With two players, and with three, of which one side has more seats."""
    words = ["tune", "ludo", "one_ply", "--players", players, "--games", 30, "--out", "far.toml"]
    monkeypatch.setattr(EloDifference, "verdict", 0)
    said = spar(*words)
    assert "play it: spar match ludo far.toml one_ply " in said.err
    did(*shlex.split(said.err.split("play it: spar ")[1]), "--games", 6)
    monkeypatch.setattr(EloDifference, "verdict", -1)
    said = spar(*words)
    assert said.out.startswith("tuned is worse")
    assert "play it" not in said.err


# Agents in files


@pytest.mark.slow
def test_a_tuned_agent_plays_wherever_one_is(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("out", "elsewhere"):
        (home / folder).mkdir()
    did("tune", "isolation", "mine.py,nodes=20", "--games", 10, "--out", "out/best.toml")
    here = sparring.agent(ISOLATION, "out/best.toml")
    assert here.spec.startswith("mine.py(")
    for folder, name in (("out", "best.toml"), (".", home / "out/best.toml"), ("elsewhere", "../out/best.toml")):
        monkeypatch.chdir(home / folder)
        there = sparring.agent(ISOLATION, f"{name}")
        assert there.spec.partition("(")[2] == here.spec.partition("(")[2]
        assert there.sources == here.sources
    assert json.loads(did("match", "isolation", name, "random", "--games", 2, "--json"))["failures"] == {}


def test_an_agent_of_its_own_that_a_file_names_plays_in_a_process_of_its_own(home: Path) -> None:
    (home / "out").mkdir()
    text = 'from sparring import agent\n@agent("isolation")\ndef first(view):\n    return view.legal[0]\n'
    (home / "out/first.py").write_text(text)
    (home / "out/first.toml").write_text('game = "isolation"\nagent = "first.py"\n')
    assert json.loads(did("match", "isolation", "out/first.toml", "random", "--games", 2, "--json"))["failures"] == {}


def test_a_folder_that_no_agent_can_be_named_in_is_told_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = home / "my,dir"
    odd.mkdir()
    (odd / "idea.py").write_text((home / "mine.py").read_text())
    monkeypatch.chdir(odd)
    told = spar("tune", "isolation", "idea.py,nodes=20", "--games", 10, "--out", "../best.toml").err
    assert told.startswith("spar: no agent can be named in 'my,dir/idea.py'")
    assert not (home / "best.toml").exists()


def test_what_is_said_beside_an_agents_file_replaces_what_it_says(home: Path) -> None:
    (home / "mild.toml").write_text('game = "isolation"\nagent = "next_moves(moves=2,next_moves=0.5),nodes=300"\n')
    assert sparring.agent(ISOLATION, "mild.toml").spec == "next_moves(moves=2,next_moves=0.5),nodes=300"
    other = sparring.agent(ISOLATION, "mild.toml(moves=3),time=20ms")
    assert other.spec == "next_moves(moves=3,next_moves=0.5),time=20ms"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ('agent = "open"', 'write game = "isolation" and agent = "..." in it'),
        ('game = "ludo"\nagent = "one_ply"', "holds an agent of ludo, not of isolation"),
        ('game = "isolation"\nagent = "mild.toml"', "names another file"),
        ("game = ", "cannot be read"),
        ('game = "isolation"\nagent = "opne"', "did you mean open?"),
        ('game = "isolation"\nagent = "gone.py,nodes=20"', "mild.toml names gone.py, but there is no such file"),
        ("", "no file mild.toml; `spar tune ... --out mild.toml` writes one"),
    ],
)
def test_an_agents_file_with_a_slip_is_told_in_a_line(text: str, remedy: str, home: Path) -> None:
    if text:
        (home / "mild.toml").write_text(text)
    said = spar("match", "isolation", "mild.toml", "random", "--games", 2)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert remedy in said.err


# Slips


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        (["isolation", "voronoi"], "has a single term"),
        (["isolation", "greedy"], "has no terms with weights"),
        (["isolation", "next_moves", "--only", "mvoes"], "did you mean moves"),
        (["isolation", "next_moves", "--games", "8"], "give at least 10"),
        (["isolation", "next_moves", "--method", "cma", "--games", "100"], "give at least 640"),
        (["isolation", "next_moves", "--against", "imporved"], "did you mean improved?"),
        (["isolation", "next_moves", "--out", "tuned.txt"], "look like tuned.toml"),
        (["isolation", "next_moves", "--out", "nowhere/tuned.toml"], "name a file in a folder that exists"),
        (["isolation", "next_moves", "--plot", "way.doc"], ".svg or .png"),
        (["isolation", "next_moves", "improved"], "name one agent"),
        (["battlesnake", "one_ply:steady", "--players", "1"], "choose more players"),
        (["isolation", "mine.py,nodes=50", "--out", "mine.toml"], "name another file by --out"),
        (["ablate", "isolation", "greedy"], "no terms and no flaws"),
        (["ablate", "isolation", "next_moves", "--only", "flaws"], "has no flaws to switch"),
        (["ablate", "isolation", "next_moves", "--only", "mvoes"], "did you mean moves"),
    ],
)
def test_a_mistake_is_told_in_a_line_before_a_game_is_played(words: list[str], remedy: str, home: Path) -> None:
    (home / "mine.toml").write_text("precious")
    said = spar(*(words if words[0] == "ablate" else ["tune", *words]))
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert remedy in said.err
    assert [file.read_text() for file in home.glob("*.toml")] == ["precious"]


@pytest.mark.slow
def test_a_heuristic_that_fails_in_games_is_not_tuned(home: Path) -> None:
    wild = USERS_FILE.replace("s.at[me] % 2", "s.at[me + 2] % 2")
    (home / "mine.py").write_text(wild)
    said = spar("tune", "isolation", "mine.py,nodes=50", "--games", 20)
    assert said.code == 2
    assert re.match(r"spar: mine\.py\(moves=.*\),nodes=50 lost 1 game by crash, which must be fixed first", said.err)
    assert not list(home.glob("*.toml"))
    said = spar("ablate", "isolation", "mine.py,nodes=50", "--games", 4)
    assert (said.code, said.out) == (2, "")
    assert re.match(r"spar: mine\.py.*,nodes=50 lost \d games by crash, which must be fixed first", said.err)


@pytest.mark.slow
@pytest.mark.parametrize(("command", "playing"), [("tune", "run.TuningRun.result"), ("ablate", "ablation.run")])
def test_a_heuristic_that_cannot_be_compiled_is_told_once_or_refused(
    home: Path, monkeypatch: pytest.MonkeyPatch, command: str, playing: str
) -> None:
    slow = USERS_FILE.replace("s.at[me] % 2", "max([1.0, 2.0], key=lambda value: value * me)")
    (home / "mine.py").write_text(slow)
    said = spar(command, "isolation", "mine.py,depth=1", "--games", 10, "--strict")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert "mine cannot be compiled" in said.err
    monkeypatch.setattr(f"sparring.tuning.{playing}", stopped)
    said = spar(command, "isolation", "mine.py,depth=1", "--games", 10)
    assert (said.code, said.out) == (130, "")
    assert said.err.count("playing on in plain Python") == 1


def stopped(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


# Ablation


@pytest.mark.slow
def test_mending_the_flaw_that_hurts_is_worth_most(home: Path) -> None:
    words = ["ablate", "ludo", "rulebased:as_written", "--players", 2, "--games", 400]
    told = json.loads(did(*words, "--only", "win,bounce,overshoot", "--json"))["parts"]
    assert {part["change"] for part in told} == {"win=0", "fix=win", "fix=bounce", "keep=overshoot"}
    worth = {part["change"]: part for part in told if part["change"] != "win=0"}
    assert max(worth, key=lambda change: worth[change]["elo"]) == "fix=bounce"
    assert worth["fix=bounce"]["low"] > max(0, worth["fix=win"]["high"])
    assert worth["keep=overshoot"]["elo"] > 0  # the agent without the flaw is the better one


def test_parts_can_be_compared_at_tables_of_three(home: Path) -> None:
    words = ["ablate", "ludo", "rulebased:as_written", "--players", 3, "--games", 60, "--only", "win,bounce"]
    drawn = did(*words, "--plot", "parts.svg")
    assert "60 games each" in drawn
    again = "--games 60 --seed 1 --only win,bounce --players 3 --plot parts.svg"
    assert f"again: spar ablate ludo rulebased:as_written {again}" in drawn.splitlines()
    for change in ("win=0", "fix=win", "fix=bounce"):
        assert f"<!-- {change} -->" in (home / "parts.svg").read_text()


def test_an_interrupted_ablation_tells_what_was_played(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def played_in_part(contest: Contest, *args: Any, **settings: Any) -> Tournament:
        batches = run(contest, workers=1).batches
        return Tournament(contest, [batch for batch in batches if batch.table == 0], interrupted=True)

    monkeypatch.setattr("sparring.tuning.ablation.run", played_in_part)
    told = str(sparring.ablate("isolation", "next_moves,nodes=20", games=20))
    assert told.startswith("interrupted after 20 games\n")
    assert "with it against without it, 0 to 20 games each" in told


def test_no_worth_is_minus_nothing_but_an_end_of_its_interval_says_on_which_side_it_is() -> None:
    assert str(EloDifference(-0.3, -0.4, 0.2, 10, 5)) == "+0 Elo [-0, +0]"


@pytest.mark.parametrize(
    ("game", "agent", "other", "gains"),
    [
        ("isolation", "avoid_corners_as_written,depth=2", "avoid_corners_corrected,depth=2", True),
        ("isolation", "minimax:avoid_corners_corrected(moves=2)", "minimax:avoid_corners_as_written(moves=2)", False),
        ("flagwar", "matrix:quick_as_written(on_flag=1,flag=2)", "matrix:quick_corrected(flag=2)", True),
        ("flagwar", "matrix:detailed_corrected,size=8", "matrix:detailed_as_written,size=8", False),
    ],
)
def test_a_heuristic_as_written_and_corrected_has_a_flaw(game: str, agent: str, other: str, gains: bool) -> None:
    made = sparring.game(game)
    (part,) = parts(made, sparring.agent(made, agent), ["flaws"])
    assert (part.text, part.gains) == (other, gains)
    assert sparring.agent(made, part.text).spec == other


def test_a_users_heuristic_of_such_a_name_has_no_other_of_a_pair(home: Path) -> None:
    mine = (home / "mine.py").read_text()
    (home / "copied.py").write_text(mine.replace("def mine(", "def chase_as_written("))
    game = sparring.game("isolation")
    named = sparring.agent(game, "copied.py:chase_as_written,depth=1")
    assert {part.change for part in parts(game, named)} == {f"{term}=0" for term in named.tunable}


def test_a_flaw_is_switched_to_the_other_side() -> None:
    game = sparring.game("flagwar")
    changed = {part.name: part for part in parts(game, sparring.agent(game, "seed:corrected,keep=ties"), ["flaws"])}
    assert (changed["ties"].change, changed["ties"].gains) == ("fix=ties", True)
    assert Spec.parse(changed["ties"].text).options == {"fix": "ties"}
    assert (changed["reply"].change, changed["reply"].gains) == ("keep=reply", False)
    assert Spec.parse(changed["reply"].text).options == {"keep": "ties+reply"}


@pytest.mark.parametrize(
    ("game", "agent"),
    [
        ("ludo", "rulebased:as_coded"),
        ("battlesnake", "rhea:as_written,evolutions=5"),
        ("flagwar", "repo64"),
        ("flagwar", "utility:aggressive:corrected"),
    ],
)
def test_all_designs_with_flaws_can_be_taken_apart(game: str, agent: str) -> None:
    made = sparring.game(game)
    whole = sparring.agent(made, agent)
    for part in parts(made, whole, ["flaws"]):
        fixes = sparring.agent(made, part.text).fixes
        assert fixes ^ whole.fixes == {part.name}
        assert (part.name in fixes) == part.gains
