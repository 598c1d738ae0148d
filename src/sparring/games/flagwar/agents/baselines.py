"""Simple players to measure others by."""

from dataclasses import replace

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import Spec, only_options
from sparring.games.contract import Game
from sparring.games.flagwar.state import STAY


class Still(Agent):
    """Never moves a piece."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        self.spec = spec.text

    def decide(self, view: View) -> Decision:
        return Decision(self.spec, view.position, view.me, STAY)

    def explain(self, view: View) -> Decision:
        why = "no piece ever moves"
        return replace(self.decide(view), notes={"why": why}, ask=lambda action: Candidate(action, note=why))
