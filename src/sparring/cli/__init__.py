"""The `spar` command: one small file for each command, and those that games declare. They only parse and print; the
work is in api.py."""

import os
import sys
from importlib import import_module
from pathlib import Path

import click

from sparring import __version__
from sparring.core import plugins
from sparring.core.errors import SparringError, unknown
from sparring.core.table import plain

OWN = {file.stem for file in Path(__file__).parent.glob("*.py")} - {"__init__", "parsing"}


class Commands(click.Group):
    """Finds a command in the file of its name, or in an installed package. None is loaded before it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(OWN | plugins.declared(plugins.COMMANDS).keys())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            raise unknown("command", args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in OWN:
            own: click.Command = import_module(f"{__name__}.{cmd_name}").command
            return own
        if cmd_name not in self.list_commands(ctx):
            return None
        try:
            declared: click.Command = plugins.only(plugins.COMMANDS, "command", cmd_name)
            return declared
        except SparringError as error:
            return _broken(cmd_name, error)


def _broken(name: str, error: SparringError) -> click.Command:
    """A command that cannot be loaded: it is listed with the others, and refuses whatever is asked."""

    def refuse(words: tuple[str, ...]) -> None:
        raise error

    words = click.Argument(["words"], nargs=-1, type=click.UNPROCESSED)
    settings = {"ignore_unknown_options": True}
    return click.Command(name, settings, refuse, [words], help=str(error), short_help="Cannot be loaded.")


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
    try:
        code = spar.main(prog_name="spar", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.NoArgsIsHelpError as help_text:
        print(help_text.format_message())
        sys.exit(0)
    except SparringError as error:
        print(f"spar: {plain(str(error))}", file=sys.stderr)
    except click.ClickException as error:
        where = f" Try: {error.ctx.command_path} --help" if isinstance(error, click.UsageError) and error.ctx else ""
        print(f"spar: {error.format_message()}{where}", file=sys.stderr)
    except (KeyboardInterrupt, click.Abort):
        print("spar: stopped", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads; leave without a word
        sys.exit(0)
    sys.exit(2)
