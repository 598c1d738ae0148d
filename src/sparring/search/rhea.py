"""Rolling horizon evolution for players who act at once: it breeds plans, and plays the first action of the best one.

Plain evolution must guess a policy for the opponents. In coevolution each opponent has a population of its own, which
evolves the best answer to ours.

A plan is a sequence of own actions. It is tried by playing its turns from the current position, and its fitness is the
sum of the values of the positions on the way. Better plans have children, the best plan survives, and after some
generations its first action is played. The next move starts from the same plans, one turn later.

Templates over the kernels that every game has. A plan is stored as genes: places in the list of a player's actions. A
game may replace these parts:

    playable(own, s, player, gene) -> gene          the gene to play in place of a gene; its action is own.found[gene]
    predicted(own, s, player, me, dice) -> action   the action that another player is expected to take
    position_value(own, s, me, heuristic, weights)  the value of a position for a player
    settle(s, dice) -> actors                       chance after the actions
    stake(s, player) -> float                       0 when nothing that follows matters to a player
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record_type, workspace
from sparring.games.contract import Game
from sparring.search.tree import WIN, Budget, SearchVariant, TimeSlices

MOST_PLANS, MOST_STEPS, MOST_GENES = 256, 64, 127
GENE_BITS = 8
CERTAIN = 1 << 20  # probabilities are counted in parts of this
UNTRIED = -np.inf
UNTIMED_SLICES = 50  # time slices are so many times longer if there is no time limit


@cache
def population_type(genes: int, joint: np.dtype[Any]) -> np.dtype[Any]:
    """The plans of one player, in a game with so many actions."""
    return np.dtype(
        [
            # how plans are bred
            ("population", np.int64),  # number of plans
            ("genome", np.int64),  # actions of a plan
            ("tournament", np.int64),  # the best of so many random plans becomes a parent
            ("mutation", np.int64),  # probability that an action is drawn anew
            ("uniform", np.int64),  # each action comes from a random parent, instead of one crossover point
            ("shift", np.int64),  # continue with the plans of the last move
            ("sorts", np.int64),  # and evaluate them anew to find the best
            # how they are tried
            ("policy", np.int64),  # the predicted policy of the others
            ("repair", np.int64),  # replace actions that are plain mistakes
            ("share", np.float64, (MOST_STEPS,)),  # weight of a step in the fitness
            ("rest", np.float64, (MOST_STEPS + 1,)),  # weight of a step and all steps after it
            ("lost", np.float64),  # value of a step after a loss
            ("won", np.float64),  # value of a step after a win
            # current state
            ("ranked", np.int64),  # generations that were tried, with the first plans
            ("scored", np.int64),  # plans of the current generation that were tried
            ("parents", np.int64),  # half of the tables below with the last generation; the other half is the current
            ("elite", np.int64),  # the best of the parents
            ("unsorted", np.int64),  # the elite of the last move stays the elite, whatever its plan is worth now
            ("found", np.int64, (genes,)),  # the actions for which genes stand
            ("joint", joint),
            ("played", np.int64, (MOST_STEPS,)),  # all players' actions when a plan was tried, and -1 after the last
            ("genes", np.int8, (2, MOST_PLANS, MOST_STEPS)),
            ("fitness", np.float64, (2, MOST_PLANS)),
            ("best", np.float64, (2, genes)),  # the highest fitness of a plan by its first gene
            ("lines", np.int64, (2, genes, MOST_STEPS)),  # and all players' actions in that plan
        ],
        align=True,
    )


Clock = np.dtype(
    [
        ("turns", np.int64),  # simulated so far
        ("pause", np.int64),  # pause after so many turns
        ("most_turns", np.int64),
        ("generations", np.int64),  # to try, with the first plans
        ("finished", np.int64),
    ],
    align=True,
)
"""The budget of a search and what it has used."""


def rhea(populations: Any, states: Any, me: int, heuristic: Any, weights: Any, dice: Any, clock: Any) -> None:
    """Evolve one population against others who act by a policy, until it is finished or must pause."""
    own = populations[me]
    if own.scored < 0:
        begin_plans(own, dice)
    while goes_on(own, clock, own.genome):
        if own.scored == own.population:
            breed(own, dice)
            keep_best(own)
        try_plan(populations, me, own.scored, states, heuristic, weights, dice, clock)
        own.scored += 1
        if own.scored == own.population:
            rank(own)


def coevolution(populations: Any, states: Any, me: int, heuristic: Any, weights: Any, dice: Any, clock: Any) -> None:
    """Evolve a population for each player. A plan is tried against the best plans of the others' last generation, so a
    better plan of one player makes the others evolve an answer."""
    own, players, acting = populations[me], len(populations), actors(states[0])
    if own.scored < 0:
        for player in range(players):
            begin_plans(populations[player], dice)
    while goes_on(own, clock, players * own.genome):
        if own.scored == own.population:
            for player in range(players):
                breed(populations[player], dice)
                forget_best(populations[player])
        for player in range(players):
            if acting >> player & 1:
                try_plan(populations, player, own.scored, states, heuristic, weights, dice, clock)
        own.scored += 1
        if own.scored == own.population:
            for player in range(players):
                rank(populations[player])


@kernel
def goes_on(own: Any, clock: Any, cost: int) -> bool:
    """True if a generation is left to try, there are enough turns for the next plans, and it is no time to pause."""
    clock.finished = int(own.ranked >= clock.generations or clock.turns + cost > clock.most_turns)
    return bool(clock.finished == 0 and clock.turns < clock.pause)


# Trying a plan


def play_plan(
    populations: Any, me: int, place: int, states: Any, heuristic: Any, weights: Any, dice: Any, clock: Any
) -> None:
    """Play a plan and store its fitness. Steps after the last one that matters share its value and are not played."""
    own = populations[me]
    joint, half, step, total = own.joint, 1 - own.parents, 0, 0.0
    states[1] = states[0]
    s = states[1]
    acting = actors(s)
    while step < own.genome:
        played = 0
        if acting >> me & 1:
            gene = playable(own, s, me, int(own.genes[half, place, step]))
            own.genes[half, place, step] = gene
            joint.of[me] = own.found[gene]
            played = packed(own.found[gene], me)
        others = acting & ~(1 << me)
        while others:
            other = lowest(others)
            others &= others - 1
            joint.of[other] = rival_action(populations, s, other, me, step, dice)
            played |= packed(joint.of[other], other)
        own.played[step] = played
        apply(s, joint)
        acting = settle(s, dice)
        value = position_value(own, s, me, heuristic, weights)
        total += own.share[step] * value
        step += 1
        if not acting >> me & 1 and stake(s, me) == 0:
            total += own.rest[step] * value
            break
    if step < MOST_STEPS:
        own.played[step] = -1
    clock.turns += step
    note_plan(own, place, total)


@kernel
def packed(action: int, player: int) -> int:
    """A player's action as its part of one number with all players' actions. Only the low bits of large actions."""
    return (action & MOST_GENES) << GENE_BITS * player


def unpacked(actions: int, player: int) -> int:
    return actions >> GENE_BITS * player & MOST_GENES


def by_policy(populations: Any, s: Any, other: int, me: int, step: int, dice: Any) -> int:
    """Another player's action by the predicted policy."""
    return predicted(populations[other], s, other, me, dice)


