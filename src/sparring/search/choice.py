"""Choices that look no further than the next move. Templates like the searches, so that compiled code can play
whole games by them."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from sparring.core.bits import lowest
from sparring.core.dice import roll
from sparring.core.kernel import Weights, bind, heuristic_signature, record
from sparring.games.contract import Game
from sparring.search.tree import OWN_WAY, WIN, Automaton, Manner, bound, note

actors: Any
reward: Any
child: Any
position: Any
start: Any
more: Any
choose: Any
without: Any
game_actions: Any
note_roots: Any
place_of: Any
score_move: Any
value_of: Any


def any_move(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Each legal move is as likely as the others."""
    found = game_actions(position(states[0]), walk.me, walk.roots)
    walk.line[0] = walk.roots[roll(dice, found)]
    walk.line_length = 1
    walk.finished = 1


def greedy(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The best position after the move, the last such move on ties."""
    frame = frames[0]
    todo = start(frame, states[0], lowest(actors(states[0])))
    while more(frame, todo):
        action = choose(frame, todo, dice)
        todo = without(frame, todo, action)
        child(states[1], states[0], action)
        value = heuristic(position(states[1]), walk.me, weights)
        walk.nodes += 1
        if walk.line_length == 0 or value >= walk.score:
            walk.score = value
            walk.line[0] = action
            walk.line_length = 1
    walk.completed = 1
    walk.finished = 1


def best_move(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """The moves in shuffled order, each scored by what it leads to before chance has a say; the first of the best."""
    frame = frames[0]
    todo = start(frame, states[0], lowest(actors(states[0])))
    note_roots(walk, frame, todo)
    while more(frame, todo):
        action = choose(frame, todo, dice)
        todo = without(frame, todo, action)
        child(states[1], states[0], action)
        note(walk, place_of(walk, action), action, score_move(states[0], states[1], action, heuristic, weights))
        walk.nodes += 1
    walk.completed = 1
    walk.finished = 1


def by_heuristic(s: Any, after: Any, action: int, heuristic: Any, weights: Any) -> Any:
    """What a move is worth to the mover: the position it leads to."""
    return value_of(after, lowest(actors(s)), heuristic, weights)


def as_judged(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """What the heuristic says, also of a finished game."""
    return heuristic(s, me, weights)


def as_it_ended(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """What the heuristic says; of a finished game the result counts, and more than anything else."""
    return heuristic(s, me, weights) if actors(s) else reward(s, me) * WIN


def best_by(game: Game, score: Any) -> Any:
    """The choice of the best move by `score(s, after, action, heuristic, weights)`."""
    return bound(best_move, game, Manner(score.__name__, {"SHUFFLED": 1, "score_move": score}))


def best_value(game: Game, value: Callable[..., Any]) -> Any:
    """The choice of the move that leads to the best position: by the heuristic as it is, or `as_it_ended`."""
    manner = Manner(value.__name__, {"SHUFFLED": 1})
    return bound(best_move, game, manner, value_of=value, score_move=by_heuristic)


def random_automaton(game: Game) -> Automaton:
    """Plays any move."""
    return any_of(game, OWN_WAY)


def any_of(game: Game, manner: Manner) -> Automaton:
    """Plays any of the moves that are listed in some manner: `game_actions`."""
    return Automaton(bound(any_move, game, manner), silent(game.state), record(Weights), 1, 0)


@cache
def silent(state: np.dtype[Any]) -> Any:
    """Placeholder heuristic for policies that do not use one."""
    return bind(no_opinion, {}, f"no_opinion_{state.itemsize}", heuristic_signature(state))


def no_opinion(s: Any, me: int, weights: Any) -> float:
    return 0.0
