"""What depth-first searches share: their memory, what an end of the game is worth, and budgets.

A search walks the tree in a loop over a stack of records rather than by recursion, so that it can pause after
any number of nodes and go on later: that is what lets Ctrl-C and a clock in.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.dice import Dice
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record, record_type, workspace
from sparring.core.terms import MOST, UNWANTED_DRAW, Judge
from sparring.games.kernels import Kernels
from sparring.games.lookahead import NODES_ARE_STATES, Lookahead, lookahead
from sparring.search.cursor import BITS as BITS
from sparring.search.cursor import Cursor, cursor

if TYPE_CHECKING:  # nothing compiled comes from there
    from sparring.games.contract import Game

WIN = 1_000_000.0
PROVEN = WIN - 1000.0
"""No heuristic reaches this far: a score beyond it is a game played to its end."""
INFINITY = 2 * WIN
MAX_PLIES = 64
NO_LIMIT = 1 << 62


@cache
def walk_type(cursor: Cursor) -> np.dtype[Any]:
    """The memory of a search."""
    wide = cursor.wide
    return np.dtype(
        [
            ("me", np.int64),  # the player who searches and through whose eyes leaves are judged
            ("nodes", np.int64),  # visited so far, in all iterations
            ("max_nodes", np.int64),
            ("depth", np.int64),  # of the iteration under way
            ("max_depth", np.int64),
            ("ply", np.int64),  # where the walk stands
            ("following", np.int64),  # still on the first path down, which retraces the last line
            ("trial", np.float64, (wide,)),  # what the iteration under way found of each root move
            ("trial_exact", np.int64, (wide,)),
            ("finished", np.int64),
            ("completed", np.int64),  # depth of the last whole iteration; the fields below are its result
            ("score", np.float64),  # in the eyes of the player who searches
            ("scores", np.float64, (wide,)),  # of each root move: exact, or the most it can be worth
            ("exact", np.int64, (wide,)),
            ("line_length", np.int64),
            ("line", cursor.action, (MAX_PLIES,)),
            ("roots", np.int64, (wide + 1,)),  # the moves at the root, as the cursor lists them
        ],
        align=True,
    )


@cache
def frame_type(cursor: Cursor) -> np.dtype[Any]:
    """A level of the stack."""
    return np.dtype(
        [
            *cursor.fields,  # moves not yet tried
            ("action", np.int64),  # the move being tried
            ("sign", np.float64),  # 1 if the player who searches is to move here, else -1
            ("alpha", np.float64),
            ("beta", np.float64),
            ("best", np.float64),
            ("line_length", np.int64),
            ("line", cursor.action, (MAX_PLIES,)),
        ],
        align=True,
    )


@kernel
def begin(walk: Any, me: int, max_nodes: int, max_depth: int) -> None:
    """Set a used walk back to the root; whatever else is in it means nothing before the first whole iteration."""
    walk.me = me
    walk.nodes = 0
    walk.max_nodes = max_nodes
    walk.max_depth = max_depth
    walk.ply = 0
    walk.following = 0
    walk.finished = 0
    walk.completed = 0
    walk.score = 0.0
    walk.line_length = 0


@kernel
def note(walk: Any, place: int, action: int, value: float) -> None:
    """What a move at the root was found to be worth."""
    walk.scores[place] = value
    walk.exact[place] = 1
    if walk.line_length == 0 or value > walk.score:
        walk.score = value
        walk.line[0] = action
        walk.line_length = 1


@kernel
def sooner_wins(reward: float, ply: int) -> float:
    """A win is better sooner and a loss later: the longest resistance."""
    return reward * (WIN - ply)


@kernel
def any_win(reward: float, ply: int) -> float:
    return reward * WIN


@kernel
def lead_with(frame: Any, below: Any) -> None:
    """The frame's line becomes its move followed by the line below it."""
    frame.line[0] = frame.action
    for i in range(below.line_length):
        frame.line[i + 1] = below.line[i]
    frame.line_length = below.line_length + 1


