"""spar replay"""

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from sparring.arena.game import PlayedGame


@click.command()
@click.argument("file")
@click.option("--game", "number", default=1, show_default=True, help="Which game of the file.")
@click.option("--list", "listing", is_flag=True, help="List the games of the file.")
def command(file: str, number: int, listing: bool) -> None:
    """Step through a saved game: enter or right for the next move, left back, home, end, q to leave.

    Where the output is no terminal, all positions are printed.
    """
    from pathlib import Path

    from sparring.arena import gametext
    from sparring.errors import SparringError

    games = gametext.load(Path(file))
    if listing:
        for place, played in enumerate(games, 1):
            print(f"{place:5}  {_result(played)}")
        return
    if not 1 <= number <= len(games):
        raise SparringError(f"{file} has games 1 to {len(games)}, not {number}")
    screens = _screens(games[number - 1])
    if sys.stdin.isatty() and sys.stdout.isatty():
        _step(screens)
    else:
        print("\n\n".join(screens))


def _result(played: "PlayedGame") -> str:
    result = "-".join(f"{score:g}" for score in played.scores)
    return f"{' v '.join(played.agents)}: {result}, {played.reason}, {len(played.turns)} moves"


def _screens(played: "PlayedGame") -> list[str]:
    from sparring.arena.gametext import steps

    screens, passed = [], steps(played)
    for place, (turns, position) in enumerate(passed):
        done = " ".join(f"{turn.action}  {turn.note}".rstrip() for turn in turns)
        last = f"after {done}" if turns else "start"
        screens.append(f"{_result(played)}\nmove {place} of {len(passed) - 1}: {last}\n{position}\n{position.text}")
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
