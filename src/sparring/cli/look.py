"""Commands to look at games and agents: games, agents, replay, web."""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import sparring
from sparring.cli import listings, options
from sparring.cli.options import Text
from sparring.cli.output import game_of, is_file_of_games, opened
from sparring.core.errors import SparringError
from sparring.core.table import columns, counted, descriptions, plain, wrapped

if TYPE_CHECKING:
    from sparring.arena.referee import PlayedGame
    from sparring.games.capabilities import LoggedGame
    from sparring.games.contract import Game
    from sparring.games.replay import Step


@click.command()
@click.argument("name", required=False, shell_complete=options.complete_games)
@options.as_json
def games(name: Text, as_json: bool) -> None:
    """List the games and their options, or describe one.

    \b
    spar games
    spar games isolation
    """
    if name is not None:
        about = listings.about(name)
        print(json.dumps(about, indent=1) if as_json else _described(about))
        return
    listed = listings.games()
    if as_json:
        print(json.dumps(listed, indent=1))
        return
    for one in listed:
        print(f"{one['game']}: {one['kind']}")
        print("  " + " ".join(f"--{key} {value}" for key, value in one["options"].items()))
    print("more about one: spar games NAME")


def _described(about: dict[str, Any]) -> str:
    choices = [[f"  --{one} {value}", about["choices"].get(one, "")] for one, value in about["options"].items()]
    return "\n".join(
        [
            f"{about['game']}: {about['kind']}",
            f"\noptions with their defaults, and the other values\n{columns(choices)}",
            f"\na game ends by: {', '.join(about['endings'])}",
            f"{counted(about['agents'], 'agent')} and {about['heuristics']} heuristics: spar agents {about['game']}",
            f"\ncommands for this game\n{descriptions(about['can'])}",
            f"\ntry: {about['example']}",
        ]
    )


@click.command()
@options.game
@options.as_json
def agents(game: str, as_json: bool) -> None:
    """List a game's agents and heuristics, and how to name them."""
    found = listings.agents(game)
    if as_json:
        print(json.dumps({part: found[part] for part in ("agents", "heuristics", "weights")}, indent=1))
        return
    print(f"agents\n{descriptions(found['agents'])}")
    if ways := found["searches"]:
        listed = descriptions(found["heuristics"]) if found["heuristics"] else "  none yet: write your own"
        before = f"heuristics, alone or after {' or '.join(f'{search}:' for search in ways)}"
        print(f"\n{wrapped(before)}\n{listed}")
        if told := [[f"  {search}", of_it] for search, of_it in ways.items() if of_it]:
            print(f"\noptions of a search\n{columns(told)}")
        if weighted := next(((name, [*terms]) for name, terms in found["weights"].items() if len(terms) > 1), None):
            print(f"other weights: {weighted[0]}({weighted[1][-1]}=0.5)")
    print(f"your own: my_file.py:my_idea\ntry: spar match {game} {found['example']}")


@click.command()
@click.argument("source", shell_complete=options.complete_kept)
@options.game_number
@click.option("--list", "listing", is_flag=True, help="List the games.")
@options.store
def replay(source: str, number: int, listing: bool, store: Text) -> None:
    """Step through a game of a kept experiment or of a file. Keys: enter or right for the next move, left for the one
    before, home, end, q to leave.

    If the output is no terminal, all positions are printed.

    \b
    spar replay 3f2a19c0 --game 17
    spar replay games.txt --list
    spar replay game.jsonl        a log of another program
    """
    if source.endswith(".jsonl"):
        from sparring.games.logs import load

        if listing or number != 1:
            raise SparringError(f"{source} is the log of one game: leave --game and --list out")
        log = load(source)
        _show(_screens(_summary(log.game, log, len(log.steps) - 1), log.steps))
    elif listing:
        for place, played in _all_games(source, store):
            print(plain(f"{place:5}  {_result(played)}"))
    else:
        played = game_of(source, number, store)
        _show(_screens(_result(played), played.steps()))


def _all_games(source: str, store: Text) -> "Iterator[tuple[int, PlayedGame]]":
    """Iterate over the games of a file, or over the played games of an experiment, with their numbers."""
    from sparring.arena import notation

    if is_file_of_games(source):
        yield from enumerate(notation.load(Path(source)), 1)
        return
    with opened(store, new=False) as kept:
        result = sparring.report(source, store=kept)
    for number in range(1, result.last + 1):
        if result.was_played(number):
            yield number, result.game(number)


def _result(played: "PlayedGame") -> str:
    import numpy as np

    from sparring.arena.lengths import game_length
    from sparring.games.registry import game as make_game

    game = make_game(played.game, **played.options)
    return _summary(game, played, game_length(game, np.bincount([turn.player for turn in played.turns], minlength=1)))


def _summary(game: "Game", played: "PlayedGame | LoggedGame", length: int) -> str:
    from sparring.arena.lengths import length_unit

    parts = ["-".join(f"{score:g}" for score in played.scores), played.reason, f"{length} {length_unit(game)}"]
    return f"{' v '.join(played.agents)}: {', '.join(part for part in parts if part)}"


def _screens(result: str, passed: "Sequence[Step]") -> list[str]:
    screens, last = [], "start"
    for place, (position, turns) in enumerate(passed):
        screens.append(f"{result}\nmove {place} of {len(passed) - 1}: {last}\n{position}\n{position.text}")
        last = f"after {' '.join(f'{turn.action}  {turn.note}'.rstrip() for turn in turns)}"
    return screens


def _show(screens: list[str]) -> None:
    """Step through screens at a terminal; elsewhere print them all."""
    screens = [plain(screen) for screen in screens]
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        print("\n\n".join(screens))
        return
    place, moves = 0, {"\x1b[C": 1, "\r": 1, "\n": 1, " ": 1, "\x1b[D": -1}
    ends = {"\x1b[H": 0, "\x1b[F": len(screens) - 1}
    while True:
        click.clear()
        print(screens[place])
        key = click.getchar()
        if key in ("q", "\x1b", "\x03"):
            return
        place = ends.get(key, min(max(place + moves.get(key, 0), 0), len(screens) - 1))


@click.command()
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any free port.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--token-file", metavar="FILE", help="Keeps the password of the page.  [default: a new one each time]")
@click.option("--folder", metavar="DIR", help="Your own heuristics and agents, to edit and try on the page.")
@click.option("--no-browser", is_flag=True, help="Do not open the page.")
@options.store
def web(port: int, host: str, token_file: Text, folder: Text, no_browser: bool, store: Text) -> None:
    """Open the page: play, replay, understand, compare, write. Ctrl-C ends it.

    \b
    spar web
    spar web --folder my_agents
    """
    from sparring.web.app import app
    from sparring.web.guard import Code, kept_token, new_token
    from sparring.web.http import listen

    token = new_token() if token_file is None else kept_token(Path(token_file))
    kept = store or os.environ.get("SPARRING_STORE")
    games, home = (Path(name).resolve() if name else None for name in (kept, folder))
    if home:  # files are named as in a terminal there
        try:
            os.chdir(home)
        except OSError as error:
            raise SparringError(f"no folder {folder}: {error.strerror}; name one that exists") from error

    def opened_at(url: str) -> str:
        if not no_browser:
            click.launch(f"{url}/#token={code.text}")  # other users see how programs are started
        return f"the page is at {url}/#token={token}"

    code = Code()
    listen(app(host, token, code, games, home), host, port, opened_at)
