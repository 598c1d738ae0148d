"""Monte Carlo tree search: one skeleton for players who move in turn or at once, with or without chance, two or more.

In a node each player who acts has arms, one for each action. Players who move in turn are the case with one player. An
iteration goes down from the root. Each player pulls an arm (`select`). The actions of all, and then chance, lead to a
child (`follow`). A position without a node gets a node and a value (`evaluate`). Every node on the path learns the
value (`back_up`).

The parts can be exchanged; `TreeParts` is a set of them. With `ARMS` an arm learns the values to which it led, by
decoupled UCT or by regret matching. The heuristic evaluates a position, perhaps after some turns of random actions, or
random games go on to the end. matrix_nodes.py has other nodes.

Functions that are no kernels are templates: they call a game's kernels and other parts by name. A search may replace
kernels: fewer `actions`, another `draw`, or `propose`, which writes the actions of all players at once.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, bind, heuristic_signature, hot, kernel, record_type, with_globals, workspace
from sparring.core.terms import BoundHeuristic
from sparring.games.contract import Action, Game
from sparring.games.kernels import CHANCE, MOST_PLAYERS
from sparring.search.tree import INFINITY, Budget, TimeSlices

MOST_NODES, MOST_ARMS, MOST_ITERATIONS, MOST_TURNS = 1 << 20, 1 << 23, 2**31 - 1, 64
WIDEST_ROOT = 128  # the most actions of a side that a caller may give for the root
ROOT, LEAF = 0, 1
"""Places of states: the root's, and that of the current iteration. Nothing leads to the root, so as a child it means
that there is none."""
USUAL = 3.0  # a change of the heuristic's value by so many times the usual change is almost a win
FOLD, KEY = 0x2545F4914F6CDD1D, (1 << 62) - 1

Node = np.dtype(
    [
        ("visits", np.int32),
        ("first", np.int32),  # the first arm; the arms of one side follow those of the side before it
        ("turns", np.int32),  # from the root
        ("pairs", np.int32),  # the first pair of a matrix
        ("count", np.int32, (MOST_PLAYERS,)),  # number of arms of each side
    ],
    align=True,
)
Arm = np.dtype(
    [
        ("action", np.int64),
        ("pulls", np.int32),
        ("child", np.int32),  # the node to which it leads if no other arm and no chance has a say
        ("paid", np.float64),  # the sum of all values
        ("root", np.float64),  # the square root of its pulls, with UCT
        ("regret", np.float64),
    ],
    align=True,
)
Edge = np.dtype([("key", np.int64), ("node", np.int64)], align=True)
"""An entry of a hash table, free if its key is 0: the node to which several arms, or an arm and chance, lead."""
Step = np.dtype(
    [("node", np.int64), ("key", np.int64), ("edge", np.int64), ("pulled", np.int64, (MOST_PLAYERS,))], align=True
)
"""One turn on the path from the root to a leaf."""


def tree_type(joint: np.dtype[Any], widest: int) -> np.dtype[Any]:
    """The record with the settings and counters of a search. A side is a player or, if two are swapped, the other."""
    settings = ("me", "players", "swapped", "most_iterations", "most_turns", "patience", "rollout")
    counts = ("iterations", "rounds", "nodes", "arms", "pairs", "deepest")
    return np.dtype(
        [
            *((name, np.int64) for name in (*settings, *counts)),
            ("exploration", np.float64),
            ("contempt", np.float64),
            ("turns", np.int64),  # to the leaf of this iteration
            ("child", np.int64),  # the node of the leaf, or ROOT
            ("values", np.float64, (MOST_PLAYERS,)),  # of the leaf, by side
            ("now", np.float64, (MOST_PLAYERS,)),  # the heuristic's values of the root, by player
            ("judged", np.int64),  # number of leaves that the heuristic has evaluated
            ("sizes", np.float64),  # sum of the changes of its value; the average in a matrix
            ("at", np.int64),  # the place of the position that gets a node
            ("joint", joint),
            ("given", np.int64),  # 1 if the caller gave the root's actions
            ("count", np.int64, (MOST_PLAYERS,)),  # number of actions of each side
            ("found", np.int64, (MOST_PLAYERS, widest)),  # and the actions
        ],
        align=True,
    )


def mcts(
    tree: Any, nodes: Any, arms: Any, edges: Any, path: Any, states: Any, score: Any, weights: Any, dice: Any, most: int
) -> None:
    """Continue a tree from states[ROOT] until all its iterations, or `most` more iterations and rounds, are done."""
    if tree.nodes == 0:
        expand(tree, nodes, arms, states, score, weights)
        calibrate(tree, nodes, arms, edges, states, score, weights)
    stop = tree.iterations + tree.rounds + most
    while tree.iterations < tree.most_iterations and tree.iterations + tree.rounds < stop:
        child, turns = ROOT, 0
        while turns == 0 or (child > ROOT and turns < tree.most_turns):
            node, step = nodes[child], path[turns]
            first, key = node.first, 0
            for side in range(tree.players):
                count = node.count[side]
                if count:
                    arm = select(arms, first, first + count, node.visits, tree.exploration, dice)
                    step.pulled[side] = arm
                    tree.joint.of[side ^ tree.swapped] = arms[arm].action
                    key = folded(key, arm)
                    first += count
            step.node, step.key = child, key
            child = follow(tree, node, arms, edges, step, states, dice)
            turns += 1
        tree.child, tree.turns = child, turns
        evaluate(tree, nodes, arms, edges, path[turns - 1], states, score, weights, dice)
        for turn in range(turns - 1, -1, -1):
            back_up(tree, nodes[path[turn].node], arms, edges, path[turn])
        tree.deepest = max(tree.deepest, turns)
        tree.iterations += 1


@kernel
def folded(key: int, more: int) -> int:
    """A key with one more arm or outcome. The key of a single arm is its place, counted from one."""
    return (key * FOLD + int(more) + 1) & KEY


def expand_node(tree: Any, nodes: Any, arms: Any, states: Any, score: Any, weights: Any) -> None:
    """Add a node for the position states[tree.at], with an arm for each action that is proposed."""
    if tree.nodes > ROOT or not tree.given:
        propose(tree, states, score, weights)
    node = nodes[tree.nodes]
    node.first, node.turns = tree.arms, tree.turns
    for side in range(tree.players):
        node.count[side] = tree.count[side]
        for place in range(tree.count[side]):
            arms[tree.arms].action = tree.found[side, place]
            tree.arms += 1
    tree.nodes += 1


def propose_all(tree: Any, states: Any, score: Any, weights: Any) -> None:
    s = states[tree.at]
    acting = actors(s)
    for side in range(tree.players):
        player = side ^ tree.swapped
        tree.count[side] = actions(s, player, tree.found[side]) if acting >> player & 1 else 0


# Nodes with arms


def ask_about_root(tree: Any, nodes: Any, arms: Any, edges: Any, states: Any, score: Any, weights: Any) -> None:
    """Store the heuristic's values of the root. Leaves are compared with them."""
    for player in range(tree.players):
        if stake(states[ROOT], player) > 0:
            tree.now[player] = score(states[ROOT], player, weights)


