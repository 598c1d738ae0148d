"""spar new"""

from pathlib import Path

import click


@click.command()
@click.option("--game", "whole_game", is_flag=True, help="Write the package of a new game to a folder.")
@click.argument("game")
@click.argument("file")
def command(game: str, file: str, whole_game: bool) -> None:
    """Write a heuristic to start from, or a game. Comments say what it can see.

    \b
    spar new isolation my_idea.py
    spar new --game my_game my_folder
    """
    if whole_game:
        from sparring.games import starter

        commands = starter.begin(game, Path(file))
        print(f"{file} is the package of a game called {game}: try it, and change its rules")
    else:
        from sparring.agents import newfile

        commands = newfile.begin(game, Path(file))
        print(f"{file} is a heuristic for {game}: change it, and see what that is worth")
    print("\n".join(commands))
