"""Agents that evolve plans, for every game in which players act at once."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import Any, Self

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, EstimatedCandidate
from sparring.agents.spec import Search, Spec, judge_of, number_within, one_of, only_one, only_options, up_to
from sparring.core.amounts import parse_seconds, parse_whole_number
from sparring.core.errors import SparringError
from sparring.core.terms import BoundHeuristic, Heuristic
from sparring.games.contract import Game
from sparring.search.rhea import (
    MOST_GENES,
    MOST_PLANS,
    MOST_STEPS,
    SHARES,
    Breeding,
    EvolutionResult,
    RollingHorizon,
    by_policy,
    rhea,
)
from sparring.search.tree import NO_LIMIT, Budget, SearchVariant

BUDGETS = ("evolutions", "turns", "time")
OPTIONS = ("population", "genome", "mutation", "tournament", "fitness")
EVOLUTIONS = 400


class EvolutionAgent(Agent):
    """Evolves plans of its own actions, and plays the first action of the best plan."""

    draws = True
    way: tuple[Any, Any] = (rhea, by_policy)
    manner = SearchVariant("", {})

    def __init__(
        self, game: Game, spec: Spec, judge: BoundHeuristic, more: Mapping[str, Any], weights: Mapping[str, float]
    ) -> None:
        self.spec = spec.text
        self.game: Any = game
        self.compiled, self.weights = judge.compiled, weights
        genome = up_to(MOST_STEPS, spec, "genome", Breeding.genome)
        breeding = Breeding(
            population=up_to(MOST_PLANS, spec, "population", Breeding.population),
            genome=genome,
            tournament=up_to(MOST_PLANS, spec, "tournament", Breeding.tournament),
            mutation=number_within(spec, "mutation", 0.0, self.mutation(genome), 1.0),
            shares=one_of(SHARES, spec, "fitness", Breeding.shares),
            **more,
        )
        self.search = RollingHorizon(*self.way, game, self.manner, judge.score, judge.weights, breeding)
        self.evolutions, self.budget = self._budget(spec, breeding)
        self.timed = self.budget.seconds is not None
        self._memory: Any = None

    def mutation(self, genome: int) -> float:
        """Return the default chance that a gene changes: one gene of a plan on average."""
        return 1 / genome

    def _budget(self, spec: Spec, breeding: Breeding) -> tuple[int, Budget]:
        """Return the number of generations, and a budget whose nodes are turns."""
        options, given = spec.options, only_one(spec, BUDGETS)
        evolutions = parse_whole_number("evolutions", options["evolutions"]) if "evolutions" in options else NO_LIMIT
        turns = parse_whole_number("turns", options["turns"]) if "turns" in options else None
        if turns is not None and turns < self.least_turns(breeding):
            raise SparringError(f"turns must be at least {self.least_turns(breeding)} to try every plan once")
        if not given:
            evolutions, turns = self.usual_budget()
        return evolutions, Budget(turns, seconds=parse_seconds("time", options["time"]) if "time" in options else None)

    def usual_budget(self) -> tuple[int, int | None]:
        return EVOLUTIONS, None

    def least_turns(self, breeding: Breeding) -> int:
        return breeding.population * breeding.genome

    @contextmanager
    def seated(self, dice: Any) -> Iterator[Self]:
        """Give a player that keeps its plans from move to move. Outside of a game each decision starts anew."""
        player = copy(self)
        player._memory = self.search.memory()
        yield player

    def decide(self, view: View) -> Decision:
        return self._decision(view, self._evolve(view))

    def _evolve(self, view: View) -> EvolutionResult:
        memory = self.search.memory() if self._memory is None else self._memory
        budget = self.budget.within(view.seconds)
        return self.search.run(memory, view.state, self.evolutions, budget, view.dice, view.me)

    def _decision(self, view: View, found: EvolutionResult) -> Decision:
        """Return every first action with the value of the best plan that begins with it."""
        plans, legal = sum(found.first_moves), view.legal
        begun = [(legal[gene], times) for gene, times in enumerate(found.first_moves) if times]
        shares = ", ".join(f"{view.name(action)} {times / plans:.0%}" for action, times in begun)
        action, candidates = legal[found.move], tuple(map(EstimatedCandidate, legal, found.best))
        known = self.search.breeding.genome, found.turns, found.seconds, self.weights
        notes = {"evolutions": found.evolutions, "plans": shares}
        return Decision(self.spec, view.position, view.me, action, candidates, *known, notes)


class RheaAgent(EvolutionAgent):
    """Evolves plans by a heuristic, against others that move at random: evolutions=20, turns=20k or time=100ms."""

    def __init__(self, game: Game, spec: Spec, heuristic: Heuristic) -> None:
        only_options(spec, (*OPTIONS, *BUDGETS), weights=True, name=True)
        judge = judge_of(game, spec, heuristic)
        self.tunable = judge.tunable
        super().__init__(game, spec, judge, {}, {})


def lists_joint_actions(game: Game) -> bool:
    """True if all act at once, compiled rules list the actions of each, and they draw for chance."""
    if not (game.written and game.lists_all and game.kind.simultaneous):
        return False
    return game.kernels.widest <= MOST_GENES and game.kernels.chance >= game.kind.chance


NEEDS = "a game of joint actions that its compiled rules list"
RHEA = Search(RheaAgent, "evolutions=20 turns=20k time=100ms", lists_joint_actions, needs=NEEDS)
