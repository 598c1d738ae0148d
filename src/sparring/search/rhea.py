"""Rolling horizon evolution for players who move at once: plans are bred, and the best one's first move is made.

A plan is a row of own moves. It is tried by playing its turns from the position at hand, and it is worth the sum of
what the positions on the way are worth. The better plans have children, the best one stays as it is, and after some
generations its first move is played. The next move starts from the same plans, a turn on.

Templates over the kernels that every game has. A plan is kept as genes, places in the list of a player's actions. In
place of these parts a game may give its own:

    fitted(own, s, player, gene) -> gene            the gene to be played in its place, of the action own.found[gene]
    believed(own, s, player, me, dice) -> action    what another player is believed to do
    standing(own, s, me, heuristic, weights)        what a position is worth to a player
    settle(s, dice) -> actors                       what chance does after the actions
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
from sparring.search.tree import WIN, Budget, Laps, Manner

MOST_PLANS, MOST_STEPS, MOST_GENES = 256, 64, 127
GENE_BITS = 8
CERTAIN = 1 << 20
"""Chances are counted in parts of this."""
UNTRIED = -np.inf
UNTIMED_LAPS = 50
"""How much longer laps are if nobody waits for the clock."""


@cache
def evolution_type(genes: int, joint: np.dtype[Any]) -> np.dtype[Any]:
    """The plans of one player, in a game of so many actions."""
    return np.dtype(
        [
            # how plans are bred
            ("population", np.int64),
            ("genome", np.int64),  # moves of a plan
            ("tournament", np.int64),  # who is the best of so many may be a parent
            ("mutation", np.int64),  # the chance that a move is drawn anew
            ("uniform", np.int64),  # each move comes from either parent, rather than all up to a point from one
            ("shift", np.int64),  # the plans of the last move are gone on with
            ("sorts", np.int64),  # and the best of them is looked for, rather than taken for the one that was it
            # how they are tried
            ("policy", np.int64),  # by which the others are believed to move
            ("repair", np.int64),  # moves that are plain mistakes are replaced
            ("share", np.float64, (MOST_STEPS,)),  # of a step in the worth of a plan
            ("rest", np.float64, (MOST_STEPS + 1,)),  # the shares of a step and all that follow
            ("lost", np.float64),  # what a step is worth after a loss
            ("won", np.float64),  # and what a win is worth, or adds
            # where it stands
            ("ranked", np.int64),  # generations that were tried, the first plans among them
            ("scored", np.int64),  # plans of the one under way that were tried
            (
                "parents",
                np.int64,
            ),  # which half of the tables below has the last whole generation; the other is under way
            ("elite", np.int64),  # the best of the parents
            ("unsorted", np.int64),  # the elite of the last move stays the elite, whatever its plan is worth now
            ("found", np.int64, (genes,)),  # the actions that genes stand for
            ("joint", joint),
            (
                "played",
                np.int64,
                (MOST_STEPS,),
            ),  # everybody's actions when a plan was tried, -1 behind the last of them
            ("genes", np.int8, (2, MOST_PLANS, MOST_STEPS)),
            ("fitness", np.float64, (2, MOST_PLANS)),
            ("best", np.float64, (2, genes)),  # by first gene: the most that a plan was worth
            ("lines", np.int64, (2, genes, MOST_STEPS)),  # and everybody's actions in it
        ],
        align=True,
    )


Clock = np.dtype(
    [
        ("turns", np.int64),  # simulated for this move
        ("pause", np.int64),  # after so many of them
        ("most_turns", np.int64),
        ("generations", np.int64),  # to be tried, the first plans among them
        ("finished", np.int64),
    ],
    align=True,
)
"""How long a search may go on, and how long it has."""

actors: Any
actions: Any
apply: Any
settle: Any
reward: Any
stake: Any
fitted: Any
believed: Any
standing: Any
rivals: Any
begin_plans: Any
try_plan: Any
breed: Any


def rhea(evolutions: Any, states: Any, me: int, heuristic: Any, weights: Any, dice: Any, clock: Any) -> None:
    """One population, against others who move by a policy. Goes on until it is finished or it is time for a pause."""
    own = evolutions[me]
    if own.scored < 0:
        begin_plans(own, dice)
    while goes_on(own, clock, own.genome):
        if own.scored == own.population:
            breed(own, dice)
            keep_best(own)
        try_plan(evolutions, me, own.scored, states, heuristic, weights, dice, clock)
        own.scored += 1
        if own.scored == own.population:
            rank(own)


@kernel
def goes_on(own: Any, clock: Any, cost: int) -> bool:
    """Whether there is a generation to be tried, enough turns for the next plans and no reason to look up."""
    clock.finished = int(own.ranked >= clock.generations or clock.turns + cost > clock.most_turns)
    return bool(clock.finished == 0 and clock.turns < clock.pause)


# Trying a plan


def play_plan(
    evolutions: Any, me: int, place: int, states: Any, heuristic: Any, weights: Any, dice: Any, clock: Any
) -> None:
    """Find out what a plan is worth. Who is dead stays dead, and a game that is over stays as it is: all steps that are
    left are worth the same, and nobody has to play them."""
    own = evolutions[me]
    joint, half, step, total = own.joint, 1 - own.parents, 0, 0.0
    states[1] = states[0]
    s = states[1]
    acting = actors(s)
    while step < own.genome:
        played = 0
        if acting >> me & 1:
            gene = fitted(own, s, me, int(own.genes[half, place, step]))
            own.genes[half, place, step] = gene
            joint.of[me] = own.found[gene]
            played = packed(own.found[gene], me)
        own.played[step] = played | rivals(evolutions, s, me, acting & ~(1 << me), step, dice)
        apply(s, joint)
        acting = settle(s, dice)
        value = standing(own, s, me, heuristic, weights)
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
    """Actions of all players in one number, as far as they are small: see `unpacked`."""
    return (action & MOST_GENES) << GENE_BITS * player


def unpacked(actions: int, player: int) -> int:
    return actions >> GENE_BITS * player & MOST_GENES


def by_policy(evolutions: Any, s: Any, me: int, others: int, step: int, dice: Any) -> int:
    """All others do what they are believed to."""
    played = 0
    while others:
        other = lowest(others)
        others &= others - 1
        action = believed(evolutions[other], s, other, me, dice)
        evolutions[me].joint.of[other] = action
        played |= packed(action, other)
    return played


def any_action(own: Any, s: Any, player: int, me: int, dice: Any) -> int:
    return own.found[roll(dice, actions(s, player, own.found))]  # type: ignore[no-any-return]


def within_list(own: Any, s: Any, player: int, gene: int) -> int:
    """Counted on from the first action behind the last."""
    return gene % actions(s, player, own.found)  # type: ignore[no-any-return]


def with_result(own: Any, s: Any, me: int, heuristic: Any, weights: Any) -> float:
    """What the heuristic says, or what the game ended with."""
    if actors(s):
        return heuristic(s, me, weights)  # type: ignore[no-any-return]
    result = reward(s, me)
    return own.won * result if result > 0 else -own.lost * result  # type: ignore[no-any-return]


@kernel
def note_plan(own: Any, place: int, worth: float) -> None:
    """Write down what a plan is worth and, if none is better that begins like it, the game that shows it."""
    half = 1 - own.parents
    own.fitness[half, place] = worth
    first = int(own.genes[half, place, 0])
    if worth > own.best[half, first]:
        own.best[half, first] = worth
        for step in range(own.genome):
            own.lines[half, first, step] = own.played[step]


# Breeding


def new_plans(own: Any, dice: Any) -> None:
    """Those of the last move, a turn on and with any move at their end, or any plans at all."""
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
    """The best plan as it is, and children of pairs: crossed and mutated."""
    parents, children, genome = own.parents, 1 - own.parents, own.genome
    for step in range(genome):
        own.genes[children, 0, step] = own.genes[parents, own.elite, step]
    for place in range(1, own.population, 2):
        mother, father = winner(own, dice), winner(own, dice)
        point = roll(dice, genome)
        for step in range(genome):
            first, second = own.genes[parents, mother, step], own.genes[parents, father, step]
            swap, swap_too = step >= point, step >= point
            if own.uniform:  # two draws: a move of a parent may go to both children, or to none
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
    """The best of some parents, any of whom may be drawn twice."""
    best = roll(dice, own.population)
    for _ in range(own.tournament - 1):
        other = roll(dice, own.population)
        if own.fitness[own.parents, other] > own.fitness[own.parents, best]:
            best = other
    return best


@kernel
def rank(own: Any) -> None:
    """A generation has been tried: it becomes the parents, and the first of its best the elite."""
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
    """What was found of first moves holds for the next generation too."""
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
    """How plans are bred and tried; the fields of an evolution have the same names."""

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
"""How much a step of a plan counts."""


@dataclass(frozen=True)
class Evolved:
    """What is known when plans have been bred: by first move the best plan's worth and the moves of all in it."""

    move: int
    best: list[float | None]
    lines: list[list[int]]
    first_moves: list[int]  # how many plans of the last whole generation begin with each
    evolutions: int
    turns: int
    seconds: float


