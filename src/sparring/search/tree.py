"""The parts that depth-first searches share: memory, scores of finished games, budgets.

A search goes through the tree in a loop over a stack of records, not by recursion. So it can pause after any number of
nodes and continue later. Python uses the pauses to read the clock and to notice Ctrl-C.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numba import types

from sparring.core.dice import Dice
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record_type, workspace
from sparring.core.terms import MOST, UNWANTED_TIE, BoundHeuristic
from sparring.games.kernels import Kernels
from sparring.games.lookahead import NODES_ARE_STATES, Lookahead, lookahead
from sparring.search.cursor import BITS as BITS
from sparring.search.cursor import Cursor, cursor

if TYPE_CHECKING:  # nothing compiled comes from there
    from sparring.games.contract import Game

WIN = 1_000_000.0
PROVEN = WIN - 1000.0
"""No heuristic reaches this score. A higher one means that the game was searched to its end."""
INFINITY = 2 * WIN
MAX_PLIES = 64
NO_LIMIT = 1 << 62


@cache
def search_state_type(cursor: Cursor) -> np.dtype[Any]:
    """The record with the state and the result of a search."""
    wide = cursor.wide
    return np.dtype(
        [
            ("me", np.int64),  # the player who searches; leaves are evaluated for it
            ("nodes", np.int64),  # visited so far, in all iterations
            ("max_nodes", np.int64),
            ("depth", np.int64),  # of the current iteration
            ("max_depth", np.int64),
            ("ply", np.int64),  # of the current node
            ("following", np.int64),  # 1 while the search follows the best line of the last iteration
            ("trial", np.float64, (wide,)),  # scores of the root actions in the current iteration
            ("trial_exact", np.int64, (wide,)),
            ("finished", np.int64),
            ("completed", np.int64),  # depth of the last complete iteration; its result is in the fields below
            ("score", np.float64),  # for the player who searches
            ("scores", np.float64, (wide,)),  # of the root actions: exact, or an upper bound
            ("exact", np.int64, (wide,)),
            ("line_length", np.int64),
            ("line", cursor.action, (MAX_PLIES,)),
            ("roots", np.int64, (wide + 1,)),  # the actions at the root, as the cursor keeps them
        ],
        align=True,
    )


@cache
def frame_dtype(cursor: Cursor) -> np.dtype[Any]:
    """One level of the stack."""
    return np.dtype(
        [
            *cursor.fields,  # actions left to try
            ("action", np.int64),  # the action that is being tried
            ("sign", np.float64),  # 1 if the player who searches is to move, else -1; not used where players ALTERNATE
            ("alpha", np.float64),
            ("beta", np.float64),
            ("best", np.float64),
            ("line_length", np.int64),
            ("line", cursor.action, (MAX_PLIES,)),
        ],
        align=True,
    )


@kernel
def begin(search: Any, me: int, max_nodes: int, max_depth: int) -> None:
    """Prepare a used record for a new search. Other fields have no meaning before the first complete iteration."""
    search.me = me
    search.nodes = 0
    search.max_nodes = max_nodes
    search.max_depth = max_depth
    search.ply = 0
    search.following = 0
    search.finished = 0
    search.completed = 0
    search.score = 0.0
    search.line_length = 0


@kernel
def note(search: Any, place: int, action: int, value: float) -> None:
    """Store the exact score of a root action."""
    search.scores[place] = value
    search.exact[place] = 1
    if search.line_length == 0 or value > search.score:
        search.score = value
        search.line[0] = action
        search.line_length = 1


@kernel
def finish_iteration(search: Any, root: Any, depth: int, score: float) -> None:
    """Make the current iteration the result. Loops, because array assignments here slow down the whole search."""
    search.completed = depth
    search.score = score
    for place in range(len(search.scores)):
        search.scores[place] = search.trial[place]
        search.exact[place] = search.trial_exact[place]
    search.line_length = root.line_length
    for ply in range(root.line_length):
        search.line[ply] = root.line[ply]


@kernel
def sooner_wins(reward: float, ply: int) -> float:
    """The score of an end of the game: a win is better sooner, a loss is better later."""
    return reward * (WIN - ply)


@kernel
def any_win(reward: float, ply: int) -> float:
    return reward * WIN


@kernel
def lead_with(frame: Any, below: Any) -> None:
    """The frame's line becomes its action followed by the line of the frame below."""
    frame.line[0] = frame.action
    for i in range(below.line_length):
        frame.line[i + 1] = below.line[i]
    frame.line_length = below.line_length + 1