def by_plans(populations: Any, s: Any, other: int, me: int, step: int, dice: Any) -> int:
    """Another player's action by its best plan; before the first generation, by the best plan of the last move."""
    theirs = populations[other]
    half = theirs.parents if theirs.ranked else 1 - theirs.parents
    return theirs.found[playable(theirs, s, other, int(theirs.genes[half, theirs.elite, step]))]


def any_action(own: Any, s: Any, player: int, me: int, dice: Any) -> int:
    return own.found[roll(dice, actions(s, player, own.found))]


def within_list(own: Any, s: Any, player: int, gene: int) -> int:
    """The gene modulo the number of actions."""
    return gene % actions(s, player, own.found)


def with_result(own: Any, s: Any, me: int, heuristic: Any, weights: Any) -> float:
    """The heuristic, or the weighted result of a finished game."""
    if actors(s):
        return heuristic(s, me, weights)
    result = reward(s, me)
    return own.won * result if result > 0 else -own.lost * result


@kernel
def note_plan(own: Any, place: int, worth: float) -> None:
    """Store the fitness of a plan, and its line if it is the best plan with this first gene."""
    half = 1 - own.parents
    own.fitness[half, place] = worth
    first = int(own.genes[half, place, 0])
    if worth > own.best[half, first]:
        own.best[half, first] = worth
        for step in range(own.genome):
            own.lines[half, first, step] = own.played[step]


