"""spar check"""

import sys

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@parsing.as_json
def command(game: str, options: tuple[str, ...], as_json: bool) -> None:
    """Prove that a game keeps the contract all else relies on."""
    from sparring import api

    found = api.check(parsing.game_alone(game, options))
    parsing.show(found, as_json)
    sys.exit(0 if found.passed else 1)
