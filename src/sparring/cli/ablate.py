"""spar ablate"""

from typing import Any

import click

from sparring.cli import parsing
from sparring.core import defaults


@click.command(context_settings=parsing.GAME_OPTIONS)
@parsing.games("Games for each part.", defaults.ABLATED_GAMES)
@click.option("--only", metavar="PARTS", help="terms or flaws, or some of them by name.  [default: all]")
@parsing.plot("the ranking")
@parsing.study_options
def command(
    game: str,
    agent: tuple[str, ...],
    only: str | None,
    plot: str | None,
    store: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """What each part of an agent is worth. Each term and each flaw is switched alone, against the whole.

    \b
    spar ablate isolation next_moves,nodes=300
    spar ablate ludo rulebased:corrected --only flaws --plot flaws.svg
    """
    from sparring import api

    made, named = parsing.game_and_agent(game, agent)
    picture = parsing.place_to_draw(plot) if plot else None
    with parsing.opened(store) as kept, parsing.progress("playing") as tell:
        ablation = api.ablate(made, named, only=parsing.listed(only), **given, store=kept, progress=tell)
    parsing.show_study(ablation, as_json, picture)