class RollingHorizon:
    """One of the templates bound to a game, a heuristic and a breeding, ready to be run on states."""

    def __init__(
        self,
        template: Callable[..., Any],
        rivals: Callable[..., int],
        game: Game,
        manner: Manner,
        score: Any,
        weights: Any,
        breeding: Breeding,
    ) -> None:
        self.game = game
        self.breeding = breeding
        self._score = score
        self._weights = weights
        self._evolve = bound(template, rivals, game, manner)

    def memory(self) -> Any:
        """The plans of all players, which one seat keeps from move to move."""
        kernels = self.game.kernels
        evolutions = workspace(evolution_type(kernels.widest, kernels.joint), self.game.seats)
        evolutions["found"] = np.arange(kernels.widest)
        same = "population genome tournament uniform shift sorts repair policy lost won"
        for field in same.split():
            evolutions[field] = getattr(self.breeding, field)
        evolutions["mutation"] = round(self.breeding.mutation * CERTAIN)
        share = SHARES[self.breeding.shares]
        shares = [share(step, self.breeding.genome) for step in range(self.breeding.genome)]
        evolutions["share"][:, : len(shares)] = shares
        evolutions["rest"][:, : len(shares)] = np.cumsum(shares[::-1])[::-1]
        return evolutions

    def run(self, memory: Any, state: Any, evolutions: int, budget: Budget, dice: Any, me: int) -> Evolved:
        """Evolve plans for a state, from those in memory, within a budget whose nodes are turns.

        A turn may take a tenth of a microsecond or hundreds of them, so that laps are paced also where there is no
        limit: Ctrl-C is for all.
        """
        laps = Laps(budget, paced=True)
        states, clock = workspace(self.game.state, 2), workspace(Clock, 1)[0]
        states[0] = state
        clock["generations"], clock["most_turns"] = evolutions + 1, budget.most_nodes
        memory["scored"] = -1
        for pause in laps:
            clock["pause"] = laps.done + (pause if budget.seconds else UNTIMED_LAPS * pause)
            self._evolve(memory, states, me, self._score, self._weights, dice, clock)
            laps.done = int(clock["turns"])
            if clock["finished"]:
                break
        return _evolved(memory[me], laps.done, laps.seconds)


