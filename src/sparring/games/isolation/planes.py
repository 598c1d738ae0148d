"""Positions of Isolation as arrays for learners: one plane of cells each for the blocked cells, the player's own piece
and the opponent's."""

from functools import cache
from typing import Any

import numpy as np

from sparring.games.contract import Game
from sparring.games.isolation.state import MAX_CELLS


@cache
def shape(game: Game) -> tuple[int, ...]:
    rows, columns = map(int, game.options()["board"].split("x"))
    return 3, rows, columns


def actions(game: Game) -> int:
    _, rows, columns = shape(game)
    return rows * columns


def observe(game: Game, states: Any, player: int) -> Any:
    size, count = shape(game), len(states)
    planes = np.empty((count, 3, actions(game)), np.float32)
    blocked = np.ascontiguousarray(states["blocked"]).view(np.uint8).reshape(count, -1)
    bits = np.unpackbits(blocked, axis=1, bitorder="little")
    planes[:, 0] = bits[:, : actions(game)]
    pieces = np.eye(MAX_CELLS + 1, actions(game), dtype=np.float32)
    planes[:, 1] = pieces[states["at"][:, player]]
    planes[:, 2] = pieces[states["at"][:, 1 - player]]
    return planes.reshape(count, *size)
