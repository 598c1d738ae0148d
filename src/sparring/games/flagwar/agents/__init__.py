"""Flag War's own agents. The folder belongs to the agents' floor: only agents/spec.py loads it."""

from collections.abc import Callable

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.games.contract import Game
from sparring.games.flagwar.agents.baselines import Still
from sparring.games.flagwar.agents.exploiter import Exploiter
from sparring.games.flagwar.agents.mcts import monte_carlo
from sparring.games.flagwar.agents.mixed import DoubleOracle, LevelK, Matrix, Regret
from sparring.games.flagwar.agents.sampling import MaximinSampled
from sparring.games.flagwar.agents.seed import Joint, Repo64, Seed
from sparring.games.flagwar.agents.utility import Utility

AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {
    "still": Still,
    "utility": Utility,
    "seed": Seed,
    "repo64": Repo64,
    "joint": Joint,
    "maximin_sampled": MaximinSampled,
    "level_k": LevelK,
    "matrix": Matrix,
    "regret": Regret,
    "double_oracle": DoubleOracle,
    "mcts": monte_carlo,
}
EXPLOITER = Exploiter
"""Who knows an agent and answers what it will do."""
alone = Matrix
"""How a heuristic plays with nothing before it."""
SEARCHES = {
    "matrix": "size=40 plies=2",
    "regret": "size=40 iterations=1000",
    "double_oracle": "size=12 rounds=20",
    "mcts": "select=regret iterations=4000 time=100ms",
}
"""What may stand before a heuristic, and options for example."""
BENCH = [
    "random",
    "still",
    "utility",
    "seed",
    "seed:corrected",
    "repo64",
    "joint",
    "level_k",
    "regret",
    "mcts,iterations=200",
    "mcts,iterations=200,select=regret",
    "matrix,size=12",
    "double_oracle,size=8,rounds=4,starts=1",
    "maximin_sampled,own=40,others=20",
]
"""What `spar bench` runs."""
EXAMPLE = "matrix seed"
"""What `spar agents` suggests to try."""


def judged_by(game: Game) -> str:
    return "double_oracle,size=24,starts=8"
