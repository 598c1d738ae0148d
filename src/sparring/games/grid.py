"""Games on a board of cells: their drawing, picture and names of cells follow from a grid of signs.

Cells are counted from the upper left, row by row. Their names are those of chess: the column's letter and the row's
number from the bottom, a1 in the lower left.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.core.markup import circle, label, picture, rect
from sparring.games.contract import LETTERS, Action, Box, Game, Touch

NAMES = "abcdefghijklmnopqrstuvwxyz"
SIDE, EDGE = 40, 18
"""The side of a cell in the picture, and the border with the names of rows and columns."""


def cell_name(cell: int, rows: int, columns: int) -> str:
    return f"{NAMES[cell % columns]}{rows - cell // columns}"


def cell_named(name: str, rows: int, columns: int) -> int:
    column, row = NAMES.find(name[:1]), name[1:]
    if not (0 <= column < columns and row.isdecimal() and 1 <= int(row) <= rows):
        last = f"{NAMES[columns - 1]}{rows}"
        raise SparringError(f"no cell {name!r} on a {rows}x{columns} board; expected a1 to {last}")
    return (rows - int(row)) * columns + column


def board(text: str, rows: int, columns: int, signs: str) -> list[str]:
    """The rows of a board that a text begins with, checked."""
    found = text.split()[0].split("/") if text.split() else []
    if [len(row) for row in found] != [columns] * rows or set("".join(found)) - set(signs):
        raise SparringError(f"{text!r} is no board of {rows} rows with {columns} cells, each one of {' '.join(signs)}")
    return found


class GridGame(Game):
    """A game of players who act in turn on a board of cells. It gives `grid`, and `parse` for the text of a state."""

    @abstractmethod
    def grid(self, state: Any) -> Sequence[str]:
        """The board, rows from the top, a sign for each cell: `.` for a free one, `#` for one that nobody can enter, a
        player's letter for a piece."""

    def cell(self, state: Any, action: Action) -> int:
        """The cell in which an action is shown and chosen."""
        return action

    def glyph(self, state: Any, player: int) -> str:
        """The character that stands for a player's pieces in the picture."""
        return "⬤"

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return cell_name(action, *self.shape(state))

    def shape(self, state: Any) -> tuple[int, int]:
        rows = self.grid(state)
        return len(rows), len(rows[0])

    def text(self, state: Any) -> str:
        """Rows from the top, then the player to act: `......./..#..../...A... B`."""
        return " ".join(["/".join(self.grid(state)), *(self.player_name(player) for player in self.actors(state))])

    def drawing(self, state: Any) -> str:
        rows, columns = self.shape(state)
        lines = [f"{rows - row:2} {' '.join(line)}" for row, line in enumerate(self.grid(state))]
        mover = [f"   {self.player_name(player)} to move" for player in self.actors(state)]
        return "\n".join([*lines, "   " + " ".join(NAMES[:columns]), *mover])

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        rows, columns = self.shape(state)
        parts = []
        for cell, sign in enumerate("".join(self.grid(state))):
            x, y, *_ = self.box(state, cell)
            ground = {"#": "#8a8f98", ".": "#f2ead8" if (x // SIDE + y // SIDE) % 2 else "#e6d8b8"}.get(sign, "#d8c9a0")
            parts.append(rect(x, y, SIDE, SIDE, fill=ground, stroke="#6b6250"))
            if sign in LETTERS:
                seat = LETTERS.index(sign)
                parts.append(label(x + 20, y + 31, self.glyph(state, seat), 32, fill=self.colour(state, seat)))
        for action, much in (marks or {}).items():
            x, y, *_ = self.box(state, self.cell(state, action))
            parts.append(circle(x + 20, y + 20, round(3 + 11 * much, 1), fill="#2e7d32", opacity=0.65))
        parts += [label(9, row * SIDE + 25, rows - row, 12, fill="#6b6250") for row in range(rows)]
        low = rows * SIDE + 13
        parts += [label(column * SIDE + EDGE + 20, low, NAMES[column], 12, fill="#6b6250") for column in range(columns)]
        return picture(columns * SIDE + EDGE, rows * SIDE + EDGE, f"{self.name}: {self.text(state)}", *parts)

    def box(self, state: Any, cell: int) -> Box:
        """The place of a cell in the picture."""
        _, columns = self.shape(state)
        return cell % columns * SIDE + EDGE, cell // columns * SIDE, SIDE, SIDE

    def touches(self, state: Any, player: int) -> list[Touch]:
        named = [(action, self.action_name(state, player, action)) for action in self.legal(state, player)]
        return [Touch(name, self.box(state, self.cell(state, action)), name) for action, name in named]
