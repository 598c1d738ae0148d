"""The rules of Isolation. Nothing else decides what is legal.

First each player places its piece on any free cell. Then they move in turn, by knight's or queen's moves, to a cell
that was never entered. A player that is to move and cannot has lost.
"""

from typing import Any

from sparring.core.kernel import cold, kernel
from sparring.games.isolation.state import CELLS, COLUMNS, ROWS, STEPS
from sparring.games.kernels import alone

ALTERNATE = True


@kernel
def opponent(player: int) -> int:
    return 1 - player


@kernel
def free(s: Any) -> int:
    """The cells that were never entered."""
    return CELLS[s.board] & ~s.blocked


@kernel
def reach(s: Any, cell: int) -> int:
    """The free cells one move away from a cell; all free cells from NOWHERE."""
    cells = STEPS[s.board & 255, cell & 63] & ~s.blocked  # the masks save a test for negative indices
    return cells if cells >= 0 else slide(s, cell)


@cold
def slide(s: Any, cell: int) -> int:
    """The free cells a queen may move to: lines that end at the first blocked cell."""
    rows, columns = ROWS[s.board], COLUMNS[s.board]
    cells = 0
    for down in range(-1, 2):
        for right in range(-1, 2):
            row, column = cell // columns + down, cell % columns + right
            while (down or right) and 0 <= row < rows and 0 <= column < columns:
                target = 1 << (row * columns + column)
                if s.blocked & target:
                    break
                cells |= target
                row += down
                column += right
    return cells


@kernel
def exits(s: Any, player: int) -> int:
    """The cells that a player could enter if it were to move."""
    return reach(s, s.at[player & 1])


@kernel
def actors(s: Any) -> int:
    """The player to move. The game is over when it has no exit."""
    return 1 << (s.to_move & 1) if exits(s, s.to_move) else 0


@kernel
def legal(s: Any, player: int) -> int:
    return exits(s, player)


@kernel
def apply(s: Any, joint: Any) -> None:
    """Enter a cell, which then stays blocked."""
    player = s.to_move & 1
    cell = joint.of[player]
    s.at[player] = cell
    s.blocked |= 1 << cell
    s.to_move = 1 - player


@kernel
def place_all(states: Any, openings: Any) -> None:
    """Play the first moves of many games, one row of cells for each."""
    for place in range(len(states)):
        for cell in openings[place]:
            apply(states[place], alone(cell))


@kernel
def reward(s: Any, player: int) -> float:
    """Result of a finished game: the player to move has no exit and has lost."""
    return -1.0 if player == s.to_move else 1.0
