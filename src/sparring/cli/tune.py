"""spar tune"""

import re
import sys
from pathlib import Path
from typing import Any

import click

from sparring.cli import parsing
from sparring.core import defaults


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.option(
    "--against", metavar="AGENT", multiple=True, help="Whom to do well against; may be repeated.  [default: itself]"
)
@parsing.games("Games to tune by.", defaults.TUNED_GAMES)
@click.option("--method", type=click.Choice(["spsa", "cma"]), default="spsa", show_default=True, help="How.")
@click.option("--only", metavar="TERMS", help="The terms that may be moved, e.g. moves,later.  [default: all]")
@click.option(
    "--confirm", type=parsing.Number(), metavar="N", help="Games of the confirmation.  [default: a fourth of --games]"
)
@click.option("--out", metavar="FILE", help="The tuned agent, e.g. tuned.toml.  [default: its name and _tuned.toml]")
@parsing.plot("weights and rating over time")
@parsing.study_options
def command(
    game: str,
    agent: tuple[str, ...],
    only: str | None,
    out: str | None,
    plot: str | None,
    store: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Find better weights for an agent, confirmed on unseen seeds.

    Interrupted, the same command goes on where it was. The result is a file that can be named wherever an agent can.

    \b
    spar tune isolation weighted_chase_corrected,nodes=300
    spar match isolation weighted_chase_corrected_tuned.toml improved,nodes=300
    spar tune ludo one_ply --players 2 --games 100000 --against rulebased:corrected --plot tuning.svg
    """
    from sparring import api
    from sparring.core.errors import SparringError

    made, named = parsing.game_and_agent(game, agent)
    out = out or f"{_short(named)}_tuned.toml"
    if not out.endswith(".toml") or set(out) & set(",():"):
        raise SparringError(f"--out must be such as tuned.toml, not {out!r}: it is the agent's name")
    file, picture = parsing.place_to_write(out), parsing.place_to_draw(plot) if plot else None
    chosen = {"only": parsing.listed(only), **given}
    with parsing.opened(store) as kept, parsing.progress("tuning") as tell:
        tuned = api.tune(made, named, **chosen, out=file, store=kept, progress=tell)
    parsing.show_study(tuned, as_json, picture)
    if tuned.apart and (not tuned.edge or tuned.edge.verdict >= 0):
        print(parsing.to_play(made, out, named), file=sys.stderr)


def _short(agent: str) -> str:
    """What is left of an agent's text as the beginning of a file's name."""
    name = Path(re.split("[,(]", agent)[0]).name
    return re.sub(r"\W+", "_", re.sub(r"\.(py|toml)\b", "", name))
