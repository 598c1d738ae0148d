"""Monte Carlo tree search for players who act at once.

Every node of the tree has arms for each player, one for each action, like the gambler's machines. A player pulls its
arms by what they have paid to itself so far, as if the others were chance (decoupled UCT), or so that it regrets least
what it did not pull (regret matching), and all that is pulled together leads to a child. A new child is judged by the
heuristic, and every arm on the way there is paid what that is worth to its player.

Positions are not kept: an iteration plays from the root again, which for quick rules costs less than the memory.

A template; a game gives it

    actors(s)                     who acts now, as bits; 0 when it is over
    choices(s, player, found)     writes the actions that a player may sensibly take, and says how many there are
    together(s, actions, dice)    all act at once; actions by player
    reward(s, player)             from -1 to 1: of the end or, before it, what is settled already
    at_stake(s, player)           how far the reward may still move up or down; 0 for those who are out
    WIDEST                        the most actions that a player may have
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types

from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record_type, workspace
from sparring.games.contract import Game
from sparring.search.tree import INFINITY, Budget, Laps

actors: Any
choices: Any
together: Any
reward: Any
at_stake: Any
select: Any
learn: Any
choose: Any
grown: Any
descend: Any
roll_out: Any
judge: Any
pay: Any

MOST_PLAYERS = 8
MOST_CHOICES = 512
MOST_NODES = 200_000
MOST_ARMS = 2_000_000
MOST_TURNS = 64
USUAL = 3.0
"""So many times the usual change of a heuristic's value is almost a win: ends of the game outweigh opinions."""
NOWHERE = -1
ROOT = 0

Tree = np.dtype(
    [
        ("me", np.int64),  # who searches
        ("players", np.int64),
        ("iterations", np.int64),  # so far
        ("most_iterations", np.int64),
        ("nodes", np.int64),  # in use
        ("arms", np.int64),
        ("deepest", np.int64),  # turns from the root to the leaf furthest from it
        ("rollout", np.int64),  # turns of random choices between a leaf and its judgement
        ("exploration", np.float64),  # see by_bounds and by_regret
        ("judged", np.int64),  # how often the heuristic was asked
        ("now", np.float64, (MOST_PLAYERS,)),  # what it says of the root to each
        ("sizes", np.float64),  # the sum of what it said to have changed, without signs
        ("contempt", np.float64),  # how much less than a player's share an end is worth that is no win
        ("values", np.float64, (MOST_PLAYERS,)),  # what the last leaf was worth to each
        ("actions", np.int64, (MOST_PLAYERS,)),
        ("found", np.int64, (MOST_CHOICES,)),
    ],
    align=True,
)
Node = np.dtype(
    [
        ("visits", np.int64),
        ("first", np.int64),  # of its arms, which lie player by player
        ("count", np.int16, (MOST_PLAYERS,)),  # of each player's arms
    ],
    align=True,
)
Arm = np.dtype([("action", np.int64), ("pulls", np.int64), ("paid", np.float64), ("regret", np.float64)], align=True)
Child = np.dtype([("key", np.int64), ("node", np.int64)], align=True)
"""A place of the table in which children are found by their parent and what was pulled there; key 0 is a free place."""
Turn = np.dtype([("node", np.int64), ("pulled", np.int64, (MOST_PLAYERS,))], align=True)
"""A turn on the way from the root to a leaf."""


def mcts(
    tree: Any,
    nodes: Any,
    arms: Any,
    children: Any,
    path: Any,
    states: Any,
    heuristic: Any,
    weights: Any,
    dice: Any,
    pause: int,
) -> None:
    """Go on with a tree until all its iterations or `pause` more are done. The position is in states[0]."""
    if tree.iterations == 0:
        for player in range(tree.players):
            if at_stake(states[0], player) > 0:
                tree.now[player] = heuristic(states[0], player, weights)
    stop = min(tree.most_iterations, tree.iterations + pause)
    while tree.iterations < stop:
        states[1] = states[0]
        turns = descend(tree, nodes, arms, children, path, states[1], dice)
        roll_out(tree, states[1], dice)
        judge(tree, states[1], turns, heuristic, weights)
        for turn in range(turns):
            pay(tree, nodes, arms, path[turn])
        tree.deepest = max(tree.deepest, turns)
        tree.iterations += 1


def descending(tree: Any, nodes: Any, arms: Any, children: Any, path: Any, s: Any, dice: Any) -> int:
    """Down the tree to a position that is not in it, which is then added; how many turns that took."""
    if tree.nodes == 0:
        grown(tree, nodes, arms, s)
    node, turns = ROOT, 0
    while node != NOWHERE and turns < len(path) and actors(s):
        joint = choose(tree, nodes, arms, path[turns], node, dice)
        together(s, tree.actions, dice)
        turns += 1
        key = (node << 40) + joint + 1
        place = place_of(children, node, joint, key)
        node = children[place].node
        if children[place].key != key:
            node = NOWHERE
            if actors(s):
                added = grown(tree, nodes, arms, s)
                if added != NOWHERE:
                    children[place].key = key
                    children[place].node = added
    return turns


