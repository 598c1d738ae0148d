"""spar grade"""

import click

from sparring.cli import parsing
from sparring.core import defaults


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("agents", nargs=-1, type=click.UNPROCESSED)
@parsing.games("Games from which positions are taken, where not every position is solved.", defaults.GRADED_GAMES)
@parsing.plot("the table")
@parsing.seed
@parsing.strict
@parsing.as_json
def command(
    game: str, agents: tuple[str, ...], games: int, plot: str | None, seed: int, strict: bool, as_json: bool
) -> None:
    """Grade agents against the truth, where it is known. How often do they keep a won game won, or how much do their
    moves lose?

    \b
    spar grade isolation improved next_moves voronoi --plot grades.svg
    spar grade ludo --players 2 --tokens 2 random one_ply
    """
    from sparring import api
    from sparring.analysis.grade import Grades
    from sparring.core.errors import SparringError
    from sparring.games.capabilities import Solver, needed

    made, names = parsing.game_and_rest(game, agents)
    if not names:
        raise click.UsageError("name at least one agent.", click.get_current_context())
    picture = parsing.place_to_draw(plot) if plot else None
    if picture and needed(made, Solver).KNOWS_ALL:
        raise SparringError(f"exact grades of {game} are a table; leave out --plot")
    with parsing.progress("solving", "") as tell:
        grades = api.grade(made, names, games=games, seed=seed, strict=strict, progress=tell)
    parsing.show(grades, as_json)
    if picture and isinstance(grades, Grades):
        grades.plot(picture)
