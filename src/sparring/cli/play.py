"""Commands to play and compare: match, league, run, report, experiments, verify, reproduce, export."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import click

import sparring
from sparring.cli import options
from sparring.cli.options import Text
from sparring.cli.output import end_if_interrupted, opened, play, progress, refuse_workers_on_cluster, show
from sparring.core.amounts import parse_seconds
from sparring.core.table import columns, one_line, plain

LONGEST_TITLE = 60


@options.game_command("agents")
@options.match_options
def match(game: Any, agents: Any, **given: Any) -> None:
    """Compare two agents, or as many as the game seats. Which is better, and how sure is that?

    \b
    spar match isolation my_file.py:my_idea next_moves
    spar match isolation alphabeta:voronoi,nodes=3000 alphabeta:improved,nodes=3000 --games 2000
    spar match isolation voronoi improved --board 6x6 --save games.txt
    """
    play(sparring.match, game, agents, given)


@options.game_command("agents")
@options.match_options
def league(game: Any, agents: Any, **given: Any) -> None:
    """Let every agent meet every other. The result is ratings and a cross-table.

    \b
    spar league isolation random minimax:open alphabeta:improved alphabeta:voronoi
    """
    play(sparring.league, game, [agents], given)


@click.command()
@click.argument("file", required=False, shell_complete=options.complete_experiment_files)
@click.option(
    "--again",
    metavar="ID",
    shell_complete=options.complete_kept,
    help="Play a kept experiment again and compare, instead of a file.",
)
@options.number("--games", "Games of each pair, instead of the file's number.")
@options.number("--seed", "Another seed than the file's.")
@options.names("--only", "NAMES", "Only these agents or contestants, with commas; opponents stay.")
@click.option("--limit", metavar="TIME", help="Another limit for a move than the file's, e.g. 2s.")
@click.option("--time", "timed", is_flag=True, help="Use the time budgets of the file instead of nodes.")
@options.workers
@options.cluster
@options.strict
@options.as_json
@options.store
def run(file: Text, again: Text, as_json: bool, store: Text, **given: Any) -> None:
    """Play an experiment from its file, or by its name. The games bring some; claims in the file are shown beside the
    results.

    After an interruption, the same command continues.

    \b
    spar run seed-003 --games 20
    spar run seed-003 --games 20 --only improved,next_moves
    spar run --again 3f2a19c0
    """
    if bool(file) == bool(again):
        raise click.UsageError("name a file, or an experiment by --again.", click.get_current_context())
    refuse_workers_on_cluster(given)
    if given["limit"]:
        parse_seconds("--limit", given["limit"])
    ways = {name: given.pop(name) for name in ("workers", "cluster")}
    changes = {name: value for name, value in given.items() if value not in (None, False, ())}
    if again and changes:
        raise click.UsageError("--again plays the same games: change nothing.", click.get_current_context())
    result: Any
    compared = None
    with opened(store, new=not again) as kept, progress("playing") as tell:
        if again:
            result, compared = sparring.again(again, **ways, progress=tell, store=kept)
        else:
            result = sparring.run(str(file), **ways, **changes, progress=tell, store=kept)
    show(result, as_json)
    if compared:
        print(compared, file=sys.stderr)
    end_if_interrupted(result)
    if compared and compared.differ:
        sys.exit(1)


@click.command()
@options.experiment
@options.file("--html", "Write a page for a browser instead.")
@click.option(
    "--by", metavar="NOTE", default="", help="Count the agents' notes for each value of one note, e.g. phase."
)
@options.as_json
@options.store
def report(id: str, html: Path | None, by: str, as_json: bool, store: Text) -> None:
    """Show what a kept experiment proves. The report also says which games to look at.

    The start of an ID is enough; `spar experiments` lists them, and `last` is the newest.

    \b
    spar report 3f2a19c0
    spar report 3f2a --html report.html
    spar report 3f2a --by phase
    """
    from sparring.analysis.decisions import decision_stats
    from sparring.analysis.report import Report

    with opened(store, new=False) as kept:
        result = sparring.report(id, store=kept)
        told = decision_stats(result, kept.batches(result.id, decisions=True), by)
        made = Report(result, kept.begun(result.id), told)
    if html:
        from sparring.reports.html import write

        write(made, html)
        print(f"{html}: {made.state}", file=sys.stderr)
    if as_json:
        show(made, as_json)
    elif not html:
        print(f"{made}\nas a page with charts: spar report {result.id} --html report.html{result.store}")


@click.command()
@options.as_json
@options.store
def experiments(as_json: bool, store: Text) -> None:
    """List the kept experiments, the newest last. The number of kept games stands behind each.

    If a sequential test ended early or an agent was retired, some of these games do not count.

    \b
    spar experiments
    spar report 3f2a
    """
    with opened(store, new=False) as kept:
        listed = kept.listed()
    if as_json:
        print(json.dumps([one._asdict() for one in listed], indent=1))
    elif not listed:
        print(kept.nothing)
    else:
        from sparring.analysis.report import when

        rows = [("id", "begun (UTC)", "game", "agents", "kept", "")]
        for one in listed:
            title = one_line(plain(one.title or " v ".join(one.agents)))
            title = title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 3]}..."
            rows.append((one.id, when(one.begun), one.game, f"{len(one.agents)}", f"{one.kept:,}", title))
        print(columns(rows, right={3, 4}))
        print(f"details: spar report {listed[-1].id}{kept.option}")


@click.command()
@click.argument("id", default="", shell_complete=options.complete_kept)
@click.option("--repair", "repairing", is_flag=True, help="Save what is good of a damaged store.")
@options.store
def verify(id: str, repairing: bool, store: Text) -> None:
    """Check the kept games, and save what is good.

    It checks the file, the checksums, and a sample of games, which are played again. The start of an ID checks the
    games of one experiment.

    If the file is damaged, the exit code is 1. --repair writes what is good to a new file, which takes its place. The
    damaged one stays beside it.

    \b
    spar verify
    spar verify 3f2a
    spar verify --repair
    """
    from sparring.arena.salvage import repair
    from sparring.arena.store_file import default_path
    from sparring.arena.verify import verify as check

    path = Path(store) if store else default_path()
    found = check(path, id)
    print(found)
    if found.damage and found.savable and repairing:
        print(f"\nthe damaged file is now {repair(path)}; to play what is lost, repeat the commands of its experiments")
    elif not found.good:
        sys.exit(1)


@click.command()
@click.argument("documents", nargs=-1, metavar="[DOCUMENT] ...", shell_complete=options.complete_documents)
@click.option(
    "--size",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="quick: two minutes on two cores for all; full: as many games as the experiments say.",
)
@options.file("--out", "The page; pictures go beside it.", default="findings.md", show_default=True)
@options.workers
@options.as_json
@options.store
def reproduce(
    documents: tuple[str, ...], size: str, out: Path, workers: int | None, as_json: bool, store: Text
) -> None:
    """Test the claims of design documents. Play the experiments, and write which claims hold to a page of findings.

    A DOCUMENT is the number of one that comes with a game, or the file of an experiment with claims under [document].
    Without any, all that come with the games are tested. After an interruption, the same command continues.

    \b
    spar reproduce 003
    spar reproduce --size full --out docs/findings.md
    """
    with opened(store) as kept, progress("testing", "") as tell:
        try:
            found = sparring.reproduce(
                documents,
                size=size,
                out=out,
                store=kept,
                workers=workers,
                progress=tell,
                answer=lambda document, one: None if as_json else print(f"{document} {one}", flush=True),
            )
        except KeyboardInterrupt:
            print(f"stopped; continue: {shlex.join(['spar', *sys.argv[1:]])}", file=sys.stderr)
            sys.exit(130)
    if as_json:
        print(json.dumps([one.to_json() for one in found], indent=1))
    print(f"{out} is written", file=sys.stderr)


@click.command()
@options.experiment
@click.argument("file", type=options.WRITABLE)
@options.store
def export(id: str, file: Path, store: Text) -> None:
    """Write the games of a kept experiment for other programs. FILE ends in .jsonl, .csv or .parquet.

    Each game is a line of JSON or a row: seats, opening, moves, scores, ending, and each player's time and nodes. Only
    .jsonl holds decisions, if they were kept.

    \b
    spar export 3f2a games.csv
    spar export 3f2a games.parquet
    """
    from sparring.reports.export import export as write

    with opened(store, new=False) as kept, progress("writing") as tell:
        games = write(kept, id, file, tell)
    print(f"{file}: {games:,} games", file=sys.stderr)
