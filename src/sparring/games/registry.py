"""The games that are installed, and what packages declare for each: see core/plugins.py."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core import plugins
from sparring.core.errors import SparringError
from sparring.core.plugins import AGENTS, GAMES, HEURISTICS, OURS, SEARCHES
from sparring.core.table import in_a_line

if TYPE_CHECKING:
    from sparring.games.contract import Game


def names() -> list[str]:
    """The games that are installed, without importing any of them."""
    return sorted(plugins.declared(GAMES))


def game(name: str, **options: Any) -> "Game":
    """A game by name, set up with its options, e.g. `game("isolation", board="6x6")`."""
    if not isinstance(name, str):
        raise SparringError(f"name a game, one of {', '.join(names())}, not {name!r}")
    kind = game_class(name)
    try:
        made: Game = kind(**options)
    except SparringError:
        raise
    except Exception as error:
        package = plugins.package_of(plugins.declared(GAMES)[name][0])
        raise SparringError(
            f"{name} of the package {package} cannot be set up: {in_a_line(f'{type(error).__name__}: {error}')}"
        ) from error
    return made


def game_class(name: str) -> Any:
    return plugins.only(GAMES, "game", name, lambda found: _misfit(name, found))


def _misfit(name: str, found: Any) -> str:
    """Why an object cannot be used as the game of a name; an empty text if it can."""
    from sparring.games.contract import API, Game

    if not (isinstance(found, type) and issubclass(found, Game)):
        return f"{found!r} is not a class derived from Game"
    if found.name != name:
        return f"{found.__name__} calls itself {found.name}, not {name}"
    if getattr(found, "api", None) != API:
        return f"{found.__name__} says api = {getattr(found, 'api', None)}, and this is contract {API} of games"
    lacking = ", ".join(sorted(found.__abstractmethods__))
    return f"{found.__name__} does not define {lacking}" if lacking else ""


def working() -> "Iterator[Game]":
    """All games that can be used, set up with their defaults. Others are named on standard error."""
    for name in names():
        try:
            made = game(name)
        except SparringError as error:
            plugins.complain(str(error))
        else:
            yield made


def folder(name: str) -> Path:
    """The folder of a game's package, where files that go with it lie: its first idea, its suite, its experiments."""
    return plugins.folder_of(plugins.only_point(GAMES, "game", name))


def modules(group: str, name: str) -> dict[str, Any]:
    """What packages declare for a game in a group, such as its agents, by the names of the packages: the game's own
    package first."""
    own = [plugins.package_of(point) for point in plugins.declared(GAMES).get(name, ())]
    points = sorted(plugins.declared(group).get(name, ()), key=lambda point: plugins.package_of(point) not in own)
    return {plugins.package_of(point): found for point, found in plugins.all_of(points)}


@cache
def code(name: str) -> str:
    """A hash of all code that may have a say in a game: of Sparring, and after a dash of the plug-ins that declare
    something for the game, or searches for all games."""
    from sparring.core.cache import content
    from sparring.core.kernel import fingerprint

    points = [point for group in (GAMES, AGENTS, HEURISTICS) for point in plugins.declared(group).get(name, ())]
    points += [point for found in plugins.declared(SEARCHES).values() for point in found]
    roots = {root for point in points for root in plugins.roots_of(point)} - {OURS}
    digest = hashlib.blake2b(digest_size=8)
    for version in sorted({f"{plugins.package_of(point)} {point.dist.version}" for point in points if point.dist}):
        digest.update(version.encode() + b"\0")
    for root in sorted(roots):
        for file in plugins.files_of(root):
            digest.update(f"{root} {file.name}\0".encode() + content(str(file)))
    return "-".join([fingerprint(), *([digest.hexdigest()] if roots else [])])
