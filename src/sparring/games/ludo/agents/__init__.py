"""Ludo's own agents. Only agents/spec.py loads this folder."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.ludo.agents.lookahead import QUICK, Perfect, Rollouts, StrongestAgent, expectimax, one_ply, solvable
from sparring.games.ludo.game import Ludo

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    **QUICK,
    "rollouts": Rollouts,
    "expectimax": expectimax,
    "strongest": StrongestAgent,
    "perfect": Perfect,
}
alone = one_ply
"""The search for a heuristic that is named alone."""
BENCH = [
    "random",
    "furthest",
    "rearmost",
    "rulebased:as_written",
    "rulebased:corrected",
    "rulebased:as_coded",
    "semi_smart",
    "one_ply",
    "one_ply:td_linear",
    "one_ply:td_net",
    "expectimax:td_net,depth=2",
    "rollouts:semi_smart,games=5",
]
"""Agents that `spar bench` runs."""
EXAMPLE = "strongest one_ply --players 2"
"""The match that `spar agents` suggests."""


def default_judge(game: Game) -> str:
    """Return the agent with exact chances if the whole game is solved, else the strongest agent."""
    assert isinstance(game, Ludo)
    return "perfect" if game.config.tokens <= 2 and solvable(game) else "strongest"
