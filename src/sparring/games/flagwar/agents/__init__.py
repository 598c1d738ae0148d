"""Flag War's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.flagwar.agents.baselines import Still

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {"still": Still}
BENCH = ["random", "still"]
"""What `spar bench` runs."""
EXAMPLE = "random still"
"""What `spar agents` suggests to try."""
