"""Ludo's own agents. The file belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {}
BENCH = ["random"]
"""What `spar bench` runs."""
