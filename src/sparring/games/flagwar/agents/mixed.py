"""Agents that mix: a round is a matrix game, and they play a mix that an enemy gains nothing by knowing.

Rows and columns are candidates, joint commands of both sides. Candidates and mix depend on the position alone; only the
draw from the mix uses the player's dice.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision, EstimatedCandidate, Mix
from sparring.agents.spec import Spec, number_within, up_to
from sparring.core.dice import dice
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.simulating import SimulationAgent
from sparring.games.flagwar.agents.simulation import BestResponse, Floats, Simulation
from sparring.games.flagwar.board import command, set_up
from sparring.games.flagwar.state import COMMAND_BITS, DOWN, STAY, UP, A
from sparring.search.matrix import MixedStrategies, RegretMatching, drawn, proper, solve

Sides = tuple[list[Action], list[Action]]  # own commands and enemy commands
LEAST_GAIN = 1e-6
DRAW_PENALTY = 0.2
"""The penalty of a draw, as a share of a loss. A player without one trades pieces until the game is drawn."""
LEAST_CHANCE = 0.05
"""Commands with a smaller chance are not played: they matter only against an enemy that knows the mix exactly."""
TRUSTED_ROUNDS = 15
"""Rounds in which the enemy is trusted to give usual answers. Otherwise two trusting players would wait for ever."""


class MixedAgent(SimulationAgent):
    """An agent that draws from a mix."""

    draws = True
    default_plies = 1

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.plies = up_to(2, spec, "plies", self.default_plies)

    def mix(self, sim: Simulation, me: int, seconds: float | None = None) -> Mix:
        """The mix of both sides. Most agents ignore the time."""
        raise NotImplementedError

    def decide(self, view: View) -> Decision:
        sim = self.simulation(view.state)
        mix = self.mix(sim, view.me, view.seconds)
        own = mix.own[drawn(mix.game.rows, view.dice)]
        predicted = mix.others[int(mix.game.columns.argmax())]
        scores = dict(zip(mix.own, mix.game.row_values.tolist(), strict=True))
        return self.decided(view, sim, own, predicted, scores, mix)

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """Compare an action with the best one, both by their average against the enemy's mix."""
        sim = self.simulation(view.state)
        mix = self.mix(sim, view.me, view.seconds)
        other = self.judged(sim, view.me, action, dict(zip(mix.others, mix.game.columns.tolist(), strict=True)))
        own = map(EstimatedCandidate, mix.own, mix.game.row_values.tolist())
        return max([*own, other], key=lambda one: one.score or 0.0), other

    def explain(self, view: View) -> Decision:
        decision = super().explain(view)
        if self.plies == 1:
            return decision
        return replace(decision, notes={**decision.notes, "terms": "after one round; scores look one round further"})


def response_chain(sim: Simulation, me: int, levels: int) -> Sides:
    """Best responses by level: both sides stay, each responds to that, each responds to the response, and so on."""
    own, others = [STAY], [STAY]
    for _ in range(levels):
        mine = sim.best_response(me, others[-1:], start=own[-1]).action
        others.append(sim.best_response(1 - me, own[-1:], start=others[-1]).action)
        own.append(mine)
    return own, others


