"""Ludo's own agents that score moves."""

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
from sparring.games.ludo.heuristics import MOVE_TERMS, instinct, instinct_terms
from sparring.games.ludo.state import State
from sparring.search.choice import best_move_by, silent
from sparring.search.tree import CompiledPolicy


@kernel
def by_rulebook(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    return rulebased.rulebook(s, after, token, weights)


@kernel
def by_instinct(s: Any, after: Any, token: int, heuristic: Any, weights: Any) -> Any:
    return instinct(s, after, token, weights)


class SemiSmart(MoveScoringAgent):
    """Captures, else leaves home, else takes the longest step. Avoids being sent home."""

    policy = staticmethod(by_instinct)
    taste: Mapping[str, float] = {"capture": 1000.0, "get_out": 500.0, "step": 1.0, "sent_home": 10_000.0}

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), weights=True)
        points = weighed(spec, {term: self.taste.get(term, 0.0) for term in MOVE_TERMS})
        self.tunable = {term: Weight(worth) for term, worth in points.items()}
        step = best_move_by(game, by_instinct)
        super().__init__(game, spec, points, CompiledPolicy(step, silent(State), weights_of(points), 1, 1))

    def terms(self, state: Any, after: Any, token: Action) -> tuple[dict[str, float], str]:
        found = np.zeros(len(MOVE_TERMS))
        _terms_of(instinct_terms, types.void)(state, after, token, self.player.weights, found)
        return dict(zip(MOVE_TERMS, found.tolist(), strict=True)), ""


class Furthest(SemiSmart):
    """Moves the token that has come furthest."""

    taste = {"place": 1.0}


class Rearmost(SemiSmart):
    """Moves the token that is furthest behind, also from home."""

    taste = {"place": -1.0}


class RuleBased(MoveScoringAgent):
    """Plays by rules, phases, bonuses and risk: rulebased:as_written, :corrected or :as_coded."""

    policy = staticmethod(by_rulebook)
    flaws = rulebased.FIXES
    is_on_policy = False
    needs_replay_learning = False

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("fix", "keep"), weights=True, name=True)
        self.fixes = fixes_of(spec, rulebased.VARIANTS, rulebased.FIXES)
        points = weighed(spec, rulebased.WEIGHTS)
        self.tunable = {term: Weight(worth) for term, worth in points.items()}
        weights = weights_of(points)
        weights.of[rulebased.FIXES_AT] = sum(rulebased.BIT[fix] for fix in self.fixes)
        super().__init__(
            game, spec, points, CompiledPolicy(best_move_by(game, by_rulebook), silent(State), weights, 1, 1)
        )

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
        found = np.zeros(len(rulebased.WEIGHTS))
        answer = types.Tuple((types.int64, types.boolean))
        return found, *_terms_of(rulebased.rulebook_terms, answer)(state, after, token, self.player.weights, found)

    def reasons(self, state: Any, token: Action) -> dict[str, Any]:
        """Return the parts of a score: base times multiplier, plus bonuses, less risk and penalties."""
        found, rule, only_risk = self._ruled(state, self.game.after_move(state, token), token)
        worth = (found * list(self.points.values())).tolist()
        return {
            "rule": RULE_NAMES[rule],
            "base": self.points[RULE_TERMS[rule]] if rule < rulebased.RULES else 0.0,
            "multiplier": float(found[rule]) if rule < rulebased.RULES else 1.0,
            "bonuses": sum(worth[rulebased.RULES : rulebased.RISK]),
            "risk": 0.0 - worth[rulebased.RISK],
            "penalties": 0.0 - sum(worth[rulebased.RISK + 1 :]),
            "only risk counts": only_risk,
        }

    def notes(self, state: Any) -> dict[str, Any]:
        signature = types.int64(record_type(State), types.int64, types.int64)
        fixes = int(self.player.weights.of[rulebased.FIXES_AT])
        phases = entry(rulebased.phases_of, signature)(state, int(state.to_move), fixes)
        named = [name for bit, name in rulebased.PHASES.items() if phases & bit]
        return {"phase": " and ".join(named) or "midgame"}


RULE_NAMES = (
    *("WIN_MOVE", "CAPTURE_MOVE", "FLEE_MOVE", "HOME_BASE_PROGRESS", "BLOCKADE_CLUSTER", "FORM_BLOCKADE_MOVE"),
    *("GET_OUT_OF_HOME", "strategy", "sent home"),
)
"""The names in the document."""
RULE_TERMS = tuple(rulebased.WEIGHTS)[: rulebased.RULES]


def weighed(spec: Spec, points: Mapping[str, float]) -> dict[str, float]:
    """Return the points of each term, some replaced by those of the spec."""
    for term in spec.weights:
        if term not in points:
            raise SparringError(f"{spec.name} has no term {term!r}; its terms: {', '.join(points)}")
    return {**points, **spec.weights}


def weights_of(points: Mapping[str, float]) -> Any:
    weights = record(Weights)
    weights.of[: len(points)] = list(points.values())
    return weights


def _terms_of(kernel_of_terms: Any, answer: Any) -> Any:
    state = record_type(State)
    signature = answer(state, state, types.int64, record_type(Weights), types.float64[::1])
    return entry(kernel_of_terms, signature)
