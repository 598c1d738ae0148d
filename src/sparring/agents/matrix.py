"""The agent that solves a turn of two players as a matrix game and plays a strategy that cannot be exploited."""

import time
from itertools import product

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, EstimatedCandidate, Mix
from sparring.agents.spec import Search, Spec, judge_of, only_options, up_to
from sparring.core.dice import dice, throw
from sparring.core.terms import Heuristic
from sparring.games.contract import Game
from sparring.search.matrix import Floats, drawn, solve

DRAWS = 8
WINS = 10.0
"""How many times as much a win is worth as the best position that is not the end."""


class MatrixAgent(Agent):
    """All actions against all, judged by a heuristic a turn ahead and solved exactly: draws=8 if there is chance."""

    draws = True

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic) -> None:
        only_options(spec, ("draws",), weights=True, name=True)
        self.spec, self.judge = spec.text, judge_of(game, spec, heuristic)
        self.compiled, self.tunable = self.judge.compiled, self.judge.tunable
        self.tries = up_to(10_000, spec, "draws", DRAWS) if game.kind.chance else 1

    def decide(self, view: View) -> Decision:
        started = time.perf_counter()
        own, others = ([*view.position.game.legal(view.state, player)] or [0] for player in (view.me, 1 - view.me))
        mixes = solve(self._payoffs(view, own, others))
        told = zip(own, mixes.row_values.tolist(), mixes.rows.tolist(), strict=True)
        candidates = tuple(
            EstimatedCandidate(one, value, note=f"{chance:.1%}" if chance else "") for one, value, chance in told
        )
        action, nodes = own[drawn(mixes.rows, view.dice)], mixes.payoffs.size * self.tries
        seconds, mix = time.perf_counter() - started, Mix(own, others, mixes)
        return Decision(self.spec, view.position, view.me, action, candidates, 1, nodes, seconds, mix=mix)

    def _payoffs(self, view: View, own: list[int], others: list[int]) -> Floats:
        """Return the average value after every pair of actions, with the same dice for all pairs."""
        game, judge, luck = view.position.game, self.judge, throw(view.dice, 1 << 30)
        values, results = np.zeros((2, len(own), len(others)))
        for (row, mine), (column, theirs), draw in product(enumerate(own), enumerate(others), range(self.tries)):
            after, both = game.copy(view.state), {view.me: mine, 1 - view.me: theirs}
            game.play(after, {player: both[player] for player in view.position.actors}, dice(luck, draw))
            if outcome := game.outcome(after):
                results[row, column] += (2 * outcome[view.me] - 1) / self.tries
            else:
                values[row, column] += judge.score(after, view.me, judge.weights) / self.tries
        return values + results * WINS * max(1.0, float(np.abs(values).max()))


MATRIX = Search(
    MatrixAgent,
    "draws=8",
    fits=lambda game: game.kind.simultaneous and game.seats == 2 and game.lists_all,
    needs="a game of two who act at once and whose actions are listed",
)
