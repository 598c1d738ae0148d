"""Battlesnake's own agents. Only agents/spec.py loads this folder."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.battlesnake.agents.baselines import FloodFill, OnePly, RandomSafe
from sparring.games.battlesnake.agents.mcts import MonteCarloSnake
from sparring.games.battlesnake.agents.override import RheaWithOverride
from sparring.games.battlesnake.agents.remote import Remote
from sparring.games.battlesnake.agents.rhea import Coevolve, Rhea
from sparring.games.battlesnake.agents.trees import Negamax, best_reply, strongest
from sparring.games.contract import Game

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    "random_safe": RandomSafe,
    "flood_fill": FloodFill,
    "one_ply": OnePly,
    "negamax": Negamax,
    "best_reply": best_reply,
    "strongest": strongest,
    "rhea": Rhea,
    "coevolve": Coevolve,
    "override": RheaWithOverride,
    "mcts": MonteCarloSnake,
}
REMOTE = Remote
"""The agent for an address on the network."""
SEARCHES = {
    "alphabeta": "nodes=20000 depth=8 time=100ms",
    "minimax": "depth=4",
    "best_reply": "nodes=20000 depth=8 time=100ms",
    "mcts": "iterations=2000 time=100ms",
    "rhea": "evolutions=20 time=100ms",
    "one_ply": "",
}
"""Searches that may stand before a heuristic, with options as an example."""
BENCH = [
    "random",
    "random_safe",
    "flood_fill",
    "one_ply",
    "negamax:as_coded,depth=2",
    "negamax:corrected,depth=2",
    "best_reply,nodes=2000",
    "rhea:as_written,evolutions=10",
    "rhea:corrected,evolutions=10",
    "coevolve,turns=5k",
    "mcts,iterations=200",
    "mcts:voronoi,iterations=200,select=regret",
]
"""Agents that `spar bench` runs."""
EXAMPLE = "strongest negamax:corrected"
"""Agents that `spar agents` suggests."""


def default_judge(game: Game) -> str:
    return "strongest,nodes=500k"
