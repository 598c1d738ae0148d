"""Logs of whole games, as `battlesnake play --output` writes them, read and written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from sparring.core.dice import referees_dice
from sparring.core.errors import SparringError
from sparring.core.files import written_whole
from sparring.games.battlesnake.api import game_json, read, request
from sparring.games.battlesnake.board import SNAKES, Point, body_of, clear_food, living, place_dead
from sparring.games.battlesnake.board_json import fill, fill_ground
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.incoming import Json, object_, parsed, whole
from sparring.games.battlesnake.state import ALIVE, NOBODY, UNKNOWN
from sparring.games.contract import Position


@dataclass(frozen=True)
class Log:
    """A game from turn 0 on: its positions, and the moves that led from each to the next, where they are known."""

    game: Battlesnake
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


def _next(game: Battlesnake, before: Any, frame: Json, ids: Sequence[str]) -> tuple[Any, Mapping[int, int]]:
    """The state of a frame with those in it who have died, and the moves that led there."""
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


def write_log(file: Path | str, game: Battlesnake, states: Sequence[Any], names: Sequence[str] = SNAKES) -> None:
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
