"""Read and write boards of Battlesnake's webhook API.

The reader is lenient: other engines leave fields out. It needs only the board with its size and snakes. It is also
suspicious: it reads whatever a stranger sends, or raises an error of one line.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sparring.core.dice import referees_dice
from sparring.core.errors import SparringError
from sparring.games.battlesnake.board import SNAKES, STEPS, Point
from sparring.games.battlesnake.board_json import (
    Json,
    board_json,
    fill,
    object_,
    objects,
    parsed,
    points_in,
    snake_json,
    whole,
    word,
)
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import MOVES, NOBODY
from sparring.games.battlesnake.state import MAPS, NUMBERS, RULES
from sparring.games.contract import Position

set_up = lru_cache(maxsize=64)(Battlesnake)
FRESH_DICE = referees_dice(0)


def game_json(game: Battlesnake, id: str = "game", timeout: int = 500) -> dict[str, Any]:
    chosen = game.config
    unused = ("allowBodyCollisions", "sharedElimination", "sharedHealth", "sharedLength")
    settings = {
        "foodSpawnChance": chosen.food_spawn_chance,
        "minimumFood": chosen.minimum_food,
        "hazardDamagePerTurn": chosen.hazard_damage,
        "hazardMap": "",
        "hazardMapAuthor": "",
        "royale": {"shrinkEveryNTurns": chosen.shrink_every},
        "squad": dict.fromkeys(unused, False),
    }
    ruleset = {"name": chosen.rules, "version": "sparring", "settings": settings}
    return {"id": id, "ruleset": ruleset, "map": chosen.map, "timeout": timeout, "source": ""}


def request(
    game: Battlesnake,
    s: Any,
    you: int,
    ids: Sequence[str] = SNAKES,
    names: Sequence[str] = SNAKES,
    id: str = "game",
    timeout: int = 500,
    latency: str = "0",
) -> dict[str, Any]:
    """Build the request for one snake: game, turn, board and the snake itself. Some snakes look for `latency`, the time
    of their last answer, on the board, others at themselves."""
    board = board_json(s, ids, names)
    for snake in board["snakes"]:
        if snake["id"] == ids[you]:
            snake["latency"] = latency
    return {
        "game": game_json(game, id, timeout),
        "turn": int(s.turn),
        "board": board,
        "you": snake_json(s, you, ids[you], names[you], latency),
    }


@dataclass(frozen=True)
class Seen:
    """A board from a request: the game, its position, and the ids of the snakes."""

    position: Position
    ids: tuple[str, ...]
    names: tuple[str, ...]
    you: int  # NOBODY if it does not say

    @property
    def text(self) -> str:
        return self.position.text


def read(data: Json | str | bytes, roster: Sequence[str] = ()) -> Seen:
    """Read the position of a request. Only living snakes take part, unless a roster of all snakes is given: then those
    that are missing are dead."""
    data = parsed(data)
    board = object_(data, "board")
    snakes = {word(snake, "id", str(place)): snake for place, snake in enumerate(objects(board, "snakes"))}
    if len(snakes) < len(board["snakes"]):
        raise SparringError("two snakes have the same id")
    ids = tuple(roster) if set(snakes) <= set(roster) else tuple(snakes)
    game = game_of(data, len(ids))
    s = game.empty()
    s.turn = whole(data, "turn", 0)
    fill(s, board, ids)
    you = word(object_(data, "you", {}), "id", "")
    names = tuple(word(snakes[id], "name", id) if id in snakes else id for id in ids)
    return Seen(Position(game, s, FRESH_DICE.copy()), ids, names, ids.index(you) if you in snakes else NOBODY)


def game_of(data: Json, players: int) -> Battlesnake:
    """The game of a request. What it leaves out is as in official games."""
    if not 1 <= players <= len(SNAKES):
        raise SparringError(f"{players} snakes on a board; expected 1 to {len(SNAKES)}")
    told, board = object_(data, "game", {}), object_(data, "board")
    ruleset = object_(told, "ruleset", {})
    settings = object_(ruleset, "settings", {})
    numbers = {
        "food_spawn_chance": settings.get("foodSpawnChance"),
        "minimum_food": settings.get("minimumFood"),
        "hazard_damage": settings.get("hazardDamagePerTurn"),
        "shrink_every": object_(settings, "royale", {}).get("shrinkEveryNTurns") or None,
    }
    within = {
        option: min(max(value, NUMBERS[option][0]), NUMBERS[option][1])
        for option, value in numbers.items()
        if isinstance(value, int)
    }
    words = {"rules": (ruleset.get("name"), RULES), "map": (told.get("map"), MAPS)}
    known = {option: word for option, (word, all_known) in words.items() if word in all_known}
    size = f"{whole(board, 'width')}x{whole(board, 'height')}"
    with suppress(SparringError):
        return set_up(players=players, board=size, **within, **known)
    known.pop("map", None)  # some are for some boards alone
    return set_up(players=players, board=size, **within, **known)


def safe_move(data: Json) -> str:
    """Choose a move for `you` from the JSON alone, for boards that are too large for our games and for snakes that do
    not answer. The move leads neither off the board nor into a body, if there is one, and to a cell with as many
    exits as possible."""
    board = object_(data, "board")
    sides = whole(board, "width"), whole(board, "height")
    wrapped = word(object_(object_(data, "game", {}), "ruleset", {}), "name", "").startswith("wrapped")
    you = points_in(object_(data, "you"), "body")
    if not you:
        raise SparringError("'you' has no segments; expected 'body' with the head first")
    bodies = [you, *(points_in(snake, "body") for snake in objects(board, "snakes"))]
    taken = {point for body in bodies for point in body[:-1] or body}  # a tail moves on; one that grows is there twice

    def ways(cell: Point) -> list[tuple[str, Point]]:
        cells = [(cell[0] + right, cell[1] + up) for right, up in STEPS]
        cells = [(x % sides[0], y % sides[1]) for x, y in cells] if wrapped and min(sides) > 0 else cells
        found = zip(MOVES, cells, strict=True)
        return [(move, at) for move, at in found if at not in taken and 0 <= at[0] < sides[0] and 0 <= at[1] < sides[1]]

    best = max(ways(you[0]), key=lambda way: len(ways(way[1])), default=(MOVES[0], you[0]))
    return best[0]
