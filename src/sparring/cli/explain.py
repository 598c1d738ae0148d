"""spar explain"""

import json
from typing import TYPE_CHECKING

import click

from sparring.cli import parsing

if TYPE_CHECKING:
    from sparring.agents.decision import Decision


@click.command(context_settings=parsing.GAME_OPTIONS)
@click.argument("game")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.option("--agent", "agents", multiple=True, required=True, help="Whose decision to explain; may be repeated.")
@click.option("--position", help="A position's text, or the moves that lead to it.  [default: the seed's opening]")
@click.option("--player", help="Whose decision, where several move at once, e.g. A.  [default: of each]")
@click.option("--why-not", "others", multiple=True, metavar="MOVE", help="Ask about another legal move.")
@click.option("--svg", "picture", metavar="FILE", help="Write the board with the candidates marked.")
@parsing.seed
@parsing.strict
@parsing.as_json
def command(
    game: str,
    options: tuple[str, ...],
    agents: tuple[str, ...],
    position: str | None,
    player: str | None,
    others: tuple[str, ...],
    picture: str | None,
    seed: int,
    strict: bool,
    as_json: bool,
) -> None:
    """Why an agent plays what it plays. Every candidate is shown with its score, its terms and the line behind it.

    \b
    spar explain isolation --agent next_moves,nodes=20000
    spar explain isolation --agent voronoi --position "d4 e6 f5" --why-not c7
    spar explain flagwar --agent seed --position "A1:3,8" --why-not 1u8
    spar explain battlesnake --agent steady,time=100ms --position game.jsonl@41 --player A
    """
    from sparring import api
    from sparring.core.files import written_whole

    made = parsing.game_alone(game, options)
    file = parsing.place_to_write(picture) if picture else None
    decisions = list["Decision"]()
    for spec in agents:
        if player is None:
            decisions += api.explain_all(made, spec, position, seed=seed, strict=strict)
        else:
            decisions.append(api.explain(made, spec, position, player=player, seed=seed, strict=strict))
    if file and len(decisions) > 1:
        raise click.UsageError("--svg draws one decision: name one --agent and --player.", click.get_current_context())
    reasons = [{move: decision.why_not(move) for move in others} for decision in decisions]
    if file:
        with written_whole(file) as part:
            part.write_text(decisions[0]._repr_svg_())
    if as_json:
        told = [{**d.to_json(), "why_not": why} for d, why in zip(decisions, reasons, strict=True)]
        print(json.dumps(told[0] if len(told) == 1 else told, indent=1))
        return
    print(decisions[0].position)
    for decision, why in zip(decisions, reasons, strict=True):
        print(f"\n{decision}")
        for move, reason in why.items():
            print(f"\nwhy not {move}? {reason}")
