"""Simulated rounds: what commands of both sides lead to, by the hundred and in compiled loops.

All loops play whole rounds by `play_round`. So a predicted round is what comes, if the enemy does what is expected.
"""

import time
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, entry, heuristic_signature, kernel, record, record_type, workspace
from sparring.core.terms import BoundHeuristic
from sparring.games.flagwar.board import without_last_round
from sparring.games.flagwar.rules import command, flag_at_home, living, measure_reach, over, play_round
from sparring.games.flagwar.state import COMMAND_BITS, LONGEST, MOST_PIECES, NOBODY, ONE_PIECE, STAY, A, B, Round, State
from sparring.search.matrix import match_regrets

Floats = npt.NDArray[np.float64]
SECOND_ROUND_COMMANDS, SECOND_ROUND_ITERATIONS = 4, 30
"""The matrix of a second round: commands of each side, and iterations of regret matching."""
LATER, LATER_WITH_A_FLAG_OUT = 0.95, 0.3
"""The share of the next round in a position's value; the rest is the value of now. With a share of 1 a side that can
win now could as well win later, for ever. While a flag is on its way there is less time."""
ONE_AGAINST_ONE = 0.2  # the share of the draw penalty for one piece against one, which mostly ends in a draw

MOST_SWEEPS = 8  # how often a best response is improved piece by piece
LONGEST_STEP = 5  # the longest distance of `maximin_sampled`


@kernel
def without_command(action: int, piece: int) -> int:
    """The same action, but one piece stays."""
    return action & ~(ONE_PIECE << COMMAND_BITS * piece)


@kernel
def play_one(states: Any, at: int, log: Any, me: int, own: int, other: int) -> None:
    """Play one round, from states[at] to states[at + 1]."""
    states[at + 1] = states[at]
    if me == A:
        play_round(states[at + 1], own, other, log)
    else:
        play_round(states[at + 1], other, own, log)


@kernel
def measure(states: Any, at: int, side: int, log: Any) -> Any:
    """Return how far each piece of a side can go in each direction."""
    reach = np.zeros((MOST_PIECES, 4), np.int64)
    states[at + 1] = states[at]
    measure_reach(states[at + 1], side, log, reach)
    return reach


# One round ahead


@kernel
def average_score(
    states: Any, at: int, log: Any, me: int, own: int, others: Any, odds: Any, score: Any, weights: Any
) -> float:
    """The average score of an action against enemy actions with their odds."""
    total = 0.0
    for place in range(len(others)):
        if odds[place] > 0.0:
            play_one(states, at, log, me, own, others[place])
            total += odds[place] * score(states[at + 1], me, weights)
    return total


@kernel
def score_alone(states: Any, at: int, log: Any, me: int, base: int, other: int, score: Any, weights: Any) -> Any:
    """Score each command of each piece, mates doing their commands of `base`; minus infinity beyond its reach."""
    values, reach = np.full((states[at].pieces, 4, LONGEST), -np.inf), measure(states, at, me, log)
    for piece in range(states[at].pieces):
        for direction in range(4):
            for distance in range(1, reach[piece, direction] + 1):
                own = without_command(base, piece) | command(piece, direction, distance)
                play_one(states, at, log, me, own, other)
                values[piece, direction, distance - 1] = score(states[at + 1], me, weights)
    return values


@kernel
def climb(
    states: Any, at: int, log: Any, me: int, start: int, others: Any, odds: Any, sweeps: int, score: Any, weights: Any
) -> tuple[int, float, int]:
    """Find a best response by coordinate ascent: each piece in turn takes its best command while its mates keep theirs,
    until nothing improves. Returns the action, its score, and the number of actions that were tried."""
    reach = measure(states, at, me, log)
    best, most, count = start, average_score(states, at, log, me, start, others, odds, score, weights), 1
    for _ in range(sweeps):
        before = best
        for piece in range(states[at].pieces):
            rest = without_command(best, piece)
            for direction in range(4):
                for distance in range(0 if direction == 0 else 1, reach[piece, direction] + 1):
                    tried = rest | command(piece, direction, distance)
                    value = average_score(states, at, log, me, tried, others, odds, score, weights)
                    count += 1
                    if value > most:
                        best, most = tried, value
        if best == before:
            break
    return best, most, count


