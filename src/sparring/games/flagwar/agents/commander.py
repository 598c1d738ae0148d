"""What all players share that try rounds out: a heuristic to judge them by, and how they tell what they found."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, Judged, Mix
from sparring.agents.spec import Spec, judge_of
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.games.flagwar import board
from sparring.games.flagwar.agents.simulation import Answer, Simulation
from sparring.games.flagwar.state import COMMAND_BITS, ONE_PIECE


def by_piece(gains: Sequence[Mapping[Action, float]], joint: Action) -> dict[str, Any]:
    """For the notes of those who choose piece by piece: what the command of each gains over staying while its mates do
    what they did when it chose, and its second best. Nothing of those who have no choice."""
    told = {}
    for piece, worth in enumerate(gains):
        chosen = joint & ONE_PIECE << COMMAND_BITS * piece
        rest = {command: gain for command, gain in worth.items() if command != chosen}
        if rest:
            second = max(rest, key=lambda command: rest[command])
            figures = {"delta": float(worth[chosen]), "runner_up_delta": float(rest[second])}
            told[str(piece + 1)] = {**figures, "runner_up": board.action_name(second)}
    return told


class Commander(Agent):
    """Tries rounds out and judges what comes of them by a heuristic."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic) -> None:
        self.spec = spec.text
        self.judge = judge_of(game, spec, heuristic)
        self.compiled, self.tunable = self.judge.compiled, self.judge.tunable

    def simulation(self, state: Any) -> Simulation:
        return Simulation(state, self.judge)

    def hindsight(self, decision: Decision, view: View) -> Mapping[str, Any]:
        """By how much the round came out otherwise than predicted, by its own evaluator."""
        actual = float(self.judge.score(view.state, view.me, self.judge.weights))
        missed = decision.notes["predicted_score"] - actual
        return {"predicted_minus_actual": missed, "off_by": abs(missed)}

    def explain(self, view: View) -> Decision:
        """With the terms of every candidate after the round, and an answer about any other command."""
        return self.with_terms(view, self.decide(view))

    def expected(self, decision: Decision) -> Mapping[Action, float]:
        """The enemy's commands that candidates are judged against, and how likely each is."""
        if decision.mix:
            return dict(zip(decision.mix.others, decision.mix.game.columns.tolist(), strict=True))
        return {decision.position.action(decision.notes["predicted"], 1 - decision.player): 1.0}

    def with_terms(
        self, view: View, decision: Decision, against: Callable[[Action], Mapping[Action, float]] | None = None
    ) -> Decision:
        """A decision whose candidates have the terms of the position after the round, on average over what the enemy is
        expected to do; or each against something else."""
        sim, usual = self.simulation(view.state), self.expected(decision)

        def told(one: Candidate, others: Mapping[Action, float]) -> Candidate:
            return replace(one, terms=self._terms(view, one.action, others))

        def met(action: Action) -> Mapping[Action, float]:
            return against(action) if against else usual

        def ask(action: Action) -> Candidate:
            return told(self.judged(sim, view.me, action, met(action)), met(action))

        return replace(decision, candidates=tuple(told(one, met(one.action)) for one in decision.candidates), ask=ask)

    def judged(self, sim: Simulation, me: int, action: Action, expected: Mapping[Action, float]) -> Candidate:
        """A command with the points that it brings, on average over what the enemy is expected to do."""
        payoffs = sim.payoffs(me, [action], list(expected))[0]
        return Judged(action, float(payoffs @ np.array(list(expected.values()))))

    def _terms(self, view: View, action: Action, expected: Mapping[Action, float]) -> dict[str, float]:
        game, total = view.position.game, dict.fromkeys(self.judge.points, 0.0)
        for other, chance in expected.items():
            if chance:
                after = game.copy(view.state)
                game.apply(after, {view.me: action, 1 - view.me: other})
                for term, value in self.judge.heuristic.terms(after, view.me).items():
                    total[term] += chance * value
        return total

    def countered(self, sim: Simulation, me: int, action: Action) -> Answer:
        """The enemy's best answer to what was chosen: only to be told, so it counts as nothing that was tried."""
        tried = sim.tried
        found = sim.answer(1 - me, [action])
        sim.tried = tried
        return found

    def decided(
        self,
        view: View,
        sim: Simulation,
        started: float,
        action: Action,
        predicted: Action,
        scores: Mapping[Action, float],
        mix: Mix | None = None,
        why: Mapping[Action, str] | None = None,
        **more: Any,
    ) -> Decision:
        """A decision with its scores, which are mostly points after the round, what is said of each, and what is
        expected of the other side. Where pieces choose each for itself, `pieces` tell the runners-up."""
        tried, seconds = sim.tried, time.perf_counter() - started
        position, me, other = view.position, view.me, 1 - view.me
        after, now = sim.after(me, action, predicted), sim.now(me)
        scores = {action: after, **scores}
        notes: dict[str, Any] = {
            "evaluations": tried,
            "predicted": position.game.action_name(position.state, other, predicted),
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
            candidates=tuple(Judged(one, score, note=(why or {}).get(one, "")) for one, score in scores.items()),
            nodes=tried,
            seconds=seconds,
            weights=self.judge.points,
            notes=notes,
            mix=mix,
        )
