"""The example packages, built and installed by pip: each is a whole game by its own few lines."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numba import types

import sparring
from commands import did, finished, started
from sparring.core.bits import lowest
from sparring.core.kernel import bind, record_type, workspace
from strangers import EXAMPLES, found_in, installed_examples, pip_install
from web_pages import page

pytestmark = pytest.mark.slow

PERFT = [7, 49, 343, 2401, 16807, 117649, 823536]
"""Games of Connect Four after one move, two moves and so on, as published. Games that ended before do not count."""
TERMS = {"connect_four": ("lines", "middle"), "goofspiel": ("greedy", "cards")}
"""A heuristic of each example, and one of its terms."""

actors: Any
legal: Any
child: Any


@pytest.fixture(scope="module", autouse=True)
def examples() -> Iterator[None]:
    with found_in(installed_examples()):
        yield


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARRING_STORE", str(tmp_path / "games.db"))
    return tmp_path


@pytest.fixture(params=EXAMPLES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_example_is_small(name: str) -> None:
    files = [*EXAMPLES[name].rglob("*.py"), *EXAMPLES[name].rglob("*.toml")]
    assert 100 < sum(len(file.read_text().splitlines()) for file in files) < 250


def test_it_is_listed_played_and_understood(name: str, home: Path) -> None:
    agent = TERMS[name][0]
    assert f"{name}: " in did("games")
    assert "try: spar match" in did("games", name)
    assert agent in did("agents", name)
    assert did("match", name, agent, "random", "--games", 100).startswith(f"{agent} beats random")
    assert "start" in did("replay", "last", "--game", 1)
    assert "random missed a better move" in did("blunders", "last")
    assert f"{agent} plays" in did("explain", name, "--agent", agent)


def test_it_is_tuned_and_users_files_play_it(name: str, home: Path) -> None:
    agent, term = TERMS[name]
    assert f"\n{term}" in did("tune", name, agent, "--games", 100, "--out", "tuned.toml")
    did("new", name, "mine.py")
    (home / "last.py").write_text(
        f'from sparring import agent\n\n\n@agent("{name}")\ndef last(view):\n    return view.legal[-1]\n'
    )
    agents = ["tuned.toml", f"{agent}({term}=0)", "mine.py", "last.py", "random"]
    assert {*agents} <= set(did("league", name, *agents, "--games", 2).split())


def test_they_are_benched_and_played_on_the_page(home: Path) -> None:
    assert "signature" in did("bench", "goofspiel")
    with page(home, "--folder", ".") as web:
        assert {*EXAMPLES} <= {game["name"] for game in web.get("/api/games")}
        for name in EXAMPLES:
            one = {"game": name, "options": {}, "seed": 7, "moves": list[dict[str, str]]()}
            assert web.play(one, random.Random(1))["ending"]


def games_after(states: Any, moves: int) -> int:
    """A template: how many games there are after so many moves."""
    todo, games, ply = np.zeros(64, np.int64), 0, 0
    todo[0] = legal(states[0], 0)
    while ply >= 0:
        if todo[ply] == 0:
            ply -= 1
            continue
        child(states[ply + 1], states[ply], lowest(todo[ply]))
        todo[ply] &= todo[ply] - 1
        if ply + 1 == moves:
            games += 1
        elif actors(states[ply + 1]):
            ply += 1
            todo[ply] = legal(states[ply], ply & 1)
    return games


def test_connect_four_has_as_many_games_as_published() -> None:
    game = sparring.game("connect_four", opening=0)
    signature = types.int64(types.Array(record_type(game.state), 1, "C"), types.int64)
    counted = bind(games_after, dict(game.kernels), "perft", signature)
    states = workspace(game.state, 64)
    assert [counted(states, moves) for moves in range(1, 1 + len(PERFT))] == PERFT


@pytest.mark.parametrize(
    ("moves", "outcome"),
    [
        ("a b a b a b a", (1.0, 0.0)),
        ("a b b c c d c d d g d", (1.0, 0.0)),
        ("g a b a c a d a", (0.0, 1.0)),
        ("a b c", None),
    ],
)
def test_four_in_a_line_win(moves: str, outcome: tuple[float, ...] | None) -> None:
    assert sparring.game("connect_four").position(moves).outcome == outcome


def test_what_no_game_comes_to_is_refused_in_a_line() -> None:
    for text in ("a a a a a a a", "h", "a b a b a b a b", "......A", "/".join(["...A..."] * 6)):
        with pytest.raises(sparring.SparringError, match=r"^[^\n]*$"):
            sparring.game("connect_four").position(text)


def test_an_edited_rule_is_played_and_nothing_else_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    pip_install(EXAMPLES["connect_four"], site)
    monkeypatch.setenv("SPARRING_STORE", str(tmp_path / "games.db"))

    def match() -> tuple[str, str, Any]:
        """What it says of compiling, the experiment, and how long its games were."""
        said = finished(started(tmp_path, "match", "connect_four", "lines,depth=2", "random", "--games", 20, "--json"))
        told = json.loads(said.out)
        return said.err, told["id"], told["lengths"]

    def edit(file: str, old: str, new: str) -> None:
        text = (site / "connect_four" / file).read_text()
        assert old in text
        (site / "connect_four" / file).write_text(text.replace(old, new))

    with found_in(site):
        first = match()
        edit("rules.py", "STEPS = (1, ", "STEPS = (")  # lines in a column do not count
        edited = match()
        assert "compiling" in edited[0]
        assert edited[1] != first[1] and edited[2] != first[2]
        edit("game.py", "The free cell where", "The cell where")  # nothing compiled comes from there
        remarked = match()
        assert (remarked[0], remarked[2]) == ("", edited[2])
        assert remarked[1] != edited[1]  # but who knows what it does to a game