def chain_length(size: int) -> int:
    """The length of the chain among so many candidates."""
    return min(8, size // 4)


def candidates(sim: Simulation, me: int, size: int, chain: Sides | None = None) -> Sides:
    """The commands of the response chain, then random ones. The position seeds their dice: both sides know them."""
    random = dice("candidates", sim.state.tobytes().hex())
    sides = []
    for side, actions in zip((me, 1 - me), chain or response_chain(sim, me, chain_length(size)), strict=True):
        chosen = dict.fromkeys([*actions, *sim.random_actions(side, random, 2 * size)])
        sides.append(list(chosen)[:size])
    if at_start(sim.state):  # the middle piece moves one cell ahead, which opens no column to the flag behind it
        sides[0] = [command(DOWN if me == A else UP, 1) << COMMAND_BITS * (sim.pieces // 2)]
    return sides[0], sides[1]


def at_start(state: Any) -> bool:
    """True in the start position, but not in others whose text names no round."""
    return state.rounds == 0 and bool(state == set_up(state.copy()))


class CandidateMatrix(MixedAgent):
    """A matrix game of some commands of both sides, solved exactly: matrix,size=40 or matrix:HEURISTIC."""

    options: tuple[str, ...] = ("size", "plies")

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.size = up_to(400, spec, "size", 40 if self.plies == 1 else 20)
        self.solve = solve

    def mix(self, sim: Simulation, me: int, seconds: float | None = None) -> Mix:
        own, others = candidates(sim, me, self.size)
        return Mix(own, others, self.solve(sim.payoffs(me, own, others, self.plies)))


class RegretMatrix(CandidateMatrix):
    """The same matrix game, solved approximately by regret matching: regret,iterations=1000."""

    options = ("size", "plies", "iterations")

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.solve = RegretMatching(up_to(1_000_000, spec, "iterations", 1000))


class LevelK(MixedAgent):
    """Both sides respond to each other several times; one of the last responses is drawn: level_k,levels=6,last=3."""

    options = ("levels", "last")

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.levels = up_to(100, spec, "levels", 6)
        self.last = up_to(self.levels, spec, "last", min(3, self.levels))

    def mix(self, sim: Simulation, me: int, seconds: float | None = None) -> Mix:
        own, others = (list(dict.fromkeys(side[-self.last :])) for side in response_chain(sim, me, self.levels))
        shares = [np.full(len(side), 1.0 / len(side)) for side in (own, others)]
        return Mix(own, others, MixedStrategies(sim.payoffs(me, own, others), *shares))


class DoubleOracle(MixedAgent):
    """Solves a small matrix and adds each side's best response to the other's mix until neither side gains:
    double_oracle:HEURISTIC. Then it looks one round further, and expects the enemy to give usual answers:
    double_oracle,trust=0.7."""

    options = ("size", "plies", "rounds", "starts", "trust")
    default_plies = 2

    def __init__(self, game: Game, spec: Spec) -> None:
        super().__init__(game, spec)
        self.first = up_to(400, spec, "size", 12)
        self.rounds = up_to(200, spec, "rounds", 20)
        self.starts = up_to(100, spec, "starts", 4)
        self.trust = number_within(spec, "trust", 0.0, 0.7, 1.0)
        self.draw_penalty = DRAW_PENALTY * self.judge.points.get("result", 0.0)

    def mix(self, sim: Simulation, me: int, seconds: float | None = None) -> Mix:
        chain = response_chain(sim, me, chain_length(self.first))
        own, others, payoffs = self._equilibrium(sim, me, chain)
        if self.plies == 2:
            payoffs = sim.payoffs(me, own, others, 2, self.draw_penalty)
        usual = [others.index(one) for one in chain[1][1:]]
        trust = self.trust if usual and sim.state.rounds < TRUSTED_ROUNDS else 0.0
        believed = (1 - trust) * payoffs + trust * payoffs[:, usual].mean(axis=1, keepdims=True) if trust else payoffs
        rows = proper(solve(believed).rows, LEAST_CHANCE)
        return Mix(own, others, MixedStrategies(payoffs, rows, solve(payoffs).columns))

    def _equilibrium(self, sim: Simulation, me: int, chain: Sides) -> tuple[list[Action], list[Action], Floats]:
        """Commands of both sides to which neither has a better response one round ahead, and their payoffs."""
        random, penalty = dice("starts", sim.state.tobytes().hex()), self.draw_penalty
        own, others = candidates(sim, me, self.first, chain)
        payoffs = sim.payoffs(me, own, others, draw_penalty=penalty)
        for _ in range(self.rounds):
            game = solve(payoffs)
            mine = self._response(sim, me, others, game.columns, own, game.rows, random)
            theirs = self._response(sim, 1 - me, own, game.rows, others, game.columns, random)
            better = mine.value > game.value + LEAST_GAIN and mine.action not in own and not at_start(sim.state)
            worse = theirs.value > LEAST_GAIN - game.value and theirs.action not in others
            if not better and not worse:
                break
            if better:
                own.append(mine.action)
                payoffs = np.vstack([payoffs, sim.payoffs(me, [mine.action], others, draw_penalty=penalty)])
            if worse:
                others.append(theirs.action)
                payoffs = np.hstack([payoffs, sim.payoffs(me, own, [theirs.action], draw_penalty=penalty)])
        return own, others, payoffs

    def _response(
        self, sim: Simulation, me: int, others: Any, chances: Any, own: Any, rows: Any, random: Any
    ) -> BestResponse:
        """The best of several climbs: from the likeliest own command, and from random ones."""
        starts = [own[int(rows.argmax())], *sim.random_actions(me, random, self.starts)]
        return max((sim.best_response(me, others, chances, start) for start in starts), key=lambda found: found.value)
