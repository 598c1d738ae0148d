"""Numbers that change from game to game, such as learning rates."""

import re
from typing import Any

import numpy as np

from sparring.core.amounts import parse_number
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel

Schedule = np.dtype([("first", np.float64), ("factor", np.float64), ("last", np.float64)], align=True)
"""A number that changes by a factor each game, down to the last. With factor 0 it changes evenly from first to last."""


def schedule(what: str, text: str) -> tuple[float, float, float]:
    """Parse `0.1`, `0.1:0.01` (evenly over all games) or `0.1*0.9995:0.01` (a factor each game, down to the last).
    Return first, factor and last."""
    shape = re.fullmatch(r"([^:*]+)(?:\*([^:*]+))?(?::([^:*]+))?", text)
    if not shape or (shape[2] and not shape[3]):
        raise SparringError(f"{what} must be such as 0.1, 0.1:0.01 or 0.1*0.9995:0.01, not {text!r}")
    first, factor, last = (parse_number(what, part) if part else None for part in shape.groups())
    values = (first or 0.0, factor or 0.0, first or 0.0 if last is None else last)
    if not all(0 <= value <= 1 for value in values) or factor == 0:
        raise SparringError(f"{what} must be from 0 to 1, and a factor more than 0, not {text!r}")
    return values


@kernel
def scheduled(schedule: Any, game: int, games: int) -> float:
    """Return the number for a game."""
    if schedule.factor:
        return max(schedule.last, schedule.first * schedule.factor**game)  # type: ignore[no-any-return]
    return schedule.first + (schedule.last - schedule.first) * game / games  # type: ignore[no-any-return]
