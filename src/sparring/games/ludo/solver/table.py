"""The win chances of all positions of two players with two tokens each, for any two policies.

The game's own rules say which position follows, once for each position, roll and token. Then each chance is computed
from those that follow it, until nothing changes. The sweeps go layer by layer from the end of the game to its
beginning, so that only moves that send tokens home have to wait for the next sweep.
"""

import sys
import time
from itertools import pairwise
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kernel import entry, kernel, record_type, workspace
from sparring.core.progress import Progress
from sparring.games.ludo.endgame import DONE, PAIR_OF, PAIRS, TILES_OF, pair_of
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rules import movable, move_token, rolled
from sparring.games.ludo.solver.kept import Arrays, kept
from sparring.games.ludo.state import CORRIDOR, GOAL, HOME, NOT_IN_FIRST_ROUND, RING, State

POSITIONS = PAIRS * PAIRS
"""A position is the pair of the player to roll, times PAIRS, plus the pair of the other."""
TOLERANCE = 1e-7  # the table is solved when a sweep changes no chance by more
PAIRS_AT_A_TIME = 64
SOURCES = [*(f"games/ludo/{name}.py" for name in ("state", "rules", "ludopy", "endgame")), "games/ludo/solver/table.py"]

Policy = Any
"""Probability to move the rear token, where there is a choice, as an array (POSITIONS, 6) of float32."""
CODES, SHARES, FLOATS = types.int32[:, :, ::1], types.float32[:, ::1], types.float64[::1]
"""Types of the following positions and of a policy."""
BEST: Policy = np.empty((0, 6), np.float32)  # the best policy against that of the other player


# Following positions


@kernel
def code_of(s: Any) -> int:
    """Return the code of a state before the roll: twice its position, and one more if player 0 is to roll."""
    if s.to_move == 0:
        return (pair_of(s, 0) * PAIRS + pair_of(s, 1)) * 2 + 1
    return (pair_of(s, 1) * PAIRS + pair_of(s, 0)) * 2


