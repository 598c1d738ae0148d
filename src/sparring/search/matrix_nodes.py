"""Nodes of Monte Carlo tree search for two players who act at once, without chance, where one gains what the other
loses.

A node is a matrix game: some actions of both players, and the value of every pair of them. At first this is the value
of the heuristic after the round. A pair that was chosen often enough gets a node of its own, which then gives the value
of the pair. Nodes keep their positions, so each round is played once.

With decoupled UCT the value of a pair is the average of what it led to. With regret matching both players learn from
the whole matrix, and their average strategies approach the equilibrium.
"""

import math
from typing import Any

import numpy as np

from sparring.core.kernel import kernel
from sparring.search.matrix import Floats
from sparring.search.mcts import EXPAND, ROOT, USUAL, Arm, MonteCarloResult, TreeParts, back_up_arms

ENDED = -1  # stands for a child where the game is over
OPINION, SOONER = 0.9, 1 / 64
"""The highest value of a heuristic, as a share of a win, and the discount of each turn."""
FIRST_REGRETS = 30  # iterations of regret matching in a new matrix before it has a value

MatrixArm = np.dtype([*((name, Arm[name]) for name in Arm.names or ()), ("chance", "f8"), ("meant", "f8")], align=True)
"""With regret, `paid` is the value against the other's current strategy, `chance` the current probability of the arm,
and `meant` its weighted sum, which becomes the strategy of the search."""
Pair = np.dtype([("node", np.int64), ("visits", np.int64), ("value", np.float64)], align=True)
"""A pair of actions. The pairs of a node lie row by row."""


def measure_root(tree: Any, nodes: Any, arms: Any, pairs: Any, states: Any, score: Any, weights: Any) -> None:
    """Store the heuristic's value of the root, and its usual change in some rounds that do not end the game."""
    tree.now[tree.me] = score(states[ROOT], tree.me, weights)
    total, count = 0.0, 0
    for place in range(max(tree.count[0], tree.count[1])):
        after = try_pair(tree, states, place % tree.count[0], place % tree.count[1])
        if actors(after):
            total += abs(score(after, tree.me, weights) - tree.now[tree.me])
            count += 1
    tree.sizes = total / count if total > 0.0 else 1.0
    fill(tree, nodes[ROOT], arms, pairs, states, score, weights)


def play_pair(tree: Any, states: Any, row: int, column: int) -> Any:
    """Play a pair of the proposed actions. The position is at states[tree.at], the next position one place after it."""
    after = states[tree.at + 1]
    states[tree.at + 1] = states[tree.at]
    tree.joint.of[tree.me] = tree.found[0, row]
    tree.joint.of[1 - tree.me] = tree.found[1, column]
    apply(after, tree.joint)
    return after


def fill_matrix(tree: Any, node: Any, arms: Any, pairs: Any, states: Any, score: Any, weights: Any) -> None:
    """Play every pair of actions of a new node, and evaluate the positions."""
    rows, columns = node.count[0], node.count[1]
    for arm in range(node.first, tree.arms):
        arms[arm].chance = 1.0 / (rows if arm < node.first + rows else columns)
    node.pairs = tree.pairs
    for row in range(rows):
        for column in range(columns):
            after = try_pair(tree, states, row, column)
            pairs[tree.pairs].node = ROOT if actors(after) else ENDED
            pairs[tree.pairs].value = judge(tree, after, node.turns + 1, score, weights)
            tree.pairs += 1
    tree.rounds += rows * columns


def judge_round(tree: Any, s: Any, turns: int, score: Any, weights: Any) -> float:
    """A value from -1 to 1: a win or a loss, or the change of the heuristic's value since the root, relative to its
    usual change. The heuristic also evaluates ties, so a tie is bad for the player who is ahead."""
    value = 0.0 if actors(s) else float(reward(s, tree.me))
    if value == 0.0:
        value = OPINION * math.tanh((score(s, tree.me, weights) - tree.now[tree.me]) / (USUAL * tree.sizes))
    return value * (1.0 - SOONER * turns)


@kernel
def pair_of(node: Any, row: int, column: int) -> Any:
    return node.pairs + row * node.count[1] + column


