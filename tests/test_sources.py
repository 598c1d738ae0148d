"""What a user's agent is made of: all of it is known, kept and played, whatever happens to the files meanwhile."""

import os
import pickle
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sparring
from commands import did, rewritten, spar
from sparring.agents.agent import Agent, RandomAgent
from sparring.agents.spec import Spec, agent
from sparring.agents.userfile import from_snapshot, sources
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.referee import play
from sparring.arena.schedule import Job
from sparring.arena.store import Store
from sparring.arena.supervisor import Supervisor
from sparring.arena.workers import PlaySettings, WorkerPool
from sparring.games import registry

pytestmark = pytest.mark.slow

GAME = sparring.game("isolation")

FILES = {
    "mine.py": """
from pathlib import Path

import lib.taste
import numpy as np
from lib import habits as habit
from flat import shift
from sparring import agent, heuristic
from spread.deep import depth

FAVOURITE = lib.taste.FAVOURITE


@agent("isolation")
def takes(view):
    from lib.late import later

    number = lib.taste.FAVOURITE + habit.count() + shift() + depth + later
    return view.legal[(number + int(Path(__file__).with_name("data.txt").read_text())) % len(view.legal)]


@heuristic("isolation")
def likes(s, me):
    return float(FAVOURITE) * s.at[me]
""",
    "lib/__init__.py": "from .core import *\n",
    "lib/core/__init__.py": '__all__ = ["starred"]\n',
    "lib/core/starred.py": "STAR = 1\n",
    "lib/taste.py": "from . import core\nFAVOURITE = core.starred.STAR\n",
    "lib/habits.py": "calls = 0\n\n\ndef count():\n    global calls\n    calls += 1\n    return calls\n",
    "lib/late.py": "from ._late.number import later\n",
    "lib/_late/number.py": "later = 1\n",
    "spread/deep.py": "depth = 1\n",
    "flat.py": "import mine_too\nfrom lib.taste import FAVOURITE\n\n\ndef shift():\n    return 1\n",
    "mine_too.py": "import flat\n",
}
OTHERS = {
    "data.txt": "0\n",
    "unused.py": "1 / 0\n",
    "lib/unused.py": "1 / 0\n",
    "spread/unused.py": "1 / 0\n",
    ".venv/lib/python3.11/site-packages/numpy/__init__.py": "1 / 0\n",
    "__init__.py": "1 / 0\n",
    "sparring/__init__.py": "1 / 0\n",
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with an agent of several files, and with other things."""
    for name, said in {**FILES, **OTHERS}.items():
        (tmp_path / "home" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "home" / name).write_text(said)
    return tmp_path / "home"


def edit_everything(home: Path) -> None:
    """Make every file fail as soon as it is loaded."""
    for name in FILES:
        (home / name).write_text("raise RuntimeError('this is the edited one')\n")


def first_moves(one: Agent, games: int = 4) -> list[str]:
    played = [play(GAME, [one, RandomAgent()], seed) for seed in range(games)]
    assert {game.failed for game in played} == {-1}, played[0].reason
    return [turn.action for game in played for turn in game.turns if turn.player == 0]


# What belongs to it


def test_packages_and_modules_are_followed_and_nothing_else(home: Path) -> None:
    said = agent(GAME, f"{home}/mine.py:takes").sources
    assert {name: text for name, text in said.items() if name in FILES} == {
        name: text.encode() for name, text in FILES.items()
    }
    assert said.keys() - FILES.keys() == {"data.txt"}  # a file that it reads: its hash
    assert list(said) == sorted(said)


def identity(*agents: str) -> str:
    return Contest.of(make_experiment(game="isolation", agents=[*agents], games=2)).id


def test_a_file_with_a_slip_in_a_module_beside_it_is_still_read_and_told(home: Path) -> None:
    (home / "lib/late.py").write_text("def oops(:\n")
    assert sources(home / "mine.py")["lib/late.py"] == b"def oops(:\n"
    (home / "flat.py").write_text("def oops(:\n")
    with pytest.raises(sparring.SparringError, match=r"flat|invalid syntax"):
        agent(GAME, f"{home}/mine.py:takes")


@pytest.mark.parametrize("text", ["my (copy).py", "a,b.py", "alphabeta:c:d.py:x,depth=2"])
def test_a_file_that_no_spec_can_name_is_told_so_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("my (copy).py", "a,b.py", "c:d.py"):
        (tmp_path / name).write_text("")
    with pytest.raises(sparring.SparringError, match=r"^no agent can be named in .*: rename it, without any of .*$"):
        Spec.parse(text)


# What plays is what was read


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with Supervisor() as started:
        yield started


def test_an_edit_while_games_are_played_does_not_reach_them(home: Path, supervisor: Supervisor) -> None:
    one = agent(GAME, f"{home}/mine.py:takes")
    before = first_moves(supervisor.guest(GAME, one))
    resting = supervisor.guest(GAME, one)
    first_moves(resting, 1)
    edit_everything(home)
    assert first_moves(resting) == before
    assert first_moves(supervisor.guest(GAME, one)) == before
    shutil.rmtree(home / "lib")
    (home / "mine.py").unlink()
    assert first_moves(supervisor.guest(GAME, one)) == before


def test_a_match_that_is_edited_on_the_way_is_played_by_the_files_it_began_with(home: Path) -> None:
    def edit(*_: Any) -> None:
        edit_everything(home)

    words: list[Any] = ["isolation", f"{home}/mine.py:takes", "random"]
    once = sparring.match(*words, games=12)
    edited = sparring.match(*words, games=12, workers=1, progress=edit)
    assert [game.turns for game in edited.games] == [game.turns for game in once.games]
    assert not edited.failures()


def test_every_game_begins_with_fresh_modules_of_packages_too(home: Path, supervisor: Supervisor) -> None:
    """Though `lib.habits` counts its calls, and `spread` is a package without a file of its own."""
    (home / "spread/deep.py").write_text("depth = 1\nseen = []\n")
    (home / "mine.py").write_text(
        'from sparring import agent\nfrom spread import deep\n\n@agent("isolation")\ndef takes(view):\n'
        "    deep.seen.append(1)\n    return view.legal[len(deep.seen) % len(view.legal)]\n"
    )
    one = supervisor.guest(GAME, agent(GAME, f"{home}/mine.py"))
    assert first_moves(one, 1) == first_moves(one, 1)


def test_files_that_are_gone_are_played_as_they_were_kept(home: Path) -> None:
    """On another machine, say: there is nothing but what came along."""
    specs = (f"{home}/mine.py:takes", f"{home}/mine.py:likes,depth=1")
    made = [agent(GAME, spec) for spec in specs]
    setup = PlaySettings(GAME, specs, ((0, 1),), 3, files={f"{home}/mine.py": made[0].sources})
    with WorkerPool(setup, made) as pool:
        before = pool.play(Job(0, 0, 3))
    for name in FILES:
        (home / name).unlink()
    with WorkerPool(pickle.loads(pickle.dumps(setup))) as pool:
        after = pool.play(Job(0, 0, 3))
    assert not before.failures and not after.failures
    assert (after.moves == before.moves).all()


def test_the_source_of_a_kept_file_is_what_it_said_then(home: Path) -> None:
    said = agent(GAME, f"{home}/mine.py:takes").sources
    edit_everything(home)
    with pytest.raises(sparring.SparringError, match=r"mine.py:1: RuntimeError: this is the edited one"):
        agent(GAME, f"{home}/mine.py:takes")
    with from_snapshot({f"{home}/mine.py": said}):
        kept = agent(GAME, f"{home}/mine.py:likes")
    assert kept.sources == said
    with pytest.raises(sparring.SparringError, match=r"mine.py:1: RuntimeError: this is the edited one"):
        agent(GAME, f"{home}/mine.py:takes")


# Played again


def test_played_again_by_the_code_of_then_it_finds_its_data_and_compares_what_both_runs_have(home: Path) -> None:
    file = home / "games.db"
    told = did("match", "isolation", f"{home}/mine.py:takes", "greedy", "--games", 10, "--store", file)
    (home / "mine.py").write_text("def oops(:\n")
    said = spar("run", "--again", "last", "--store", file)
    assert (said.code, said.err.splitlines()[-1]) == (0, "all 10 games are those kept, move for move")
    id = told.split("spar report ")[1].split()[0]
    assert f"again: spar run --again {id} --store {file}" in said.out

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with Store(file) as store:
        result, compared = sparring.api.again("last", store=store, workers=1, progress=interrupt)
        anew = compared.anew
        assert result.interrupted and 0 < compared.common == anew < compared.kept == 10 and compared.differ == 0
        told = f"compared only the {anew} games in both, of 10 kept and {anew} played anew so far: 0 went another way"
        assert str(compared) == told
        rewritten(file, "DELETE FROM games WHERE block >= 3")
        both = 2 * store._sql.execute("SELECT sum(blocks) FROM games").fetchone()[0]
        _, compared = sparring.api.again("last", store=store)
    told = f"compared only the {both} games in both, of {both} kept and 10 played anew: 0 went another way"
    assert str(compared) == told


SHIM = """
from pathlib import Path

from sparring import agent

HERE = Path(__file__).parent


@agent("isolation")
def shim(view):
    with open("agent.log", "a") as log:
        log.write("asked\\n")
    words = [sys.executable, str(HERE / "engine.py"), str(len(view.legal))]
    return view.legal[int(subprocess.run(words, capture_output=True, text=True, check=True).stdout)]
"""
ENGINE = """
import sys

from book import FAVOURITE

lines = open("weights.txt")
print(FAVOURITE)
"""


@pytest.fixture
def shim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    files = {
        "shim.py": SHIM,
        "engine.py": ENGINE,
        "book.py": "FAVOURITE = 0\n",
        "weights.txt": "1\n",
        "other.txt": "1\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "shim.py"


def test_an_edit_of_a_file_behind_a_shim_makes_another_experiment(shim: Path) -> None:
    ids = [identity("shim.py", "random")]
    for file in ("engine.py", "weights.txt", "book.py"):
        shim.with_name("other.txt").write_text(f"before {file}\n")
        assert identity("shim.py", "random") == ids[-1]
        with shim.with_name(file).open("a") as stream:
            stream.write("# edited\n")
        ids.append(identity("shim.py", "random"))
    assert len(set(ids)) == 4


def test_another_table_in_a_file_makes_another_experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trained, ids = registry.folder("ludo") / "trained", []
    for table in ("td_linear_2", "td_net_2", "td_linear_2"):
        shutil.copyfile(trained / f"{table}.npz", "mine.npz")
        match = make_experiment(game="ludo", options={"players": "2"}, agents=["one_ply:mine.npz", "random"])
        ids.append(Contest.of(match).id)
    assert ids[0] == ids[2] != ids[1]


def test_a_program_on_the_search_path_is_part_of_an_experiment(
    shim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "thinker"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 0\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=os.pathsep)
    shim.write_text(SHIM.replace('[sys.executable, str(HERE / "engine.py"), str(len(view.legal))]', '["thinker"]'))
    before = identity("shim.py", "random")
    program.write_text("#!/bin/sh\necho 1\n")
    assert identity("shim.py", "random") != before


def test_played_again_behind_a_changed_file_says_so(shim: Path) -> None:
    did("match", "isolation", "shim.py", "random", "--games", 2)
    shim.with_name("weights.txt").write_text("2\n")
    said = spar("run", "--again", "last")
    assert "weights.txt of shim.py has changed since these games were played" in said.err


# Files whose names are put together at run time

READER = """
import importlib
import subprocess
from pathlib import Path

import numpy as np
from sparring import agent

HERE = Path(__file__).parent
NUMBER = 1
{loading}


@agent("isolation"{declared})
def reads(view):
    {playing}
    return view.legal[0]
"""
READING = 'int((HERE / f"book-{NUMBER}.txt").read_text())'


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with files for the agent of a file that is to be written."""
    monkeypatch.chdir(tmp_path)
    for name in ("book-1.txt", "book-2.txt", "plan_1.py", "plan_2.py", "tool-1", "books/deep/one.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("0\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path / "reader.py"


@pytest.mark.parametrize(
    ("loading", "declared", "edited", "other"),
    [
        (f"WORD = {READING}", "", "book-1.txt", "book-2.txt"),
        ('np.loadtxt(HERE / f"book-{NUMBER}.txt")', "", "book-1.txt", "book-2.txt"),
        ("importlib.import_module(f'plan_{NUMBER}')", "", "plan_1.py", "plan_2.py"),
        ("", ', files=["book-1.*"]', "book-1.txt", "book-2.txt"),
        ("", ', files=["books"]', "books/deep/one.txt", "book-1.txt"),
    ],
    ids=["opened when loaded", "opened by a library", "imported by a made-up name", "declared", "a folder"],
)
def test_a_file_with_a_made_up_name_is_part_of_the_experiment(
    reader: Path, loading: str, declared: str, edited: str, other: str
) -> None:
    reader.write_text(READER.format(loading=loading, declared=declared, playing="pass"))
    ids = []
    for name in (None, None, other, edited):
        if name:
            (reader.parent / name).write_text("1\n")
        ids.append(identity("reader.py", "random"))
    assert ids[0] == ids[1] == ids[2] != ids[3]


REFUSED = {
    "book-2.txt": READING.replace("NUMBER", "NUMBER + 1"),
    "tool-1": "subprocess.run([str(HERE / f'tool-{NUMBER}')])",
    "plan_1.py": "importlib.import_module(f'plan_{NUMBER}')",
}
"""Files that the experiment does not know, and how an agent uses each."""


def test_an_agent_may_read_declared_and_own_files_and_those_of_python_and_no_others(reader: Path) -> None:
    own = "import tempfile; log = Path(tempfile.gettempdir(), f'log-{NUMBER}'); log.write_text('1'); log.read_text()"
    playing = f"{own}; import this; open('/proc/self/status').close(); {READING}"
    text = READER.format(loading="", declared=', files=["book-1.*"]', playing=playing)
    for number, use in enumerate(REFUSED.values()):
        text += f'\n\n@agent("isolation")\ndef refused{number}(view):\n    {use}\n    return view.legal[0]\n'
    reader.write_text(text)
    refused = [f"reader.py:refused{number}" for number in range(len(REFUSED))]
    league = sparring.league("isolation", ["reader.py:reads", *refused], games=2, workers=1)
    assert [*league.failures()] == refused
    for name, file in zip(refused, REFUSED, strict=True):
        (reason,) = {game.reason for game in league.games if {*game.agents} == {"reader.py:reads", name}}
        assert f"PermissionError: {file} is not part of the experiment" in reason
        assert f'@agent("GAME", files=["{file}"])' in reason


def test_a_declared_file_that_is_not_there_is_told_with_its_line(reader: Path) -> None:
    reader.write_text(READER.format(loading="", declared=', files=["nothing.txt"]', playing="pass"))
    with pytest.raises(sparring.SparringError, match=r"reader.py:14: 'nothing.txt' of files=\[...\] is not in .*"):
        agent(GAME, "reader.py")
