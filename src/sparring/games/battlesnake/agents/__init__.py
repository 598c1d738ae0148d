"""Battlesnake's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.battlesnake.agents.baselines import FloodFill, OnePly, RandomSafe
from sparring.games.battlesnake.agents.mcts import MonteCarloSnake
from sparring.games.contract import Game

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    "random_safe": RandomSafe,
    "flood_fill": FloodFill,
    "one_ply": OnePly,
    "mcts": MonteCarloSnake,
}
SEARCHES = {"one_ply": "", "mcts": "iterations=2000 time=100ms"}
"""What may stand before a heuristic, and options for example."""
BENCH = [
    "random",
    "random_safe",
    "flood_fill",
    "one_ply",
    "mcts,iterations=200",
    "mcts:voronoi,iterations=200,select=regret",
]
"""What `spar bench` runs."""
EXAMPLE = "random_safe random"
"""What `spar agents` suggests to try."""
