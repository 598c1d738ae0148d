"""The weights of an agent as a space to search: each goes from 0 to 1 over its range."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Weight
from sparring.tuning.methods import Array


@dataclass(frozen=True)
class ParameterSpace:
    """The weights that may change, and the spec that holds everything else."""

    spec: Spec
    weights: dict[str, Weight]

    @classmethod
    def of(cls, agent: Agent, only: Collection[str] = ()) -> "ParameterSpace":
        """Take all terms or some of them, without those whose range is a single number."""
        if not agent.tunable:
            raise SparringError(f"{agent.spec} has no terms with weights; `spar agents GAME` lists heuristics")
        if len(agent.tunable) == 1:
            raise SparringError(f"{agent.spec} has a single term: its weight does not change the moves")
        for term in only:
            if term not in agent.tunable:
                raise unknown(f"term of {agent.spec}", term, agent.tunable)
        free = {term: weight for term, weight in agent.tunable.items() if weight.range[0] < weight.range[1]}
        chosen = {term: weight for term, weight in free.items() if not only or term in only}
        if not chosen:
            raise SparringError(f"no weight of {agent.spec} can be tuned: each range is a single number")
        return cls(Spec.parse(agent.spec), chosen)

    @property
    def start(self) -> Array:
        return np.array([(w.default - w.range[0]) / (w.range[1] - w.range[0]) for w in self.weights.values()])

    def at(self, point: Array) -> dict[str, float]:
        """Return the weights at a point, rounded to four digits."""
        low, high = np.array([weight.range for weight in self.weights.values()]).T
        values = (low + point * (high - low)).tolist()
        return {term: float(f"{value:.4g}") for term, value in zip(self.weights, values, strict=True)}

    def agent_at(self, point: Array) -> str:
        """Return the text of the agent with the weights at a point."""
        return self.spec.but(self.at(point), {}).text
