"""Seed 004: every piece tries all its commands, first the enemy's and then one's own, and takes its best.

The design in four steps. Every enemy piece looks for its best command while all others stay. These are put together:
so much for what the enemy will do. Then every own piece looks for its best command against that, and these are put
together too. Each flaw of it is a switch.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.editions import fixes_of
from sparring.agents.spec import Spec, flag, heuristic_named, only_options
from sparring.core.dice import throw
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.commander import Commander, by_piece
from sparring.games.flagwar.agents.simulation import Floats, Simulation
from sparring.games.flagwar.board import command
from sparring.games.flagwar.conduct import played
from sparring.games.flagwar.rules import STEPS
from sparring.games.flagwar.state import COMMAND_BITS, JAILED, MOST_PIECES, ONE_PIECE, STAY

FIXES = {
    "baseline": "a command has to be better than to stay while the enemy does what is expected, not better than now: "
    "who is attacked would find nothing that is, and freeze",
    "all_replies": "all that the enemy is expected to do is tried against, not only its first piece's command",
    "evaluator": "winning counts above all, and zones and captures are counted as they were meant",
    "one_by_one": "own pieces choose one after the other, each knowing what those before it do: no two for one capture",
    "reply": "what the enemy does is looked for once more, against what was chosen, and answered once more",
    "ties": "among equal commands one is drawn, not the first: up, and the shortest",
}
"""What each fix makes true. The first two the design says in one place and contradicts in another."""
EDITIONS = {
    "as_written": frozenset({"baseline", "all_replies"}),
    "corrected": frozenset(FIXES),
}


def alone(piece: int, way: int, far: int) -> Action:
    """The action in which one piece goes far + 1 cells."""
    return command(way, far + 1) << COMMAND_BITS * piece


class Seed(Commander):
    """Seed 004's four steps, literally: seed, seed:corrected, or with the detailed evaluator: seed,captures."""

    flaws = FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("captures", "fix", "keep"), weights=True, name=True)
        self.fixes = fixes_of(spec, EDITIONS, FIXES)
        evaluator = "detailed" if flag(spec, "captures") else "quick"
        edition = "corrected" if "evaluator" in self.fixes else "as_written"
        super().__init__(game, spec, heuristic_named(game, f"{evaluator}_{edition}"))
        self.draws = "ties" in self.fixes

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """With every command of every piece that was tried last, as if its mates stayed, and what it gains."""
        decision, gains = self._decided(view)
        sim, expected = self.simulation(view.state), self.expected(decision)
        notes = {
            action: f"piece {piece + 1} gains {gain:+,g}"
            for piece, worth in enumerate(gains)
            for action, gain in worth.items()
            if action != STAY
        }
        every = dict.fromkeys([decision.action, STAY, *notes])
        candidates = [self.judged(sim, view.me, action, expected) for action in every]
        told = tuple(replace(one, note=notes.get(one.action, "")) for one in candidates)
        return self.with_terms(view, replace(decision, candidates=told))

    def expected(self, decision: Decision) -> Mapping[Action, float]:
        return {self._believed(predicted): chance for predicted, chance in super().expected(decision).items()}

    def _decided(self, view: View) -> tuple[Decision, list[dict[Action, float]]]:
        """The decision, and what every command of every piece gains."""
        started = time.perf_counter()
        sim, me, scores = self.simulation(view.state), view.me, dict[Action, float]()
        predicted, _ = self._best_of_each(sim, 1 - me, STAY, view.dice, {})
        own, gains = self._best_of_each(sim, me, self._believed(predicted), view.dice, scores)
        if "reply" in self.fixes:
            predicted, _ = self._best_of_each(sim, 1 - me, own, view.dice, {})
            own, gains = self._best_of_each(sim, me, predicted, view.dice, scores)
        return self.decided(view, sim, started, own, predicted, scores, pieces=by_piece(gains, own)), gains

    def _believed(self, predicted: Action) -> Action:
        """The commands of the enemy that are tried against."""
        if "all_replies" in self.fixes or not predicted:
            return predicted
        each = (predicted & ONE_PIECE << COMMAND_BITS * piece for piece in range(MOST_PIECES))
        return next(command for command in each if command)

    def _best_of_each(
        self, sim: Simulation, side: int, other: Action, dice: Any, scores: dict[Action, float]
    ) -> tuple[Action, list[dict[Action, float]]]:
        """The best command of each piece, together, and what all of each would gain. Those that were the best in their
        direction go to the scores."""
        one_by_one, joined, gains = "one_by_one" in self.fixes, STAY, []
        tried, stays = sim.tried, sim.after(side, STAY, other)
        least = stays
        if "baseline" not in self.fixes:
            least, sim.tried = sim.now(side), tried  # staying is tried only to be told
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
                joined |= alone(piece, *self._first_or_any(found, dice))
        return joined, gains

    def _first_or_any(self, found: Floats, dice: Any) -> tuple[int, int]:
        """Direction and distance of the best: the first that was found of equals, or any of them."""
        best = np.argwhere(found == found.max())
        way, far = best[throw(dice, len(best)) if "ties" in self.fixes else 0].tolist()
        return way, far


