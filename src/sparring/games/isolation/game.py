"""Isolation: two pieces, every cell entered once, whoever cannot move has lost."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kernel import entry, record, record_type, records
from sparring.games.capabilities import Solver
from sparring.games.contract import Action, Game, Kind, Touch, reading
from sparring.games.isolation import board, rules
from sparring.games.isolation.state import CELLS, NOWHERE, Config, State
from sparring.games.kernels import vocabulary


class Isolation(Game):
    name = "isolation"
    api = 1
    version = 1
    kind = Kind(simultaneous=False, chance=False, players=(2, 2))
    state = State
    Config = Config
    offers = {Solver: "sparring.games.isolation.solver"}
    endings = ("no moves left",)
    fixed_names = True
    words = {"piece": board.PIECES}
    written = vocabulary(rules)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._board = board.board_row(self.config.board, self.config.piece)
        if self.config.opening not in ("random", "free"):
            self.parse(self.config.opening)

    def new(self, seed: int) -> Any:
        return self.openings([seed])[0]

    def openings(self, seeds: Sequence[int]) -> Any:
        states = records(State, len(seeds))
        states.board = self._board
        states.at = NOWHERE
        if self.config.opening == "random":
            place_all = entry(rules.place_all, types.void(types.Array(record_type(State), 1, "C"), types.int64[:, ::1]))
            place_all(states, random_openings(int(CELLS[self._board]).bit_count(), seeds))
        elif self.config.opening != "free":
            states[:] = self.parse(self.config.opening)
        return states

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return board.cell_name(state, action)

    def text(self, state: Any) -> str:
        return board.text(state)

    def parse(self, text: str) -> Any:
        """A grid, of whatever size, with its mover; or the moves from an empty board: `d4 e6 f4`."""
        if "/" in text:
            return board.parse_grid(text, self.config.piece)
        s = record(State)
        s.board = self._board
        s.at[:] = NOWHERE
        for word in text.split():
            cell = board.cell_named(s, word)
            if cell not in self.legal(s, int(s.to_move)):
                raise SparringError(f"{word} is not a legal move in {board.text(s)}")
            self.apply(s, {int(s.to_move): cell})
        return s

    def drawing(self, state: Any) -> str:
        return board.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return board.svg(state, marks)

    def colour(self, state: Any, player: int) -> str:
        return board.COLOURS[player]

    def touches(self, state: Any, player: int) -> list[Touch]:
        return board.touches(state, self.legal(state, player))

    def to_json(self, state: Any) -> dict[str, Any]:
        return board.to_json(state)

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return board.from_json(data)


def random_openings(cells: int, seeds: Sequence[int]) -> Any:
    """Two different cells for each seed. Seeds in a row draw without putting back, so that a match repeats no
    opening before it has seen them all."""
    deals, places = np.divmod(np.array(seeds, np.int64), cells * (cells - 1))
    numbers = np.empty(len(seeds), np.int64)
    for deal in np.unique(deals):
        numbers[deals == deal] = _shuffled(cells, int(deal))[places[deals == deal]]
    first, second = np.divmod(numbers, cells - 1)
    return np.stack([first, second + (second >= first)], axis=1)


@lru_cache(maxsize=1024)
def _shuffled(cells: int, deal: int) -> Any:
    """The numbers of all openings of a board, in the order of this deal."""
    numbers = range(cells * (cells - 1))
    return np.array(sorted(numbers, key=lambda number: blake2b(f"{deal} {number}".encode()).digest()))
