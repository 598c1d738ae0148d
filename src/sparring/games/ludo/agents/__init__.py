"""Ludo's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.ludo.agents.lookahead import QUICK, Rollouts, expectimax, one_ply
from sparring.games.ludo.agents.perfect import Perfect
from sparring.games.ludo.agents.strong import Strongest, solvable
from sparring.games.ludo.game import Ludo

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    **QUICK,
    "rollouts": Rollouts,
    "expectimax": expectimax,
    "strongest": Strongest,
    "perfect": Perfect,
}
alone = one_ply
"""How a heuristic plays with nothing before it."""
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
"""What `spar bench` runs."""
EXAMPLE = "strongest one_ply --players 2"
"""What `spar agents` suggests to try."""


def judged_by(game: Game) -> str:
    """Exact chances where the whole game is solved, else the learned ones, a round ahead."""
    assert isinstance(game, Ludo)
    return "perfect" if game.config.tokens <= 2 and solvable(game) else "strongest"
