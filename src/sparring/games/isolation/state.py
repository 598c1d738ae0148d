"""A position of Isolation as one record, and tables for every board."""

from dataclasses import dataclass
from typing import Any

import numpy as np

State = np.dtype(
    [
        ("blocked", np.int64),  # the cells that were ever entered, as a set of bits
        ("at", np.int64, (2,)),  # the cells of the two players, NOWHERE before they are placed
        ("to_move", np.int64),
        ("board", np.int64),  # a row of the tables below: the size of the board and the kind of pieces
    ],
    align=True,
)

NOWHERE = 63
MAX_CELLS = 63
SIZES = [(rows, columns) for rows in range(3, 22) for columns in range(3, 22) if rows * columns <= MAX_CELLS]
PIECES = ("knight", "queen")
KNIGHT_STEPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]


@dataclass(frozen=True)
class IsolationConfig:
    """Options of a game. A random opening places both pieces by the seed."""

    board: str = "7x7"
    piece: str = "knight"
    opening: str = "random"


def _cells(rows: int, columns: int) -> int:
    return (1 << rows * columns) - 1


def _corners(rows: int, columns: int) -> int:
    last = rows * columns - 1
    return 1 | 1 << columns - 1 | 1 << last - columns + 1 | 1 << last


def _knight_steps(rows: int, columns: int) -> list[int]:
    """The set of cells that a knight reaches from each cell. From NOWHERE it may be placed on any cell."""
    steps = [0] * (NOWHERE + 1)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        for down, right in KNIGHT_STEPS:
            if 0 <= row + down < rows and 0 <= column + right < columns:
                steps[cell] |= 1 << (row + down) * columns + column + right
    steps[NOWHERE] = _cells(rows, columns)
    return steps


def _columns(rows: int, columns: int, first: int, last: int) -> int:
    """The cells of the columns first .. last, counted from the left, or from the right if negative."""
    wanted = range(columns)[first : last + 1 or None]
    return sum(1 << row * columns + column for row in range(rows) for column in wanted)


def _table(values: Any) -> Any:
    """One row for each board with knights, and the same again for each board with queens."""
    return np.array(list(values) * 2, dtype=np.int64)


QUEENS = len(SIZES)  # the first row of the tables that belongs to a board with queens
ROWS = _table([rows for rows, _ in SIZES])
COLUMNS = _table([columns for _, columns in SIZES])
CELLS = _table([_cells(*size) for size in SIZES])
CORNERS = _table([_corners(*size) for size in SIZES])
STEPS = _table([_knight_steps(*size) for size in SIZES])
STEPS[QUEENS:, :NOWHERE] = -1  # a queen's lines end at blocked cells, so no table can hold them
ROOM_LEFT = _table([[_columns(*size, 1, -1), _columns(*size, 2, -1)] for size in SIZES])
ROOM_RIGHT = _table([[_columns(*size, 0, -2), _columns(*size, 0, -3)] for size in SIZES])
"""The cells that have one, and two, columns of the board to their left or right."""


def shape(s: Any) -> tuple[int, int]:
    """Rows and columns of the board."""
    return int(ROWS[s.board]), int(COLUMNS[s.board])


def piece_of(s: Any) -> str:
    return "queen" if s.board >= QUEENS else "knight"
