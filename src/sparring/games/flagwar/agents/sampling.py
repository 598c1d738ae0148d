"""The player that the game's own project calls Nash: random commands, judged by the worst of random replies."""

import time
from collections.abc import Mapping

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, heuristic_of, only_options, up_to
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.simulating import SimulationAgent

OWN, OTHERS = 300, 150


class MaximinSampled(SimulationAgent):
    """Draws own commands and some enemy commands against each, and takes the one whose worst case is best. It does not
    mix: it plays as if the enemy saw the move. maximin_sampled,own=300,others=150"""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("own", "others"), weights=True, name=True)
        super().__init__(game, spec, heuristic_of(game, spec, "quick_as_written"))
        self.own, self.others = up_to(100_000, spec, "own", OWN), up_to(100_000, spec, "others", OTHERS)

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """The terms of each command are those of its own worst case. Any other command is tried against all the worst
        replies to these."""
        decision, replies = self._decided(view)
        sim, every = self.simulation(view.state), list(dict.fromkeys(replies.values()))

        def worst(action: Action) -> Mapping[Action, float]:
            if action not in replies:
                replies[action] = every[int(sim.payoffs(view.me, [action], every)[0].argmin())]
            return {replies[action]: 1.0}

        return self.with_terms(view, decision, worst)

    def _decided(self, view: View) -> tuple[Decision, dict[Action, Action]]:
        """The decision, and the worst enemy command against each own one."""
        started = time.perf_counter()
        sim = self.simulation(view.state)
        actions, replies, worst = sim.maximin(view.me, view.dice, self.own, self.others)
        best, scores = worst.index(max(worst)), dict(zip(actions, worst, strict=True))
        decision = self.decided(view, sim, started, actions[best], replies[best], scores, worst=worst[best])
        return decision, dict(zip(actions, replies, strict=True))
