"""spar suite"""

from typing import Any

import click

from sparring.cli import parsing
from sparring.core import defaults


@click.command()
@click.argument("game")
@click.argument("agents", nargs=-1, required=True)
@click.option("--cases", metavar="FILE", help="Cases of your own, such as `spar blunders --save` writes.")
@click.option(
    "--tries",
    type=parsing.Number(),
    default=defaults.TRIES,
    show_default=True,
    help="How often an agent is asked that draws its actions.",
)
@parsing.seed
@parsing.strict
@parsing.as_json
def command(game: str, agents: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Try agents on positions whose answer is known. How often do they find it?

    \b
    spar suite flagwar seed matrix
    spar suite isolation my_idea.py --cases my_suite.toml
    """
    from sparring import api

    with parsing.progress("solving", "cases") as tell:
        found = api.suite(game, agents, **given, progress=tell)
    parsing.show(found, as_json)
