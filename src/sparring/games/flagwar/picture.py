"""A position of Flag War as SVG, and a round.

What has a class can be coloured by a page around it: paper, grounds and numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from sparring.core.markup import Html, circle, label, line, picture, polyline, rect, tag
from sparring.games.contract import Box, Touch
from sparring.games.flagwar.account import STEPS, Account, Track, along, said
from sparring.games.flagwar.board import (
    Point,
    action_name,
    begins,
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
from sparring.games.flagwar.state import COMMAND_BITS, DIRECTIONS, DISTANCE_BITS, LONGEST, SIDES, A

UNIT, EDGE = 36, 20
COLOURS, GROUNDS = ("#2c6fbb", "#c2452d"), ("#dce8f4", "#f6e0da", "#ecebe6")
"""Of A and B; the last ground is neutral."""
NUMBER = {"class_": "number", "fill": "#6b6250"}


def svg(s: Any, marks: Mapping[int, float] | None = None, player: int | None = None) -> Html:
    """The board as a picture, A at the top; marks are actions of a side, by default of A, shown as lines, sized from 0
    to 1."""
    lines = _marks(s, marks or {}, A if player is None else player)
    return _picture(s, text(s), [*_cells(s), *_numbers(s), *_things(s), *_pieces(s), *lines])


def round_svg(account: Account) -> Html:
    """A round as a picture: the board as it was, pieces hollow where they began and full where they are. Dashed arrows
    are what was commanded, full lines what was walked, dotted ones how pieces were put elsewhere; crosses are jailings,
    with their ticks."""
    s, after = account.before, account.after
    new = [side for side in range(2) if key(after, side) and not key(s, side)]
    parts = [*_cells(s), *_numbers(s), *_things(s), *(_key(after, side) for side in new)]
    parts += [part for track in account.tracks for part in _way(s, track)]
    parts += [part for track in account.tracks for part in _began(s, track)]
    parts += [*_pieces(after), *(part for track in account.tracks for part in _cross(s, track))]
    return _picture(s, f"{text(s)}: {'; '.join(map(str, account.tracks))}", parts)


def _picture(s: Any, told: str, parts: Iterable[Html]) -> Html:
    width, height = int(s.width) * UNIT + EDGE, int(s.height) * UNIT + EDGE
    paper = rect(0, 0, width, height, class_="paper", fill="#ffffff")
    return picture(width, height, f"Flag War: {told}", paper, *parts)


def middle(s: Any, point: Point) -> Point:
    """Of a cell, on the picture."""
    return EDGE + point[0] * UNIT + UNIT // 2, (int(s.height) - 1 - point[1]) * UNIT + UNIT // 2


# The board


def _cells(s: Any) -> Iterator[Html]:
    for point in points(s):
        whose = ground(s, point)
        yield _square(s, point, 16, rx=3, class_=f"ground{whose}", fill=GROUNDS[whose])
    for side in range(2):
        if zone_active(s, side):
            for point in zone(s, side):
                yield _square(s, point, 12, fill="none", stroke=COLOURS[side], stroke_dasharray="3 3")


def _square(s: Any, point: Point, half: int, **style: object) -> Html:
    x, y = middle(s, point)
    return rect(x - half, y - half, 2 * half, 2 * half, **style)


def _numbers(s: Any) -> Iterator[Html]:
    for y in range(s.height):
        yield label(EDGE // 2, middle(s, (0, y))[1] + 4, y, 11, **NUMBER)
    for x in range(s.width):
        yield label(middle(s, (x, 0))[0], int(s.height) * UNIT + 14, x, 11, **NUMBER)


def _things(s: Any) -> Iterator[Html]:
    """Flags at home, and the keys of those who need one."""
    for side in range(2):
        if zone_active(s, side):
            x, y = middle(s, flag_of(s, side))
            yield label(x, y + 9, "⚑", 26, fill=COLOURS[side])
        yield _key(s, side)


def _key(s: Any, side: int) -> Html:
    if not (there := key(s, side)):
        return Html()
    x, y = middle(s, there)
    return label(x, y + 7, "K", 20, fill=COLOURS[side])


def _pieces(s: Any) -> Iterator[Html]:
    """Those who share a cell are shifted a little, so that all of them show."""
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
        for piece, point in enumerate(pieces_of(s, side)):
            order = action >> COMMAND_BITS * piece
            if point is None or not order & LONGEST:
                continue
            right, up = STEPS[order >> DISTANCE_BITS & 3]
            x, y = middle(s, point)
            there = x + right * UNIT * (order & LONGEST), y - up * UNIT * (order & LONGEST)
            title, wide = tag("title", action_name(action)), round(1 + 4 * value, 1)
            yield line((x, y), there, title, stroke="#111111", stroke_width=wide, opacity=0.5)
            yield circle(*there, round(2 + 5 * value, 1), fill="#111111", opacity=0.5)


# Commanding


def touches(s: Any, side: int, commands: Sequence[Sequence[int]]) -> list[Touch]:
    """A piece is picked up and put where its path would end; `commands` are what each may be told."""
    found = []
    for piece, point in enumerate(pieces_of(s, side)):
        for command in commands[piece] if point else ():
            if far := command & LONGEST:
                way = command >> DISTANCE_BITS & 3
                there = along(begins(s, side, piece), STEPS[way], far)
                name = f"{SIDES[side]}{piece + 1}"
                told = f"{name} {DIRECTIONS[way]} {far}, to {said(there)}"
                move = action_name(command << COMMAND_BITS * piece)
                found.append(Touch(move, _box(s, there), told, name, _box(s, point) if point else None))
    return found


def _box(s: Any, point: Point) -> Box:
    x, y = middle(s, point)
    return x - UNIT // 2, y - UNIT // 2, UNIT, UNIT


# A round


def _began(s: Any, track: Track) -> Iterator[Html]:
    """Where a piece was before, if it has left, and with what it carried."""
    if track.began is not None and (track.began != track.end or track.jailed is not None):
        x, y = middle(s, track.began)
        colour = COLOURS[track.side]
        yield circle(x, y, 11, class_="paper", fill="#ffffff", stroke=colour, stroke_width=1.5)
        yield label(x, y + 4, track.name, 11, fill=colour)
        if carrier_of(s, track.side) == track.piece:
            yield label(x + 11, y - 5, "⚑", 16, fill=COLOURS[1 - track.side])


def _way(s: Any, track: Track) -> Iterator[Html]:
    """What a piece was told, what it did, and where it was put before and after."""
    if track.began is None or track.origin is None or track.intended is None:
        return
    shift = 3 if track.side == A else -3
    drawn = {"stroke": COLOURS[track.side], "fill": "none"}
    dotted = {**drawn, "stroke_width": 1.5, "stroke_dasharray": "1.5 4"}
    if track.began != track.origin:
        yield _line(s, [track.began, track.origin], shift, **dotted)
    if track.intended != track.origin:
        walked = _line(s, track.path, shift, **drawn, stroke_width=4, stroke_opacity=0.75)
        yield tag("g", tag("title", track), *_arrow(s, track, shift, **drawn, stroke_width=2), walked)
    if track.end is not None and track.end != track.path[-1]:
        yield _line(s, [track.path[-1], track.end], shift, **dotted)


def _line(s: Any, way: Iterable[Point], shift: int, **style: object) -> Html:
    """Moved aside a little, so that those who walk towards each other both show."""
    return polyline([(x + shift, y + shift) for x, y in (middle(s, point) for point in way)], **style)


def _arrow(s: Any, track: Track, shift: int, **style: object) -> Iterator[Html]:
    """Dashed, to where the command leads; what goes beyond the board ends just behind its edge."""
    assert track.origin is not None and track.intended is not None
    x, y = (place + shift for place in middle(s, track.origin))
    width, height = int(s.width) * UNIT + EDGE, int(s.height) * UNIT
    there = middle(s, track.intended)
    far_x, far_y = min(max(there[0] + shift, EDGE - 6), width - 2), min(max(there[1] + shift, 2), height + 4)
    right, down = (far_x > x) - (far_x < x), (far_y > y) - (far_y < y)
    back = far_x - 7 * right, far_y - 7 * down
    wings = [(back[0] + 4 * side * down, back[1] + 4 * side * right) for side in (1, -1)]
    yield line((x, y), (far_x, far_y), **style, stroke_dasharray="5 4")
    yield polyline([wings[0], (far_x, far_y), wings[1]], **style)


def _cross(s: Any, track: Track) -> Iterator[Html]:
    """Where a piece was jailed and when, in a corner of the cell; fainter if that was in a round before."""
    faint = track.jailed is None
    place = track.end if faint else track.path[-1]
    if place is None or (faint and not track.in_jail):
        return
    shift = 9 if track.side == A else -9
    x, y = (side + shift for side in middle(s, place))
    style = {"stroke": COLOURS[track.side], "stroke_width": 2 if faint else 4, "opacity": 0.6 if faint else 1}
    cross = tag("path", d=f"M{x - 7},{y - 7}L{x + 7},{y + 7}M{x - 7},{y + 7}L{x + 7},{y - 7}")
    yield tag("g", tag("title", f"{track.name} {track.why}"), cross, **style)
    if not faint:
        beside = x + (15 if shift > 0 else -15)
        yield circle(beside, y, 7, class_="paper", fill="#ffffff")
        yield label(beside, y + 4, track.jailed, 12, fill=COLOURS[track.side])
