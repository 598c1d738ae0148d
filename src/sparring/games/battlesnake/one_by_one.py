"""Moves that are made at once, tried one after another: how tree searches look ahead in Battlesnake.

Whoever looks ahead chooses first, as the odd plies of a line; then the others answer in one ply together, as if they
had seen it. So a search is never surprised, and sometimes too careful. A turn is played when both have chosen.

Not all of the others can be tried in all their moves. A paranoid search tries the moves of the two that are nearest,
best reply those of all, but in each turn only one of them does its worst. The rest moves by reflex.
"""

from typing import Any

from sparring.core.bits import lowest
from sparring.core.kernel import hot, kernel, rebound
from sparring.core.terms import UNWANTED_DRAW
from sparring.games.battlesnake.maps import play
from sparring.games.battlesnake.rules import (
    alive,
    default_move,
    ending,
    head,
    on_board,
    over,
    play_turn,
    safe_moves,
    score,
    steps_between,
)
from sparring.games.battlesnake.rules import beside as cell_beside
from sparring.games.battlesnake.state import NOBODY

ANY, ALL = 1, 15
REACH = 6
"""A second rival counts if its head is no further away: from there on it can be met in three turns."""

sensible: Any
answers: Any


@kernel
def ask(s: Any, me: int) -> None:
    """From now on it is this snake that looks ahead."""
    s.asked = me
    s.pending = 0
    s.seed = 0


def legal(s: Any) -> int:
    """A template. What is tried: moves of the one who looks ahead, then answers; nothing when it is over for it."""
    if s.pending:
        return answers(s)
    if ended(s):
        return 0
    return sensible(s, s.asked)


@kernel
def ended(s: Any) -> bool:
    return s.pending == 0 and (over(s) or not alive(s, s.asked))


@kernel
def mover(s: Any) -> int:
    """Who looks ahead, or nobody in particular: all the others."""
    return s.asked if s.pending == 0 else NOBODY


# What is sensible


@kernel
def not_into_bodies(s: Any, snake: int) -> int:
    """The safe moves; if there is none, one is as good as another."""
    moves = safe_moves(s, snake)
    return moves if moves else ANY


@kernel
def not_off_the_board(s: Any, snake: int) -> int:
    moves, here = 0, head(s, snake)
    for move in range(4):
        moves |= int(on_board(s, cell_beside(s, here, move))) << move
    return moves


# Who answers


@kernel
def apart(s: Any, one: int, other: int) -> int:
    return steps_between(s, head(s, one), head(s, other))


@kernel
def nearest(s: Any, but: int) -> int:
    """Of the others, without one."""
    found, best = NOBODY, 1000
    for snake in range(s.snakes):
        if snake != s.asked and snake != but and alive(s, snake) and apart(s, s.asked, snake) < best:
            found, best = snake, apart(s, s.asked, snake)
    return found


@kernel
def second(s: Any, first: int) -> int:
    """The next nearest, if it is near."""
    found = nearest(s, first) if s.living > 2 else NOBODY
    return found if found != NOBODY and apart(s, s.asked, found) <= REACH else NOBODY


@kernel
def reflex(s: Any, snake: int) -> int:
    """Straight on, or else any safe way."""
    moves, ahead = safe_moves(s, snake), default_move(s, snake)
    return ahead if moves == 0 or moves >> ahead & 1 else lowest(moves)


@kernel
def reflexes(s: Any) -> int:
    """What everybody but the one who looks ahead does without thinking, four bits a snake."""
    moves = 0
    if s.living > 2:
        for snake in range(s.snakes):
            if snake != s.asked and alive(s, snake):
                moves |= reflex(s, snake) << 4 * snake
    return moves


@kernel
def with_move(moves: int, snake: int, move: int) -> int:
    return moves & ~(15 << 4 * snake) | move << 4 * snake


# Answers are numbers, the same in all ways to look ahead: four for each snake, whose moves are tried while the rest has
# reflexes; sixteen for the two that are nearest; four for the first of the others, while the rest goes straight on.
TWO_NEAREST, THE_FIRST, ANSWERS = 32, 48, 52


@kernel
def answered(s: Any, answer: int) -> int:
    """The moves of all the others, four bits a snake."""
    if answer < TWO_NEAREST:
        return with_move(reflexes(s), answer >> 2, answer & 3)
    if answer < THE_FIRST:
        first = nearest(s, NOBODY)
        moves = with_move(reflexes(s), first, answer & 3)
        return with_move(moves, second(s, first), answer - TWO_NEAREST >> 2)
    return with_move(straight_on(s), first_other(s), answer & 3)


