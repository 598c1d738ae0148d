"""Monte Carlo tree search over the rounds to come, in which both sides choose at once."""

import time
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, Judged, Mix
from sparring.agents.spec import Spec, heuristic_of, iterations_or_time, number_within, one_of, only_options, up_to
from sparring.core.dice import dice
from sparring.core.kernel import cold, kernel
from sparring.core.terms import Judge
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.commander import Commander
from sparring.games.flagwar.agents.mixed import USUAL, Mixing, candidates
from sparring.games.flagwar.agents.simulation import Simulation, climb, play_all, trade_answers
from sparring.games.flagwar.state import COMMAND_BITS, MOST_PIECES, ONE_PIECE
from sparring.search.matrix import Mixes, RegretMatching, match_regrets, proper
from sparring.search.matrix_nodes import MATRIX, payoffs
from sparring.search.mcts import RULES, WIDEST_ROOT, Grown, MonteCarlo, Settings

OPTIONS = ("select", "iterations", "time", "size", "depth", "exploration")
ITERATIONS, SIZE, DEPTH, PATIENCE = 4000, 24, 3, 8
LEVELS, MIXES, WIDEST = 3, 3, 8
"""How later rounds are looked at: what is answered one after the other, then mixes that are answered, and how many
commands of a side that may be in all."""
FEW_REGRETS, REGRETS = 40, 1000
"""How often a matrix is gone over for a quick mix, and for the one that is played."""
CRUMB = 0.05
"""In a quick mix, chances below are none."""
TOLD = 6
"""Of the commands of a root, those whose visits are noted."""


@cold
def propose(tree: Any, states: Any, score: Any, weights: Any) -> None:
    """Of thousands of commands a few: to stay, the answer to that and the answer to the answer; then each side's answer
    to the mix of the other's, some times over; and for the rest what single pieces do in all these."""
    answers = np.zeros((2, LEVELS), np.int64)
    at, log = tree.at, tree.joint.log
    tree.rounds += trade_answers(states, at, log, tree.me, answers[0], answers[1], score, weights)
    for side in range(2):
        tree.count[side] = 0
        for action in answers[side]:
            choose(tree, side, action)
    for _ in range(MIXES):
        answer_mixes(states, at, log, tree, score, weights)
    for side in range(2):
        for place in range(tree.count[side]):
            for piece in range(states[at].pieces):
                choose(tree, side, tree.found[side, place] & ONE_PIECE << COMMAND_BITS * piece)


@kernel
def choose(tree: Any, side: int, action: int) -> None:
    """One more, if it is new and there is room."""
    for place in range(tree.count[side]):
        if tree.found[side, place] == action:
            return
    if tree.count[side] < WIDEST:
        tree.found[side, tree.count[side]] = action
        tree.count[side] += 1


@kernel
def answer_mixes(states: Any, at: int, log: Any, tree: Any, judge: Any, weights: Any) -> None:
    """The commands chosen so far are a matrix game: each side's best answer to the other's mix is chosen, too."""
    own, others = tree.found[0, : tree.count[0]].copy(), tree.found[1, : tree.count[1]].copy()
    payoffs, rows, columns = np.zeros((len(own), len(others))), np.zeros(len(own)), np.zeros(len(others))
    play_all(states, at, log, tree.me, own, others, 0.0, judge, weights, payoffs)
    match_regrets(payoffs, FEW_REGRETS, rows, columns)
    mine, theirs = own[rows.argmax()], others[columns.argmax()]
    rows, columns = np.where(rows < CRUMB, 0.0, rows), np.where(columns < CRUMB, 0.0, columns)
    mine, _, tried = climb(states, at, log, tree.me, mine, others, columns, 1, judge, weights)
    theirs, _, more = climb(states, at, log, 1 - tree.me, theirs, own, rows, 1, judge, weights)
    tree.rounds += payoffs.size + tried * np.count_nonzero(columns) + more * np.count_nonzero(rows)
    choose(tree, 0, mine)
    choose(tree, 1, theirs)


KERNELS = {"propose": propose, "WIDEST": WIDEST}


def parts(action: Action) -> list[Action]:
    """What each piece that moves does in a joint command, the others staying."""
    alone = (action & ONE_PIECE << COMMAND_BITS * piece for piece in range(MOST_PIECES))
    return [command for command in alone if command]