NEARLY = 0.9
"""What a combination needs of the best one's gain to be told as similar."""
REPO_FIXES = {
    "the_dead": "jailed pieces take no part: two of them counted as on one cell, and nobody moved",
    "default": "if no combination is left all stay, rather than each piece taking its best way up",
    "ends": "where a piece ends is what the rules plan, not reckoned from where it stands: rescuers start from home",
    "figures": "score, worst case and how many combinations are nearly as good are told: it told nothing, 0 and 0",
    "joint": "every combination is played out, rather than the gains of its pieces added up",
}
REPO_EDITIONS = {
    "as_coded": frozenset({"default"}),
    "as_written": frozenset({"the_dead", "default", "ends", "figures"}),
    "corrected": frozenset(REPO_FIXES),
}


class Repo64(Commander):
    """The best command of each piece in each direction, and of all combinations with different ends the one whose gains
    add up to most: repo64, repo64:as_coded, repo64:corrected."""

    edition = "as_written"
    flaws = REPO_FIXES

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("fix", "keep"), weights=True, name=True)
        self.fixes = fixes_of(spec, REPO_EDITIONS, REPO_FIXES, spec.name.partition(":")[2] or self.edition)
        super().__init__(game, spec, heuristic_named(game, "detailed_as_written"))

    def decide(self, view: View) -> Decision:
        started = time.perf_counter()
        sim, me = self.simulation(view.state), view.me
        predicted = STAY
        ways, gains = self._best_in_each_direction(sim, 1 - me, STAY)
        for piece, best in enumerate(gains.argmax(1)):
            predicted |= ways[piece][best] if gains[piece, best] > 0 else STAY
        ways, gains = self._best_in_each_direction(sim, me, predicted)
        combined, sums = self._combinations(view.state, me, ways, gains)
        if "joint" in self.fixes and combined:
            played = sim.payoffs(me, combined, [predicted])[:, 0]
            sums = (played - sim.after(me, STAY, predicted)).tolist()
        own = combined[int(np.argmax(sums))] if sums and max(sums) > 0 else STAY
        if not sums and "default" not in self.fixes:
            own = sum(way[0] for way in ways)
        tried = dict.fromkeys([own, *(way for each in ways for way in each)])
        scores = {action: sim.after(me, action, predicted) for action in tried}
        figures: dict[str, Any] = {"final_score": None, "worst_case": 0, "similar_moves": 0}
        if "figures" in self.fixes:
            enough = NEARLY * max(sums, default=0.0)
            figures = {
                "final_score": scores[own],
                "worst_case": -self.countered(sim, me, own).value,
                "similar_moves": max(0, sum(one >= enough for one in sums) - 1),
            }
        each = [{STAY: 0.0, **dict(zip(*one, strict=True))} for one in zip(ways, gains.tolist(), strict=True)]
        return self.decided(view, sim, started, own, predicted, scores, pieces=by_piece(each, own), **figures)

    def _best_in_each_direction(self, sim: Simulation, side: int, other: Action) -> tuple[list[list[Action]], Floats]:
        """By piece and direction the action in which it alone moves, and what it gains; to stay if that is nothing."""
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
        """All in which no two pieces end on one cell, and the sum of gains of each."""
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

    def _ends(self, s: Any, side: int, ways: list[list[Action]]) -> list[list[int]]:
        """By piece and direction the cell where it ends. Without the fix a path begins where the piece stands."""
        plans = [played(s, side, sum(each[way] for each in ways), STAY)[1] for way in range(4)]
        return [
            [
                int((plan.origin if "ends" in self.fixes else s.at)[side, piece])
                + int(plan.planned[side, piece] * STEPS[plan.direction[side, piece]])
                for plan in plans
            ]
            for piece in range(len(ways))
        ]


class Joint(Repo64):
    """The same, but every combination is played out against what the enemy is expected to do."""

    edition = "corrected"
