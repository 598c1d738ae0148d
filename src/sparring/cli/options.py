"""Arguments and options that commands share, how a game's own options are read, and what a shell can complete."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from sparring.cli import listings
from sparring.cli.output import opened, plot_path, writable_path
from sparring.core import defaults, plugins
from sparring.core.amounts import setting
from sparring.core.errors import SparringError, unknown

if TYPE_CHECKING:
    from sparring.games.contract import Game

Declared = Callable[..., Any]
Text = str | None
GAME_OPTIONS = {"ignore_unknown_options": True}
"""Settings of commands that pass options on to a game, e.g. --board 6x6."""


# Completion


def completing(known: Callable[[click.Context], Iterable[str]]) -> Declared:
    """Complete a word from known names; if none begins like it, the shell completes the name of a file."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        names: list[str] = []
        with suppress(SparringError):
            names = [name for name in known(ctx) if name.startswith(incomplete)]
        return [CompletionItem(name) for name in names] or [CompletionItem(incomplete, type="file")]

    return complete


complete_games = completing(lambda ctx: sorted(plugins.declared(plugins.GAMES)))


@completing
def complete_agents(ctx: click.Context) -> Iterable[str]:
    known = listings.agents(ctx.params.get("game") or next(iter(ctx.args), ""))  # in args before an option's value
    return sorted({*known["agents"], *known["heuristics"]})


@completing
def complete_kept(ctx: click.Context) -> Iterable[str]:
    with opened(ctx.params.get("store"), new=False) as kept:
        ids = [one.id for one in kept.listed()]
    return ["last", *ids] if ids else []


@completing
def complete_experiment_files(ctx: click.Context) -> Iterable[str]:
    from sparring.arena.experiment import packaged_experiments

    return packaged_experiments()


@completing
def complete_documents(ctx: click.Context) -> Iterable[str]:
    from sparring.claims.document_file import numbers

    return numbers()


# Options


class Checked(click.ParamType[Any]):
    """A value that a function checks and converts."""

    def __init__(self, name: str, check: Callable[[Any], Any]) -> None:
        self.name, self.check = name, check

    def convert(self, value: Any, param: Any, context: Any) -> Any:
        return self.check(value)


WRITABLE = Checked("file", writable_path)


def number(name: str, told: str, default: int | None = None) -> Declared:
    """Declare an option that is a whole number: 200, or 200k."""
    kind = Checked("number", lambda value: setting(name[2:].replace("-", "_"), value, name))
    return click.option(name, type=kind, metavar="N", default=default, show_default=default is not None, help=told)


def plot(drawn: str) -> Declared:
    told = f"Draw {drawn} as SVG or PNG (needs sparring[plot])."
    return click.option("--plot", metavar="FILE", type=Checked("file", plot_path), help=told)


def file(name: str, told: str, **more: Any) -> Declared:
    return click.option(name, metavar="FILE", type=WRITABLE, help=told, **more)


def names(name: str, metavar: str, told: str) -> Declared:
    """Declare an option that lists names with commas."""
    kind = Checked("names", lambda names: tuple(one.strip() for one in names.split(",") if one.strip()))
    return click.option(name, metavar=metavar, type=kind, default="", help=told)


def agent(name: str, told: str, **more: Any) -> Declared:
    return click.option(name, metavar="AGENT", shell_complete=complete_agents, help=told, **more)


as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
seed = number("--seed", "Decides openings and all chance.", defaults.SEED)
store = click.option("--store", metavar="FILE", help="The file of kept games.  [default: $SPARRING_STORE or your own]")
workers = number("--workers", "Games at once.  [default: one a core]")
cluster = click.option("--cluster", metavar="ADDRESS", help="Play on a Ray cluster: HOST:PORT, or auto.")
strict = click.option("--strict", is_flag=True, help="Refuse heuristics that cannot be compiled.")
game_number = click.option("--game", "number", default=1, show_default=True, help="The number of the game.")
game = click.argument("game", shell_complete=complete_games)
words = {
    kind: click.argument(kind, nargs=-1, type=click.UNPROCESSED, shell_complete=complete)
    for kind, complete in (("agent", complete_agents), ("agents", complete_agents), ("options", None))
}
"""The arguments that may follow a game; the options of the game are among these words."""
experiment = click.argument("id", shell_complete=complete_kept)


def joined(*options: Declared) -> Declared:
    """Join several options into one declaration, in this order."""

    def declare(command: Declared) -> Declared:
        for option in reversed(options):
            command = option(command)
        return command

    return declare


match_options = joined(
    number("--games", "Games of each pair or table, divided equally among all seatings.", defaults.GAMES),
    seed,
    workers,
    cluster,
    click.option("--limit", metavar="TIME", help="An agent that takes longer for a move loses, e.g. 150ms."),
    click.option("--bank", metavar="TIME", help="Time for moves beyond their limit, in a whole game."),
    click.option("--sprt", metavar="LOW:HIGH", help="Stop when the first agent is shown to be LOW or HIGH Elo better."),
    click.option("--seating", type=click.Choice(["rotations", "permutations"]), help="For more than two players."),
    click.option("--decisions", is_flag=True, help="Keep the reasons for every move."),
    strict,
    as_json,
    store,
    file("--save", "Write the games to a file for `spar replay`."),
)
"""The options of play."""


# Games and their options


class GameCommand(click.Command):
    """A command about a game. The options that it does not know are the game's, such as --board 6x6."""

    def invoke(self, ctx: click.Context) -> Any:
        kind = next(param.name for param in self.params if param.name in words)
        ctx.params["game"], rest = parse_game_and_rest(ctx.params["game"], ctx.params.pop(kind))
        if kind == "agent" and len(rest) != 1:
            raise click.UsageError("name one agent.", ctx)
        if kind == "options" and rest:
            raise click.UsageError(f"{rest[0]!r} is not expected here.", ctx)
        if kind != "options":
            ctx.params[kind] = rest[0] if kind == "agent" else rest
        return super().invoke(ctx)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        found = super().shell_complete(ctx, incomplete)
        with suppress(SparringError):
            if incomplete.startswith("-") and ctx.params.get("game"):
                own = [f"--{option.replace('_', '-')}" for option in listings.about(ctx.params["game"])["options"]]
                found += [CompletionItem(option) for option in own if option.startswith(incomplete)]
        return found


def game_command(kind: str = "options") -> Declared:
    """Declare a command that takes a game with its options and, beside it, nothing, one `agent` or several `agents`."""
    return joined(click.command(cls=GameCommand, context_settings=GAME_OPTIONS), game, words[kind])


def parse_game_and_rest(name: str, words: Sequence[str]) -> "tuple[Game, list[str]]":
    """Set up a game with the options among the words, and return the words that are left."""
    from sparring.games.registry import game

    known = game(name).options()
    own = [param.opts[0] for param in click.get_current_context().command.params if param.opts[0][0] == "-"]
    rest, options, following = [], {}, iter(words)
    for word in following:
        if not word.startswith("-"):
            rest.append(word)
            continue
        if not word.startswith("--"):
            raise SparringError(f"unknown option {word}; options look like --board 6x6")
        key, equals, value = word[2:].partition("=")
        key = key.replace("-", "_")
        if key not in known:
            raise unknown("option", f"--{key}", [*(f"--{option}" for option in known), *own])
        found = value if equals else next(following, None)
        if found is None:
            raise SparringError(f"{word} needs a value")
        options[key] = found
    return game(name, **options), rest
