"""Two tiny games that Isolation is not: one with dice and several players, one with simultaneous moves. They show
that the contract, the referee and `spar check` hold for games of every kind."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.core.dice import throw
from sparring.core.kernel import record
from sparring.games.contract import API, Action, Game, Kind, TouchTarget


class Written(Game):
    """Draws and writes a state as a list of its numbers."""

    api = API
    version = 1

    def new(self, seed: int) -> Any:
        return record(self.state)

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return f"choose{action}"

    def text(self, state: Any) -> str:
        return " ".join(str(number) for field in self.state.names for number in np.atleast_1d(state[field]).tolist())

    def parse(self, text: str) -> Any:
        return self.from_bytes(np.array(text.split(), np.int64).tobytes())

    def drawing(self, state: Any) -> str:
        return self.text(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return f'<svg viewBox="0 0 20 10"><text>{self.text(state)}</text></svg>'

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        legal = self.legal(state, player)
        return [TouchTarget(f"choose{action}", (10 * action, 0, 10, 10), f"choose {action}") for action in legal]


@dataclass(frozen=True)
class RaceConfig:
    players: int = 3


class Race(Written):
    """Two to four runners throw a die in turn and may advance or stay; the first at 20 wins."""

    name = "race"
    kind = Kind(simultaneous=False, chance=True, players=(2, 4))
    state = np.dtype([("at", np.int64, (4,)), ("to_move", np.int64), ("roll", np.int64)], align=True)
    Config = RaceConfig

    @property
    def seats(self) -> int:
        return int(self.config.players)

    def actors(self, state: Any) -> tuple[int, ...]:
        return () if max(state.at) >= 20 else (int(state.to_move),)

    def legal(self, state: Any, player: int) -> list[Action]:
        return [0, 1] if player in self.actors(state) else []

    def apply(self, state: Any, actions: Mapping[int, Action]) -> None:
        player = int(state.to_move)
        state.at[player] += actions[player] * state.roll
        state.to_move = (player + 1) % self.seats
        state.roll = 0

    def draw(self, state: Any, dice: Any) -> None:
        if state.roll == 0:
            state.roll = 1 + throw(dice, 6)

    def outcome(self, state: Any) -> tuple[float, ...] | None:
        return None if self.actors(state) else tuple(float(at >= 20) for at in state.at.tolist()[: self.seats])


@dataclass(frozen=True)
class PenniesConfig:
    rounds: int = 5


class Pennies(Written):
    """Both show heads or tails at once; the first wins a round if they match."""

    name = "pennies"
    kind = Kind(simultaneous=True, chance=False, players=(2, 2))
    state = np.dtype([("won", np.int64, (2,)), ("left", np.int64)], align=True)
    Config = PenniesConfig

    def new(self, seed: int) -> Any:
        s = record(self.state)
        s.left = self.config.rounds
        return s

    def actors(self, state: Any) -> tuple[int, ...]:
        return (0, 1) if state.left > 0 else ()

    def legal(self, state: Any, player: int) -> list[Action]:
        return [0, 1] if state.left > 0 else []

    def apply(self, state: Any, actions: Mapping[int, Action]) -> None:
        state.won[int(actions[0] != actions[1])] += 1
        state.left -= 1

    def outcome(self, state: Any) -> tuple[float, ...] | None:
        if state.left > 0:
            return None
        first, second = state.won.tolist()
        return (1.0, 0.0) if first > second else (0.0, 1.0)
