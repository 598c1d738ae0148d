"""spar agents"""

import json

import click

from sparring.cli import parsing

WIDTH = 100


@click.command()
@click.argument("game")
@parsing.as_json
def command(game: str, as_json: bool) -> None:
    """List a game's agents and heuristics, and how to name them."""
    from sparring.agents.spec import SEARCHES, heuristics, named_agents
    from sparring.games import game as make_game
    from sparring.table import columns

    made = make_game(game)
    agents = named_agents(made)
    valued = {name: found.description for name, found in heuristics(made).items()}
    if as_json:
        weights = {name: {t: w.default for t, w in found.weights.items()} for name, found in heuristics(made).items()}
        print(json.dumps({"agents": agents, "heuristics": valued, "weights": weights}, indent=1))
        return

    def listed(names: dict[str, str]) -> str:
        short = {name: what if len(what) <= WIDTH else f"{what[: WIDTH - 4]} ..." for name, what in names.items()}
        return columns([[f"  {name}", what] for name, what in short.items()])

    print(f"agents\n{listed(agents)}")
    print(f"\nheuristics, alone or after {' or '.join(f'{search}:' for search in SEARCHES)}\n{listed(valued)}")
    print("\noptions of a search: nodes=20000 depth=6 time=150ms reference; other weights: next_moves(next_moves=0.5)")
    two = [list(valued)[-1], list(valued)[2]] if len(valued) > 2 else ["random", "random"]
    print(f"your own: my_file.py:my_idea,nodes=20000        try: spar match {game} {' '.join(two)}")
