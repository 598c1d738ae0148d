"""Positions and commands of Flag War as text, JSON and drawing, and the places on the board as points (x, y)."""

import re
from collections.abc import Mapping
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.flagwar import geometry
from sparring.games.flagwar.geometry import Point, cell_at, point_name, point_of
from sparring.games.flagwar.state import COMMAND_BITS, DISTANCE_BITS, ENDS, JAILED, LONGEST, NEUTRAL, NOBODY, SIDES

LETTERS = "udlr"  # the directions

# Points


def points(s: Any) -> list[Point]:
    """All points of the board."""
    return [(x, y) for y in range(s.height) for x in range(s.width)]


def ground(s: Any, point: Point) -> int:
    """The side whose territory a point is, or NEUTRAL."""
    return geometry.territory(s, cell_at(point))


def zone(s: Any, side: int) -> list[Point]:
    """The points of a side's zone while it is active, otherwise none."""
    active = geometry.flag_at_home(s, side)
    return [point for point in points(s) if active and geometry.in_zone(s, side, cell_at(point))]


def flag_home(s: Any, side: int) -> Point:
    return point_of(geometry.flag_cell(s, side))


def key(s: Any, side: int) -> Point | None:
    """The place of a side's key, while the side has jailed pieces."""
    return point_of(geometry.key_cell(s, side)) if None in pieces_of(s, side) else None


def pieces_of(s: Any, side: int) -> list[Point | None]:
    """The places of a side's pieces; None for jailed pieces."""
    return [None if cell == JAILED else point_of(cell) for cell in s.at[side, : s.pieces].tolist()]


def carrier_of(s: Any, side: int) -> int | None:
    """The piece of a side that carries the enemy flag."""
    return None if s.carrier[side] == NOBODY else int(s.carrier[side])


def pending(s: Any, side: int) -> list[int]:
    """The rescuers that go home before the next round."""
    return [piece for piece in range(s.pieces) if s.pending[side] >> piece & 1]


def origin(s: Any, side: int, piece: int) -> Point:
    """The start of a piece's next path: rescuers go home first."""
    return point_of(geometry.start_cell(s, side, piece) if piece in pending(s, side) else s.at[side, piece])


# Setting up


def set_up(s: Any) -> Any:
    """Put all pieces on their start cells, in a state that has its configuration."""
    s.at[:] = JAILED
    s.carrier[:] = NOBODY
    s.winner = NOBODY
    for side in range(2):
        for piece in range(s.pieces):
            s.at[side, piece] = geometry.start_cell(s, side, piece)
    return s


def without_last_round(s: Any) -> Any:
    """The same position without the captures and rescues of the last round, which count only once."""
    same = s.copy()
    same["lost"][:] = same["freed"][:] = 0
    return same


def place(s: Any, side: int, piece: int, point: Point | None, flag: bool = False, on_key: bool = False) -> None:
    """Put a piece on a point or in jail, perhaps with the enemy flag, or as a rescuer."""
    name = f"{SIDES[side]}{piece + 1}"
    if not 0 <= piece < s.pieces:
        raise SparringError(f"no piece {name}: a side has {s.pieces}; use --pieces for more")
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
            raise SparringError(f"{name} and another piece of its side carry the flag; there is only one")
        s.carrier[side] = piece
    if on_key:
        s.pending[side] |= 1 << piece


def finish(s: Any, ending: str, winner: str | None) -> None:
    """End the game in a state, by the name of the ending and the winner's letter."""
    s.ending = ENDS.index(ending)
    s.winner = NOBODY if winner is None else SIDES.index(winner)


# Text


def text(s: Any) -> str:
    """The round, every piece, what the last round did, the ending: `r3 A1:4,5+flag A2:5,8 B1:X B2:5,2 lost:0,1`."""
    words = [f"r{s.rounds}"]
    for side in range(2):
        for piece, point in enumerate(pieces_of(s, side)):
            where = "X" if point is None else f"{point[0]},{point[1]}"
            flag, on_key = carrier_of(s, side) == piece, piece in pending(s, side)
            words.append(f"{SIDES[side]}{piece + 1}:{where}{'+flag' * flag}{'+key' * on_key}")
    words += [f"{what}:{pair[0]},{pair[1]}" for what, pair in (("lost", s.lost), ("freed", s.freed)) if pair.any()]
    words += [f"idle:{s.idle}"] if s.idle else []
    if s.ending:
        words.append(f"{'draw' if s.winner == NOBODY else f'{SIDES[s.winner]}-wins'}:{ENDS[s.ending]}")
    return " ".join(words)


