"""Policies that look only at the next action. They are templates, so compiled code can play whole games with them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sparring.core.bits import lowest
from sparring.core.dice import roll
from sparring.core.kernel import Weights, bind, heuristic_signature, record
from sparring.games.contract import Game
from sparring.search.tree import DEFAULT_VARIANT, WIN, CompiledPolicy, SearchVariant, bound, note


def any_move(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """A random legal action."""
    found = game_actions(position(states[0]), search.me, search.roots)
    search.line[0] = search.roots[roll(dice, found)]
    search.line_length = 1
    search.finished = 1


def greedy(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The action with the best position after it; of equal actions the last."""
    frame = frames[0]
    todo = start(frame, states[0], lowest(actors(states[0])))
    while more(frame, todo):
        action = choose(frame, todo, dice)
        todo = without(frame, todo, action)
        child(states[1], states[0], action)
        value = heuristic(position(states[1]), search.me, weights)
        search.nodes += 1
        if search.line_length == 0 or value >= search.score:
            search.score = value
            search.line[0] = action
            search.line_length = 1
    search.completed = 1
    search.finished = 1


def best_move(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Evaluate each action before chance. The best is chosen, a random one of equal actions."""
    frame = frames[0]
    todo = start(frame, states[0], lowest(actors(states[0])))
    store_roots(search, frame, todo)
    while more(frame, todo):
        action = choose(frame, todo, dice)
        todo = without(frame, todo, action)
        child(states[1], states[0], action)
        note(search, place_of(search, action), action, score_move(states[0], states[1], action, heuristic, weights))
        search.nodes += 1
    search.completed = 1
    search.finished = 1


def by_heuristic(s: Any, after: Any, action: int, heuristic: Any, weights: Any) -> Any:
    """The value of an action for its player: that of the position after it."""
    return value_of(after, lowest(actors(s)), heuristic, weights)


def heuristic_only(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """The heuristic, also for a finished game."""
    return heuristic(s, me, weights)


def result_or_heuristic(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """The heuristic; for a finished game the result, which outweighs every heuristic."""
    return heuristic(s, me, weights) if actors(s) else reward(s, me) * WIN


def best_move_by(game: Game, score: Any) -> Any:
    """The policy that chooses the best action by `score(s, after, action, heuristic, weights)`."""
    return bound(best_move, game, SearchVariant(score.__name__, {"SHUFFLED": 1, "score_move": score}))


def best_value(game: Game, value: Callable[..., Any]) -> Any:
    """The policy of the best position after an action, by `heuristic_only` or `result_or_heuristic`."""
    manner = SearchVariant(value.__name__, {"SHUFFLED": 1})
    return bound(best_move, game, manner, value_of=value, score_move=by_heuristic)


def random_policy(game: Game, manner: SearchVariant = DEFAULT_VARIANT) -> CompiledPolicy:
    """The policy that plays random legal actions, or random actions of those that `game_actions` of a variant lists."""
    return CompiledPolicy(bound(any_move, game, manner), silent(game.state), record(Weights), 1, 0)


@cache
def silent(state: np.dtype[Any]) -> Any:
    """Placeholder heuristic for policies that do not use one."""
    return bind(no_opinion, {}, f"no_opinion_{state.itemsize}", heuristic_signature(state))


def no_opinion(s: Any, me: int, weights: Any) -> float:
    return 0.0