def listing(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Note what a search would try in a node."""
    note_roots(walk, frames[0], start(frames[0], states[0], lowest(actors(states[0]))))


actors: Any
start: Any
note_roots: Any


class Manner(NamedTuple):
    """A way to search: what the free names of its template mean. Kernels among them stand for those of the game."""

    name: str
    names: Mapping[str, Any]


OWN_WAY = Manner("", {"SHUFFLED": 0, "worth": sooner_wins, "BEST_FIRST": 1, "STOP_WHEN_PROVEN": 1, "DEEPENS": 1})
REFERENCE = Manner("reference", {"SHUFFLED": 1, "worth": any_win, "BEST_FIRST": 0, "STOP_WHEN_PROVEN": 0, "DEEPENS": 1})
"""The report's course code: moves in random order, whatever the last iteration found best, no thought of how long a
win takes, no early stop."""


@dataclass(frozen=True)
class Budget:
    """How much a search may spend: one of nodes and time, and perhaps a depth."""

    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    assumed: bool = False
    """Whether nobody asked for it: in live play such a search takes all the time that there is."""

    @property
    def most_nodes(self) -> int:
        return self.nodes or NO_LIMIT

    @property
    def most_plies(self) -> int:
        return MAX_PLIES - 2 if self.depth is None else min(self.depth, MAX_PLIES - 2)

    def within(self, seconds: float | None) -> "Budget":
        """The same in no more than some time."""
        if seconds is None:
            return self
        if self.assumed:
            return Budget(seconds=seconds)
        return replace(self, seconds=seconds if self.seconds is None else min(seconds, self.seconds))


@dataclass(frozen=True)
class Found:
    """What a search knows when it ends: nothing but a node count if its budget did not last for one ply."""

    score: float  # in the eyes of the player who searches
    scores: dict[int, tuple[float, bool]]  # by root move; not exact means the most it can be worth
    line: tuple[int, ...]  # best play, the best move first
    depth: int
    nodes: int
    seconds: float


class Automaton(NamedTuple):
    """A player that compiled code can move by itself, without a word of Python between two moves."""

    step: Any
    score: Any
    weights: Any
    most_nodes: int
    most_plies: int
    holds: Any = None  # the tables whose addresses the weights have, lest they go before it does


class TreeSearch:
    """A search template bound to a game and a heuristic, ready to be run on states."""

    def __init__(
        self,
        template: Callable[..., Any],
        game: "Game",
        judge: Judge,
        manner: Manner = OWN_WAY,
    ) -> None:
        tree = tree_of(game)
        if tree is None or tree.kernels.chance:
            raise SparringError(
                f"{template.__name__} needs a game in which one can look ahead without chance, which {game.name} is not"
            )
        self.game = game
        self.tree, self.ahead = tree, tree.ahead
        self.judge = judge
        self.reference = manner is REFERENCE
        self._search = bound(template, game, manner)
        self._listing = bound(listing, game, manner)

    def run(self, state: Any, budget: Budget, dice: Any, me: int) -> Found:
        """Search a state within a budget, for a player who acts in it."""
        return self.run_from(self.ahead.root(state, me), budget, dice, me)

    def run_from(self, node: Any, budget: Budget, dice: Any, me: int) -> Found:
        """Search a node of the tree."""
        laps, tree = Laps(budget), self.tree
        states, frames = workspace(tree.kernels.state, MAX_PLIES), workspace(tree.frame, MAX_PLIES)
        states[0] = node
        walk = workspace(tree.walk, 1)[0]
        walk["me"] = me
        walk["max_nodes"] = most_nodes = budget.most_nodes
        walk["max_depth"] = budget.most_plies
        for pause in laps:
            self._search(walk, states, frames, self.judge.score, self.judge.weights, dice, pause)
            laps.done = int(walk["nodes"])
            if walk["finished"] or laps.done >= most_nodes:
                break
        return self._found(walk, laps.seconds)

    def moves(self, node: Any) -> list[int]:
        """All that is tried in a node of the tree."""
        states, walk = workspace(self.tree.kernels.state, 1), workspace(self.tree.walk, 1)[0]
        states[0] = node
        judge, frames = self.judge, workspace(self.tree.frame, 1)
        self._listing(walk, states, frames, judge.score, judge.weights, record(Dice), 1)
        return list(self.tree.cursor.listed(walk["roots"]))

    def _found(self, walk: Any, seconds: float) -> Found:
        line = tuple(walk["line"].tolist()[: walk["line_length"]])
        scores, exact = walk["scores"].tolist(), walk["exact"].tolist()
        roots = self.tree.cursor.listed(walk["roots"]) if line else {}
        return Found(
            score=float(walk["score"]),
            scores={action: (scores[place], bool(exact[place])) for action, place in roots.items()},
            line=line,
            depth=int(walk["completed"]),
            nodes=int(walk["nodes"]),
            seconds=seconds,
        )

    def automaton(self, budget: Budget) -> Automaton:
        return Automaton(self._search, self.judge.score, self.judge.weights, budget.most_nodes, budget.most_plies)

    def one_ply_up(self, score: float) -> float:
        """The worth of a score one ply earlier: a win or a loss is one ply further away."""
        if self.reference or abs(score) <= MOST:
            return score
        a_ply = 1.0 if abs(score) > PROVEN else abs(UNWANTED_DRAW)
        return score - a_ply if score > 0 else score + a_ply


FIRST_PAUSE = 50
UNTIMED_PAUSE = 100_000
LAP_SECONDS = 0.001


def paced(nodes: int, seconds: float, pause: int) -> int:
    """How many nodes to visit next so that the clock is read, and Ctrl-C heard, about every millisecond."""
    return int(min(max(nodes * LAP_SECONDS / max(seconds, 1e-6), 16), 4 * pause))


class Laps:
    """A search, lap by lap, while there is time: for each lap how many nodes to visit before the clock is read again.

    `done` says how many have been visited so far. Whoever searches leaves the loop when there is nothing more to do.
    Where there is no limit laps are long, or `paced` too."""

    def __init__(self, budget: Budget, paced: bool = False) -> None:
        self.done = 0
        self._limit = budget.seconds
        self._paced = paced or bool(budget.seconds)
        self._started = time.perf_counter()

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self._started

    def __iter__(self) -> Iterator[int]:
        pause = FIRST_PAUSE if self._paced else UNTIMED_PAUSE
        while True:
            lap, before = self.seconds, self.done
            yield pause
            now = self.seconds
            if self._limit is not None and now + 2 * LAP_SECONDS > self._limit:
                return
            if self._paced:
                pause = paced(self.done - before, now - lap, pause)


class Tree:
    """The tree of a game: its nodes, and the records that searches of it work with."""

    def __init__(self, ahead: Lookahead) -> None:
        self.ahead = ahead
        self.kernels: Kernels = ahead.kernels
        self.cursor = cursor(self.kernels)
        self.walk = walk_type(self.cursor)
        self.frame = frame_type(self.cursor)

    def signature(self, state: np.dtype[Any]) -> Any:
        return step_signature(self.cursor, self.kernels.state, state)


def step_signature(cursor: Cursor, node: np.dtype[Any], state: np.dtype[Any]) -> Any:
    """Every search is `void step(walk, nodes, frames, heuristic, weights, dice, pause)`."""
    return types.void(
        record_type(walk_type(cursor)),
        types.Array(record_type(node), 1, "C"),
        types.Array(record_type(frame_type(cursor)), 1, "C"),
        types.FunctionType(heuristic_signature(state)),
        record_type(Weights),
        record_type(Dice),
        types.int64,
    )


_TREES: dict[Kernels, Tree | None] = {}


def tree_of(game: "Game") -> Tree | None:
    """The tree of a game; None if nobody can look ahead in it."""
    if not game.written:
        return None
    if game.kernels not in _TREES:
        ahead = lookahead(game)
        _TREES[game.kernels] = Tree(ahead) if ahead else None
    return _TREES[game.kernels]


def bound(template: Callable[..., Any], game: "Game", manner: Manner = OWN_WAY, **parts: Callable[..., Any]) -> Any:
    """A template as it searches a game; a heuristic is an argument and needs no search of its own."""
    tree = tree_of(game)
    assert tree
    called = "_".join(filter(None, (template.__name__, game.name, manner.name)))
    kernels = tree.kernels.with_others(manner.names)
    usual = {"game_actions": game.kernels["actions"], "PLIES": tree.ahead.plies}
    names = {**usual, **NODES_ARE_STATES, **kernels}
    return bind(template, names, called, tree.signature(game.state), **tree.cursor.parts, **parts)
