"""How a position of Flag War and the commands in it are written, drawn and read, and its things as points (x, y)."""

import re
from collections.abc import Mapping
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.flagwar import places
from sparring.games.flagwar.state import (
    BOTH_HOME,
    COMMAND_BITS,
    DISTANCE_BITS,
    FLAG_HOME,
    GOES_ON,
    JAILED,
    LONGEST,
    NEUTRAL,
    NO_PIECES,
    NOBODY,
    ROUNDS_OVER,
    SIDES,
    STALLED,
    STRIDE_BITS,
)

Point = tuple[int, int]
ENDS = {FLAG_HOME: "flag", BOTH_HOME: "both_flags", NO_PIECES: "pieces", ROUNDS_OVER: "rounds", STALLED: "stall"}
LETTERS = "udlr"
"""Of the directions."""
EXPECTED = "expected the round, pieces that are not at their start, and more: r3 A1:4,5+flag B2:X lost:0,1"


# Points


def point_of(cell: int) -> Point:
    return places.column(int(cell)), places.row(int(cell))


def cell_at(point: Point) -> int:
    return (point[1] << STRIDE_BITS) + point[0]


def points(s: Any) -> list[Point]:
    """All of the board."""
    return [(x, y) for y in range(s.height) for x in range(s.width)]


def ground(s: Any, point: Point) -> int:
    """The side whose territory it is, or NEUTRAL."""
    return places.territory(s, cell_at(point))


def zone(s: Any, side: int) -> list[Point]:
    return [point for point in points(s) if places.in_zone(s, side, cell_at(point))]


def zone_active(s: Any, side: int) -> bool:
    return bool(places.flag_at_home(s, side))


def flag_home(s: Any, side: int) -> Point:
    return point_of(places.flag_cell(s, side))


def key(s: Any, side: int) -> Point | None:
    """Where a side's key is, while it has jailed pieces."""
    return point_of(places.key_cell(s, side)) if None in pieces_of(s, side) else None


def pieces_of(s: Any, side: int) -> list[Point | None]:
    """Where the pieces of a side are; None for the jailed."""
    return [None if cell == JAILED else point_of(cell) for cell in s.at[side, : s.pieces].tolist()]


def carrier_of(s: Any, side: int) -> int | None:
    """Which piece of a side carries the other's flag."""
    return None if s.carrier[side] == NOBODY else int(s.carrier[side])


def flag_of(s: Any, side: int) -> Point:
    """Where a side's flag is: at home, or where its carrier is."""
    carrier = carrier_of(s, 1 - side)
    return flag_home(s, side) if carrier is None else point_of(s.at[1 - side, carrier])


def pending(s: Any, side: int) -> list[int]:
    """The rescuers who go home before the next round."""
    return [piece for piece in range(s.pieces) if s.pending[side] >> piece & 1]


def begins(s: Any, side: int, piece: int) -> Point:
    """Where a piece's next path begins: rescuers have gone home by then."""
    return point_of(places.start_cell(s, side, piece) if piece in pending(s, side) else s.at[side, piece])


# Setting up


def set_up(s: Any) -> Any:
    """All pieces at their starts, on a state that has its configuration."""
    s.at[:] = JAILED
    s.carrier[:] = NOBODY
    s.winner = NOBODY
    for side in range(2):
        for piece in range(s.pieces):
            s.at[side, piece] = places.start_cell(s, side, piece)
    return s


def settled(s: Any) -> Any:
    """The same position without what the last round did, which is judged once, after that round."""
    same = s.copy()
    same["lost"][:] = same["freed"][:] = 0
    return same


def place(s: Any, side: int, piece: int, point: Point | None, flag: bool = False, on_key: bool = False) -> None:
    """Put a piece somewhere, or in jail; perhaps with the other's flag, or as a rescuer who is to go home."""
    name = f"{SIDES[side]}{piece + 1}"
    if not 0 <= piece < s.pieces:
        raise SparringError(f"no piece {name}: a side has {s.pieces}; say --pieces for more")
    if point is None:
        if flag or on_key:
            raise SparringError(f"{name} is jailed: it can neither carry a flag nor have used a key")
        s.at[side, piece] = JAILED
        return
    if not (0 <= point[0] < s.width and 0 <= point[1] < s.height):
        raise SparringError(f"{name} is at {point}, which is not on the board of {s.width}x{s.height}")
    s.at[side, piece] = cell_at(point)
    if flag:
        if s.carrier[side] != NOBODY:
            raise SparringError(f"{name} and another of its side carry the flag; there is only one")
        s.carrier[side] = piece
    if on_key:
        s.pending[side] |= 1 << piece


# Words


