"""spar experiments"""

import json

import click

from sparring.cli import parsing

AGENTS_TOLD = 60


@click.command()
@parsing.as_json
@parsing.store
def command(as_json: bool, store: str | None) -> None:
    """List the experiments that are kept, the latest last. It says how many games of each are there.

    Where a sequential test ended or an agent was retired, fewer of them may count.

    \b
    spar experiments
    spar report 3f2a
    """
    with parsing.opened(store, new=False) as kept:
        listed = kept.listed()
    if as_json:
        print(json.dumps([one._asdict() for one in listed], indent=1))
    elif not listed:
        print(kept.nothing)
    else:
        from sparring.analysis.report import when
        from sparring.core.table import columns, in_a_line, plain

        rows = [("id", "begun (UTC)", "game", "agents", "kept", "")]
        for one in listed:
            told = in_a_line(plain(one.title or " v ".join(one.agents)))
            told = told if len(told) <= AGENTS_TOLD else f"{told[: AGENTS_TOLD - 3]}..."
            rows.append((one.id, when(one.begun), one.game, f"{len(one.agents)}", f"{one.kept:,}", told))
        print(columns(rows, right={3, 4}))
        print(f"closer: spar report {listed[-1].id}{kept.option}")
