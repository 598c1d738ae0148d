"""Lookahead for tree search: moves that are made at once are tried one after another.

The searching player chooses first, at the odd plies of a line. Then the others answer together in one ply, as if they
had seen the move. The turn is played when both have chosen. A search is never surprised, and sometimes too careful.

Not all moves of all others can be tried. The paranoid variant tries all moves of the two nearest snakes. Best reply
tries all moves of each of the others, but in a turn only one of them chooses; the rest moves by reflex.
"""

from functools import cache
from typing import Any

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.kernel import copy_record, entry, kernel, record_type, records, with_globals
from sparring.core.terms import UNWANTED_TIE
from sparring.games.battlesnake import board
from sparring.games.battlesnake.rules import (
    EVERY_MOVE,
    MOVES,
    NOBODY,
    alive,
    beside,
    default_move,
    head,
    on_board,
    over,
    play_turn,
    safe_moves,
    steps_between,
)
from sparring.games.contract import Action, Game
from sparring.games.kernels import MOST_PLAYERS, kernels, listed

ANY = 1
REACH = 6
"""A second rival counts if its head is at most so far away: it can be met within three turns."""
OTHERS = MOST_PLAYERS
"""The player of the answers: all others together."""

sensible: Any
answers: Any
TIE: Any


@cache
def node_type(state: np.dtype[Any]) -> np.dtype[Any]:
    """The record of a node: a state, the searching player, and its move plus one, or 0 before it has chosen."""
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
    """The searching player, then the others; nobody when the game is over for that player."""
    if node.pending:
        return 1 << OTHERS
    return 0 if over(node.s) or not alive(node.s, node.asked) else 1 << node.asked


def legal(node: Any, player: int) -> int:
    """Template: moves of the searching player, then answers, as bits."""
    return answers(node.s, node.asked) if node.pending else sensible(node.s, node.asked)


@kernel
def apply(node: Any, joint: Any) -> None:
    """Store the first choice; play the turn after the second."""
    action = joint.of[node.asked]
    if node.pending == 0:
        node.pending = action + 1
    else:
        moves = with_move(answered(node.s, node.asked, action), node.asked, node.pending - 1)
        node.pending = 0
        play_turn(node.s, moves)


def reward(node: Any, me: int) -> float:
    """Template: the value of the end to a player. It is 1 for the last one alive, -1 for one that is dead while others
    live, and 0 when the turns are over. TIE is the value of dying together."""
    s, together = node.s, False
    for other in range(s.snakes):
        together |= other != me and s.died_on[other] == s.died_on[me]
    if alive(s, me):
        return 1.0 if s.living == 1 else 0.0
    return TIE if together and s.living == 0 else -1.0


# What is sensible


@kernel
def not_into_bodies(s: Any, snake: int) -> int:
    """The safe moves, or any single move if there is none."""
    moves = safe_moves(s, snake)
    return moves if moves else ANY


@kernel
def not_off_the_board(s: Any, snake: int) -> int:
    moves, here = 0, head(s, snake)
    for move in range(4):
        moves |= int(on_board(s, beside(s, here, move))) << move
    return moves


# Who answers


@kernel
def apart(s: Any, one: int, other: int) -> int:
    return steps_between(s, head(s, one), head(s, other))


@kernel
def nearest(s: Any, me: int, but: int) -> int:
    """The nearest of the others, without `but`."""
    found, best = NOBODY, 1000
    for snake in range(s.snakes):
        if snake != me and snake != but and alive(s, snake) and apart(s, me, snake) < best:
            found, best = snake, apart(s, me, snake)
    return found


@kernel
def second(s: Any, me: int, first: int) -> int:
    """The second nearest snake, if it is near enough."""
    found = nearest(s, me, first) if s.living > 2 else NOBODY
    return found if found != NOBODY and apart(s, me, found) <= REACH else NOBODY


@kernel
def reflex(s: Any, snake: int) -> int:
    """Straight on, or any other safe move."""
    moves, ahead = safe_moves(s, snake), default_move(s, snake)
    return ahead if moves == 0 or moves >> ahead & 1 else lowest(moves)


@kernel
def unasked(s: Any, me: int, straight_on: bool) -> int:
    """The moves of the other snakes if none of them chooses, four bits a snake. A single one always chooses."""
    moves = 0
    if s.living > 2:
        for snake in range(s.snakes):
            if snake != me and alive(s, snake):
                moves |= (default_move(s, snake) if straight_on else reflex(s, snake)) << 4 * snake
    return moves


@kernel
def with_move(moves: int, snake: int, move: int) -> int:
    return moves & ~(15 << 4 * snake) | move << 4 * snake


# Answers are numbers, the same in all ways to look ahead: four for each snake, whose moves are tried while the rest has
# reflexes; sixteen for the two that are nearest; four for the first of the others, while the rest goes straight on.
TWO_NEAREST, THE_FIRST, ANSWERS = 32, 48, 52


@kernel
def answered(s: Any, me: int, answer: int) -> int:
    """The moves of all other snakes that an answer stands for, four bits a snake."""
    if answer < TWO_NEAREST:
        return with_move(unasked(s, me, False), answer >> 2, answer & 3)
    if answer < THE_FIRST:
        first = nearest(s, me, NOBODY)
        moves = with_move(unasked(s, me, False), first, answer & 3)
        return with_move(moves, second(s, me, first), answer - TWO_NEAREST >> 2)
    return with_move(unasked(s, me, True), first_other(s, me), answer & 3)


def two_nearest(s: Any, me: int) -> int:
    """All moves of the two nearest snakes, of the second only if it is near."""
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
    """All moves of each of the others, but only one of them chooses in a turn."""
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
def safe_or_any(s: Any, snake: int, found: Any) -> int:
    moves = safe_moves(s, snake)
    return listed(moves if moves else EVERY_MOVE, found)


# Ways to look ahead


def way(sensible: Any, answers: Any, tie: float = UNWANTED_TIE) -> dict[str, Any]:
    """The kernels of tree search for one kind of lookahead.

    By default, dying together is better than a loss and worse than to play on. A searching player believes that the
    others see its moves, so it thinks that it is behind, and would run into every draw that is worth 0.
    """
    answers = kernel(with_globals(answers, {"sensible": sensible}, answers.__name__))
    return {
        "actors": actors,
        "legal": kernel(with_globals(legal, {"sensible": sensible, "answers": answers}, "legal")),
        "apply": apply,
        "reward": kernel(with_globals(reward, {"TIE": tie}, "reward")),
        "root": root,
        "position": position,
    }


PARANOID = way(not_into_bodies, two_nearest)


class OneByOne:
    """Lookahead move by move: see games/lookahead.py."""

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
        """Name an own move, or the others' moves with the snakes that make them."""
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