@kernel
def set_up(s: Any, position: int, die: int) -> None:
    """Make a state before the roll, with all tokens at home, the position in which player 0 rolls a number."""
    for token in range(2):
        s.at[0, token] = TILES_OF[position // PAIRS, token]
        s.at[1, token] = TILES_OF[position % PAIRS, token]
    rolled(s, die)


@kernel
def write_following(first: int, last: int, states: Any, codes: Any) -> None:
    """Write the codes of what follows in some positions for each roll, if the rear token moves and if the front one
    does. Without a choice both are the same. `states[0]` is for `set_up`; the others are working memory."""
    for position in range(first, last):
        for die in range(6):
            states[1] = states[0]
            set_up(states[1], position, die + 1)
            tokens = movable(states[1])
            if tokens == 0:
                codes[position, die, 0] = codes[position, die, 1] = code_of(states[1])
            for token in range(2):
                if tokens >> token & 1:
                    states[2] = states[1]
                    move_token(states[2], token)
                    codes[position, die, token] = code_of(states[2])
                    if tokens != 3:
                        codes[position, die, 1 - token] = codes[position, die, token]


# The order of sweeps


def _layers() -> list[tuple[Any, Any]]:
    """Return the positions that are not over by the steps of both players, those nearest to the end first.

    A token in a corridor may go back there, and a player that cannot move stays. So all tiles of a corridor are one
    step. Each layer has two parts: positions that cannot lead to others of the same layer, and positions that can."""
    step = np.minimum(np.arange(GOAL + 1), CORRIDOR)
    step[GOAL] = CORRIDOR + 1
    steps = step[TILES_OF].sum(axis=1).astype(np.int16)
    in_corridor = (TILES_OF >= CORRIDOR) & (TILES_OF < GOAL)
    off_ring = (TILES_OF == HOME) | (TILES_OF >= CORRIDOR)
    lingers = in_corridor.any(axis=1) | off_ring.all(axis=1)
    own, other = np.divmod(np.arange(POSITIONS, dtype=np.int32), PAIRS)
    playing = np.flatnonzero((own != DONE) & (other != DONE)).astype(np.int32)
    rank = 2 * (2 * steps[DONE] - steps[own[playing]] - steps[other[playing]]) + lingers[own[playing]]
    ordered, ranks = playing[np.argsort(rank, kind="stable")], np.sort(rank)
    ends = np.searchsorted(ranks, np.arange(ranks[-1] + 2))
    parts = [ordered[first:last] for first, last in pairwise(ends)]
    return list(zip(parts[::2], parts[1::2], strict=True))


# The chances


@kernel
def worth(code: int, own: Any, other: Any) -> float:
    return own[code >> 1] if code & 1 else 1.0 - other[code >> 1]


@kernel
def backup(positions: Any, codes: Any, policy: Any, own: Any, other: Any) -> float:
    """Compute the chances of some positions from those that follow. Return the largest change. `own` are the chances of
    the player with this policy before its roll, `other` those of the other player before its own."""
    most = 0.0
    for position in positions:
        chance = 0.0
        for die in range(6):
            rear = worth(codes[position, die, 0], own, other)
            front = worth(codes[position, die, 1], own, other)
            if len(policy):
                chance += front + policy[position, die] * (rear - front)
            else:
                chance += max(rear, front)
        chance /= 6
        most = max(most, abs(chance - own[position]))
        own[position] = chance
    return most


class PairGame:
    """The game of two players with a pair of tokens each, by the rules of a game of Ludo."""

    def __init__(self, game: Ludo, progress: Progress | None = None) -> None:
        self.before = game.new(0)
        self.before.tokens, self.before.to_move = 2, 0
        self.start = PAIR_OF[HOME, HOME if game.config.tokens > 1 else GOAL] * (PAIRS + 1)
        states = workspace(State, 3)
        states[0] = self.before
        self.codes = np.zeros((POSITIONS, 6, 2), np.int32)
        self.layers = _layers()
        self.sweeps = 0
        for first in range(0, PAIRS, PAIRS_AT_A_TIME):
            last = min(first + PAIRS_AT_A_TIME, PAIRS)
            compiled_following()(first * PAIRS, last * PAIRS, states, self.codes)
            if progress:
                progress(last, PAIRS, "positions that follow")

    def win_chances(
        self, one: Policy, other: Policy, tolerance: float = TOLERANCE, progress: Progress | None = None
    ) -> tuple[Any, Any]:
        """Return the chances of two policies against each other, each before its own roll; for one policy the same."""
        chances = [initial_chances()] if one is other else [initial_chances(), initial_chances()]
        sides = [(one, chances[0], chances[-1]), (other, chances[-1], chances[0])][: len(chances)]
        self.sweeps, changed = 0, 1.0
        while changed > tolerance:
            settled, changed = changed / 100, 0.0
            for moving, lingering in self.layers:
                changed = max(changed, self._renewed(moving, sides), still := self._renewed(lingering, sides))
                while still > settled:
                    still = self._renewed(lingering, sides)
            self.sweeps += 1
            if progress:
                progress(int(-np.log10(max(changed, tolerance))), int(-np.log10(tolerance)), "digits are exact")
        return chances[0], chances[-1]

    def _renewed(self, positions: Any, sides: list[tuple[Any, Any, Any]]) -> float:
        renewed = compiled_backup()
        return max(renewed(positions, self.codes, *side) for side in sides)


def initial_chances() -> Any:
    """Return 1 for won positions, 0 for lost ones and 0.5 for all others."""
    chances = np.full((PAIRS, PAIRS), 0.5)
    chances[DONE] = 1.0
    chances[:, DONE] = 0.0
    return chances.reshape(-1)


def compiled_following() -> Any:
    return entry(write_following, types.void(types.int64, types.int64, types.Array(record_type(State), 1, "C"), CODES))


def compiled_backup() -> Any:
    return entry(backup, types.float64(types.int32[::1], CODES, SHARES, FLOATS, FLOATS))


# The table


RULES = ("overshoot", "exit_fails", "first_stop_counts", "blockades", "six_again")
"""Fields of a state on which the chances depend."""
_HELD: dict[str, Arrays] = {}


def endgame(game: Ludo, progress: Progress | None = None) -> Any:
    """Return the chances of the player to roll if both play their best, as float32, for `win_chance`. They are solved
    in some seconds, then stored in a file. The array is never released, so compiled code may use its address."""
    return solution(game, progress)["chances"]


def solution(game: Ludo, progress: Progress | None = None) -> Arrays:
    """Return the same with the sweeps and seconds of its solution."""
    name = table_name(game)
    if name not in _HELD:  # a second thread takes the array of the first: none is ever released
        _HELD.setdefault(name, kept(name, SOURCES, lambda: solved(game, progress)))
    return _HELD[name]


def solved(game: Ludo, progress: Progress | None = None) -> Arrays:
    if not progress:
        print("solving ludo for two (first run only) ...", file=sys.stderr, flush=True)
    started = time.perf_counter()
    pairs = PairGame(game, progress)
    chances, _ = pairs.win_chances(BEST, BEST, progress=progress)
    seconds = time.perf_counter() - started
    return {"chances": chances.astype(np.float32), "sweeps": np.array(pairs.sweeps), "seconds": np.array(seconds)}


def check_solvable_size(game: Ludo) -> None:
    """Refuse games with more players or tokens: the table knows at most their end."""
    if game.config.players > 2 or game.config.tokens > 2:
        raise SparringError("ludo is solved for two players with up to two tokens: add --players 2 --tokens 2")


def has_table(game: Ludo) -> bool:
    """Return whether there is a table of endgames for the rules of a game."""
    try:
        return bool(table_name(game))
    except SparringError:
        return False


def is_solved(game: Ludo) -> bool:
    """Return whether the table holds the whole game."""
    return game.config.tokens <= 2 and has_table(game)


def table_name(game: Ludo) -> str:
    """Return the name of the table for a game, the same for the same rules. Refuse games without a table."""
    s = game.new(0)
    if s.players != 2 or abs(s.start[0] - s.start[1]) != RING // 2:
        raise SparringError("exact chances are for two players opposite each other: add --players 2, leave out --seats")
    remembered = {
        "rules=ludopy": s.ludopy,
        "extra_turn_on_six=not_in_round_1": s.six_again == NOT_IN_FIRST_ROUND,
        "max_consecutive_sixes": s.max_sixes,
        "home_tries": s.home_tries > 1,
    }
    for option, given in remembered.items():
        if given:
            raise SparringError(f"exact chances need positions that hold everything; leave out {option}")
    return "ludo-" + "".join(str(int(s[rule])) for rule in RULES)
