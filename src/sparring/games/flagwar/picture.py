"""Pictures of Flag War as SVG: a position, and a round.

Parts with a class can be coloured by the page around the picture: paper, grounds and numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sparring.core.markup import Html, circle, label, line, picture, polyline, rect, squares, tag
from sparring.games.contract import Box, TouchTarget
from sparring.games.flagwar import board
from sparring.games.flagwar.board import action_name, carrier_of, ground, pieces_of, points, text
from sparring.games.flagwar.geometry import Point, point_name
from sparring.games.flagwar.state import COMMAND_BITS, DIRECTIONS, DISTANCE_BITS, LONGEST, SIDES, A
from sparring.games.flagwar.trace import STEPS, PieceTrace, RoundTrace, along

UNIT, EDGE = 36, 20
COLOURS, GROUNDS = ("#2c6fbb", "#c2452d"), ("#dce8f4", "#f6e0da", "#ecebe6")
"""The colours of A and B. The last ground is neutral."""


def svg(s: Any, marks: Mapping[int, float] | None = None, player: int | None = None) -> Html:
    """Draw the board, A at the top. Marks are actions of a side, by default of A, drawn as lines, sized from 0 to 1."""
    return _picture(s, text(s), [*_board(s), *_pieces(s), *_marks(s, marks or {}, A if player is None else player)])


def round_svg(trace: RoundTrace) -> Html:
    """Draw a round: the board before it, and on it all that timeline_page.LEGEND explains."""
    s, after = trace.before, trace.after
    ways, began, crosses = ([part for one in trace.pieces for part in draw(s, one)] for draw in (_way, _began, _cross))
    keys = [_key(after, side) for side in range(2) if not board.key(s, side)]
    parts = [*_board(s), *keys, *ways, *began, *_pieces(after), *crosses]
    return _picture(s, f"{text(s)}: {'; '.join(map(str, trace.pieces))}", parts)


def _picture(s: Any, told: str, parts: Iterable[Html]) -> Html:
    width, height = int(s.width) * UNIT + EDGE, int(s.height) * UNIT + EDGE
    paper = rect(0, 0, width, height, class_="paper", fill="#ffffff")
    return picture(width, height, f"Flag War: {told}", paper, *parts)


def middle(s: Any, point: Point) -> Point:
    return EDGE + point[0] * UNIT + UNIT // 2, (int(s.height) - 1 - point[1]) * UNIT + UNIT // 2


# The board


def _board(s: Any) -> Iterator[Html]:
    """Grounds, active zones, numbers, flags at home, and keys."""
    for kind, fill in enumerate(GROUNDS):
        yield _squares(s, [one for one in points(s) if ground(s, one) == kind], 16, class_=f"ground{kind}", fill=fill)
    for side in range(2):
        yield _squares(s, board.zone(s, side), 12, fill="none", stroke=COLOURS[side], stroke_dasharray="3 3")
    rows = [tag("text", y, x=EDGE // 2, y=middle(s, (0, y))[1] + 4) for y in range(s.height)]
    columns = [tag("text", x, x=middle(s, (x, 0))[0], y=int(s.height) * UNIT + 14) for x in range(s.width)]
    yield tag("g", *rows, *columns, font_size=11, class_="number", fill="#6b6250")
    for side in range(2):
        if board.zone(s, side):
            yield _sign(s, board.flag_home(s, side), 9, "⚑", 26, side)
        yield _key(s, side)


def _squares(s: Any, around: Iterable[Point], half: int, **style: object) -> Html:
    middles = (middle(s, point) for point in around)
    return squares([(x - half, y - half) for x, y in middles], 2 * half, **style)


def _key(s: Any, side: int) -> Html:
    there = board.key(s, side)
    return _sign(s, there, 7, "K", 20, side) if there else Html()


def _sign(s: Any, point: Point, down: int, sign: str, size: int, side: int) -> Html:
    x, y = middle(s, point)
    return label(x, y + down, sign, size, fill=COLOURS[side])


def _pieces(s: Any) -> Iterator[Html]:
    """Draw all pieces; those that share a cell are shifted a little."""
    seen: dict[Point, int] = {}
    for side in range(2):
        for piece, point in enumerate(pieces_of(s, side)):
            if point is None:
                continue
            shift = 5 * seen.get(point, 0)
            seen[point] = seen.get(point, 0) + 1
            x, y = (place + shift for place in middle(s, point))
            yield circle(x, y, 12, fill=COLOURS[side], stroke="#ffffff")
            yield label(x, y + 4, f"{SIDES[side]}{piece + 1}", 11, fill="#ffffff")
            if carrier_of(s, side) == piece:
                yield label(x + 11, y - 5, "⚑", 16, fill=COLOURS[1 - side])


def _marks(s: Any, marks: Mapping[int, float], side: int) -> Iterator[Html]:
    for action, value in marks.items():
        parts = [tag("title", action_name(action))]
        for piece, point in enumerate(pieces_of(s, side)):
            order = action >> COMMAND_BITS * piece
            if point is None or not order & LONGEST:
                continue
            there = middle(s, along(point, STEPS[order >> DISTANCE_BITS & 3], order & LONGEST))
            parts += [line(middle(s, point), there), circle(*there, round(2 + 5 * value, 1), stroke="none")]
        yield tag("g", *parts, stroke="#111111", stroke_width=round(1 + 4 * value, 1), opacity=0.5)


# Commanding


def touch_targets(s: Any, side: int, commands: Sequence[Sequence[int]]) -> list[TouchTarget]:
    """Each piece can be dragged to the ends of its paths; `commands` are the commands of each piece."""
    found = []
    for piece, point in enumerate(pieces_of(s, side)):
        for command in commands[piece] if point else ():
            if far := command & LONGEST:
                way = command >> DISTANCE_BITS & 3
                there = along(board.origin(s, side, piece), STEPS[way], far)
                name = f"{SIDES[side]}{piece + 1}"
                told = f"{name} {DIRECTIONS[way]} {far}, to {point_name(there)}"
                move = action_name(command << COMMAND_BITS * piece)
                found.append(TouchTarget(move, _box(s, there), told, name, _box(s, point) if point else None))
    return found


def _box(s: Any, point: Point) -> Box:
    x, y = middle(s, point)
    return x - UNIT // 2, y - UNIT // 2, UNIT, UNIT


# A round


def _began(s: Any, piece: PieceTrace) -> Iterator[Html]:
    """Draw the former place of a piece that has left, and the flag that it carried."""
    if piece.began is not None and (piece.began != piece.end or piece.jailed is not None):
        x, y = middle(s, piece.began)
        colour = COLOURS[piece.side]
        yield circle(x, y, 11, class_="paper", fill="#ffffff", stroke=colour, stroke_width=1.5)
        yield label(x, y + 4, piece.name, 11, fill=colour)
        if carrier_of(s, piece.side) == piece.piece:
            yield label(x + 11, y - 5, "⚑", 16, fill=COLOURS[1 - piece.side])


def _way(s: Any, piece: PieceTrace) -> Iterator[Html]:
    """The command of a piece, its walk, and where it was put before and after."""
    if piece.began is None or piece.origin is None or piece.intended is None:
        return
    shift = 3 if piece.side == A else -3
    drawn = {"stroke": COLOURS[piece.side], "fill": "none"}
    dotted = {**drawn, "stroke_width": 1.5, "stroke_dasharray": "1.5 4"}
    if piece.began != piece.origin:
        yield _line(s, [piece.began, piece.origin], shift, **dotted)
    if piece.intended != piece.origin:
        walked = _line(s, piece.path, shift, **drawn, stroke_width=4, stroke_opacity=0.75)
        arrow = _arrow(s, piece.origin, piece.intended, shift, **drawn, stroke_width=2)
        yield tag("g", tag("title", piece), *arrow, walked)
    if piece.end is not None and piece.end != piece.path[-1]:
        yield _line(s, [piece.path[-1], piece.end], shift, **dotted)


def _line(s: Any, way: Iterable[Point], shift: int, **style: object) -> Html:
    """A line, shifted a little, so that pieces that walk towards each other both show."""
    return polyline([(x + shift, y + shift) for x, y in (middle(s, point) for point in way)], **style)


def _arrow(s: Any, origin: Point, intended: Point, shift: int, **style: object) -> Iterator[Html]:
    """A dashed arrow of a command. Beyond the board it ends just behind the edge."""
    x, y = (place + shift for place in middle(s, origin))
    width, height = int(s.width) * UNIT + EDGE, int(s.height) * UNIT
    there = middle(s, intended)
    far_x, far_y = min(max(there[0] + shift, EDGE - 6), width - 2), min(max(there[1] + shift, 2), height + 4)
    right, down = (far_x > x) - (far_x < x), (far_y > y) - (far_y < y)
    back = far_x - 7 * right, far_y - 7 * down
    wings = [(back[0] + 4 * side * down, back[1] + 4 * side * right) for side in (1, -1)]
    yield line((x, y), (far_x, far_y), **style, stroke_dasharray="5 4")
    yield polyline([wings[0], (far_x, far_y), wings[1]], **style)


def _cross(s: Any, piece: PieceTrace) -> Iterator[Html]:
    """A cross where a piece was jailed, with the tick, in a corner of the cell; fainter for earlier rounds."""
    faint = piece.jailed is None
    place = piece.end if faint else piece.path[-1]
    if place is None or (faint and not piece.in_jail):
        return
    shift = 9 if piece.side == A else -9
    x, y = (side + shift for side in middle(s, place))
    style = {"stroke": COLOURS[piece.side], "stroke_width": 2 if faint else 4, "opacity": 0.6 if faint else 1}
    cross = tag("path", d=f"M{x - 7},{y - 7}L{x + 7},{y + 7}M{x - 7},{y + 7}L{x + 7},{y - 7}")
    yield tag("g", tag("title", f"{piece.name} {piece.why}"), cross, **style)
    if not faint:
        beside = x + (15 if shift > 0 else -15)
        yield circle(beside, y, 7, class_="paper", fill="#ffffff")
        yield label(beside, y + 4, piece.jailed, 12, fill=COLOURS[piece.side])
