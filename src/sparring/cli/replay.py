"""spar replay"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sparring.cli import parsing
from sparring.core.errors import SparringError

if TYPE_CHECKING:
    from sparring.arena.referee import PlayedGame
    from sparring.games.capabilities import LoggedGame
    from sparring.games.contract import Game
    from sparring.games.replay import Step


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
    spar replay game.jsonl        a log of another program
    """
    from sparring.core.table import plain

    if source.endswith(".jsonl"):
        from sparring.games.logs import load

        if listing or number != 1:
            raise SparringError(f"{source} is the log of one game: leave --game and --list out")
        log = load(source)
        _show(_screens(_told(log.game, log, len(log.steps) - 1), log.steps))
        return
    if listing:
        for place, played in _all_games(source, store):
            print(plain(f"{place:5}  {_result(played)}"))
        return
    played = parsing.game_of(source, number, store)
    _show(_screens(_result(played), played.steps()))


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

    from sparring.arena.lengths import lengths
    from sparring.games.registry import game as make_game

    game = make_game(played.game, **played.options)
    return _told(game, played, lengths(game, np.bincount([turn.player for turn in played.turns], minlength=1)))


def _told(game: "Game", played: "PlayedGame | LoggedGame", length: int) -> str:
    from sparring.arena.lengths import unit

    parts = ["-".join(f"{score:g}" for score in played.scores), played.reason, f"{length} {unit(game)}"]
    return f"{' v '.join(played.agents)}: {', '.join(part for part in parts if part)}"


def _screens(result: str, passed: "Sequence[Step]") -> list[str]:
    screens, last = [], "start"
    for place, (position, turns) in enumerate(passed):
        screens.append(f"{result}\nmove {place} of {len(passed) - 1}: {last}\n{position}\n{position.text}")
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
