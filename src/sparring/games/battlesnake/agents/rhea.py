"""RHEA, the first half of seed 002: plans of twenty moves, evolved for some generations before every move.

The design is there as written, as coded for its tournament, and corrected; each flaw is a switch.
"""

from dataclasses import replace
from itertools import groupby

from sparring.agents.agent import View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.rhea import BUDGETS, OPTIONS, EvolutionAgent
from sparring.agents.spec import Spec, heuristic_named, heuristics, judge_of, one_of, only_options
from sparring.agents.variants import fixes_of
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Heuristic, Weight
from sparring.games.battlesnake.board import living
from sparring.games.battlesnake.heuristics import fitness, fitness_coded
from sparring.games.battlesnake.policies import EVOLVING, POLICIES
from sparring.games.battlesnake.rules import MOVES
from sparring.games.contract import Game
from sparring.search.rhea import SHARES, Breeding, by_plans, coevolution, unpacked
from sparring.search.tree import NO_LIMIT

FIXES = {
    "territory": "the fitness counts territory, which the plan names and the code forgets",
    "shift": "the plans of the last move are gone on with, a turn later",
    "one_point": "children are cut from their parents at one point: moves that follow each other stay together",
    "sort": "after the shift the best plan is looked for; without, the one that was the best is still taken for it",
    "repair": "moves off the board or into a body are replaced by others in plans, as long as there are any",
    "mutation": "one move in a plan changes on average, not six of twenty",
}
"""The effect of each fix."""
WRITTEN = frozenset({"territory", "shift", "one_point"})
VARIANTS = {"as_written": WRITTEN, "as_coded": frozenset[str](), "corrected": frozenset(FIXES)}
TURNS = 400_000
ENDS = {"dead": -1000.0, "alone": 500.0}
"""Terms of every fitness: the value of a step for a dead snake, and the extra value for the last one alive."""


class Rhea(EvolutionAgent):
    """Evolves plans against rivals that follow a policy: rhea:as_written, :as_coded, :corrected or :HEURISTIC."""

    flaws = FIXES
    variant = "as_written"
    manner = EVOLVING
    options: tuple[str, ...] = ("fix", "keep", *OPTIONS, "opponent")

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (*self.options, *BUDGETS), weights=True, name=True)
        self.fixes, self.heuristic = self._edition(game, spec)
        ends = {**ENDS, **{end: spec.weights[end] for end in ENDS if end in spec.weights}}
        for term in spec.weights:
            if term not in (known := (*self.heuristic.weights, *ENDS)):
                raise SparringError(f"{spec.name} has no term {term!r}; its terms: {', '.join(known)}")
        own = {term: weight for term, weight in spec.weights.items() if term not in ENDS}
        judge = judge_of(game, replace(spec, weights=own), self.heuristic)
        self.tunable = {**{end: Weight(worth) for end, worth in ends.items()}, **judge.tunable}
        switches = {
            "uniform": "one_point" not in self.fixes,
            "shift": "shift" in self.fixes,
            "sorts": "sort" in self.fixes,
            "repair": "repair" in self.fixes,
            "policy": POLICIES.index(one_of(POLICIES, spec, "opponent", "smart")),
            "lost": ends["dead"],
            "won": ends["alone"],
        }
        super().__init__(game, spec, judge, switches, {**ends, **judge.points})

    def _edition(self, game: Game, spec: Spec) -> tuple[frozenset[str], Heuristic]:
        """The fixes and the fitness. A heuristic in the place of a variant becomes the fitness of the corrected one."""
        name, _, chosen = spec.name.partition(":")
        chosen = chosen or self.variant
        if chosen in VARIANTS:
            fixes = fixes_of(spec, VARIANTS, FIXES, chosen)
            return fixes, fitness if "territory" in fixes else fitness_coded
        if not chosen.partition(":")[0].endswith(".py") and chosen not in heuristics(game):
            raise unknown(f"variant of {name}, or heuristic,", chosen, [*VARIANTS, *heuristics(game)])
        return fixes_of(spec, VARIANTS, FIXES, "corrected"), heuristic_named(game, chosen)

    def mutation(self, genome: int) -> float:
        return super().mutation(genome) if "mutation" in self.fixes else Breeding.mutation

    def explain(self, view: View) -> Decision:
        """Explain with the plan of each candidate and its terms, summed over the steps."""
        found = self._evolve(view)
        decision = self._decision(view, found)
        studied = tuple(
            replace(c, note="no plan begins with it") if c.score is None else self._study(view, c, found.lines)
            for c in decision.candidates
        )
        return replace(decision, candidates=studied)

    def _study(self, view: View, c: Candidate, lines: list[list[int]]) -> Candidate:
        """Play a plan again, with everybody's moves known, and sum the terms of all steps."""
        line = lines[c.action]
        share, genome = SHARES[self.search.breeding.shares], self.search.breeding.genome
        s, total, now = self.game.copy(view.state), dict.fromkeys(self.weights, 0.0), {}
        for step in range(genome):
            if step < len(line):
                self.game.play_turn(s, {snake: unpacked(line[step], snake) for snake in living(s)})
                alive = view.me in living(s)
                now = self.heuristic.terms(s, view.me) if alive else {"dead": 1.0}
                now["alone"] = float(alive and s.living == 1)
            for term, value in now.items():
                total[term] += share(step, genome) * value
        told = _plan(view.me, line) + (f", dead in {len(line)}" if "dead" in now else "")
        return replace(c, terms=total, note=told)


class Coevolve(Rhea):
    """Evolves plans for all snakes, each against those of the others, instead of a policy."""

    variant = "corrected"
    way = (coevolution, by_plans)
    options = tuple(option for option in Rhea.options if option != "opponent")

    def usual_budget(self) -> tuple[int, int | None]:
        """Several populations are evolved with as many turns as RHEA's generations need, not as many generations."""
        return NO_LIMIT, TURNS

    def least_turns(self, breeding: Breeding) -> int:
        return int(self.game.seats) * super().least_turns(breeding)


def _plan(me: int, line: list[int]) -> str:
    """The own moves of a plan in words: up 3, left, up."""
    moves = [(MOVES[move], len(list(run))) for move, run in groupby(unpacked(moves, me) for moves in line)]
    return ", ".join(f"{move} {times}" if times > 1 else move for move, times in moves)
