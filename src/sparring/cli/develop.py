"""Commands for those who build games or work on Sparring: check, bench, mcp, completion."""

import sys
from typing import Any

import click
from click.shell_completion import get_completion_class

import sparring
from sparring.cli import options
from sparring.cli.output import show
from sparring.core.errors import SparringError


@options.game_command()
@options.as_json
def check(game: Any, as_json: bool) -> None:
    """Test that a game keeps its contract. Everything else relies on it."""
    found = sparring.check(game)
    show(found, as_json)
    sys.exit(0 if found.passed else 1)


@options.game_command()
@options.as_json
def bench(game: Any, as_json: bool) -> None:
    """Search fixed positions: speed, and a signature of the play. A refactoring must not change it."""
    show(sparring.bench(game), as_json)


@click.command()
def mcp() -> None:
    """Let an assistant run experiments.

    A server of the Model Context Protocol on standard input and output. It offers games, agents, match, explain, report
    and blunders. It needs the extra mcp: pip install 'sparring[mcp]'
    """
    try:
        from sparring.bridges.mcp import server
    except ImportError as error:
        raise SparringError(f"{error}; pip install 'sparring[mcp]'") from error
    server.run()


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script that completes words in your shell. It knows commands, options, games, agents and experiments.

    \b
    eval "$(spar completion bash)"         in ~/.bashrc
    eval "$(spar completion zsh)"          in ~/.zshrc
    spar completion fish | source          in ~/.config/fish/config.fish
    """
    made = get_completion_class(shell)
    assert made is not None
    print(made(click.get_current_context().find_root().command, {}, "spar", "_SPAR_COMPLETE").source())
