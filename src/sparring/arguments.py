"""Arguments of the workbench, checked as the command line checks them: a slip is a SparringError of one line."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sparring.core.amounts import setting
from sparring.core.errors import SparringError
from sparring.games import logs, registry
from sparring.games.contract import Game, Position

if TYPE_CHECKING:
    from sparring.arena.store import Store


def set_up(named: "str | Game", options: Mapping[str, Any] = MappingProxyType({})) -> Game:
    """A game, from its name and the options that are given beside it, or as it is."""
    if not isinstance(named, Game):
        return registry.game(named, **options)
    for name in options:
        raise SparringError(
            f"unknown setting {name!r}; an option of the game is given as in sparring.game({named.name!r}, {name}=...)"
        )
    return named


def with_options(named: "str | Game", settings: Mapping[str, Any]) -> tuple[Game, dict[str, Any]]:
    """A game set up with the options among the settings of a match or league, and the settings that are left."""
    known = {} if isinstance(named, Game) else registry.game(named).options()
    options = {name: value for name, value in settings.items() if name in known}
    return set_up(named, options), {name: value for name, value in settings.items() if name not in known}


LOGGED = re.compile(r"\s*(.+\.jsonl)@(\d{1,9})\s*")


def position_of(game: Game, given: "str | Position") -> Position:
    """A position from its text, or as it is. FILE.jsonl@TURN is a turn of a log, which knows the rules it was played
    by."""
    if isinstance(given, str) and (logged := LOGGED.fullmatch(given)):
        given = logs.load(logged[1]).at(int(logged[2]))
    if not isinstance(given, Position):
        return game.position(given)
    if given.game.name != game.name:
        raise SparringError(f"this is a position of {given.game.name}, not of {game.name}")
    return given


def studied_game(game: "str | Game", options: Mapping[str, Any], named: object, only: object) -> Game:
    """The game of a tuning or an ablation, its agent and parts being texts."""
    if not isinstance(named, str):
        raise SparringError(f"give the text of an agent, such as one that `spar agents GAME` lists, not {named!r}")
    refuse_single("terms", only, "only")
    return set_up(game, options)


def refuse_single(what: str, given: object, argument: str = "") -> None:
    """Refuse what is no list, such as a text, whose letters would be taken for its members. The argument has the name
    of its members unless another is given."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise SparringError(f"{argument or what} must be a list of {what}, not {given!r}")


def refuse_nobody(agents: object) -> None:
    """Refuse agents that are no list, or of which there are none."""
    refuse_single("agents", agents)
    if not agents:
        raise SparringError("name at least one agent; `spar agents GAME` lists them")


def refuse_no_store(given: object) -> None:
    """Refuse what is no store, such as the name of its file."""
    from sparring.arena.store import Store

    if not isinstance(given, Store):
        example = "Store(Path('games.db'))"
        raise SparringError(f"store must be a Store of sparring.arena.store, such as {example}, not {given!r}")


def checked_store(given: "Store | None") -> "Store | None":
    if given is not None:
        refuse_no_store(given)
    return given


def checked_workers(given: int | None) -> int | None:
    return None if given is None else setting("workers", given)
