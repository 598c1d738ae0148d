"""What the commands share: a game's own options on the command line, JSON output and a progress bar."""

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.core import defaults
from sparring.core.amounts import setting
from sparring.core.errors import SparringError, lacking, unknown

if TYPE_CHECKING:
    from sparring.arena.referee import PlayedGame
    from sparring.arena.result import Tournament
    from sparring.arena.store import Store
    from sparring.core.progress import Progress
    from sparring.games.contract import Game

GAME_OPTIONS = {"ignore_unknown_options": True}
"""For commands that take a game: options the command does not know are the game's, e.g. --board 6x6."""


class Number(click.ParamType[int]):
    """A setting that is a whole number: 200, or 200k."""

    name = "number"

    def convert(self, value: Any, param: Any, context: Any) -> int:
        return setting(param.name, value, param.opts[0])


def games(told: str, default: int | None = None) -> Callable[..., Any]:
    """How many games a command plays."""
    return click.option(
        "--games", type=Number(), metavar="N", default=default, show_default=default is not None, help=told
    )


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed = click.option(
    "--seed",
    type=Number(),
    metavar="N",
    default=defaults.SEED,
    show_default=True,
    help="Openings and all chance follow from it.",
)
store = click.option("--store", metavar="FILE", help="Where games are kept.  [default: $SPARRING_STORE or a user file]")
workers = click.option("--workers", type=Number(), metavar="N", help="Games at once.  [default: one a core]")
cluster = click.option("--cluster", metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, or auto.")
strict = click.option("--strict", is_flag=True, help="Refuse heuristics that cannot be compiled.")


def plot(drawn: str) -> Callable[..., Any]:
    """The option to draw what came of a command."""
    return click.option("--plot", metavar="FILE", help=f"Draw {drawn} as SVG or PNG (needs sparring[plot]).")


def study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One agent of a game and how it is played with: the same for tuning and ablation."""
    agent = click.argument("agent", nargs=-1, type=click.UNPROCESSED)
    for option in (as_json, store, strict, workers, seed, agent, click.argument("game")):
        command = option(command)
    return command


def tournament_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The game, its agents and how they play: the same for a match and a league."""
    return click.argument("game")(meeting_options(command))


def meeting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Agents and how they play, where the game is known."""
    given = [
        click.argument("agents", nargs=-1, type=click.UNPROCESSED),
        games("Games of each pair or table, as many in every seating.", defaults.GAMES),
        seed,
        workers,
        cluster,
        click.option("--limit", metavar="TIME", help="Who takes longer for a move loses, e.g. 150ms."),
        click.option("--bank", metavar="TIME", help="What moves may take beyond their limit in a whole game."),
        click.option(
            "--sprt",
            metavar="LOW:HIGH",
            help="Stop when the first agent is known to be LOW or HIGH Elo better.",
        ),
        click.option("--seating", type=click.Choice(["rotations", "permutations"]), help="Of more than two players."),
        click.option("--decisions", is_flag=True, help="Keep what every agent thought of every move."),
        strict,
        as_json,
        store,
        click.option("--save", metavar="FILE", help="Write the games to a file for `spar replay`."),
    ]
    for option in reversed(given):
        command = option(command)
    return command


def game_and_rest(name: str, words: Sequence[str]) -> "tuple[Game, list[str]]":
    """Set a game up with the options among the words, and return the words that are left."""
    from sparring.games.registry import game

    known = game(name).options()
    own = [param.opts[0] for param in click.get_current_context().command.params if param.opts[0][0] == "-"]
    rest, options, queue = [], {}, list(words)
    while queue:
        word = queue.pop(0)
        if not word.startswith("-"):
            rest.append(word)
            continue
        if not word.startswith("--"):
            raise SparringError(f"unknown option {word}; options are such as --board 6x6")
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key not in known:
            raise unknown("option", f"--{key}", [*(f"--{option}" for option in known), *own])
        if not equals:
            if not queue:
                raise SparringError(f"{word} needs a value")
            value = queue.pop(0)
        options[key] = value
    return game(name, **options), rest


def game_and_agent(name: str, words: Sequence[str]) -> "tuple[Game, str]":
    """A game from a command that takes a single agent beside it."""
    made, rest = game_and_rest(name, words)
    if len(rest) != 1:
        raise click.UsageError("name one agent.", click.get_current_context())
    return made, rest[0]


def game_alone(name: str, words: Sequence[str]) -> "Game":
    """A game from a command that takes nothing else by position."""
    made, rest = game_and_rest(name, words)
    if rest:
        raise click.UsageError(f"{rest[0]!r} is not expected here.", click.get_current_context())
    return made


def play(meet: "Callable[..., Tournament]", game: "Game", agents: Sequence[Any], given: Mapping[str, Any]) -> None:
    """Let agents meet as `tournament_options` say, keep the games, and print what they prove."""
    from sparring.arena import gametext

    if given["cluster"] and given["workers"]:
        raise click.UsageError("a cluster has its own workers: leave --workers out.", click.get_current_context())
    save = place_to_write(given["save"]) if given["save"] else None
    asked = ("games", "seed", "workers", "cluster", "limit", "bank", "sprt", "seating", "decisions", "strict")
    settings = {name: given[name] for name in asked if given[name] is not None}
    with opened(given["store"]) as kept, progress("playing") as tell:
        result = meet(game, *agents, **settings, progress=tell, store=kept)
    show(result, given["as_json"])
    if save:
        gametext.save(result.games, save)
        print(f"look at a game: spar replay {save} --game 1", file=sys.stderr)
    if result.interrupted:
        sys.exit(130)


def is_file_of_games(source: str) -> bool:
    """Whether a source is a file of games; else it is a kept experiment."""
    return Path(source).is_file() or not re.fullmatch("[0-9a-f]+|last", source)


def game_of(source: str, number: int, store: str | None) -> "PlayedGame":
    """One game of a file or of a kept experiment."""
    from sparring.arena import gametext, kept

    if not is_file_of_games(source):
        with opened(store, new=False) as games:
            return kept.kept_game(games, source, number)
    loaded = gametext.load(Path(source))
    if not 1 <= number <= len(loaded):
        raise kept.not_there(source, number, len(loaded))
    return loaded[number - 1]


def opened(store: str | None, new: bool = True) -> "Store":
    """Where games are kept: a new place if there is none, but not for those who only read."""
    from sparring.arena.store import Store

    return Store(Path(store) if store else None, new)


def place_to_write(name: str) -> Path:
    """A file that can be written, asked for before the work whose result goes there."""
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SparringError(f"cannot write {name}; name a file in a folder that exists")
    return path


def place_to_draw(name: str) -> Path:
    """The same for a picture, which needs a library to draw it."""
    if not name.endswith((".svg", ".png")):
        raise SparringError(f"--plot draws a file .svg or .png, not {name}")
    if find_spec("matplotlib") is None:
        raise lacking("plots need matplotlib", "plot")
    return place_to_write(name)


def listed(names: str | None) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in (names or "").split(",") if name.strip())


def show(result: Any, as_json: bool) -> None:
    """Print a result: as it prints itself, or as JSON."""
    print(json.dumps(result.to_json(), indent=1) if as_json else str(result))


def show_study(result: Any, as_json: bool, picture: Path | None) -> None:
    """The same for what was played step by step, which may be drawn, and may have been interrupted."""
    show(replace(result, drawn=f" --plot {shlex.quote(str(picture))}") if picture else result, as_json)
    if picture:
        result.plot(picture)
    if result.interrupted:
        sys.exit(130)


def to_play(game: "Game", made: str, other: str) -> str:
    """The match of an agent that was made just now against others, in the game that it was made in."""
    words = ["spar", "match", game.name, made, *[other] * (game.seats - 1), *game.option_words()]
    return f"play it: {shlex.join(words)}"


@contextmanager
def progress(what: str, unit: str = "games") -> "Iterator[Progress]":
    """A progress bar on the terminal; nothing where standard error is a file."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        TextColumn("{task.fields[known]}"),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    with bar:
        task = bar.add_task(what, total=None, known="")

        def tell(done: int, total: int, known: str = "") -> None:
            bar.update(task, completed=done, total=total, known=known)

        yield tell
