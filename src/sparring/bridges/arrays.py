"""Positions and actions as arrays, as learners want them: observations, numbers of actions, masks.

A game may offer `Observations`. Without it, an observation is the bytes of the state.
"""

from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.capabilities import offered
from sparring.games.contract import Action, Game
from sparring.games.learnable import Observations

BYTE = 255


class StateBytes:
    """The default observation: the player's number and the bytes of the state, each from 0 to 1."""

    def __init__(self, game: Game) -> None:
        self._seen = np.zeros(1, game.state)
        for field in game.state.names or ():
            if field not in game.secret:
                self._seen[field] = ~np.zeros(1, game.state[field].base)

    def shape(self, game: Game) -> tuple[int, ...]:
        return (1 + game.state.itemsize,)

    def actions(self, game: Game) -> int:
        return game.kernels.widest

    def observe(self, game: Game, states: Any, player: int) -> Any:
        found = np.empty((len(states), 1 + game.state.itemsize), np.float32)
        found[:, 0] = player / max(1, game.seats - 1)
        found[:, 1:] = (states.view(np.uint8).reshape(len(states), -1) & self._seen.view(np.uint8)) / np.float32(BYTE)
        return found


class GameArrays:
    """The observations and the numbers of actions of a game. Where a game keeps its legal actions as a set of bits, the
    number of an action is the action itself, else its place in the list of legal actions."""

    def __init__(self, game: Game) -> None:
        if not game.written:
            raise SparringError(f"{game.name} has no kernels, so its positions cannot become arrays")
        self.game = game
        self.form: Observations = offered(game, Observations) or StateBytes(game)
        self.shape, self.actions = self.form.shape(game), self.form.actions(game)

    def observe(self, states: Any, player: int) -> Any:
        """The observations of many states by a player: numbers from 0 to 1."""
        return self.form.observe(self.game, states, player)

    def observation(self, state: Any, player: int) -> Any:
        return self.observe(np.asarray(state).reshape(1), player)[0]

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
