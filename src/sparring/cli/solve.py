"""spar solve"""

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--position", help="Solve this position, given as text or as moves, instead of the whole board.")
@click.option("--first", metavar="CELL", help="Also show who wins for every reply to this first cell.")
@click.option("--svg", "picture", metavar="FILE", help="Write the map of all openings, or the position, as a picture.")
@parsing.as_json
def command(
    game: str, options: tuple[str, ...], position: str | None, first: str | None, picture: str | None, as_json: bool
) -> None:
    """The exact truth: who wins, or how likely. In the whole game, or in one position.

    \b
    spar solve isolation --board 6x6 --first c3
    spar solve isolation --position "d4 e6 f5 c5"
    spar solve ludo --players 2 --tokens 2
    """
    from sparring import api
    from sparring.core.files import written_whole

    made = parsing.game_alone(game, options)
    if first and position:
        raise click.UsageError("--first belongs to a whole board, not to a --position.", click.get_current_context())
    file = parsing.place_to_write(picture) if picture else None
    with parsing.progress("solving", "") as tell:
        solved = api.solve(made, position, first=first, progress=tell)
    parsing.show(solved, as_json)
    if file:
        with written_whole(file) as part:
            part.write_text(solved.svg())
