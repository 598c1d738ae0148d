"""Monte Carlo tree search over the rounds to come, in which both sides choose at once."""

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate, Mix
from sparring.agents.spec import Spec, iterations_or_time, number_within, one_of, up_to
from sparring.core.dice import dice
from sparring.core.kernel import cold, kernel
from sparring.core.terms import BoundHeuristic
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.mixed import MixedAgent, candidates
from sparring.games.flagwar.agents.simulating import SimulationAgent
from sparring.games.flagwar.agents.simulation import Simulation, alternate_responses, climb, score_pairs
from sparring.games.flagwar.board import parts
from sparring.games.flagwar.state import COMMAND_BITS, ONE_PIECE
from sparring.search.matrix import MixedStrategies, RegretMatching, match_regrets, proper
from sparring.search.matrix_nodes import MATRIX, payoffs
from sparring.search.mcts import RULES, WIDEST_ROOT, MonteCarloResult, MonteCarloSearch, MonteCarloSettings

OPTIONS = ("select", "iterations", "time", "size", "depth", "exploration")
ITERATIONS, SIZE, DEPTH, PATIENCE = 4000, 24, 3, 8
LEVELS, MIXES, WIDEST = 3, 3, 8
"""Settings of later rounds: the length of the response chain, the mixes responded to, and the most commands."""
QUICK_ITERATIONS, ITERATIONS_OF_REGRET = 40, 1000
"""Iterations of regret matching for a quick mix, and for the mix that is played."""
LEAST_CHANCE = 0.05  # in a quick mix smaller chances are 0
SHOWN_VISITS = 6  # how many commands of the root are noted with their visits


@cold
def propose(tree: Any, states: Any, score: Any, weights: Any) -> None:
    """Choose a few of thousands of commands: staying, the response to that and the response to the response; then each
    side's response to the other's mix, several times; and for the rest the parts of all these for single pieces."""
    at, log = tree.at, tree.joint.log
    own, others, rounds = alternate_responses(states, at, log, tree.me, LEVELS, score, weights)
    tree.rounds += rounds
    tree.count[0] = tree.count[1] = 0
    for level in range(LEVELS):
        choose(tree, 0, own[level])
        choose(tree, 1, others[level])
    for _ in range(MIXES):
        respond_to_mixes(states, at, log, tree, score, weights)
    for side in range(2):
        for place in range(tree.count[side]):
            for piece in range(states[at].pieces):
                choose(tree, side, tree.found[side, place] & ONE_PIECE << COMMAND_BITS * piece)


@kernel
def choose(tree: Any, side: int, action: int) -> None:
    """Add a command if it is new and there is room."""
    for place in range(tree.count[side]):
        if tree.found[side, place] == action:
            return
    if tree.count[side] < WIDEST:
        tree.found[side, tree.count[side]] = action
        tree.count[side] += 1


@kernel
def respond_to_mixes(states: Any, at: int, log: Any, tree: Any, score: Any, weights: Any) -> None:
    """Solve the matrix of the commands so far, and add each side's best response to the other's mix."""
    own, others = tree.found[0, : tree.count[0]].copy(), tree.found[1, : tree.count[1]].copy()
    rows, columns = np.zeros(len(own)), np.zeros(len(others))
    payoffs = score_pairs(states, at, log, tree.me, own, others, 0.0, score, weights)
    match_regrets(payoffs, QUICK_ITERATIONS, rows, columns)
    mine, theirs = own[rows.argmax()], others[columns.argmax()]
    rows, columns = np.where(rows < LEAST_CHANCE, 0.0, rows), np.where(columns < LEAST_CHANCE, 0.0, columns)
    mine, _, tried = climb(states, at, log, tree.me, mine, others, columns, 1, score, weights)
    theirs, _, more = climb(states, at, log, 1 - tree.me, theirs, own, rows, 1, score, weights)
    tree.rounds += payoffs.size + tried * np.count_nonzero(columns) + more * np.count_nonzero(rows)
    choose(tree, 0, mine)
    choose(tree, 1, theirs)


KERNELS = {"propose": propose, "WIDEST": WIDEST}


