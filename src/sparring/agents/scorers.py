"""Agents that score each move by the position after it, before chance acts, and take the best one."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparring.agents.agent import PolicyAgent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import Search, Spec, judge_of, only_options, up_to
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.search.choice import best_value, result_or_heuristic
from sparring.search.expectimax import bind_expectation, expectimax, rollouts
from sparring.search.tree import CompiledPolicy


class MoveScoringAgent(PolicyAgent):
    """Scores each move by its terms and takes the best one, any of them if several are equal."""

    policy: Any = None
    """A kernel for the score of a move, used to play many games by it. None if a heuristic gives the score."""

    def __init__(self, game: Game, spec: Spec, points: Mapping[str, float], player: CompiledPolicy) -> None:
        super().__init__(spec.text, game, points, player)

    def terms(self, state: Any, after: Any, action: Action) -> tuple[dict[str, float], str]:
        """Return the unweighted terms of a move's score, and a note on the move."""
        return {}, ""

    def notes(self, state: Any) -> dict[str, Any]:
        """Return notes on the position."""
        return {}

    def reasons(self, state: Any, action: Action) -> dict[str, Any]:
        """Return reasons for a move, as notes of a decision that is kept."""
        return {}

    def explain(self, view: View) -> Decision:
        return self._explained(self.decide(view), view)

    def annotate(self, decision: Decision, view: View) -> Decision:
        told = self._explained(decision, view)
        return replace(told, notes={**told.notes, **self.reasons(view.state, decision.action)})

    def _explained(self, decision: Decision, view: View) -> Decision:
        """Add the terms of every score. Terms that are 0 for all moves are left out."""
        state, after = view.state, self.tree.ahead.after
        found = {c.action: self.terms(state, after(state, c.action), c.action) for c in decision.candidates}
        told = [
            name for name, points in self.points.items() if points and any(terms[name] for terms, _ in found.values())
        ]
        candidates = tuple(
            replace(c, terms={name: found[c.action][0][name] for name in told}, note=found[c.action][1])
            for c in decision.candidates
        )
        weights = {name: self.points[name] for name in told}
        return replace(decision, candidates=candidates, weights=weights, notes=self.notes(state))


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


def in_turn(game: Game) -> bool:
    return bool(game.written) and not game.kind.simultaneous


def lists_outcomes(game: Game) -> bool:
    return in_turn(game) and "outcomes" in game.written


ONE_PLY = Search(OnePlyAgent, "", in_turn, needs="a game with compiled rules in which one acts after another")
EXPECTIMAX = Search(
    ExpectimaxAgent, "depth=2 samples=50", lists_outcomes, needs="a game of turns that lists the outcomes of chance"
)
