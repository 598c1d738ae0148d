"""JSON of a position: the board as Battlesnake's API writes it."""

from collections.abc import Sequence
from typing import Any

from sparring.core.errors import SparringError
from sparring.games.battlesnake.board import (
    SNAKES,
    Point,
    body_of,
    food_of,
    hazards_of,
    living,
    place_dead,
    place_food,
    place_hazards,
    place_snake,
)
from sparring.games.battlesnake.incoming import Json, object_, objects, shown, whole, word
from sparring.games.battlesnake.state import ALIVE, CAUSES, MAX_HEALTH, NOBODY, UNKNOWN


def to_json(s: Any, ids: Sequence[str] = SNAKES) -> dict[str, Any]:
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
    board, dead = object_(data, "board"), objects(data, "eliminated", [])
    ids = sorted(word(snake, "id") for snake in [*objects(board, "snakes"), *dead])
    if ids != list(SNAKES[: s.snakes]):
        raise SparringError(f"the snakes are {' '.join(ids) or 'missing'} in a game of {s.snakes} players")
    s.turn, s.seed = whole(data, "turn", 0), whole(data, "seed", 0, most=1 << 62)
    fill(s, board, ids)
    for snake in dead:
        killer = _seat(ids, snake["by"]) if snake.get("by") else NOBODY
        cause = snake.get("cause", CAUSES[UNKNOWN])
        if cause not in CAUSES[1:]:
            raise SparringError(f"nobody dies of {shown(cause)}; expected {', '.join(CAUSES[1:])}")
        health, turn = whole(snake, "health"), whole(snake, "on")
        place_dead(s, _seat(ids, snake["id"]), body_in(snake), health, CAUSES.index(cause), killer, turn)
    return s


def board_json(s: Any, ids: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """The board object: living snakes, food in its order, hazards."""
    return {
        "height": int(s.height),
        "width": int(s.width),
        "snakes": [snake_json(s, snake, ids[snake], names[snake]) for snake in living(s)],
        "food": _points_json(food_of(s)),
        "hazards": _points_json(hazards_of(s)),
    }


def snake_json(s: Any, snake: int, id: str, name: str, latency: str = "0") -> dict[str, Any]:
    body = _points_json(body_of(s, snake))
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


def _points_json(points: Sequence[Point]) -> list[dict[str, int]]:
    return [{"x": x, "y": y} for x, y in points]


def fill(s: Any, board: Json, ids: Sequence[str]) -> None:
    for place, snake in enumerate(objects(board, "snakes")):
        place_snake(s, _seat(ids, word(snake, "id", str(place))), body_in(snake), whole(snake, "health", MAX_HEALTH))
    fill_ground(s, board)


def fill_ground(s: Any, board: Json) -> None:
    place_food(s, *map(point_in, objects(board, "food", [])))
    place_hazards(s, *map(point_in, objects(board, "hazards", [])))


def _seat(ids: Sequence[str], id: Any) -> int:
    if id not in ids:
        raise SparringError(f"no snake {shown(id)} takes part; expected one of {shown(' '.join(ids))}")
    return ids.index(id)


def body_in(snake: Json) -> list[Point]:
    return [point_in(point) for point in objects(snake, "body")]


def point_in(point: Json) -> Point:
    return whole(point, "x"), whole(point, "y")
