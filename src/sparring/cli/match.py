"""spar match"""

from typing import Any

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@parsing.tournament_options
def command(game: str, agents: tuple[str, ...], **given: Any) -> None:
    """Let two agents meet: which is better, and how sure is that?

    \b
    spar match isolation my_file.py:my_idea next_moves
    spar match isolation alphabeta:voronoi,nodes=3000 alphabeta:improved,nodes=3000 --games 2000
    spar match isolation voronoi improved --board 6x6 --save games.txt
    """
    made, names = parsing.game_and_rest(game, agents)
    if len(names) != made.seats:
        seats = "two" if made.seats == 2 else made.seats
        raise click.UsageError(f"a match takes {seats} agents, not {len(names)}.", click.get_current_context())
    from sparring import workbench

    parsing.play(workbench.match, made, names, given)
