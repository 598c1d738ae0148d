"""spar learn"""

import sys
from typing import Any

import click

from sparring.cli import parsing


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--out", metavar="FILE", required=True, help="What is learned, e.g. table.npz: saved along the way.")
@click.option("--state", help="What a table sees of a position, of all that the game has.  [default: the game's]")
@parsing.games("Games to learn from, e.g. 50k.  [default: 200000; --td 100000]")
@click.option(
    "--against", metavar="AGENT", help="random, any compiled agent, or self: all seats learn.  [default: random]"
)
@click.option("--reward", help="What is paid for, of all that the game has.  [default: the game's]")
@click.option("--gamma", type=float, help="How much the next decision counts.  [default: 0.2]")
@click.option(
    "--alpha",
    metavar="RATE",
    help="How fast: 0.1, 0.1:0.001 evenly less, or 1/n:0.001 a mean.  [default: 1/n:0.001; --td 0.005]",
)
@click.option(
    "--epsilon",
    metavar="RATE",
    help="How often any move: 0.1, 0.1:0.01, or 0.1*0.9995:0.01 less each game.  [default: 0.1; --td 0 with chance]",
)
@click.option(
    "--trial-games",
    type=parsing.Number(),
    metavar="N",
    help="Games against random to try it out, 20 times along the way.  [default: 4000; --td 1000]",
)
@click.option("--td", metavar="KIND", help="Learn what positions are worth, by TD(lambda) in self-play: linear or net.")
@click.option("--features", metavar="HEURISTIC", help="For --td: its terms are learned from.  [default: the game's]")
@click.option("--hidden", type=parsing.Number(), metavar="N", help="Hidden units of --td net.  [default: 64]")
@click.option("--trace", type=float, help="The lambda of --td.  [default: 0.9]")
@parsing.plot("the learning curve")
@parsing.seed
@parsing.as_json
def command(
    game: str,
    options: tuple[str, ...],
    out: str,
    plot: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Learn to play: a table of Q-values, or with --td the value of positions. It is tried out along the way.

    Interrupted, the same command goes on where it was.

    \b
    spar learn GAME --games 100k --out table.npz
    spar match GAME tabular:table.npz random
    spar learn GAME --td linear --features HEURISTIC --games 20k --out value.npz
    spar match GAME value.npz random
    """
    from sparring import api
    from sparring.core.errors import SparringError

    made = parsing.game_alone(game, options)
    if not out.endswith(".npz") or set(out) & set(",()"):
        raise SparringError(f"--out must be such as table.npz, not {out!r}: it is part of the agent's name")
    file, picture = parsing.place_to_write(out), parsing.place_to_draw(plot) if plot else None
    if picture and given["trial_games"] == 0:
        raise SparringError("--plot draws the trials: leave --trial-games 0 out")
    settings = {name: value for name, value in given.items() if value is not None}
    with parsing.progress("learning") as tell:
        result = api.learn(made, out=file, progress=tell, **settings)
    parsing.show(result, as_json)
    if picture and result.learner.curve:
        result.plot(picture)
    if result.interrupted:
        print("stopped; the same command goes on", file=sys.stderr)
        sys.exit(130)
    print(parsing.to_play(made, f"{file}" if "td" in settings else f"tabular:{file}", "random"), file=sys.stderr)
