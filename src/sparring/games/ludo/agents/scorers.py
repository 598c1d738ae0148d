"""Ludo's own agents that score moves by points."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import types

from sparring.agents.agent import MoveScoringAgent
from sparring.agents.spec import Spec, only_options
from sparring.agents.variants import fixes_of
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, entry, kernel, record, record_type
from sparring.core.terms import Weight
from sparring.games.contract import Action, Game
from sparring.games.ludo import rulebased
from sparring.games.ludo.heuristics import stolen
from sparring.games.ludo.state import HOME, State
from sparring.search.choice import best_move_by, silent
from sparring.search.tree import CompiledPolicy

STATE = record_type(State)


class PointsAgent(MoveScoringAgent):
    """Scores a move by the points of its terms. Its spec may change the points; `policy` is the kernel of the score."""

    def __init__(self, game: Game, spec: Spec, points: Mapping[str, float]) -> None:
        for term in spec.weights:
            if term not in points:
                raise SparringError(f"{spec.name} has no term {term!r}; its terms: {', '.join(points)}")
        points = {**points, **spec.weights}
        weights = record(Weights)
        weights.of[: len(points)] = list(points.values())
        super().__init__(
            game, spec, points, CompiledPolicy(best_move_by(game, self.policy), silent(State), weights, 1, 1)
        )
        self.tunable = {term: Weight(worth) for term, worth in points.items()}


MOVE_TERMS = ("capture", "get_out", "step", "sent_home", "place")


@kernel
def move_terms(s: Any, after: Any, token: int) -> tuple[float, float, float, float, float]:
    """Return the terms: another token is sent home; the token leaves home; its steps; it is sent home; its tile."""
    me = s.to_move & 3
    here, there = s.at[me, token], after.at[me, token]
    captures, leaves = stolen(s, after, me) > 0, here == HOME and there > HOME
    return 1.0 * captures, 1.0 * leaves, 1.0 * max(0, there - here), 0.0 - (there == HOME), 1.0 * here


@kernel
def instinct(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    score, terms = 0.0, move_terms(s, after, token)
    for term in range(len(terms)):
        score += weights.of[term] * terms[term]
    return score


class SemiSmart(PointsAgent):
    """Captures, else leaves home, else takes the longest step. Avoids being sent home."""

    policy = staticmethod(instinct)
    taste: Mapping[str, float] = {"capture": 1000.0, "get_out": 500.0, "step": 1.0, "sent_home": 10_000.0}

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), weights=True)
        super().__init__(game, spec, {term: self.taste.get(term, 0.0) for term in MOVE_TERMS})

    def terms(self, state: Any, after: Any, token: Action) -> tuple[dict[str, float], str]:
        found = entry(move_terms, types.UniTuple(types.float64, len(MOVE_TERMS))(STATE, STATE, types.int64))
        return dict(zip(MOVE_TERMS, map(float, found(state, after, token)), strict=True)), ""


class Furthest(SemiSmart):
    """Moves the token that has come furthest."""

    taste = {"place": 1.0}


class Rearmost(SemiSmart):
    """Moves the token that is furthest behind, also from home."""

    taste = {"place": -1.0}


class RuleBased(PointsAgent):
    """Plays by rules, phases, bonuses and risk: rulebased:as_written, :corrected or :as_coded."""

    policy = staticmethod(rulebased.rulebook)
    flaws = rulebased.FIXES
    is_on_policy = False
    needs_replay_learning = False

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("fix", "keep"), weights=True, name=True)
        self.fixes = fixes_of(spec, rulebased.VARIANTS, rulebased.FIXES)
        super().__init__(game, spec, rulebased.WEIGHTS)
        self.player.weights.of[rulebased.FIXES_AT] = self._fixes = sum(rulebased.BIT[fix] for fix in self.fixes)

    def terms(self, state: Any, after: Any, token: Action) -> tuple[dict[str, float], str]:
        """Return the terms, and a note with the rule as the document names it and its multiplier."""
        found, rule, only_risk = self._ruled(state, after, token)
        note = RULE_NAMES[rule]
        if only_risk:
            note += ", but threatened and not fleeing: only its risk counts"
        elif rule < rulebased.RULES and found[rule] != 1:
            note += f" x{found[rule]:.3g}"
        return dict(zip(rulebased.WEIGHTS, found.tolist(), strict=True)), note

    def _ruled(self, state: Any, after: Any, token: Action) -> tuple[Any, int, bool]:
        """Return the terms of a move, its rule, and whether only its risk counts."""
        found = np.zeros(rulebased.TERMS)
        given = STATE, STATE, types.int64, record_type(Weights), types.float64[::1]
        judged = entry(rulebased.write_terms, types.Tuple((types.int64, types.boolean))(*given))
        return found, *judged(state, after, token, self.player.weights, found)

    def reasons(self, state: Any, token: Action) -> dict[str, Any]:
        """Return the parts of a score: base times multiplier, plus bonuses, less risk and penalties."""
        found, rule, only_risk = self._ruled(state, self.game.after_move(state, token), token)
        points = list(self.points.values())
        worth = (found * points).tolist()
        by_rule = rule < rulebased.RULES
        return {
            "rule": RULE_NAMES[rule],
            "base": points[rule] if by_rule else 0.0,
            "multiplier": float(found[rule]) if by_rule else 1.0,
            "bonuses": sum(worth[rulebased.RULES : rulebased.RISK]),
            "risk": 0.0 - worth[rulebased.RISK],
            "penalties": 0.0 - sum(worth[rulebased.RISK + 1 :]),
            "only risk counts": only_risk,
        }

    def notes(self, state: Any) -> dict[str, Any]:
        phases_of = entry(rulebased.phases_of, types.int64(STATE, types.int64, types.int64))
        phases = phases_of(state, int(state.to_move), self._fixes)
        named = [name for bit, name in rulebased.PHASES.items() if phases & bit]
        return {"phase": " and ".join(named) or "midgame"}


RULE_NAMES = (
    *("WIN_MOVE", "CAPTURE_MOVE", "FLEE_MOVE", "HOME_BASE_PROGRESS", "BLOCKADE_CLUSTER", "FORM_BLOCKADE_MOVE"),
    *("GET_OUT_OF_HOME", "strategy", "sent home"),
)
"""The names in the document."""
