"""Monte Carlo tree search for every game that has kernels."""

from collections.abc import Mapping
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, EstimatedCandidate
from sparring.agents.spec import Search, Spec, iterations_or_time, judge_of, number_within, one_of, only_options, up_to
from sparring.core.terms import Heuristic, heuristic
from sparring.games.contract import Action, Game
from sparring.search.mcts import ARMS, RULES, MonteCarloResult, MonteCarloSearch, MonteCarloSettings

OPTIONS = ("iterations", "time", "exploration", "contempt", "rollout", "select")
ITERATIONS = 2000
LONGEST_ROLLOUT = 10_000
"""Turns after which a random game counts as undecided."""


@heuristic("every game")
def undecided(s, me):  # type: ignore[no-untyped-def]
    """Placeholder for searches that play to the end of the game."""
    return 0.0


class MctsAgent(Agent):
    """Monte Carlo tree search by decoupled UCT or select=regret. Alone it plays random games to the end, mcts:NAME asks
    a heuristic: mcts,iterations=5000, mcts:NAME,time=100ms, mcts:NAME,rollout=4."""

    draws = True

    def __init__(
        self,
        game: Game,
        spec: Spec,
        heuristic: Heuristic | None,
        *,
        kernels: Mapping[str, Any] | None = None,
        contempt: float = 0.0,
    ) -> None:
        only_options(spec, OPTIONS, weights=heuristic is not None, name=True)
        self.spec = spec.text
        self.budget = iterations_or_time(spec, ITERATIONS)
        self.timed = self.budget.seconds is not None
        select = one_of(RULES, spec, "select", "uct")
        most = 1.0 if select == "regret" else 10.0
        settings = MonteCarloSettings(
            select=select,
            exploration=number_within(spec, "exploration", 0.001, ARMS.exploration[select], most),
            rollout=up_to(LONGEST_ROLLOUT, spec, "rollout", 0 if heuristic else LONGEST_ROLLOUT, least=0),
            contempt=number_within(spec, "contempt", 0.0, contempt, 1.0),
        )
        judge = judge_of(game, spec, heuristic or undecided)
        self.compiled, self.tunable = judge.compiled, judge.tunable if heuristic else {}
        self.search = MonteCarloSearch(game, judge, settings, kernels)

    def decide(self, view: View) -> Decision:
        found = self._found(view)
        return self._decided(view, found, {found.best.action})

    def explain(self, view: View) -> Decision:
        """Add the line of every candidate that was visited."""
        found = self._found(view)
        return self._decided(view, found, {one.action for one in found.actions if one.visits})

    def _found(self, view: View) -> MonteCarloResult:
        return self.search.run(view.state, view.me, self.budget.within(view.seconds), view.dice)

    def _decided(self, view: View, found: MonteCarloResult, told: set[Action]) -> Decision:
        candidates = []
        for one in found.actions:
            line = found.line(one.action) if one.action in told else ()
            value, note = one.value if one.visits else None, f"{one.share:.0%} of the visits"
            candidates.append(EstimatedCandidate(one.action, value, line=line if len(line) > 1 else (), note=note))
        known, notes = (found.depth, found.nodes, found.seconds), {"iterations": found.iterations}
        action = found.best.action
        return Decision(self.spec, view.position, view.me, action, tuple(candidates), *known, notes=notes)


EXAMPLES = "iterations=2000 time=100ms select=regret rollout=4"
MCTS = Search(MctsAgent, EXAMPLES, fits=lambda game: bool(game.written), alone=True)
