"""A trained policy as an agent, so that it can play matches and be graded."""

from collections.abc import Callable
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.bridges.arrays import GameArrays
from sparring.core.errors import SparringError
from sparring.games.contract import Game

Policy = Callable[[Any, Any], Any]
"""A function of an observation and a mask that returns the number of a legal action."""


class PolicyAgent(Agent):
    """An agent that asks a policy for each move."""

    compiled = False
    draws = True

    def __init__(self, game: Game, policy: Policy, name: str = "policy") -> None:
        self.spec, self.policy, self.arrays = name, policy, GameArrays(game)

    def decide(self, view: View) -> Decision:
        seen = self.arrays.observation(view.state, view.me)
        number = int(self.policy(seen, self.arrays.mask(view.state, view.me)))
        action = self.arrays.action(view.state, view.me, number)
        if action is None:
            raise SparringError(f"{self.spec} chose {number}, which is not legal; choose a number whose mask is 1")
        return Decision(self.spec, view.position, view.me, action)
