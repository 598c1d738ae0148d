"""spar report"""

import json
import sys

import click

from sparring.cli import parsing


@click.command()
@click.argument("id")
@click.option("--html", metavar="FILE", help="Write it as a page that any browser shows, instead.")
@click.option("--by", metavar="NOTE", default="", help="Count what agents noted for each word of one note, e.g. phase.")
@parsing.as_json
@parsing.store
def command(id: str, html: str | None, by: str, as_json: bool, store: str | None) -> None:
    """What a kept experiment proves, and which games to look at.

    The start of an ID is enough; `spar experiments` lists them.

    \b
    spar report 3f2a19c0
    spar report 3f2a --html report.html
    spar report 3f2a --by phase
    """
    file = parsing.place_to_write(html) if html else None
    from sparring import api
    from sparring.analysis.decisions import thoughts
    from sparring.analysis.report import Report

    with parsing.opened(store, new=False) as kept:
        result = api.report(id, store=kept)
        told = thoughts(result, kept.each_sheet(result.id, decisions=True), by)
        report = Report(result, kept.begun(result.id), told)
    if file:
        from sparring.reports.html import write

        write(report, file)
        print(f"{file}: {report.state}", file=sys.stderr)
    if as_json:
        print(json.dumps(report.to_json(), indent=1))
    elif not file:
        print(f"{report}\nas a page with charts: spar report {result.id} --html report.html{result.store}")
