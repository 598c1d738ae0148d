"""spar games"""

import json

import click

from sparring.cli import parsing


@click.command()
@parsing.as_json
def command(as_json: bool) -> None:
    """List the games, what kind they are and their options."""
    from sparring.games import game, names

    made = [game(name) for name in names()]
    if as_json:
        print(json.dumps([{"game": g.name, "kind": str(g.kind), "options": g.options()} for g in made], indent=1))
        return
    for one in made:
        print(f"{one.name}: {one.kind}")
        print("  " + " ".join(f"--{key} {value}" for key, value in one.options().items()))
