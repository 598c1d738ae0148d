"""Find the winner of a position of Isolation by a depth-first search to the end of the game.

It keeps no table of positions and looks for no separated regions: both cost more time than they save. Its speed comes
from the order of moves, and from positions whose winner shows at once.
"""

import math
import time
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from sparring.core.bits import count, lowest
from sparring.core.kernel import bind, kernel, record, record_type, records
from sparring.games.isolation.game import Isolation
from sparring.games.isolation.rules import reach
from sparring.games.isolation.state import COLUMNS, MAX_CELLS, NOWHERE, QUEENS, ROWS, State
from sparring.search.tree import FIRST_PAUSE, NO_LIMIT, paced

ProofState = np.dtype(
    [
        ("nodes", np.int64),  # visited so far
        ("ply", np.int64),  # of the current node
        ("me", np.int64),  # the cell of the player to move there
        ("you", np.int64),  # the cell of its opponent
        ("finished", np.int64),
        ("wins", np.int64),  # whether the player to move at the root wins, once finished
    ],
    align=True,
)

MAX_MOVES = 32  # a queen has 26 at most

Frame = np.dtype(
    [
        ("you", np.int64),  # the cell of the opponent of the player to move
        ("move", np.int64),  # the ranked move being tried
        ("count", np.int64),
        ("moves", np.int64, (MAX_MOVES,)),  # each its rank times 64 plus its cell; the least is the best
    ],
    align=True,
)

NO_MOVE = 1 << 40
DEAD_END = 1 << 10  # added to the rank of a move that leaves its mover no exit, so that it comes last
MIRROR_EMPTIES = 36  # with fewer free cells a position is hardly ever its own image
IMAGES = np.where(np.arange(len(ROWS)) < QUEENS, ROWS * COLUMNS - 1, -1)
"""The sum of a cell and its image by half a turn; -1 for queens, because one may block the other's image."""

LOSS, WIN, UNKNOWN = 0, 1, 2


@kernel
def at_once(s: Any, me: int, you: int, mine: int, yours: int) -> int:
    """Result for the player to move, if the exits decide. They never grow: a player without its only exit has lost."""
    if mine == 0:
        return LOSS
    if yours & (yours - 1) == 0 and (yours == 0 or yours & mine):
        return WIN
    if me + you == IMAGES[s.board & 255] and mirrored(s):
        return LOSS
    return UNKNOWN


