"""Rounds tried out: what commands of both sides lead to, by the hundred and in compiled loops.

All of them play whole rounds by `play_round`, so that what is predicted is what comes, if the other does what it is
believed to do.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from sparring.core.dice import Dice, roll
from sparring.core.kernel import Weights, entry, heuristic_signature, kernel, record_type, workspace
from sparring.core.terms import Judge
from sparring.games.flagwar.board import settled
from sparring.games.flagwar.rules import flag_at_home, living, measure_reach, over, play_round
from sparring.games.flagwar.state import (
    COMMAND_BITS,
    DISTANCE_BITS,
    LONGEST,
    MOST_PIECES,
    NOBODY,
    ONE_PIECE,
    STAY,
    A,
    B,
    Round,
    State,
)
from sparring.search.matrix import match_regrets

Floats = npt.NDArray[np.float64]
Actions = npt.NDArray[np.int64]
LEVELS, ROUNDS_OF_REGRET = 4, 30
"""How a position two rounds ahead is looked at: so many commands of each side, and how long it regrets them."""
LATER, WITH_A_FLAG_OUT = 0.95, 0.3
"""How much of a position's worth is what the round to come makes of it; the rest is what it is already. Or else who can
win or catch somebody now might as well do it next time, for ever. While a flag is on its way there is less time."""
ALONE = 0.2
"""Of a draw, what it is like to be one against one, since that mostly ends in a draw."""


@kernel
def command(piece: int, direction: int, far: int) -> int:
    """An action in which one piece goes far + 1 cells."""
    return (direction << DISTANCE_BITS | far + 1) << COMMAND_BITS * piece


@kernel
def told_anew(action: int, piece: int, direction: int, far: int) -> int:
    """The same action, but for what one piece does."""
    return action & ~(ONE_PIECE << COMMAND_BITS * piece) | command(piece, direction, far)


@kernel
def play_one(states: Any, at: int, log: Any, me: int, own: int, other: int) -> None:
    """One round, from a place of the stack to the next."""
    states[at + 1] = states[at]
    if me == A:
        play_round(states[at + 1], own, other, log)
    else:
        play_round(states[at + 1], other, own, log)


@kernel
def measure(states: Any, at: int, side: int, log: Any, reach: Any) -> None:
    states[at + 1] = states[at]
    measure_reach(states[at + 1], side, log, reach)


# One round ahead


@kernel
def worth(
    states: Any, at: int, log: Any, me: int, own: int, others: Any, likely: Any, judge: Any, weights: Any
) -> float:
    """What an action is worth on average against several of the other side, each as likely as said."""
    total = 0.0
    for place in range(len(others)):
        if likely[place] > 0.0:
            play_one(states, at, log, me, own, others[place])
            total += likely[place] * judge(states[at + 1], me, weights)
    return total


@kernel
def try_alone(states: Any, logs: Any, me: int, base: int, other: int, judge: Any, weights: Any, values: Any) -> int:
    """What every command of every piece is worth while the others of its side do as they are told in `base`:
    by piece, direction and distance less one, minus infinity beyond its reach. Returns how many there are."""
    log, count = logs[0], 0
    reach = np.zeros((MOST_PIECES, 4), np.int64)
    measure(states, 0, me, log, reach)
    for piece in range(states[0].pieces):
        for direction in range(4):
            for far in range(LONGEST):
                values[piece, direction, far] = -np.inf
                if far < reach[piece, direction]:
                    play_one(states, 0, log, me, told_anew(base, piece, direction, far), other)
                    values[piece, direction, far] = judge(states[1], me, weights)
                    count += 1
    return count


@kernel
def climb(
    states: Any, at: int, log: Any, me: int, start: int, others: Any, likely: Any, sweeps: int, judge: Any, weights: Any
) -> tuple[int, float, int]:
    """Coordinate ascent: each piece in turn takes its best command while the others keep theirs, until none has a
    better one. The action, what it is worth, and how many were tried."""
    reach = np.zeros((MOST_PIECES, 4), np.int64)
    measure(states, at, me, log, reach)
    best, most, count = start, worth(states, at, log, me, start, others, likely, judge, weights), 1
    for _ in range(sweeps):
        before = best
        for piece in range(states[at].pieces):
            kept = best
            for direction in range(4):
                for far in range(-1 if direction == 0 else 0, reach[piece, direction]):
                    tried = kept & ~(ONE_PIECE << COMMAND_BITS * piece)
                    if far >= 0:
                        tried |= command(piece, direction, far)
                    value = worth(states, at, log, me, tried, others, likely, judge, weights)
                    count += 1
                    if value > most:
                        best, most = tried, value
        if best == before:
            break
    return best, most, count


@kernel
def appraised(s: Any, me: int, unwanted: float, judge: Any, weights: Any) -> float:
    """What a position is worth to somebody who does not want a draw."""
    value = judge(s, me, weights)
    if over(s):
        return value - (unwanted if s.winner == NOBODY else 0.0)  # type: ignore[no-any-return]
    return value - (ALONE * unwanted if living(s, A) == 1 == living(s, B) else 0.0)  # type: ignore[no-any-return]


@kernel
def play_all(
    states: Any,
    at: int,
    log: Any,
    me: int,
    own: Any,
    others: Any,
    unwanted: float,
    judge: Any,
    weights: Any,
    payoffs: Any,
) -> None:
    """What every pair of actions is worth one round ahead."""
    for i in range(len(own)):
        for j in range(len(others)):
            play_one(states, at, log, me, own[i], others[j])
            payoffs[i, j] = appraised(states[at + 1], me, unwanted, judge, weights)


@kernel
def trade_answers(states: Any, at: int, log: Any, me: int, own: Any, others: Any, judge: Any, weights: Any) -> int:
    """Each side answers what the other has answered, again and again from both sides' first. Returns how many commands
    were tried for it."""
    certain, count = np.ones(1), 0
    for level in range(1, len(own)):
        last = level - 1
        own[level], _, tried = climb(states, at, log, me, own[last], others[last:level], certain, 1, judge, weights)
        others[level], _, more = climb(
            states, at, log, 1 - me, others[last], own[last:level], certain, 1, judge, weights
        )
        count += tried + more
    return count


# Two rounds ahead


@kernel
def prospects(states: Any, at: int, log: Any, me: int, later: float, unwanted: float, judge: Any, weights: Any) -> Any:
    """What a position is worth with the round to come: each side answers what the other has answered, some times over,
    and these few commands of both are a matrix game."""
    now = appraised(states[at], me, unwanted, judge, weights)
    if over(states[at]):
        return now
    own, others = np.zeros(LEVELS, np.int64), np.zeros(LEVELS, np.int64)
    trade_answers(states, at, log, me, own, others, judge, weights)
    payoffs = np.zeros((LEVELS, LEVELS))
    play_all(states, at, log, me, own, others, unwanted, judge, weights, payoffs)
    then = match_regrets(payoffs, ROUNDS_OF_REGRET, np.zeros(LEVELS), np.zeros(LEVELS))
    return later * then + (1 - later) * now


@kernel
def fill_payoffs(
    states: Any,
    logs: Any,
    me: int,
    own: Any,
    others: Any,
    plies: int,
    unwanted: float,
    judge: Any,
    weights: Any,
    payoffs: Any,
) -> None:
    """What every action is worth against every action of the other side, one round ahead or two."""
    log = logs[0]
    if plies == 1:
        play_all(states, 0, log, me, own, others, unwanted, judge, weights, payoffs)
        return
    later = LATER if flag_at_home(states[0], A) and flag_at_home(states[0], B) else WITH_A_FLAG_OUT
    for i in range(len(own)):
        for j in range(len(others)):
            play_one(states, 0, log, me, own[i], others[j])
            payoffs[i, j] = prospects(states, 1, log, me, later, unwanted, judge, weights)


@kernel
def answer(
    states: Any, logs: Any, me: int, start: int, others: Any, likely: Any, sweeps: int, judge: Any, weights: Any
) -> tuple[int, float, int]:
    return climb(states, 0, logs[0], me, start, others, likely, sweeps, judge, weights)


# By chance


@kernel
def draw_actions(states: Any, logs: Any, me: int, dice: Any, drawn: Any) -> None:
    """Any command for every piece, staying among them."""
    reach = np.zeros((MOST_PIECES, 4), np.int64)
    measure(states, 0, me, logs[0], reach)
    for place in range(len(drawn)):
        drawn[place] = 0
        for piece in range(states[0].pieces):
            left = roll(dice, 1 + reach[piece].sum())
            for direction in range(4):
                if 0 < left <= reach[piece, direction]:
                    drawn[place] |= command(piece, direction, left - 1)
                left -= reach[piece, direction]


@kernel
def any_steps(pieces: int, longest: int, dice: Any) -> int:
    """Every piece somewhere, but none stays."""
    action = 0
    for piece in range(pieces):
        action |= command(piece, roll(dice, 4), roll(dice, longest))
    return action


@kernel
def sample_maximin(
    states: Any,
    logs: Any,
    me: int,
    dice: Any,
    others: int,
    longest: int,
    judge: Any,
    weights: Any,
    own: Any,
    replies: Any,
    worst: Any,
) -> None:
    """Draw actions, and for each of them as many of the other side's: the one that is best for the other counts."""
    for i in range(len(own)):
        own[i] = any_steps(states[0].pieces, longest, dice)
        most = -np.inf
        for _ in range(others):
            reply = any_steps(states[0].pieces, longest, dice)
            play_one(states, 0, logs[0], me, own[i], reply)
            value = judge(states[1], 1 - me, weights)
            if value > most:
                most, replies[i] = value, reply
                worst[i] = judge(states[1], me, weights)


