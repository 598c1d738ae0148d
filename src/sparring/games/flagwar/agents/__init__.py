"""Flag War's own agents. agents/spec.py loads this folder."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.flagwar.agents import documents, exploiter, mcts, mixed, utility

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    "still": utility.Still,
    "utility": utility.Utility,
    "seed": documents.DocumentStrategy,
    "repo64": documents.CombinationStrategy,
    "joint": documents.JointStrategy,
    "maximin_sampled": documents.MaximinSampled,
    "level_k": mixed.LevelK,
    "matrix": mixed.CandidateMatrix,
    "regret": mixed.RegretMatrix,
    "double_oracle": mixed.DoubleOracle,
    "mcts": mcts.monte_carlo,
}
EXPLOITER = exploiter.Exploiter
alone = mixed.CandidateMatrix  # the agent of a heuristic that is named alone
SEARCHES = {
    "matrix": "size=40 plies=2",
    "regret": "size=40 iterations=1000",
    "double_oracle": "size=12 rounds=20",
    "mcts": "select=regret iterations=4000 time=100ms",
}
"""Agents that take a heuristic, with example options."""
BENCH = [
    *("random", "still", "utility", "seed", "seed:corrected", "repo64", "joint", "level_k", "regret"),
    *("mcts,iterations=200", "mcts,iterations=200,select=regret", "matrix,size=12"),
    *("double_oracle,size=8,rounds=4,starts=1", "maximin_sampled,own=40,others=20"),
]
EXAMPLE = "matrix seed"


def default_judge(game: Game) -> str:
    return "double_oracle,size=24,starts=8"
