"""The board of Ludo as an SVG picture: coloured arms, stars, globes, tokens with their numbers, and the die."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sparring.games.contract import Touch
from sparring.games.ludo.board import (
    CORRIDOR_CELLS,
    PLAYERS,
    RING_CELLS,
    SIDE,
    Cell,
    cell_of,
    move_name,
    ring_sign,
    text,
    tile_name,
    tokens_of,
    turned,
)
from sparring.games.ludo.state import GOAL, QUARTER

UNIT = 32
COLOURS = ("#c0392b", "#2e8b57", "#d4a017", "#1f5f9e")
"""By seat, clockwise from the upper left."""
PALE = ("#eec4bf", "#bfdfcc", "#f2e2ae", "#bcd2e8")
LINE = "#6b6250"
CORNERS: list[Cell] = [(0, 0), (0, 9), (9, 9), (9, 0)]
"""The upper left cells of the four homes."""
SPOTS = {
    1: [(0.0, 0.0)],
    2: [(-0.25, 0.0), (0.25, 0.0)],
    3: [(-0.25, -0.22), (0.25, -0.22), (0.0, 0.25)],
    4: [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)],
}
"""Where tokens that share a cell stand in it."""
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}


def svg(s: Any, marks: Mapping[int, float] | None = None) -> str:
    """The board as a picture; marks are tokens of the mover with a halo, sized from 0 to 1."""
    size = SIDE * UNIT
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size} {size}" width="{size}" role="img" '
        f'aria-label="Ludo: {text(s)}" font-family="sans-serif" text-anchor="middle">'
    )
    ground = f'<rect width="{size}" height="{size}" fill="#faf6ec"/>'
    return "".join([head, ground, *_homes(s), *_ring(), *_corridors(), *_tokens(s, marks or {}), *_die(s), "</svg>"])


def colour(s: Any, player: int) -> str:
    """Of the seat that a player has."""
    return COLOURS[int(s.start[player]) // QUARTER]


def _square(cell: Cell, fill: str) -> str:
    x, y = cell[1] * UNIT, cell[0] * UNIT
    return f'<rect x="{x}" y="{y}" width="{UNIT}" height="{UNIT}" fill="{fill}" stroke="{LINE}"/>'


def _middle(cell: Cell) -> tuple[float, float]:
    return (cell[1] + 0.5) * UNIT, (cell[0] + 0.5) * UNIT


def _homes(s: Any) -> Iterator[str]:
    seated = {int(start) // QUARTER: player for player, start in enumerate(s.start[: s.players])}
    for seat, (row, column) in enumerate(CORNERS):
        x, y = column * UNIT, row * UNIT
        fill = COLOURS[seat] if seat in seated else PALE[seat]
        yield f'<rect x="{x}" y="{y}" width="{6 * UNIT}" height="{6 * UNIT}" fill="{fill}"/>'
        yield f'<rect x="{x + UNIT}" y="{y + UNIT}" width="{4 * UNIT}" height="{4 * UNIT}" rx="12" fill="#faf6ec"/>'
        if seat in seated:
            name = PLAYERS[seated[seat]]
            yield f'<text x="{x + 16}" y="{y + 23}" font-size="20" font-weight="bold" fill="#ffffff">{name}</text>'


def _ring() -> Iterator[str]:
    for index, cell in enumerate(RING_CELLS):
        sign = ring_sign(index)
        yield _square(cell, COLOURS[index // QUARTER] if sign == "start" else "#ffffff")
        x, y = _middle(cell)
        if sign == "star":
            yield f'<polygon points="{_star(x, y)}" fill="#b9ae94"/>'
        elif sign == "globe":
            yield f'<circle cx="{x}" cy="{y}" r="9" fill="none" stroke="#b9ae94" stroke-width="2"/>'
            yield f'<ellipse cx="{x}" cy="{y}" rx="4" ry="9" fill="none" stroke="#b9ae94"/>'
            yield f'<path d="M{x - 9} {y}H{x + 9}" stroke="#b9ae94"/>'


def _star(x: float, y: float) -> str:
    turns = [(10 if corner % 2 == 0 else 4, math.pi * (corner / 5 - 0.5)) for corner in range(10)]
    return " ".join(f"{x + far * math.cos(angle):.1f},{y + far * math.sin(angle):.1f}" for far, angle in turns)


def _corridors() -> Iterator[str]:
    centre = SIDE * UNIT / 2
    for seat, colour in enumerate(COLOURS):
        for cell in CORRIDOR_CELLS[:-1]:
            yield _square(turned(cell, seat), colour)
        ends = [turned((6, 6), seat), turned((8, 6), seat)]
        corners = [
            (x + math.copysign(UNIT / 2, x - centre), y + math.copysign(UNIT / 2, y - centre))
            for x, y in map(_middle, ends)
        ]
        points = " ".join(f"{x:g},{y:g}" for x, y in [(centre, centre), *corners])
        yield f'<polygon points="{points}" fill="{colour}" stroke="{LINE}"/>'


def touches(before: Any, after: Mapping[int, Any]) -> list[Touch]:
    """A token is picked up and put where it goes; `after` is what the move of each makes of the state."""
    me, found = int(before.to_move), []
    spots = {token: (x, y, radius) for player, token, x, y, radius in _spots(before) if player == me}
    for token, then in after.items():
        here, there = int(before.at[me, token]), int(then.at[me, token])
        row, column = cell_of(int(before.start[me]), token, there)
        x, y, radius = spots[token]
        found.append(
            Touch(
                move_name(before, then, token),
                (column * UNIT, row * UNIT, UNIT, UNIT),
                f"token {token + 1} from {tile_name(here)} to {tile_name(there)}",
                f"{token + 1}",
                (x - radius, y - radius, 2 * radius, 2 * radius),
            )
        )
    return found


def _spots(s: Any) -> Iterator[tuple[int, int, float, float, int]]:
    """Player and number of every token, its middle and its radius: those that share a cell stand side by side."""
    shared: dict[Cell, list[tuple[int, int]]] = {}
    for player in range(s.players):
        for token, tile in enumerate(tokens_of(s, player)):
            shared.setdefault(cell_of(int(s.start[player]), token, tile), []).append((player, token))
    for cell, there in shared.items():
        spots = SPOTS[min(len(there), 4)]
        for place, (player, token) in enumerate(there):
            right, down = spots[place % 4]
            x, y = _middle(cell)
            yield player, token, x + right * UNIT, y + down * UNIT, 11 if len(there) == 1 else 8


def _tokens(s: Any, marks: Mapping[int, float]) -> Iterator[str]:
    for player, token, x, y, radius in _spots(s):
        yield from _token(s, player, token, (x, y), radius, marks.get(token) if player == s.to_move else None)


def _token(
    s: Any, player: int, token: int, spot: tuple[float, float], radius: int, value: float | None
) -> Iterator[str]:
    x, y = f"{spot[0]:g}", f"{spot[1]:g}"
    if value is not None:
        yield f'<circle cx="{x}" cy="{y}" r="{radius + 2 + 7 * value:.1f}" fill="#111111" opacity="0.55"/>'
    fill = colour(s, player)
    yield f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="#ffffff" stroke-width="2"/>'
    name = "✓" if s.at[player, token] == GOAL else token + 1
    yield f'<text x="{x}" y="{spot[1] + 4:g}" font-size="{radius + 1}" fill="#ffffff">{name}</text>'


def _die(s: Any) -> Iterator[str]:
    """Beside the home of who has rolled it."""
    if not s.die:
        return
    row, column = CORNERS[int(s.start[s.to_move]) // QUARTER]
    x, y = (column + 5.5) * UNIT, (row + 0.5) * UNIT
    yield f'<rect x="{x - 13}" y="{y - 13}" width="26" height="26" rx="5" fill="#ffffff" stroke="#111111"/>'
    for right, down in PIPS[int(s.die)]:
        yield f'<circle cx="{x + 7 * right}" cy="{y + 7 * down}" r="2.6" fill="#111111"/>'
