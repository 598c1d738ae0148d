"""The games as a page lists them, and games set up as it asks."""

import sys
from functools import lru_cache
from typing import TYPE_CHECKING

from sparring.agents.spec import example, heuristics, named_agents, searches
from sparring.games import registry
from sparring.games.capabilities import Solver, offered
from sparring.games.contract import Game
from sparring.web import bodies

if TYPE_CHECKING:
    from sparring.web.server import Server

HELD = 64
"""Games that stay set up: it takes as long as many moves."""


def set_up(asked: bodies.Rules) -> Game:
    """The same object for the same game, so that its rules are compiled once."""
    return _set_up(asked.game, tuple(sorted(asked.options.items())))


@lru_cache(maxsize=HELD)
def _set_up(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return registry.game(name, **dict(options))


def games(server: "Server") -> list[bodies.Shelved]:
    return [_shelved(game) for game in registry.working()]


def _shelved(game: Game) -> bodies.Shelved:
    about = (sys.modules[type(game).__module__].__doc__ or "").partition("\n")[0]
    agents = named_agents(game) | {name: found.description for name, found in heuristics(game).items()}
    return bodies.Shelved(
        name=game.name,
        title=game.title or game.name.capitalize(),
        about=about.partition(": ")[2],
        simultaneous=game.kind.simultaneous,
        chance=game.kind.chance,
        players=game.kind.players,
        seats=game.seats,
        player_names=[game.player_name(player) for player in range(game.kind.players[1])],
        options=[_option(game, name, value) for name, value in game.options().items()],
        agents=[bodies.Agent(spec=spec, about=about) for spec, about in agents.items()],
        best=example(game).split()[0],
        searches=dict(searches(game)),
        exact=_solved(game),
    )


def _option(game: Game, name: str, default: str) -> bodies.Option:
    if name in game.words:
        return bodies.Option(name=name, default=default, values=list(game.words[name]))
    if name in game.numbers:
        least, most = game.numbers[name]
        about = f"a number from {least} to {most}"
        return bodies.Option(name=name, default=default, about=about, least=least, most=most)
    return bodies.Option(name=name, default=default, about=f"such as {default}")


def _solved(game: Game) -> bool:
    return offered(game, Solver) is not None
