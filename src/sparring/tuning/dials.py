"""The weights of an agent as dials: each goes from 0 to 1 over its range."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Weight
from sparring.tuning.methods import Array


@dataclass(frozen=True)
class Dials:
    """Those of an agent's terms that may be moved, and the spec that holds all the rest."""

    spec: Spec
    weights: dict[str, Weight]

    @classmethod
    def of(cls, agent: Agent, only: Collection[str] = ()) -> "Dials":
        """All terms, or only some; without those whose range holds them fast."""
        if not agent.tunable:
            raise SparringError(f"{agent.spec} has no terms to weigh; `spar agents GAME` lists heuristics")
        if len(agent.tunable) == 1:
            raise SparringError(f"{agent.spec} has a single term: whatever it weighs, the moves are the same")
        for term in only:
            if term not in agent.tunable:
                raise unknown(f"term of {agent.spec}", term, agent.tunable)
        loose = {term: weight for term, weight in agent.tunable.items() if weight.range[0] < weight.range[1]}
        chosen = {term: weight for term, weight in loose.items() if not only or term in only}
        if not chosen:
            raise SparringError(f"nothing of {agent.spec} can be tuned: the ranges hold it fast")
        return cls(Spec.parse(agent.spec), chosen)

    @property
    def start(self) -> Array:
        return np.array([(w.default - w.range[0]) / (w.range[1] - w.range[0]) for w in self.weights.values()])

    def at(self, point: Array) -> dict[str, float]:
        """The weights at a point of the cube, in as many digits as a person would write."""
        low, high = np.array([weight.range for weight in self.weights.values()]).T
        values = (low + point * (high - low)).tolist()
        return {term: float(f"{value:.4g}") for term, value in zip(self.weights, values, strict=True)}

    def agent_at(self, point: Array) -> str:
        """The agent with these weights, as a text."""
        return self.spec.but(self.at(point), {}).text
