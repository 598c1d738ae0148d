"""Monte Carlo tree search for two who act at once, where one gains what the other loses and nothing is left to chance.

Every node of the tree is a matrix game: some actions of either player, and what every pair of them is worth after the
round, which the heuristic says when the node is made. Both choose by their own rule, and a pair that was chosen often
enough gets a node of its own, which from then on tells what the pair is worth.

- Decoupled UCT: each takes the action that may pay most, by what it has paid on average.
- Regret matching: each takes an action as often as it is regretted not to have been taken. That is reckoned from the
  whole matrix, not from the one pair that was chosen, and on average comes to the mix that nobody can exploit.

Positions are kept, so that a round is played once however often the tree comes past it: that, and the matrices, is what
tells it from mcts.py, which is for any number of players, for chance and for rules that cost less than memory.

A template; a game gives it

    over(s)              whether a game is over
    together(states, at, room, me, own, other)
                         a round, from a place of the states to the next
    choices(states, at, room, tree, heuristic, weights)
                         writes actions that are worth trying to tree.found, tree.me's to its first row and the other's
                         to the second, and how many there are to tree.count; it may use the place after `at`, and adds
                         the rounds that it plays to tree.rounds
    reward(s, me)        1 or -1 if somebody has won, else 0
    WIDEST               the most actions of a player that it writes
    ROOM                 what the rules need beside a state: the kind of record `room` is
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record_type, workspace
from sparring.games.contract import Action, Game
from sparring.search.matrix import Floats
from sparring.search.mcts import by_bounds
from sparring.search.tree import Budget, Laps

over: Any
choices: Any
together: Any
reward: Any
select: Any
learn: Any
begin: Any
measure: Any
descend: Any
grow: Any
add: Any
judge: Any

MOST_CHOICES = 128
MOST_NODES = 10_000
ROOT = 0
NONE, ENDED = 0, -1
"""In the place of a child: there is none yet, or there will never be one. The root is nobody's child."""
USUAL = 3.0
"""So many times the usual change of a heuristic's value is almost the most it can say,"""
OPINION = 0.9
"""which is so much of a win."""
SOONER = 1 / 64
"""What comes a round later counts so much less."""
FIRST_REGRETS = 30
"""How often a new matrix is gone over before it tells its worth."""

Tree = np.dtype(
    [
        ("me", np.int64),  # who searches, and whose gains are counted
        ("iterations", np.int64),  # so far
        ("most_iterations", np.int64),
        ("rounds", np.int64),  # that were played
        ("nodes", np.int64),  # in use
        ("arms", np.int64),
        ("cells", np.int64),
        ("deepest", np.int64),  # rounds from the root to the leaf furthest from it
        ("patience", np.int64),  # see Settings
        ("exploration", np.float64),
        ("now", np.float64),  # what the heuristic says of the root
        ("usual", np.float64),  # and how much a round changes that
        ("found", np.int64, (2, MOST_CHOICES)),
        ("count", np.int64, (2,)),
    ],
    align=True,
)
Node = np.dtype(
    [
        ("visits", np.int64),
        ("rounds", np.int64),  # from the root to here
        ("first", np.int64, (2,)),  # arm of either player
        ("count", np.int64, (2,)),  # of arms
        ("cells", np.int64),  # the first, which lie row by row
    ],
    align=True,
)
Arm = np.dtype(
    [
        ("action", np.int64),
        ("pulls", np.int64),
        ("paid", np.float64),  # in all; by regret, on average against the other's chances of now
        ("regret", np.float64),
        ("chance", np.float64),  # to be taken, by regret
        ("meant", np.float64),  # its part in the mix that the search comes to
    ],
    align=True,
)
Cell = np.dtype([("worth", np.float64), ("visits", np.int64), ("child", np.int64)], align=True)
"""A pair of actions."""
Step = np.dtype([("node", np.int64), ("pulled", np.int64, (2,)), ("cell", np.int64)], align=True)
"""A round on the way from the root to a leaf."""


