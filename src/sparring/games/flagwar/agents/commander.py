"""What all players share that try rounds out: a heuristic to judge them by, and how they tell what they found."""

import time
from collections.abc import Mapping
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged, Mix
from sparring.agents.spec import Spec, judge_of
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.simulation import Answer, Simulation
from sparring.terms import Heuristic


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
        **more: Any,
    ) -> Decision:
        """A decision with its scores, which are points after the round, and what is expected of the other side."""
        tried, seconds = sim.tried, time.perf_counter() - started
        position, me, other = view.position, view.me, 1 - view.me
        after, now = sim.after(me, action, predicted), sim.now(me)
        scores = {action: after, **scores}
        second = max((one for one in scores if one != action), key=lambda one: scores[one], default=None)
        notes: dict[str, Any] = {
            "evaluations": tried,
            "predicted": position.game.action_name(position.state, other, predicted),
            "score": now,
            "predicted_score": after,
            "delta": after - now,
            "runner_up": None if second is None else view.name(second),
            **more,
        }
        chances = mix.chances if mix else {}
        if mix:
            notes["mix"] = {view.name(one): round(chance, 4) for one, chance in chances.items()}
        return Decision(
            agent=self.spec,
            position=position,
            player=me,
            action=action,
            candidates=tuple(
                Judged(one, score, note=f"{chances[one]:.1%}" if one in chances else "")
                for one, score in scores.items()
            ),
            nodes=tried,
            seconds=seconds,
            weights=self.judge.points,
            notes=notes,
            mix=mix,
        )
