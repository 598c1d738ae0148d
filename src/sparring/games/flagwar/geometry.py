"""Cells, territories, zones, flags and keys: plain functions, which rules.py compiles and others call from Python."""

from typing import Any

from sparring.games.flagwar.state import HOME_ROWS, NEUTRAL, NOBODY, START_ROW, STRIDE_BITS, ZONE_ROWS, A, B

Point = tuple[int, int]


def column(cell: int) -> int:
    return cell & ((1 << STRIDE_BITS) - 1)


def row(cell: int) -> int:
    return cell >> STRIDE_BITS


def point_of(cell: int) -> Point:
    return column(int(cell)), row(int(cell))


def point_name(point: Point | None) -> str:
    return "jail" if point is None else f"({point[0]},{point[1]})"


def cell_at(point: Point) -> int:
    return (point[1] << STRIDE_BITS) + point[0]


def on_board(s: Any, cell: int) -> bool:
    """True if a cell is on the board. A step over the left edge ends in column 31, which no board has."""
    return cell & ((1 << STRIDE_BITS) - 1) < s.width and 0 <= cell >> STRIDE_BITS < s.height


def own_row(s: Any, side: int, cell: int) -> int:
    """The row of a cell, counted from a side's own edge."""
    return cell >> STRIDE_BITS if side == B else s.height - 1 - (cell >> STRIDE_BITS)


def territory(s: Any, cell: int) -> int:
    """The side whose ground a cell is, or NEUTRAL."""
    if cell >> STRIDE_BITS >= s.height - HOME_ROWS:
        return A
    return B if cell >> STRIDE_BITS < HOME_ROWS else NEUTRAL


def start_cell(s: Any, side: int, piece: int) -> int:
    row = START_ROW if side == B else s.height - 1 - START_ROW
    return (row << STRIDE_BITS) + s.width // 2 - s.pieces // 2 + piece


def flag_cell(s: Any, side: int) -> int:
    """The home of a side's flag."""
    row = 0 if side == B else s.height - 1
    return (row << STRIDE_BITS) + s.width // 2


def key_cell(s: Any, side: int) -> int:
    """The cell in enemy land where a side frees its jailed pieces."""
    return (1 << STRIDE_BITS) + s.width - 2 if side == A else ((s.height - 2) << STRIDE_BITS) + 1


def in_zone(s: Any, side: int, cell: int) -> bool:
    """True if a cell is in the zone around a side's flag. The side's own pieces may not enter it while it is active."""
    row, column = cell >> STRIDE_BITS, cell & ((1 << STRIDE_BITS) - 1)
    rows = row if side == B else s.height - 1 - row
    return rows < ZONE_ROWS and abs(column - s.width // 2) <= s.pieces // 2


def flag_at_home(s: Any, side: int) -> bool:
    """True if a side's flag is at home and its zone active. Otherwise an enemy carries the flag."""
    return s.carrier[1 - side] == NOBODY
