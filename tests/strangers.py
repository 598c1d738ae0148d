"""A stranger's package for tests: files in a folder, and the entry points by which it is found."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from sparring.core import plugins
from sparring.games import registry

Points = Mapping[str, Mapping[str, str]]
"""Entry points by group and name."""


@contextmanager
def installed(folder: Path, name: str, files: Mapping[str, str], points: Points) -> Iterator[None]:
    """Have a package with these files and entry points for the length of a test."""
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
    known = plugins.roots() | sys.modules.keys()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        forget()
        try:
            yield
        finally:
            for module in [module for module in sys.modules if module.partition(".")[0] in plugins.roots() - known]:
                del sys.modules[module]
    forget()


def forget() -> None:
    """Look anew for what is installed."""
    for known in (plugins.declared, plugins.roots, plugins.complain, registry.code):
        known.cache_clear()