def follow_arms(tree: Any, node: Any, arms: Any, edges: Any, step: Any, states: Any, dice: Any) -> int:
    """The child to which a turn leads; ROOT if there is none. Plays the turn in states[LEAF]: to play it again costs
    less than memory for the positions of all nodes."""
    if step.node == ROOT:
        states[LEAF] = states[step.node]
    s = states[LEAF]
    apply(s, tree.joint)
    while LUCK and actors(s) == CHANCE:
        step.key = folded(step.key, draw(s, dice))
    return child_of(arms, edges, step)


@kernel
def child_of(arms: Any, edges: Any, step: Any) -> int:
    """The child that belongs to the key of a step; ROOT if there is none."""
    if step.key <= len(arms):
        return arms[step.key - 1].child
    last = len(edges) - 1
    place = step.key >> 20 & last
    while edges[place].key != 0 and edges[place].key != step.key:
        place = place + 1 & last
    step.edge = place
    return edges[place].node


def evaluate_leaf(
    tree: Any, nodes: Any, arms: Any, edges: Any, step: Any, states: Any, score: Any, weights: Any, dice: Any
) -> None:
    """Add a node for the leaf, unless the game is over there or memory is full, and evaluate it."""
    s, added = states[LEAF], tree.nodes
    room = added < len(nodes) and tree.arms + tree.players * tree.found.shape[1] <= len(arms)
    if room and tree.child == ROOT and actors(s):
        tree.at = LEAF
        expand(tree, nodes, arms, states, score, weights)
        if step.key <= len(arms):
            arms[step.key - 1].child = added
        else:
            edges[step.edge].key = step.key
            edges[step.edge].node = added
    if tree.rollout:
        roll_out(tree, s, dice)
    judge(tree, s, score, weights)


