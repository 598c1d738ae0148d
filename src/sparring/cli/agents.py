"""spar agents"""

import click


@click.command()
@click.argument("game")
def command(game: str) -> None:
    """List a game's agents and heuristics, and how to name them."""
    from sparring.agents.spec import SEARCHES, heuristics, named_agents
    from sparring.games import game as make_game
    from sparring.table import columns

    made = make_game(game)
    own = [[name, summary] for name, summary in named_agents(made).items()]
    valued = [[name, found.description] for name, found in heuristics(made).items()]
    print("agents\n" + columns([["  " + name, summary] for name, summary in own]))
    print(f"\nheuristics, alone or after {' or '.join(f'{search}:' for search in SEARCHES)}")
    print(columns([["  " + name, what if len(what) < 100 else what[:97] + "..."] for name, what in valued]))
    print("\noptions of a search: nodes=20000 depth=6 time=150ms reference; other weights: next_moves(next_moves=0.5)")
    print(f"your own: my_file.py:my_idea,nodes=20000        try: spar match {game} {valued[-1][0]} {valued[2][0]}")
