"""spar league"""

from typing import Any

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@parsing.tournament_options
def command(game: str, agents: tuple[str, ...], **given: Any) -> None:
    """Let every agent meet every other: ratings and a cross-table.

    \b
    spar league isolation random minimax:open alphabeta:improved alphabeta:voronoi
    """
    from sparring import api

    made, names = parsing.game_and_rest(game, agents)
    parsing.play(api.league, made, [names], given)
