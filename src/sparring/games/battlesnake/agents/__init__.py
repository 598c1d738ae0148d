"""Battlesnake's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.battlesnake.agents.baselines import RandomSafe
from sparring.games.battlesnake.agents.rhea import Coevolve, Rhea
from sparring.games.contract import Game

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {"random_safe": RandomSafe, "rhea": Rhea, "coevolve": Coevolve}
BENCH = ["random", "random_safe", "rhea:as_written,evolutions=10", "rhea:corrected,evolutions=10", "coevolve,turns=5k"]
"""What `spar bench` runs."""
EXAMPLE = "random_safe random"
"""What `spar agents` suggests to try."""
