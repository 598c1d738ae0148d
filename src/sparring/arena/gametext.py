"""Games as text a person can read and a program can read back: headers in brackets, then the moves."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from sparring.arena.referee import PlayedGame, Turn
from sparring.core.dice import referees_dice
from sparring.core.errors import SparringError
from sparring.core.files import written_whole
from sparring.games.contract import Position
from sparring.games.registry import game as make_game

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
    with written_whole(file) as part:
        part.write_text("".join(write(played) for played in games))


def load(file: Path) -> list[PlayedGame]:
    if not file.is_file():
        raise SparringError(f"no file {file}; `spar match ... --save {file.name}` writes one")
    try:
        text = file.read_text()
    except UnicodeDecodeError as error:
        raise SparringError(f"{file} is not a text in UTF-8") from error
    return games_of(text, str(file))


def games_of(text: str, file: str = "this text") -> list[PlayedGame]:
    """The same of what a file says."""
    games = [read(chunk, file) for chunk in re.split(r"(?m)^(?=\[Game )", text) if chunk.strip()]
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
    moves = [Turn(-1, action, -1, note) for action, note in MOVE.findall(HEADER.sub("", text))]
    turns = [turn for played, _ in _again(headers["Game"], options, headers["Start"], seed, moves) for turn in played]
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


def steps(played: PlayedGame) -> list[tuple[list[Turn], Position]]:
    """Each position of a game with the turns that led to it, none for the first."""
    return list(_again(played.game, played.options, played.start, played.seed, list(played.turns)))


def positions(played: PlayedGame) -> list[Position]:
    return [position for _, position in steps(played)]


def _again(
    name: str, options: dict[str, str], start: str, seed: int, turns: list[Turn]
) -> Iterator[tuple[list[Turn], Position]]:
    """Play turns again with the referee's own dice, as many at a time as players must act; none may be illegal."""
    game = make_game(name, **options)
    position = Position(game, game.parse(start), referees_dice(seed))
    yield [], position
    while turns:
        actors = position.actors
        now = [turn._replace(player=player) for player, turn in zip(actors, turns, strict=False)]
        if len(now) < len(actors):
            break  # a failure ended the game before all had acted
        if not actors:
            raise SparringError(f"{turns[0].action} follows the end of the game in {position.text}")
        now = [turn._replace(code=position.action(turn.action, turn.player)) for turn in now]
        position = position.after({turn.player: turn.code for turn in now})
        turns = turns[len(now) :]
        yield now, position