# Breeding


def new_plans(own: Any, dice: Any) -> None:
    """The plans of the last move, shifted by one turn with a random last action; or random plans."""
    shifted = own.shift != 0 and own.ranked > 0
    parents, children = own.parents, 1 - own.parents
    for place in range(own.population):
        for step in range(own.genome):
            if shifted and step + 1 < own.genome:
                own.genes[children, place, step] = own.genes[parents, place, step + 1]
            else:
                own.genes[children, place, step] = roll(dice, len(own.found))
    own.unsorted = shifted and own.sorts == 0
    own.ranked = 0
    own.scored = 0
    forget_best(own)


def next_plans(own: Any, dice: Any) -> None:
    """The best plan unchanged, and the children of pairs, crossed and mutated."""
    parents, children, genome = own.parents, 1 - own.parents, own.genome
    for step in range(genome):
        own.genes[children, 0, step] = own.genes[parents, own.elite, step]
    for place in range(1, own.population, 2):
        mother, father = winner(own, dice), winner(own, dice)
        point = roll(dice, genome)
        for step in range(genome):
            first, second = own.genes[parents, mother, step], own.genes[parents, father, step]
            swap, swap_too = step >= point, step >= point
            if own.uniform:  # two throws: an action may go to both children, or to none
                swap, swap_too = roll(dice, 2) == 1, roll(dice, 2) == 1
            own.genes[children, place, step] = second if swap else first
            if place + 1 < own.population:
                own.genes[children, place + 1, step] = first if swap_too else second
    for place in range(1, own.population):
        for step in range(genome):
            if roll(dice, CERTAIN) < own.mutation:
                own.genes[children, place, step] = roll(dice, len(own.found))
    own.scored = 0


@kernel
def winner(own: Any, dice: Any) -> int:
    """The best of some random parents, with replacement."""
    best = roll(dice, own.population)
    for _ in range(own.tournament - 1):
        other = roll(dice, own.population)
        if own.fitness[own.parents, other] > own.fitness[own.parents, best]:
            best = other
    return best


@kernel
def rank(own: Any) -> None:
    """Make the generation that was tried the parents, and its best plan the elite."""
    own.parents = 1 - own.parents
    own.ranked += 1
    if own.unsorted:
        own.unsorted = 0
        return
    own.elite = 0
    for place in range(own.population):
        if own.fitness[own.parents, place] > own.fitness[own.parents, own.elite]:
            own.elite = place


@kernel
def keep_best(own: Any) -> None:
    """Copy the best lines by first action to the next generation."""
    for move in range(len(own.found)):
        own.best[1 - own.parents, move] = own.best[own.parents, move]
        for step in range(own.genome):
            own.lines[1 - own.parents, move, step] = own.lines[own.parents, move, step]


@kernel
def forget_best(own: Any) -> None:
    for move in range(len(own.found)):
        own.best[1 - own.parents, move] = UNTRIED


# From Python


@dataclass(frozen=True)
class Breeding:
    """The settings of an evolution. The fields of a population have the same names."""

    population: int = 50
    genome: int = 20
    tournament: int = 3
    mutation: float = 0.3
    uniform: bool = False
    shift: bool = True
    sorts: bool = True
    repair: bool = True
    policy: int = 0
    shares: str = "sum"
    lost: float = -WIN
    won: float = WIN


DISCOUNT = 0.9
SHARES: Mapping[str, Callable[[int, int], float]] = {
    "sum": lambda step, genome: 1.0,
    "discounted": lambda step, genome: DISCOUNT**step,
    "last": lambda step, genome: float(step == genome - 1),
}
"""The weight of a step of a plan."""


@dataclass(frozen=True)
class EvolutionResult:
    """The result of an evolution: by first action the highest fitness, and the actions of all players in that plan."""

    move: int
    best: list[float | None]
    lines: list[list[int]]
    first_moves: list[int]  # number of plans of the last complete generation that begin with each action
    evolutions: int
    turns: int
    seconds: float


