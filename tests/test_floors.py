"""Data flows one way: a file of a lower floor never imports one of a higher floor."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import sparring

PACKAGE = Path(sparring.__file__).parent
FLOORS = {
    "core": 0,
    "statistics": 1,
    "games": 2,
    "search": 3,
    "agents": 4,
    "arena": 5,
    "analysis": 6,
    "reports": 7,
    "learning": 7,
    "tuning": 7,
    "claims": 7,
    "arguments": 8,
    "api": 8,
    "cli": 9,
    "web": 9,
    "plug-ins": 10,
}
"""The folders of the package from the bottom up. A game is a plug-in: it may import
every floor, and no floor imports it."""
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def module_of(path: Path) -> str:
    """The dotted name of a file, e.g. sparring.games.isolation.rules."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def floor_of(module: str) -> int | None:
    """The floor a module stands on; None outside the package."""
    parts = module.split(".")
    if parts[0] != "sparring" or len(parts) == 1:
        return None
    return FLOORS[
        "plug-ins" if parts[1] == "games" and parts[2:3] and (PACKAGE / "games" / parts[2]).is_dir() else parts[1]
    ]


def imported(source: str, inside: str) -> Iterator[tuple[int, str]]:
    """Every module that a source text imports, at its top or inside a function, with the line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = inside.split(".")[: -node.level] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{module}.{alias.name}"
                yield node.lineno, full if is_module(full) else module


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def climbs(source: str, module: str) -> list[str]:
    """The imports of a source text that reach above the floor of its module."""
    own = floor_of(module)
    assert own is not None
    return [
        f"line {line} imports {name}"
        for line, name in imported(source, module)
        if (floor := floor_of(name)) is not None and floor > own
    ]


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_every_file_stands_on_a_floor(path: Path) -> None:
    assert module_of(path).split(".")[1] in FLOORS, f"say in FLOORS where {module_of(path)} belongs"


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_no_file_imports_from_above(path: Path) -> None:
    assert climbs(path.read_text(), module_of(path)) == []


def test_an_import_hidden_in_a_function_would_be_found() -> None:
    source = "def late():\n    from sparring.arena.match import tournament\n"
    assert climbs(source, "sparring.search.minimax") == ["line 2 imports sparring.arena.match"]


def test_a_module_imported_from_its_package_would_be_found() -> None:
    assert climbs("from sparring import api\n", "sparring.arena.match") == ["line 1 imports sparring.api"]


def test_a_relative_import_would_be_found() -> None:
    assert climbs("from ..agents import spec\n", "sparring.games.contract") == ["line 1 imports sparring.agents.spec"]


def test_a_floor_that_imports_a_game_would_be_found() -> None:
    source = "from sparring.games.isolation.rules import exits\n"
    assert climbs(source, "sparring.cli.match") == ["line 1 imports sparring.games.isolation.rules"]


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    modules = {path.stem for path in PACKAGE.iterdir()}
    assert not modules & set(sparring.__all__)
