"""RHEA, the first half of seed 002: plans of twenty moves, bred for some generations, every move anew.

The design is there as it was written, as it was coded for its tournament, and corrected; each flaw is a switch.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from itertools import groupby
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Candidate, Decision, Judged
from sparring.agents.editions import fixes_of
from sparring.agents.spec import (
    Spec,
    heuristic_named,
    heuristics,
    judge_of,
    number_within,
    one_of,
    only_one,
    only_options,
    up_to,
)
from sparring.core.amounts import seconds_of, whole_number
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Heuristic, Weight
from sparring.games.battlesnake.board import living
from sparring.games.battlesnake.heuristics import fitness, fitness_coded
from sparring.games.battlesnake.policies import PARTS, POLICIES
from sparring.games.battlesnake.state import MOVES
from sparring.games.contract import Game
from sparring.search.coevolution import by_plans, coevolution
from sparring.search.rhea import MOST_PLANS, MOST_STEPS, SHARES, Breeding, Evolved, RollingHorizon, by_policy, rhea
from sparring.search.tree import NO_LIMIT, Budget

FIXES = {
    "territory": "the fitness counts territory, which the plan names and the code forgets",
    "shift": "the plans of the last move are gone on with, a turn later",
    "one_point": "children are cut from their parents at one point: moves that follow each other stay together",
    "sort": "after the shift the best plan is looked for; without, the one that was the best is still taken for it",
    "repair": "moves off the board or into a body are replaced by others in plans, as long as there are any",
    "mutation": "one move in a plan changes on average, not six of twenty",
}
"""What each fix makes true."""
EDITIONS = {
    "as_written": frozenset({"territory", "shift", "one_point"}),
    "as_coded": frozenset(),
    "corrected": frozenset(FIXES),
}
BUDGETS = ("evolutions", "turns", "time")
EVOLUTIONS, TURNS = 400, 400_000
ENDS = {"dead": Breeding.dead, "alone": Breeding.alone}
"""What a step is worth to the dead, and what more to the last one living: terms of every fitness."""


class Rhea(Agent):
    """Breeds plans against rivals who move by a policy: rhea:as_written, :as_coded, :corrected or :HEURISTIC."""

    draws = True
    flaws = FIXES
    edition = "as_written"
    way = (rhea, by_policy)
    options: tuple[str, ...] = ("fix", "keep", "population", "genome", "mutation", "tournament", "opponent", "fitness")

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (*self.options, *BUDGETS), weights=True, name=True)
        self.spec = spec.text
        self.game: Any = game
        self.fixes, self.heuristic = self._edition(game, spec)
        ends = {**ENDS, **{end: spec.weights[end] for end in ENDS if end in spec.weights}}
        for term in spec.weights:
            if term not in (known := (*self.heuristic.weights, *ENDS)):
                raise SparringError(f"{spec.name} has no term {term!r}; its terms: {', '.join(known)}")
        own = {term: weight for term, weight in spec.weights.items() if term not in ENDS}
        judge = judge_of(game, replace(spec, weights=own), self.heuristic)
        self.compiled = judge.compiled
        self.tunable = {**{end: Weight(worth) for end, worth in ends.items()}, **judge.tunable}
        self.weights = {**ends, **judge.points}
        breeding = Breeding(**self._breeding(spec, self.fixes), dead=ends["dead"], alone=ends["alone"])
        self.search = RollingHorizon(*self.way, game, PARTS, judge.score, judge.weights, breeding)
        self.evolutions, self.budget = self._budget(spec, breeding)
        self.timed = self.budget.seconds is not None
        self._memory: Any = None

    def _edition(self, game: Game, spec: Spec) -> tuple[frozenset[str], Heuristic]:
        """The fixes and the fitness. A heuristic in the place of an edition is the fitness of the corrected one."""
        name, _, chosen = spec.name.partition(":")
        chosen = chosen or self.edition
        if chosen in EDITIONS:
            fixes = fixes_of(spec, EDITIONS, FIXES, chosen)
            return fixes, fitness if "territory" in fixes else fitness_coded
        if not chosen.partition(":")[0].endswith(".py") and chosen not in heuristics(game):
            raise unknown(f"edition of {name}, or heuristic,", chosen, [*EDITIONS, *heuristics(game)])
        return fixes_of(spec, EDITIONS, FIXES, "corrected"), heuristic_named(game, chosen)

    def _breeding(self, spec: Spec, fixes: frozenset[str]) -> dict[str, Any]:
        genome = up_to(MOST_STEPS, spec, "genome", Breeding.genome)
        mutation = 1 / genome if "mutation" in fixes else Breeding.mutation
        return {
            "population": up_to(MOST_PLANS, spec, "population", Breeding.population),
            "genome": genome,
            "tournament": up_to(MOST_PLANS, spec, "tournament", Breeding.tournament),
            "mutation": number_within(spec, "mutation", 0.0, mutation, 1.0),
            "uniform": "one_point" not in fixes,
            "shift": "shift" in fixes,
            "sorts": "sort" in fixes,
            "repair": "repair" in fixes,
            "policy": POLICIES.index(one_of(POLICIES, spec, "opponent", "smart")),
            "shares": one_of(SHARES, spec, "fitness", Breeding.shares),
        }

    def _budget(self, spec: Spec, breeding: Breeding) -> tuple[int, Budget]:
        """The generations, and a budget whose nodes are turns. One of the three is given, or the seed's 400."""
        options, given = spec.options, only_one(spec, BUDGETS)
        evolutions = whole_number("evolutions", options["evolutions"]) if "evolutions" in options else NO_LIMIT
        turns = whole_number("turns", options["turns"]) if "turns" in options else None
        if turns is not None and turns < self.least_turns(breeding):
            raise SparringError(f"turns must be at least {self.least_turns(breeding)} to try every plan once")
        if not given:
            evolutions, turns = self.usual_budget()
        return evolutions, Budget(turns, seconds=seconds_of("time", options["time"]) if "time" in options else None)

    def usual_budget(self) -> tuple[int, int | None]:
        return EVOLUTIONS, None

    def least_turns(self, breeding: Breeding) -> int:
        return breeding.population * breeding.genome

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Rhea"]:
        """Who plays a game keeps its plans from move to move; who is only asked starts afresh."""
        player = copy(self)
        player._memory = self.search.memory()
        yield player

    def decide(self, view: View) -> Decision:
        return self._decision(view, self._evolve(view))

    def _evolve(self, view: View) -> Evolved:
        memory = self.search.memory() if self._memory is None else self._memory
        budget = self.budget.within(view.seconds)
        return self.search.run(memory, view.state, self.evolutions, budget, view.dice, view.me)

    def _decision(self, view: View, found: Evolved) -> Decision:
        """Every first move with the best that a plan was worth which begins with it."""
        plans = sum(found.first_moves)
        shares = [f"{MOVES[move]} {number / plans:.0%}" for move, number in enumerate(found.first_moves) if number]
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=found.move,
            candidates=tuple(Judged(move, worth) for move, worth in enumerate(found.best)),
            depth=self.search.breeding.genome,
            nodes=found.turns,
            seconds=found.seconds,
            weights=self.weights,
            notes={"evolutions": found.evolutions, "plans": ", ".join(shares)},
        )

    def explain(self, view: View) -> Decision:
        """With the terms of each best plan, summed over its steps, and the plan itself."""
        found = self._evolve(view)
        decision = self._decision(view, found)
        studied = tuple(
            replace(c, note="no plan begins with it") if c.score is None else self._study(view, c, found.lines)
            for c in decision.candidates
        )
        return replace(decision, candidates=studied)

    def _study(self, view: View, c: Candidate, lines: list[list[int]]) -> Candidate:
        """Play its plan again, everybody's moves being known, and add up what each step has of each term."""
        line = lines[c.action]
        share, genome = SHARES[self.search.breeding.shares], self.search.breeding.genome
        s, total, now = self.game.copy(view.state), dict.fromkeys(self.weights, 0.0), {}
        for step in range(genome):
            if step < len(line):
                self.game.play_turn(s, {snake: line[step] >> 4 * snake & 15 for snake in living(s)})
                alive = view.me in living(s)
                now = self.heuristic.terms(s, view.me) if alive else {"dead": 1.0}
                now["alone"] = float(alive and s.living == 1)
            for term, value in now.items():
                total[term] += share(step, genome) * value
        told = _plan(view.me, line) + (f", dead in {len(line)}" if "dead" in now else "")
        return replace(c, terms=total, note=told)


class Coevolve(Rhea):
    """Breeds plans for all snakes, each against those of the others, rather than against a policy."""

    edition = "corrected"
    way = (coevolution, by_plans)
    options = tuple(option for option in Rhea.options if option != "opponent")

    def usual_budget(self) -> tuple[int, int | None]:
        """Several populations are tried: as many turns as RHEA's generations have, not as many generations."""
        return NO_LIMIT, TURNS

    def least_turns(self, breeding: Breeding) -> int:
        return int(self.game.seats) * super().least_turns(breeding)


def _plan(me: int, line: list[int]) -> str:
    """Own moves in words: up 3, left, up."""
    moves = [(MOVES[move], len(list(run))) for move, run in groupby(moves >> 4 * me & 15 for moves in line)]
    return ", ".join(f"{move} {times}" if times > 1 else move for move, times in moves)