def _evolved(own: Any, turns: int, seconds: float) -> Evolved:
    ranked = int(own["ranked"])
    half = int(own["parents"]) if ranked else 1 - int(own["parents"])
    best, genome = own["best"][half].tolist(), int(own["genome"])
    firsts = own["genes"][half, : int(own["population"]) if ranked else int(own["scored"]), 0]
    lines = [line[: line.index(-1)] if -1 in line else line for line in own["lines"][half, :, :genome].tolist()]
    return Evolved(
        move=int(own["genes"][half, int(own["elite"]), 0]) if ranked else best.index(max(best)),
        best=[None if worth == UNTRIED else worth for worth in best],
        lines=lines,
        first_moves=np.bincount(firsts, minlength=len(best)).tolist(),
        evolutions=max(0, ranked - 1),
        turns=turns,
        seconds=seconds,
    )


PARTS: Mapping[str, Callable[..., Any]] = {
    "fitted": within_list,
    "believed": any_action,
    "standing": with_result,
    "begin_plans": new_plans,
    "breed": next_plans,
}


def bound(template: Callable[..., Any], rivals: Callable[..., int], game: Game, manner: Manner) -> Any:
    """A template as it evolves plans of a game."""
    kernels = game.kernels
    signature = types.void(
        types.Array(record_type(evolution_type(kernels.widest, kernels.joint)), 1, "C"),
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
    return bind(template, names, called, signature, **parts, rivals=rivals, try_plan=play_plan)
