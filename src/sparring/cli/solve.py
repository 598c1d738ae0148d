"""spar solve"""

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--position", help="Solve this position, given as text or as moves, instead of the whole board.")
@click.option("--first", metavar="CELL", help="Also show who wins for every reply to this first cell.")
@click.option("--svg", "picture", metavar="FILE", help="Write the map of all openings as a picture.")
@parsing.as_json
def command(
    game: str, options: tuple[str, ...], position: str | None, first: str | None, picture: str | None, as_json: bool
) -> None:
    """The exact truth: who wins, from every opening of a board or in one position.

    \b
    spar solve isolation --board 6x6 --first c3
    spar solve isolation --position "d4 e6 f5 c5"
    """
    from sparring import workbench
    from sparring.exact.openings import Openings

    made = parsing.game_alone(game, options)
    if first and position:
        raise click.UsageError("--first belongs to a whole board, not to a --position.", click.get_current_context())
    cell = made.position("").action(first) if first else None
    file = parsing.place_to_write(picture) if picture else None
    with parsing.progress("solving", "openings") as tell:
        solved = workbench.solve(made, position, progress=tell)
    parsing.show(solved, as_json)
    if cell is not None and isinstance(solved, Openings) and not as_json:
        print(f"\nfirst on {first}, and who wins for each cell of the second:\n{solved.replies(cell)}")
    if file:
        file.write_text(solved.svg())
