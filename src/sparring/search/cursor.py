"""Cursors: how a search goes through the actions of a node, one after another.

A search template does not see how actions are kept. The actions left to try are one number. It is a set of bits where a
game gives `legal`, so a search that stops after the first action has written nothing. Else it is a place in a list in
the frame. The parts of a cursor are templates, which are bound together with the search:

    start(frame, node, player)      all actions of a player are left
    more(frame, todo)               true if an action is left
    first(frame, todo)              the next action
    choose(frame, todo, dice)       the same, or a random action that is left where the search is SHUFFLED
    without(frame, todo, action)    what is left after an action
    store_roots(search, frame, todo)    remember the actions at the root
    place_of(search, action)        the index of an action in the results of the root
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from sparring.core.bits import count, lowest
from sparring.core.dice import roll
from sparring.games.kernels import MOST_BITS, Kernels


def start_bits(frame: Any, node: Any, player: int) -> int:
    return legal(node, player)


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


def store_bits(search: Any, frame: Any, todo: int) -> None:
    search.roots[0] = todo


def place_of_bit(search: Any, action: int) -> int:
    return action


def start_list(frame: Any, node: Any, player: int) -> int:
    frame.count = actions(node, player, frame.listed)
    return 0


def more_listed(frame: Any, todo: int) -> bool:
    return todo < frame.count


def first_listed(frame: Any, todo: int) -> int:
    return frame.listed[todo]


def choose_listed(frame: Any, todo: int, dice: Any) -> int:
    return frame.listed[todo + roll(dice, frame.count - todo) if SHUFFLED else todo]


def without_listed(frame: Any, todo: int, action: int) -> int:
    """Remove the action from the list. The actions before it move up."""
    place = todo
    while frame.listed[place] != action:
        place += 1
    while place > todo:
        frame.listed[place] = frame.listed[place - 1]
        place -= 1
    return todo + 1


def store_list(search: Any, frame: Any, todo: int) -> None:
    search.roots[0] = frame.count
    for place in range(frame.count):
        search.roots[place + 1] = frame.listed[place]


def place_of_listed(search: Any, action: int) -> int:
    place = 0
    while search.roots[place + 1] != action:
        place += 1
    return place


NAMES = ("start", "more", "first", "choose", "without", "store_roots", "place_of")
ON_BITS = start_bits, more_bits, first_bit, choose_bit, without_bit, store_bits, place_of_bit
ON_LIST = start_list, more_listed, first_listed, choose_listed, without_listed, store_list, place_of_listed


@dataclass(frozen=True)
class Cursor:
    """One of the two ways to keep actions."""

    wide: int  # the most actions of a player
    bits: bool

    @property
    def action(self) -> type:
        """The type of an action in a line."""
        return np.int8 if self.bits else np.int64

    @property
    def fields(self) -> list[tuple[Any, ...]]:
        """The fields of a frame that hold actions."""
        listed = [] if self.bits else [("count", np.int64), ("listed", np.int64, (self.wide,))]
        return [("todo", np.int64), *listed]

    @property
    def parts(self) -> Mapping[str, Callable[..., Any]]:
        return dict(zip(NAMES, ON_BITS if self.bits else ON_LIST, strict=True))

    def listed(self, roots: Any) -> dict[int, int]:
        """The actions at the root, each with its place."""
        if self.bits:
            bits = int(roots[0])
            return {action: action for action in range(bits.bit_length()) if bits >> action & 1}
        return {action: place for place, action in enumerate(roots[1 : 1 + int(roots[0])].tolist())}


BITS = Cursor(MOST_BITS + 1, True)


@cache
def cursor(kernels: Kernels) -> Cursor:
    return BITS if kernels.bits else Cursor(kernels.widest, False)
