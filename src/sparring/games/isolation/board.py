"""The text, the touches and the JSON of a position of Isolation."""

from collections.abc import Iterable, Mapping
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.kernel import record
from sparring.games.contract import Touch
from sparring.games.grid import box, cell_name
from sparring.games.isolation.state import CELLS, COLUMNS, NOWHERE, QUEENS, ROWS, SIZES, State
from sparring.games.options import sides, word

PLAYERS = "AB"
PIECES = ("knight", "queen")


def board_row(size: str, piece: str) -> int:
    """The row of the tables for a board such as `7x7` (rows x columns)."""
    first = QUEENS if word("piece", piece, PIECES) == "queen" else 0
    expected = "ROWSxCOLUMNS, each at least 3, at most 63 cells, e.g. 7x7"
    return first + SIZES.index(sides(size, lambda *both: both in SIZES, expected))


def piece_of(s: Any) -> str:
    return "queen" if s.board >= QUEENS else "knight"


def shape(s: Any) -> tuple[int, int]:
    return int(ROWS[s.board]), int(COLUMNS[s.board])


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


def touches(s: Any, cells: Iterable[int]) -> list[Touch]:
    """A piece is moved by touching where it goes."""
    here, piece, (rows, columns) = int(s.at[s.to_move]), piece_of(s), shape(s)
    placed = here != NOWHERE
    told = f"{piece} {'to' if placed else 'on'}"
    held = box(here, columns) if placed else None
    named = [(cell, cell_name(cell, rows, columns)) for cell in cells]
    return [Touch(name, box(cell, columns), f"{told} {name}", piece, held) for cell, name in named]


def to_json(s: Any) -> dict[str, Any]:
    rows, columns = shape(s)
    places = [None if cell == NOWHERE else cell_name(cell, rows, columns) for cell in s.at.tolist()]
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