def text(s: Any) -> str:
    """The round, every piece, what the last round did, how it ended: `r3 A1:4,5+flag A2:5,8 B1:X B2:5,2 lost:0,1`."""
    words = [f"r{s.rounds}"]
    words += [_piece(s, side, piece) for side in range(2) for piece in range(s.pieces)]
    words += [f"{what}:{pair[0]},{pair[1]}" for what, pair in (("lost", s.lost), ("freed", s.freed)) if pair.any()]
    words += [f"idle:{s.idle}"] if s.idle else []
    if s.ending != GOES_ON:
        words.append(f"{'draw' if s.winner == NOBODY else f'{SIDES[s.winner]}-wins'}:{ENDS[int(s.ending)]}")
    return " ".join(words)


def _piece(s: Any, side: int, piece: int) -> str:
    point = pieces_of(s, side)[piece]
    where = "X" if point is None else f"{point[0]},{point[1]}"
    flag, on_key = carrier_of(s, side) == piece, piece in pending(s, side)
    return f"{SIDES[side]}{piece + 1}:{where}{'+flag' if flag else ''}{'+key' if on_key else ''}"


PIECE = re.compile(r"([AB])([1-9]):(?:X|(\d{1,2}),(\d{1,2}))(\+flag)?(\+key)?")
PAIR = re.compile(r"(lost|freed):([0-7]),([0-7])")
NUMBER = re.compile(r"(?:r|idle:)(\d{1,6})")
END = re.compile(rf"(draw|[AB]-wins):({'|'.join(ENDS.values())})")


def parse(written: str, s: Any) -> Any:
    """The inverse of `text`, on a state with all pieces at their starts: there those stay that are not named."""
    seen = []
    for word in written.split():
        if shape := PIECE.fullmatch(word):
            side, piece, x, y, flag, on_key = shape.groups()
            seen.append(side + piece)
            point = (int(x), int(y)) if x else None
            place(s, SIDES.index(side), int(piece) - 1, point, bool(flag), bool(on_key))
        elif shape := PAIR.fullmatch(word):
            s[shape[1]][:] = int(shape[2]), int(shape[3])
        elif shape := NUMBER.fullmatch(word):
            s["rounds" if word[0] == "r" else "idle"] = int(shape[1])
        elif shape := END.fullmatch(word):
            s.winner = NOBODY if shape[1] == "draw" else SIDES.index(shape[1][0])
            s.ending = next(ending for ending, name in ENDS.items() if name == shape[2])
        else:
            raise SparringError(f"cannot read {word!r}; {EXPECTED}")
    if twice := [name for name in seen if seen.count(name) > 1]:
        raise SparringError(f"{twice[0]} is there twice in {written!r}")
    refuse_ended(s, written)
    return s


def refuse_ended(s: Any, written: str) -> None:
    """A game that must be over has to say so, as a finished game's text does."""
    if s.ending != GOES_ON:
        return
    jailed = [SIDES[side] for side in range(2) if not any(pieces_of(s, side))]
    if jailed and s.elimination:
        won = f"{SIDES[1 - SIDES.index(jailed[0])]}-wins" if len(jailed) == 1 else "draw"
        raise SparringError(
            f"all pieces of {' and '.join(jailed)} are jailed in {written!r}: the game is over, which is written "
            f"{won}:{ENDS[NO_PIECES]}; --elimination no plays on"
        )
    for number, limit, option, ending in (
        (s.rounds, s.turn_limit, "turn_limit", ROUNDS_OVER),
        (s.idle, s.stall_limit, "stall_limit", STALLED),
    ):
        if number >= limit:
            raise SparringError(
                f"{written!r} is past the limit of {limit} rounds: the game is over, which is written "
                f"draw:{ENDS[ending]}; --{option} {number + 1} plays on"
            )


# Actions


def action_name(action: int) -> str:
    """The pieces that move, their directions and distances: `1u3_3l2`."""
    words = []
    for piece, command in enumerate(action.to_bytes(8, "little")):
        if command:
            words.append(f"{piece + 1}{LETTERS[command >> DISTANCE_BITS & 3]}{command & LONGEST}")
    return "_".join(words) or "stay"


def action_named(name: str, pieces: int) -> int | None:
    """The action of a name, `1u3_3l2` or `1u3 3l2`; None if it is none. The later of two commands of a piece counts,
    and no distance is too long: it ends at the edge."""
    if name == "stay":
        return 0
    commands = dict.fromkeys(range(pieces), 0)
    for word in re.split(r"[_ ]+", name.strip()):
        shape = re.fullmatch(r"([1-9])([udlr])(\d{1,4})", word)
        if not shape or int(shape[1]) > pieces:
            return None
        distance = min(int(shape[3]), LONGEST)
        commands[int(shape[1]) - 1] = command(LETTERS.index(shape[2]), distance)
    return sum(one << COMMAND_BITS * piece for piece, one in commands.items())


