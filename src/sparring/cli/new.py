"""spar new"""

from pathlib import Path

import click


@click.command()
@click.argument("game")
@click.argument("file")
def command(game: str, file: str) -> None:
    """Write a heuristic to start from. Its comments say what it can see.

    \b
    spar new isolation my_idea.py
    """
    from sparring.agents.newfile import begin

    commands = begin(game, Path(file))
    print(f"{file} is a heuristic for {game}: change it, and see what that is worth")
    print("\n".join(commands))
