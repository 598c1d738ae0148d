"""The win chances of all positions of two players with two tokens each, whatever the two play.

What follows a move is asked of the game's own rules, once for every position, roll and token. Then the chances are
renewed, each from those that follow it, until they stay as they are. This goes layer by layer from the end of the game
to its beginning, so that only what sends tokens home has to wait for the next sweep.
"""

import sys
import time
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kept import Arrays, kept
from sparring.core.kernel import entry, kernel, record_type, workspace
from sparring.core.progress import Progress
from sparring.games.ludo.endgame import DONE, PAIR_OF, PAIRS, TILES_OF, pair_of
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rules import movable, move_token, rolled
from sparring.games.ludo.state import CORRIDOR, GOAL, HOME, NOT_IN_FIRST_ROUND, RING, State

POSITIONS = PAIRS * PAIRS
"""A position is the pair of whoever is about to roll, times PAIRS, plus the pair of the other."""
TOLERANCE = 1e-7
"""Chances stay as they are once a sweep changes none by more."""
PAIRS_AT_A_TIME = 64
SOURCES = [*(f"games/ludo/{name}.py" for name in ("state", "rules", "ludopy", "endgame")), "games/ludo/solver/table.py"]

Policy = Any
"""How a player plays: for each position and roll the chance that it moves its rear token, as an array (POSITIONS, 6) of
float32. Where its tokens have no choice the number means nothing."""
CODES, SHARES = types.int32[:, :, ::1], types.float32[:, ::1]
"""The types of what follows and of a policy."""
BEST: Policy = np.empty((0, 6), np.float32)
"""The policy that is best against the policy of the other."""


# What follows


@kernel
def code_of(s: Any) -> int:
    """A state before the roll, seen by player 0: twice its position, and one more if player 0 is to roll."""
    if s.to_move == 0:
        return (pair_of(s, 0) * PAIRS + pair_of(s, 1)) * 2 + 1
    return (pair_of(s, 1) * PAIRS + pair_of(s, 0)) * 2


@kernel
def set_up(s: Any, position: int, die: int) -> None:
    """Of a state before the roll, with everybody at home, make a position in which player 0 rolls."""
    for token in range(2):
        s.at[0, token] = TILES_OF[position // PAIRS, token]
        s.at[1, token] = TILES_OF[position % PAIRS, token]
    rolled(s, die)


@kernel
def follow(first: int, last: int, states: Any, codes: Any) -> None:
    """For some positions, the code of what follows each roll if the rear token moves, and if the front one does. Where
    only one can, or none, both are the same. `states[0]` is what `set_up` expects; the others are room to play in."""
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
    """The positions that are not over, by how far both have come, those nearest to the end first.

    A token in a corridor may go back there, and who cannot move stays. So all tiles of a corridor are one step, and the
    positions of a layer that may lead to others of the same layer are given apart from those that cannot.
    """
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
def renew(positions: Any, codes: Any, policy: Any, own: Any, other: Any) -> float:
    """Work out the chances of some positions from those that follow, and say by how much they changed at most. `own`
    are the chances of the player of this policy where it is about to roll, `other` those of the other where that one
    is."""
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
    """The game of two players with a pair of tokens each, under the rules of a game of Ludo."""

    def __init__(self, game: Ludo, progress: Progress | None = None) -> None:
        self.before = game.empty()
        self.before.tokens, self.before.to_move = 2, 0
        self.start = PAIR_OF[HOME, HOME if game.config.tokens > 1 else GOAL] * (PAIRS + 1)
        states = workspace(State, 3)
        states[0] = self.before
        self.codes = np.zeros((POSITIONS, 6, 2), np.int32)
        self.layers = _layers()
        self.sweeps = 0
        for first in range(0, PAIRS, PAIRS_AT_A_TIME):
            last = min(first + PAIRS_AT_A_TIME, PAIRS)
            _compiled_follow()(first * PAIRS, last * PAIRS, states, self.codes)
            if progress:
                progress(last, PAIRS, "what follows every move")

    def win_chances(
        self, one: Policy, other: Policy, tolerance: float = TOLERANCE, progress: Progress | None = None
    ) -> tuple[Any, Any]:
        """The chances of two players against each other: of the one where it is about to roll, of the other where that
        one is. Both the same array if they play the same."""
        chances = [first_guess()] if one is other else [first_guess(), first_guess()]
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
        renewed = compiled_renew()
        return max(renewed(positions, self.codes, *side) for side in sides)


def first_guess() -> Any:
    """Who has brought both tokens in has won."""
    chances = np.full((PAIRS, PAIRS), 0.5)
    chances[DONE] = 1.0
    chances[:, DONE] = 0.0
    return chances.reshape(-1)


@cache
def _compiled_follow() -> Any:
    return entry(follow, types.void(types.int64, types.int64, types.Array(record_type(State), 1, "C"), CODES))


@cache
def compiled_renew() -> Any:
    chances = types.float64[::1]
    return entry(renew, types.float64(types.int32[::1], CODES, SHARES, chances, chances))


# The table


RULES = ("overshoot", "exit_fails", "first_stop_counts", "blockades", "six_again")
"""What the chances depend on, by the names of a state."""
_HELD: dict[str, Arrays] = {}


def endgame(game: Ludo, progress: Progress | None = None) -> Any:
    """The chances of whoever is about to roll if both play their best, as float32: what `win_chance` looks up. Solved
    in some seconds, then kept in a file. Held for good, so that compiled code may use its address."""
    return solution(game, progress)["chances"]


def solution(game: Ludo, progress: Progress | None = None) -> Arrays:
    """The same, and what it took to solve: sweeps and seconds."""
    name = table_name(game)
    if name not in _HELD:  # who comes second meanwhile takes the first one's: nobody's is ever let go
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


def refuse_larger(game: Ludo) -> None:
    """Of games with more players or tokens the table knows at most the end."""
    if game.config.players > 2 or game.config.tokens > 2:
        raise SparringError("ludo is solved for two players with up to two tokens: add --players 2 --tokens 2")


def table_name(game: Ludo) -> str:
    """Games of the same name have the same table; those that have none are refused."""
    s = game.empty()
    if s.players != 2 or abs(s.start[0] - s.start[1]) != RING // 2:
        raise SparringError("exact chances are for two players opposite each other: add --players 2, leave --seats out")
    remembered = {
        "rules=ludopy": s.ludopy,
        "extra_turn_on_six=not_in_round_1": s.six_again == NOT_IN_FIRST_ROUND,
        "max_consecutive_sixes": s.max_sixes,
        "home_tries": s.home_tries > 1,
    }
    for option, given in remembered.items():
        if given:
            raise SparringError(f"exact chances are for positions that say all there is to know; leave out {option}")
    return "ludo-" + "".join(str(int(s[rule])) for rule in RULES)
