"""Commands to improve agents: new, tune, ablate, learn."""

import re
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import sparring
from sparring.cli import options
from sparring.cli.options import Text
from sparring.cli.output import end_if_interrupted, opened, progress, show, writable_path
from sparring.core import defaults
from sparring.core.errors import SparringError

study_options = options.joined(options.seed, options.workers, options.strict, options.store, options.as_json)


@click.command()
@click.option("--game", "whole_game", is_flag=True, help="Write the package of a new game to a folder.")
@options.game
@click.argument("file")
def new(game: str, file: str, whole_game: bool) -> None:
    """Write a heuristic, or a game, to start from. Comments say what it can use.

    \b
    spar new isolation my_idea.py
    spar new --game my_game my_folder
    """
    if whole_game:
        from sparring.games import starter

        commands = starter.begin(game, Path(file))
        print(f"{file} is the package of a game called {game}. Try it, and change its rules:")
    else:
        from sparring.agents import starter_file

        commands = starter_file.begin(game, Path(file))
        print(f"{file} is a heuristic for {game}. Change it, and see what that is worth:")
    print("\n".join(commands))


@options.game_command("agent")
@options.agent("--against", "An opponent to do well against; may be repeated.  [default: itself]", multiple=True)
@options.number("--games", "Games to tune by.", defaults.TUNED_GAMES)
@click.option("--method", type=click.Choice(["spsa", "cma"]), default="spsa", show_default=True)
@options.names("--only", "TERMS", "The terms that may change, e.g. moves,later.  [default: all]")
@options.number("--confirm", "Games of the confirmation.  [default: a fourth of --games]")
@click.option("--out", metavar="FILE", help="The tuned agent, e.g. tuned.toml.  [default: its name and _tuned.toml]")
@options.plot("weights and rating over time")
@study_options
def tune(game: Any, agent: str, out: Text, plot: Path | None, store: Text, as_json: bool, **given: Any) -> None:
    """Find better weights for an agent. They are confirmed on seeds that the tuning has not seen.

    After an interruption, the same command continues. The result is a file that can be named like an agent.

    \b
    spar tune isolation weighted_chase_corrected,nodes=300
    spar match isolation weighted_chase_corrected_tuned.toml improved,nodes=300
    spar tune ludo one_ply --players 2 --games 100000 --against rulebased:corrected --plot tuning.svg
    """
    out = out or f"{_file_stem(agent)}_tuned.toml"
    if not out.endswith(".toml") or set(out) & set(",():"):
        raise SparringError(f"--out must look like tuned.toml, not {out!r}: it is the agent's name")
    file = writable_path(out)
    with opened(store) as kept, progress("tuning") as tell:
        tuned = sparring.tune(game, agent, **given, out=file, store=kept, progress=tell)
    _show_long_run(tuned, as_json, plot)
    if tuned.apart and (not tuned.edge or tuned.edge.verdict >= 0):
        print(_how_to_play(game, out, agent), file=sys.stderr)


def _show_long_run(result: Any, as_json: bool, plot: Path | None) -> None:
    """Print and draw the result of a tuning or an ablation, which may have been interrupted."""
    show(replace(result, drawn=f" --plot {shlex.quote(str(plot))}") if plot else result, as_json)
    if plot:
        result.plot(plot)
    end_if_interrupted(result)


def _how_to_play(game: Any, made: str, other: str) -> str:
    """Return the match of a new agent against another, in the game that it was made for."""
    words = ["spar", "match", game.name, made, *[other] * (game.seats - 1), *game.option_words()]
    return f"play it: {shlex.join(words)}"


def _file_stem(agent: str) -> str:
    """Make the beginning of a file name from an agent's text."""
    name = Path(re.split("[,(]", agent)[0]).name
    return re.sub(r"\W+", "_", re.sub(r"\.(py|toml)\b", "", name))


@options.game_command("agent")
@options.number("--games", "Games for each part.", defaults.ABLATED_GAMES)
@options.names("--only", "PARTS", "terms or flaws, or some of them by name.  [default: all]")
@options.plot("the ranking")
@study_options
def ablate(game: Any, agent: str, plot: Path | None, store: Text, as_json: bool, **given: Any) -> None:
    """Measure what each part of an agent is worth. Each term and each flaw is switched alone, against the whole.

    \b
    spar ablate isolation next_moves,nodes=300
    spar ablate ludo rulebased:corrected --only flaws --plot flaws.svg
    """
    with opened(store) as kept, progress("playing") as tell:
        ablation = sparring.ablate(game, agent, **given, store=kept, progress=tell)
    _show_long_run(ablation, as_json, plot)


@options.game_command()
@click.option("--out", metavar="FILE", required=True, help="The result, e.g. table.npz. It is saved along the way.")
@click.option("--state", help="How a table encodes a position, of the encoders of the game.  [default: the game's]")
@options.number("--games", "Games to learn from, e.g. 50k.  [default: 200000; --td 100000]")
@options.agent("--against", "random, any compiled agent, or self: all seats learn.  [default: random]")
@click.option("--reward", help="What is rewarded, of the rewards of the game.  [default: the game's]")
@click.option("--gamma", type=float, help="How much the next decision counts.  [default: 0.2]")
@click.option(
    "--alpha",
    metavar="RATE",
    help="Step size: 0.1, 0.1:0.001 falling evenly, or 1/n:0.001 for a mean.  [default: 1/n:0.001; --td 0.005]",
)
@click.option(
    "--epsilon",
    metavar="RATE",
    help="Share of random moves: 0.1, 0.1:0.01, or 0.1*0.9995:0.01 falling with each game.  [default: 0.1; --td 0 with "
    "chance]",
)
@options.number("--trial-games", "Games against random in each of 20 trials.  [default: 4000; --td 1000]")
@click.option("--td", metavar="KIND", help="Learn values of positions by TD(lambda) in self-play: linear or net.")
@click.option("--features", metavar="NAME", help="For --td: a heuristic, or FILE.py:NAME.  [default: the game's]")
@options.number("--hidden", "Hidden units of --td net.  [default: 64]")
@click.option("--trace", type=float, help="The lambda of --td.  [default: 0.9]")
@options.plot("the learning curve")
@options.seed
@options.as_json
def learn(game: Any, out: str, plot: Path | None, as_json: bool, **given: Any) -> None:
    """Learn a table of Q-values by playing. With --td it learns the values of positions.

    Trials along the way show the progress. After an interruption, the same command continues.

    \b
    spar learn GAME --games 100k --out table.npz
    spar match GAME tabular:table.npz random
    spar learn GAME --td linear --features HEURISTIC --games 20k --out value.npz
    spar match GAME value.npz random
    """
    if not out.endswith(".npz") or set(out) & set(",()"):
        raise SparringError(f"--out must look like table.npz, not {out!r}: it is part of the agent's name")
    file = writable_path(out)
    if plot and given["trial_games"] == 0:
        raise SparringError("--plot draws the trials: leave --trial-games 0 out")
    settings = {name: value for name, value in given.items() if value is not None}
    with progress("learning") as tell:
        result = sparring.learn(game, out=file, progress=tell, **settings)
    show(result, as_json)
    if plot and result.learner.curve:
        result.plot(plot)
    if result.interrupted:
        print("stopped; the same command continues", file=sys.stderr)
    end_if_interrupted(result)
    print(_how_to_play(game, f"{file}" if "td" in settings else f"tabular:{file}", "random"), file=sys.stderr)
