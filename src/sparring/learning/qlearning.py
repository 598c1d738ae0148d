# mypy: disable-error-code="no-any-return"
"""Tabular Q-learning for Ludo: whole games of learning in one compiled loop.

A learner decides, and then much happens before it decides again: its own forced moves, the moves of all others, perhaps
a capture of its tokens. All of that is the reward of the decision. The update goes from one decision of a player to the
next decision of the same player:

    Q(s, a) += alpha * (reward + gamma * max Q(s', a') - Q(s, a))

and at the end of the game there is no s'. A move to which there is no alternative is no decision.
"""

from typing import Any

import numpy as np
from numba import types

from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll, sow
from sparring.core.kernel import Weights, entry, heuristic_signature, kernel, record_type
from sparring.games.ludo.features import (
    ALL_CLASSES,
    REAL_MOVE,
    SEES_BACK,
    SEES_EXIT,
    SEES_SUICIDE,
    move_seen,
    observe,
    place_of,
    potential_of,
    row_of,
)
from sparring.games.ludo.heuristics import stolen, tokens_home
from sparring.games.ludo.rules import legal, move_token, mover, play, roll_on, steps_walked
from sparring.games.ludo.state import State
from sparring.search.tree import NO_LIMIT, Frame, Walk, begin, shuffled, step_signature

Schedule = np.dtype([("first", np.float64), ("factor", np.float64), ("last", np.float64)], align=True)
"""A number that changes from game to game: by a factor each, not beyond the last; or, where the factor is 0, evenly
from the first to the last."""

Rewards = np.dtype(
    [
        ("move", np.float64, (3, ALL_CLASSES)),  # by context and class of the true move
        ("death", np.float64, (3,)),  # an own token is captured; by context
        ("step", np.float64),  # each own step forward, less those lost
        ("out", np.float64),  # each own token that leaves home, less those sent back
        ("stolen", np.float64),  # each step taken from others
        ("win", np.float64),
        ("loss", np.float64),
    ],
    align=True,
)

Lesson = np.dtype(
    [
        ("kind", np.int64),
        ("fixes", np.int64),
        ("gamma", np.float64),
        ("alpha", Schedule),
        ("averages", np.int64),  # whether alpha is 1/n at the n-th visit, and as scheduled only once that is less
        ("epsilon", Schedule),
        ("rewards", Rewards),
        ("by_class", np.int64),  # whether moves are rewarded by their class
        ("self_play", np.int64),  # whether all seats learn, or one
        ("games", np.int64),  # in all, over which schedules run
        ("seed", np.int64),
        ("played", np.int64),  # games so far
        ("decided", np.int64),  # decisions so far
    ],
    align=True,
)
"""What is learned, how, and how far it has come."""

Pupil = np.dtype(
    [
        ("waiting", np.int64),  # whether there is a decision that has not been settled
        ("row", np.int64),  # of the state in which it was taken
        ("place", np.int64),  # of the token that it moved
        ("context", np.int64),
        ("reward", np.float64),  # so far
        ("steps", np.int64),  # of all tokens when it was last reckoned
        ("home", np.int64),  # tokens there at that time
    ],
    align=True,
)
"""A seat's last decision, and what its reward is reckoned from."""

TRUE_MOVE = REAL_MOVE | SEES_SUICIDE | SEES_BACK | SEES_EXIT
FINE = 1 << 24


@kernel
def scheduled(schedule: Any, game: int, games: int) -> float:
    if schedule.factor:
        return max(schedule.last, schedule.first * schedule.factor**game)
    return schedule.first + (schedule.last - schedule.first) * game / games


@kernel
def settle(table: Any, visits: Any, pupil: Any, averages: int, alpha: float, future: float) -> None:
    """The update, once it is known what a decision has led to."""
    if pupil.waiting and (averages or alpha):
        row, place = pupil.row, pupil.place
        visits[row, place] += 1
        if averages:
            alpha = max(alpha, 1 / visits[row, place])
        known = float(table[row, place])
        table[row, place] = known + alpha * (pupil.reward + future - known)
    pupil.waiting = 0