def choosing(tree: Any, nodes: Any, arms: Any, turn: Any, node: int, dice: Any) -> int:
    """Everybody pulls an arm; which ones, as one number."""
    joint, first = 0, nodes[node].first
    turn.node = node
    for player in range(tree.players):
        count = nodes[node].count[player]
        if count:
            arm = select(arms, first, first + count, nodes[node].visits, tree.exploration, dice)
            turn.pulled[player] = arm
            tree.actions[player] = arms[arm].action
            joint = joint * count + arm - first
            first += count
    return joint


@kernel
def place_of(children: Any, node: int, joint: int, key: int) -> int:
    """Where a child is in the table, or would be."""
    last = len(children) - 1
    place = ((node * 0x9E3779B1) ^ (joint * 0x2545F491)) & last
    while children[place].key != 0 and children[place].key != key:
        place = (place + 1) & last
    return place


def growing(tree: Any, nodes: Any, arms: Any, s: Any) -> int:
    """A new node for a position, with an arm for each choice of each actor; none if memory is full."""
    if tree.nodes == len(nodes) or tree.arms + tree.players * MOST_CHOICES > len(arms):
        return NOWHERE
    added: int = tree.nodes
    acting = actors(s)
    nodes[added].first = tree.arms
    for player in range(tree.players):
        count = choices(s, player, tree.found) if acting >> player & 1 else 0
        nodes[added].count[player] = count
        for place in range(count):
            arms[tree.arms].action = tree.found[place]
            tree.arms += 1
    tree.nodes += 1
    return added


def rolling_out(tree: Any, s: Any, dice: Any) -> None:
    """Some turns in which everybody takes any of its choices."""
    for _ in range(tree.rollout):
        acting = actors(s)
        if acting == 0:
            break
        for player in range(tree.players):
            if acting >> player & 1:
                tree.actions[player] = tree.found[roll(dice, choices(s, player, tree.found))]
        together(s, tree.actions, dice)


def judging(tree: Any, s: Any, turns: int, heuristic: Any, weights: Any) -> None:
    """What a position is worth to each player: to those who are out their reward, to the others what is settled and
    their own heuristic of the rest. Of two, what is bad for the one who searches is good for the other, be it a draw
    that it despises: so it does not count on the other to give way."""
    for player in range(tree.players):
        if tree.players != 2 or player == tree.me:
            value, open_share = reward(s, player), at_stake(s, player)
            if open_share > 0:
                value += open_share * squashed(tree, heuristic(s, player, weights) - tree.now[player])
            else:
                value -= tree.contempt * (1.0 - value * value)
                value -= value * turns / (4 * MOST_TURNS)  # a win is better sooner and a loss later
            tree.values[player] = value
    if tree.players == 2:
        tree.values[1 - tree.me] = -tree.values[tree.me]


@kernel
def squashed(tree: Any, value: float) -> float:
    """What a heuristic says to have changed, from -1 to 1. Large is what is many times the usual, so that neither its
    unit nor where it has its zero matters."""
    tree.judged += 1
    tree.sizes += abs(value)
    return math.tanh(value * tree.judged / (USUAL * max(tree.sizes, 1e-9)))


def paying(tree: Any, nodes: Any, arms: Any, turn: Any) -> None:
    """Each player's arm that was pulled in a turn gets what came of it."""
    first = nodes[turn.node].first
    for player in range(tree.players):
        count = nodes[turn.node].count[player]
        if count:
            learn(arms, first, first + count, turn.pulled[player], tree.values[player], tree.exploration)
            first += count
    nodes[turn.node].visits += 1


# Decoupled UCT


@kernel
def by_bounds(arms: Any, first: int, end: int, visits: int, exploration: float, dice: Any) -> int:
    """UCB1: the arm that may pay most, given how seldom it was pulled; any of those that were never pulled."""
    wide, most, chosen, equals = exploration * math.sqrt(math.log(visits + 1.0)), -INFINITY, first, 0
    for arm in range(first, end):
        pulls = arms[arm].pulls
        may_pay = INFINITY if pulls == 0 else arms[arm].paid / pulls + wide / math.sqrt(pulls)
        if may_pay > most:
            most, chosen, equals = may_pay, arm, 1
        elif may_pay == most:
            equals += 1
            if roll(dice, equals) == 0:
                chosen = arm
    return chosen


@kernel
def count_pay(arms: Any, first: int, end: int, pulled: int, value: float, exploration: float) -> None:
    arms[pulled].pulls += 1
    arms[pulled].paid += value


# Regret matching


@kernel
def by_regret(arms: Any, first: int, end: int, visits: int, exploration: float, dice: Any) -> int:
    """Each arm as often as it is regretted not to have been pulled always; sometimes any of them, to explore."""
    regrets, left = regretted(arms, first, end), roll(dice, 1 << 30) / (1 << 30)
    for arm in range(first, end - 1):
        left -= likelihood(arms[arm].regret, regrets, end - first, exploration)
        if left < 0:
            return arm
    return end - 1


