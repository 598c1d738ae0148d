"""Search in games with dice: the average value of an action over the outcomes of chance.

The search tries each own action. After it, all outcomes of chance are searched, or some are drawn. The player who acts
then takes the action with the best position after it, by one evaluation of each action. So the search is for two or
more players, each of whom maximises its own value. After `depth` actions the heuristic evaluates the position for the
player who searches. `value_of` says how a finished game is evaluated.

Templates, for games that list the outcomes of chance.
"""

from collections.abc import Callable
from typing import Any

from sparring.core.bits import lowest
from sparring.core.dice import roll, seed_dice
from sparring.core.kernel import copy_record
from sparring.games.contract import Game
from sparring.games.kernels import CHANCE, alone
from sparring.search.choice import by_heuristic
from sparring.search.tree import INFINITY, MAX_PLIES, SearchVariant, bound, note


def expectimax(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Search all outcomes with a stack. Frames hold the outcomes to come, and the sum of the values so far."""
    root = frames[0]
    todo = start(root, states[0], lowest(actors(states[0])))
    store_roots(search, root, todo)
    while more(root, todo):
        action = choose(root, todo, dice)
        todo = without(root, todo, action)
        child(states[1], states[0], action)
        ply, value = 1, 0.0
        frames[1].action, frames[1].best = branches(states[1]), 0.0
        while ply:
            if ply == search.max_depth or actors(states[ply]) == 0:
                value = value_of(states[ply], search.me, heuristic, weights)
                search.nodes += 1
            elif frames[ply].action:
                frames[ply].action -= 1
                copy_record(states[ply + 1], states[ply])
                if actors(states[ply]) == CHANCE:
                    happen(states[ply + 1], frames[ply].action)
                reply(search, states, frames, ply + 1, heuristic, weights)
                ply += 1
                frames[ply].action, frames[ply].best = branches(states[ply]), 0.0
                continue
            else:
                value = frames[ply].best / branches(states[ply])
            ply -= 1
            if ply and actors(states[ply]) == CHANCE:
                value *= probability(states[ply], frames[ply].action) * outcomes(states[ply])
            frames[ply].best += value
        note(search, place_of(search, action), action, value)
    search.completed = search.max_depth
    search.finished = 1


def branches(s: Any) -> int:
    """The number of outcomes before the next reply."""
    return outcomes(s) if actors(s) == CHANCE else 1


def rollouts(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Play out a line per node of the budget for each action. Each line has dice, the same for all actions."""
    lines, stream = search.max_nodes, roll(dice, 1 << 30)
    player, equals = lowest(actors(states[0])), 0
    root = frames[0]
    todo = start(root, states[0], player)
    store_roots(search, root, todo)
    while more(root, todo):
        action = first(root, todo)
        todo = without(root, todo, action)
        total = 0.0
        for line in range(lines):
            seed_dice(dice, stream, line)
            child(states[1], states[0], action)
            ply = 1
            while ply < search.max_depth and actors(states[1]):
                if actors(states[1]) == CHANCE:
                    draw(states[1], dice)
                reply(search, states, frames, 1, heuristic, weights)
                ply += 1
            total += judge(states[1], search.me, heuristic, weights)
        value = total / lines
        equals = 1 if search.line_length == 0 or value > search.score else equals + int(value == search.score)
        note(search, place_of(search, action), action, value)
    seed_dice(dice, stream, lines)
    if search.line_length:
        todo, skipped = start(root, states[0], player), roll(dice, equals)
        while skipped >= 0:
            action = first(root, todo)
            todo = without(root, todo, action)
            skipped -= int(search.scores[place_of(search, action)] == search.score)
        search.line[0] = action
    search.completed = search.max_depth if search.max_depth < MAX_PLIES else 0
    search.finished = 1


def reply(search: Any, states: Any, frames: Any, ply: int, heuristic: Any, weights: Any) -> None:
    """The player who acts, if any, takes the best action by one evaluation of each."""
    acting = actors(states[ply])
    if acting == CHANCE or acting == 0:
        return
    frame = frames[ply]
    todo = start(frame, states[ply], lowest(acting))
    chosen, best = first(frame, todo), -INFINITY
    if more(frame, without(frame, todo, chosen)):
        while more(frame, todo):
            action = first(frame, todo)
            todo = without(frame, todo, action)
            child(states[ply + 1], states[ply], action)
            value = score_move(states[ply], states[ply + 1], action, heuristic, weights)
            search.nodes += 1
            if value > best:
                chosen, best = action, value
    apply(states[ply], alone(chosen))


def by_result(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """The result of a game that was played to its end, from 0 to 1."""
    return (1 + reward(s, me)) / 2


def bind_expectation(
    template: Callable[..., Any],
    game: Game,
    value: Callable[..., Any],
    policy: Any = None,
    to_the_end: bool = False,
) -> Any:
    """A template bound to a game. The heuristic, or a policy that is given, chooses the actions after the first. The
    heuristic evaluates the last positions and `value` finished games, unless games are played to the end."""
    words = (value.__name__, policy.__name__ if policy else "", "to_the_end" if to_the_end else "")
    manner = SearchVariant("_".join(filter(None, words)), {"SHUFFLED": 1, "score_move": policy})
    chosen = {} if policy else {"score_move": by_heuristic}
    judge = by_result if to_the_end else value
    return bound(template, game, manner, value_of=value, **chosen, branches=branches, reply=reply, judge=judge)
