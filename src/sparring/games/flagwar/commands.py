"""The command of Flag War: spar timeline."""

import sys
from pathlib import Path

import click

from sparring.cli import parsing
from sparring.core.errors import SparringError


@click.command()
@click.argument("source")
@click.option("--game", "number", default=1, show_default=True, help="Which game of it.")
@click.option("--html", metavar="FILE", help="Write it as a page that any browser shows, instead.")
@click.option("--jsonl", metavar="FILE", help="Write it as JSON Lines, a round each, instead.")
@parsing.store
def timeline(source: str, number: int, html: str | None, jsonl: str | None, store: str | None) -> None:
    """A game of Flag War round by round. What each piece was told, planned and did, and why; what agents predicted and
    what came.

    SOURCE is a kept experiment, a file of `--save`, or one that `--jsonl` wrote. What agents thought is there if they
    played with `--decisions`, which a file of `--save` does not hold.

    \b
    spar timeline last --game 3
    spar timeline 3f2a --game 3 --html timeline.html
    """
    page, lines = (parsing.place_to_write(name) if name else None for name in (html, jsonl))
    from sparring.core.table import plain
    from sparring.games.flagwar.timeline import timeline as timelines
    from sparring.games.flagwar.timeline.html import write

    if source.endswith(".jsonl"):
        if number != 1:
            raise SparringError(f"{source} has one game; game {number} does not exist")
        told = timelines.read(Path(source))
    else:
        told = timelines.timeline(parsing.game_of(source, number, store))
    if page:
        write(told, page)
    if lines:
        told.write(lines)
    if page or lines:
        print(f"{' and '.join(name for name in (html, jsonl) if name)}: {plain(told.result)}", file=sys.stderr)
    else:
        print(plain(str(told)))