@kernel
def count_regret(arms: Any, first: int, end: int, pulled: int, value: float, exploration: float) -> None:
    """Compare with what the other arms would have paid: their averages, corrected where an arm was pulled by the more
    the less likely that was, so that seldom pulled arms are not misjudged."""
    regrets = regretted(arms, first, end)
    surprise = value - average(arms[pulled])
    surprise /= likelihood(arms[pulled].regret, regrets, end - first, exploration)
    for arm in range(first, end):
        arms[arm].regret += average(arms[arm]) - value
    arms[pulled].regret += surprise
    count_pay(arms, first, end, pulled, value, exploration)


@kernel
def regretted(arms: Any, first: int, end: int) -> float:
    total = 0.0
    for arm in range(first, end):
        total += max(0.0, arms[arm].regret)
    return total


@kernel
def likelihood(regret: float, regrets: float, count: int, exploration: float) -> float:
    """How often an arm is pulled by its share of all regrets."""
    if regrets <= 0.0:
        return 1.0 / count
    return exploration / count + (1.0 - exploration) * max(0.0, regret) / regrets


@kernel
def average(arm: Any) -> Any:
    return arm.paid / max(1, arm.pulls)


@dataclass(frozen=True)
class Rule:
    """How a player chooses among its arms, and how it learns from what they pay."""

    select: Any
    learn: Any
    exploration: float  # that plays well


RULES = {"uct": Rule(by_bounds, count_pay, 0.7), "regret": Rule(by_regret, count_regret, 0.1)}


@dataclass(frozen=True)
class Settings:
    """How a tree is grown."""

    select: str
    exploration: float
    rollout: int = 0
    contempt: float = 0.0


@dataclass(frozen=True)
class Pulled:
    """An action at the root: what it paid on average, and how often it was taken."""

    action: int
    value: float
    visits: int


@dataclass(frozen=True)
class Grown:
    """What a search knows when it ends."""

    actions: tuple[Pulled, ...]
    iterations: int
    nodes: int
    depth: int
    seconds: float

    @property
    def best(self) -> Pulled:
        return max(self.actions, key=lambda action: (action.visits, action.value))

    def share(self, action: Pulled) -> float:
        """Of all visits: the mix of actions that was found."""
        return action.visits / self.iterations


class MonteCarlo:
    """The search bound to a game, by the kernels that this file begins with, and to a heuristic."""

    def __init__(self, game: Game, kernels: Mapping[str, Any], score: Any, weights: Any, settings: Settings) -> None:
        self.game = game
        self.settings = settings
        self._widest = int(kernels["WIDEST"])
        self._score, self._weights = score, weights
        self._step = bound(game, kernels, settings.select)

    def run(self, state: Any, me: int, budget: Budget, dice: Any) -> Grown:
        """Grow a tree from a state for a player who acts in it. A node of the budget is an iteration."""
        laps = Laps(budget)
        players, settings = self.game.seats, self.settings
        most_nodes = min(budget.most_nodes + 1, MOST_NODES)
        most_arms = min(most_nodes * players * self._widest, MOST_ARMS) + players * MOST_CHOICES
        nodes, arms = workspace(Node, most_nodes), workspace(Arm, most_arms)
        children = workspace(Child, 1 << (2 * most_nodes).bit_length())
        path, states = workspace(Turn, MOST_TURNS), workspace(self.game.state, 2)
        states[0] = state
        tree = workspace(Tree, 1)[0]
        tree["me"], tree["players"], tree["most_iterations"] = me, players, budget.most_nodes
        tree["exploration"], tree["rollout"] = settings.exploration, settings.rollout
        tree["contempt"] = settings.contempt
        for pause in laps:
            self._step(tree, nodes, arms, children, path, states, self._score, self._weights, dice, pause)
            laps.done = int(tree["iterations"])
            if laps.done >= budget.most_nodes:
                break
        root = nodes[ROOT]
        first = int(root["first"]) + int(root["count"][:me].sum())
        own = arms[first : first + int(root["count"][me])]
        return Grown(
            actions=tuple(
                Pulled(int(arm["action"]), float(arm["paid"]) / max(1, int(arm["pulls"])), int(arm["pulls"]))
                for arm in own
            ),
            iterations=laps.done,
            nodes=int(tree["nodes"]),
            depth=int(tree["deepest"]),
            seconds=laps.seconds,
        )


def bound(game: Game, kernels: Mapping[str, Any], select: str) -> Any:
    """The search as it grows trees of a game by one rule of selection."""
    called = f"{game.name}_{select}"
    names = {**kernels, "select": RULES[select].select, "learn": RULES[select].learn}
    signature = types.void(
        record_type(Tree),
        *(types.Array(record_type(one), 1, "C") for one in (Node, Arm, Child, Turn, game.state)),
        types.FunctionType(heuristic_signature(game.state)),
        record_type(Weights),
        record_type(Dice),
        types.int64,
    )
    return bind(
        mcts,
        names,
        f"mcts_{called}",
        signature,
        grown=growing,
        choose=choosing,
        roll_out=rolling_out,
        judge=judging,
        pay=paying,
        descend=descending,
    )
