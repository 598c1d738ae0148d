"""spar replay"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparring.cli import parsing
from sparring.core.errors import SparringError

if TYPE_CHECKING:
    from sparring.arena.referee import PlayedGame


@click.command()
@click.argument("source")
@click.option("--game", "number", default=1, show_default=True, help="Which game of it.")
@click.option("--list", "listing", is_flag=True, help="List the games.")
@parsing.store
def command(source: str, number: int, listing: bool, store: str | None) -> None:
    """Step through a game of a kept experiment or of a file. Enter or right for the next move, left back, home, end,
    q to leave.

    Where the output is no terminal, all positions are printed.

    \b
    spar replay 3f2a19c0 --game 17
    spar replay games.txt --list
    spar replay game.jsonl        a log of `battlesnake play --output`
    """
    from sparring.core.table import plain

    if source.endswith(".jsonl"):
        if listing or number != 1:
            raise SparringError(f"{source} is the log of one game: leave --game and --list out")
        _show(_log_screens(source))
        return
    if listing:
        for place, played in _all_games(source, store):
            print(plain(f"{place:5}  {_result(played)}"))
        return
    _show(_screens(parsing.game_of(source, number, store)))


def _all_games(source: str, store: str | None) -> "Iterator[tuple[int, PlayedGame]]":
    """The games of a file, or those that were played of an experiment, with their numbers."""
    from sparring.api import report
    from sparring.arena import gametext

    if parsing.is_file_of_games(source):
        yield from enumerate(gametext.load(Path(source)), 1)
        return
    with parsing.opened(store, new=False) as kept:
        result = report(source, store=kept)
    for number in range(1, result.last + 1):
        if result.was_played(number):
            yield number, result.game(number)


def _show(screens: list[str]) -> None:
    from sparring.core.table import plain

    screens = [plain(screen) for screen in screens]
    if sys.stdin.isatty() and sys.stdout.isatty():
        _step(screens)
    else:
        print("\n\n".join(screens))


def _result(played: "PlayedGame") -> str:
    import numpy as np

    from sparring.arena.lengths import lengths, unit
    from sparring.games.registry import game as make_game

    game = make_game(played.game, **played.options)
    length = lengths(game, np.bincount([turn.player for turn in played.turns], minlength=1))
    result = "-".join(f"{score:g}" for score in played.scores)
    return f"{' v '.join(played.agents)}: {result}, {played.reason}, {length} {unit(game)}"


def _log_screens(file: str) -> list[str]:
    """The turns of a game of Battlesnake, as the official command line writes them down."""
    from sparring.games.battlesnake.api import read_log
    from sparring.games.battlesnake.board import SNAKES
    from sparring.games.battlesnake.state import MOVES

    log = read_log(file)
    who = ", ".join(f"{SNAKES[snake]} is {name}" for snake, name in enumerate(log.names))
    made = [{}, *log.moves]
    screens = []
    for moves, position in zip(made, log.positions, strict=True):
        done = " ".join(f"{SNAKES[snake]} {MOVES[move]}" for snake, move in moves.items())
        screens.append(f"{who}\nafter {done}\n{position}\n{position.text}" if done else f"{who}\n{position}")
    return screens


def _screens(played: "PlayedGame") -> list[str]:
    screens, last, passed = [], "start", played.steps()
    for place, (position, turns) in enumerate(passed):
        screens.append(f"{_result(played)}\nmove {place} of {len(passed) - 1}: {last}\n{position}\n{position.text}")
        last = f"after {' '.join(f'{turn.action}  {turn.note}'.rstrip() for turn in turns)}"
    return screens


def _step(screens: list[str]) -> None:
    place, moves = 0, {"\x1b[C": 1, "\r": 1, "\n": 1, " ": 1, "\x1b[D": -1}
    while True:
        click.clear()
        print(screens[place])
        key = click.getchar()
        if key in ("q", "\x1b", "\x03"):
            return
        ends = {"\x1b[H": 0, "\x1b[F": len(screens) - 1}
        place = ends.get(key, min(max(place + moves.get(key, 0), 0), len(screens) - 1))