class SearchVariant(NamedTuple):
    """A variant of a search: the meaning of free names of its template, among them kernels that replace the game's."""

    name: str
    names: Mapping[str, Any]


DEFAULT_VARIANT = SearchVariant(
    "", {"SHUFFLED": 0, "worth": sooner_wins, "BEST_FIRST": 1, "STOP_WHEN_PROVEN": 1, "DEEPENS": 1}
)
REFERENCE = SearchVariant(
    "reference", {"SHUFFLED": 1, "worth": any_win, "BEST_FIRST": 0, "STOP_WHEN_PROVEN": 0, "DEEPENS": 1}
)
"""The search of the report's course code: random order of actions, no reuse of iterations, no early stop."""


@dataclass(frozen=True)
class Budget:
    """Limits of a search: nodes or time, and perhaps a depth."""

    nodes: int | None = None
    depth: int | None = None
    seconds: float | None = None
    assumed: bool = False
    """True if nobody asked for this budget. Then a search in live play takes all the time that there is."""

    @property
    def most_nodes(self) -> int:
        return self.nodes or NO_LIMIT

    @property
    def most_plies(self) -> int:
        return MAX_PLIES - 2 if self.depth is None else min(self.depth, MAX_PLIES - 2)

    def within(self, seconds: float | None) -> "Budget":
        """The same budget with at most this time."""
        if seconds is None:
            return self
        if self.assumed:
            return Budget(seconds=seconds)
        return replace(self, seconds=seconds if self.seconds is None else min(seconds, self.seconds))


@dataclass(frozen=True)
class SearchResult:
    """The result of a search. Without a complete iteration it has no line and no scores."""

    score: float  # for the player who searches
    scores: dict[int, tuple[float, bool]]  # by root action: the score, and whether it is exact or an upper bound
    line: tuple[int, ...]  # best play, the best action first
    depth: int
    nodes: int
    seconds: float
    actions: tuple[int, ...]  # all actions at the root


class CompiledPolicy(NamedTuple):
    """An agent that compiled code can call without Python."""

    step: Any
    score: Any
    weights: Any
    most_nodes: int
    most_plies: int
    holds: Any = None  # keeps the tables alive whose addresses the weights contain


class TreeSearch:
    """A search template that is bound to a game and a heuristic."""

    def __init__(
        self,
        template: Callable[..., Any],
        game: "Game",
        judge: BoundHeuristic,
        variant: SearchVariant = DEFAULT_VARIANT,
    ) -> None:
        tree = tree_of(game)
        if tree is None or tree.kernels.chance:
            raise SparringError(
                f"{template.__name__} needs a game in which one can look ahead without chance, which {game.name} is not"
            )
        self.game = game
        self.tree, self.ahead = tree, tree.ahead
        self.judge = judge
        self.reference = variant is REFERENCE
        self._search = bound(template, game, variant)

    def run(self, state: Any, budget: Budget, dice: Any, me: int) -> SearchResult:
        """Search a state for a player who acts there."""
        return self.run_from(self.ahead.root(state, me), budget, dice, me)

    def run_from(self, node: Any, budget: Budget, dice: Any, me: int) -> SearchResult:
        slices = TimeSlices(budget)
        most_nodes = budget.most_nodes
        search, states, frames = self.tree.memory(node, me, most_nodes, budget.most_plies)
        for pause in slices:
            self._search(search, states, frames, self.judge.score, self.judge.weights, dice, pause)
            slices.done = int(search["nodes"])
            if search["finished"] or slices.done >= most_nodes:
                break
        return self._result(search, slices.seconds)

    def _result(self, search: Any, seconds: float) -> SearchResult:
        line = tuple(search["line"].tolist()[: search["line_length"]])
        roots = self.tree.cursor.listed(search["roots"])
        scores, exact = search["scores"].tolist(), search["exact"].tolist()
        return SearchResult(
            score=float(search["score"]),
            scores={action: (scores[place], bool(exact[place])) for action, place in roots.items()} if line else {},
            line=line,
            depth=int(search["completed"]),
            nodes=int(search["nodes"]),
            seconds=seconds,
            actions=tuple(roots),
        )

    def compiled_policy(self, budget: Budget) -> CompiledPolicy:
        return CompiledPolicy(self._search, self.judge.score, self.judge.weights, budget.most_nodes, budget.most_plies)

    def one_ply_up(self, score: float) -> float:
        """The score one ply earlier: a win or a loss is one ply further away."""
        if self.reference or abs(score) <= MOST:
            return score
        a_ply = 1.0 if abs(score) > PROVEN else abs(UNWANTED_TIE)
        return score - a_ply if score > 0 else score + a_ply