PIECE = re.compile(r"([AB])([1-9]):(?:X|(\d{1,2}),(\d{1,2}))(\+flag)?(\+key)?")
PAIR = re.compile(r"(lost|freed):([0-7]),([0-7])")
NUMBER = re.compile(r"(?:r|idle:)(\d{1,6})")
END = re.compile(rf"(draw|[AB]-wins):({'|'.join(ENDS[1:])})")


def parse(written: str, s: Any) -> Any:
    """The inverse of `text`, on a state with all pieces on their start cells. Pieces that are not named stay there."""
    named = []
    for word in written.split():
        if shape := PIECE.fullmatch(word):
            side, piece, x, y, flag, on_key = shape.groups()
            named.append(side + piece)
            point = (int(x), int(y)) if x else None
            place(s, SIDES.index(side), int(piece) - 1, point, bool(flag), bool(on_key))
        elif shape := PAIR.fullmatch(word):
            s[shape[1]][:] = int(shape[2]), int(shape[3])
        elif shape := NUMBER.fullmatch(word):
            s["rounds" if word[0] == "r" else "idle"] = int(shape[1])
        elif shape := END.fullmatch(word):
            finish(s, shape[2], None if shape[1] == "draw" else shape[1][0])
        else:
            raise SparringError(f"cannot read {word!r}; expected words such as r3 A1:4,5+flag B2:X lost:0,1")
    if twice := [name for name in named if named.count(name) > 1]:
        raise SparringError(f"{twice[0]} is named twice in {written!r}")
    refuse_ended(s, written)
    return s


def refuse_ended(s: Any, written: str) -> None:
    """Refuse a position whose game is over by the rules, but that does not say so."""
    if s.ending:
        return
    over = "the game is over, which is written"
    jailed = [SIDES[side] for side in range(2) if not any(pieces_of(s, side))]
    if jailed and s.elimination:
        won = f"{SIDES[1 - SIDES.index(jailed[0])]}-wins" if len(jailed) == 1 else "draw"
        raise SparringError(
            f"all pieces of {' and '.join(jailed)} are jailed in {written!r}: {over} {won}:pieces; "
            "--elimination no plays on"
        )
    limits = (s.rounds, s.turn_limit, "turn_limit", "rounds"), (s.idle, s.stall_limit, "stall_limit", "stall")
    for number, limit, option, ending in limits:
        if number >= limit:
            raise SparringError(
                f"{written!r} is past the limit of {limit} rounds: {over} draw:{ending}; "
                f"--{option} {number + 1} plays on"
            )


# Actions


def action_name(action: int) -> str:
    """The pieces that move, with directions and distances: `1u3_3l2`."""
    words = []
    for piece, command in enumerate(action.to_bytes(8, "little")):
        if command:
            words.append(f"{piece + 1}{LETTERS[command >> DISTANCE_BITS & 3]}{command & LONGEST}")
    return "_".join(words) or "stay"


def action_named(name: str, pieces: int) -> int | None:
    """The action of a name, `1u3_3l2` or `1u3 3l2`; None if there is none. The later of two commands of a piece counts,
    and a distance beyond LONGEST becomes LONGEST."""
    if name == "stay":
        return 0
    commands = dict.fromkeys(range(pieces), 0)
    for word in re.split(r"[_ ]+", name.strip()):
        shape = re.fullmatch(r"([1-9])([udlr])(\d{1,4})", word)
        if not shape or int(shape[1]) > pieces:
            return None
        commands[int(shape[1]) - 1] = command(LETTERS.index(shape[2]), min(int(shape[3]), LONGEST))
    return sum(one << COMMAND_BITS * piece for piece, one in commands.items())


def command(direction: int, distance: int) -> int:
    """The command of one piece, as a byte of an action."""
    return direction << DISTANCE_BITS | distance if distance else 0


def parts(action: int) -> list[int]:
    """The commands of the single pieces that move in a joint command."""
    return [one << COMMAND_BITS * piece for piece, one in enumerate(action.to_bytes(8, "little")) if one]


