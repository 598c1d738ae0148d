"""The package as people get it: a wheel and a source archive, installed far from the repository."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow


def run(*words: object, folder: Path) -> str:
    """The output of a command that must succeed and knows nothing of the repository. It compiles nothing."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SPARRING"))}
    clean["NUMBA_DISABLE_JIT"] = "1"
    said = subprocess.run([*map(str, words)], cwd=folder, env=clean, capture_output=True, text=True)
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


def test_an_installed_package_plays_and_keeps_games_in_an_empty_folder(environment: Path, tmp_path: Path) -> None:
    spar, store = environment / "bin" / "spar", tmp_path / "games.db"
    python = environment / "bin" / "python"
    where = run(python, "-c", "import sparring; print(sparring.__file__)", folder=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    match = ("match", "isolation", "greedy", "random", "--games", 4, "--store", store)
    assert "greedy" in run(spar, *match, folder=tmp_path)
    assert "4 games" in run(spar, "report", "last", "--store", store, folder=tmp_path)
