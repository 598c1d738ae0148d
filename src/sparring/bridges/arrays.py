"""Positions and actions as arrays, as learners want them: observations, numbers of actions, masks.

A game may offer `Observations`. Without it, an observation is the bytes of the state.
"""

import math
from functools import cached_property
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from sparring.core.errors import SparringError
from sparring.core.kernel import address, bind, compiled_mode, kernel, record_at, with_globals
from sparring.games.capabilities import offered
from sparring.games.contract import Action, Game
from sparring.games.kernels import MOST_PLAYERS
from sparring.games.learnable import Observations

BYTE = 255


@intrinsic  # type: ignore[untyped-decorator]
def _byte_of(typing_context: Any, state: Any, place: Any) -> Any:
    """A byte of a record."""

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, values: Any) -> Any:
        first = builder.bitcast(values[0], ir.IntType(8).as_pointer())
        return builder.load(builder.gep(first, [values[1]]))

    return types.uint8(state, types.int64), generate


def _plain_byte_of(state: Any, place: int) -> int:
    return int(state.tobytes()[place])


byte_of = kernel(lambda s, place: _byte_of(s, place)) if compiled_mode() else _plain_byte_of


def write_bytes(s: Any, player: int, found: Any) -> None:
    found[0] = player / MOST_PLAYERS
    for place in range(len(SHOWN)):
        found[1 + place] = (byte_of(s, place) & SHOWN[place]) / BYTE


class StateBytes:
    """The default observation: the player's number, then the bytes of the state without its secret fields, each from 0
    to 1."""

    def __init__(self, game: Game) -> None:
        shown = np.zeros(game.state.itemsize, np.uint8)
        for field, (kind, place, *_) in (game.state.fields or {}).items():
            shown[place : place + kind.itemsize] = 0 if field in game.secret else BYTE
        self.observe = kernel(with_globals(write_bytes, {"SHOWN": shown}, f"write_bytes_{game.name}"))

    def shape(self, game: Game) -> tuple[int, ...]:
        return (1 + game.state.itemsize,)

    def actions(self, game: Game) -> int:
        return game.kernels.widest


def observe_at(at: int, player: int, found: Any) -> None:
    observe(state_at(at), player, found)


class GameArrays:
    """The observations and the numbers of actions of a game. Where a game keeps its legal actions as a set of bits, the
    number of an action is the action itself, else its place in the list of legal actions."""

    def __init__(self, game: Game) -> None:
        if not game.written:
            raise SparringError(f"{game.name} has no kernels, so its positions cannot become arrays")
        self.game = game
        form: Observations = offered(game, Observations) or StateBytes(game)
        self.shape, self.actions, self.kernel = form.shape(game), form.actions(game), form.observe

    @cached_property
    def _observe(self) -> Any:
        names = {"state_at": record_at(self.game.state), "observe": self.kernel}
        kinds = types.int64, types.int64, types.float32[::1]
        return bind(observe_at, names, f"observe_{self.game.name}", types.void(*kinds))

    def observation(self, state: Any, player: int) -> Any:
        """A position as a player sees it: numbers from 0 to 1."""
        found = np.zeros(math.prod(self.shape), np.float32)
        self._observe(address(state), player, found)
        return found.reshape(self.shape)

    def mask(self, state: Any, player: int) -> Any:
        """1 for each legal number, else 0."""
        mask, legal = np.zeros(self.actions, np.int8), self.game.kernels.listed(state, player)
        mask[legal if self.game.kernels.bits else slice(len(legal))] = 1
        return mask

    def action(self, state: Any, player: int, number: int) -> Action | None:
        """The legal action with a number, or None."""
        legal = self.game.kernels.listed(state, player)
        if self.game.kernels.bits:
            return number if number in legal else None
        return legal[number] if 0 <= number < len(legal) else None

    def number(self, state: Any, player: int, action: Action) -> int:
        """The number of a legal action."""
        return action if self.game.kernels.bits else self.game.kernels.listed(state, player).index(action)
