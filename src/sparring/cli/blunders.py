"""spar blunders"""

import sys

import click

from sparring.cli import parsing
from sparring.core import defaults


@click.command()
@click.argument("experiment")
@click.option("--game", type=parsing.Number(), help="Only this game.")
@click.option("--agent", help="Only the losses of this agent.")
@click.option(
    "--most",
    type=parsing.Number(),
    default=defaults.LOSSES,
    show_default=True,
    help="Losses to look at; if there are more, the seed draws which.",
)
@click.option("--judge", metavar="AGENT", help="Who judges.  [default: the game's solver, or a deep search]")
@click.option("--save", metavar="FILE", help="Add the positions to a suite of your own.")
@parsing.seed
@parsing.as_json
@parsing.store
def command(
    experiment: str,
    game: int | None,
    agent: str | None,
    most: int,
    judge: str | None,
    save: str | None,
    seed: int,
    as_json: bool,
    store: str | None,
) -> None:
    """Where games were decided, and what was better there. Of each loss it is the move by which most was given away.

    \b
    spar blunders last --agent my_idea.py
    spar blunders 3f2a --game 17
    spar blunders last --most 200 --save my_suite.toml
    """
    from sparring import api
    from sparring.analysis import suite

    file = parsing.place_to_write(save) if save else None
    with parsing.opened(store, new=False) as kept, parsing.progress("looking for blunders", "losses") as tell:
        if file and file.exists():
            suite.cases(kept.contest(kept.find(experiment)).game.name, file)  # else nothing could be added to it
        found = api.blunders(
            experiment, store=kept, game=game, agent=agent, most=most, judge=judge, seed=seed, progress=tell
        )
    parsing.show(found, as_json)
    if file:
        print(found.save(file), file=sys.stderr)
    if found.interrupted:
        sys.exit(130)