def well_formed(action: int, pieces: int) -> bool:
    """True if a number is an action of a side. A direction without a distance is no command."""
    if not 0 <= action < 1 << COMMAND_BITS * pieces:
        return False
    return all(one < 1 << COMMAND_BITS - 1 and (one == 0 or one & LONGEST) for one in action.to_bytes(8, "little"))


# JSON


def to_json(s: Any) -> dict[str, Any]:
    """The position, and what follows from it for drawings: the places of flags and keys, and which zones are active."""
    return {
        "round": int(s.rounds),
        "board": f"{s.width}x{s.height}",
        "sides": {SIDES[side]: _side_json(s, side) for side in range(2)},
        "idle": int(s.idle),
        "ending": ENDS[s.ending] or None,
        "winner": None if s.winner == NOBODY else SIDES[s.winner],
    }


def _side_json(s: Any, side: int) -> dict[str, Any]:
    carrier, thief = carrier_of(s, side), carrier_of(s, 1 - side)
    return {
        "pieces": [None if point is None else list(point) for point in pieces_of(s, side)],
        "carrier": None if carrier is None else carrier + 1,
        "pending": [piece + 1 for piece in pending(s, side)],
        "lost": int(s.lost[side]),
        "freed": int(s.freed[side]),
        "flag": list(flag_home(s, side) if thief is None else point_of(s.at[1 - side, thief])),
        "zone": bool(geometry.flag_at_home(s, side)),
        "key": list(there) if (there := key(s, side)) else None,
    }


def from_json(data: Mapping[str, Any], s: Any) -> Any:
    """The inverse of `to_json`, on a state with all pieces on their start cells."""
    for side, name in enumerate(SIDES):
        told = data["sides"][name]
        if len(told["pieces"]) != s.pieces:
            raise SparringError(f"{len(told['pieces'])} pieces of {name} in a game of {s.pieces}")
        for piece, point in enumerate(told["pieces"]):
            flag, on_key = told["carrier"] == piece + 1, piece + 1 in told["pending"]
            place(s, side, piece, None if point is None else (int(point[0]), int(point[1])), flag, on_key)
        s.lost[side], s.freed[side] = told["lost"], told["freed"]
    s.rounds, s.idle = data["round"], data["idle"]
    if data["ending"]:
        finish(s, data["ending"], data["winner"])
    return s


# Drawing


def drawing(s: Any) -> str:
    """The board for a terminal, A at the top: F flags at home, K keys, : active zones, - neutral rows."""
    signs = {point: "-" if ground(s, point) == NEUTRAL else "." for point in points(s)}
    for side in range(2):
        if active := zone(s, side):
            signs |= {**dict.fromkeys(active, ":"), flag_home(s, side): "F"}
        if there := key(s, side):
            signs[there] = "K"
    taken: dict[Point, str] = {}
    for side in range(2):
        for piece, point in enumerate(pieces_of(s, side)):
            if point is not None:
                taken[point] = f"{taken[point][:2]}+" if point in taken else f"{SIDES[side]}{piece + 1}"
    signs |= taken
    rows = [(f"{y:2} ", [signs[x, y] for x in range(s.width)]) for y in range(int(s.height) - 1, -1, -1)]
    rows.append(("   ", [str(x) for x in range(s.width)]))
    lines = [head + "".join(f" {sign:<2}" for sign in signs).rstrip() for head, signs in rows]
    verdict = "a draw" if s.winner == NOBODY else f"{SIDES[s.winner]} has won"
    end = f": {verdict} ({ENDS[s.ending].replace('_', ' ')})" if s.ending else ""
    return "\n".join([*lines, "", f"round {s.rounds}{end}", *(_side(s, side) for side in range(2))])


def _side(s: Any, side: int) -> str:
    told = []
    for piece, point in enumerate(pieces_of(s, side)):
        where = "jailed" if point is None else point_name(point)
        flag = f" with {SIDES[1 - side]}'s flag" * (carrier_of(s, side) == piece)
        home = ", goes home" * (piece in pending(s, side))
        told.append(f"{SIDES[side]}{piece + 1} {where}{flag}{home}")
    return "  ".join(told)
