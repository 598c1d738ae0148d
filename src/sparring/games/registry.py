"""Finds what is installed: games, and the agents, heuristics, searches and commands that go with them.

Each is declared by an entry point of a package. The games that come with Sparring use the same door as a stranger's.
Nothing is imported before it is asked for, and a package that cannot be imported does not stop the others.
"""

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core.errors import SparringError, unknown

if TYPE_CHECKING:
    from sparring.games.contract import Game

GAMES, AGENTS, HEURISTICS = "sparring.games", "sparring.agents", "sparring.heuristics"
SEARCHES, COMMANDS = "sparring.searches", "sparring.commands"


@cache
def declared(group: str) -> dict[str, list[EntryPoint]]:
    """The entry points of a group by name. Several packages may declare agents for one game."""
    found: dict[str, list[EntryPoint]] = {}
    for point in sorted(entry_points(group=group), key=lambda point: (point.name, point.value)):
        if all(point.value != other.value for other in found.setdefault(point.name, [])):
            found[point.name].append(point)
    return found


def loaded(point: EntryPoint) -> Any:
    """The object of an entry point; SparringError if its package cannot be imported."""
    try:
        return point.load()
    except Exception as error:
        package = point.dist.name if point.dist else point.module
        raise SparringError(
            f"{point.name} of the package {package} cannot be loaded: {type(error).__name__}: {error}; "
            f"repair or uninstall {package}"
        ) from error


def only(group: str, kind: str, name: str) -> Any:
    """The one object of this name in a group."""
    points = declared(group).get(name, [])
    if not points:
        raise unknown(kind, name, declared(group))
    if len(points) > 1:
        packages = " and ".join(point.dist.name if point.dist else point.module for point in points)
        raise SparringError(f"{packages} both have a {kind} called {name}; uninstall one of them")
    return loaded(points[0])


def names() -> list[str]:
    """The games that are installed, without importing any of them."""
    return sorted(declared(GAMES))


def game(name: str, **options: Any) -> "Game":
    """A game by name, set up with its options, e.g. `game("isolation", board="6x6")`."""
    if not isinstance(name, str):
        raise SparringError(f"name a game, one of {', '.join(names())}, not {name!r}")
    made: Game = only(GAMES, "game", name)(**options)
    return made


def folder(name: str) -> Path:
    """The folder of a game's package, where files that go with it lie: its first idea, its suite, its experiments."""
    only(GAMES, "game", name)
    found = find_spec(declared(GAMES)[name][0].module)
    return Path(str(found and found.origin)).parent


def modules(group: str, name: str) -> list[Any]:
    """What all packages declare for a game in a group, e.g. its modules of agents."""
    return [loaded(point) for point in declared(group).get(name, [])]
