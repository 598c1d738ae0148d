"""Logs of games that a user has: our own in their three forms, and those of the official Battlesnake command line."""

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from sparring.arena.gametext import games_of
from sparring.arena.referee import PlayedGame
from sparring.arena.store import Store
from sparring.core.errors import SparringError
from sparring.games.battlesnake.api import Log, log_of
from sparring.games.battlesnake.state import MOVES
from sparring.games.flagwar.timeline import timeline as flagwar_timeline
from sparring.games.replay import Turn
from sparring.web import bodies
from sparring.web.answers import first_fault
from sparring.web.compare import told_game
from sparring.web.play import frame

if TYPE_CHECKING:
    from sparring.web.server import Server

FILE = "the upload"
MOST_GAMES, MOST_FRAMES = 200, 2000
EXPECTED = "expected games of `--save`, JSON Lines of `spar export` or `spar timeline`, or a Battlesnake log"


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
    lines = [line for line in text.splitlines() if line.strip()]
    head = _object(lines[0] if lines else "")
    if "moves" in head:
        return _told([_exported(server, line) for line in lines[: MOST_GAMES + 1]])
    if "agents" in head and "start" in head:
        return _told([flagwar_timeline.of(text, FILE).played])
    if "ruleset" in head or "board" in head:
        return _from_log(log_of(text, FILE))
    raise SparringError(f"this is no log of a game; {EXPECTED}")


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise SparringError(f"this is no log of a game; {EXPECTED}")
    return found


def _exported(server: "Server", line: str) -> PlayedGame:
    try:
        row = Exported.model_validate(_object(line))
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


def _from_log(log: Log) -> bodies.Uploaded:
    """The official engine's dice are not known to a log, so that its positions are shown as they are."""
    frames = []
    for turn, (before, position) in enumerate(pairwise([log.positions[0], *log.positions[:MOST_FRAMES]])):
        happened = log.game.happened(before.state, {}, position.state)
        events = [bodies.Happened(kind=one.kind, text=one.text) for one in happened]
        frames.append(frame(position, turn, events))
    last = log.positions[-1]
    played = bodies.GameUploaded(
        game=log.game.name,
        options=log.game.chosen(),
        seed=0,
        start=log.positions[0].text,
        moves=[{str(snake): MOVES[move] for snake, move in moves.items()} for moves in log.moves],
        agents=list(log.names),
        scores=list(last.outcome or ()),
        reason=log.game.ending(last.state) if last.over else "",
        frames=frames,
    )
    cut = len(log.positions) > MOST_FRAMES
    return bodies.Uploaded(games=[played], note=f"the first {MOST_FRAMES} turns" if cut else None)
