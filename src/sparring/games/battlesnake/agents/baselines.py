"""Simple players as a measure for others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numba import types

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate
from sparring.agents.spec import Spec, heuristic_of, judge_of, only_options
from sparring.core.dice import throw
from sparring.core.kernel import cold, entry, kernel, record_type
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.heuristics import voronoi
from sparring.games.battlesnake.one_by_one import reflex, safe_or_any
from sparring.games.battlesnake.rules import ALIVE, alive, beside, head, on_board, size, tail_on
from sparring.games.contract import Action, Game
from sparring.search.choice import random_policy
from sparring.search.tree import DEFAULT_VARIANT, WIN, CompiledPolicy, SearchVariant


class RandomSafe(Agent):
    """A random move that leads neither off the board nor into a body."""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        assert isinstance(game, Battlesnake)
        only_options(spec, ())
        self.spec = spec.text
        self._safe_moves = game.safe_moves

    def decide(self, view: View) -> Decision:
        moves = self._safe_moves(view.state, view.me) or view.legal
        return Decision(self.spec, view.position, view.me, moves[throw(view.dice, len(moves))])

    def explain(self, view: View) -> Decision:
        decision = self.decide(view)
        safe = self._safe_moves(view.state, view.me) or view.legal
        equals = tuple(Candidate(move, note="as likely as the other safe moves") for move in safe)
        return with_unsafe(replace(decision, candidates=decision.candidates or equals), view)

    def compiled_policy(self, game: Game) -> CompiledPolicy | None:
        return random_policy(game, SearchVariant("safe", {**DEFAULT_VARIANT.names, "game_actions": safe_or_any}))


def with_unsafe(decision: Decision, view: View) -> Decision:
    """Add the unsafe moves to the candidates of a decision that considered only safe ones."""
    known = {c.action for c in decision.candidates}
    unsafe = (Candidate(move, note="off the board or into a body") for move in view.legal if move not in known)
    return replace(decision, candidates=(*decision.candidates, *unsafe))


class FloodFill(RandomSafe):
    """The safe move from which most cells can be reached; a random one of equals."""

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self._room = _asked(room, game.state, 2)

    def compiled_policy(self, game: Game) -> None:
        return None

    def decide(self, view: View) -> Decision:
        moves = self._safe_moves(view.state, view.me) or view.legal
        candidates = [EstimatedCandidate(move, float(self._room(view.state, view.me, move))) for move in moves]
        best = _any_best(candidates, view)
        return Decision(self.spec, view.position, view.me, best, tuple(candidates), 1, len(moves))


@cold
def room(s: Any, snake: int, move: int) -> int:
    """Number of cells that a snake can reach by a move, over free cells and tails that leave now."""
    todo, seen = np.empty(len(s.occupied), np.int64), np.zeros(len(s.occupied), np.uint8)
    todo[0] = beside(s, head(s, snake), move)
    if not on_board(s, todo[0]):
        return 0
    seen[todo[0]] = 1
    found, end = 0, 1
    while found < end:
        here = todo[found]
        found += 1
        for direction in range(4):
            cell = beside(s, here, direction)
            if seen[cell] == 0 and (s.occupied[cell] == 0 or (s.occupied[cell] == 1 and tail_on(s, cell))):
                seen[cell] = 1
                todo[end] = cell
                end += 1
    return found


class OnePly(Agent):
    """The best position after one move by the heuristic voronoi or another one: one_ply:steady. The others are assumed
    to go straight on, or to turn where they must. Moves to cells that a snake of at least the same length may enter
    come last."""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        assert isinstance(game, Battlesnake)
        only_options(spec, (), weights=True, name=True)
        self.spec = spec.text
        self._game = game
        self.judge = judge_of(game, spec, heuristic_of(game, spec, voronoi.name))
        self.compiled, self.tunable = self.judge.compiled, self.judge.tunable
        self._risks, self._reflex = _asked(risks, game.state), _asked(reflex, game.state)

    def decide(self, view: View) -> Decision:
        s = view.state
        moves = self._game.safe_moves(s, view.me) or view.legal
        risky = int(self._risks(s, view.me))
        others = {player: int(self._reflex(s, player)) for player in self._game.actors(s) if player != view.me}
        candidates = [self._judged(view, move, others, bool(risky >> move & 1)) for move in moves]
        best = _any_best([c for c in candidates if not c.note] or candidates, view)
        points = self.judge.points
        return Decision(self.spec, view.position, view.me, best, tuple(candidates), 1, len(moves), weights=points)

    def explain(self, view: View) -> Decision:
        return with_unsafe(self.decide(view), view)

    def _judged(self, view: View, move: Action, others: Mapping[int, Action], risky: bool) -> EstimatedCandidate:
        after = self._game.copy(view.state)
        self._game.play_turn(after, {**others, view.me: move})
        if after.cause[view.me] != ALIVE:
            return EstimatedCandidate(move, -WIN, note="dies")
        score = float(self.judge.score(after, view.me, self.judge.weights))
        terms = self.judge.heuristic.terms(after, view.me)
        return EstimatedCandidate(move, score, terms=terms, note="a head may come to meet it" if risky else "")


@kernel
def risks(s: Any, me: int) -> int:
    """Moves, as bits, to cells that the head of a snake of at least the same length may enter."""
    found = 0
    for other in range(s.snakes):
        if other != me and alive(s, other) and size(s, other) >= size(s, me):
            for move in range(4):
                for reply in range(4):
                    meet = beside(s, head(s, me), move) == beside(s, head(s, other), reply)
                    found |= int(meet) << move
    return found


def _any_best(candidates: Sequence[Candidate], view: View) -> Action:
    """A random one of the best moves."""
    most = max(c.score or 0.0 for c in candidates)
    best = [c.action for c in candidates if (c.score or 0.0) == most]
    return best[throw(view.dice, len(best))]


def _asked(question: Any, state: np.dtype[Any], numbers: int = 1) -> Any:
    """Compile a kernel that takes a state, a snake and perhaps a move, for calls from Python."""
    return entry(question, types.int64(record_type(state), *[types.int64] * numbers))
