"""The default text and picture of a state."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.core.kernel import record
from sparring.core.markup import label, picture, rect

if TYPE_CHECKING:
    from sparring.games.contract import Action, Box, Game

LINE, EDGE = 22, 10  # the height of a line of text, and the border of the picture
BUTTON, LETTER, IN_A_ROW = 50, 8, 10
"""The height of a button, the width of a letter in it, and the buttons in a row. The page puts a dot in the middle of
a button, so the name is above it."""


def text(state: Any) -> str:
    """The fields of a state: `hand=3,1/2,5 to_move=1`. Commas separate numbers, slashes the rows of a table."""
    return " ".join(f"{field}={_numbers(state[field])}" for field in state.dtype.names)


def _numbers(value: Any) -> str:
    rows = np.atleast_2d(value)
    return "/".join(",".join(map(str, row)) for row in rows.reshape(len(rows), -1).tolist())


def parse(written: str, dtype: np.dtype[Any], example: str) -> Any:
    """The inverse of `text`."""
    state, said = record(dtype), dict(word.partition("=")[::2] for word in written.split())
    if list(said) != list(dtype.names or ()):
        raise SparringError(f"{written!r} does not name the fields of a state, such as {example!r}")
    for field, numbers in said.items():
        kind, shape = dtype[field].base, dtype[field].shape
        try:
            state[field] = np.array(re.split("[,/]", numbers)).astype(kind).reshape(shape)
        except (ValueError, OverflowError) as error:
            raise SparringError(f"{field}={numbers} is not what a state holds, such as {example!r}") from error
    return state


def drawing(state: Any) -> str:
    """A line for each field."""
    return "\n".join(f"{field}: {_numbers(state[field])}" for field in state.dtype.names)


def svg(game: "Game", state: Any, marks: "Mapping[Action, float] | None", player: int | None) -> str:
    """The lines of the drawing, and buttons for all players who act."""
    lines, acting = game.drawing(state).splitlines(), game.actors(state)
    parts = [
        label(EDGE, EDGE + LINE * number + 16, told, 15, text_anchor="start", fill="#1d2126")
        for number, told in enumerate(lines)
    ]
    right: float = EDGE + LETTER * max(map(len, lines), default=0)
    below: float = EDGE + LINE * len(lines)
    for seat in acting:
        colour, shown = game.colour(state, seat), seat == (acting[0] if player is None else player)
        for action, (x, y, wide, high) in buttons(game, state, seat).items():
            much = (marks or {}).get(action, 0.0) if shown else 0.0
            parts += [
                rect(x, y, wide, high, rx=5, fill="#f2ead8", stroke=colour, stroke_width=2),
                rect(x, y + high - 4, round(wide * much, 1), 4, fill="#2e7d32"),
                label(x + wide / 2, y + 17, game.action_name(state, seat, action), 14, fill=colour),
            ]
            right, below = max(right, x + wide), max(below, y + high)
    ground = rect(0, 0, right + EDGE, below + EDGE, fill="#fbfbf9")
    return picture(right + EDGE, below + EDGE, f"{game.name}: {game.text(state)}", ground, *parts)


def buttons(game: "Game", state: Any, player: int) -> "dict[Action, Box]":
    """The places of a player's buttons in the picture, below the drawing and the buttons of earlier players."""
    top = 2 * EDGE + LINE * len(game.drawing(state).splitlines())
    for seat in game.actors(state):
        legal = game.legal(state, seat)
        wide = 2 * LETTER + LETTER * max((len(game.action_name(state, seat, action)) for action in legal), default=0)
        if seat == player:
            return {
                action: (EDGE + place % IN_A_ROW * (wide + 4), top + place // IN_A_ROW * (BUTTON + 4), wide, BUTTON)
                for place, action in enumerate(legal)
            }
        top += (BUTTON + 4) * -(-len(legal) // IN_A_ROW) + EDGE
    return {}
