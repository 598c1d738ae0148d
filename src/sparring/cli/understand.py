"""Commands to understand agents: explain, blunders, solve, grade, suite, exploit."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import sparring
from sparring.cli import options
from sparring.cli.options import Text
from sparring.cli.output import end_if_interrupted, opened, printed_by, progress, show
from sparring.core import defaults
from sparring.core.errors import SparringError

if TYPE_CHECKING:
    from sparring.agents.decision import Decision


def write_picture(file: Path, picture: str) -> None:
    from sparring.core.files import atomic_write

    with atomic_write(file) as part:
        part.write_text(picture, encoding="utf-8")


@options.game_command()
@options.agent("--agent", "The agent to explain; may be repeated.", multiple=True, required=True)
@click.option("--position", help="A position's text, or the moves that lead to it.  [default: the seed's opening]")
@click.option("--player", help="The player to explain, if several move at once, e.g. A.  [default: each]")
@click.option("--why-not", multiple=True, metavar="MOVE", help="Ask about another legal move.")
@options.file("--svg", "Write the board with the candidates marked.")
@options.seed
@options.strict
@options.as_json
def explain(
    game: Any, why_not: tuple[str, ...], svg: Path | None, player: Text, position: Text, as_json: bool, **given: Any
) -> None:
    """Show why an agent plays its move. Each candidate comes with its score, its terms and the expected line.

    \b
    spar explain isolation --agent next_moves,nodes=20000
    spar explain isolation --agent voronoi --position "d4 e6 f5" --why-not c7
    spar explain flagwar --agent seed --position "A1:3,8" --why-not 1u8
    spar explain battlesnake --agent steady,time=100ms --position game.jsonl@41 --player A
    """
    decisions = list["Decision"]()
    for spec in given.pop("agent"):
        with printed_by(spec):
            if player is None:
                decisions += sparring.explain_all(game, spec, position, **given)
            else:
                decisions.append(sparring.explain(game, spec, position, player=player, **given))
    if svg and len(decisions) > 1:
        raise click.UsageError("--svg draws one decision: name one --agent and --player.", click.get_current_context())
    reasons = [{move: decision.why_not(move) for move in why_not} for decision in decisions]
    if svg:
        write_picture(svg, decisions[0].svg())
    if as_json:
        told = [{**d.to_json(), "why_not": why} for d, why in zip(decisions, reasons, strict=True)]
        print(json.dumps(told[0] if len(told) == 1 else told, indent=1))
        return
    print(decisions[0].position)
    for decision, why in zip(decisions, reasons, strict=True):
        print(f"\n{decision}")
        for move, reason in why.items():
            print(f"\nwhy not {move}? {reason}")


@click.command()
@click.argument("experiment", shell_complete=options.complete_kept)
@options.number("--game", "Only this game.")
@click.option("--agent", help="Only the losses of this agent.")
@options.number("--most", "How many losses to look at; if there are more, the seed chooses.", defaults.LOSSES)
@options.agent("--judge", "The agent that judges.  [default: the game's solver, or a deep search]")
@options.file("--save", "Add the positions to a suite of your own.")
@options.seed
@options.as_json
@options.store
def blunders(experiment: str, save: Path | None, as_json: bool, store: Text, **given: Any) -> None:
    """Find where games were lost, and the better move there. In each loss it is the move that gave most away.

    \b
    spar blunders last --agent my_idea.py
    spar blunders 3f2a --game 17
    spar blunders last --most 200 --save my_suite.toml
    """
    from sparring.analysis import suite

    with opened(store, new=False) as kept, progress("looking for blunders", "losses") as tell:
        if save and save.exists():
            suite.cases(kept.contest(kept.find(experiment)).game.name, save)  # fails if it is no suite of this game
        found = sparring.blunders(experiment, store=kept, progress=tell, **given)
    show(found, as_json)
    if save:
        print(found.save(save), file=sys.stderr)
    end_if_interrupted(found)


@options.game_command()
@click.option("--position", help="Solve this position, as text or as moves, instead of the whole board.")
@click.option("--first", metavar="CELL", help="Also show who wins after every reply to this first cell.")
@options.file("--svg", "Write the map of all openings, or the position, as a picture.")
@options.as_json
def solve(game: Any, position: Text, first: Text, svg: Path | None, as_json: bool) -> None:
    """Compute the exact result of a game or a position. It says who wins, or how likely.

    \b
    spar solve isolation --board 6x6 --first c3
    spar solve isolation --position "d4 e6 f5 c5"
    spar solve ludo --players 2 --tokens 2
    """
    if first and position:
        raise click.UsageError("--first belongs to a whole board, not to a --position.", click.get_current_context())
    with progress("solving", "") as tell:
        solved = sparring.solve(game, position, first=first, progress=tell)
    show(solved, as_json)
    if svg:
        write_picture(svg, solved.svg())


@options.game_command("agents")
@options.number("--games", "Games to take positions from, if not every position is solved.", defaults.GRADED_GAMES)
@options.plot("the table")
@options.seed
@options.strict
@options.as_json
def grade(game: Any, agents: list[str], plot: Path | None, as_json: bool, **given: Any) -> None:
    """Grade agents by the exact solver. How often do they keep a won game won, or how much do their moves lose?

    \b
    spar grade isolation improved next_moves voronoi --plot grades.svg
    spar grade ludo --players 2 --tokens 2 random one_ply
    """
    from sparring.analysis.grade import Grades
    from sparring.games.capabilities import Solver, needed

    if not agents:
        raise click.UsageError("name at least one agent.", click.get_current_context())
    if plot and needed(game, Solver).KNOWS_ALL:
        raise SparringError(f"exact grades of {game.name} are a table; leave out --plot")
    with progress("solving", "") as tell:
        grades = sparring.grade(game, agents, progress=tell, **given)
    show(grades, as_json)
    if plot and isinstance(grades, Grades):
        grades.plot(plot)


@click.command()
@options.game
@click.argument("agents", nargs=-1, required=True, shell_complete=options.complete_agents)
@click.option("--cases", metavar="FILE", help="Your own positions, such as `spar blunders --save` writes.")
@options.number("--tries", "How often to ask an agent that chooses at random.", defaults.TRIES)
@options.seed
@options.strict
@options.as_json
def suite(game: str, agents: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Try agents on positions with known answers.

    \b
    spar suite flagwar seed matrix
    spar suite isolation my_idea.py --cases my_suite.toml
    """
    with progress("solving", "cases") as tell:
        found = sparring.suite(game, agents, **given, progress=tell)
    show(found, as_json)


@options.game_command("agent")
@options.number("--games", "Games against the opponent that knows it, half in each seat.", defaults.EXPLOITED_GAMES)
@options.number("--plies", "Rounds to look ahead, for an agent that mixes its moves.", 1)
@options.seed
@options.strict
@options.as_json
def exploit(game: Any, agent: str, as_json: bool, **given: Any) -> None:
    """Measure how much an agent loses to an opponent that knows it. The opponent knows each move, or its probability.

    \b
    spar exploit flagwar seed
    spar exploit flagwar matrix --games 100
    """
    with progress("playing") as tell:
        exploited = sparring.exploit(game, agent, **given, progress=tell)
    show(exploited, as_json)
