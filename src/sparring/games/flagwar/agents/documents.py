"""The strategy of design document 004 (`seed`), and code from before (`maximin_sampled`) and after (`repo64`, `joint`).

The document has four steps. Each enemy piece finds its best command while all other pieces stay; together these are
the prediction. Then each own piece finds its best command against the prediction; together these are the answer. Each
known flaw of the designs is a switch.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain, product
from typing import Any

import numpy as np

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import Spec, flag, heuristic_named, up_to
from sparring.agents.variants import fixes_of
from sparring.core.dice import throw
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.simulating import SimulationAgent, gains_by_piece
from sparring.games.flagwar.agents.simulation import Floats, Simulation
from sparring.games.flagwar.board import command, parts
from sparring.games.flagwar.facts import played
from sparring.games.flagwar.rules import STEPS
from sparring.games.flagwar.state import COMMAND_BITS, JAILED, STAY

FIXES = {
    "baseline": "a command has to be better than staying while the enemy does what is expected, not better than now: "
    "otherwise a side under attack finds no such command, and freezes",
    "all_replies": "all expected enemy commands are simulated, not only the command of the first piece",
    "evaluator": "winning counts above all, and zones and captures are counted as they were meant",
    "one_by_one": "own pieces choose one after the other, each knowing the commands before it: no two for one capture",
    "reply": "the enemy's best commands are found once more, against the answer, and answered once more",
    "ties": "among equal commands one is drawn, not the first: up, and the shortest",
}
"""The effect of each fix. The document contradicts itself on the first two."""
VARIANTS = {"as_written": frozenset({"baseline", "all_replies"}), "corrected": frozenset(FIXES)}


def alone(piece: int, way: int, far: int) -> Action:
    """The action in which one piece goes far + 1 cells."""
    return command(way, far + 1) << COMMAND_BITS * piece


class DocumentStrategy(SimulationAgent):
    """The four steps of design document 004: seed, seed:corrected, or seed,captures with the detailed evaluator."""

    options = ("captures", "fix", "keep")
    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        self.fixes = fixes_of(spec, VARIANTS, FIXES)
        evaluator = "detailed" if flag(spec, "captures") else "quick"
        variant = "corrected" if "evaluator" in self.fixes else "as_written"
        super().__init__(game, spec, heuristic_named(game, f"{evaluator}_{variant}"))
        self.draws = "ties" in self.fixes

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """The decision with every command of every piece in the last step, its mates staying, and its gain."""
        decision, gains = self._decided(view)
        sim, expected = self.simulation(view.state), self.expected(decision)
        notes = {
            action: f"piece {piece + 1} gains {gain:+,g}"
            for piece, by_command in enumerate(gains)
            for action, gain in by_command.items()
            if action != STAY
        }
        every = dict.fromkeys([decision.action, STAY, *notes])
        candidates = [self.judged(sim, view.me, action, expected) for action in every]
        told = tuple(replace(one, note=notes.get(one.action, "")) for one in candidates)
        return self.with_terms(view, replace(decision, candidates=told))

    def expected(self, decision: Decision) -> Mapping[Action, float]:
        return {self._believed(predicted): chance for predicted, chance in super().expected(decision).items()}

    def _decided(self, view: View) -> tuple[Decision, list[dict[Action, float]]]:
        """The decision, and the gain of every command of every piece."""
        sim, me, scores = self.simulation(view.state), view.me, dict[Action, float]()
        predicted, _ = self._best_of_each(sim, 1 - me, STAY, view.dice, {})
        own, gains = self._best_of_each(sim, me, self._believed(predicted), view.dice, scores)
        if "reply" in self.fixes:
            predicted, _ = self._best_of_each(sim, 1 - me, own, view.dice, {})
            own, gains = self._best_of_each(sim, me, predicted, view.dice, scores)
        return self.decided(view, sim, own, predicted, scores, pieces=gains_by_piece(gains, own)), gains

    def _believed(self, predicted: Action) -> Action:
        """The enemy commands that are simulated."""
        return predicted if "all_replies" in self.fixes or not predicted else parts(predicted)[0]

    def _best_of_each(
        self, sim: Simulation, side: int, other: Action, dice: Any, scores: dict[Action, float]
    ) -> tuple[Action, list[dict[Action, float]]]:
        """Return the best commands together, and the gains by piece. The best in each direction go to the scores."""
        one_by_one, joined, gains = "one_by_one" in self.fixes, STAY, []
        simulated, stays = sim.simulated, sim.after(side, STAY, other)
        least = stays
        if "baseline" not in self.fixes:
            least, sim.simulated = sim.now(side), simulated  # staying is simulated only to be shown
        values = sim.alone(side, other)
        for piece in range(sim.pieces):
            if one_by_one and joined:
                values = sim.alone(side, other, joined)
                stays = least = sim.after(side, joined, other)
            found = values[piece]
            for way in range(4):
                far = int(found[way].argmax())
                if np.isfinite(found[way, far]):
                    scores[alone(piece, way, far)] = float(found[way, far])
            within = np.argwhere(np.isfinite(found)).tolist()
            gains.append({STAY: 0.0, **{alone(piece, way, far): found[way, far] - stays for way, far in within}})
            if found.max() > least:
                best = np.argwhere(found == found.max())
                way, far = best[throw(dice, len(best)) if "ties" in self.fixes else 0].tolist()
                joined |= alone(piece, way, far)
        return joined, gains


SIMILAR = 0.9  # the share of the best combination's gain that a similar combination has
REPO_FIXES = {
    "the_dead": "jailed pieces take no part; before, two of them counted as on one cell, and no piece moved",
    "default": "if no combination is left all pieces stay, rather than each taking its best path up",
    "ends": "a path ends where the rules say, not counted from where the piece stands: rescuers walk from home",
    "figures": "score, worst case and the number of similar combinations are computed, not nothing, 0 and 0",
    "joint": "every combination is simulated, rather than the gains of its pieces added up",
}
REPO_VARIANTS = {
    "as_coded": frozenset({"default"}),
    "as_written": frozenset({"the_dead", "default", "ends", "figures"}),
    "corrected": frozenset(REPO_FIXES),
}


class CombinationStrategy(SimulationAgent):
    """The best command of each piece in each direction, and of all combinations with different ends the one whose gains
    add up to most: repo64, repo64:as_coded, repo64:corrected."""

    options = ("fix", "keep")
    variant = "as_written"
    flaws = REPO_FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        self.fixes = fixes_of(spec, REPO_VARIANTS, REPO_FIXES, spec.name.partition(":")[2] or self.variant)
        super().__init__(game, spec, heuristic_named(game, "detailed_as_written"))

    def decide(self, view: View) -> Decision:
        sim, me = self.simulation(view.state), view.me
        ways, gains = self._best_in_each_direction(sim, 1 - me, STAY)
        predicted = sum(way[best] for way, best in zip(ways, gains.argmax(1), strict=True))
        ways, gains = self._best_in_each_direction(sim, me, predicted)
        combined, sums = self._combinations(view.state, me, ways, gains)
        if "joint" in self.fixes and combined:
            simulated = sim.payoffs(me, combined, [predicted])[:, 0]
            sums = (simulated - sim.after(me, STAY, predicted)).tolist()
        own = combined[int(np.argmax(sums))] if sums and max(sums) > 0 else STAY
        if not sums and "default" not in self.fixes:
            own = sum(way[0] for way in ways)
        tried = dict.fromkeys([own, *chain.from_iterable(ways)])
        scores = {action: sim.after(me, action, predicted) for action in tried}
        figures: dict[str, Any] = {"final_score": None, "worst_case": 0, "similar_moves": 0}
        if "figures" in self.fixes:
            enough, counted = SIMILAR * max(sums, default=0.0), sim.simulated
            similar = max(0, sum(one >= enough for one in sums) - 1)
            worst = -sim.best_response(1 - me, [own]).value
            figures = {"final_score": scores[own], "worst_case": worst, "similar_moves": similar}
            sim.simulated = counted  # the worst case is only shown
        each = [{STAY: 0.0, **dict(zip(*one, strict=True))} for one in zip(ways, gains.tolist(), strict=True)]
        return self.decided(view, sim, own, predicted, scores, pieces=gains_by_piece(each, own), **figures)

    def _best_in_each_direction(self, sim: Simulation, side: int, other: Action) -> tuple[list[list[Action]], Floats]:
        """Return by piece and direction the best action in which it alone moves, or staying, and its gain."""
        least, values = sim.after(side, STAY, other), sim.alone(side, other)
        far, gains = values.argmax(2), values.max(2) - least
        ways = [
            [alone(piece, way, int(far[piece, way])) if gains[piece, way] > 0 else STAY for way in range(4)]
            for piece in range(sim.pieces)
        ]
        return ways, np.maximum(gains, 0.0)

    def _combinations(
        self, s: Any, side: int, ways: list[list[Action]], gains: Floats
    ) -> tuple[list[Action], list[float]]:
        """Return all combinations in which no two pieces end on one cell, and the sum of the gains of each."""
        cells = s.at[side, : s.pieces].tolist()
        counted = [p for p, cell in enumerate(cells) if cell != JAILED or "the_dead" not in self.fixes]
        ends = self._ends(s, side, ways)
        combined: dict[Action, float] = {}
        for chosen in product(range(4), repeat=len(ways)):
            taken = {ends[p][chosen[p]] for p in counted}
            if len(taken) == len(counted):
                action = sum(ways[p][way] for p, way in enumerate(chosen))
                combined.setdefault(action, float(sum(gains[p, way] for p, way in enumerate(chosen))))
        return list(combined), list(combined.values())

    def _ends(self, s: Any, side: int, ways: list[list[Action]]) -> list[tuple[int, ...]]:
        """Return by piece and direction the cell where it ends: without the fix, from where the piece stands."""
        ends = []
        for joined in zip(*ways, strict=True):
            plan = played(s, side, sum(joined), STAY)[1]
            begin = plan.origin if "ends" in self.fixes else s.at
            ends.append((begin + plan.planned * STEPS[plan.direction])[side, : len(ways)].tolist())
        return list(zip(*ends, strict=True))


class JointStrategy(CombinationStrategy):
    """The same, but every combination is simulated against the expected enemy commands."""

    variant = "corrected"


class MaximinSampled(SimulationAgent):
    """Draws own commands and some enemy commands against each, and takes the one whose worst case is best. It does not
    mix: it plays as if the enemy saw the move. maximin_sampled,own=300,others=150"""

    options = ("own", "others")
    default = "quick_as_written"
    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.own, self.others = up_to(100_000, spec, "own", 300), up_to(100_000, spec, "others", 150)

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """The terms of a command are those of its worst case; other commands are tried against all these replies."""
        decision, replies = self._decided(view)
        sim, every = self.simulation(view.state), list(dict.fromkeys(replies.values()))

        def worst(action: Action) -> Mapping[Action, float]:
            if action not in replies:
                replies[action] = every[int(sim.payoffs(view.me, [action], every)[0].argmin())]
            return {replies[action]: 1.0}

        return self.with_terms(view, decision, worst)

    def _decided(self, view: View) -> tuple[Decision, dict[Action, Action]]:
        """The decision, and the worst enemy command against each own one."""
        sim = self.simulation(view.state)
        actions, replies, worst = sim.maximin(view.me, view.dice, self.own, self.others)
        best, scores = worst.index(max(worst)), dict(zip(actions, worst, strict=True))
        decision = self.decided(view, sim, actions[best], replies[best], scores, worst=worst[best])
        return decision, dict(zip(actions, replies, strict=True))
