"""The installed games, and what packages declare for each: see core/plugins.py."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core import plugins
from sparring.core.errors import SparringError
from sparring.core.plugins import AGENTS, GAMES, HEURISTICS, OURS, SEARCHES
from sparring.core.table import one_line

if TYPE_CHECKING:
    from sparring.games.contract import Game


def names() -> list[str]:
    """The names of the installed games. Imports none of them."""
    return sorted(plugins.declared(GAMES))


def game(name: str, **options: Any) -> "Game":
    """A game by name, with its options, e.g. `game("isolation", board="6x6")`."""
    if not isinstance(name, str):
        raise SparringError(f"name a game, one of {', '.join(names())}, not {name!r}")
    kind = plugins.only(GAMES, "game", name, lambda found: _misfit(name, found))
    try:
        made: Game = kind(**options)
    except SparringError:
        raise
    except Exception as error:
        package = plugins.package_of(plugins.declared(GAMES)[name][0])
        raise SparringError(
            f"{name} of the package {package} cannot be set up: {one_line(f'{type(error).__name__}: {error}')}"
        ) from error
    return made


def _misfit(name: str, found: Any) -> str:
    """The reason why an object cannot be the game of a name; an empty text if it can."""
    from sparring.games.contract import API, Game

    if not (isinstance(found, type) and issubclass(found, Game)):
        return f"{found!r} is not a class derived from Game"
    if found.name != name:
        return f"{found.__name__} calls itself {found.name}, not {name}"
    if getattr(found, "api", None) != API:
        return f"{found.__name__} says api = {getattr(found, 'api', None)}, and this is contract {API} of games"
    stated = {member for member in ("version", "kind", "state") if not hasattr(found, member)}
    lacking = ", ".join(sorted(stated | found.__abstractmethods__))
    return f"{found.__name__} does not define {lacking}" if lacking else ""


def working() -> "Iterator[Game]":
    """All games that can be used, with their default options. Others are named on standard error."""
    for name in names():
        try:
            made = game(name)
        except SparringError as error:
            plugins.warn_once(str(error))
        else:
            yield made


def folder(name: str) -> Path:
    """The folder of a game's package, with its example idea, its suite and its experiments."""
    return plugins.folder_of(plugins.sole_entry_point(GAMES, "game", name))


def modules(group: str, name: str) -> dict[str, Any]:
    """The modules that packages declare for a game in a group, by package. The game's own package is the first."""
    own = [plugins.package_of(point) for point in plugins.declared(GAMES).get(name, ())]
    points = sorted(plugins.declared(group).get(name, ()), key=lambda point: plugins.package_of(point) not in own)
    return {plugins.package_of(point): found for point, found in plugins.all_of(points)}


@cache
def code(name: str) -> str:
    """A hash of all code that can change a game: of Sparring and, after a dash, of plug-ins for it or for all games."""
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
