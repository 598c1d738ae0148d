"""What the game's own project calls Nash: commands by chance, and the worst that chance found against them."""

import time
from collections.abc import Mapping

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, heuristic_of, only_options, up_to
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.commander import Commander

OWN, OTHERS, LONGEST_STEP = 300, 150, 5


class MaximinSampled(Commander):
    """Draws own actions and against each some of the enemy's, and takes the one whose worst is best. Nothing is mixed:
    it plays as if the enemy saw the move. maximin_sampled,own=300,others=150"""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("own", "others"), weights=True, name=True)
        super().__init__(game, spec, heuristic_of(game, spec, "quick_as_written"))
        self.own, self.others = up_to(100_000, spec, "own", OWN), up_to(100_000, spec, "others", OTHERS)

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """Each command has the terms that its own worst leads to. Any other is tried against all that was the worst
        against these."""
        decision, replies = self._decided(view)
        sim, everything = self.simulation(view.state), list(dict.fromkeys(replies.values()))

        def worst(action: Action) -> Mapping[Action, float]:
            if action not in replies:
                replies[action] = everything[int(sim.payoffs(view.me, [action], everything)[0].argmin())]
            return {replies[action]: 1.0}

        return self.with_terms(view, decision, worst)

    def _decided(self, view: View) -> tuple[Decision, dict[Action, Action]]:
        """The decision, and the enemy's command that was the worst against each."""
        started = time.perf_counter()
        sim, me = self.simulation(view.state), view.me
        actions, replies, worst = sim.maximin(me, view.dice, self.own, self.others, LONGEST_STEP)
        best = int(worst.argmax())
        own, predicted = int(actions[best]), int(replies[best])
        scores = dict(zip(actions.tolist(), worst.tolist(), strict=True))
        decision = self.decided(view, sim, started, own, predicted, scores, worst=float(worst[best]))
        return decision, dict(zip(actions.tolist(), replies.tolist(), strict=True))
