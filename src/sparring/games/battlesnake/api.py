"""Boards as Battlesnake's webhook API and the official command line write them, read and written.

The reader is lenient: other engines leave things out. What it cannot do without is the board with its size and snakes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.dice import referees_dice
from sparring.errors import SparringError
from sparring.files import written_whole
from sparring.games.battlesnake.board import (
    SNAKES,
    Point,
    body_of,
    clear_food,
    food_of,
    hazards_of,
    living,
    place_dead,
    place_food,
    place_hazards,
    place_snake,
)
from sparring.games.battlesnake.state import ALIVE, CAUSES, MAPS, MAX_HEALTH, NOBODY, RULES, UNKNOWN
from sparring.games.contract import Position

if TYPE_CHECKING:
    from sparring.games.battlesnake import Battlesnake

Json = Mapping[str, Any]

# A state and nothing else


def to_json(s: Any, ids: Sequence[str] = SNAKES) -> dict[str, Any]:
    """A board of the API, and beside it what the API does not tell: who is dead, and the seed."""
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
    """The inverse of `to_json`, written into an empty board."""
    board, dead = _required(data, "board"), data.get("eliminated", [])
    ids = sorted(str(_required(snake, "id")) for snake in [*_required(board, "snakes"), *dead])
    if ids != list(SNAKES[: s.snakes]):
        raise SparringError(f"the snakes are {' '.join(ids) or 'missing'} in a game of {s.snakes} players")
    s.turn, s.seed = int(data.get("turn", 0)), int(data.get("seed", 0))
    _fill(s, board, ids)
    for snake in dead:
        killer = ids.index(snake["by"]) if snake.get("by") else NOBODY
        cause = CAUSES.index(snake.get("cause", CAUSES[UNKNOWN]))
        place_dead(s, ids.index(snake["id"]), _body(snake), int(snake["health"]), cause, killer, int(snake["on"]))
    return s


# Writing


def board_json(s: Any, ids: Sequence[str], names: Sequence[str]) -> dict[str, Any]:
    """The board object: the living snakes, food in its order, hazards."""
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


def game_json(game: "Battlesnake", id: str = "game", timeout: int = 500) -> dict[str, Any]:
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
    game: "Battlesnake", s: Any, you: int, ids: Sequence[str] = SNAKES, names: Sequence[str] = SNAKES
) -> dict[str, Any]:
    """What a snake is sent: the game, the turn, the board and itself."""
    return {
        "game": game_json(game),
        "turn": int(s.turn),
        "board": board_json(s, ids, names),
        "you": snake_json(s, you, ids[you], names[you]),
    }


def _points_json(points: Sequence[Point]) -> list[dict[str, int]]:
    return [{"x": x, "y": y} for x, y in points]


# Reading


@dataclass(frozen=True)
class Seen:
    """A board that was sent: the game and position it stands for, and who is who."""

    position: Position
    ids: tuple[str, ...]
    names: tuple[str, ...]
    you: int  # NOBODY if it does not say

    @property
    def text(self) -> str:
        return self.position.text


def read(data: Json | str) -> Seen:
    """The position that a request, or what another engine takes for one, stands for. Only the living take part."""
    data = _json(data)
    board = _required(data, "board")
    snakes = _required(board, "snakes")
    game = game_of(data, len(snakes))
    s, ids = game.empty(), [str(snake.get("id", place)) for place, snake in enumerate(snakes)]
    s.turn = int(data.get("turn", 0))
    _fill(s, board, ids)
    you = str(data.get("you", {}).get("id", ""))
    names = tuple(str(snake.get("name", id)) for snake, id in zip(snakes, ids, strict=True))
    return Seen(Position(game, s, referees_dice(0)), tuple(ids), names, ids.index(you) if you in ids else NOBODY)


def game_of(data: Json, players: int) -> "Battlesnake":
    """The game that a request tells of; what it does not say is as in official games."""
    from sparring.games.battlesnake import Battlesnake  # which writes its JSON by this file

    if not 1 <= players <= len(SNAKES):
        raise SparringError(f"{players} snakes on a board; expected 1 to {len(SNAKES)}")
    told, board = data.get("game", {}), data["board"]
    ruleset = told.get("ruleset", {})
    settings = ruleset.get("settings") or {}
    options = {
        "food_spawn_chance": settings.get("foodSpawnChance"),
        "minimum_food": settings.get("minimumFood"),
        "hazard_damage": settings.get("hazardDamagePerTurn"),
        "shrink_every": (settings.get("royale") or {}).get("shrinkEveryNTurns") or None,
        "rules": ruleset.get("name") if ruleset.get("name") in RULES else None,
        "map": told.get("map") if told.get("map") in MAPS else None,
    }
    given = {option: value for option, value in options.items() if value is not None}
    size = f"{_required(board, 'width')}x{_required(board, 'height')}"
    return Battlesnake(players=players, board=size, **given)


def _fill(s: Any, board: Json, ids: Sequence[str]) -> None:
    for place, snake in enumerate(board["snakes"]):
        seat = ids.index(str(snake.get("id", place)))
        place_snake(s, seat, _body(snake), int(snake.get("health", MAX_HEALTH)))
    _fill_ground(s, board)


def _fill_ground(s: Any, board: Json) -> None:
    place_food(s, *map(_point, board.get("food") or []))
    place_hazards(s, *map(_point, board.get("hazards") or []))


def _json(data: Json | str) -> Json:
    try:
        read = json.loads(data) if isinstance(data, str) else data
    except ValueError as error:
        raise SparringError(f"this is no JSON: {error}") from error
    if not isinstance(read, Mapping):
        raise SparringError('expected a JSON object such as {"board": {"width": 11, "height": 11, "snakes": [...]}}')
    return read


def _required(data: Json, key: str) -> Any:
    if key not in data:
        raise SparringError(f"{key!r} is missing; expected at least board with width, height and snakes with body")
    return data[key]


def _body(snake: Json) -> list[Point]:
    return [_point(point) for point in _required(snake, "body")]


def _point(point: Json) -> Point:
    return int(_required(point, "x")), int(_required(point, "y"))


# Logs of whole games, as `battlesnake play --output` writes them


@dataclass(frozen=True)
class Log:
    """A game from turn 0 on: its positions, and the moves that led from each to the next, where they are known."""

    game: "Battlesnake"
    ids: tuple[str, ...]
    names: tuple[str, ...]
    positions: tuple[Position, ...]
    moves: tuple[Mapping[int, int], ...]

    def at(self, turn: int) -> Position:
        """The position of a turn; its text is what `--position` takes."""
        for position in self.positions:
            if position.state.turn == turn:
                return position
        raise SparringError(f"no turn {turn} in this game; it has {len(self.positions)} from 0 on")


def read_log(file: Path | str) -> Log:
    """The deaths that a log does not tell are found by playing the turns again."""
    if not Path(file).is_file():
        raise SparringError(f"no file {file}; `battlesnake play --output {file}` writes one")
    lines = [_json(line) for line in Path(file).read_text().splitlines() if line.strip()]
    frames = [line for line in lines if "board" in line]
    if not frames:
        raise SparringError(f"{file} holds no turns; expected what `battlesnake play --output FILE` writes")
    first = read({"game": lines[0], **frames[0]})
    game = first.position.game
    states, moves = [first.position.state], []
    for frame in frames[1:]:
        after, moved = _next(game, states[-1], frame, first.ids)  # type: ignore[arg-type]
        states.append(after)
        moves.append(moved)
    positions = tuple(Position(game, s, referees_dice(0)) for s in states)
    return Log(game, first.ids, first.names, positions, tuple(moves))  # type: ignore[arg-type]


def _next(game: "Battlesnake", before: Any, frame: Json, ids: Sequence[str]) -> tuple[Any, Mapping[int, int]]:
    """The state of a frame with those in it who have died, and the moves that led there."""
    after = game.empty()
    after.turn = int(frame.get("turn", before.turn + 1))
    _fill(after, frame["board"], ids)
    for moves in _possible_moves(before, after):
        played = game.copy(before)
        game.play_turn(played, moves)
        if [_told(played, snake) for snake in living(played)] == [_told(after, snake) for snake in living(after)]:
            clear_food(played)
            played.hazards[:] = 0
            _fill_ground(played, frame["board"])
            played.turn = after.turn
            return played, moves
    present = living(after)
    for snake in range(after.snakes):
        if snake not in present:
            known = before.cause[snake] != ALIVE
            cause, turn = (before.cause[snake], before.died_on[snake]) if known else (UNKNOWN, after.turn)
            place_dead(after, snake, body_of(before, snake), before.health[snake], cause, before.killer[snake], turn)
    return after, {}


def _told(s: Any, snake: int) -> tuple[int, int, list[Point]]:
    return snake, int(s.health[snake]), body_of(s, snake)


def _possible_moves(before: Any, after: Any) -> Iterator[Mapping[int, int]]:
    """Moves of all who lived before: known from the new head; of who has died any, the way back into its neck last."""
    alive, survivors = living(before), living(after)
    choices: list[list[int]] = []
    for snake in alive:
        here, *rest = body_of(before, snake)
        back = _move(before, here, rest[0]) if rest and rest[0] != here else None
        known = [_move(before, here, body_of(after, snake)[0])] if snake in survivors else range(4)
        choices.append(sorted(known, key=lambda move: move == back))
    return (dict(zip(alive, chosen, strict=True)) for chosen in product(*choices))


def _move(s: Any, here: Point, there: Point) -> int:
    """By which move a head came from one cell to another, maybe across an edge; up if by none."""
    right, up = (there[0] - here[0]) % int(s.width), (there[1] - here[1]) % int(s.height)
    steps = [(0, 1), (0, int(s.height) - 1), (int(s.width) - 1, 0), (1, 0)]
    return steps.index((right, up)) if (right, up) in steps else 0


def write_log(file: Path | str, game: "Battlesnake", states: Sequence[Any], names: Sequence[str] = SNAKES) -> None:
    """A game as the official command line writes it. Ids are the names where these differ."""
    ids = names if len(set(names)) == len(names) else SNAKES
    lines = [game_json(game)]
    lines += [request(game, s, (living(s) or [0])[0], ids, names) for s in states]
    left = living(states[-1])
    winner = left[0] if len(left) == 1 else NOBODY
    lines.append(
        {
            "winnerId": "" if winner == NOBODY else ids[winner],
            "winnerName": "" if winner == NOBODY else names[winner],
            "isDraw": winner == NOBODY and game.seats > 1,
        }
    )
    with written_whole(Path(file)) as part:
        part.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