@kernel
def mirrored(s: Any) -> bool:
    """True if half a turn changes nothing and moves every free cell: the opponent can answer each move by its image."""
    last = IMAGES[s.board]
    if last + 1 - count(s.blocked) < MIRROR_EMPTIES:
        return False
    for cell in range((last + 1) // 2):
        if (s.blocked >> cell ^ s.blocked >> (last - cell)) & 1:
            return False
    middle_is_blocked: bool = s.blocked >> last // 2 & 1 == 1
    return last % 2 == 1 or middle_is_blocked


@kernel
def exits_left(s: Any, you: int, yours: int, cell: int) -> int:
    """The opponent's exits once a cell is taken: without that cell and, for a queen, those behind it."""
    left = yours & ~(1 << cell)
    if s.board < QUEENS or left == yours:
        return left
    s.blocked |= 1 << cell
    left = reach(s, you)
    s.blocked &= ~(1 << cell)
    return left


@kernel
def rank_moves(s: Any, frame: Any, mine: int, yours: int) -> int:
    """Fill a frame with the moves to try. Few exits for the opponent and many for the mover rank first."""
    first = NO_MOVE
    moves = 0
    while mine:
        cell = lowest(mine)
        mine &= mine - 1
        own = count(reach(s, cell))
        rank = 3 * count(exits_left(s, frame.you, yours, cell)) - 2 * own + (0 if own else DEAD_END)
        move = rank * 64 + cell
        frame.moves[moves & MAX_MOVES - 1] = move
        first = min(first, move)
        moves += 1
    frame.count = moves
    return first


@kernel
def next_move(frame: Any) -> int:
    """The move to try after the current one. Moves are not sorted, because the first one decides most often."""
    following = NO_MOVE
    for i in range(frame.count):
        move = frame.moves[i & MAX_MOVES - 1]
        if frame.move < move < following:
            following = move
    return following


def depth_first(search: Any, s: Any, frames: Any, pause: int) -> None:
    """Continue a search until it is finished or `pause` more nodes were visited. Only the blocked cells of the state
    follow it; the cells of the players are in `search` and `frames`."""
    nodes, ply, me, you = search.nodes, search.ply, search.me, search.you
    stop = nodes + pause
    while nodes < stop:
        nodes += 1
        frame = frames[ply & MAX_CELLS]
        mine, yours = reach(s, me), reach(s, you)
        known = at_once(s, me, you, mine, yours)
        wins = known == WIN
        move = NO_MOVE
        if known == UNKNOWN:
            frame.you = you
            move = rank_moves(s, frame, mine, yours)
        while move == NO_MOVE and ply > 0:  # take moves back until there is another one to try
            ply -= 1
            frame = frames[ply & MAX_CELLS]
            s.blocked &= ~(1 << (frame.move & 63))
            wins = not wins
            if not wins:
                move = next_move(frame)
        if move == NO_MOVE:
            search.finished = 1
            search.wins = wins
            break
        frame.move = move
        me, you = frame.you, move & 63
        s.blocked |= 1 << you
        ply += 1
    search.nodes, search.ply, search.me, search.you = nodes, ply, me, you


@cache
def _compiled() -> Any:
    search, state, frames = record_type(ProofState), record_type(State), types.Array(record_type(Frame), 1, "C")
    return bind(depth_first, {}, "solve_isolation", types.void(search, state, frames, types.int64))


class Proof:
    """The search for the winner of a position with both pieces placed. It can be paused and resumed."""

    def __init__(self, state: Any) -> None:
        self._state = RULES.copy(state)
        self._frames = records(Frame, MAX_CELLS + 1)
        self._search = record(ProofState)
        self._search.me, self._search.you = state.at[state.to_move], state.at[1 - state.to_move]

    def advance(self, nodes: int) -> None:
        if not self._search.finished:
            _compiled()(self._search, self._state, self._frames, nodes)

    @property
    def wins(self) -> bool | None:
        """True if the player to move wins; None until it is known."""
        return bool(self._search.wins) if self._search.finished else None

    @property
    def winning_move(self) -> int:
        """A winning move of a won position: the last one tried or, if none was, one that takes the only exit."""
        if self.nodes > 1:
            return int(self._frames[0].move) & 63
        opposed, me = RULES.copy(self._state), int(self._state.to_move)
        opposed.to_move = 1 - me
        mine, yours = RULES.legal(self._state, me), RULES.legal(opposed, 1 - me)
        return next((cell for cell in mine if cell in yours), mine[0])

    @property
    def nodes(self) -> int:
        return int(self._search.nodes)


class Verdict(NamedTuple):
    """True if the player to move wins, or None if the budget ran out; and the number of nodes."""

    wins: bool | None
    nodes: int


class ProofBudget:
    """Nodes and time for the proofs of one or several positions."""

    def __init__(self, max_nodes: int | None, seconds: float | None, whole: "ProofBudget | None" = None) -> None:
        self.nodes = 0
        self._whole = whole
        self._max_nodes = NO_LIMIT if max_nodes is None else max_nodes
        self._deadline = time.perf_counter() + (math.inf if seconds is None else seconds)

    def part(self, parts: int) -> "ProofBudget":
        """An equal share of the rest, for the next of so many parts."""
        left = None if self._max_nodes == NO_LIMIT else (self._max_nodes - self.nodes) // parts
        return ProofBudget(left, max(0.0, self._deadline - time.perf_counter()) / parts, whole=self)

    def spend_on(self, proof: Proof) -> None:
        """Advance a proof in slices of about a millisecond, so that Ctrl-C and the clock can stop it."""
        pause = FIRST_PAUSE
        lap = time.perf_counter()
        while proof.wins is None and self.nodes < self._max_nodes and lap < self._deadline:
            before = proof.nodes
            proof.advance(min(pause, self._max_nodes - self.nodes))
            now = time.perf_counter()
            self.count(proof.nodes - before)
            pause = paced(nodes=proof.nodes - before, seconds=now - lap, pause=pause)
            lap = now

    def count(self, nodes: int) -> None:
        self.nodes += nodes
        if self._whole:
            self._whole.count(nodes)


RULES = Isolation()  # its options do not matter: a state names its own board


def solve(state: Any, max_nodes: int | None = None, seconds: float | None = None) -> Verdict:
    """True if the player to move wins with best play."""
    budget = ProofBudget(max_nodes, seconds)
    return Verdict(_wins(state, budget), budget.nodes)


def winning_moves(state: Any, max_nodes: int | None = None, seconds: float | None = None) -> dict[int, bool | None]:
    """A verdict for each legal action: true if it wins, None if its share of the budget ran out."""
    return judge(state, RULES.legal(state, int(state.to_move)), ProofBudget(max_nodes, seconds))


def judge(state: Any, actions: Sequence[int], budget: ProofBudget) -> dict[int, bool | None]:
    """The same for some actions. The unused rest of a share goes to the actions after it."""
    verdicts: dict[int, bool | None] = {}
    for action in actions:
        opponent_wins = _wins(after(state, action), budget.part(len(actions) - len(verdicts)))
        verdicts[action] = None if opponent_wins is None else not opponent_wins
    return verdicts


def after(state: Any, action: int) -> Any:
    following = RULES.copy(state)
    RULES.apply(following, {int(state.to_move): action})
    return following


def _wins(state: Any, budget: ProofBudget) -> bool | None:
    if NOWHERE not in state.at:
        proof = Proof(state)
        budget.spend_on(proof)
        return proof.wins
    for cell in _placements(state):
        opponent_wins = _wins(after(state, cell), budget)
        if opponent_wins is None:
            return None
        if not opponent_wins:
            return True
    return False


def _placements(state: Any) -> Sequence[int]:
    """The cells to place a piece on: first the image of the opponent's cell, then cells of the other colour."""
    cells = RULES.legal(state, int(state.to_move))
    rival, columns = int(state.at[1 - state.to_move]), int(COLUMNS[state.board])
    if rival == NOWHERE:
        return cells
    image = int(ROWS[state.board]) * columns - 1 - rival
    return sorted(cells, key=lambda cell: (cell != image, same_colour(cell, rival, columns)))


def same_colour(one: int, other: int, columns: int) -> bool:
    return (one // columns + one % columns + other // columns + other % columns) % 2 == 0