def play_at_random(tree: Any, s: Any, dice: Any) -> None:
    """Play some turns with random actions."""
    found, acting, turns = tree.found[0], actors(s), tree.rollout
    while acting and turns:
        while acting:
            player = lowest(acting)
            tree.joint.of[player] = found[roll(dice, actions(s, player, found))]
            acting &= acting - 1
        apply(s, tree.joint)
        acting = actors(s)
        while LUCK and acting == CHANCE:
            draw(s, dice)
            acting = actors(s)
        turns -= 1


def judge_leaf(tree: Any, s: Any, score: Any, weights: Any) -> None:
    """The value of a position for each player: the reward as far as it is decided, and the player's heuristic for the
    rest. Of two players, the other has the negative value, also of a tie: so the player who searches does not expect
    the other to avoid a tie."""
    for player in range(tree.players):
        if tree.players != 2 or player == tree.me:
            open_share = stake(s, player)
            value = reward(s, player) if open_share < 1 else 0.0
            if open_share > 0:
                value += open_share * squashed(tree, score(s, player, weights) - tree.now[player])
            else:
                value -= tree.contempt * (1.0 - value * value)
                value -= value * tree.turns / (4 * MOST_TURNS)  # a win is better sooner, a loss is better later
            tree.values[player] = value
    if tree.players == 2:
        tree.values[1 - tree.me] = -tree.values[tree.me]


@kernel
def squashed(tree: Any, value: float) -> float:
    """A change of the heuristic's value from -1 to 1, relative to the usual change: neither unit nor zero matter."""
    tree.judged += 1
    tree.sizes += abs(value)
    return math.tanh(value * tree.judged / (USUAL * max(tree.sizes, 1e-9)))


def back_up_arms(tree: Any, node: Any, arms: Any, edges: Any, step: Any) -> None:
    """Every arm that was pulled in a turn learns the value of the leaf for its side."""
    first = node.first
    for side in range(tree.players):
        count = node.count[side]
        if count:
            learn(arms, first, first + count, step.pulled[side], tree.values[side], tree.exploration)
            first += count
    node.visits += 1


# Decoupled UCT


def root_of_log(visits: int) -> float:
    return math.sqrt(math.log(visits + 1.0))


ROOTS_OF_LOGS = np.array([root_of_log(visits) for visits in range(4096)])
root_of_log = kernel(root_of_log)


def by_bounds(arms: Any, first: int, end: int, visits: int, exploration: float, dice: Any) -> int:
    """UCB1: the arm with the highest upper bound; a random one of the arms that were never pulled."""
    wide = exploration * (ROOTS_OF_LOGS[visits] if visits < len(ROOTS_OF_LOGS) else root_of_log(visits))
    most, chosen, equals = -INFINITY, first, 0
    for arm in range(first, end):
        pulls = arms[arm].pulls
        may_pay = INFINITY if pulls == 0 else arms[arm].paid / pulls + wide / arms[arm].root
        if may_pay > most:
            most, chosen, equals = may_pay, arm, 1
        elif may_pay == most:
            equals += 1
            if roll(dice, equals) == 0:
                chosen = arm
    return chosen


def count_pay(arms: Any, first: int, end: int, pulled: int, value: float, exploration: float) -> None:
    arms[pulled].pulls += 1
    arms[pulled].paid += value
    arms[pulled].root = math.sqrt(arms[pulled].pulls)


# Regret matching


def by_regret(arms: Any, first: int, end: int, visits: int, exploration: float, dice: Any) -> int:
    """Each arm in proportion to its regret; sometimes a random arm, to explore."""
    regrets, left = regretted(arms, first, end), roll(dice, 1 << 30) / (1 << 30)
    for arm in range(first, end - 1):
        left -= likelihood(arms[arm].regret, regrets, end - first, exploration)
        if left < 0:
            return arm
    return end - 1


def count_regret(arms: Any, first: int, end: int, pulled: int, value: float, exploration: float) -> None:
    """Regret each arm by what it pays more than this value. Averages stand for the arms that were not pulled. The arm
    that was pulled is corrected by its value, the more the less likely it was, so that the estimate has no bias."""
    regrets = regretted(arms, first, end)
    surprise = value - average(arms[pulled])
    surprise /= likelihood(arms[pulled].regret, regrets, end - first, exploration)
    for arm in range(first, end):
        arms[arm].regret += average(arms[arm]) - value
    arms[pulled].regret += surprise
    arms[pulled].pulls += 1
    arms[pulled].paid += value


