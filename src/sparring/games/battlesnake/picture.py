"""A Battlesnake position as SVG."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from sparring.core.markup import Html, circle, picture, polyline, rect, squares
from sparring.games.battlesnake.board import (
    SNAKES,
    STEPS,
    Point,
    body_of,
    cells,
    food_of,
    hazards_of,
    living,
    name,
    text,
)
from sparring.games.battlesnake.rules import MOVES
from sparring.games.contract import Box, TouchTarget

UNIT, STRIP = 30, 8
COLOURS = ["#c2452d", "#2c6fbb", "#3f8f4f", "#b5852a", "#7d4fa0", "#2b8f94", "#8a5a3c", "#5b6270"]


def svg(s: Any, marks: Mapping[int, float] | None = None, snake: int | None = None) -> str:
    """Draw the board. Marks are moves of a snake, by default the first living one, with sizes from 0 to 1."""
    width, height = int(s.width) * UNIT, int(s.height) * UNIT
    ground = rect(0, 0, width, height, fill="#ffffff")
    food = [circle(*_middle(s, point), 7, fill="#e0457b") for point in food_of(s)]
    snakes = [part for one in living(s) for part in _snake(s, one)]
    moves = _marks(s, marks, living(s)[0] if snake is None else snake) if marks else ()
    return picture(width, height, f"Battlesnake: {text(s)}", ground, *_cells(s), *food, *snakes, *moves)


def _middle(s: Any, point: Point) -> Point:
    return point[0] * UNIT + UNIT // 2, (int(s.height) - 1 - point[1]) * UNIT + UNIT // 2


def _cells(s: Any) -> Iterator[Html]:
    """Draw free cells, and hazards, the darker the more are stacked."""
    stacks = Counter(hazards_of(s))
    corners: dict[int, list[Point]] = {}
    for point in cells(s):
        x, y = _middle(s, point)
        corners.setdefault(stacks[point], []).append((x - 14, y - 14))
    for stack, there in corners.items():
        fill, opacity = ("#3a3145", f"{min(0.75, 0.35 + 0.1 * stack):g}") if stack else ("#f2efe8", None)
        yield squares(there, 28, fill=fill, fill_opacity=opacity)


def _snake(s: Any, snake: int) -> Iterator[Html]:
    """Draw a snake as a band through its cells, cut at edges that it crosses, with eyes."""
    body, colour = [_middle(s, point) for point in body_of(s, snake)], COLOURS[snake]
    pieces = [[body[0]]]
    for here, there in pairwise(body):
        if abs(here[0] - there[0]) + abs(here[1] - there[1]) > UNIT:
            pieces.append([])
        pieces[-1].append(there)
    for piece in pieces:
        stroke = {"stroke": colour, "stroke_width": 20, "stroke_linecap": "round", "stroke_linejoin": "round"}
        yield polyline([piece[0], *piece], fill="none", **stroke)
    x, y = body[0]
    yield circle(x, y, 13, fill=colour)
    for side in (-4, 4):
        yield circle(x + side, y - 3, 3, fill="#ffffff")


def touch_targets(s: Any, snake: int) -> list[TouchTarget]:
    """The places that move a snake: the cell that its head would enter, or the edge that it would cross."""
    head, found = body_of(s, snake)[0], []
    for move, (right, up) in zip(MOVES, STEPS, strict=True):
        x, y = head[0] + right, head[1] + up
        inside = 0 <= x < s.width and 0 <= y < s.height
        there = (x % int(s.width), y % int(s.height)) if s.wrapped else (x, y)
        box = _cell(s, there) if inside or s.wrapped else _edge(s, head, (right, up))
        where = f"to {name(there)}" if inside or s.wrapped else "off the board"
        found.append(TouchTarget(move, box, f"snake {SNAKES[snake]} {move}, {where}", SNAKES[snake], _cell(s, head)))
    return found


def _cell(s: Any, point: Point) -> Box:
    x, y = _middle(s, point)
    return x - UNIT // 2, y - UNIT // 2, UNIT, UNIT


def _edge(s: Any, point: Point, step: Point) -> Box:
    """The strip of a cell that a step off the board crosses."""
    (x, y, _, _), (right, up) = _cell(s, point), step
    if right:
        return x + (UNIT - STRIP if right > 0 else 0), y, STRIP, UNIT
    return x, y + (UNIT - STRIP if up < 0 else 0), UNIT, STRIP


def _marks(s: Any, marks: Mapping[int, float], snake: int) -> Iterator[Html]:
    for move, value in marks.items():
        x, y = _middle(s, body_of(s, snake)[0])
        right, up = STEPS[move]
        yield circle(x + right * UNIT, y - up * UNIT, f"{3 + 9 * value:.1f}", fill="#111111", opacity=0.55)
