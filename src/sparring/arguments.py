"""Checks of arguments, for Python calls and the command line alike. A mistake is a SparringError of one line."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sparring.agents.agent import Agent
from sparring.agents.spec import naming
from sparring.core.amounts import setting
from sparring.core.errors import SparringError
from sparring.core.terms import Heuristic
from sparring.games import logs, registry
from sparring.games.contract import Game, Position

if TYPE_CHECKING:
    from sparring.arena.store import Store


def set_up(named: "str | Game", options: Mapping[str, Any] = MappingProxyType({})) -> Game:
    """Return a game from its name and options, or as it is."""
    if not isinstance(named, Game):
        return registry.game(named, **options)
    for name in options:
        raise SparringError(
            f"unknown setting {name!r}; an option of the game is given as in sparring.game({named.name!r}, {name}=...)"
        )
    return named


def with_options(named: "str | Game", settings: Mapping[str, Any]) -> tuple[Game, dict[str, Any]]:
    """Set up a game with the options among some settings; return it and the other settings."""
    known = {} if isinstance(named, Game) else registry.game(named).options()
    options = {name: value for name, value in settings.items() if name in known}
    return set_up(named, options), {name: value for name, value in settings.items() if name not in known}


LOGGED = re.compile(r"\s*(.+\.jsonl)@(\d{1,9})\s*")


def position_of(game: Game, given: "str | Position") -> Position:
    """Return a position from its text, or as it is. FILE.jsonl@TURN is a turn of a log, with the rules of the log."""
    if isinstance(given, str) and (logged := LOGGED.fullmatch(given)):
        given = logs.load(logged[1]).at(int(logged[2]))
    if not isinstance(given, Position):
        return game.position(given)
    if given.game.name != game.name:
        raise SparringError(f"this is a position of {given.game.name}, not of {game.name}")
    return given


@contextmanager
def text_of(agent: object, kept: object) -> Iterator[tuple[str, bool]]:
    """Give the text of an agent, and whether it means the same to a later command. Within the block it also names a
    heuristic that is given as an object, whose games cannot be `kept`."""
    own: Heuristic | None = None
    if isinstance(agent, str):
        text = agent
    elif isinstance(agent, Heuristic):
        text, own = agent.name, agent
    elif isinstance(agent, Agent):
        text, own = agent.spec, agent.given
    else:
        raise SparringError(f"give a heuristic, or the text of an agent that `spar agents GAME` lists, not {agent!r}")
    lasting = own is None or own.built_in
    if own and kept and not lasting:
        told = f"a later run cannot find {own.name}, which is given as an object"
        raise SparringError(f"{told}: leave out store and out, or name its file, such as {own.name}.py")
    with naming(own):
        yield text, lasting


def require_list(what: str, given: object, argument: str = "") -> None:
    """Refuse anything but a list. A text would be taken for a list of letters."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise SparringError(f"{argument or what} must be a list of {what}, not {given!r}")


def require_texts(what: str, given: object, argument: str) -> None:
    """Refuse anything but a list of texts."""
    require_list(what, given, argument)
    for one in given if isinstance(given, Sequence) else ():
        if not isinstance(one, str):
            raise SparringError(f"{argument} must be a list of texts, and {one!r} is none")


def require_agents(agents: object) -> None:
    """Refuse anything but a list of agents, and an empty list."""
    require_list("agents", agents)
    if not agents:
        raise SparringError("name at least one agent; `spar agents GAME` lists them")


def optional_store(given: "Store | None") -> "Store | None":
    """Refuse anything but a store or None, such as the name of its file."""
    from sparring.arena.store import Store

    if not (given is None or isinstance(given, Store)):
        example = "sparring.Store(Path('games.db'))"
        raise SparringError(f"store must be a Store, such as {example}, not {given!r}")
    return given


@contextmanager
def opened_store(given: "Store | None", new: bool = False) -> "Iterator[Store]":
    """Give the store, or the user's own until the end of the block; `new` makes a missing file."""
    from sparring.arena.store import Store

    if kept := optional_store(given):
        yield kept
    else:
        with Store(None, new) as own:
            yield own


def optional_workers(given: int | None) -> int | None:
    return None if given is None else setting("workers", given)
