"""spar solve"""

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--position", help="Solve this position, given as text or as moves, instead of the whole board.")
@click.option("--svg", "picture", metavar="FILE", help="Write the map of openings as a picture.")
@parsing.as_json
def command(game: str, options: tuple[str, ...], position: str | None, picture: str | None, as_json: bool) -> None:
    """The exact truth: who wins, from every opening of a board or in one position.

    \b
    spar solve isolation --board 6x6
    spar solve isolation --position "d4 e6 f5 c5"
    """
    from sparring import workbench

    made = parsing.game_alone(game, options)
    file = parsing.place_to_write(picture) if picture else None
    with parsing.progress("solving", "openings") as tell:
        solved = workbench.solve(made, position, progress=tell)
    parsing.show(solved, as_json)
    if file:
        file.write_text(solved.svg())
