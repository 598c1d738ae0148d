"""How a position of Isolation is written and drawn.

Cells are named as in chess: the column's letter and the row's number from the bottom, a1 in the lower left.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.kernel import record
from sparring.core.markup import circle, label, picture, rect
from sparring.games.contract import Box, Touch
from sparring.games.isolation.state import CELLS, COLUMNS, NOWHERE, QUEENS, ROWS, SIZES, State
from sparring.games.options import sides, word

PLAYERS = "AB"
PIECES = ("knight", "queen")
COLOURS, INK = ("#c0392b", "#1f5f9e"), "#6b6250"
LETTERS = "abcdefghijklmnopqrstu"
SIDE, EDGE = 40, 18
"""Of a cell in the picture, and of the border with the names of rows and columns."""


def board_row(size: str, piece: str) -> int:
    """The row of the tables for a board such as `7x7` (rows x columns)."""
    first = QUEENS if word("piece", piece, PIECES) == "queen" else 0
    expected = "ROWSxCOLUMNS, each at least 3, at most 63 cells, e.g. 7x7"
    return first + SIZES.index(sides(size, lambda *both: both in SIZES, expected))


def piece_of(s: Any) -> str:
    return "queen" if s.board >= QUEENS else "knight"


def shape(s: Any) -> tuple[int, int]:
    return int(ROWS[s.board]), int(COLUMNS[s.board])


def cell_name(s: Any, cell: int) -> str:
    rows, columns = shape(s)
    return f"{LETTERS[cell % columns]}{rows - cell // columns}"


def cell_named(s: Any, name: str) -> int:
    rows, columns = shape(s)
    column, row = LETTERS.find(name[:1]), name[1:]
    if not (0 <= column < columns and row.isdecimal() and 1 <= int(row) <= rows):
        raise SparringError(
            f"no cell {name!r} on a {rows}x{columns} board; expected a1 to {LETTERS[columns - 1]}{rows}"
        )
    return (rows - int(row)) * columns + column


def mark(s: Any, cell: int) -> str:
    for player in (0, 1):
        if s.at[player] == cell:
            return PLAYERS[player]
    return "#" if int(s.blocked) >> cell & 1 else "."


def grid(s: Any) -> list[str]:
    rows, columns = shape(s)
    return ["".join(mark(s, row * columns + column) for column in range(columns)) for row in range(rows)]


def text(s: Any) -> str:
    """Rows from the top, then who is to move: `......./..#..../...A... B`, with `queen` if they are queens."""
    return " ".join(["/".join(grid(s)), PLAYERS[s.to_move], *(["queen"] if s.board >= QUEENS else [])])


def parse_grid(written: str, piece: str) -> Any:
    """The inverse of `text`; the pieces are those given unless it says otherwise."""
    cells, *rest = written.split()
    lines = cells.split("/")
    said = [word for word in rest if word in PIECES]
    piece = said[0] if said else piece
    s = record(State)
    if len({len(line) for line in lines}) != 1:
        raise SparringError(f"rows of different lengths in {cells!r}")
    s.board = board_row(f"{len(lines)}x{len(lines[0])}", piece)
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
    if len(movers) != 1 or len(rest) != 1 + len(said):
        raise SparringError(f"after the rows say who is to move, A or B, not {' '.join(rest) or 'nothing'!r}")
    s.to_move = PLAYERS.index(movers[0])
    if (s.at[0] == NOWHERE and (s.to_move == 1 or s.at[1] != NOWHERE)) or (
        s.at[1] == NOWHERE and s.at[0] != NOWHERE and s.to_move == 0
    ):
        raise SparringError("A is placed first, then B; nobody moves before both are placed")
    return s


def drawing(s: Any) -> str:
    rows, columns = shape(s)
    lines = [f"{rows - row:2} {' '.join(line)}" for row, line in enumerate(grid(s))]
    return "\n".join([*lines, "   " + " ".join(LETTERS[:columns]), f"   {PLAYERS[s.to_move]} to move"])


def svg(s: Any, marks: Mapping[int, float] | None = None) -> str:
    """The board as a picture; marks are cells shown as dots, sized from 0 to 1."""
    rows, columns = shape(s)
    parts = []
    for cell in range(rows * columns):
        x, y = corner(s, cell)
        kind = mark(s, cell)
        fill = {"#": "#8a8f98", ".": "#f2ead8" if (x // SIDE + y // SIDE) % 2 else "#e6d8b8"}.get(kind, "#d8c9a0")
        parts.append(rect(x, y, SIDE, SIDE, fill=fill, stroke=INK))
        if kind in PLAYERS:
            glyph = "♛" if s.board >= QUEENS else "♞"
            parts.append(label(x + 20, y + 31, glyph, 32, fill=COLOURS[PLAYERS.index(kind)]))
        if marks and cell in marks:
            parts.append(circle(x + 20, y + 20, f"{3 + 11 * marks[cell]:.1f}", fill="#2e7d32", opacity=0.65))
    parts += [label(9, row * SIDE + 25, rows - row, 12, fill=INK) for row in range(rows)]
    middles = [column * SIDE + EDGE + 20 for column in range(columns)]
    parts += [label(x, rows * SIDE + 13, letter, 12, fill=INK) for x, letter in zip(middles, LETTERS, strict=False)]
    return picture(columns * SIDE + EDGE, rows * SIDE + EDGE, f"Isolation: {text(s)}", *parts)


def corner(s: Any, cell: int) -> tuple[int, int]:
    """The upper left one of a cell in the picture."""
    columns = int(COLUMNS[s.board])
    return cell % columns * SIDE + EDGE, cell // columns * SIDE


def box(s: Any, cell: int) -> Box:
    return (*corner(s, cell), SIDE, SIDE)


def touches(s: Any, cells: Iterable[int]) -> list[Touch]:
    """A piece is moved by touching where it goes."""
    here, piece = int(s.at[s.to_move]), piece_of(s)
    placed = here != NOWHERE
    told = f"{piece} {'to' if placed else 'on'}"
    held = box(s, here) if placed else None
    named = [(cell, cell_name(s, cell)) for cell in cells]
    return [Touch(name, box(s, cell), f"{told} {name}", piece, held) for cell, name in named]


def to_json(s: Any) -> dict[str, Any]:
    rows, columns = shape(s)
    places = [None if cell == NOWHERE else cell_name(s, cell) for cell in s.at.tolist()]
    return {
        "board": f"{rows}x{columns}",
        "piece": piece_of(s),
        "rows": grid(s),
        "players": dict(zip(PLAYERS, places, strict=True)),
        "to_move": PLAYERS[s.to_move],
        "free": int(CELLS[s.board] & ~s.blocked).bit_count(),
    }


def from_json(data: Mapping[str, Any]) -> Any:
    missing = [key for key in ("rows", "to_move", "piece") if key not in data]
    if missing:
        raise SparringError(f"a position of Isolation as JSON needs {missing[0]!r}")
    return parse_grid(f"{'/'.join(data['rows'])} {data['to_move']}", data["piece"])
