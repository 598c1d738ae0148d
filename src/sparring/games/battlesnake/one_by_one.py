"""Moves that are made at once, tried one after another: how tree searches look ahead in Battlesnake.

Whoever looks ahead chooses first, as the odd plies of a line; then the others answer in one ply together, as if they
had seen it. So a search is never surprised, and sometimes too careful. A turn is played when both have chosen.

Not all of the others can be tried in all their moves. A paranoid search tries the moves of the two that are nearest,
best reply those of all, but in each turn only one of them does its worst. The rest moves by reflex.
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.kernel import copy_record, entry, kernel, rebound, record_type, records
from sparring.core.terms import UNWANTED_DRAW
from sparring.games.battlesnake import board
from sparring.games.battlesnake.rules import (
    EVERY_MOVE,
    alive,
    default_move,
    head,
    on_board,
    over,
    play_turn,
    safe_moves,
    steps_between,
)
from sparring.games.battlesnake.rules import beside as cell_beside
from sparring.games.battlesnake.state import MOVES, NOBODY
from sparring.games.contract import Action, Game
from sparring.games.kernels import MOST_PLAYERS, kernels, listed

ANY = 1
REACH = 6
"""A second rival counts if its head is no further away: from there on it can be met in three turns."""
OTHERS = MOST_PLAYERS
"""The player who answers: all the others together."""

sensible: Any
answers: Any
ends: Any


@cache
def node_type(state: np.dtype[Any]) -> np.dtype[Any]:
    """A state, the player who looks ahead, and its move plus one, or 0 while it has to choose."""
    return np.dtype([("s", state), ("asked", np.int64), ("pending", np.int64)], align=True)


@kernel
def root(node: Any, s: Any, me: int) -> None:
    copy_record(node.s, s)
    node.asked = me
    node.pending = 0


@kernel
def position(node: Any) -> Any:
    return node.s


@kernel
def actors(node: Any) -> int:
    """First the player who looks ahead, then the others; nobody when it is over for it."""
    if node.pending:
        return 1 << OTHERS
    return 0 if over(node.s) or not alive(node.s, node.asked) else 1 << node.asked


def legal(node: Any, player: int) -> int:
    """A template. What is tried: moves of the one who looks ahead, then answers."""
    return answers(node.s, node.asked) if node.pending else sensible(node.s, node.asked)


@kernel
def apply(node: Any, joint: Any) -> None:
    """The turn is played when both have chosen."""
    action = joint.of[node.asked]
    if node.pending == 0:
        node.pending = action + 1
    else:
        moves = with_move(answered(node.s, node.asked, action), node.asked, node.pending - 1)
        node.pending = 0
        play_turn(node.s, moves)


def worth(node: Any, me: int) -> float:
    """A template. The worth of the end to a player."""
    return ends(node.s, me)


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
def nearest(s: Any, me: int, but: int) -> int:
    """The nearest of the others, without one."""
    found, best = NOBODY, 1000
    for snake in range(s.snakes):
        if snake != me and snake != but and alive(s, snake) and apart(s, me, snake) < best:
            found, best = snake, apart(s, me, snake)
    return found


@kernel
def second(s: Any, me: int, first: int) -> int:
    """The next nearest, if it is near."""
    found = nearest(s, me, first) if s.living > 2 else NOBODY
    return found if found != NOBODY and apart(s, me, found) <= REACH else NOBODY


@kernel
def reflex(s: Any, snake: int) -> int:
    """Straight on, or else any safe way."""
    moves, ahead = safe_moves(s, snake), default_move(s, snake)
    return ahead if moves == 0 or moves >> ahead & 1 else lowest(moves)


@kernel
def reflexes(s: Any, me: int) -> int:
    """What everybody but the one who looks ahead does without thinking, four bits a snake."""
    moves = 0
    if s.living > 2:
        for snake in range(s.snakes):
            if snake != me and alive(s, snake):
                moves |= reflex(s, snake) << 4 * snake
    return moves


@kernel
def with_move(moves: int, snake: int, move: int) -> int:
    return moves & ~(15 << 4 * snake) | move << 4 * snake


# Answers are numbers, the same in all ways to look ahead: four for each snake, whose moves are tried while the rest has
# reflexes; sixteen for the two that are nearest; four for the first of the others, while the rest goes straight on.
TWO_NEAREST, THE_FIRST, ANSWERS = 32, 48, 52


@kernel
def answered(s: Any, me: int, answer: int) -> int:
    """The moves of all the others, four bits a snake."""
    if answer < TWO_NEAREST:
        return with_move(reflexes(s, me), answer >> 2, answer & 3)
    if answer < THE_FIRST:
        first = nearest(s, me, NOBODY)
        moves = with_move(reflexes(s, me), first, answer & 3)
        return with_move(moves, second(s, me, first), answer - TWO_NEAREST >> 2)
    return with_move(straight_on(s, me), first_other(s, me), answer & 3)


def two_nearest(s: Any, me: int) -> int:
    """The two that are nearest, if they are near, in all their moves."""
    first = nearest(s, me, NOBODY)
    other = second(s, me, first)
    if other == NOBODY:
        return ANY if first == NOBODY else sensible(s, first) << 4 * first
    found, moves, theirs = 0, sensible(s, first), sensible(s, other)
    for move in range(4):
        if theirs >> move & 1:
            found |= moves << 4 * move
    return found << TWO_NEAREST


def one_of_them(s: Any, me: int) -> int:
    """Each of them, but in a turn only one."""
    found = 0
    for snake in range(s.snakes):
        if snake != me and alive(s, snake):
            found |= sensible(s, snake) << 4 * snake
    return found if found else ANY


def the_first(s: Any, me: int) -> int:
    first = first_other(s, me)
    return ANY if first == NOBODY else sensible(s, first) << THE_FIRST


@kernel
def first_other(s: Any, me: int) -> int:
    for snake in range(s.snakes):
        if snake != me and alive(s, snake):
            return snake
    return NOBODY


@kernel
def straight_on(s: Any, me: int) -> int:
    moves = 0
    for snake in range(s.snakes):
        if snake != me and alive(s, snake):
            moves |= default_move(s, snake) << 4 * snake
    return moves


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


@kernel
def safe_or_any(s: Any, snake: int, found: Any) -> int:
    moves = safe_moves(s, snake)
    return listed(moves if moves else EVERY_MOVE, found)


# Ways to look ahead


def way(sensible: Any, answers: Any, ends: Any) -> dict[str, Any]:
    """The kernels of a tree search by one way to look ahead."""
    answers = kernel(rebound(answers, {"sensible": sensible}, answers.__name__))
    return {
        "actors": actors,
        "legal": kernel(rebound(legal, {"sensible": sensible, "answers": answers}, "legal")),
        "apply": apply,
        "reward": kernel(rebound(worth, {"ends": ends}, "reward")),
        "root": root,
        "position": position,
    }


PARANOID = way(not_into_bodies, two_nearest, unwanted_draws)
BEST_REPLY = way(not_into_bodies, one_of_them, unwanted_draws)


class OneByOne:
    """Looks ahead move by move: see games/lookahead.py."""

    plies = 2

    def __init__(self, game: Game) -> None:
        self.game: Any = game
        self.kernels = kernels(f"{game.name}_one_by_one", PARANOID, node_type(game.state), game.seats)
        state = record_type(game.state)
        self._answered = entry(answered, types.int64(state, types.int64, types.int64))

    def root(self, state: Any, me: int) -> Any:
        nodes = records(self.kernels.state, 1)
        nodes["s"][0] = state
        nodes["asked"][0] = me
        return nodes[0]

    def after(self, node: Any, action: Action) -> Any:
        after = records(self.kernels.state, 1)
        after[0] = node
        self.kernels.play(after[0], np.full(MOST_PLAYERS, action))
        return after[0]

    def position(self, node: Any) -> Any:
        return self.game.copy(node["s"])

    def name(self, node: Any, action: Action) -> str:
        """Own moves by their names; those of others with who they are."""
        if not node.pending:
            return MOVES[action]
        state, me = self.position(node), int(node.asked)
        moves = int(self._answered(state, me, action))
        others = [snake for snake in board.living(state) if snake != me]
        return "(" + ", ".join(f"{board.SNAKES[snake]} {MOVES[moves >> 4 * snake & 15]}" for snake in others) + ")"

    def named(self, node: Any, name: str) -> Action | None:
        tried = range(ANSWERS if node.pending else len(MOVES))
        return next((action for action in tried if self.name(node, action) == name), None)

    def ended(self, node: Any) -> bool:
        return self.kernels.acting(node) == 0
