"""What the official Battlesnake engine made of some thousand turns and seeds, as boards of our own.

The data came from running it. Any file of the same form in tests/data is tried too.
"""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sparring.games.battlesnake import board
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import CAUSES, NOBODY

DATA = Path(__file__).parent / "data"
SETTINGS = {
    "foodSpawnChance": "food_spawn_chance",
    "minimumFood": "minimum_food",
    "damagePerTurn": "hazard_damage",
    "shrinkEveryNTurns": "shrink_every",
}


def cases(kind: str) -> Iterator[dict[str, Any]]:
    for file in sorted(DATA.glob(f"battlesnake-{kind}*.jsonl.gz")):
        with gzip.open(file, "rt") as lines:
            yield from map(json.loads, lines)


def game_of(case: dict[str, Any], board: dict[str, Any], **options: Any) -> Battlesnake:
    settings = {SETTINGS[name]: value for name, value in case["settings"].items()}
    size = f"{board['width']}x{board['height']}"
    return _game(players=len(board["snakes"]), board=size, **settings, **options)


@cache
def _game(**options: Any) -> Battlesnake:
    return Battlesnake(**options)


def state_of(game: Battlesnake, told: dict[str, Any]) -> Any:
    s = game.empty()
    s.turn = told["turn"]
    ids = [snake["id"] for snake in told["snakes"]]
    for place, snake in enumerate(told["snakes"]):
        body = [(x, y) for x, y in snake["body"]]
        if snake["cause"]:
            killer = ids.index(snake["by"]) if snake["by"] else NOBODY
            board.place_dead(s, place, body, snake["health"], CAUSES.index(snake["cause"]), killer, snake["on"])
        else:
            board.place_snakes(s, {place: (body, snake["health"])})
    board.place_food(s, *((x, y) for x, y in told["food"]))
    board.place_hazards(s, *((x, y) for x, y in told["hazards"]))
    return s


def told_of(s: Any, ids: list[str]) -> dict[str, Any]:
    """A state as the data tells it; hazards in the order of their columns."""
    snakes = [
        {
            "id": ids[place],
            "health": int(s.health[place]),
            "body": [[x, y] for x, y in board.body_of(s, place)],
            "cause": CAUSES[s.cause[place]],
            "by": "" if s.killer[place] == NOBODY else ids[s.killer[place]],
            "on": int(s.died_on[place]),
        }
        for place in range(s.snakes)
    ]
    food, hazards = [[x, y] for x, y in board.food_of(s)], [[x, y] for x, y in board.hazards_of(s)]
    size = {"turn": int(s.turn), "width": int(s.width), "height": int(s.height)}
    return {**size, "food": food, "hazards": hazards, "snakes": snakes}