def duel(
    tree: Any,
    nodes: Any,
    arms: Any,
    cells: Any,
    path: Any,
    states: Any,
    room: Any,
    heuristic: Any,
    weights: Any,
    dice: Any,
    pause: int,
) -> None:
    """Go on with a tree until all its iterations, or so many iterations and rounds, are done. The position is in
    states[0], and what both choose from in the tree. The place after the last node's is to try rounds out."""
    if tree.nodes == 0:
        measure(tree, states, room, heuristic, weights)
        add(tree, nodes, arms, cells, states, room, heuristic, weights)
    stop = tree.iterations + tree.rounds + pause
    while tree.iterations < tree.most_iterations and tree.iterations + tree.rounds < stop:
        rounds = descend(tree, nodes, arms, cells, path, dice)
        value = grow(tree, nodes, arms, cells, path, rounds, states, room, heuristic, weights)
        for place in range(rounds - 1, -1, -1):
            value = learn(nodes[path[place].node], arms, cells, path[place], value)
        tree.deepest = max(tree.deepest, rounds)
        tree.iterations += 1


def measuring(tree: Any, states: Any, room: Any, heuristic: Any, weights: Any) -> None:
    """What the heuristic says of the root, and how much some rounds change that if they do not end the game."""
    tree.now = heuristic(states[ROOT], tree.me, weights)
    total, count = 0.0, 0
    for place in range(max(tree.count[0], tree.count[1])):
        own, other = tree.found[0, place % tree.count[0]], tree.found[1, place % tree.count[1]]
        together(states, ROOT, room, tree.me, own, other)
        if not over(states[ROOT + 1]):
            total += abs(heuristic(states[ROOT + 1], tree.me, weights) - tree.now)
            count += 1
    tree.usual = total / count if total > 0.0 else 1.0


def descending(tree: Any, nodes: Any, arms: Any, cells: Any, path: Any, dice: Any) -> int:
    """Down the tree to a pair that has no node; how many rounds that takes."""
    node, rounds = ROOT, 0
    while rounds == 0 or (node > ROOT and rounds < len(path)):
        step, here = path[rounds], nodes[node]
        step.node = node
        for side in range(2):
            first = here.first[side]
            step.pulled[side] = select(arms, first, first + here.count[side], here.visits, tree.exploration, dice)
        step.cell = cell_of(here, step.pulled[0] - here.first[0], step.pulled[1] - here.first[1])
        cells[step.cell].visits += 1
        node = cells[step.cell].child
        rounds += 1
    return rounds


@kernel
def cell_of(node: Any, row: int, column: int) -> int:
    return node.cells + row * node.count[1] + column  # type: ignore[no-any-return]


def growing(
    tree: Any,
    nodes: Any,
    arms: Any,
    cells: Any,
    path: Any,
    rounds: int,
    states: Any,
    room: Any,
    heuristic: Any,
    weights: Any,
) -> float:
    """What the pair at the end of a path is worth, after it got a node if it is time for that and there is room."""
    step, added = path[rounds - 1], tree.nodes
    cell = cells[step.cell]
    if cell.child != NONE or cell.visits < tree.patience or rounds == len(path) or added == len(nodes):
        return cell.worth  # type: ignore[no-any-return]
    cell.child = added
    states[added] = states[step.node]
    together(states, added, room, tree.me, arms[step.pulled[0]].action, arms[step.pulled[1]].action)
    states[added] = states[added + 1]
    choices(states, added, room, tree, heuristic, weights)
    nodes[added].rounds = rounds
    add(tree, nodes, arms, cells, states, room, heuristic, weights)
    return begin(nodes[added], arms, cells, cell.worth)  # type: ignore[no-any-return]


