"""The base of all agents that simulate rounds: they judge rounds by a heuristic, and share one form of decision."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate, Mix
from sparring.agents.spec import Spec, heuristic_of, judge_of, only_options
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.games.flagwar import board
from sparring.games.flagwar.agents.simulation import Simulation
from sparring.games.flagwar.state import COMMAND_BITS, ONE_PIECE

NO_REASONS: Mapping[Action, str] = {}


def gains_by_piece(gains: Sequence[Mapping[Action, float]], joint: Action) -> dict[str, Any]:
    """The note `pieces` of agents that choose piece by piece: the gain of each piece's command over staying, and the
    piece's second best command with its gain. Pieces without a choice are left out."""
    told = {}
    for piece, by_command in enumerate(gains):
        chosen = joint & ONE_PIECE << COMMAND_BITS * piece
        if rest := {command: gain for command, gain in by_command.items() if command != chosen}:
            second = max(rest, key=lambda command: rest[command])
            figures = {"delta": float(by_command[chosen]), "runner_up_delta": float(rest[second])}
            told[str(piece + 1)] = {**figures, "runner_up": board.action_name(second)}
    return told


class SimulationAgent(Agent):
    """An agent that simulates rounds and judges them by a heuristic."""

    options: tuple[str, ...] = ()
    default = "raid"  # the heuristic, if the spec names no other
    plies = 1
    draw_penalty = 0.0  # how many points less than nothing a draw is worth

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        only_options(spec, self.options, weights=True, name=True)
        self.spec = spec.text
        self.judge = judge_of(game, spec, heuristic or heuristic_of(game, spec, self.default))
        self.compiled, self.tunable = self.judge.compiled, self.judge.tunable

    def simulation(self, state: Any) -> Simulation:
        return Simulation(state, self.judge)

    def hindsight(self, decision: Decision, view: View) -> Mapping[str, Any]:
        """Difference of the predicted and the actual score of the round, by the agent's own evaluator."""
        missed = decision.notes["predicted_score"] - float(self.judge.score(view.state, view.me, self.judge.weights))
        return {"predicted_minus_actual": missed, "off_by": abs(missed)}

    def explain(self, view: View) -> Decision:
        """The decision with the terms of every candidate, and an answer about any other command."""
        return self.with_terms(view, self.decide(view))

    def expected(self, decision: Decision) -> Mapping[Action, float]:
        """The enemy commands that candidates are judged against, with their chances."""
        if decision.mix:
            return dict(zip(decision.mix.others, decision.mix.game.columns.tolist(), strict=True))
        return {decision.position.action(decision.notes["predicted"], 1 - decision.player): 1.0}

    def with_terms(
        self, view: View, decision: Decision, against: Callable[[Action], Mapping[Action, float]] | None = None
    ) -> Decision:
        """Add terms to each candidate: averages over the expected enemy commands, or those that `against` tells."""
        sim, expected = self.simulation(view.state), self.expected(decision)
        others = against or (lambda action: expected)

        def with_its_terms(one: Candidate) -> Candidate:
            return replace(one, terms=self._terms(view, one.action, others(one.action)))

        def ask(action: Action) -> Candidate:
            return with_its_terms(self.judged(sim, view.me, action, others(action)))

        return replace(decision, candidates=tuple(map(with_its_terms, decision.candidates)), ask=ask)

    def judged(self, sim: Simulation, me: int, action: Action, expected: Mapping[Action, float]) -> Candidate:
        """A command with its points, on average over the expected enemy commands."""
        payoffs = sim.payoffs(me, [action], list(expected), self.plies, self.draw_penalty)[0]
        return EstimatedCandidate(action, float(payoffs @ np.array(list(expected.values()))))

    def _terms(self, view: View, action: Action, expected: Mapping[Action, float]) -> dict[str, float]:
        game, total = view.position.game, dict.fromkeys(self.judge.points, 0.0)
        for other, chance in expected.items():
            if chance:
                after = game.copy(view.state)
                game.apply(after, {view.me: action, 1 - view.me: other})
                for term, value in self.judge.heuristic.terms(after, view.me).items():
                    total[term] += chance * value
        return total

    def decided(
        self,
        view: View,
        sim: Simulation,
        action: Action,
        predicted: Action,
        scores: Mapping[Action, float],
        mix: Mix | None = None,
        why: Mapping[Action, str] = NO_REASONS,
        **more: Any,
    ) -> Decision:
        """Make a decision. `scores` are mostly points after the round, `why` the notes of candidates, and `more` notes
        of the decision. Agents that choose piece by piece give the note `pieces` in place of the runner-up."""
        simulated, seconds = sim.simulated, time.perf_counter() - sim.started
        position, me = view.position, view.me
        after, now = sim.after(me, action, predicted), sim.now(me)
        scores = {action: after, **scores}
        notes: dict[str, Any] = {
            "evaluations": simulated,
            "predicted": board.action_name(predicted),
            "score": now,
            "predicted_score": after,
            "delta": after - now,
            **more,
        }
        if "pieces" not in notes:
            second = max((one for one in scores if one != action), key=lambda one: scores[one], default=None)
            notes["runner_up"] = None if second is None else view.name(second)
        if mix:
            notes["mix"] = {view.name(one): round(chance, 4) for one, chance in mix.chances.items()}
            notes |= {"value": round(mix.game.value, 4), "exploitability": round(mix.game.exploitability, 4) + 0.0}
            why = {one: f"{chance:.1%}" for one, chance in mix.chances.items()}
        return Decision(
            agent=self.spec,
            position=position,
            player=me,
            action=action,
            candidates=tuple(EstimatedCandidate(one, score, note=why.get(one, "")) for one, score in scores.items()),
            nodes=simulated,
            seconds=seconds,
            weights=self.judge.points,
            notes=notes,
            mix=mix,
        )
