"""spar reproduce"""

import json
import shlex
import sys

import click

from sparring.cli import parsing


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT] ...")
@click.option(
    "--size",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="quick: two minutes on two cores for all; full: as many games as the experiments say.",
)
@click.option(
    "--out", metavar="FILE", default="findings.md", show_default=True, help="The page; its pictures go beside it."
)
@parsing.workers
@parsing.as_json
@parsing.store
def command(
    documents: tuple[str, ...], size: str, out: str, workers: int | None, as_json: bool, store: str | None
) -> None:
    """Answer what design documents claim, and write the findings. The experiments on it are played: what holds, what
    does not?

    A DOCUMENT is the number of one that comes with a game, or an experiment's file that says under [document]
    what is claimed; without any, all are answered. Interrupted, the same command goes on where it was.

    \b
    spar reproduce 003
    spar reproduce --size full --out docs/findings.md
    """
    from sparring import api

    file = parsing.place_to_write(out)
    with parsing.opened(store) as kept, parsing.progress("answering", "") as tell:
        try:
            found = api.reproduce(
                documents,
                size=size,
                out=file,
                store=kept,
                workers=workers,
                progress=tell,
                answer=lambda document, one: None if as_json else print(f"{document} {one}", flush=True),
            )
        except KeyboardInterrupt:
            print(f"stopped; go on: {shlex.join(['spar', *sys.argv[1:]])}", file=sys.stderr)
            sys.exit(130)
    if as_json:
        print(json.dumps([one.to_json() for one in found], indent=1))
    print(f"{file} is written", file=sys.stderr)