def adding(tree: Any, nodes: Any, arms: Any, cells: Any, states: Any, room: Any, heuristic: Any, weights: Any) -> None:
    """A node for the position that is in its place already: an arm for each choice, and what every pair leads to."""
    here = tree.nodes
    node = nodes[here]
    node.cells = tree.cells
    for side in range(2):
        node.first[side] = tree.arms
        node.count[side] = tree.count[side]
        for place in range(tree.count[side]):
            arms[tree.arms].action = tree.found[side, place]
            arms[tree.arms].chance = 1.0 / tree.count[side]
            tree.arms += 1
    for row in range(node.count[0]):
        for column in range(node.count[1]):
            together(states, here, room, tree.me, tree.found[0, row], tree.found[1, column])
            cells[tree.cells].child = ENDED if over(states[here + 1]) else NONE
            cells[tree.cells].worth = judge(tree, states[here + 1], node.rounds + 1, heuristic, weights)
            tree.cells += 1
    tree.rounds += node.count[0] * node.count[1]
    tree.nodes += 1


def judging(tree: Any, s: Any, rounds: int, heuristic: Any, weights: Any) -> float:
    """From -1 to 1: a win or a loss, or what the heuristic says to have changed since the root. Large is what is many
    times the usual, so that neither its unit nor where it has its zero matters. It judges draws, too: to who is ahead
    a draw is a loss."""
    value = float(reward(s, tree.me))
    if value == 0.0:
        value = OPINION * math.tanh((heuristic(s, tree.me, weights) - tree.now) / (USUAL * tree.usual))
    return value * (1.0 - SOONER * rounds)


# Decoupled UCT


@kernel
def count_pay(node: Any, arms: Any, cells: Any, step: Any, value: float) -> float:
    """Each player's arm gets what came of it at the end of the path; a pair is worth what it led to on average."""
    node.visits += 1
    cells[step.cell].worth += (value - cells[step.cell].worth) / cells[step.cell].visits
    for side in range(2):
        arms[step.pulled[side]].pulls += 1
        arms[step.pulled[side]].meant += 1.0
        arms[step.pulled[side]].paid += value if side == 0 else -value
    return value


@kernel
def as_judged(node: Any, arms: Any, cells: Any, worth: float) -> float:
    return worth


# Regret matching


@kernel
def by_chance(arms: Any, first: int, end: int, visits: int, exploration: float, dice: Any) -> int:
    """Each arm by its chance; sometimes any of them, to explore."""
    left = roll(dice, 1 << 30) / (1 << 30)
    for arm in range(first, end - 1):
        left -= exploration / (end - first) + (1.0 - exploration) * arms[arm].chance
        if left < 0:
            return arm
    return end - 1


@kernel
def match_again(node: Any, arms: Any, cells: Any, step: Any, value: float) -> Any:
    """A pair has another worth now: both go over the matrix once more."""
    cells[step.cell].worth = value
    regret(node, arms, cells)
    return worth_of(node, arms, cells)


@kernel
def matched(node: Any, arms: Any, cells: Any, worth: float) -> Any:
    for _ in range(FIRST_REGRETS):
        regret(node, arms, cells)
    return worth_of(node, arms, cells)


@kernel
def worth_of(node: Any, arms: Any, cells: Any) -> Any:
    """What the mixes of both are worth against each other."""
    total, weight = 0.0, 0.0
    for row in range(node.count[0]):
        for column in range(node.count[1]):
            share = arms[node.first[0] + row].meant * arms[node.first[1] + column].meant
            total += share * cells[cell_of(node, row, column)].worth
            weight += share
    return total / weight


@kernel
def regret(node: Any, arms: Any, cells: Any) -> None:
    """Regret matching+, as in matrix.py: the players in turn, regrets never below zero, and later mixes count more."""
    node.visits += 1
    for side in range(2):
        first, end, average, total = node.first[side], node.first[side] + node.count[side], 0.0, 0.0
        for arm in range(first, end):
            arms[arm].paid = 0.0
            for place in range(node.count[1 - side]):
                row, column = (arm - first, place) if side == 0 else (place, arm - first)
                worth = cells[cell_of(node, row, column)].worth
                arms[arm].paid += arms[node.first[1 - side] + place].chance * (worth if side == 0 else -worth)
            average += arms[arm].chance * arms[arm].paid
        for arm in range(first, end):
            arms[arm].regret = max(0.0, arms[arm].regret + arms[arm].paid - average)
            total += arms[arm].regret
        for arm in range(first, end):
            arms[arm].chance = arms[arm].regret / total if total > 0.0 else 1.0 / (end - first)
            arms[arm].meant += node.visits * arms[arm].chance