# From Python


@cache
def compiled() -> dict[str, Any]:
    """The loops, each compiled when this is first asked for, or found in the cache."""
    stack, logs = types.Array(record_type(State), 1, "C"), types.Array(record_type(Round), 1, "C")
    whole, real, dice = types.int64, types.float64, record_type(Dice)
    wholes, reals, weights = types.int64[::1], types.float64[::1], record_type(Weights)
    judge = types.FunctionType(heuristic_signature(State))
    found = types.Tuple((whole, real, whole))
    matrix = types.float64[:, ::1]
    signatures = {
        try_alone: whole(stack, logs, whole, whole, whole, judge, weights, types.float64[:, :, ::1]),
        fill_payoffs: types.void(stack, logs, whole, wholes, wholes, whole, real, judge, weights, matrix),
        answer: found(stack, logs, whole, whole, wholes, reals, whole, judge, weights),
        draw_actions: types.void(stack, logs, whole, dice, wholes),
        sample_maximin: types.void(stack, logs, whole, dice, whole, whole, judge, weights, wholes, wholes, reals),
    }
    return {kernel.__name__: entry(kernel, signature) for kernel, signature in signatures.items()}


class Answer(NamedTuple):
    action: int
    value: float


class Simulation:
    """Rounds that one position may lead to, judged by a heuristic. `tried` counts them."""

    def __init__(self, state: Any, judge: Judge) -> None:
        self._stack, self._logs = workspace(State, 3), workspace(Round, 1)
        self._stack[0] = settled(state)
        self._judge = (judge.score, judge.weights)
        self._run = compiled()
        self.pieces = int(state.pieces)
        self.tried = 0

    def now(self, me: int) -> float:
        """What the position itself is worth, whatever the last round did."""
        score, weights = self._judge
        return float(score(self._stack[0], me, weights))

    def alone(self, me: int, other: int, base: int = STAY) -> Floats:
        """What each command of each piece is worth against an action of the other side, by piece, direction and
        distance less one."""
        values = np.zeros((self.pieces, 4, LONGEST))
        self.tried += self._run["try_alone"](self._stack, self._logs, me, base, other, *self._judge, values)
        return values

    def payoffs(self, me: int, own: Any, others: Any, plies: int = 1, unwanted: float = 0.0) -> Floats:
        """What every action is worth against every action of the other side. A draw is worth so many points less than
        nothing where it is unwanted."""
        rows, columns = np.asarray(own, np.int64), np.asarray(others, np.int64)
        payoffs = np.zeros((len(rows), len(columns)))
        self._run["fill_payoffs"](self._stack, self._logs, me, rows, columns, plies, unwanted, *self._judge, payoffs)
        self.tried += payoffs.size
        return payoffs

    def after(self, me: int, own: int, other: int) -> float:
        return float(self.payoffs(me, [own], [other])[0, 0])

    def answer(self, me: int, others: Any, likely: Any = (1.0,), start: int = STAY, sweeps: int = 8) -> Answer:
        """The best action that is found against a mix of the other side's, by improving a piece at a time."""
        actions, chances = np.asarray(others, np.int64), np.asarray(likely, np.float64)
        action, value, tried = self._run["answer"](
            self._stack, self._logs, me, start, actions, chances, sweeps, *self._judge
        )
        self.tried += int(tried) * int(np.count_nonzero(chances))
        return Answer(int(action), float(value))

    def drawn(self, me: int, dice: Any, count: int) -> Actions:
        actions = np.zeros(count, np.int64)
        self._run["draw_actions"](self._stack, self._logs, me, dice, actions)
        return actions

    def maximin(self, me: int, dice: Any, own: int, others: int, longest: int) -> tuple[Actions, Actions, Floats]:
        """Drawn actions, of those drawn against each the other side's best, and what comes of it."""
        actions, replies, worst = np.zeros(own, np.int64), np.zeros(own, np.int64), np.zeros(own)
        drawn = actions, replies, worst
        self._run["sample_maximin"](self._stack, self._logs, me, dice, others, longest, *self._judge, *drawn)
        self.tried += own * others
        return drawn
