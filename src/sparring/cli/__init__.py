"""The `spar` command. One file holds one group of commands; they parse and print, and api.py does the work."""

import errno
import io
import os
import sys
from importlib.metadata import EntryPoint

import click

from sparring import __version__
from sparring.cli import develop, improve, look, options, play, understand
from sparring.core import plugins
from sparring.core.errors import SparringError, unknown
from sparring.core.table import plain

SECTIONS = {
    "Play and compare": [
        *(play.match, play.league, play.run, play.report, play.experiments),
        *(play.verify, play.reproduce, play.export),
    ],
    "Understand": [
        *(understand.explain, understand.blunders, understand.solve, understand.grade),
        *(understand.suite, understand.exploit),
    ],
    "Improve": [improve.new, improve.tune, improve.ablate, improve.learn],
    "Look": [look.games, look.agents, look.replay, look.web],
    "Develop": [develop.check, develop.bench, develop.mcp, develop.completion],
}
OWN = {command.name: command for commands in SECTIONS.values() for command in commands}


class Commands(click.Group):
    """Sparring's commands, and those that games and other installed packages declare."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(OWN | plugins.declared(plugins.COMMANDS).keys())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = [*self.list_commands(ctx)]
        if args[0] not in known and not args[0].startswith("-") and not ctx.resilient_parsing:
            raise unknown("command", args[0], known)
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OWN or cmd_name not in plugins.declared(plugins.COMMANDS):
            return OWN.get(cmd_name)
        try:
            declared: click.Command = plugins.only(plugins.COMMANDS, "command", cmd_name)
            return declared
        except SparringError as error:
            return _broken(cmd_name, error)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        sections = {title: [command.name or "" for command in commands] for title, commands in SECTIONS.items()}
        for name, points in sorted(plugins.declared(plugins.COMMANDS).items()):
            sections.setdefault(f"Only for {_owner(points[0])}", []).append(name)
        width = max(map(len, self.list_commands(ctx)))
        for title, names in sections.items():
            found = {name: command for name in names if (command := self.get_command(ctx, name))}
            with formatter.section(title):
                limit = formatter.width - width - 6
                formatter.write_dl([(name.ljust(width), one.get_short_help_str(limit)) for name, one in found.items()])


def _owner(point: EntryPoint) -> str:
    """Return the game that a command comes with, or the package."""
    home = point.module.rpartition(".")[0] or point.module
    for name, games in plugins.declared(plugins.GAMES).items():
        if any(game.module.startswith(f"{home}.") for game in games):
            return name
    return plugins.package_of(point)


def _broken(name: str, error: SparringError) -> click.Command:
    """Return a command for one that cannot be loaded. It is listed with the others, and any call of it fails."""

    @click.command(name, context_settings=options.GAME_OPTIONS, help=str(error), short_help="Cannot be loaded.")
    @click.argument("words", nargs=-1, type=click.UNPROCESSED)
    def refuse(words: tuple[str, ...]) -> None:
        raise error

    return refuse


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="spar")
def spar() -> None:
    """Write a heuristic in plain Python, search it at native speed, and know whether it is really better.

    \b
    spar new isolation my_idea.py
    spar match isolation my_idea.py improved --games 200
    spar agents isolation
    """


def main() -> None:
    for name in ("stdout", "stderr"):
        if isinstance(stream := getattr(sys, name), io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a sign that the terminal lacks
        elif stream is None:  # closed by the shell
            setattr(sys, name, open(os.devnull, "w"))  # noqa: PTH123, SIM115
    try:
        code = spar.main(prog_name="spar", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as help_text:
        print(help_text.format_message())
        sys.exit(0)
    except SparringError as error:
        for told in [*getattr(error, "__notes__", ()), f"spar: {error}"]:
            print(plain(told), file=sys.stderr)
    except click.ClickException as error:
        where = f" Try: {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
        print(f"spar: {error.format_message()}{where}", file=sys.stderr)
    except (KeyboardInterrupt, click.Abort):
        print("spar: stopped", file=sys.stderr)
        sys.exit(130)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.ENOSPC):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if error.errno == errno.EPIPE:  # the reader is gone: end silently
            sys.exit(0)
        print(f"spar: cannot write the output: {error.strerror}; make room on the disk", file=sys.stderr)
    sys.exit(2)
