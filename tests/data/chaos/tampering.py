"""An agent that scribbles over all it can reach, and its honest twin."""

import contextlib
import gc

import numpy as np

from sparring import agent
from sparring.core.dice import Dice


def choice(view):
    """Something that depends on the whole state and on what is legal."""
    return view.legal[int(view.state.blocked) % len(view.legal)]


@agent("isolation")
def honest(view):
    return choice(view)


@agent("isolation")
def scribbler(view):
    chosen = choice(view)
    view.state.blocked = 0
    view.state.at[:] = 0
    view.state.to_move = 1 - view.state.to_move
    view.position.state.blocked = -1
    view.dice.word[:] = 1
    view.position._referee.word[:] = 1
    view.position.game.config = None
    view.legal.clear()
    for thing in everything():
        if isinstance(thing, np.ndarray | np.void) and thing.dtype in (view.state.dtype, Dice):
            with contextlib.suppress(ValueError):  # some cannot be written
                np.frombuffer(thing, np.uint8)[:] = 0x55
    return chosen


def everything():
    """All objects that can be found, and what they refer to."""
    found = gc.get_objects()
    return [*found, *gc.get_referents(*found)]
