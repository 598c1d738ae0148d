"""spar match"""

from typing import Any

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@parsing.tournament_options
def command(game: str, agents: tuple[str, ...], **given: Any) -> None:
    """Let two agents meet, or as many as the game seats. Which is better, and how sure is that?

    \b
    spar match isolation my_file.py:my_idea next_moves
    spar match isolation alphabeta:voronoi,nodes=3000 alphabeta:improved,nodes=3000 --games 2000
    spar match isolation voronoi improved --board 6x6 --save games.txt
    """
    made, names = parsing.game_and_rest(game, agents)
    from sparring import api

    parsing.play(api.match, made, names, given)
