"""Boards as Battlesnake's webhook API and the official command line write them, read and written.

The reader is lenient: other engines leave things out. What it cannot do without is the board with its size and snakes.
It is also suspicious: whatever a stranger sends is read, or is an error of one line.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.core.dice import referees_dice
from sparring.core.errors import SparringError
from sparring.core.files import written_whole
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
from sparring.games.battlesnake.incoming import Json, object_, objects, parsed, shown, whole, word
from sparring.games.battlesnake.picture import STEPS
from sparring.games.battlesnake.state import ALIVE, CAUSES, MAPS, MAX_HEALTH, MOVES, NOBODY, NUMBERS, RULES, UNKNOWN
from sparring.games.contract import Position

if TYPE_CHECKING:
    from sparring.games.battlesnake.game import Battlesnake

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
    board, dead = object_(data, "board"), objects(data, "eliminated", [])
    ids = sorted(word(snake, "id") for snake in [*objects(board, "snakes"), *dead])
    if ids != list(SNAKES[: s.snakes]):
        raise SparringError(f"the snakes are {' '.join(ids) or 'missing'} in a game of {s.snakes} players")
    s.turn, s.seed = whole(data, "turn", 0), whole(data, "seed", 0, most=1 << 62)
    _fill(s, board, ids)
    for snake in dead:
        killer = _seat(ids, snake["by"]) if snake.get("by") else NOBODY
        cause = snake.get("cause", CAUSES[UNKNOWN])
        if cause not in CAUSES[1:]:
            raise SparringError(f"nobody dies of {shown(cause)}; expected {', '.join(CAUSES[1:])}")
        health, turn = whole(snake, "health"), whole(snake, "on")
        place_dead(s, _seat(ids, snake["id"]), _body(snake), health, CAUSES.index(cause), killer, turn)
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
    game: "Battlesnake",
    s: Any,
    you: int,
    ids: Sequence[str] = SNAKES,
    names: Sequence[str] = SNAKES,
    id: str = "game",
    timeout: int = 500,
    latency: str = "0",
) -> dict[str, Any]:
    """What a snake is sent: the game, the turn, the board and itself. `latency` is what its last answer took: some look
    for it on the board, others at themselves."""
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


def read(data: Json | str | bytes, roster: Sequence[str] = ()) -> Seen:
    """The position that a request, or what another engine takes for one, stands for. Only the living take part, unless
    it is known who has: then those of the roster that are missing are dead."""
    data = parsed(data)
    board = object_(data, "board")
    snakes = {word(snake, "id", str(place)): snake for place, snake in enumerate(objects(board, "snakes"))}
    if len(snakes) < len(board["snakes"]):
        raise SparringError("two snakes have the same id")
    ids = tuple(roster) if set(snakes) <= set(roster) else tuple(snakes)
    game = game_of(data, len(ids))
    s = game.empty()
    s.turn = whole(data, "turn", 0)
    _fill(s, board, ids)
    you = word(object_(data, "you", {}), "id", "")
    names = tuple(word(snakes[id], "name", id) if id in snakes else id for id in ids)
    return Seen(Position(game, s, referees_dice(0)), ids, names, ids.index(you) if you in snakes else NOBODY)


def game_of(data: Json, players: int) -> "Battlesnake":
    """The game that a request tells of; what it does not say is as in official games."""
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
        return _set_up(players=players, board=size, **within, **known)
    known.pop("map", None)  # some are for some boards alone
    return _set_up(players=players, board=size, **within, **known)


@lru_cache(maxsize=64)
def _set_up(**options: Any) -> "Battlesnake":
    from sparring.games.battlesnake.game import Battlesnake  # which writes its JSON by this file

    return Battlesnake(**options)


def safe_move(data: Json) -> str:
    """A move for `you`, from the JSON alone: for boards that are too large for our games, and for snakes that do not
    answer. It leads neither off the board nor into a body if one such is left, and to where most ways go on."""
    board = object_(data, "board")
    sides = whole(board, "width"), whole(board, "height")
    wrapped = word(object_(object_(data, "game", {}), "ruleset", {}), "name", "").startswith("wrapped")
    you = _body(object_(data, "you"))
    if not you:
        raise SparringError("'you' has no segments; expected 'body' with the head first")
    taken: set[Point] = set()
    for body in [you, *(_body(snake) for snake in objects(board, "snakes"))]:
        moves_on = len(body) > 1 and body[-1] != body[-2]
        taken.update(body[: -1 if moves_on else None])

    def ways(cell: Point) -> list[tuple[str, Point]]:
        cells = [(cell[0] + right, cell[1] + up) for right, up in STEPS]
        cells = [(x % sides[0], y % sides[1]) for x, y in cells] if wrapped and min(sides) > 0 else cells
        found = zip(MOVES, cells, strict=True)
        return [(move, at) for move, at in found if at not in taken and 0 <= at[0] < sides[0] and 0 <= at[1] < sides[1]]

    best = max(ways(you[0]), key=lambda way: len(ways(way[1])), default=(MOVES[0], you[0]))
    return best[0]


def _fill(s: Any, board: Json, ids: Sequence[str]) -> None:
    for place, snake in enumerate(objects(board, "snakes")):
        place_snake(s, _seat(ids, word(snake, "id", str(place))), _body(snake), whole(snake, "health", MAX_HEALTH))
    _fill_ground(s, board)


def _fill_ground(s: Any, board: Json) -> None:
    place_food(s, *map(_point, objects(board, "food", [])))
    place_hazards(s, *map(_point, objects(board, "hazards", [])))


def _seat(ids: Sequence[str], id: Any) -> int:
    if id not in ids:
        raise SparringError(f"no snake {shown(id)} takes part; expected one of {shown(' '.join(ids))}")
    return ids.index(id)


def _body(snake: Json) -> list[Point]:
    return [_point(point) for point in objects(snake, "body")]


def _point(point: Json) -> Point:
    return whole(point, "x"), whole(point, "y")


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
    return log_of(Path(file).read_bytes(), str(file))


def log_of(text: str | bytes, file: str) -> Log:
    """The same of what a file says."""
    lines = [parsed(line) for line in text.splitlines() if line.strip()]
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
    after.turn = whole(frame, "turn", int(before.turn) + 1)
    _fill(after, object_(frame, "board"), ids)
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