def two_nearest(s: Any) -> int:
    """The two that are nearest, if they are near, in all their moves."""
    first = nearest(s, NOBODY)
    other = second(s, first)
    if other == NOBODY:
        return ANY if first == NOBODY else sensible(s, first) << 4 * first
    found, moves, theirs = 0, sensible(s, first), sensible(s, other)
    for move in range(4):
        if theirs >> move & 1:
            found |= moves << 4 * move
    return found << TWO_NEAREST


def one_of_them(s: Any) -> int:
    """Each of them, but in a turn only one."""
    found = 0
    for snake in range(s.snakes):
        if snake != s.asked and alive(s, snake):
            found |= sensible(s, snake) << 4 * snake
    return found if found else ANY


def the_first(s: Any) -> int:
    first = first_other(s)
    return ANY if first == NOBODY else sensible(s, first) << THE_FIRST


@kernel
def first_other(s: Any) -> int:
    for snake in range(s.snakes):
        if snake != s.asked and alive(s, snake):
            return snake
    return NOBODY


@kernel
def straight_on(s: Any) -> int:
    moves = 0
    for snake in range(s.snakes):
        if snake != s.asked and alive(s, snake):
            moves |= default_move(s, snake) << 4 * snake
    return moves


@kernel
def descend(states: Any, ply: int, action: int) -> None:
    states[ply + 1] = states[ply]
    s = states[ply + 1]
    if s.pending == 0:
        s.pending = action + 1
    else:
        moves = with_move(answered(s, action), s.asked, s.pending - 1)
        s.pending = 0
        play_turn(s, moves)


# What an end is worth: 1 to who is left alone, -1 to who is dead while others live, 0 when the turns are over


@kernel
def died_together(s: Any, me: int) -> bool:
    """Whether a dead snake was one of the last and did not die alone: a draw."""
    found = False
    for other in range(s.snakes):
        found |= other != me and s.died_on[other] == s.died_on[me]
    return found and s.living == 0


@kernel
def alone_or_dead(s: Any, me: int) -> float:
    """To die together is to lose."""
    if alive(s, me):
        return 1.0 if s.living == 1 else 0.0
    return -1.0


@kernel
def even_draws(s: Any, me: int) -> float:
    """To die together is worth as much as a level position."""
    return 0.0 if not alive(s, me) and died_together(s, me) else alone_or_dead(s, me)


@kernel
def unwanted_draws(s: Any, me: int) -> float:
    """To die together is better than to lose and worse than to play on. Whoever thinks that the others will see its
    moves thinks that it is behind, and would run into every draw that is worth nothing."""
    return UNWANTED_DRAW if not alive(s, me) and died_together(s, me) else alone_or_dead(s, me)


# Compiled games


@hot
def actors(s: Any) -> int:
    """Who has to move, as a set of bits."""
    found = 0
    if not over(s):
        for snake in range(s.snakes):
            found |= int(alive(s, snake)) << snake
    return found


@kernel
def every_move(s: Any) -> int:
    return ALL


@kernel
def safe_or_any(s: Any) -> int:
    moves = safe_moves(s, s.asked)
    return moves if moves else ALL


@kernel
def play_together(s: Any, chosen: Any, dice: Any) -> None:
    """A turn of a real game."""
    moves = 0
    for snake in range(s.snakes):
        moves |= (chosen[snake] & 15) << 4 * snake
    play(s, moves, dice)


# Ways to look ahead


def way(sensible: Any, answers: Any, reward: Any) -> dict[str, Any]:
    """The rules as a tree search needs them."""
    answers = kernel(rebound(answers, {"sensible": sensible}, answers.__name__))
    tried = kernel(rebound(legal, {"sensible": sensible, "answers": answers}, "legal"))
    return {"legal": tried, "descend": descend, "mover": mover, "reward": reward}


PARANOID = way(not_into_bodies, two_nearest, unwanted_draws)
BEST_REPLY = way(not_into_bodies, one_of_them, unwanted_draws)

COMPILED_GAMES = {
    "actors": actors,
    "ask": ask,
    "options": every_move,
    "play_together": play_together,
    "score": score,
    "ending": ending,
}
