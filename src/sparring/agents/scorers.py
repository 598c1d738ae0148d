"""Agents that score every move by what it leads to before chance has a say, and take the best."""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.spec import Search, Spec, judge_of, only_options, up_to
from sparring.core.kernel import workspace
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.search.choice import as_it_ended, best_value
from sparring.search.expectimax import expectimax, looking_ahead, rollouts
from sparring.search.tree import MAX_PLIES, Automaton, tree_of


class MoveScorer(Agent):
    """Scores every move by its terms and takes the best, any of them if some are equal."""

    draws = True

    policy: Any = None
    """The score of a move, for those who play many games by it: a kernel, or none if it is that of a heuristic."""

    def __init__(self, game: Game, spec: Spec, points: Mapping[str, float], player: Automaton) -> None:
        self.spec = spec.text
        self.game: Any = game
        self.points = points
        self.player = player
        self.tree: Any = tree_of(game)

    def terms(self, state: Any, after: Any, action: Action) -> tuple[dict[str, float], str]:
        """The unweighted terms of a move's score, and what is to be said about it."""
        return {}, ""

    def notes(self, state: Any) -> dict[str, Any]:
        """What is to be said about the position."""
        return {}

    def reasons(self, state: Any, action: Action) -> dict[str, Any]:
        """What speaks for a move, as fields of a decision that is kept."""
        return {}

    def automaton(self, game: Game) -> Automaton | None:
        return self.player if self.compiled else None

    def decide(self, view: View) -> Decision:
        """One compiled call. Where there is no move the answer is 0."""
        started = time.perf_counter()
        step, score, weights, lines, depth, _ = self.player
        tree = self.tree
        walk, states = workspace(tree.walk, 1)[0], workspace(tree.kernels.state, MAX_PLIES)
        walk["me"], walk["max_nodes"], walk["max_depth"] = view.me, lines, depth
        states[0] = view.state
        step(walk, states, workspace(tree.frame, MAX_PLIES), score, weights, view.dice, 1)
        scores, places = walk["scores"].tolist(), None if tree.cursor.bits else tree.cursor.listed(walk["roots"])
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=int(walk["line"][0]),
            candidates=tuple(Judged(one, scores[places[one] if places else one]) for one in view.legal),
            depth=int(walk["completed"]),
            nodes=int(walk["nodes"]),
            seconds=time.perf_counter() - started,
            weights=self.points,
        )

    def explain(self, view: View) -> Decision:
        return self._explained(self.decide(view), view)

    def annotate(self, decision: Decision, view: View) -> Decision:
        told = self._explained(decision, view)
        return replace(told, notes={**told.notes, **self.reasons(view.state, decision.action)})

    def _explained(self, decision: Decision, view: View) -> Decision:
        """With the terms of every score, as far as some move has them."""
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


class Valuing(MoveScorer):
    """A move is worth what a heuristic says of the position it leads to."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, step: Any, lines: int = 1, depth: int = 1) -> None:
        self.judge = judge = judge_of(game, spec, heuristic)
        self.compiled, self.tunable = judge.compiled, judge.tunable
        super().__init__(game, spec, judge.points, Automaton(step, judge.score, judge.weights, lines, depth))

    def terms(self, state: Any, after: Any, action: Action) -> tuple[dict[str, float], str]:
        return self.judge.heuristic.terms(after, self.game.actors(state)[0]), ""

    def notes(self, state: Any) -> dict[str, Any]:
        return {"terms": "right after the move"} if self.player.most_plies > 1 and self.points else {}


class OnePly(Valuing):
    """The best position after the move, by a heuristic."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, value: Any = as_it_ended) -> None:
        only_options(spec, (), weights=True, name=True)
        super().__init__(game, spec, heuristic, best_value(game, value))


class Expectimax(Valuing):
    """The best on average over all that chance may bring, by a heuristic: depth=2, or samples=50."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic, value: Any = as_it_ended) -> None:
        only_options(spec, ("depth", "samples"), weights=True, name=True)
        depth, samples = up_to(6, spec, "depth", 2), up_to(100_000, spec, "samples", 0)
        step = looking_ahead(rollouts if samples else expectimax, game, value)
        super().__init__(game, spec, heuristic, step, samples, depth)


def in_turn(game: Game) -> bool:
    return bool(game.written) and not game.kind.simultaneous


def lists_outcomes(game: Game) -> bool:
    return in_turn(game) and "outcomes" in game.written


ONE_PLY = Search(OnePly, "", in_turn, needs="a game with compiled rules in which one acts after another")
EXPECTIMAX = Search(
    Expectimax, "depth=2 samples=50", lists_outcomes, needs="a game of turns that lists the outcomes of chance"
)
