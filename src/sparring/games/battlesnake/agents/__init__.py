"""Battlesnake's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.battlesnake.agents.baselines import RandomSafe
from sparring.games.battlesnake.agents.remote import Remote
from sparring.games.contract import Game

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {"random_safe": RandomSafe}
REMOTE = Remote
"""Who plays for an address on the network."""
BENCH = ["random", "random_safe"]
"""What `spar bench` runs."""
EXAMPLE = "random_safe random"
"""What `spar agents` suggests to try."""
