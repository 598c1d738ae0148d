"""spar games"""

import click


@click.command()
def command() -> None:
    """List the games, what kind they are and their options."""
    from sparring.games import game, names

    for name in names():
        made = game(name)
        print(f"{name}: {made.kind}")
        print("  " + " ".join(f"--{key} {value}" for key, value in made.options().items()))
