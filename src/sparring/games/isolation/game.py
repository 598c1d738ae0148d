"""Isolation: two pieces, every cell is entered once, the player that cannot move has lost.

The smallest game of the package, and the one to read first, in this order:

state.py       the record that holds a position, and tables for every board
rules.py       the kernels: legal moves, a move, the result
game.py        this file: options, openings, text, JSON and touch_targets, as the contract of games asks
heuristics.py  what a search values; idea.py is the heuristic that a user begins with
agents/        agents of this game alone, beside the general searches; course.py is for the course's harness
solver/        the exact winner of a position or of a whole board
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kernel import entry, record, record_type, records
from sparring.games.capabilities import Solver
from sparring.games.contract import Kind, TouchTarget, reading
from sparring.games.grid import GridGame, box, cell_name, cell_named
from sparring.games.isolation import rules
from sparring.games.isolation.state import NOWHERE, PIECES, QUEENS, SIZES, IsolationConfig, State, piece_of, shape
from sparring.games.kernels import vocabulary
from sparring.games.learnable import Observations
from sparring.games.options import sides, word

PLAYERS = "AB"


class Isolation(GridGame):
    name = "isolation"
    api = 1
    version = 1
    kind = Kind(simultaneous=False, chance=False, players=(2, 2))
    state = State
    Config = IsolationConfig
    offers = {Solver: "sparring.games.isolation.solver", Observations: "sparring.games.isolation.planes"}
    endings = ("no moves left",)
    fixed_names = True
    words = {"piece": PIECES}
    written = vocabulary(rules)

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._board = board_row(self.config.board, self.config.piece)
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
            rows, columns = SIZES[self._board % QUEENS]
            place_all(states, random_openings(rows * columns, seeds))
        elif self.config.opening != "free":
            states[:] = self.parse(self.config.opening)
        return states

    def grid(self, state: Any) -> list[str]:
        rows, columns = shape(state)
        signs = ["#" if int(state.blocked) >> cell & 1 else "." for cell in range(rows * columns)]
        for player, cell in zip(PLAYERS, state.at.tolist(), strict=True):
            if cell != NOWHERE:
                signs[cell] = player
        return ["".join(signs[row * columns : (row + 1) * columns]) for row in range(rows)]

    def shape(self, state: Any) -> tuple[int, int]:
        return shape(state)

    def mover(self, state: Any) -> int:
        return int(state.to_move)

    def glyph(self, state: Any) -> str:
        return {"queen": "♛", "knight": "♞"}[piece_of(state)]

    def text(self, state: Any) -> str:
        """Rows from the top, then the player to move, then `queen` if the pieces are queens."""
        return super().text(state) + (" queen" if piece_of(state) == "queen" else "")

    def parse(self, text: str) -> Any:
        """A state from its `text`, on a board of any size, or from the moves on an empty board: `d4 e6 f4`."""
        if "/" in text:
            return parse_grid(text, self.config.piece)
        s = record(State)
        s.board = self._board
        s.at[:] = NOWHERE
        for cell in text.split():
            cell_named(cell, *shape(s))
        return self.played(s, text.split())

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        """A piece is moved by touching the cell that it goes to."""
        here, piece, (_, columns) = int(state.at[state.to_move]), piece_of(state), shape(state)
        verb, held = ("on", None) if here == NOWHERE else ("to", box(here, columns))
        named = [(cell, self.action_name(state, player, cell)) for cell in self.legal(state, player)]
        return [TouchTarget(name, box(cell, columns), f"{piece} {verb} {name}", piece, held) for cell, name in named]

    def to_json(self, state: Any) -> dict[str, Any]:
        rows, columns = shape(state)
        grid = self.grid(state)
        places = [None if cell == NOWHERE else cell_name(cell, rows, columns) for cell in state.at.tolist()]
        return {
            "board": f"{rows}x{columns}",
            "piece": piece_of(state),
            "rows": grid,
            "players": dict(zip(PLAYERS, places, strict=True)),
            "to_move": PLAYERS[state.to_move],
            "free": "".join(grid).count("."),
        }

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            missing = [key for key in ("rows", "to_move", "piece") if key not in data]
            if missing:
                raise SparringError(f"a position of Isolation as JSON needs {missing[0]!r}")
            return parse_grid(f"{'/'.join(data['rows'])} {data['to_move']}", data["piece"])


def board_row(size: str, piece: str) -> int:
    """The row of the tables for a board such as `7x7` (rows x columns)."""
    first = QUEENS if word("piece", piece, PIECES) == "queen" else 0
    expected = "ROWSxCOLUMNS, each at least 3, at most 63 cells, e.g. 7x7"
    return first + SIZES.index(sides(size, lambda *both: both in SIZES, expected))


def parse_grid(written: str, piece: str) -> Any:
    """A state from its `text`. Pieces are of the given kind unless the text names one."""
    cells, *rest = written.split()
    lines = cells.split("/")
    named = [word for word in rest if word in PIECES]
    if len({len(line) for line in lines}) != 1:
        raise SparringError(f"rows of different lengths in {cells!r}")
    s = record(State)
    s.board = board_row(f"{len(lines)}x{len(lines[0])}", named[0] if named else piece)
    s.at[:] = NOWHERE
    for cell, sign in enumerate("".join(lines)):
        if sign not in ".#AB":
            raise SparringError(f"{sign!r} in {cells!r}; expected . free, # blocked, A and B the players")
        if sign != ".":
            s.blocked |= 1 << cell
        if sign in PLAYERS:
            if s.at[PLAYERS.index(sign)] != NOWHERE:
                raise SparringError(f"two pieces {sign} in {cells!r}")
            s.at[PLAYERS.index(sign)] = cell
    movers = [word for word in rest if word in tuple(PLAYERS)]
    if len(movers) != 1 or len(rest) != 1 + len(named):
        raise SparringError(f"after the rows say who is to move, A or B, not {' '.join(rest) or 'nothing'!r}")
    s.to_move = PLAYERS.index(movers[0])
    first, second = (s.at != NOWHERE).tolist()
    if (not first and (second or s.to_move == 1)) or (first and not second and s.to_move == 0):
        raise SparringError("A is placed first, then B; nobody moves before both are placed")
    return s


def random_openings(cells: int, seeds: Sequence[int]) -> Any:
    """Two different cells for each seed. Consecutive seeds repeat no opening before all of them were played."""
    deals, places = np.divmod(np.array(seeds, np.int64), cells * (cells - 1))
    numbers = np.empty(len(seeds), np.int64)
    for deal in np.unique(deals):
        numbers[deals == deal] = _shuffled(cells, int(deal))[places[deals == deal]]
    first, second = np.divmod(numbers, cells - 1)
    return np.stack([first, second + (second >= first)], axis=1)


@lru_cache(maxsize=1024)
def _shuffled(cells: int, deal: int) -> Any:
    """The numbers of all openings of a board, in the order of one deal."""
    numbers = range(cells * (cells - 1))
    return np.array(sorted(numbers, key=lambda number: blake2b(f"{deal} {number}".encode()).digest()))
