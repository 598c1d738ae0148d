"""spar run"""

import sys
from typing import Any

import click

from sparring.cli import parsing
from sparring.core.amounts import seconds_of


@click.command()
@click.argument("file", required=False)
@click.option("--again", metavar="ID", help="Play a kept experiment anew and compare, instead of a file.")
@parsing.games("Games of each pair, instead of what the file says.")
@click.option("--seed", type=parsing.Number(), help="Another seed than the file's.")
@click.option("--only", metavar="NAMES", help="These agents or contestants alone, with commas; opponents stay.")
@click.option("--limit", metavar="TIME", help="Another limit for a move than the file's, e.g. 2s.")
@click.option("--time", "timed", is_flag=True, help="Budgets by the clock, as the file gives them, instead of nodes.")
@parsing.workers
@parsing.cluster
@parsing.strict
@parsing.as_json
@parsing.store
def command(file: str | None, again: str | None, as_json: bool, store: str | None, **given: Any) -> None:
    """Play an experiment from its file, or by its name. Some come with the games. What it claims is set beside what
    comes out.

    Interrupted, the same command goes on where it was.

    \b
    spar run seed-003 --games 20
    spar run seed-003 --games 20 --only improved,next_moves
    spar run --again 3f2a19c0
    """
    from sparring import api

    if bool(file) == bool(again):
        raise click.UsageError("name a file, or an experiment by --again.", click.get_current_context())
    if given["cluster"] and given["workers"]:
        raise click.UsageError("a cluster has its own workers: leave --workers out.", click.get_current_context())
    if given["limit"]:
        seconds_of("--limit", given["limit"])
    given["only"] = parsing.listed(given["only"])
    settings = ("games", "seed", "timed", "limit", "only", "strict")
    changes = {name: given[name] for name in settings if given[name] not in (None, False, ())}
    if again and changes:
        raise click.UsageError("--again plays what was played: change nothing.", click.get_current_context())
    with parsing.opened(store, new=not again) as kept, parsing.progress("playing") as tell:
        ways = {"workers": given["workers"], "cluster": given["cluster"], "progress": tell, "store": kept}
        played = api.again(again, **ways) if again else (api.run(str(file), **ways, **changes), None)
    result, compared = played
    parsing.show(result, as_json)
    if compared:
        print(compared, file=sys.stderr)
    if result.interrupted or (compared and compared.differ):
        sys.exit(130 if result.interrupted else 1)
