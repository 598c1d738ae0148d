"""Games on a board of cells. Drawing, picture and names of cells follow from a grid of signs.

Cells are numbered from the upper left, row by row. They are named as in chess: the letter of the column and the number
of the row from the bottom, a1 in the lower left.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.markup import Point, circle, label, picture, squares
from sparring.games.contract import LETTERS, Action, Box, Game, TouchTarget

NAMES = "abcdefghijklmnopqrstuvwxyz"
SIDE, EDGE, INK = 40, 18, "#6b6250"
"""The side of a cell in the picture, the border with the names of rows and columns, and its colour."""


def cell_name(cell: int, rows: int, columns: int) -> str:
    return f"{NAMES[cell % columns]}{rows - cell // columns}"


def cell_named(name: str, rows: int, columns: int) -> int:
    column, row = NAMES.find(name[:1]), name[1:]
    if not (0 <= column < columns and row.isdecimal() and 1 <= int(row) <= rows):
        last = f"{NAMES[columns - 1]}{rows}"
        raise SparringError(f"no cell {name!r} on a {rows}x{columns} board; expected a1 to {last}")
    return (rows - int(row)) * columns + column


def board(text: str, rows: int, columns: int, signs: str) -> list[str]:
    """The rows of the board at the start of a text, checked."""
    found = text.split()[0].split("/") if text.split() else []
    if [len(row) for row in found] != [columns] * rows or set("".join(found)) - set(signs):
        raise SparringError(f"{text!r} is no board of {rows} rows with {columns} cells, each one of {' '.join(signs)}")
    return found


def box(cell: int, columns: int) -> Box:
    """The place of a cell in the picture."""
    return cell % columns * SIDE + EDGE, cell // columns * SIDE, SIDE, SIDE


class GridGame(Game):
    """A game of players who act in turn on a board of cells. It defines `grid`, and `parse` for the text of a state."""

    @abstractmethod
    def grid(self, state: Any) -> Sequence[str]:
        """The rows of the board from the top, with signs: `.` free, `#` blocked, a player's letter for its piece."""

    def shape(self, state: Any) -> tuple[int, int]:
        """Rows and columns."""
        rows = self.grid(state)
        return len(rows), len(rows[0])

    def mover(self, state: Any) -> int | None:
        """The player to move."""
        return next(iter(self.actors(state)), None)

    def cell(self, state: Any, action: Action) -> int:
        """The cell that shows an action."""
        return action

    def glyph(self, state: Any) -> str:
        """The character of a piece in the picture."""
        return "⬤"

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return cell_name(action, *self.shape(state))

    def text(self, state: Any) -> str:
        """The rows from the top, then the player to move: `......./..#..../...A... B`."""
        mover = self.mover(state)
        return " ".join(["/".join(self.grid(state)), *([] if mover is None else [self.player_name(mover)])])

    def drawing(self, state: Any) -> str:
        rows, columns = self.shape(state)
        lines = [f"{rows - row:2} {' '.join(line)}" for row, line in enumerate(self.grid(state))]
        mover = self.mover(state)
        told = [] if mover is None else [f"   {self.player_name(mover)} to move"]
        return "\n".join([*lines, "   " + " ".join(NAMES[:columns]), *told])

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        """The board as a picture; marks are dots."""
        rows, columns = self.shape(state)
        cells, pieces = dict[str, list[Point]](), []
        for cell, sign in enumerate("".join(self.grid(state))):
            x, y, *_ = box(cell, columns)
            fill = {"#": "#8a8f98", ".": "#f2ead8" if (x // SIDE + y // SIDE) % 2 else "#e6d8b8"}.get(sign, "#d8c9a0")
            cells.setdefault(fill, []).append((x, y))
            if sign in LETTERS:
                colour = self.colour(state, LETTERS.index(sign))
                pieces.append(label(x + 20, y + 31, self.glyph(state), 32, fill=colour))
        parts = [squares(corners, SIDE, fill=fill, stroke=INK) for fill, corners in cells.items()] + pieces
        for action, size in (marks or {}).items():
            x, y, *_ = box(self.cell(state, action), columns)
            parts.append(circle(x + 20, y + 20, f"{3 + 11 * size:.1f}", fill="#2e7d32", opacity=0.65))
        parts += [label(9, row * SIDE + 25, rows - row, 12, fill=INK) for row in range(rows)]
        middles = [column * SIDE + EDGE + 20 for column in range(columns)]
        parts += [label(x, rows * SIDE + 13, name, 12, fill=INK) for x, name in zip(middles, NAMES, strict=False)]
        told = f"{self.title or self.name.capitalize()}: {self.text(state)}"
        return picture(columns * SIDE + EDGE, rows * SIDE + EDGE, told, *parts)

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        _, columns = self.shape(state)
        named = [(action, self.action_name(state, player, action)) for action in self.legal(state, player)]
        return [TouchTarget(name, box(self.cell(state, action), columns), name) for action, name in named]
