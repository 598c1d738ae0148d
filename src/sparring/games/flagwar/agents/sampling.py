"""What the game's own project calls Nash: commands by chance, and the worst that chance found against them."""

import time

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, heuristic_of, only_options, up_to
from sparring.games.contract import Game
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
        started = time.perf_counter()
        sim, me = self.simulation(view.state), view.me
        actions, replies, worst = sim.maximin(me, view.dice, self.own, self.others, LONGEST_STEP)
        best = int(worst.argmax())
        own, predicted = int(actions[best]), int(replies[best])
        scores = dict(zip(actions.tolist(), worst.tolist(), strict=True))
        return self.decided(view, sim, started, own, predicted, scores, worst=float(worst[best]))