class CandidateTreeSearch:
    """A tree search over candidates, with the options of a spec."""

    def __init__(self, game: Game, spec: Spec, judge: BoundHeuristic, select: str) -> None:
        self.size = up_to(100, spec, "size", SIZE)
        self.budget = iterations_or_time(spec, ITERATIONS)
        settings = MonteCarloSettings(
            select=select,
            nodes=MATRIX,
            exploration=number_within(spec, "exploration", 0.001, MATRIX.exploration[select], 1.0),
            depth=up_to(20, spec, "depth", DEPTH),
            patience=PATIENCE,
        )
        self._search = MonteCarloSearch(game, judge, settings, KERNELS)

    def grown(self, sim: Simulation, me: int, chance: Any, seconds: float | None) -> MonteCarloResult:
        """Grow a tree. In its root both sides choose among candidates, and the single commands of the best of them."""
        choices = [
            list(dict.fromkeys([*side, *chain.from_iterable(map(parts, side[: self.size // 4]))]))[:WIDEST_ROOT]
            for side in candidates(sim, me, self.size)
        ]
        found = self._search.run(sim.state, me, self.budget.within(seconds), chance, choices)
        sim.simulated += found.rounds
        return found


class RegretTreeAgent(MixedAgent):
    """Both sides choose by regret matching in every node. Draws from the mix of the resulting matrix."""

    options = OPTIONS

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.tree = CandidateTreeSearch(game, spec, self.judge, "regret")
        self.timed = self.tree.budget.seconds is not None
        self._match = RegretMatching(ITERATIONS_OF_REGRET)

    def mix(self, sim: Simulation, me: int, seconds: float | None = None) -> Mix:
        """Solve the final matrix of the root: the mixes during the search belong to earlier values."""
        found = self.tree.grown(sim, me, dice("tree", sim.state.tobytes().hex()), seconds)
        best = self._match(payoffs(found))
        own, others = ([one.action for one in found.players[side]] for side in (me, 1 - me))
        points = sim.payoffs(me, own, others)
        return Mix(own, others, MixedStrategies(points, proper(best.rows), proper(best.columns)))


class UctTreeAgent(SimulationAgent):
    """Both sides choose by UCT in every node. Plays the most visited command; the scores are shares of the visits."""

    options = OPTIONS
    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.tree = CandidateTreeSearch(game, spec, self.judge, "uct")
        self.timed = self.tree.budget.seconds is not None

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """The terms are averages over the enemy's commands in the tree, by their visits."""
        decision, others = self._decided(view)
        return self.with_terms(view, decision, lambda _: others)

    def judged(self, sim: Simulation, me: int, action: Action, expected: Mapping[Action, float]) -> Candidate:
        points = super().judged(sim, me, action, expected).score
        return EstimatedCandidate(action, note=f"it is not in the tree; it brings {points:+,.4g} after the round")

    def _decided(self, view: View) -> tuple[Decision, dict[Action, float]]:
        """The decision, and the enemy's share of visits for each command."""
        sim = self.simulation(view.state)
        found = self.tree.grown(sim, view.me, view.dice, view.seconds)
        shares, others = ({one.action: one.share for one in found.players[side]} for side in (view.me, 1 - view.me))
        mixes = (np.array(list(side.values())) for side in (shares, others))
        points = MixedStrategies(sim.payoffs(view.me, list(shares), list(others)), *mixes)
        worth = dict(zip(shares, points.row_values.tolist(), strict=True))
        why = {one: f"{shares[one]:.1%} of the visits, {worth[one]:+,.4g} after the round" for one in shares}
        ranked = sorted(shares, key=lambda one: -shares[one])
        visits = {view.name(one): round(shares[one], 4) for one in ranked[:SHOWN_VISITS]}
        chosen, predicted = ranked[0], max(others, key=lambda one: others[one])
        decision = self.decided(view, sim, chosen, predicted, shares, why=why, visits=visits)
        return decision, others


def monte_carlo(game: Game, spec: Spec) -> Agent:
    """Looks some rounds ahead by decoupled UCT or regret matching: mcts, mcts,select=regret,time=100ms."""
    return (RegretTreeAgent if one_of(RULES, spec, "select", "uct") == "regret" else UctTreeAgent)(game, spec)