@kernel
def regretted(arms: Any, first: int, end: int) -> float:
    total = 0.0
    for arm in range(first, end):
        total += max(0.0, arms[arm].regret)
    return total


@kernel
def likelihood(regret: float, regrets: float, count: int, exploration: float) -> float:
    """The probability of an arm with a regret, given the sum of all regrets."""
    if regrets <= 0.0:
        return 1.0 / count
    return exploration / count + (1.0 - exploration) * max(0.0, regret) / regrets


@kernel
def average(arm: Any) -> Any:
    return arm.paid / max(1, arm.pulls)


# From Python

RULES = {
    "uct": {"select": by_bounds, "learn": count_pay},
    "regret": {"select": by_regret, "learn": count_regret},
}
EXPAND = {"propose": propose_all, "expand": expand_node}


class TreeParts(NamedTuple):
    """The parts of the skeleton, each after the parts that it uses, and the records that they need."""

    exploration: Mapping[str, float]  # a good exploration, by rule of selection
    parts: Mapping[str, Any]
    arm: np.dtype[Any] = Arm
    edge: np.dtype[Any] = Edge
    most_kept: int = 0
    """The most nodes of a tree of matrices. They keep positions, and the player who searches is the first side."""


ARMS = TreeParts(
    {"uct": 0.7, "regret": 0.1},
    EXPAND
    | {"calibrate": ask_about_root, "follow": follow_arms, "roll_out": play_at_random, "judge": judge_leaf}
    | {"evaluate": evaluate_leaf, "back_up": back_up_arms},
)


@dataclass(frozen=True)
class MonteCarloSettings:
    """The settings of a search."""

    select: str = "uct"
    nodes: TreeParts = ARMS
    exploration: float | None = None
    """Distance of a bound from the average or, with regret, the probability of a random arm. By default a good one."""
    depth: int = MOST_TURNS  # the most turns from the root to a leaf
    rollout: int = 0  # turns of random actions between a leaf and its evaluation
    contempt: float = 0.0  # the amount by which an end that is no win is worth less than its reward
    patience: int = 1  # times that a pair of a matrix is chosen before it gets a node


class ActionStatistics(NamedTuple):
    """An action at the root: its average value, its visits, and its share of the mixed strategy that was found."""

    action: Action
    value: float
    visits: int
    share: float


@dataclass(frozen=True)
class MonteCarloResult:
    """The result of a search."""

    me: int
    players: Sequence[Sequence[ActionStatistics]]  # the actions of each player at the root
    iterations: int
    rounds: int
    nodes: int
    depth: int
    seconds: float
    tree: tuple[Any, Any, Any] = field(repr=False, compare=False)  # its nodes, arms and edges

    @property
    def actions(self) -> Sequence[ActionStatistics]:
        return self.players[self.me]

    @property
    def best(self) -> ActionStatistics:
        return max(self.actions, key=lambda action: (action.visits, action.value))

    def line(self, action: Action) -> tuple[Action, ...]:
        """An action and the most visited actions after it, as long as one player acts at a time, without chance."""
        nodes, arms, _ = self.tree
        found, node = [action], nodes[ROOT]
        arm = [one.action for one in self.actions].index(action)
        while np.count_nonzero(node["count"]) == 1 and arms[arm]["child"] > ROOT:
            node = nodes[arms[arm]["child"]]
            visits = arms["pulls"][node["first"] :][: node["count"].sum()]
            arm = node["first"] + visits.argmax()
            if visits.any() and np.count_nonzero(node["count"]) == 1:
                found.append(int(arms[arm]["action"]))
        return tuple(found)


