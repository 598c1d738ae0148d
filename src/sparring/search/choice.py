"""Choices that look no further than the next move. Templates like the searches, so that compiled code can play
whole games by them."""

from functools import cache
from typing import Any

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.kernel import Weights, bind, heuristic_signature, record
from sparring.games.contract import Game
from sparring.search.tree import Automaton, Manner, bound, shuffled

legal: Any
descend: Any


def any_move(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Each legal move is as likely as the others."""
    walk.line[0] = shuffled(legal(states[0]), dice)
    walk.line_length = 1
    walk.finished = 1


def greedy(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The best position after the move, the last such move on ties."""
    moves = legal(states[0])
    walk.nodes = count(moves)
    while moves:
        action = lowest(moves)
        moves &= moves - 1
        descend(states, 0, action)
        value = heuristic(states[1], walk.me, weights)
        if walk.line_length == 0 or value >= walk.score:
            walk.score = value
            walk.line[0] = action
            walk.line_length = 1
    walk.completed = 1
    walk.finished = 1


def random_automaton(game: Game) -> Automaton:
    """Plays any move: where a search tries only some of them, others too."""
    return any_of(game, Manner("", {"legal": game.kernels.get("options", game.kernels["legal"])}))


def any_of(game: Game, manner: Manner) -> Automaton:
    """Plays any of the moves that are legal in some manner."""
    return Automaton(bound(any_move, game, manner), silent(game.state), record(Weights), 1, 0)


@cache
def silent(state: np.dtype[Any]) -> Any:
    """A step wants a heuristic, also one that asks none."""
    return bind(no_opinion, {}, f"no_opinion_{state.itemsize}", heuristic_signature(state))


def no_opinion(s: Any, me: int, weights: Any) -> float:
    return 0.0
