"""Isolation once more, in plain Python: the board that the course hands to its players. It has rules of its own."""

from math import inf
from typing import Any

Cell = tuple[int, int]

JUMPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]
LINES = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def moves_from(piece: str, blank: set[Cell], here: Cell) -> list[Cell]:
    """The blank cells that a knight or a queen may move to."""
    if piece == "knight":
        return [cell for down, right in JUMPS if (cell := (here[0] + down, here[1] + right)) in blank]
    moves = []
    for down, right in LINES:
        cell = here[0] + down, here[1] + right
        while cell in blank:
            moves.append(cell)
            cell = cell[0] + down, cell[1] + right
    return moves


class CourseBoard:
    """The course's board, also for queens. Without players they are the numbers 0 and 1."""

    def __init__(self, one: Any = 0, other: Any = 1, width: int = 7, height: int = 7, piece: str = "knight") -> None:
        self.width, self.height, self.piece, self.move_count = width, height, piece, 0
        self.blank = {(row, column) for row in range(height) for column in range(width)}
        self.where: dict[Any, Cell | None] = {one: None, other: None}
        self.active_player, self.inactive_player = one, other

    @classmethod
    def read(cls, text: str) -> "CourseBoard":
        """The board of a position as Sparring writes it."""
        rows, mover, *queen = text.split()
        lines = rows.split("/")
        board = cls(0, 1, len(lines[0]), len(lines), *queen)
        signs = {(row, column): sign for row, line in enumerate(lines) for column, sign in enumerate(line)}
        board.blank = {cell for cell, sign in signs.items() if sign == "."}
        board.where |= {"AB".index(sign): cell for cell, sign in signs.items() if sign in "AB"}
        board.active_player, board.inactive_player = (0, 1) if mover == "A" else (1, 0)
        return board

    def get_opponent(self, player: Any) -> Any:
        return self.inactive_player if player is self.active_player else self.active_player

    def get_player_location(self, player: Any) -> Cell | None:
        return self.where[player]

    def get_blank_spaces(self) -> list[Cell]:
        return sorted(self.blank)

    def get_legal_moves(self, player: Any = None) -> list[Cell]:
        here = self.where[self.active_player if player is None else player]
        return self.get_blank_spaces() if here is None else moves_from(self.piece, self.blank, here)

    def move_is_legal(self, move: Cell) -> bool:
        return move in self.blank

    def forecast_move(self, move: Cell) -> "CourseBoard":
        board = CourseBoard(self.active_player, self.inactive_player, self.width, self.height, self.piece)
        board.blank, board.where, board.move_count = set(self.blank), dict(self.where), self.move_count
        board.apply_move(move)
        return board

    def apply_move(self, move: Cell) -> None:
        self.where[self.active_player] = move
        self.blank.discard(move)
        self.move_count += 1
        self.active_player, self.inactive_player = self.inactive_player, self.active_player

    def is_loser(self, player: Any) -> bool:
        return player is self.active_player and not self.get_legal_moves()

    def is_winner(self, player: Any) -> bool:
        return player is self.inactive_player and not self.get_legal_moves()

    def utility(self, player: Any) -> float:
        return inf if self.is_winner(player) else -inf if self.is_loser(player) else 0.0
