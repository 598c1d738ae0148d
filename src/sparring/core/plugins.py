"""Find what installed packages declare for Sparring, by their entry points.

Nothing is imported before it is needed. A package that cannot be used is named in one line and does not stop the
others. Sparring's own games, agents, heuristics and searches are declared in the same way.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sparring.core.errors import SparringError, unknown
from sparring.core.table import one_line

GAMES, AGENTS, HEURISTICS = "sparring.games", "sparring.agents", "sparring.heuristics"
SEARCHES, COMMANDS = "sparring.searches", "sparring.commands"
OURS = __name__.partition(".")[0]


@cache
def declared(group: str) -> dict[str, list[EntryPoint]]:
    """The entry points of a group by name. Several packages may declare agents for one game."""
    found: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        if all(point.value != other.value for other in found.setdefault(point.name, [])):
            found[point.name].append(point)
    return found


def package_of(point: EntryPoint) -> str:
    """The name by which pip knows the package of an entry point."""
    return point.dist.name if point.dist else point.module


def loaded(point: EntryPoint, usable: Callable[[Any], str] = lambda found: "") -> Any:
    """The object of an entry point. Raises SparringError if it fails to load, or if `usable` returns a fault."""
    try:
        found = point.load()
        fault = usable(found)
    except (Exception, SystemExit) as error:
        fault = f"{type(error).__name__}: {error}"
    if fault:
        package = package_of(point)
        remedy = f"update, repair or uninstall {package}"
        raise SparringError(f"{point.name} of the package {package} cannot be used: {one_line(fault)}; {remedy}")
    return found


def only(group: str, kind: str, name: str, usable: Callable[[Any], str] = lambda found: "") -> Any:
    """The only object of this name in a group."""
    return loaded(sole_entry_point(group, kind, name), usable)


def sole_entry_point(group: str, kind: str, name: str) -> EntryPoint:
    points = declared(group).get(name, [])
    if not points:
        raise unknown(kind, name, declared(group))
    if len(points) > 1:
        packages = " and ".join(package_of(point) for point in points)
        raise SparringError(f"the packages {packages} both have a {kind} called {name}; uninstall one of them")
    return points[0]


def all_of(points: Iterable[EntryPoint]) -> list[tuple[EntryPoint, Any]]:
    """The objects of some entry points. Those that cannot be used are named on standard error and left out."""
    found = []
    for point in points:
        try:
            found.append((point, loaded(point)))
        except SparringError as error:
            warn_once(str(error))
    return found


@cache
def warn_once(line: str) -> None:
    """Print a line on standard error, once a process."""
    print(f"spar: {line}", file=sys.stderr, flush=True)


def folder_of(point: EntryPoint) -> Path:
    """The folder of an entry point's module, found without importing the module."""
    place, *inside = point.module.split(".")
    found = find_spec(place)
    if not found or not found.origin:
        return Path(place)
    file = Path(found.origin).parent.joinpath(*inside)
    return file if file.is_dir() else file.parent


@cache
def roots() -> frozenset[str]:
    """The top-level packages of all plug-ins."""
    groups = (GAMES, AGENTS, HEURISTICS, SEARCHES, COMMANDS)
    points = [point for group in groups for found in declared(group).values() for point in found]
    return frozenset(root for point in points for root in roots_of(point))


def roots_of(point: EntryPoint) -> set[str]:
    """The top-level packages that come with an entry point: its own, and others of the same installed package."""
    told = point.dist and point.dist.read_text("top_level.txt")
    return {point.module.partition(".")[0], *(told or "").split()}


def files_of(root: str) -> list[Path]:
    """All files of a top-level package or module that may affect its behaviour."""
    found = find_spec(root)
    folders = [Path(folder) for folder in (found and found.submodule_search_locations) or ()]
    if not folders:
        return [Path(found.origin)] if found and found.origin else []
    files = (file for folder in folders for file in sorted(folder.rglob("*")))
    return [file for file in files if file.is_file() and "__pycache__" not in file.parts]