class MonteCarloSearch:
    """The search, bound to a game and a heuristic. Some kernels of the game may be replaced."""

    def __init__(
        self, game: Game, judge: BoundHeuristic, settings: MonteCarloSettings, kernels: Mapping[str, Any] | None = None
    ) -> None:
        self.game, self.judge, self.settings = game, judge, settings
        replaced = kernels or {}
        self._widest = int(replaced.get("WIDEST", game.kernels.widest))
        kind = tree_type(game.kernels.joint, max(self._widest, WIDEST_ROOT))
        self._step = bound(game, replaced, kind, settings)
        self._tree = workspace(kind, 1)
        tree = self._tree[0]
        tree["players"], tree["most_turns"], tree["patience"] = game.seats, settings.depth, settings.patience
        tree["contempt"], tree["rollout"] = settings.contempt, settings.rollout
        tree["exploration"] = settings.exploration or settings.nodes.exploration[settings.select]

    def run(
        self, state: Any, me: int, budget: Budget, dice: Any, choices: Sequence[Sequence[Action]] = ()
    ) -> MonteCarloResult:
        """Search a state for a player who acts there. A node of the budget is an iteration. `choices` are the actions
        of each side at the root, if they are not those of the game."""
        laps = TimeSlices(budget)
        iterations, swapped = min(budget.most_nodes, MOST_ITERATIONS), me if self.settings.nodes.most_kept else 0
        nodes, arms, edges, states = self._memory(iterations)
        path, tree = workspace(Step, self.settings.depth), self._tree.copy()[0]
        states[ROOT] = state
        tree["me"], tree["swapped"], tree["most_iterations"], tree["given"] = me, swapped, iterations, len(choices)
        for side, actions in enumerate(choices):
            tree["found"][side, : len(actions)], tree["count"][side] = actions, len(actions)
        for pause in laps:
            self._step(tree, nodes, arms, edges, path, states, self.judge.score, self.judge.weights, dice, pause)
            laps.done = int(tree["iterations"] + tree["rounds"])
            if tree["iterations"] >= iterations:
                break
        counts = nodes[ROOT]["count"].tolist()[: self.game.seats]
        sides = [_tried(arms[sum(counts[:side]) :][:count]) for side, count in enumerate(counts)]
        return MonteCarloResult(
            me=me,
            players=[sides[player ^ swapped] for player in range(len(sides))],
            iterations=int(tree["iterations"]),
            rounds=int(tree["rounds"]),
            nodes=int(tree["nodes"]),
            depth=int(tree["deepest"]),
            seconds=laps.seconds,
            tree=(nodes, arms, edges),
        )

    def _memory(self, iterations: int) -> tuple[Any, ...]:
        """Nodes, arms, edges and states for this number of iterations, or for as many as memory allows."""
        settings, widest, at_root = self.settings, self._widest, self._tree["found"].shape[-1]
        kept = settings.nodes.most_kept
        most = 1 + (min(iterations // settings.patience, kept or MOST_NODES) if settings.depth > 1 else 0)
        most_arms = min(most * self.game.seats * widest, MOST_ARMS) + self.game.seats * at_root
        most_edges = most * widest**2 + at_root**2 if kept else 1 << (2 * most).bit_length()
        kinds = Node, settings.nodes.arm, settings.nodes.edge, self.game.state
        return tuple(map(workspace, kinds, (most, most_arms, most_edges, most + 1 if kept else 2)))


def _tried(arms: Any) -> list[ActionStatistics]:
    visits = arms["pulls"].tolist()
    mix = arms["meant"].tolist() if "meant" in arms.dtype.names and arms["meant"].any() else visits
    values = (paid / max(1, pulls) for paid, pulls in zip(arms["paid"].tolist(), visits, strict=True))
    return list(
        map(ActionStatistics, arms["action"].tolist(), values, visits, (part / (sum(mix) or 1) for part in mix))
    )


def bound(game: Game, replaced: Mapping[str, Any], tree: np.dtype[Any], settings: MonteCarloSettings) -> Any:
    """The skeleton compiled for a game with these settings. If `draw` is replaced by None, nothing is drawn."""
    nodes, luck = settings.nodes, game.kernels.chance and replaced.get("draw", True) is not None
    switches = {"LUCK": int(luck), "REGRETS": int(settings.select == "regret")}
    known = {**game.kernels, **replaced, **switches}
    parts = RULES[settings.select] | {name: part for name, part in nodes.parts.items() if name not in replaced}
    told = [(name, getattr(one, "__module__", one), getattr(one, "__qualname__", "")) for name, one in known.items()]
    identity = hashlib.blake2b(repr((sorted(told, key=repr), list(parts))).encode(), digest_size=6).hexdigest()
    called = f"{game.name}_{settings.select}_{identity}"
    compiled = kernel if nodes.most_kept else hot  # matrices play rounds in several places: too much to inline
    for name, part in parts.items():
        known[name] = compiled(with_globals(part, known, f"{part.__name__}_{called}"))
    signature = types.void(
        record_type(tree),
        *(types.Array(record_type(one), 1, "C") for one in (Node, nodes.arm, nodes.edge, Step, game.state)),
        types.FunctionType(heuristic_signature(game.state)),
        record_type(Weights),
        record_type(Dice),
        types.int64,
    )
    return bind(mcts, known, f"mcts_{called}", signature)
