"""The agent that takes a turn of two who act at once for a matrix game, and plays what nobody gains by knowing."""

import time

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged, Mix
from sparring.agents.rhea import NEEDS, lists_joint_actions
from sparring.agents.spec import Search, Spec, judge_of, only_options, up_to
from sparring.core.terms import Heuristic
from sparring.games.contract import Game
from sparring.search.matrix import Pairs, drawn, solve

DRAWS = 8


class Matrix(Agent):
    """All actions against all, judged by a heuristic a turn ahead and solved exactly: draws=8 where there is chance."""

    draws = True

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic) -> None:
        only_options(spec, ("draws",), weights=True, name=True)
        self.spec, self.judge = spec.text, judge_of(game, spec, heuristic)
        self.compiled, self.tunable = self.judge.compiled, self.judge.tunable
        self.tries = up_to(10_000, spec, "draws", DRAWS) if game.kernels.chance else 1
        self.pairs = Pairs(game)

    def decide(self, view: View) -> Decision:
        started = time.perf_counter()
        own = list(view.legal)
        others = list(view.position.game.legal(view.state, 1 - view.me)) or [0]
        mixes = solve(self.pairs.payoffs(view.state, view.me, own, others, self.judge, view.dice, self.tries))
        mix = Mix(own, others, mixes)
        told = zip(own, mixes.row_values.tolist(), mixes.rows.tolist(), strict=True)
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=own[drawn(mixes.rows, view.dice)],
            candidates=tuple(
                Judged(action, value, note=f"{chance:.1%}" if chance else "") for action, value, chance in told
            ),
            depth=1,
            nodes=mixes.payoffs.size * self.tries,
            seconds=time.perf_counter() - started,
            mix=mix,
        )


def of_two(game: Game) -> bool:
    return game.seats == 2 and lists_joint_actions(game)


MATRIX = Search(Matrix, "draws=8", of_two, needs=f"{NEEDS}, for two players")
