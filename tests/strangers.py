"""Plug-in packages for tests: made of a few files, or built and installed by pip."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from sparring.core import plugins
from sparring.games import registry

ROOT = Path(__file__).parent.parent
EXAMPLES = {file.parent.name: file.parent for file in sorted(ROOT.glob("examples/*/pyproject.toml"))}
Points = Mapping[str, Mapping[str, str]]
"""Entry points by group and name."""


@contextmanager
def installed(folder: Path, name: str, files: Mapping[str, str], points: Points) -> Iterator[None]:
    """Provide a package with these files and entry points for one test."""
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for group, named in points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in named.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    with found_in(folder):
        yield


@contextmanager
def found_in(folder: Path) -> Iterator[None]:
    """Let Python find the packages of a folder, in this process and in new ones."""
    known = plugins.roots() | sys.modules.keys()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        patch.setenv("PYTHONPATH", str(folder), prepend=os.pathsep)
        forget()
        try:
            yield
        finally:
            for module in [module for module in sys.modules if module.partition(".")[0] in plugins.roots() - known]:
                del sys.modules[module]
    forget()


def forget() -> None:
    """Forget which packages were found."""
    for known in (plugins.declared, plugins.roots, plugins.warn_once, registry.code):
        known.cache_clear()


def pip_install(source: Path, target: Path) -> None:
    """Build a copy of a package, because builds leave files behind, and install it to a folder without a network."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(source, Path(folder) / "source")
        words = ["-q", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--target", str(target)]
        subprocess.run([sys.executable, "-m", "pip", "install", *words, str(copy)], check=True)


def installed_examples() -> Path:
    """Return the folder with the installed example packages.

    It is made once for all tests and kept until an example changes, so that compiled code is found again.
    """
    files = [file for folder in EXAMPLES.values() for file in sorted(folder.rglob("*")) if file.is_file()]
    said = hashlib.blake2b(b"".join(file.read_bytes() for file in files), digest_size=8).hexdigest()
    place = ROOT / ".pytest_cache" / f"examples-{sys.version_info.minor}-{said}"
    if not place.exists():
        place.parent.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=place.parent))
        for source in EXAMPLES.values():
            pip_install(source, made)
        for file in made.rglob("*.py"):
            os.utime(file, (0, 0))  # older than this process, so that compiled code is kept
        with suppress(OSError):  # another process was faster
            made.rename(place)
        shutil.rmtree(made, ignore_errors=True)
    return place
