"""A user's first file: `spar new` writes it, and whatever it says to try works."""

import shlex
from pathlib import Path

import pytest

from commands import did, spar
from sparring.games.registry import names
from strangers import installed


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_a_new_file_compiles_plays_and_says_what_to_try(
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


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("all my thoughts")
    said = spar("new", "isolation", file)
    assert (said.code, file.read_text()) == (2, "all my thoughts")
    assert "is there already; choose another name" in said.err


@pytest.mark.parametrize(
    ("game", "name", "says"),
    [
        ("isolatio", "mine.py", "did you mean isolation?"),
        ("isolation", "my-idea.py", "choose a name such as my_idea.py"),
        ("isolation", "mine.txt", "choose a name such as my_idea.py"),
        ("isolation", "exits.py", "exits means something else in such a file"),
        ("isolation", "nowhere/mine.py", "cannot write"),
    ],
)
def test_a_name_that_would_not_do_is_refused_and_nothing_is_written(
    game: str, name: str, says: str, tmp_path: Path
) -> None:
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