FIRST_PAUSE = 50
UNTIMED_PAUSE = 100_000
LAP_SECONDS = 0.001


def paced(nodes: int, seconds: float, pause: int) -> int:
    """The nodes of the next time slice, so that a slice takes about a millisecond."""
    return int(min(max(nodes * LAP_SECONDS / max(seconds, 1e-6), 16), 4 * pause))


class TimeSlices:
    """Divides a search into slices. Between them Python reads the clock and notices Ctrl-C.

    Iterating yields the number of nodes of each slice, until the time is over. The search sets `done`, the nodes so
    far, and leaves the loop when it has finished. Slices are long if there is no limit, unless they are `paced`."""

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
            began, before = self.seconds, self.done
            yield pause
            now = self.seconds
            if self._limit is not None and now + 2 * LAP_SECONDS > self._limit:
                return
            if self._paced:
                pause = paced(self.done - before, now - began, pause)


class Tree:
    """The tree of a game: its nodes, and the records that searches need."""

    def __init__(self, ahead: Lookahead) -> None:
        self.ahead = ahead
        self.kernels: Kernels = ahead.kernels
        self.cursor = cursor(self.kernels)
        self.search_state = search_state_type(self.cursor)
        self.frame = frame_dtype(self.cursor)

    def signature(self, state: np.dtype[Any]) -> Any:
        """Every search is `void step(search, nodes, frames, heuristic, weights, dice, pause)`."""
        return types.void(
            record_type(self.search_state),
            types.Array(record_type(self.kernels.state), 1, "C"),
            types.Array(record_type(self.frame), 1, "C"),
            types.FunctionType(heuristic_signature(state)),
            record_type(Weights),
            record_type(Dice),
            types.int64,
        )

    def memory(self, node: Any, me: int, most_nodes: int, most_plies: int) -> tuple[Any, Any, Any]:
        """The memory of one search from a node: its state, the stack of nodes and the stack of frames."""
        search = workspace(self.search_state, 1)[0]
        states, frames = workspace(self.kernels.state, MAX_PLIES), workspace(self.frame, MAX_PLIES)
        states[0] = node
        search["me"], search["max_nodes"], search["max_depth"] = me, most_nodes, most_plies
        return search, states, frames


_TREES: dict[Kernels, Tree | None] = {}


def tree_of(game: "Game") -> Tree | None:
    """The tree of a game; None if there is no way to look ahead in it."""
    if not game.written:
        return None
    if game.kernels not in _TREES:
        ahead = lookahead(game)
        _TREES[game.kernels] = Tree(ahead) if ahead else None
    return _TREES[game.kernels]


def bound(
    template: Callable[..., Any], game: "Game", variant: SearchVariant = DEFAULT_VARIANT, **parts: Callable[..., Any]
) -> Any:
    """A template compiled for a game. A heuristic is an argument, so it needs no compilation of the search."""
    tree = tree_of(game)
    assert tree
    called = "_".join(filter(None, (template.__name__, game.name, variant.name)))
    usual = {"game_actions": game.kernels["actions"], "PLIES": tree.ahead.plies, **NODES_ARE_STATES}
    names = {**usual, **tree.kernels.with_others(variant.names)}
    return bind(template, names, called, tree.signature(game.state), **tree.cursor.parts, **parts)
