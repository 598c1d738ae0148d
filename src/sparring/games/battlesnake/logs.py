"""Read and write logs of whole games, as `battlesnake play --output` makes them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from sparring.core.dice import referees_dice
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.games.battlesnake.api import game_json, read, request
from sparring.games.battlesnake.board import SNAKES, STEPS, Point, body_of, clear_food, living, place_dead
from sparring.games.battlesnake.board_json import Json, fill, fill_ground, object_, parsed, whole
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import ALIVE, MOVES, UNKNOWN
from sparring.games.capabilities import LoggedGame
from sparring.games.contract import Position
from sparring.games.logs import first_json_object
from sparring.games.replay import Step, Turn

LOGS = "a log of `battlesnake play --output FILE`"


def is_log(text: str) -> bool:
    return bool({"ruleset", "board"} & first_json_object(text).keys())


def read_log(text: str, file: str) -> LoggedGame:
    """Read a log. It does not tell how snakes died, so the turns are played again."""
    lines = [parsed(line) for line in text.splitlines() if line.strip()]
    frames = [line for line in lines if "board" in line]
    if not frames:
        raise SparringError(f"{file} holds no turns; expected {LOGS}")
    first = read({"game": lines[0], **frames[0]})
    position, steps = first.position, []
    for frame in frames[1:]:
        after, moves = _next(position.game, position.state, frame, first.ids)  # type: ignore[arg-type]
        steps.append(Step(position, tuple(Turn(snake, MOVES[move], move) for snake, move in moves.items())))
        position = Position(position.game, after, referees_dice(0))
    reason = position.game.ending(position.state) if position.over else ""
    return LoggedGame((*steps, Step(position, ())), first.names, position.outcome or (), reason)


def _next(game: Battlesnake, before: Any, frame: Json, ids: Sequence[str]) -> tuple[Any, Mapping[int, int]]:
    """The state of the next frame with the snakes that died, and the moves that led there."""
    after = game.empty()
    after.turn = whole(frame, "turn", int(before.turn) + 1)
    fill(after, object_(frame, "board"), ids)
    for moves in _possible_moves(before, after):
        played = game.copy(before)
        game.play_turn(played, moves)
        if [_told(played, snake) for snake in living(played)] == [_told(after, snake) for snake in living(after)]:
            clear_food(played)
            played.hazards[:] = 0
            fill_ground(played, frame["board"])
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
    """Joint moves that may lead to a frame: a living snake's move follows from its new head. A dead snake may have made
    any move; the move back into its neck is tried last."""
    alive, survivors = living(before), living(after)
    choices: list[list[int]] = []
    for snake in alive:
        here, *rest = body_of(before, snake)
        back = _move(before, here, rest[0]) if rest and rest[0] != here else None
        known = [_move(before, here, body_of(after, snake)[0])] if snake in survivors else range(4)
        choices.append(sorted(known, key=lambda move: move == back))
    return (dict(zip(alive, chosen, strict=True)) for chosen in product(*choices))


def _move(s: Any, here: Point, there: Point) -> int:
    """The move that takes a head from one cell to another, maybe across an edge; up if none does."""
    right, up = (there[0] - here[0]) % int(s.width), (there[1] - here[1]) % int(s.height)
    steps = [(x % int(s.width), y % int(s.height)) for x, y in STEPS]
    return steps.index((right, up)) if (right, up) in steps else 0


def write_log(file: Path | str, game: Battlesnake, states: Sequence[Any], names: Sequence[str] = SNAKES) -> None:
    """Write a game as the official command line does. Names are used as ids where they differ."""
    ids = names if len(set(names)) == len(names) else SNAKES
    lines = [game_json(game)]
    lines += [request(game, s, (living(s) or [0])[0], ids, names) for s in states]
    left = living(states[-1])
    id, name = (ids[left[0]], names[left[0]]) if len(left) == 1 else ("", "")
    lines.append({"winnerId": id, "winnerName": name, "isDraw": len(left) != 1 and game.seats > 1})
    with atomic_write(Path(file)) as part:
        part.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
