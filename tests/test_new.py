"""`spar new`: the files that it writes, and the commands that they suggest."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from commands import did, spar
from sparring.games.registry import names
from strangers import found_in, installed, pip_install


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_a_new_file_compiles_plays_and_tells_what_to_try(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = did("new", game, "bold.py").splitlines()
    assert told[-1].startswith(f"spar match {game} bold.py")
    assert "def bold(s, me):" in Path("bold.py").read_text()
    for command in told[1:]:
        words = shlex.split(command)[1:]
        if "--games" in words:
            words[words.index("--games") + 1] = "2"
        assert "bold.py" in did(*words, "--strict")


def test_an_existing_file_is_not_changed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("my own text")
    said = spar("new", "isolation", file)
    assert (said.code, file.read_text()) == (2, "my own text")
    assert "is there already; choose another name" in said.err


@pytest.mark.parametrize(
    ("game", "name", "says"),
    [
        ("isolatio", "mine.py", "did you mean isolation?"),
        ("isolation", "my-idea.py", "choose a name such as my_idea.py"),
        ("isolation", "mine.txt", "mine.txt is no Python file; choose a name such as my_idea.py"),
        ("isolation", "exits.py", "exits means something else in such a file"),
        ("isolation", "nowhere/mine.py", "cannot write"),
    ],
)
def test_an_unusable_name_is_refused_and_nothing_is_written(game: str, name: str, says: str, tmp_path: Path) -> None:
    said = spar("new", game, tmp_path / name)
    assert said.code == 2
    assert says in said.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_game_without_an_idea_of_its_own_gets_a_plain_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "from sparring.games.isolation.game import Isolation\n\nclass Mine(Isolation):\n    name = 'mine'\n"
    with installed(tmp_path, "mine", {"mine/__init__.py": code}, {"sparring.games": {"mine": "mine:Mine"}}):
        assert did("new", "mine", "bold.py").splitlines()[1] == "spar match mine bold.py random --games 100"
        assert "#   s.to_move: int64" in Path("bold.py").read_text()
        assert "bold.py" in did("match", "mine", "bold.py,depth=1", "random", "--games", 2, "--strict")


@pytest.mark.slow
def test_a_new_game_is_a_package_that_works_and_has_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    told = did("new", "--game", "take_sticks", "mine").splitlines()
    assert told[1:] == ["pip install -e mine", "spar check take_sticks", "spar match take_sticks fours random"]
    assert not [file for file in Path("mine").rglob("*") if file.is_file() and "my_game" in file.read_text().lower()]
    pip_install(Path("mine"), tmp_path / "site")
    with found_in(tmp_path / "site"):
        command = [sys.executable, "-m", "pytest", "-q", "-c", "mine/pyproject.toml", "mine"]
        tests = subprocess.run(command, capture_output=True, text=True)
        assert "3 passed" in tests.stdout, tests.stdout


@pytest.mark.parametrize(
    ("name", "folder", "says"),
    [
        ("isolation", "new", "there is a package or a game called isolation already"),
        ("numpy", "new", "there is a package or a game called numpy already"),
        ("My-Game", "new", "no game can be called 'My-Game'; choose a name such as my_game"),
        ("class", "new", "no game can be called 'class'"),
        ("untaken", "there", "there is there already; name a folder to make"),
        ("untaken", "there/a.txt/deeper", "cannot write"),
    ],
)
def test_an_unusable_name_of_a_game_is_refused_and_nothing_is_written(
    name: str, folder: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    (tmp_path / "there/a.txt").touch()
    said = spar("new", "--game", name, folder)
    assert (said.code, says in said.err) == (2, True), said.err
    assert [file.name for file in tmp_path.rglob("*")] == ["there", "a.txt"]
