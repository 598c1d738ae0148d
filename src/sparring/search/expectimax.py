"""Looking ahead where dice are rolled: what a move is worth on average over what the die may show.

The own moves are tried one by one. After each, every outcome of chance is looked at, or some are drawn, and the player
who acts then makes the move that leads to the best position for itself at first sight. So every player looks after
itself, be there two or more, and no reply costs more than one look at each move. After `depth` moves the heuristic says
what the position is worth to the player who searches; how a finished game is judged is up to `value_of`.

Templates, for games that list the outcomes of chance.
"""

from collections.abc import Callable
from typing import Any

from sparring.core.bits import lowest
from sparring.core.dice import roll, sow
from sparring.core.kernel import copy_record
from sparring.games.contract import Game
from sparring.games.kernels import CHANCE, alone
from sparring.search.choice import by_heuristic
from sparring.search.tree import INFINITY, MAX_PLIES, Manner, bound, note

actors: Any
child: Any
apply: Any
draw: Any
outcomes: Any
probability: Any
happen: Any
reward: Any
start: Any
more: Any
first: Any
choose: Any
without: Any
note_roots: Any
place_of: Any
value_of: Any
score_move: Any
reply: Any
judge: Any


def expectimax(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Every outcome, a walk over a stack: frames hold the outcomes to come and the sum of those seen."""
    root = frames[0]
    todo = start(root, states[0], lowest(actors(states[0])))
    note_roots(walk, root, todo)
    while more(root, todo):
        action = choose(root, todo, dice)
        todo = without(root, todo, action)
        child(states[1], states[0], action)
        ply, value = 1, 0.0
        frames[1].action, frames[1].best = branches(states[1]), 0.0
        while ply:
            if ply == walk.max_depth or actors(states[ply]) == 0:
                value = value_of(states[ply], walk.me, heuristic, weights)
                walk.nodes += 1
            elif frames[ply].action:
                frames[ply].action -= 1
                copy_record(states[ply + 1], states[ply])
                if actors(states[ply]) == CHANCE:
                    happen(states[ply + 1], frames[ply].action)
                reply(walk, states, frames, ply + 1, heuristic, weights)
                ply += 1
                frames[ply].action, frames[ply].best = branches(states[ply]), 0.0
                continue
            else:
                value = frames[ply].best / branches(states[ply])
            ply -= 1
            if ply and actors(states[ply]) == CHANCE:
                value *= probability(states[ply], frames[ply].action) * outcomes(states[ply])
            frames[ply].best += value
        note(walk, place_of(walk, action), action, value)
    walk.completed = walk.max_depth
    walk.finished = 1


def branching(s: Any) -> int:
    """How many ways lead on before the next reply."""
    return outcomes(s) if actors(s) == CHANCE else 1


branches: Any


def rollouts(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """So many lines for each move as the budget has nodes, each with dice of its own, which are the same for all moves:
    so luck does not favour one of them."""
    lines, stream = walk.max_nodes, roll(dice, 1 << 30)
    player, equals = lowest(actors(states[0])), 0
    root = frames[0]
    todo = start(root, states[0], player)
    note_roots(walk, root, todo)
    while more(root, todo):
        action = first(root, todo)
        todo = without(root, todo, action)
        total = 0.0
        for line in range(lines):
            sow(dice, stream, line)
            child(states[1], states[0], action)
            ply = 1
            while ply < walk.max_depth and actors(states[1]):
                if actors(states[1]) == CHANCE:
                    draw(states[1], dice)
                reply(walk, states, frames, 1, heuristic, weights)
                ply += 1
            total += judge(states[1], walk.me, heuristic, weights)
        value = total / lines
        equals = 1 if walk.line_length == 0 or value > walk.score else equals + int(value == walk.score)
        note(walk, place_of(walk, action), action, value)
    sow(dice, stream, lines)
    if walk.line_length:
        todo, skipped = start(root, states[0], player), roll(dice, equals)
        while skipped >= 0:
            action = first(root, todo)
            todo = without(root, todo, action)
            skipped -= int(walk.scores[place_of(walk, action)] == walk.score)
        walk.line[0] = action
    walk.completed = walk.max_depth if walk.max_depth < MAX_PLIES else 0
    walk.finished = 1


def first_sight(walk: Any, states: Any, frames: Any, ply: int, heuristic: Any, weights: Any) -> None:
    """The player who acts, if there is one, makes its best move at first sight."""
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
            walk.nodes += 1
            if value > best:
                chosen, best = action, value
    apply(states[ply], alone(chosen))


def by_result(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """The share of a win in a game played to its end."""
    return (1 + reward(s, me)) / 2


def looking_ahead(
    template: Callable[..., Any],
    game: Game,
    value: Callable[..., Any],
    policy: Any = None,
    to_the_end: bool = False,
) -> Any:
    """A template bound to a game. Moves below the first are chosen by the heuristic, or by a policy that is given. The
    last positions are judged by it, finished games as `value` says, or games are played to their end."""
    words = (value.__name__, policy.__name__ if policy else "", "to_the_end" if to_the_end else "")
    manner = Manner("_".join(filter(None, words)), {"SHUFFLED": 1, "score_move": policy})
    chosen = {} if policy else {"score_move": by_heuristic}
    judge = by_result if to_the_end else value
    return bound(template, game, manner, value_of=value, **chosen, branches=branching, reply=first_sight, judge=judge)
