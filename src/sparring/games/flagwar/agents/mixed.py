"""Players who mix: a round is a matrix game, and they play what nobody gains by knowing.

Rows and columns are candidates: joint commands of both sides. Which they are follows from the position alone, and so
does the mix; only what is drawn from it is left to the dice.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision, Judged, Mix
from sparring.agents.spec import Spec, heuristic_of, number_within, only_options, up_to
from sparring.core.dice import dice
from sparring.core.terms import Heuristic
from sparring.games.contract import Action, Game
from sparring.games.flagwar.agents.commander import Commander
from sparring.games.flagwar.agents.simulation import Floats, Simulation
from sparring.games.flagwar.board import command, set_up
from sparring.games.flagwar.state import COMMAND_BITS, DOWN, STAY, UP, A
from sparring.search.matrix import Mixes, RegretMatching, drawn, proper, solve

Sides = tuple[list[Action], list[Action]]
"""One's own commands and the other's."""
USUAL = "raid"
GAINS = 1e-6
"""What is less is no gain."""
UNWANTED = 0.2
"""What a draw is worth less than nothing, of a loss: who takes draws for nothing trades pieces until there is one."""
CRUMBS = 0.05
"""What is played less often is not played: it is there for an enemy who knows the mix to the last per cent."""
TRUSTED_ROUNDS = 15
"""So long the enemy may be trusted to answer as most do. Two who wait for each other's answer would do so for ever."""