@kernel
def score_pairs(
    states: Any, at: int, log: Any, me: int, own: Any, others: Any, draw_penalty: float, score: Any, weights: Any
) -> Any:
    """Score every pair of actions one round ahead, less a penalty for draws."""
    payoffs, after = np.empty((len(own), len(others))), states[at + 1]
    for i in range(len(own)):
        for j in range(len(others)):
            play_one(states, at, log, me, own[i], others[j])
            payoffs[i, j] = score(after, me, weights)
            if over(after):
                payoffs[i, j] -= draw_penalty if after.winner == NOBODY else 0.0
            elif living(after, A) == 1 == living(after, B):
                payoffs[i, j] -= ONE_AGAINST_ONE * draw_penalty
    return payoffs


@kernel
def alternate_responses(states: Any, at: int, log: Any, me: int, size: int, score: Any, weights: Any) -> Any:
    """List commands of both sides: staying, then responses to each other. Also returns how many were tried."""
    own, others, certain, count = np.zeros(size, np.int64), np.zeros(size, np.int64), np.ones(1), 0
    for level in range(1, size):
        last = level - 1
        own[level], _, tried = climb(states, at, log, me, own[last], others[last:level], certain, 1, score, weights)
        reply, _, more = climb(states, at, log, 1 - me, others[last], own[last:level], certain, 1, score, weights)
        others[level] = reply
        count += tried + more
    return own, others, count


# Two rounds ahead


@kernel
def score_two_rounds(
    states: Any, at: int, log: Any, me: int, own: Any, others: Any, draw_penalty: float, score: Any, weights: Any
) -> Any:
    """Score every pair of actions two rounds ahead. The second is a matrix game of a few responses of each side."""
    payoffs, next_at = score_pairs(states, at, log, me, own, others, draw_penalty, score, weights), at + 1
    later = LATER if flag_at_home(states[at], A) and flag_at_home(states[at], B) else LATER_WITH_A_FLAG_OUT
    for i in range(len(own)):
        for j in range(len(others)):
            play_one(states, at, log, me, own[i], others[j])
            if not over(states[next_at]):
                mine, theirs, _ = alternate_responses(states, next_at, log, me, SECOND_ROUND_COMMANDS, score, weights)
                second = score_pairs(states, next_at, log, me, mine, theirs, draw_penalty, score, weights)
                then = match_regrets(second, SECOND_ROUND_ITERATIONS, np.zeros(len(mine)), np.zeros(len(mine)))
                payoffs[i, j] = later * then + (1 - later) * payoffs[i, j]
    return payoffs


# Random actions


@kernel
def random_actions(states: Any, at: int, log: Any, me: int, dice: Any, count: int) -> Any:
    """Draw actions with a command for every piece, staying included, all equally likely."""
    reach, found = measure(states, at, me, log), np.zeros(count, np.int64)
    for place in range(count):
        for piece in range(states[at].pieces):
            left = roll(dice, 1 + reach[piece].sum())
            for direction in range(4):
                if 0 < left <= reach[piece, direction]:
                    found[place] |= command(piece, direction, left)
                left -= reach[piece, direction]
    return found


@kernel
def random_steps(pieces: int, dice: Any) -> int:
    """Draw a direction and a distance up to LONGEST_STEP for every piece."""
    action = 0
    for piece in range(pieces):
        action |= command(piece, roll(dice, 4), 1 + roll(dice, LONGEST_STEP))
    return action


@kernel
def sample_maximin(
    states: Any, at: int, log: Any, me: int, dice: Any, own: int, others: int, score: Any, weights: Any
) -> Any:
    """Draw own actions, each with enemy actions. Returns own actions, the enemy's best replies, and the scores."""
    actions, replies, worst = np.zeros(own, np.int64), np.zeros(own, np.int64), np.zeros(own)
    for i in range(own):
        actions[i] = random_steps(states[at].pieces, dice)
        most = -np.inf
        for _ in range(others):
            reply = random_steps(states[at].pieces, dice)
            play_one(states, at, log, me, actions[i], reply)
            value = score(states[at + 1], 1 - me, weights)
            if value > most:
                most, replies[i] = value, reply
                worst[i] = score(states[at + 1], me, weights)
    return actions, replies, worst


