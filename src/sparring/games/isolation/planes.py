"""Positions of Isolation as arrays for learners: one plane of cells each for the blocked cells, the player's own piece
and the opponent's."""

from typing import Any

from sparring.core.kernel import kernel
from sparring.games.contract import Game
from sparring.games.isolation.state import NOWHERE


def shape(game: Game) -> tuple[int, ...]:
    rows, columns = map(int, game.options()["board"].split("x"))
    return 3, rows, columns


def actions(game: Game) -> int:
    _, rows, columns = shape(game)
    return rows * columns


@kernel
def observe(s: Any, player: int, found: Any) -> None:
    cells = len(found) // 3
    for cell in range(cells):
        found[cell] = s.blocked >> cell & 1
    if s.at[player] != NOWHERE:
        found[cells + s.at[player]] = 1
    if s.at[1 - player] != NOWHERE:
        found[2 * cells + s.at[1 - player]] = 1