class Mixing(Commander):
    """Draws from a mix."""

    draws = True
    options: tuple[str, ...] = ()
    usual_plies = 1
    unwanted = 0.0
    """What a draw is worth less than nothing."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        only_options(spec, self.options, weights=True, name=True)
        super().__init__(game, spec, heuristic or heuristic_of(game, spec, USUAL))
        self.plies = up_to(2, spec, "plies", self.usual_plies)

    def mix(self, state: Any, me: int, seconds: float | None = None) -> tuple[Mix, Simulation]:
        """What it draws from, and all that was tried for it. Most think as long as it takes."""
        raise NotImplementedError

    def decide(self, view: View) -> Decision:
        started = time.perf_counter()
        mix, sim = self.mix(view.state, view.me, view.seconds)
        own = mix.own[drawn(mix.game.rows, view.dice)]
        predicted = mix.others[int(mix.game.columns.argmax())]
        scores = dict(zip(mix.own, mix.game.row_values.tolist(), strict=True))
        return self.decided(view, sim, started, own, predicted, scores, mix)

    def compare(self, view: View, action: Action) -> tuple[Candidate, Candidate]:
        """Both against the mix of the other side: what was played is worth what it gains on average, not what came."""
        mix, sim = self.mix(view.state, view.me, view.seconds)
        other = self.judged(sim, view.me, action, dict(zip(mix.others, mix.game.columns.tolist(), strict=True)))
        own = map(Judged, mix.own, mix.game.row_values.tolist())
        return max([*own, other], key=lambda one: one.score or 0.0), other

    def explain(self, view: View) -> Decision:
        decision = super().explain(view)
        if self.plies == 1:
            return decision
        return replace(decision, notes={**decision.notes, "terms": "after one round; scores look one round further"})

    def judged(self, sim: Simulation, me: int, action: Action, expected: Mapping[Action, float]) -> Candidate:
        payoffs = sim.payoffs(me, [action], list(expected), self.plies, self.unwanted)[0]
        return Judged(action, float(payoffs @ np.array(list(expected.values()))))


def ladder(sim: Simulation, me: int, levels: int) -> Sides:
    """Both sides stay, each answers that, each answers the answer, and so on: by level, one's own and the other's."""
    own, others = [STAY], [STAY]
    for _ in range(levels):
        mine = sim.answer(me, others[-1:], start=own[-1]).action
        others.append(sim.answer(1 - me, own[-1:], start=others[-1]).action)
        own.append(mine)
    return own, others


def levels(size: int) -> int:
    """How high a ladder is, among so many candidates."""
    return min(8, size // 4)


def candidates(sim: Simulation, state: Any, me: int, size: int, answers: Sides | None = None) -> Sides:
    """The answers of a ladder, and for the rest drawn ones: drawn by the position, so that all know them."""
    chance = dice("candidates", state.tobytes().hex())
    sides = []
    for side, actions in zip((me, 1 - me), answers or ladder(sim, me, levels(size)), strict=True):
        chosen = dict.fromkeys(actions)
        chosen |= dict.fromkeys(sim.drawn(side, chance, 2 * size).tolist())
        sides.append(list(chosen)[:size])
    return [opening(state, me)] if at_start(state) else sides[0], sides[1]


def at_start(state: Any) -> bool:
    """Whether nothing has happened yet; not so in any other position, even if it says nothing of rounds."""
    return state.rounds == 0 and bool(state == set_up(state.copy()))


def opening(state: Any, me: int) -> Action:
    """Somebody has to begin: the middle piece takes a step ahead, which opens no column to the flag behind it."""
    return command(DOWN if me == A else UP, 1) << COMMAND_BITS * (int(state.pieces) // 2)


class Matrix(Mixing):
    """Some commands of either side, all against all, solved exactly: matrix,size=40 or matrix:HEURISTIC."""

    options: tuple[str, ...] = ("size", "plies")

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.size = up_to(400, spec, "size", 40 if self.plies == 1 else 20)
        self.solve = solve

    def mix(self, state: Any, me: int, seconds: float | None = None) -> tuple[Mix, Simulation]:
        sim = self.simulation(state)
        own, others = candidates(sim, state, me, self.size)
        return Mix(own, others, self.solve(sim.payoffs(me, own, others, self.plies))), sim


class Regret(Matrix):
    """The same, solved nearly by regret matching: regret,iterations=1000."""

    options = ("size", "plies", "iterations")

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.solve = RegretMatching(up_to(1_000_000, spec, "iterations", 1000))


class LevelK(Mixing):
    """Each side answers what the other has answered, some times over; any of the last few: level_k,levels=6,last=3."""

    options = ("levels", "last")

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.levels = up_to(100, spec, "levels", 6)
        self.last = up_to(self.levels, spec, "last", min(3, self.levels))

    def mix(self, state: Any, me: int, seconds: float | None = None) -> tuple[Mix, Simulation]:
        sim = self.simulation(state)
        own, others = (list(dict.fromkeys(side[-self.last :])) for side in ladder(sim, me, self.levels))
        shares = [np.full(len(side), 1.0 / len(side)) for side in (own, others)]
        return Mix(own, others, Mixes(sim.payoffs(me, own, others), *shares)), sim


class DoubleOracle(Mixing):
    """Solves a few commands of either side, adds each side's best answer to the other's mix, and again until neither
    has a better one: double_oracle:HEURISTIC. Then it looks a round further, and believes that the enemy may do one of
    the first answers that come to mind, and else what hurts most: double_oracle,trust=0.7."""

    options = ("size", "plies", "rounds", "starts", "trust")
    usual_plies = 2

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic | None = None) -> None:
        super().__init__(game, spec, heuristic)
        self.first = up_to(400, spec, "size", 12)
        self.rounds = up_to(200, spec, "rounds", 20)
        self.starts = up_to(100, spec, "starts", 4)
        self.trust = number_within(spec, "trust", 0.0, 0.7, 1.0)
        self.unwanted = UNWANTED * self.judge.points.get("result", 0.0)

    def mix(self, state: Any, me: int, seconds: float | None = None) -> tuple[Mix, Simulation]:
        sim = self.simulation(state)
        answers = ladder(sim, me, levels(self.first))
        own, others, payoffs = self._equilibrium(sim, state, me, answers)
        if self.plies == 2:
            payoffs = sim.payoffs(me, own, others, 2, self.unwanted)
        usual = [others.index(one) for one in answers[1][1:]]
        trust = self.trust if usual and state.rounds < TRUSTED_ROUNDS else 0.0
        believed = (1 - trust) * payoffs + trust * payoffs[:, usual].mean(axis=1, keepdims=True) if trust else payoffs
        rows = proper(solve(believed).rows, CRUMBS)
        return Mix(own, others, Mixes(payoffs, rows, solve(payoffs).columns)), sim

    def _equilibrium(
        self, sim: Simulation, state: Any, me: int, answers: Sides
    ) -> tuple[list[Action], list[Action], Floats]:
        """Commands of both sides to which neither has a better answer, a round ahead, and what they are worth."""
        chance = dice("starts", state.tobytes().hex())
        own, others = candidates(sim, state, me, self.first, answers)
        payoffs = sim.payoffs(me, own, others, unwanted=self.unwanted)
        for _ in range(self.rounds):
            game = solve(payoffs)
            mine = self._answer(sim, me, others, game.columns, own, game.rows, chance)
            theirs = self._answer(sim, 1 - me, own, game.rows, others, game.columns, chance)
            better = mine.value > game.value + GAINS and mine.action not in own and not at_start(state)
            worse = theirs.value > GAINS - game.value and theirs.action not in others
            if not better and not worse:
                break
            if better:
                own.append(mine.action)
                payoffs = np.vstack([payoffs, sim.payoffs(me, [mine.action], others, unwanted=self.unwanted)])
            if worse:
                others.append(theirs.action)
                payoffs = np.hstack([payoffs, sim.payoffs(me, own, [theirs.action], unwanted=self.unwanted)])
        return own, others, payoffs

    def _answer(self, sim: Simulation, me: int, others: Any, likely: Any, own: Any, rows: Any, chance: Any) -> Any:
        """The best of several climbs: from the likeliest of one's own actions, and from drawn ones."""
        starts = [own[int(rows.argmax())], *sim.drawn(me, chance, self.starts).tolist()]
        return max((sim.answer(me, others, likely, start) for start in starts), key=lambda found: found.value)
