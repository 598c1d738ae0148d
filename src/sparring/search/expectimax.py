"""Looking ahead where dice are rolled: what a move is worth on average over what the die may show.

The own moves are tried one by one. After each, everything the die may show is looked at, or some of it is drawn, and
whoever has rolled makes the move that leads to the best position for itself at first sight. So every player looks after
itself, be there two or more, and no reply costs more than one look at each move. After `depth` moves the heuristic says
what the position is worth to the player who searches.

Templates. Beside the kernels of compiled games they need those by which a game lets others roll its die: `move`, which
leaves nothing to chance, `rolled`, `over` and FACES.
"""

from collections.abc import Callable
from typing import Any

from sparring.core.bits import lowest
from sparring.core.dice import roll, sow
from sparring.core.kernel import bind, kernel
from sparring.games.contract import Game
from sparring.search.tree import INFINITY, MAX_PLIES, note, shuffled, step_signature

legal: Any
mover: Any
move: Any
rolled: Any
over: Any
reward: Any
FACES: int
score_move: Any
reply: Any
judge: Any


def expectimax(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Every number of the die, a walk over a stack: frames hold the numbers to come and the sum of those seen."""
    moves = legal(states[0])
    while moves:
        action = shuffled(moves, dice)
        moves &= ~(1 << action)
        states[1] = states[0]
        move(states[1], action)
        ply, value = 1, 0.0
        frames[1].todo, frames[1].best = FACES, 0.0
        while ply:
            if ply == walk.max_depth or over(states[ply]):
                value = heuristic(states[ply], walk.me, weights)
                walk.nodes += 1
            elif frames[ply].todo:
                states[ply + 1] = states[ply]
                rolled(states[ply + 1], frames[ply].todo)
                reply(walk, states, ply + 1, heuristic, weights)
                frames[ply].todo -= 1
                ply += 1
                frames[ply].todo, frames[ply].best = FACES, 0.0
                continue
            else:
                value = frames[ply].best / FACES
            ply -= 1
            frames[ply].best += value
        note(walk, action, value)
    walk.completed = walk.max_depth
    walk.finished = 1


def rollouts(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """So many lines for each move as the budget has nodes, each with dice of its own, which are the same for all moves:
    so luck does not favour one of them."""
    lines, stream = walk.max_nodes, roll(dice, 1 << 30)
    moves = legal(states[0])
    while moves:
        action = lowest(moves)
        moves &= moves - 1
        total = 0.0
        for line in range(lines):
            sow(dice, stream, line)
            states[1] = states[0]
            move(states[1], action)
            ply = 1
            while ply < walk.max_depth and not over(states[1]):
                rolled(states[1], 1 + roll(dice, FACES))
                reply(walk, states, 1, heuristic, weights)
                ply += 1
            total += judge(states[1], walk.me, heuristic, weights)
        note(walk, action, total / lines)
    sow(dice, stream, lines)
    if walk.line_length:
        walk.line[0] = shuffled(equals(walk, legal(states[0])), dice)
    walk.completed = walk.max_depth if walk.max_depth < MAX_PLIES else 0
    walk.finished = 1


@kernel
def equals(walk: Any, moves: int) -> int:
    """The moves at the root that are as good as the best, as a set."""
    found = 0
    while moves:
        action = lowest(moves)
        moves &= moves - 1
        found |= int(walk.scores[action] == walk.score) << action
    return found


def first_sight(walk: Any, states: Any, ply: int, heuristic: Any, weights: Any) -> None:
    """Whoever has rolled makes its best move at first sight. Who cannot move has passed already."""
    moves = legal(states[ply])
    if moves == 0:
        return
    chosen, best = lowest(moves), -INFINITY
    if moves & (moves - 1):
        while moves:
            action = lowest(moves)
            moves &= moves - 1
            states[ply + 1] = states[ply]
            move(states[ply + 1], action)
            value = score_move(states[ply], states[ply + 1], action, heuristic, weights)
            walk.nodes += 1
            if value > best:
                chosen, best = action, value
    move(states[ply], chosen)


def by_heuristic(s: Any, after: Any, action: int, heuristic: Any, weights: Any) -> Any:
    """What a move is worth to the mover: the position it leads to."""
    return heuristic(after, mover(s), weights)


def by_value(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    return heuristic(s, me, weights)


def by_result(s: Any, me: int, heuristic: Any, weights: Any) -> Any:
    """The share of a win in a game played to its end."""
    return (1 + reward(s, me)) / 2


def looking_ahead(template: Callable[..., Any], game: Game, policy: Any = None, to_the_end: bool = False) -> Any:
    """A template bound to a game. Moves below the first are chosen by the heuristic, or by a policy that is given. The
    last positions are judged by the heuristic, or games are played to their end."""
    words = (template.__name__, game.name, policy.__name__ if policy else "", "to_the_end" if to_the_end else "")
    called = "_".join(filter(None, words))
    names = {**game.kernels, "score_move": policy}
    chosen = {} if policy else {"score_move": by_heuristic}
    judge = by_result if to_the_end else by_value
    return bind(template, names, called, step_signature(game.state), **chosen, reply=first_sight, judge=judge)
