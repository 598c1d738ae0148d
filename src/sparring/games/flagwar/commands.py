"""The command of Flag War: spar timeline."""

import sys
from pathlib import Path

import click

from sparring.cli import options, output
from sparring.core.errors import SparringError


@click.command()
@click.argument("source")
@click.option("--game", "number", default=1, show_default=True, help="The number of the game in SOURCE.")
@click.option("--html", metavar="FILE", help="Write a page for any browser instead.")
@click.option("--jsonl", metavar="FILE", help="Write JSON Lines instead, one for each round.")
@options.store
def timeline(source: str, number: int, html: str | None, jsonl: str | None, store: str | None) -> None:
    """Show a game of Flag War round by round.

    It shows the command, the plan and the walk of each piece with reasons, and predictions beside results.

    SOURCE is a kept experiment, a file of `--save`, or one that `--jsonl` wrote. Agents' decisions are shown if the
    games were played with `--decisions`; a file of `--save` does not hold them.

    \b
    spar timeline last --game 3
    spar timeline 3f2a --game 3 --html timeline.html
    """
    page, lines = (output.writable_path(name) if name else None for name in (html, jsonl))
    from sparring.core.table import plain
    from sparring.games.flagwar import timeline as timelines
    from sparring.games.flagwar.timeline_page import write

    if source.endswith(".jsonl"):
        if number != 1:
            raise SparringError(f"{source} has one game; game {number} does not exist")
        told = timelines.read(Path(source))
    else:
        told = timelines.timeline(output.game_of(source, number, store))
    if page:
        write(told, page)
    if lines:
        told.write(lines)
    if page or lines:
        print(f"{' and '.join(name for name in (html, jsonl) if name)}: {plain(told.result)}", file=sys.stderr)
    else:
        print(plain(str(told)))
