"""Isolation's own agents. Only agents/spec.py loads this folder."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, TreeSearchAgent, View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import Spec, budget_of, only_options
from sparring.games.contract import Action, Game
from sparring.games.isolation import heuristics
from sparring.games.isolation.solver.proof import RULES, Proof, ProofBudget, after, judge, same_colour
from sparring.games.isolation.state import NOWHERE, piece_of, shape
from sparring.search.alphabeta import alphabeta
from sparring.search.choice import greedy
from sparring.search.tree import NO_LIMIT, WIN, Budget, CompiledPolicy, TreeSearch, bound


class Greedy(Agent):
    """The move that leaves most own moves, the last cell on ties: the course's GreedyPlayer."""

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ())
        self.spec = spec.text

    def decide(self, view: View) -> Decision:
        scores = {a: heuristics.open.terms(after(view.state, a), view.me)["open"] for a in view.legal}
        best = max(view.legal, key=lambda action: (scores[action], action))
        candidates = tuple(Candidate(a, score, True, (a,), {"open": score}) for a, score in scores.items())
        return Decision(self.spec, view.position, view.me, best, candidates, 1, len(candidates), weights={"open": 1.0})

    def compiled_policy(self, game: Game) -> CompiledPolicy:
        mobility = heuristics.open
        return CompiledPolicy(bound(greedy, game), mobility.score(game.state), mobility.weigh(), NO_LIMIT, 1)


class PerfectIsolation(Agent):
    """Exact search: it wins every won position. In a lost one it plays for the opponent's mistakes. If the game is too
    large to solve it searches with voronoi. nodes= or time= bounds the proof of one move."""

    USUAL = Budget(nodes=50_000_000, assumed=True)
    FALLBACK = Budget(nodes=100_000, assumed=True)

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, ("nodes", "time"))
        self.spec = spec.text
        self.budget = budget_of(spec) if spec.options else self.USUAL
        self.draws = self.timed = self.budget.seconds is not None
        search = TreeSearch(alphabeta, game, heuristics.voronoi.judge(game.state))
        self.fallback = TreeSearchAgent(spec.text, search, self.FALLBACK)

    def decide(self, view: View) -> Decision:
        """Choose a move. With a clock, the proof gets seven tenths of the time; if it fails, a search gets two."""
        started = time.perf_counter()
        limits = self._limits(view, 0.7)
        action, note = self._choose(view, limits)
        seconds, why = time.perf_counter() - started, {"why": note}
        return Decision(self.spec, view.position, view.me, action, nodes=limits.nodes, seconds=seconds, notes=why)

    def _limits(self, view: View, share: float) -> ProofBudget:
        """The nodes for this move, and a share of its time if there is a clock."""
        budget = self.budget.within(view.seconds)
        return ProofBudget(budget.most_nodes, budget.seconds and share * budget.seconds)

    def _unsolved(self, view: View) -> View:
        """The view of the search that takes over if the proof failed."""
        seconds = self.budget.within(view.seconds).seconds
        return replace(view, seconds=seconds and 0.2 * seconds)

    def explain(self, view: View) -> Decision:
        """The decision with the exact verdict on every move for which the budget suffices."""
        decision = self.decide(view)
        placing = NOWHERE in view.state.at
        return decision if placing else replace(decision, candidates=tuple(self._verdicts(view).values()))

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """Compare by proof, or by a search if the budget is too small. Placements are compared by proof alone."""
        verdicts = self._verdicts(view)
        best = max(verdicts.values(), key=lambda c: c.score or 0.0)
        unknown = best.score is None or verdicts[action].score is None
        if unknown and NOWHERE not in view.state.at:
            return self.fallback.compare(self._unsolved(view), action)
        return best, verdicts[action]

    def _verdicts(self, view: View) -> dict[Action, Candidate]:
        worth = {True: WIN, False: -WIN, None: None}
        verdicts = judge(view.state, view.legal, self._limits(view, 1.0))
        return {action: Candidate(action, worth[wins]) for action, wins in verdicts.items()}

    def _choose(self, view: View, limits: ProofBudget) -> tuple[Action, str]:
        state = view.state
        if NOWHERE in state.at:
            if follows_colour_rule(state):
                return place_by_colour(state, view.legal, view.me), "placed by the colour rule"
            verdicts = judge(state, view.legal, limits)
            return max(view.legal, key=lambda action: (verdicts[action] is True, verdicts[action] is None)), "placed"
        proof = Proof(state)
        limits.spend_on(proof)
        if proof.wins:
            return proof.winning_move, "proven win"
        if proof.wins is None:
            decision = self.fallback.decide(self._unsolved(view))
            limits.count(decision.nodes)
            return decision.action, "not solved: voronoi"
        return swindle(state, view.legal, limits)


def swindle(state: Any, legal: Sequence[Action], limits: ProofBudget) -> tuple[Action, str]:
    """The move of a lost position after which the largest share of replies throws the win away."""

    def hope(action: Action) -> tuple[float, float]:
        opposed = after(state, action)
        replies = judge(opposed, RULES.legal(opposed, int(opposed.to_move)), limits.part(len(legal)))
        mistakes = sum(wins is False for wins in replies.values())
        return mistakes / max(1, len(replies)), heuristics.open.terms(opposed, int(state.to_move))["open"]

    hopes = {action: hope(action) for action in legal}
    best = max(legal, key=lambda action: hopes[action])
    return best, f"lost; {100 * hopes[best][0]:.0f} % of the replies would be mistakes"


def follows_colour_rule(state: Any) -> bool:
    """True if the colour rule is proven for this board: knights, sides of at least 5, no blocked cells."""
    placed = sum(cell != NOWHERE for cell in state.at.tolist())
    return piece_of(state) == "knight" and min(shape(state)) >= 5 and int(state.blocked).bit_count() == placed


def place_by_colour(state: Any, legal: Sequence[Action], me: int) -> Action:
    """The first player takes the middle, where most replies lose. The second takes the other colour than the first, but
    no knight's move from a first piece in the centre, which could then mirror every move."""
    rows, columns = shape(state)
    rival = int(state.at[1 - me])
    if rival == NOWHERE:
        return min(legal, key=lambda c: (c // columns - (rows - 1) / 2) ** 2 + (c % columns - (columns - 1) / 2) ** 2)
    safe = [cell for cell in legal if not same_colour(cell, rival, columns)]
    if rows % 2 and columns % 2 and rival == rows * columns // 2:
        safe = [c for c in safe if abs(c // columns - rival // columns) * abs(c % columns - rival % columns) != 2]
    return max(safe, key=lambda cell: heuristics.voronoi.terms(after(state, cell), me)["voronoi"])


AGENTS: dict[str, Callable[[Game, Spec], Agent]] = {"greedy": Greedy, "perfect": PerfectIsolation}
BENCH = [
    "alphabeta:improved,nodes=50000",
    "alphabeta:next_moves,nodes=50000",
    "alphabeta:voronoi,nodes=50000",
    "alphabeta:center,nodes=5000,reference",
    "minimax:avoid_corners_as_written,depth=5",
    "perfect,nodes=100000",
]
"""Agents that `spar bench` runs, at budgets that do not depend on a clock."""
EXAMPLE = "voronoi improved"  # the pair of agents that `spar agents` suggests


def default_judge(game: Game) -> str:
    return "perfect"