# From Python


@cache
def signatures() -> dict[Any, Any]:
    """The signature of each loop. A loop is compiled, or found in the cache, at its first call."""
    whole, real, dice = types.int64, types.float64, record_type(Dice)
    position = (types.Array(record_type(State), 1, "C"), whole, record_type(Round), whole)
    wholes, reals, matrix = types.int64[::1], types.float64[::1], types.float64[:, ::1]
    judge = (types.FunctionType(heuristic_signature(State)), record_type(Weights))
    climbed, sampled = types.Tuple((whole, real, whole)), types.Tuple((wholes, wholes, reals))
    return {
        score_alone: types.float64[:, :, ::1](*position, whole, whole, *judge),
        score_pairs: matrix(*position, wholes, wholes, real, *judge),
        score_two_rounds: matrix(*position, wholes, wholes, real, *judge),
        climb: climbed(*position, whole, wholes, reals, whole, *judge),
        random_actions: wholes(*position, dice, whole),
        sample_maximin: sampled(*position, dice, whole, whole, *judge),
    }


class BestResponse(NamedTuple):
    action: int
    value: float


class Simulation:
    """Rounds from one position, scored by a heuristic. It counts them, and knows when it began."""

    def __init__(self, state: Any, judge: BoundHeuristic) -> None:
        self._stack, self._log = workspace(State, 3), record(Round)
        self._stack[0] = without_last_round(state)
        self._judge = (judge.score, judge.weights)
        self.state, self.pieces = state, int(state.pieces)
        self.simulated, self.started = 0, time.perf_counter()

    def _run(self, loop: Any, me: int, *given: Any) -> Any:
        return entry(loop, signatures()[loop])(self._stack, 0, self._log, me, *given)

    def now(self, me: int) -> float:
        """The score of the position itself, whatever the last round did."""
        score, weights = self._judge
        return float(score(self._stack[0], me, weights))

    def alone(self, me: int, other: int, base: int = STAY) -> Floats:
        """The score of each command of each piece against an enemy action, by piece, direction and distance less
        one; minus infinity beyond its reach."""
        values: Floats = self._run(score_alone, me, base, other, *self._judge)
        self.simulated += int(np.isfinite(values).sum())
        return values

    def payoffs(self, me: int, own: Any, others: Any, plies: int = 1, draw_penalty: float = 0.0) -> Floats:
        """The score of every action against every enemy action."""
        rows, columns = np.asarray(own, np.int64), np.asarray(others, np.int64)
        loop = score_pairs if plies == 1 else score_two_rounds
        payoffs: Floats = self._run(loop, me, rows, columns, draw_penalty, *self._judge)
        self.simulated += payoffs.size
        return payoffs

    def after(self, me: int, own: int, other: int) -> float:
        return float(self.payoffs(me, [own], [other])[0, 0])

    def best_response(self, me: int, others: Any, odds: Any = (1.0,), start: int = STAY) -> BestResponse:
        """The best action that is found against a mix of enemy actions, by improving one piece at a time."""
        actions, likely = np.asarray(others, np.int64), np.asarray(odds, np.float64)
        action, value, tried = self._run(climb, me, start, actions, likely, MOST_SWEEPS, *self._judge)
        self.simulated += int(tried) * int(np.count_nonzero(likely))
        return BestResponse(int(action), float(value))

    def random_actions(self, me: int, dice: Any, count: int) -> list[int]:
        return self._run(random_actions, me, dice, count).tolist()

    def maximin(self, me: int, dice: Any, own: int, others: int) -> tuple[list[int], list[int], list[float]]:
        """Random own actions, for each the enemy's best of some random actions, and the scores of these pairs."""
        self.simulated += own * others
        actions, replies, worst = self._run(sample_maximin, me, dice, own, others, *self._judge)
        return actions.tolist(), replies.tolist(), worst.tolist()