def command(direction: int, distance: int) -> int:
    """What one piece is told, as a byte of an action."""
    return direction << DISTANCE_BITS | distance if distance else 0


def well_formed(action: int, pieces: int) -> bool:
    """Whether a number is an action of a side of so many pieces: directions without a distance are none."""
    if not 0 <= action < 1 << COMMAND_BITS * pieces:
        return False
    return all(one < 1 << COMMAND_BITS - 1 and (one == 0 or one & LONGEST) for one in action.to_bytes(8, "little"))


# JSON


def to_json(s: Any) -> dict[str, Any]:
    """Everything, and what follows from it for those who draw: where flags are, which keys and zones are on."""
    return {
        "round": int(s.rounds),
        "board": f"{s.width}x{s.height}",
        "sides": {SIDES[side]: _side_json(s, side) for side in range(2)},
        "idle": int(s.idle),
        "ending": ENDS.get(int(s.ending)),
        "winner": None if s.winner == NOBODY else SIDES[s.winner],
    }


def _side_json(s: Any, side: int) -> dict[str, Any]:
    carrier = carrier_of(s, side)
    return {
        "pieces": [None if point is None else list(point) for point in pieces_of(s, side)],
        "carrier": None if carrier is None else carrier + 1,
        "pending": [piece + 1 for piece in pending(s, side)],
        "lost": int(s.lost[side]),
        "freed": int(s.freed[side]),
        "flag": list(flag_of(s, side)),
        "zone": zone_active(s, side),
        "key": list(there) if (there := key(s, side)) else None,
    }


def from_json(data: Mapping[str, Any], s: Any) -> Any:
    """The inverse of `to_json`, on a state with all pieces at their starts."""
    try:
        for side, told in enumerate(data["sides"][name] for name in SIDES):
            if len(told["pieces"]) != s.pieces:
                raise SparringError(f"{len(told['pieces'])} pieces of {SIDES[side]} in a game of {s.pieces}")
            for piece, point in enumerate(told["pieces"]):
                flag, on_key = told["carrier"] == piece + 1, piece + 1 in told["pending"]
                place(s, side, piece, None if point is None else (int(point[0]), int(point[1])), flag, on_key)
            s.lost[side], s.freed[side] = told["lost"], told["freed"]
        s.rounds, s.idle = data["round"], data["idle"]
        if data["ending"]:
            s.ending = next(ending for ending, name in ENDS.items() if name == data["ending"])
            s.winner = NOBODY if data["winner"] is None else SIDES.index(data["winner"])
    except KeyError as error:
        raise SparringError(f"a position of Flag War as JSON needs {error}") from error
    return s


# Drawing


def drawing(s: Any) -> str:
    """The board for a terminal, A at the top: F flags at home, K keys, : active zones, - neutral rows."""
    signs = {point: "-" if ground(s, point) == NEUTRAL else "." for point in points(s)}
    for side in range(2):
        if zone_active(s, side):
            signs |= dict.fromkeys(zone(s, side), ":")
            signs[flag_home(s, side)] = "F"
        if there := key(s, side):
            signs[there] = "K"
    taken: dict[Point, str] = {}
    for side in range(2):
        for piece, point in enumerate(pieces_of(s, side)):
            if point is not None:
                taken[point] = f"{taken[point][:2]}+" if point in taken else f"{SIDES[side]}{piece + 1}"
    signs |= taken
    rows = [
        f"{y:2} " + "".join(f" {signs[x, y]:<2}" for x in range(s.width)).rstrip()
        for y in range(int(s.height) - 1, -1, -1)
    ]
    numbers = "   " + "".join(f" {x:<2}" for x in range(s.width)).rstrip()
    return "\n".join([*rows, numbers, "", _standing(s), *(_side(s, side) for side in range(2))])


def _standing(s: Any) -> str:
    if s.ending == GOES_ON:
        return f"round {s.rounds}"
    verdict = "a draw" if s.winner == NOBODY else f"{SIDES[s.winner]} has won"
    return f"round {s.rounds}: {verdict} ({ENDS[int(s.ending)].replace('_', ' ')})"


def _side(s: Any, side: int) -> str:
    told = []
    for piece, point in enumerate(pieces_of(s, side)):
        where = "jailed" if point is None else f"({point[0]},{point[1]})"
        flag = f" with {SIDES[1 - side]}'s flag" if carrier_of(s, side) == piece else ""
        home = ", goes home" if piece in pending(s, side) else ""
        told.append(f"{SIDES[side]}{piece + 1} {where}{flag}{home}")
    return "  ".join(told)
