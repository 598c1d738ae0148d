"""Logs that a user opens: saved and exported games, and logs of other programs that a game can read."""

from pydantic import BaseModel, Field, ValidationError

from sparring.arena.notation import games_of
from sparring.arena.referee import PlayedGame
from sparring.core.errors import SparringError
from sparring.games import logs
from sparring.games.capabilities import LoggedGame
from sparring.games.replay import Turn
from sparring.web import bodies
from sparring.web.experiments import game_fields
from sparring.web.play import frame
from sparring.web.workspace import Thinker

FILE = "the upload"
"""Name of the log in messages."""
MAX_GAMES, MAX_FRAMES = 200, 2000


class ExportedRules(BaseModel):
    """The game of an exported line."""

    game: bodies.Word
    options: dict[bodies.Word, str]


class ExportedGame(BaseModel):
    """A line of `spar export FILE.jsonl`."""

    rules: ExportedRules
    seed: int = Field(ge=0, le=1 << 62)
    seats: list[str] = Field(max_length=bodies.MAX_SEATS)
    opening: str = Field(max_length=20_000)
    moves: list[bodies.Move] = Field(max_length=bodies.MAX_MOVES * bodies.MAX_SEATS)
    scores: list[float] = Field(max_length=bodies.MAX_SEATS)
    ending: str = Field(max_length=1000)


def upload(server: Thinker, text: str) -> bodies.UploadBody:
    """Return the games of a log."""
    text = text.strip()
    if text.startswith("[Game "):
        return _played(games_of(text, FILE))
    if "moves" in logs.first_json_object(text):
        lines = [line for line in text.splitlines() if line.strip()]
        return _played([_exported(line) for line in lines[: MAX_GAMES + 1]])
    if any(reader.is_log(text) for reader in logs.readers()):
        return _logged(logs.read(text, FILE))
    known = f"games of `--save`, JSON Lines of `spar export`, or {logs.expected()}"
    raise SparringError(f"this is no log of a game; expected {known}")


def _exported(line: str) -> PlayedGame:
    try:
        row = ExportedGame.model_validate(logs.first_json_object(line))
    except ValidationError as error:
        raise SparringError(f"a line of an export: {bodies.first_error(error)}") from None
    return PlayedGame(
        game=row.rules.game,
        options=row.rules.options,
        seed=row.seed,
        agents=tuple(row.seats),
        start=row.opening,
        turns=tuple(Turn(-1, move, -1) for move in row.moves),
        scores=tuple(row.scores),
        reason=row.ending,
    )


def _played(games: list[PlayedGame]) -> bodies.UploadBody:
    shown = [_uploaded(**game_fields(played, list(played.agents))) for played in games[:MAX_GAMES]]
    return bodies.UploadBody(games=shown, note=f"the first {MAX_GAMES} games" if len(games) > MAX_GAMES else None)


def _uploaded(**fields: object) -> bodies.UploadedGameBody:
    try:
        return bodies.UploadedGameBody.model_validate(fields)
    except ValidationError as error:
        raise SparringError(f"a game of the log: {bodies.first_error(error)}") from None


def _logged(log: LoggedGame) -> bodies.UploadBody:
    """Return the game of another program. Without a seed it cannot be replayed, so it comes with its positions."""
    game = _uploaded(
        game=log.game.name,
        options=log.game.chosen(),
        seed=log.seed or 0,
        start=log.steps[0].position.text,
        moves=[{str(turn.player): turn.action for turn in turns} for _, turns in log.steps[:-1]],
        agents=list(log.agents),
        scores=list(log.scores),
        reason=log.reason,
        frames=None
        if log.seed is not None
        else [frame(log.steps, turn) for turn in range(len(log.steps))[:MAX_FRAMES]],
    )
    cut = log.seed is None and len(log.steps) > MAX_FRAMES
    return bodies.UploadBody(games=[game], note=f"the first {MAX_FRAMES} turns" if cut else None)
