"""Positions of Flag War, crowded ones that no game may reach among them, and rounds, scores and decisions from them."""

from functools import cache
from typing import Any

from hypothesis import strategies as st

import sparring
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import heuristics
from sparring.core.dice import players_dice
from sparring.core.kernel import record
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import LETTERS, action_named
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import SIDES, Round, State

USERS_FILE = """
from sparring import agent, heuristic


@agent("flagwar")
def charges(view):
    return "1d31_2l3" if view.me == 0 else "1r31_3u8"


@heuristic("flagwar")
def leftmost(s, me):
    return -(s.at[me, 0] & 31) + (s.at[1 - me, 0] & 31)
"""
Situation = tuple[FlagWar, str, dict[tuple[int, int], str]]
"""A game, a position as text, and the commands of both sides by side and piece."""


@cache
def made(**options: Any) -> FlagWar:
    return FlagWar(**options)


def ordered(s: Any, orders: str) -> list[int]:
    """The actions of both sides for orders such as `A1d3 A2u1 B1r2`."""
    said = {side: " ".join(one[1:] for one in orders.split() if one[0] == side) or "stay" for side in SIDES}
    return [action_named(said[side], int(s.pieces)) for side in SIDES]  # type: ignore[misc]


def played(s: Any, orders: str = "") -> Any:
    """Play a round and return its record."""
    log = record(Round)
    rules.play_round(s, *ordered(s, orders), log)
    return log


@cache
def _scorers() -> dict[str, tuple[Any, Any]]:
    return {name: (one.score(State), one.weigh()) for name, one in heuristics(made()).items()}


def scores(s: Any, player: int = 0) -> dict[str, float]:
    """The score of a position by every heuristic."""
    return {name: float(score(s, player, weights)) for name, (score, weights) in _scorers().items()}


@cache
def player(spec: str, game: FlagWar | None = None) -> Agent:
    return sparring.agent(game or made(), spec)


def decided(spec: str, position: str, me: int = 0, seed: int = 1, game: FlagWar | None = None) -> Decision:
    """An agent's decision in a position that is written down."""
    here = (game or made()).position(position)
    return player(spec, game).decide(View(here, me, players_dice(seed, me)))


GAMES = [
    {},
    {"rules": "repo-11x11"},
    {"swap": "bounce", "rescuer_reset": "same_round"},
    {"survivor": "continue", "pickup_in_passing": "yes", "both_score": "b_wins"},
    {"board": "7x11", "pieces": "3"},
    {"board": "19x13"},
]


def key_at(game: FlagWar, side: int) -> tuple[int, int]:
    width, height = game.config.sides
    return (1, height - 2) if side else (width - 2, 1)


@st.composite
def situations(draw: Any) -> Situation:
    """Crowded positions, so that there are contacts."""
    game = made(**draw(st.sampled_from(GAMES)))
    width, height = game.config.sides
    n, words, orders = game.config.pieces, [], {}
    low, high = draw(st.integers(0, width // 2)), draw(st.integers(width // 2 + 1, width - 1))
    cells = st.tuples(st.integers(low, high), st.integers(0, height - 1))
    special = st.sampled_from([(width // 2, 0), (width // 2, height - 1), (width - 2, 1), (1, height - 2)])
    for side in (0, 1):
        places = [draw(st.one_of(cells, cells, cells, special, st.none())) for _ in range(n)]
        if not any(places) and game.config.elimination == "yes":
            places[0] = draw(cells)
        alive = [number for number, place in enumerate(places) if place]
        carrier = draw(st.sampled_from([*alive, None, None])) if alive else None
        rescuer = draw(st.sampled_from([*alive, None, None, None, None])) if alive else None
        if rescuer is not None:
            places[rescuer] = key_at(game, side)
        for number, place in enumerate(places):
            where = f"{place[0]},{place[1]}" if place else "X"
            extra = "+flag" * (number == carrier) + "+key" * (number == rescuer)
            words.append(f"{SIDES[side]}{number + 1}:{where}{extra}")
            orders[side, number] = draw(st.sampled_from(LETTERS)) + str(draw(st.integers(0, height + 3)))
    return game, " ".join(words), orders


def as_orders(orders: dict[tuple[int, int], str]) -> str:
    return " ".join(f"{SIDES[side]}{number + 1}{order}" for (side, number), order in orders.items())
