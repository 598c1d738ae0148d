"""spar export"""

import sys

import click

from sparring.cli import parsing


@click.command()
@click.argument("id")
@click.argument("file")
@parsing.store
def command(id: str, file: str, store: str | None) -> None:
    """Write the games of a kept experiment for other programs. FILE ends in .jsonl, .csv or .parquet.

    A game is a line of JSON, or a row: who sat where, opening, moves, scores, ending, and what every seat spent.
    Decisions, where they were kept, are in .jsonl only.

    \b
    spar export 3f2a games.csv
    spar export 3f2a games.parquet
    """
    path = parsing.place_to_write(file)
    from sparring.reports.export import export

    with parsing.opened(store, new=False) as kept, parsing.progress("writing") as tell:
        games = export(kept, id, path, tell)
    print(f"{file}: {games:,} games", file=sys.stderr)
