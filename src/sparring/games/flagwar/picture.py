"""A position of Flag War as SVG."""

from collections.abc import Iterator, Mapping
from typing import Any

from sparring.games.flagwar.board import (
    Point,
    action_name,
    carrier_of,
    flag_of,
    ground,
    key,
    pieces_of,
    points,
    text,
    zone,
    zone_active,
)
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, LONGEST, SIDES, A

UNIT, EDGE = 36, 20
COLOURS, GROUNDS = ("#2c6fbb", "#c2452d"), ("#dce8f4", "#f6e0da", "#ecebe6")
"""Of A and B; the last ground is neutral."""
STEPS = [(0, 1), (0, -1), (-1, 0), (1, 0)]
"""The directions as steps, up being larger y."""


def svg(s: Any, marks: Mapping[int, float] | None = None) -> str:
    """The board as a picture, A at the top; marks are actions of A, shown as arrows, sized from 0 to 1."""
    width, height = int(s.width) * UNIT + EDGE, int(s.height) * UNIT + EDGE
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="Flag War: {text(s)}" font-family="sans-serif" text-anchor="middle">'
    )
    paper = f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    parts = [*_cells(s), *_numbers(s), *_things(s), *_pieces(s), *_marks(s, marks or {})]
    return "".join([head, paper, *parts, "</svg>"])


def middle(s: Any, point: Point) -> Point:
    """Of a cell, on the picture."""
    return EDGE + point[0] * UNIT + UNIT // 2, (int(s.height) - 1 - point[1]) * UNIT + UNIT // 2


def _cells(s: Any) -> Iterator[str]:
    for point in points(s):
        yield _square(s, point, 16, f'rx="3" fill="{GROUNDS[ground(s, point)]}"')
    for side in range(2):
        if zone_active(s, side):
            for point in zone(s, side):
                yield _square(s, point, 12, f'fill="none" stroke="{COLOURS[side]}" stroke-dasharray="3 3"')


def _square(s: Any, point: Point, half: int, style: str) -> str:
    x, y = middle(s, point)
    return f'<rect x="{x - half}" y="{y - half}" width="{2 * half}" height="{2 * half}" {style}/>'


def _numbers(s: Any) -> Iterator[str]:
    for y in range(s.height):
        yield _word(EDGE // 2, middle(s, (0, y))[1] + 4, 11, "#6b6250", str(y))
    for x in range(s.width):
        yield _word(middle(s, (x, 0))[0], int(s.height) * UNIT + 14, 11, "#6b6250", str(x))


def _word(x: int, y: int, size: int, colour: str, word: str) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}">{word}</text>'


def _things(s: Any) -> Iterator[str]:
    """Flags at home, and the keys of those who need one."""
    for side in range(2):
        if zone_active(s, side):
            x, y = middle(s, flag_of(s, side))
            yield _word(x, y + 9, 26, COLOURS[side], "⚑")
        if there := key(s, side):
            x, y = middle(s, there)
            yield _word(x, y + 7, 20, COLOURS[side], "K")


def _pieces(s: Any) -> Iterator[str]:
    """Those who share a cell are shifted a little, so that all of them show."""
    seen: dict[Point, int] = {}
    for side in range(2):
        for piece, point in enumerate(pieces_of(s, side)):
            if point is None:
                continue
            shift = 5 * seen.get(point, 0)
            seen[point] = seen.get(point, 0) + 1
            x, y = (place + shift for place in middle(s, point))
            yield f'<circle cx="{x}" cy="{y}" r="12" fill="{COLOURS[side]}" stroke="#ffffff"/>'
            yield _word(x, y + 4, 11, "#ffffff", f"{SIDES[side]}{piece + 1}")
            if carrier_of(s, side) == piece:
                yield _word(x + 11, y - 5, 16, COLOURS[1 - side], "⚑")


def _marks(s: Any, marks: Mapping[int, float]) -> Iterator[str]:
    for action, value in marks.items():
        for piece, point in enumerate(pieces_of(s, A)):
            order = action >> COMMAND_BITS * piece
            if point is None or not order & LONGEST:
                continue
            right, up = STEPS[order >> DISTANCE_BITS & 3]
            x, y = middle(s, point)
            there = x + right * UNIT * (order & LONGEST), y - up * UNIT * (order & LONGEST)
            yield (
                f'<line x1="{x}" y1="{y}" x2="{there[0]}" y2="{there[1]}" stroke="#111111" '
                f'stroke-width="{1 + 4 * value:.1f}" opacity="0.5"><title>{action_name(action)}</title></line>'
                f'<circle cx="{there[0]}" cy="{there[1]}" r="{2 + 5 * value:.1f}" fill="#111111" opacity="0.5"/>'
            )
