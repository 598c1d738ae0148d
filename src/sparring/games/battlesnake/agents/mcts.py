"""Monte Carlo tree search over the moves of all snakes."""

from typing import Any

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.mcts import MctsAgent
from sparring.agents.spec import Spec, heuristic_of
from sparring.core.kernel import cold, kernel
from sparring.games.battlesnake.agents.baselines import with_unsafe
from sparring.games.battlesnake.heuristics import steady
from sparring.games.battlesnake.one_by_one import not_into_bodies
from sparring.games.battlesnake.rules import alive, apply, reward
from sparring.games.contract import Game
from sparring.games.kernels import listed

CONTEMPT = 0.9
"""Two snakes that die together share the points. A search that counts this as half a win dies with others too often."""


@kernel
def safe_actions(s: Any, snake: int, found: Any) -> int:
    """The safe moves. A snake without one dies whatever it does, and gets a single move."""
    return listed(not_into_bodies(s, snake), found)


@cold
def turn(s: Any, joint: Any) -> None:
    """Play a turn without the map's chance: food that may come is nothing to count on."""
    apply(s, joint)
    s.waiting = 0


@kernel
def settled(s: Any, snake: int) -> float:
    """The reward, as if all living snakes died together now. With one snake only death is a loss."""
    return reward(s, snake) if s.snakes > 1 else int(alive(s, snake)) - 1.0


KERNELS = {"actions": safe_actions, "apply": turn, "draw": None, "reward": settled}


class MonteCarloSnake(MctsAgent):
    """Decoupled UCT over the moves of all snakes at once: mcts:steady,iterations=2000, or time=100ms."""

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec, heuristic_of(game, spec, steady.name), kernels=KERNELS, contempt=CONTEMPT)

    def explain(self, view: View) -> Decision:
        return with_unsafe(super().explain(view), view)
