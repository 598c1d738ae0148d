"""Logs of games that a user has: our own in two forms, and those that one of the games can read."""

from itertools import pairwise
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field, ValidationError

from sparring.arena.gametext import games_of
from sparring.arena.referee import PlayedGame
from sparring.arena.store import Store
from sparring.core.errors import SparringError
from sparring.games import logs
from sparring.games.capabilities import LoggedGame
from sparring.games.replay import Turn
from sparring.web import bodies
from sparring.web.answers import first_fault
from sparring.web.compare import told_game
from sparring.web.play import frame

if TYPE_CHECKING:
    from sparring.web.server import Server

FILE = "the upload"
MOST_GAMES, MOST_FRAMES = 200, 2000


class Rules(BaseModel):
    """Which game was played, as an exported line tells."""

    game: bodies.Word
    options: dict[bodies.Word, str]


class Exported(BaseModel):
    """A line of `spar export FILE.jsonl`; those of older files name only the experiment."""

    experiment: str = Field(default="", max_length=64)
    rules: Rules | None = None
    seed: int = Field(ge=0, le=1 << 62)
    seats: list[str] = Field(max_length=bodies.MOST_SEATS)
    opening: str = Field(max_length=20_000)
    moves: list[bodies.Move] = Field(max_length=bodies.MOST_MOVES * bodies.MOST_SEATS)
    scores: list[float] = Field(max_length=bodies.MOST_SEATS)
    ending: str = Field(max_length=1000)


def upload(server: "Server", text: str) -> bodies.Uploaded:
    text = text.strip()
    if text.startswith("[Game "):
        return _told(games_of(text, FILE))
    if "moves" in logs.first_object(text):
        lines = [line for line in text.splitlines() if line.strip()]
        return _told([_exported(server, line) for line in lines[: MOST_GAMES + 1]])
    if any(reader.is_log(text) for reader in logs.readers()):
        return _logged(logs.read(text, FILE))
    known = f"games of `--save`, JSON Lines of `spar export`, or {logs.expected()}"
    raise SparringError(f"this is no log of a game; expected {known}")


def _exported(server: "Server", line: str) -> PlayedGame:
    try:
        row = Exported.model_validate(logs.first_object(line))
    except ValidationError as error:
        raise SparringError(f"a line of an export: {first_fault(error)}") from None
    rules = row.rules or _remembered(server, row.experiment)
    return PlayedGame(
        game=rules.game,
        options=rules.options,
        seed=row.seed,
        agents=tuple(row.seats),
        start=row.opening,
        turns=tuple(Turn(-1, move, -1) for move in row.moves),
        scores=tuple(row.scores),
        reason=row.ending,
    )


def _remembered(server: "Server", experiment: str) -> Rules:
    with Store(server.store) as kept:
        game = kept.contest(kept.find(experiment)).game
    return Rules(game=game.name, options=game.options())


def _told(games: list[PlayedGame]) -> bodies.Uploaded:
    told = [_value(played) for played in games[:MOST_GAMES]]
    return bodies.Uploaded(games=told, note=f"the first {MOST_GAMES} games" if len(games) > MOST_GAMES else None)


def _value(played: PlayedGame) -> bodies.GameUploaded:
    if not 0 <= played.seed < 1 << 62:
        raise SparringError(f"{played.seed} is no seed of ours; expected a number from 0 on")
    try:
        return bodies.GameUploaded(**told_game(played, list(played.agents)))
    except ValidationError as error:
        raise SparringError(f"what a log says of a game: {first_fault(error)}") from None


def _logged(log: LoggedGame) -> bodies.Uploaded:
    """Without the seed by which the game can be played again its positions are shown as they are."""
    start = log.steps[0].position
    try:
        played = bodies.GameUploaded(
            game=log.game.name,
            options=log.game.chosen(),
            seed=log.seed or 0,
            start=start.text,
            moves=[{str(turn.player): turn.action for turn in turns} for _, turns in log.steps[:-1]],
            agents=list(log.agents),
            scores=list(log.scores),
            reason=log.reason,
            frames=_frames(log) if log.seed is None else None,
        )
    except ValidationError as error:
        raise SparringError(f"what a log says of a game: {first_fault(error)}") from None
    cut = log.seed is None and len(log.steps) > MOST_FRAMES
    return bodies.Uploaded(games=[played], note=f"the first {MOST_FRAMES} turns" if cut else None)


def _frames(log: LoggedGame) -> list[bodies.Frame]:
    shown = [frame(log.steps[0].position, 0, [])]
    for turn, (before, after) in enumerate(pairwise(log.steps[:MOST_FRAMES]), 1):
        happened = log.game.happened(before.position.state, before.actions, after.position.state)
        events = [bodies.Happened(kind=one.kind, text=one.text) for one in happened]
        shown.append(frame(after.position, turn, events))
    return shown
