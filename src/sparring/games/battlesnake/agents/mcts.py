"""Monte Carlo tree search over the moves of all snakes."""

from typing import Any

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.mcts import MonteCarloAgent
from sparring.agents.spec import Spec, heuristic_of
from sparring.core.kernel import cold, kernel
from sparring.games.battlesnake.agents.baselines import with_unsafe
from sparring.games.battlesnake.heuristics import steady
from sparring.games.battlesnake.rules import alive, apply, over, reward, safe_moves
from sparring.games.contract import Game
from sparring.games.kernels import listed

CONTEMPT = 0.9
"""Two who die together share the points. Whoever takes that for half a win dies with others all the time."""


@kernel
def safe_actions(s: Any, snake: int, found: Any) -> int:
    """A snake without a safe move dies whatever it does, and need not choose."""
    moves = safe_moves(s, snake)
    return listed(moves if moves else 1, found)


@cold
def turn(s: Any, joint: Any) -> None:
    """A turn without the map's chance: the food that may come is nothing to count on."""
    apply(s, joint)
    s.waiting = 0


@kernel
def settled(s: Any, snake: int) -> float:
    """The reward, as if those who live died together now. Alone, only to die is a loss."""
    return reward(s, snake) if s.snakes > 1 else int(alive(s, snake)) - 1.0


@kernel
def stake(s: Any, snake: int) -> float:
    """The share of the others who may still be outlived, or may outlive a snake."""
    if over(s) or not alive(s, snake):
        return 0.0
    return (s.living - 1) / (s.snakes - 1) if s.snakes > 1 else 1.0


KERNELS = {"actions": safe_actions, "apply": turn, "draw": None, "reward": settled, "stake": stake}


class MonteCarloSnake(MonteCarloAgent):
    """Decoupled UCT over the moves of all snakes at once: mcts:steady,iterations=2000, or time=100ms."""

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec, heuristic_of(game, spec, steady.name), kernels=KERNELS, contempt=CONTEMPT)

    def explain(self, view: View) -> Decision:
        return with_unsafe(super().explain(view), view)
