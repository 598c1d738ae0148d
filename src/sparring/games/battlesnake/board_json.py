"""JSON of a position: the board as Battlesnake's API writes it.

What is read may come from strangers: each value is of the expected type, or the reader raises an error of one line.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.battlesnake import board
from sparring.games.battlesnake.rules import ALIVE, CAUSES, MAX_HEALTH, NOBODY, UNKNOWN

Json = Mapping[str, Any]
MOST = 1 << 31
"""Numbers of a board are smaller than this."""
MOST_LETTERS = 1000
"""Limit for a text that is kept, such as an id."""
SHOWN = 60
"""Number of characters shown of a value that cannot be read."""


def to_json(s: Any, ids: Sequence[str] = board.SNAKES) -> dict[str, Any]:
    """The board of the API, and beside it what the API leaves out: the dead, and the seed."""
    dead = [snake for snake in range(s.snakes) if s.cause[snake] != ALIVE]
    return {
        "turn": int(s.turn),
        "board": board_json(s, ids, ids),
        "eliminated": [
            {
                **snake_json(s, snake, ids[snake], ids[snake]),
                "cause": CAUSES[s.cause[snake]],
                "by": "" if s.killer[snake] == NOBODY else ids[s.killer[snake]],
                "on": int(s.died_on[snake]),
            }
            for snake in dead
        ],
        "seed": int(s.seed),
    }


def from_json(data: Json, s: Any) -> Any:
    """Read what `to_json` wrote into an empty board."""
    living, dead = object_(data, "board"), objects(data, "eliminated", [])
    ids = sorted(word(snake, "id") for snake in [*objects(living, "snakes"), *dead])
    if ids != list(board.SNAKES[: s.snakes]):
        raise SparringError(f"the snakes are {' '.join(ids) or 'missing'} in a game of {s.snakes} players")
    s.turn, s.seed = whole(data, "turn", 0), whole(data, "seed", 0, most=1 << 62)
    fill(s, living, ids)
    for snake in dead:
        killer = _seat(ids, snake["by"]) if snake.get("by") else NOBODY
        cause = snake.get("cause", CAUSES[UNKNOWN])
        if cause not in CAUSES[1:]:
            raise SparringError(f"nobody dies of {shown(cause)}; expected {', '.join(CAUSES[1:])}")
        health, turn = whole(snake, "health"), whole(snake, "on")
        board.place_dead(
            s, _seat(ids, snake["id"]), points_in(snake, "body"), health, CAUSES.index(cause), killer, turn
        )
    return s


def board_json(s: Any, ids: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """The board object: living snakes, food in its order, hazards."""
    return {
        "height": int(s.height),
        "width": int(s.width),
        "snakes": [snake_json(s, snake, ids[snake], names[snake]) for snake in board.living(s)],
        "food": _points_json(board.food_of(s)),
        "hazards": _points_json(board.hazards_of(s)),
    }


def snake_json(s: Any, snake: int, id: str, name: str, latency: str = "0") -> dict[str, Any]:
    body = _points_json(board.body_of(s, snake))
    return {
        "id": id,
        "name": name,
        "latency": latency,
        "health": int(s.health[snake]),
        "body": body,
        "head": body[0],
        "length": len(body),
        "shout": "",
        "squad": "",
        "customizations": {"color": "#888888", "head": "default", "tail": "default"},
    }


def _points_json(points: Sequence[board.Point]) -> list[dict[str, int]]:
    return [{"x": x, "y": y} for x, y in points]


def fill(s: Any, data: Json, ids: Sequence[str]) -> None:
    snakes = {
        _seat(ids, word(snake, "id", str(place))): (points_in(snake, "body"), whole(snake, "health", MAX_HEALTH))
        for place, snake in enumerate(objects(data, "snakes"))
    }
    board.place_snakes(s, snakes)
    fill_ground(s, data)


def fill_ground(s: Any, data: Json) -> None:
    board.place_food(s, *points_in(data, "food", []))
    board.place_hazards(s, *points_in(data, "hazards", []))


def _seat(ids: Sequence[str], id: Any) -> int:
    if id not in ids:
        raise SparringError(f"no snake {shown(id)} takes part; expected one of {shown(' '.join(ids))}")
    return ids.index(id)


def points_in(data: Json, key: str, otherwise: Sequence[Json] | None = None) -> list[board.Point]:
    """The points under a key."""
    return [(whole(point, "x"), whole(point, "y")) for point in objects(data, key, otherwise)]


# Values from strangers


def parsed(data: Json | str | bytes) -> Json:
    """Parse a JSON object, or take one as it is."""
    try:
        read = json.loads(data) if isinstance(data, str | bytes) else data
    except (ValueError, RecursionError) as error:
        raise SparringError(f"this is no JSON: {shown(error)}") from error
    if not isinstance(read, dict):
        raise SparringError('expected a JSON object such as {"board": {"width": 11, "height": 11, "snakes": [...]}}')
    return read


def required(data: Json, key: str) -> Any:
    if key not in data:
        raise SparringError(f"{key!r} is missing; expected at least board with width, height and snakes with body")
    return data[key]


def object_(data: Json, key: str, otherwise: Json | None = None) -> Json:
    """The object under a key. If it may be missing, null counts as missing."""
    found = required(data, key) if otherwise is None else data.get(key) or otherwise
    if not isinstance(found, dict):
        raise SparringError(f"{key!r} is {shown(found)}; expected an object")
    return found


def objects(data: Json, key: str, otherwise: Sequence[Json] | None = None) -> Sequence[Json]:
    """The list of objects under a key."""
    found = required(data, key) if otherwise is None else data.get(key) or otherwise
    if not isinstance(found, list) or any(type(one) is not dict for one in found):
        raise SparringError(f"{key!r} is {shown(found)}; expected a list of objects")
    return found


def whole(data: Json, key: str, otherwise: int | None = None, most: int = MOST) -> int:
    """The whole number under a key; 11.0 is one."""
    value = data.get(key, otherwise)
    if type(value) is int and -most < value < most:
        return value
    value = required(data, key) if otherwise is None else value
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not -most < value < most or value != int(value):
        raise SparringError(f"{key!r} is {shown(value)}; expected a whole number")
    return int(value)


def word(data: Json, key: str, otherwise: str | None = None) -> str:
    """The text under a key; a number is accepted."""
    value = required(data, key) if otherwise is None else data.get(key, otherwise)
    if isinstance(value, dict | list) or len(str(value)) > MOST_LETTERS:
        raise SparringError(f"{key!r} is {shown(value)}; expected a text of at most {MOST_LETTERS} letters")
    return str(value)


def shown(value: Any) -> str:
    """A value from outside, shortened to one line."""
    text = "an object" if isinstance(value, dict) else "a list" if isinstance(value, list) else str(value)
    return " ".join(text[:SHOWN].split())
