"""Ludo's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.ludo.agents.lookahead import QUICK, Expectimax, Rollouts
from sparring.games.ludo.agents.strong import Strongest

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    **QUICK,
    "rollouts": Rollouts,
    "expectimax": Expectimax,
    "strongest": Strongest,
}
BENCH = [
    "random",
    "furthest",
    "rearmost",
    "rulebased:as_written",
    "rulebased:corrected",
    "rulebased:as_coded",
    "semi_smart",
    "one_ply",
]
"""What `spar bench` runs."""
