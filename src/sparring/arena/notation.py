"""Games as text, for people and programs: headers in brackets, then the moves."""

import re
from collections.abc import Iterable
from pathlib import Path

from sparring.arena.referee import PlayedGame
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.games.registry import game as make_game
from sparring.games.replay import turns

SEATS = "ABCDEFGH"
HEADER = re.compile(r'\[(\w+) "([^"]*)"\]')
MOVE = re.compile(r"(?<![\w.])(\w+)(?!\w*\.)(?: \{([^}]*)\})?")


def write(played: PlayedGame) -> str:
    options = " ".join(f"{key}={value}" for key, value in played.options.items() if key != "opening")
    headers = {"Game": played.game, "Options": options, "Seed": played.seed}
    headers |= {SEATS[seat]: spec for seat, spec in enumerate(played.agents)}
    headers |= {"Start": played.start, "Result": "-".join(f"{score:g}" for score in played.scores)}
    headers |= {"Reason": played.reason.replace('"', "'").replace("\n", " ")}
    moves = [f"{turn.action} {{{turn.note}}}" if turn.note else turn.action for turn in played.turns]
    lines = [f"{place // 2 + 1}. {' '.join(moves[place : place + 2])}" for place in range(0, len(moves), 2)]
    return "\n".join([*(f'[{key} "{value}"]' for key, value in headers.items()), "", *lines, "", ""])


def save(games: Iterable[PlayedGame], file: Path) -> None:
    """Write all games or none: the file appears only when it is complete."""
    with atomic_write(file) as part:
        part.write_text("".join(write(played) for played in games), encoding="utf-8")


def load(file: Path) -> list[PlayedGame]:
    if not file.is_file():
        raise SparringError(f"no file {file}; `spar match ... --save {file.name}` writes one")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text in UTF-8") from error
    return games_of(text, str(file))


def games_of(text: str, file: str = "this text") -> list[PlayedGame]:
    games = [read(chunk, file) for chunk in re.split(r"(?m)^(?=\[Game )", text) if chunk.strip()]
    if not games:
        raise SparringError(f"{file} holds no game; a game begins with [Game ...]")
    return games


def read(text: str, file: str = "game") -> PlayedGame:
    """Parse a game. All moves are replayed, so an illegal one is an error."""
    headers = dict(HEADER.findall(text))
    missing = [key for key in ("Game", "Seed", "Start", "Result") if key not in headers]
    if missing:
        raise SparringError(f"{file}: a game lacks its header [{missing[0]} ...]")
    try:
        seed = int(headers["Seed"])
        options = dict(pair.split("=", 1) for pair in headers.get("Options", "").split())
        scores = tuple(float(score) for score in headers["Result"].split("-"))
    except ValueError as error:
        raise SparringError(f"{file}: a header of a game cannot be read: {error}") from error
    start = make_game(headers["Game"], **options).start(seed, headers["Start"])
    moves = MOVE.findall(HEADER.sub("", text))
    return PlayedGame(
        game=headers["Game"],
        options=options,
        seed=seed,
        agents=tuple(headers[seat] for seat in SEATS if seat in headers),
        start=headers["Start"],
        turns=tuple(turns(start, [move for move, _ in moves], [note for _, note in moves])),
        scores=scores,
        reason=headers.get("Reason", ""),
    )
