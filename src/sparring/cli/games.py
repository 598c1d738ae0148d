"""spar games"""

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from sparring.cli import parsing

if TYPE_CHECKING:
    from sparring.games.contract import Game


@click.command()
@click.argument("name", required=False)
@parsing.as_json
def command(name: str | None, as_json: bool) -> None:
    """List the games and their options, or describe one.

    \b
    spar games
    spar games isolation
    """
    from sparring.games.registry import game, working

    if name is not None:
        told = _about(game(name))
        print(json.dumps(told, indent=1) if as_json else _told(told))
        return
    made = [*working()]
    if as_json:
        print(json.dumps([{"game": g.name, "kind": str(g.kind), "options": g.options()} for g in made], indent=1))
        return
    for one in made:
        print(f"{one.name}: {one.kind}")
        print("  " + " ".join(f"--{key} {value}" for key, value in one.options().items()))
    print("more of one: spar games NAME")


def _about(game: "Game") -> dict[str, Any]:
    from sparring.agents.spec import example, heuristics, named_agents

    choices = {option: ", ".join(words) for option, words in game.words.items()}
    choices |= {option: f"{low} to {high}" for option, (low, high) in game.numbers.items()}
    return {
        "game": game.name,
        "kind": str(game.kind),
        "options": game.options(),
        "choices": choices,
        "endings": list(game.endings),
        "agents": len(named_agents(game)),
        "heuristics": len(heuristics(game)),
        "can": _abilities(game),
        "example": f"spar match {game.name} {example(game)}",
    }


def _abilities(game: "Game") -> dict[str, str]:
    """Commands that not every game has, and what each does here."""
    from sparring.agents.spec import has_exploiter
    from sparring.analysis.suite import cases
    from sparring.core.errors import SparringError
    from sparring.games.capabilities import Solver, offered

    can = {"spar explain, spar blunders": "tell why an agent plays a move, and which move lost a game"}
    can["spar tune, spar ablate"] = "find better weights, and what each term is worth"
    if offered(game, Solver):
        can["spar solve, spar grade"] = "give exact answers, and measure agents by them"
    with suppress(SparringError):
        can["spar suite"] = f"try agents on {len(cases(game.name))} positions with known answers"
    if has_exploiter(game):
        can["spar exploit"] = "play an agent against an opponent that knows it"
    return can


def _told(about: dict[str, Any]) -> str:
    from sparring.core.table import columns, counted, descriptions

    options = [[f"  --{one} {value}", about["choices"].get(one, "")] for one, value in about["options"].items()]
    return "\n".join(
        [
            f"{about['game']}: {about['kind']}",
            f"\noptions with their defaults, and what else they may be\n{columns(options)}",
            f"\na game ends by: {', '.join(about['endings'])}",
            f"{counted(about['agents'], 'agent')} and {about['heuristics']} heuristics: spar agents {about['game']}",
            f"\nwhat it can do beside being played\n{descriptions(about['can'])}",
            f"\ntry: {about['example']}",
        ]
    )
