"""The package as people get it: a wheel and a source archive, installed far from the repository."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

import sparring
from notebooks import FIRST_STEPS, texts

ROOT = Path(__file__).parent.parent
KERNELS = Path(sparring.__file__).parent / "__pycache__" / "kernels"
SMALL_MATCHES = (
    "isolation isolation_idea.py,nodes=50 random --games 10 --board 5x5",
    "ludo ludo_idea.py random --games 2 --players 2 --tokens 1",
    "battlesnake battlesnake_idea.py,nodes=50 random --games 2",
    "flagwar flagwar_idea.py,plies=1 random --games 2 --turn_limit 20",
)
SMALL = 8700
AGENT = """from sparring import agent


@agent("isolation")
class First:
    def decide(self, view):
        return next(iter(view.position.legal))
"""
pytestmark = pytest.mark.slow


def run(*words: object, folder: Path, **more: str) -> str:
    """The output of a command that must succeed and knows nothing of the repository."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPARRING"))}
    said = subprocess.run([*map(str, words)], cwd=folder, env=clean | more, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return said.stdout


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, built of the files that git knows."""
    folder = tmp_path_factory.mktemp("sdist")
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", folder=ROOT).split("\0")
    copy = folder / "repository"
    for name in filter(None, listed):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/images/")):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    run(sys.executable, "-c", "from setuptools import build_meta as b; b.build_sdist('..')", folder=copy)
    (found,) = folder.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def wheel(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive alone."""
    folder = tmp_path_factory.mktemp("wheel")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    run(sys.executable, "-c", "from setuptools import build_meta as b; b.build_wheel('..')", folder=source)
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A virtual environment with the wheel; what it depends on comes from the environment of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, folder=folder)
    words = ("-m", "pip", "--python", folder / "bin" / "python", "install", "-q", "--no-deps", "--no-index")
    run(sys.executable, *words, "--disable-pip-version-check", wheel, folder=folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    paths = {sysconfig.get_path("purelib"), *(path for path in sys.path if path.endswith("site-packages"))}
    if KERNELS.is_dir():  # what the tests compiled
        shutil.copytree(KERNELS, packages / "sparring" / "__pycache__" / "kernels")
    (packages / "dependencies.pth").write_text("\n".join(sorted(paths)) + "\n")
    yield folder


def test_the_wheel_has_all_data_and_none_of_the_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "sparring/py.typed" in names
    assert "sparring/web/static/index.html" in names
    kept = {f"sparring/{file.relative_to(ROOT / 'src/sparring')}" for file in ROOT.glob("src/sparring/**/*.npz")}
    assert kept
    assert kept <= names
    assert not [name for name in names if name.startswith("tests") or "__pycache__" in name]


def test_the_first_hour_of_a_newcomer_in_an_empty_folder(environment: Path, tmp_path: Path) -> None:
    def spar(words: str) -> str:
        return run(environment / "bin" / "spar", *words.split(), folder=tmp_path, SPARRING_STORE="games.db")

    where = run(environment / "bin" / "python", "-c", "import sparring; print(sparring.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    demo = (ROOT / "Makefile").read_text().partition("$(SPAR) ")[2].partition("\n\t@")[0]
    league = spar(demo.replace("\\", "").replace("--games 100", "--games 4"))
    assert "voronoi,nodes=2000" in league
    assert len(list(tmp_path.iterdir())) == 1  # the store
    for match in SMALL_MATCHES:
        game, *_ = match.split()
        spar(f"new {game} {game}_idea.py")
        assert f"{game}_idea.py" in spar(f"match {match}")
    (tmp_path / "first.py").write_text(AGENT)
    assert "first.py" in spar("match isolation first.py random --games 2")
    assert "2 games" in spar("report last")


def test_the_notebook_runs_and_shows_small_what_is_stored_in_it(environment: Path, tmp_path: Path) -> None:
    run(environment / "bin" / "python", ROOT / "tests" / "notebooks.py", "run.ipynb", folder=tmp_path)
    now, stored = (nbformat.read(file, as_version=4) for file in (tmp_path / "run.ipynb", FIRST_STEPS))
    assert texts(now) == texts(stored)
    for cell in now.cells:
        for one in cell.get("outputs", []):
            assert len(str(one.get("data", one.get("text")))) < SMALL