@kernel
def decide(
    states: Any,
    moves: int,
    lesson: Any,
    table: Any,
    visits: Any,
    pupil: Any,
    dice: Any,
    alpha: float,
    epsilon: float,
) -> tuple[int, bool]:
    """The best move by the table, any of them if some are equal, or with a chance of epsilon any move at all; and
    whether there was anything to decide."""
    if moves & (moves - 1) == 0:
        return lowest(moves), False
    sight = observe(states, lesson.kind, lesson.fixes)
    row = row_of(sight, lesson.kind, lesson.fixes)
    best, token, equals = 0.0, -1, 0
    for other in range(4):
        if moves >> other & 1:
            value = float(table[row, place_of(sight, other, lesson.fixes)])
            if token < 0 or value > best:
                best, token, equals = value, other, 1
            elif value == best:
                equals += 1
                if roll(dice, equals) == 0:
                    token = other
    settle(table, visits, pupil, lesson.averages, alpha, lesson.gamma * best)
    if roll(dice, FINE) < epsilon * FINE:
        token = shuffled(moves, dice)
    pupil.waiting = 1
    pupil.row = row
    pupil.place = place_of(sight, token, lesson.fixes)
    pupil.context = sight.context % 3
    pupil.reward = 0.0
    return token, True


@kernel
def reckon(s: Any, rewards: Any, pupil: Any, seat: int) -> int:
    """Pay for the steps and the tokens that a player has gained or lost since it was last reckoned. Returns how many
    more tokens are at home."""
    steps, home = steps_walked(s, seat), tokens_home(s, seat)
    back = home - pupil.home
    pupil.reward += rewards.step * (steps - pupil.steps) - rewards.out * back
    pupil.steps, pupil.home = steps, home
    return back


@kernel
def reckon_others(s: Any, rewards: Any, pupil: Any, seat: int) -> None:
    """What the others have done to a player since its own last move."""
    captured = reckon(s, rewards, pupil, seat)
    pupil.reward += rewards.death[pupil.context] * captured


@kernel
def reckon_own(s: Any, after: Any, lesson: Any, pupil: Any, seat: int, token: int) -> None:
    """What the player's own move is worth."""
    reckon(after, lesson.rewards, pupil, seat)
    pupil.reward += lesson.rewards.stolen * stolen(s, after, seat)
    if lesson.by_class:
        done = potential_of(s, after, move_seen(s, token, 0), TRUE_MOVE)
        pupil.reward += lesson.rewards.move[pupil.context, done]


@kernel
def study(
    last: int,
    lesson: Any,
    table: Any,
    visits: Any,
    start: Any,
    states: Any,
    pupils: Any,
    dice: Any,
    walk: Any,
    frames: Any,
    foil: Any,
    foil_score: Any,
    foil_weights: Any,
) -> int:
    """Play on to a number of games and learn from them. The pupil's seat changes from game to game; foils sit in the
    others, or pupils too. Returns how many of the games the pupil has won.

    A game's dice follow from seed and number, so it does not matter how the games are divided into calls. Where alpha
    is 0, and there are no averages, nothing is learned: so a table is tried out.
    """
    won = 0
    for game in range(lesson.played, last):
        hero = game % start.players
        alpha = scheduled(lesson.alpha, game, lesson.games)
        epsilon = scheduled(lesson.epsilon, game, lesson.games)
        for own in range(3):
            sow(dice[own], lesson.seed, 3 * game + own)
        for seat in range(start.players):
            pupils[seat].steps = 0
            pupils[seat].home = start.tokens
        states[0] = start
        roll_on(states[0], dice[0])
        moves = legal(states[0])
        while moves:
            me = mover(states[0])
            if lesson.self_play or me == hero:
                reckon_others(states[0], lesson.rewards, pupils[me], me)
                token, decided = decide(states, moves, lesson, table, visits, pupils[me], dice[1], alpha, epsilon)
                lesson.decided += decided
                states[1] = states[0]
                move_token(states[0], token)
                reckon_own(states[1], states[0], lesson, pupils[me], me, token)
                roll_on(states[0], dice[0])
            else:
                begin(walk, me, walk.max_nodes, walk.max_depth)
                foil(walk, states, frames, foil_score, foil_weights, dice[2], NO_LIMIT >> 1)
                play(states[0], int(walk.line[0]), dice[0])
            moves = legal(states[0])
        won += states[0].place[hero] == 1
        for seat in range(start.players):
            reckon_others(states[0], lesson.rewards, pupils[seat], seat)
            pupils[seat].reward += lesson.rewards.win if states[0].place[seat] == 1 else lesson.rewards.loss
            settle(table, visits, pupils[seat], lesson.averages, alpha, 0.0)
        lesson.played = game + 1
    return won


def compiled_study() -> Any:
    state = record_type(State)
    signature = types.int64(
        types.int64,
        record_type(Lesson),
        types.float32[:, ::1],
        types.uint32[:, ::1],
        state,
        types.Array(state, 1, "C"),
        types.Array(record_type(Pupil), 1, "C"),
        types.Array(record_type(Dice), 1, "C"),
        record_type(Walk),
        types.Array(record_type(Frame), 1, "C"),
        types.FunctionType(step_signature(State)),
        types.FunctionType(heuristic_signature(State)),
        record_type(Weights),
    )
    return entry(study, signature)