def follow_pair(tree: Any, node: Any, arms: Any, pairs: Any, step: Any, states: Any, dice: Any) -> int:
    step.edge = pair_of(node, step.pulled[0] - node.first, step.pulled[1] - node.first - node.count[0])
    pairs[step.edge].visits += 1
    return pairs[step.edge].node


def evaluate_pair(
    tree: Any, nodes: Any, arms: Any, pairs: Any, step: Any, states: Any, score: Any, weights: Any, dice: Any
) -> None:
    """The value of the pair at the end of a path. A pair that was chosen often enough gets a node, if there is room."""
    pair, added = pairs[step.edge], tree.nodes
    value, room = pair.value, added < len(nodes) and tree.turns < tree.most_turns
    if room and pair.node == ROOT and pair.visits >= tree.patience:
        pair.node = tree.at = added
        states[added] = states[step.node]
        apply(states[added], tree.joint)
        expand(tree, nodes, arms, states, score, weights)
        fill(tree, nodes[added], arms, pairs, states, score, weights)
        if REGRETS:
            value = match_regrets(nodes[added], arms, pairs, FIRST_REGRETS)
    tree.values[0], tree.values[1] = value, -value


def back_up_pair(tree: Any, node: Any, arms: Any, pairs: Any, step: Any) -> None:
    """Update the average of a pair. With regret the pair gets the new value, both players update their regrets, and the
    value of the matrix is backed up."""
    pair = pairs[step.edge]
    if REGRETS:
        pair.value = tree.values[0]
        tree.values[0] = match_regrets(node, arms, pairs, 1)
    else:
        pair.value += (tree.values[0] - pair.value) / pair.visits
        learn_from(tree, node, arms, pairs, step)


@kernel
def match_regrets(node: Any, arms: Any, pairs: Any, times: int) -> Any:
    """Regret matching+ as in matrix.py. Returns the value of both average strategies against each other."""
    for _ in range(times):
        node.visits += 1
        for side in range(2):
            regret(node, arms, pairs, side)
    total, weight, second = 0.0, 0.0, node.first + node.count[0]
    for row in range(node.count[0]):
        for column in range(node.count[1]):
            share = arms[node.first + row].meant * arms[second + column].meant
            total += share * pairs[pair_of(node, row, column)].value
            weight += share
    return total / weight


@kernel
def regret(node: Any, arms: Any, pairs: Any, side: int) -> None:
    first, other = node.first + side * node.count[0], node.first + (1 - side) * node.count[0]
    end, mean, total = first + node.count[side], 0.0, 0.0
    for arm in range(first, end):
        arms[arm].paid = 0.0
        for place in range(node.count[1 - side]):
            row, column = (arm - first, place) if side == 0 else (place, arm - first)
            value = pairs[pair_of(node, row, column)].value
            arms[arm].paid += arms[other + place].chance * (value if side == 0 else -value)
        mean += arms[arm].chance * arms[arm].paid
    for arm in range(first, end):
        arms[arm].regret = max(0.0, arms[arm].regret + arms[arm].paid - mean)
        total += arms[arm].regret
    for arm in range(first, end):
        arms[arm].chance = arms[arm].regret / total if total > 0.0 else 1.0 / (end - first)
        arms[arm].meant += node.visits * arms[arm].chance


MATRIX = TreeParts(
    {"uct": 0.2, "regret": 0.1},
    EXPAND
    | {"try_pair": play_pair, "judge": judge_round, "fill": fill_matrix, "calibrate": measure_root}
    | {"follow": follow_pair, "evaluate": evaluate_pair, "learn_from": back_up_arms, "back_up": back_up_pair},
    MatrixArm,
    Pair,
    most_kept=10_000,
)


def payoffs(found: MonteCarloResult) -> Floats:
    """The value of every pair of actions at the root: own actions in rows, the other's in columns."""
    nodes, _, pairs = found.tree
    rows, columns = nodes[ROOT]["count"].tolist()[:2]
    return np.array(pairs["value"][: rows * columns]).reshape(rows, columns)