@dataclass(frozen=True)
class Rule:
    """How players choose among their arms, how they learn from what came of it, and what a new node is worth."""

    select: Any
    learn: Any
    begin: Any
    exploration: float  # that plays well


RULES = {
    "uct": Rule(by_bounds, count_pay, as_judged, 0.2),
    "regret": Rule(by_chance, match_again, matched, 0.1),
}


@dataclass(frozen=True)
class Settings:
    """How a tree is grown."""

    select: str
    exploration: float
    depth: int  # rounds to look ahead
    patience: int = 8  # how often a pair is chosen before it gets a node


@dataclass(frozen=True)
class Grown:
    """What a search knows when it ends."""

    own: list[Action]
    others: list[Action]
    shares: tuple[Floats, Floats]  # of each in its player's choices: visits or, by regret, chances on average
    payoffs: Floats  # what every pair has come to be worth, by own action and the other's
    iterations: int
    rounds: int
    nodes: int
    depth: int


class Duel:
    """The search bound to a game, by the kernels that this file begins with, and to a heuristic."""

    def __init__(self, game: Game, kernels: Mapping[str, Any], score: Any, weights: Any, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self._widest, self._room = int(kernels["WIDEST"]), kernels["ROOM"]
        self._score, self._weights = score, weights
        self._step = bound(game, kernels, settings.select)

    def run(self, state: Any, me: int, own: list[Action], others: list[Action], budget: Budget, dice: Any) -> Grown:
        """Grow a tree from a state in which both choose from these. A node of the budget is an iteration."""
        laps = Laps(budget)
        settings, wide = self.settings, self._widest
        most = 1 + min(budget.most_nodes // settings.patience, MOST_NODES if settings.depth > 1 else 0)
        rows, columns = len(own), len(others)
        nodes, arms = workspace(Node, most), workspace(Arm, rows + columns + 2 * wide * most)
        cells, path = workspace(Cell, rows * columns + wide * wide * most), workspace(Step, settings.depth)
        states, room, tree = workspace(self.game.state, most + 1), workspace(self._room, 1)[0], workspace(Tree, 1)[0]
        states[0] = state
        tree["me"], tree["most_iterations"] = me, budget.most_nodes
        tree["patience"], tree["exploration"] = settings.patience, settings.exploration
        tree["found"][0, :rows], tree["found"][1, :columns], tree["count"] = own, others, (rows, columns)
        for pause in laps:
            self._step(tree, nodes, arms, cells, path, states, room, self._score, self._weights, dice, pause)
            laps.done = int(tree["iterations"] + tree["rounds"])
            if tree["iterations"] >= budget.most_nodes:
                break
        meant = arms["meant"][:rows], arms["meant"][rows : rows + columns]
        return Grown(
            own=own,
            others=others,
            shares=(meant[0] / meant[0].sum(), meant[1] / meant[1].sum()),
            payoffs=np.array(cells["worth"][: rows * columns]).reshape(rows, columns),
            iterations=int(tree["iterations"]),
            rounds=int(tree["rounds"]),
            nodes=int(tree["nodes"]),
            depth=int(tree["deepest"]),
        )


def bound(game: Game, kernels: Mapping[str, Any], select: str) -> Any:
    """The search as it grows trees of a game by one rule of selection."""
    called, rule = f"{game.name}_{select}", RULES[select]
    names = {**kernels, "select": rule.select, "learn": rule.learn, "begin": rule.begin}
    signature = types.void(
        record_type(Tree),
        *(types.Array(record_type(one), 1, "C") for one in (Node, Arm, Cell, Step, game.state)),
        record_type(kernels["ROOM"]),
        types.FunctionType(heuristic_signature(game.state)),
        record_type(Weights),
        record_type(Dice),
        types.int64,
    )
    return bind(
        duel,
        names,
        f"duel_{called}",
        signature,
        judge=judging,
        measure=measuring,
        descend=descending,
        add=adding,
        grow=growing,
    )
