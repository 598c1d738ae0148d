"""spar suite"""

import click

from sparring import defaults
from sparring.cli import parsing


@click.command()
@click.argument("game")
@click.argument("agents", nargs=-1, required=True)
@click.option("--cases", metavar="FILE", help="Cases of your own, such as `spar blunders --save` writes.")
@click.option(
    "--tries",
    type=click.IntRange(1),
    default=defaults.TRIES,
    show_default=True,
    help="How often an agent is asked that draws its actions.",
)
@parsing.seed
@parsing.as_json
def command(game: str, agents: tuple[str, ...], cases: str | None, tries: int, seed: int, as_json: bool) -> None:
    """Positions with an answer that is known: how often do agents find it?

    \b
    spar suite flagwar seed matrix
    spar suite isolation my_idea.py --cases my_suite.toml
    """
    from sparring import workbench

    with parsing.progress("solving", "cases") as tell:
        found = workbench.suite(game, agents, cases=cases, tries=tries, seed=seed, progress=tell)
    parsing.show(found, as_json)
