"""spar agents"""

import json

import click

from sparring.cli import parsing


@click.command()
@click.argument("game")
@parsing.as_json
def command(game: str, as_json: bool) -> None:
    """List a game's agents and heuristics, and how to name them."""
    from sparring.agents.spec import example, heuristics, named_agents, searches
    from sparring.core.table import descriptions
    from sparring.games.registry import game as make_game

    made = make_game(game)
    agents = named_agents(made)
    valued = {name: found.description for name, found in heuristics(made).items()}
    if as_json:
        weights = {name: {t: w.default for t, w in found.weights.items()} for name, found in heuristics(made).items()}
        print(json.dumps({"agents": agents, "heuristics": valued, "weights": weights}, indent=1))
        return

    print(f"agents\n{descriptions(agents)}")
    if ways := searches(made):
        listed = descriptions(valued) if valued else "  none yet: write your own"
        print(f"\nheuristics, alone or after {' or '.join(f'{search}:' for search in ways)}\n{listed}")
        weighed = next((found for found in heuristics(made).values() if len(found.weights) > 1), None)
        told = f"; other weights: {weighed.name}({[*weighed.weights][-1]}=0.5)" if weighed else ""
        print(f"\noptions of a search: {max(ways.values(), key=len)}{told}")
    print(f"your own: my_file.py:my_idea        try: spar match {game} {example(made)}")