class Lookahead:
    """Grows trees as the options of a spec say."""

    def __init__(self, game: Game, spec: Spec, judge: Judge) -> None:
        select = rule_of(spec)
        self.size = up_to(100, spec, "size", SIZE)
        self.budget = iterations_or_time(spec, ITERATIONS)
        settings = Settings(
            select=select,
            nodes=MATRIX,
            exploration=number_within(spec, "exploration", 0.001, MATRIX.exploration[select], 1.0),
            depth=up_to(20, spec, "depth", DEPTH),
            patience=PATIENCE,
        )
        self._search = MonteCarlo(game, judge, settings, KERNELS)

    def grown(self, sim: Simulation, state: Any, me: int, chance: Any, seconds: float | None) -> Grown:
        """From a position, where both choose among candidates and what single pieces do in the first of these."""
        choices = [
            list(dict.fromkeys([*side, *chain.from_iterable(map(parts, side[: self.size // 4]))]))[:WIDEST_ROOT]
            for side in candidates(sim, state, me, self.size)
        ]
        found = self._search.run(state, me, self.budget.within(seconds), chance, choices)
        sim.tried += found.rounds
        return found


class RegretTree(Mixing):
    """In every position both sides take what they regret not to have taken; draws from the mix that comes of it."""

    options = OPTIONS

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.ahead = Lookahead(game, spec, self.judge)
        self.timed = self.ahead.budget.seconds is not None
        self._match = RegretMatching(REGRETS)

    def mix(self, state: Any, me: int, seconds: float | None = None) -> tuple[Mix, Simulation]:
        """Of the matrix that the tree has come to, for the mixes on the way were about others."""
        sim = self.simulation(state)
        found = self.ahead.grown(sim, state, me, dice("tree", state.tobytes().hex()), seconds)
        best = self._match(payoffs(found))
        own, others = ([one.action for one in found.players[side]] for side in (me, 1 - me))
        points = sim.payoffs(me, own, others)
        return Mix(own, others, Mixes(points, proper(best.rows), proper(best.columns))), sim


class UctTree(Commander):
    """In every position each side takes what may pay it most; plays what it has taken most often, so that the scores of
    its candidates are their shares of the visits."""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, OPTIONS, weights=True, name=True)
        super().__init__(game, spec, heuristic_of(game, spec, USUAL))
        self.ahead = Lookahead(game, spec, self.judge)
        self.timed = self.ahead.budget.seconds is not None

    def decide(self, view: View) -> Decision:
        return self._decided(view)[0]

    def explain(self, view: View) -> Decision:
        """Terms are averages over what the enemy does in the tree, as often as it does it."""
        decision, others = self._decided(view)
        return self.with_terms(view, decision, lambda _: others)

    def judged(self, sim: Simulation, me: int, action: Action, expected: Mapping[Action, float]) -> Candidate:
        points = super().judged(sim, me, action, expected).score
        return Judged(action, note=f"it is not in the tree; it brings {points:+,.4g} after the round")

    def _decided(self, view: View) -> tuple[Decision, dict[Action, float]]:
        """The decision, and how often the enemy does what in the tree."""
        started = time.perf_counter()
        sim = self.simulation(view.state)
        found = self.ahead.grown(sim, view.state, view.me, view.dice, view.seconds)
        shares, others = ({one.action: one.share for one in found.players[side]} for side in (view.me, 1 - view.me))
        mixes = (np.array(list(side.values())) for side in (shares, others))
        points = Mixes(sim.payoffs(view.me, list(shares), list(others)), *mixes)
        why = {
            action: f"{share:.1%} of the visits, {worth:+,.4g} after the round"
            for (action, share), worth in zip(shares.items(), points.row_values.tolist(), strict=True)
        }
        visits = {view.name(one): round(shares[one], 4) for one in sorted(shares, key=lambda one: -shares[one])[:TOLD]}
        chosen, predicted = (max(side, key=side.__getitem__) for side in (shares, others))
        decision = self.decided(view, sim, started, chosen, predicted, shares, why=why, visits=visits)
        return decision, others


def rule_of(spec: Spec) -> str:
    return one_of(RULES, spec, "select", "uct")


def monte_carlo(game: Game, spec: Spec) -> Agent:
    """Looks some rounds ahead in a tree, by decoupled UCT or regret matching: mcts, mcts,select=regret,time=100ms."""
    return (RegretTree if rule_of(spec) == "regret" else UctTree)(game, spec)
