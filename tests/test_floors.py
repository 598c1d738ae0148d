"""Data flows one way: a file of a lower floor never imports one of a higher floor, and nobody but a game names it."""

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import sparring
from sparring.games import registry

PACKAGE = Path(sparring.__file__).parent
FLOORS = [
    ["core"],
    ["statistics"],
    ["games"],
    ["search"],
    ["agents"],
    ["arena"],
    ["analysis"],
    ["reports", "learning", "tuning", "claims"],
    ["arguments", "api"],
    ["__main__", "cli", "web", "bridges"],
    ["plug-ins"],
]
"""The folders of the package from the bottom up. A game is a plug-in: it may import
every floor, and no floor imports it."""
HEIGHT = {name: height for height, names in enumerate(FLOORS) for name in names}
FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
PAGES = sorted(path for path in PACKAGE.glob("web/static/*.*") if path.suffix in (".js", ".html", ".css"))
GAMES = sorted(path.parent.name for path in PACKAGE.glob("games/*/__init__.py"))


def module_of(path: Path) -> str:
    """The dotted name of a file, e.g. sparring.games.isolation.rules."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def floor_of(module: str) -> int | None:
    """The floor a module stands on; None outside the package."""
    parts = module.split(".")
    if parts[0] != "sparring" or len(parts) == 1:
        return None
    return HEIGHT[
        "plug-ins" if parts[1] == "games" and parts[2:3] and (PACKAGE / "games" / parts[2]).is_dir() else parts[1]
    ]


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def nodes(source: str, types: bool = True) -> Iterator[ast.AST]:
    """The nodes of a source text; what is under `if TYPE_CHECKING` only with `types`."""
    waiting: list[ast.AST] = [parsed(source)]
    while waiting:
        yield (node := waiting.pop())
        if not types and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            waiting += node.orelse
        else:
            waiting += ast.iter_child_nodes(node)


def imported(source: str, inside: str, types: bool = True) -> list[tuple[int, str]]:
    """Every module that a source text imports, at its top or inside a function, with the line; what is imported for
    type checkers alone only with `types`."""
    found = list[tuple[int, str]]()
    for node in nodes(source, types):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = inside.split(".")[: -node.level] if node.level else []
            module = ".".join([*package, *([node.module] if node.module else [])])
            for alias in node.names:
                full = f"{module}.{alias.name}"
                found.append((node.lineno, full if is_module(full) else module))
    return found


@cache
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


def test_no_file_imports_from_above() -> None:
    known = {module_of(path): path.read_text() for path in FILES}
    homeless = [module for module in known if module.split(".")[1] not in HEIGHT]
    assert homeless == [], "say in FLOORS where these belong"
    assert {module: found for module, text in known.items() if (found := climbs(text, module))} == {}


@pytest.mark.parametrize(
    ("source", "module", "found"),
    [
        ("def late():\n    from sparring.arena import run\n", "search.tree", "2 imports sparring.arena.run"),
        ("from sparring import api\n", "arena.match", "1 imports sparring.api"),
        ("from ..agents import spec\n", "games.contract", "1 imports sparring.agents.spec"),
        ("from sparring.games.isolation.rules import exits\n", "cli.match", "1 imports sparring.games.isolation.rules"),
    ],
    ids=["in a function", "from the package", "relative", "of a game"],
)
def test_an_import_from_above_would_be_found(source: str, module: str, found: str) -> None:
    assert climbs(source, f"sparring.{module}") == [f"line {found}"]


def test_no_public_name_is_hidden_by_a_module_of_the_same_name() -> None:
    modules = {path.stem for path in PACKAGE.iterdir()}
    assert not modules & set(sparring.__all__)


def cycle(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Modules that import each other in a circle; none if the graph has no such circle."""
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


@pytest.mark.slow
def test_no_modules_import_each_other() -> None:
    graph: dict[str, set[str]] = {}
    for path in FILES:
        module = module_of(path).removesuffix(".__init__")
        names = {name.removesuffix(".__init__") for _, name in imported(path.read_text(), module_of(path), types=False)}
        graph[module] = {name for name in names if name.startswith("sparring.")}
    assert cycle(graph) == []


def test_a_circle_hidden_in_functions_would_be_found_but_types_are_no_part_of_it() -> None:
    source = "if TYPE_CHECKING:\n    from sparring.web import server\ndef late():\n    from sparring.web import play\n"
    assert [name for _, name in imported(source, "sparring.web.app", types=False)] == ["sparring.web.play"]
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}})


def words_of(game: str) -> re.Pattern[str]:
    """How a game may be named: as the registry has it, or as people call it."""
    return re.compile("|".join(filter(None, [game, registry.game(game).title])), re.IGNORECASE)


@cache
def said_in(source: str) -> list[tuple[int, str]]:
    """The texts and names of a module, with their lines. Docstrings are prose and may give examples."""
    prose = {id(node.value) for node in nodes(source) if isinstance(node, ast.Expr)}
    found = list[tuple[int, str]]()
    for node in nodes(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            found.append((node.lineno, node.value))
        elif isinstance(node, ast.Name | ast.FunctionDef | ast.ClassDef):
            found.append((node.lineno, node.id if isinstance(node, ast.Name) else node.name))
    return found


def without_remarks(source: str) -> str:
    """The text of a script or a style sheet without its comments."""
    return re.sub(r"(?s)/\*.*?\*/|(?m:(?<!:)//.*$)|<!--.*?-->", "", source)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_nobody_but_a_game_itself_names_it(game: str) -> None:
    words, own = words_of(game), PACKAGE / "games" / game
    found = [
        f"{module_of(path)}, line {line}: {said}"
        for path in FILES
        if not path.is_relative_to(own)
        for line, said in said_in(path.read_text())
        if words.search(said)
    ]
    found += [f"{path.name}: {one}" for path in PAGES for one in words.findall(without_remarks(path.read_text()))]
    assert found == []


@pytest.mark.parametrize("game", GAMES)
def test_the_package_of_a_game_is_empty_so_that_its_commands_do_not_wait_for_its_rules(game: str) -> None:
    assert (PACKAGE / "games" / game / "__init__.py").read_text() == ""


@pytest.mark.parametrize("game", GAMES)
def test_no_game_imports_another(game: str) -> None:
    others = tuple(f"sparring.games.{other}" for other in GAMES if other != game)
    for path in (PACKAGE / "games" / game).rglob("*.py"):
        assert [name for _, name in imported(path.read_text(), module_of(path)) if name.startswith(others)] == []


def test_a_name_in_code_or_in_a_script_would_be_found() -> None:
    source = 'def told(game):\n    """Such as ludo."""\n    return game.name == "ludo"\n'
    assert [line for line, said in said_in(source) if words_of("ludo").search(said)] == [3]
    assert words_of("flagwar").search(without_remarks('const a = "Flag War"; // a title'))
    assert not words_of("flagwar").search(without_remarks("/* Flag War */ const a = 1; // Flag War"))
