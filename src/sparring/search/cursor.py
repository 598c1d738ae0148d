"""Cursors: how a search goes through the actions of a node, one after another.

A search template does not see how actions are kept. What is still to do is one number: a set of bits where a game gives
its actions as such, so that a search that stops after the first action has written nothing; else a place in a list in
the frame. The parts of a cursor are templates, bound together with the search:

    start(frame, node, player)      all actions of a player are to do
    more(frame, todo)               whether there is one left
    first(frame, todo)              the next action
    choose(frame, todo, dice)       the same, or any of those left where the search is SHUFFLED
    without(frame, todo, action)    what is left to do after an action
    note_roots(walk, frame, todo)   remember the actions at the root
    place_of(walk, action)          the place at the root in which a search keeps what it found of an action
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.dice import roll
from sparring.games.kernels import MOST_BITS, Kernels

legal: Any
actions: Any
SHUFFLED: int


@dataclass(frozen=True)
class Cursor:
    """One of the two ways to keep actions."""

    wide: int  # actions at most
    bits: bool

    @property
    def action(self) -> type:
        """The kind of number in which actions are written down."""
        return np.int8 if self.bits else np.int64

    @property
    def fields(self) -> list[tuple[Any, ...]]:
        """The fields of a frame in which actions wait."""
        listed = [] if self.bits else [("count", np.int64), ("listed", np.int64, (self.wide,))]
        return [("todo", np.int64), *listed]

    @property
    def parts(self) -> Mapping[str, Callable[..., Any]]:
        return WORD if self.bits else LIST

    def listed(self, roots: Any) -> dict[int, int]:
        """The actions that were noted at the root, each with its place."""
        if self.bits:
            bits = int(roots[0])
            return {action: action for action in range(bits.bit_length()) if bits >> action & 1}
        return {action: place for place, action in enumerate(roots[1 : 1 + int(roots[0])].tolist())}


@cache
def cursor(kernels: Kernels) -> Cursor:
    return BITS if kernels.bits else Cursor(kernels.widest, False)


BITS = Cursor(MOST_BITS + 1, True)


# A word of bits


def start_bits(frame: Any, node: Any, player: int) -> int:
    return legal(node, player)  # type: ignore[no-any-return]


def more_bits(frame: Any, todo: int) -> bool:
    return todo != 0


def first_bit(frame: Any, todo: int) -> int:
    return lowest(todo)


def choose_bit(frame: Any, todo: int, dice: Any) -> int:
    if SHUFFLED:
        for _ in range(roll(dice, count(todo))):
            todo &= todo - 1
    return lowest(todo)


def without_bit(frame: Any, todo: int, action: int) -> int:
    return todo & ~(1 << action)


def note_bits(walk: Any, frame: Any, todo: int) -> None:
    walk.roots[0] = todo


def place_of_bit(walk: Any, action: int) -> int:
    return action


# A list


def start_list(frame: Any, node: Any, player: int) -> int:
    frame.count = actions(node, player, frame.listed)
    return 0


def more_listed(frame: Any, todo: int) -> bool:
    return todo < frame.count  # type: ignore[no-any-return]


def first_listed(frame: Any, todo: int) -> int:
    return frame.listed[todo]  # type: ignore[no-any-return]


def choose_listed(frame: Any, todo: int, dice: Any) -> int:
    return frame.listed[todo + roll(dice, frame.count - todo) if SHUFFLED else todo]  # type: ignore[no-any-return]


def without_listed(frame: Any, todo: int, action: int) -> int:
    """The actions before it move up."""
    place = todo
    while frame.listed[place] != action:
        place += 1
    while place > todo:
        frame.listed[place] = frame.listed[place - 1]
        place -= 1
    frame.listed[todo] = action
    return todo + 1


def note_list(walk: Any, frame: Any, todo: int) -> None:
    walk.roots[0] = frame.count
    for place in range(frame.count):
        walk.roots[place + 1] = frame.listed[place]


def place_of_listed(walk: Any, action: int) -> int:
    place = 0
    while walk.roots[place + 1] != action:
        place += 1
    return place


WORD: Mapping[str, Callable[..., Any]] = {
    "start": start_bits,
    "more": more_bits,
    "first": first_bit,
    "choose": choose_bit,
    "without": without_bit,
    "note_roots": note_bits,
    "place_of": place_of_bit,
}
LIST: Mapping[str, Callable[..., Any]] = {
    "start": start_list,
    "more": more_listed,
    "first": first_listed,
    "choose": choose_listed,
    "without": without_listed,
    "note_roots": note_list,
    "place_of": place_of_listed,
}