class RollingHorizon:
    """One of the templates, bound to a game, a heuristic and settings."""

    def __init__(
        self,
        template: Callable[..., Any],
        rival_action: Callable[..., int],
        game: Game,
        manner: SearchVariant,
        score: Any,
        weights: Any,
        breeding: Breeding,
    ) -> None:
        self.game, self.breeding = game, breeding
        self._score, self._weights = score, weights
        self._evolve = bound(template, rival_action, game, manner)

    def memory(self) -> Any:
        """The populations of all players, which one seat keeps from move to move."""
        kernels = self.game.kernels
        populations = workspace(population_type(kernels.widest, kernels.joint), self.game.seats)
        populations["found"] = np.arange(kernels.widest)
        same = "population genome tournament uniform shift sorts repair policy lost won"
        for field in same.split():
            populations[field] = getattr(self.breeding, field)
        populations["mutation"] = round(self.breeding.mutation * CERTAIN)
        share = SHARES[self.breeding.shares]
        shares = [share(step, self.breeding.genome) for step in range(self.breeding.genome)]
        populations["share"][:, : len(shares)] = shares
        populations["rest"][:, : len(shares)] = np.cumsum(shares[::-1])[::-1]
        return populations

    def run(self, memory: Any, state: Any, evolutions: int, budget: Budget, dice: Any, me: int) -> EvolutionResult:
        """Evolve plans for a state from the plans in memory. A node of the budget is a turn.

        A turn may take 0.1 or 100 microseconds. So time slices are paced even without a limit, to notice Ctrl-C.
        """
        slices = TimeSlices(budget, paced=True)
        states, clock = workspace(self.game.state, 2), workspace(Clock, 1)[0]
        states[0] = state
        clock["generations"], clock["most_turns"] = evolutions + 1, budget.most_nodes
        memory["scored"] = -1
        for pause in slices:
            clock["pause"] = slices.done + (pause if budget.seconds else UNTIMED_SLICES * pause)
            self._evolve(memory, states, me, self._score, self._weights, dice, clock)
            slices.done = int(clock["turns"])
            if clock["finished"]:
                break
        return _evolved(memory[me], slices.done, slices.seconds)


def _evolved(own: Any, turns: int, seconds: float) -> EvolutionResult:
    ranked = int(own["ranked"])
    half = int(own["parents"]) if ranked else 1 - int(own["parents"])
    best, genome = own["best"][half].tolist(), int(own["genome"])
    firsts = own["genes"][half, : int(own["population"]) if ranked else int(own["scored"]), 0]
    lines = [line[: line.index(-1)] if -1 in line else line for line in own["lines"][half, :, :genome].tolist()]
    return EvolutionResult(
        move=int(own["genes"][half, int(own["elite"]), 0]) if ranked else best.index(max(best)),
        best=[None if worth == UNTRIED else worth for worth in best],
        lines=lines,
        first_moves=np.bincount(firsts, minlength=len(best)).tolist(),
        evolutions=max(0, ranked - 1),
        turns=turns,
        seconds=seconds,
    )


PARTS: Mapping[str, Callable[..., Any]] = {
    "playable": within_list,
    "predicted": any_action,
    "position_value": with_result,
    "begin_plans": new_plans,
    "breed": next_plans,
}


def bound(template: Callable[..., Any], rival_action: Callable[..., int], game: Game, manner: SearchVariant) -> Any:
    """A template compiled for a game."""
    kernels = game.kernels
    signature = types.void(
        types.Array(record_type(population_type(kernels.widest, kernels.joint)), 1, "C"),
        types.Array(record_type(game.state), 1, "C"),
        types.int64,
        types.FunctionType(heuristic_signature(game.state)),
        record_type(Weights),
        record_type(Dice),
        record_type(Clock),
    )
    called = "_".join(filter(None, (template.__name__, game.name, manner.name)))
    parts = {name: part for name, part in PARTS.items() if name not in manner.names}
    names = kernels.with_others(manner.names)
    return bind(template, names, called, signature, **parts, rival_action=rival_action, try_plan=play_plan)
