"""Agents that score each move by the position after it, before chance acts, and take the best one."""

from typing import Any

from sparring.agents.agent import MoveScoringAgent
from sparring.agents.spec import Search, Spec, judge_of, only_options, up_to
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.search.choice import best_value, result_or_heuristic
from sparring.search.expectimax import bind_expectation, expectimax, rollouts
from sparring.search.tree import CompiledPolicy


class AfterstateAgent(MoveScoringAgent):
    """Scores a move by what a heuristic says about the position after it."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, step: Any, lines: int = 1, depth: int = 1) -> None:
        self.judge = judge = judge_of(game, spec, heuristic)
        self.compiled, self.tunable = judge.compiled, judge.tunable
        super().__init__(game, spec, judge.points, CompiledPolicy(step, judge.score, judge.weights, lines, depth))

    def terms(self, state: Any, after: Any, action: Action) -> tuple[dict[str, float], str]:
        return self.judge.heuristic.terms(after, self.game.actors(state)[0]), ""

    def notes(self, state: Any) -> dict[str, Any]:
        return {"terms": "right after the move"} if self.player.most_plies > 1 and self.points else {}


class OnePlyAgent(AfterstateAgent):
    """The best position after the move, by a heuristic."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, value: Any = result_or_heuristic) -> None:
        only_options(spec, (), weights=True, name=True)
        super().__init__(game, spec, heuristic, best_value(game, value))


class ExpectimaxAgent(AfterstateAgent):
    """The best on average over all outcomes of chance, by a heuristic: depth=2, or samples=50."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, value: Any = result_or_heuristic) -> None:
        only_options(spec, ("depth", "samples"), weights=True, name=True)
        depth, samples = up_to(6, spec, "depth", 2), up_to(100_000, spec, "samples", 0)
        step = bind_expectation(rollouts if samples else expectimax, game, value)
        super().__init__(game, spec, heuristic, step, samples, depth)


ONE_PLY = Search(
    OnePlyAgent,
    "",
    fits=lambda game: bool(game.written) and not game.kind.simultaneous,
    needs="a game with compiled rules in which one acts after another",
)
EXPECTIMAX = Search(
    ExpectimaxAgent,
    "depth=2 samples=50",
    fits=lambda game: "outcomes" in game.written and not game.kind.simultaneous,
    needs="a game of turns that lists the outcomes of chance",
)
