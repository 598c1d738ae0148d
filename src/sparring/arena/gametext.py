"""Games as text a person can read and a program can read back: headers in brackets, then the moves."""

import re
from collections.abc import Iterable
from pathlib import Path

from sparring.arena.game import PlayedGame, Turn
from sparring.errors import SparringError
from sparring.games import game as make_game
from sparring.games.contract import Position

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
    partial = file.with_name(file.name + ".partial")
    partial.write_text("".join(write(played) for played in games))
    partial.replace(file)


def load(file: Path) -> list[PlayedGame]:
    if not file.is_file():
        raise SparringError(f"no file {file}; `spar match ... --save {file.name}` writes one")
    try:
        text = file.read_text()
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text") from error
    games = [read(chunk, str(file)) for chunk in re.split(r"(?m)^(?=\[Game )", text) if chunk.strip()]
    if not games:
        raise SparringError(f"{file} holds no game; a game begins with [Game ...]")
    return games


def read(text: str, file: str = "game") -> PlayedGame:
    """The game that a text stands for; every move is played again, so that none is illegal."""
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
    position, turns = make_game(headers["Game"], **options).position(headers["Start"]), []
    for action, note in MOVE.findall(HEADER.sub("", text)):
        turns.append(Turn(position.mover, action, note))
        position = position.after(action)
    return PlayedGame(
        game=headers["Game"],
        options=options,
        seed=seed,
        agents=tuple(headers[seat] for seat in SEATS if seat in headers),
        start=headers["Start"],
        turns=tuple(turns),
        scores=scores,
        reason=headers.get("Reason", ""),
    )


def positions(played: PlayedGame) -> list[Position]:
    """The position before each move and the one after the last. A move that is not legal is an error."""
    position = make_game(played.game, **played.options).position(played.start)
    passed = [position]
    for turn in played.turns:
        position = position.after(turn.action)
        passed.append(position)
    return passed
