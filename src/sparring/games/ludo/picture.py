"""The board of Ludo as an SVG picture: coloured arms, stars, globes, tokens with their numbers, and the die."""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from sparring.core.markup import Html, Point, circle, joined, label, line, picture, polygon, rect, squares, tag
from sparring.games.contract import TouchTarget
from sparring.games.ludo import board
from sparring.games.ludo.board import SIDE, Cell
from sparring.games.ludo.state import GOAL, QUARTER

UNIT = 32
COLOURS = ("#c0392b", "#2e8b57", "#d4a017", "#1f5f9e")
"""The colours of seats, clockwise from the upper left."""
PALE = ("#eec4bf", "#bfdfcc", "#f2e2ae", "#bcd2e8")
LINE, SIGN = "#6b6250", "#b9ae94"
CORNERS: list[Cell] = [(0, 0), (0, 9), (9, 9), (9, 0)]  # upper left cells of the four homes
SPOTS = {
    1: [(0.0, 0.0)],
    2: [(-0.25, 0.0), (0.25, 0.0)],
    3: [(-0.25, -0.22), (0.25, -0.22), (0.0, 0.25)],
    4: [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)],
}
"""Places within a cell, by the number of tokens there."""
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def svg(s: Any, marks: Mapping[int, float] | None = None) -> str:
    """Draw the board. Marks are tokens of the mover with a halo, sized from 0 to 1."""
    size = SIDE * UNIT
    told, ground = f"Ludo: {board.text(s)}", rect(0, 0, size, size, fill="#faf6ec")
    return picture(size, size, told, ground, *_homes(s), _track(), *_tokens(s, marks or {}), *_die(s))


def colour(s: Any, player: int) -> str:
    return COLOURS[int(s.start[player]) // QUARTER]


def die(state: Any) -> int | None:
    """The number that was rolled, if there is one."""
    return int(state.die) or None


def _squares(cells: Iterable[Cell], fill: str) -> Html:
    return squares([(column * UNIT, row * UNIT) for row, column in cells], UNIT, fill=fill, stroke=LINE)


def _middle(cell: Cell) -> Point:
    return (cell[1] + 0.5) * UNIT, (cell[0] + 0.5) * UNIT


def _homes(s: Any) -> Iterator[Html]:
    seated = {int(start) // QUARTER: player for player, start in enumerate(s.start[: s.players])}
    for seat, (row, column) in enumerate(CORNERS):
        x, y = column * UNIT, row * UNIT
        fill = COLOURS[seat] if seat in seated else PALE[seat]
        yield rect(x, y, 6 * UNIT, 6 * UNIT, fill=fill)
        yield rect(x + UNIT, y + UNIT, 4 * UNIT, 4 * UNIT, rx=12, fill="#faf6ec")
        if seat in seated:
            yield label(x + 16, y + 23, board.PLAYERS[seated[seat]], 20, font_weight="bold", fill="#ffffff")


@cache
def _track() -> Html:
    """Draw the ring and the corridors, which are the same in every position."""
    return joined([*_ring(), *_corridors()])


def _ring() -> Iterator[Html]:
    yield _squares(board.RING_CELLS, "#ffffff")
    for index, cell in enumerate(board.RING_CELLS):
        sign = board.ring_sign(index)
        if sign == "start":
            yield _squares([cell], COLOURS[index // QUARTER])
        x, y = _middle(cell)
        if sign == "star":
            yield polygon(_star(x, y), fill=SIGN)
        elif sign == "globe":
            yield circle(x, y, 9, fill="none", stroke=SIGN, stroke_width=2)
            yield tag("ellipse", cx=x, cy=y, rx=4, ry=9, fill="none", stroke=SIGN)
            yield line((x - 9, y), (x + 9, y), stroke=SIGN)


def _star(x: float, y: float) -> list[Point]:
    turns = [(10 if corner % 2 == 0 else 4, math.pi * (corner / 5 - 0.5)) for corner in range(10)]
    return [(round(x + far * math.cos(angle), 1), round(y + far * math.sin(angle), 1)) for far, angle in turns]


def _corridors() -> Iterator[Html]:
    centre = SIDE * UNIT / 2
    for seat, colour in enumerate(COLOURS):
        yield _squares([board.turned(cell, seat) for cell in board.CORRIDOR_CELLS[:-1]], colour)
        ends = [board.turned((6, 6), seat), board.turned((8, 6), seat)]
        corners = [
            (x + math.copysign(UNIT / 2, x - centre), y + math.copysign(UNIT / 2, y - centre))
            for x, y in map(_middle, ends)
        ]
        yield polygon([(centre, centre), *corners], fill=colour, stroke=LINE)


def touch_targets(before: Any, after: Mapping[int, Any]) -> list[TouchTarget]:
    """Return where to pick up a token and where to put it. `after` has the state after the move of each token."""
    me, found = int(before.to_move), []
    spots = {token: (x, y, radius) for player, token, x, y, radius in _spots(before) if player == me}
    for token, then in after.items():
        here, there = int(before.at[me, token]), int(then.at[me, token])
        row, column = board.cell_of(int(before.start[me]), token, there)
        x, y, radius = spots[token]
        found.append(
            TouchTarget(
                board.move_name(before, then, token),
                (column * UNIT, row * UNIT, UNIT, UNIT),
                f"token {token + 1} from {board.tile_name(here)} to {board.tile_name(there)}",
                f"{token + 1}",
                (x - radius, y - radius, 2 * radius, 2 * radius),
            )
        )
    return found


def _spots(s: Any) -> Iterator[tuple[int, int, float, float, int]]:
    """Yield player and number of every token, its middle and its radius. Tokens in one cell stand side by side."""
    shared: dict[Cell, list[tuple[int, int]]] = {}
    for player in range(s.players):
        for token, tile in enumerate(board.tokens_of(s, player)):
            shared.setdefault(board.cell_of(int(s.start[player]), token, tile), []).append((player, token))
    for cell, there in shared.items():
        spots = SPOTS[min(len(there), 4)]
        for place, (player, token) in enumerate(there):
            right, down = spots[place % 4]
            x, y = _middle(cell)
            yield player, token, x + right * UNIT, y + down * UNIT, 11 if len(there) == 1 else 8


def _tokens(s: Any, marks: Mapping[int, float]) -> Iterator[Html]:
    for player, token, x, y, radius in _spots(s):
        if player == s.to_move and token in marks:
            yield circle(x, y, round(radius + 2 + 7 * marks[token], 1), fill="#111111", opacity=0.55)
        yield circle(x, y, radius, fill=colour(s, player), stroke="#ffffff", stroke_width=2)
        name = "✓" if s.at[player, token] == GOAL else token + 1
        yield label(x, y + 4, name, radius + 1, fill="#ffffff")


def _die(s: Any) -> Iterator[Html]:
    """Draw the die beside the home of the mover."""
    if not s.die:
        return
    row, column = CORNERS[int(s.start[s.to_move]) // QUARTER]
    x, y = (column + 5.5) * UNIT, (row + 0.5) * UNIT
    yield rect(x - 13, y - 13, 26, 26, rx=5, fill="#ffffff", stroke="#111111")
    for right, down in PIPS[int(s.die)]:
        yield circle(x + 7 * right, y + 7 * down, 2.6, fill="#111111")
