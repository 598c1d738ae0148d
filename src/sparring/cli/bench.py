"""spar bench"""

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@parsing.as_json
def command(game: str, options: tuple[str, ...], as_json: bool) -> None:
    """Search fixed positions: speed, and a signature of the play. A mere refactoring must not change it."""
    from sparring import api

    parsing.show(api.bench(parsing.game_alone(game, options)), as_json)
