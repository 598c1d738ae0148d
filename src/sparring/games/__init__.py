"""The games. Each is a folder of its own; nobody else lists them."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core.errors import SparringError, unknown

if TYPE_CHECKING:
    from sparring.games.contract import Game


def names() -> list[str]:
    """The games there are, without importing any of them."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/rules.py"))


def game(name: str, **options: Any) -> "Game":
    """A game by name, set up with its options, e.g. `game("isolation", board="6x6")`."""
    if not isinstance(name, str):
        raise SparringError(f"name a game, one of {', '.join(names())}, not {name!r}")
    if name not in names():
        raise unknown("game", name, names())
    made: Game = import_module(f"sparring.games.{name}").GAME(**options)
    return made
