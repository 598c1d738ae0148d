"""spar run"""

import sys

import click

from sparring.cli import parsing


@click.command()
@click.argument("file")
@click.option("--games", type=int, help="Games of each pair, instead of what the file says.")
@click.option("--seed", type=int, help="Another seed than the file's.")
@click.option("--time", "timed", is_flag=True, help="Budgets by the clock, as the file gives them, instead of nodes.")
@click.option("--workers", type=click.IntRange(1, 256), help="Games played at once.")
@parsing.as_json
def command(file: str, games: int | None, seed: int | None, timed: bool, workers: int | None, as_json: bool) -> None:
    """Play an experiment from its file and set what it claims beside what comes out.

    \b
    spar run experiments/seed-003.toml --games 20
    """
    from sparring import workbench

    with parsing.progress("playing") as tell:
        outcome = workbench.run(file, games=games, seed=seed, timed=timed, workers=workers, progress=tell)
    parsing.show(outcome, as_json)
    if outcome.tournament.interrupted:
        sys.exit(130)
