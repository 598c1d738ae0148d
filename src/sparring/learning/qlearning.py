# mypy: disable-error-code="no-any-return"
"""Tabular Q-learning for any game with an encoder of states: whole games of learning in one compiled loop.

A learner decides, and then much happens before it decides again: its own forced moves, the moves of all others, perhaps
chance. All of that is the reward of the decision. The update goes from one decision of a player to the next decision of
the same player:

    Q(s, a) += alpha * (reward + gamma * max Q(s', a') - Q(s, a))

and at the end of the game there is no s'. A move to which there is no alternative is no decision.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from sparring.agents.learned import LearnedFile
from sparring.agents.spec import agent
from sparring.agents.tables import MEMORY, packed, unpacked
from sparring.core import defaults
from sparring.core.amounts import number_of, setting
from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll, sow
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import Weights, bind, heuristic_signature, kernel, record, record_type, records
from sparring.games.capabilities import StateEncoders, needed
from sparring.games.contract import Game
from sparring.games.kernels import alone
from sparring.learning.course import TRIAL_SEED, Learner, openings, refuse_at_once
from sparring.learning.schedule import Schedule, schedule, scheduled
from sparring.search.tree import MAX_PLIES, NO_LIMIT, begin, tree_of

SELF = "self"
AVERAGES = "1/n:"
"""An alpha that begins like this takes the mean of what was found, as long as 1/n is more than what follows."""
FINE = 1 << 24
MUCH_LESS, HALVES = 16.0, 0.5

QTraining = np.dtype(
    [
        ("code", np.int64),  # of the encoder
        ("players", np.int64),
        ("gamma", np.float64),
        ("alpha", Schedule),
        ("averages", np.int64),  # whether alpha is 1/n at the n-th visit, and as scheduled only once that is less
        ("epsilon", Schedule),
        ("self_play", np.int64),  # whether all players learn, or one
        ("games", np.int64),  # in all, over which schedules run
        ("seed", np.int64),
        ("done", np.int64),  # games so far
        ("decided", np.int64),  # decisions so far
    ],
    align=True,
)
"""The settings as compiled code takes them, and how far it has come."""

Pending = np.dtype(
    [
        ("waiting", np.int64),  # whether there is a decision that has not been learned from
        ("row", np.int64),
        ("column", np.int64),
        ("reward", np.float64),  # so far
        ("memory", np.int64, (MEMORY,)),  # of the game's rewards
    ],
    align=True,
)
"""A player's last decision."""

actions: Any
apply: Any
settle: Any
reward: Any
encode: Any
decide: Any
pay_own: Any
pay_others: Any
pay_end: Any


@kernel
def update(values: Any, visits: Any, pending: Any, averages: int, alpha: float, future: float) -> None:
    """Learn from a decision, once it is known what it has led to."""
    if pending.waiting and (averages or alpha):
        row, column = pending.row, pending.column
        visits[row, column] += 1
        if averages:
            alpha = max(alpha, 1 / visits[row, column])
        known = float(values[row, column])
        values[row, column] = known + alpha * (pending.reward + future - known)
    pending.waiting = 0


def decide_by_table(
    states: Any,
    training: Any,
    values: Any,
    visits: Any,
    pending: Any,
    found: Any,
    columns: Any,
    count: int,
    dice: Any,
    alpha: float,
    epsilon: float,
) -> int:
    """Learn from the last decision, and take the best action by the table, any of them if some are equal, or with a
    chance of epsilon any action at all. Returns its place among those found."""
    row = encode(states, training.code, found, count, columns, pending.memory)
    best, chosen, equals = 0.0, -1, 0
    for place in range(count):
        value = float(values[row, columns[place]])
        if chosen < 0 or value > best:
            best, chosen, equals = value, place, 1
        elif value == best:
            equals += 1
            if roll(dice, equals) == 0:
                chosen = place
    update(values, visits, pending, training.averages, alpha, training.gamma * best)
    if roll(dice, FINE) < epsilon * FINE:
        chosen = roll(dice, count)
    pending.waiting = 1
    pending.row = row
    pending.column = columns[chosen]
    pending.reward = 0.0
    return chosen


def play_games(
    last: int,
    training: Any,
    rewards: Any,
    values: Any,
    visits: Any,
    starts: Any,
    states: Any,
    pending: Any,
    found: Any,
    columns: Any,
    dice: Any,
    walk: Any,
    frames: Any,
    other: Any,
    other_score: Any,
    other_weights: Any,
) -> int:
    """Play on to a number of games and learn from them. The learner's seat changes from game to game; others sit in the
    other seats, or learners too. Returns how many of the games the learner has won.

    A game's dice follow from seed and number, so it does not matter how the games are divided into calls. Where alpha
    is 0, and there are no averages, nothing is learned: so a table is tried out.
    """
    won = 0
    for game in range(training.done, last):
        hero = game % training.players
        alpha = scheduled(training.alpha, game, training.games)
        epsilon = scheduled(training.epsilon, game, training.games)
        for own in range(3):
            sow(dice[own], training.seed, 3 * game + own)
        for seat in range(training.players):
            pending[seat].memory[:] = 0
        states[0] = starts[game % len(starts)]
        acting = settle(states[0], dice[0])
        while acting:
            me = lowest(acting)
            if training.self_play or me == hero:
                pay_others(states[0], me, rewards, pending[me])
                count, chosen = actions(states[0], me, found), 0
                if count > 1:
                    chosen = decide(
                        states, training, values, visits, pending[me], found, columns, count, dice[1], alpha, epsilon
                    )
                    training.decided += 1
                states[1] = states[0]
                apply(states[0], alone(found[chosen]))
                pay_own(states[1], states[0], me, found[chosen], rewards, pending[me])
            else:
                begin(walk, me, walk.max_nodes, walk.max_depth)
                other(walk, states, frames, other_score, other_weights, dice[2], NO_LIMIT >> 1)
                apply(states[0], alone(int(walk.line[0])))
            acting = settle(states[0], dice[0])
        won += reward(states[0], hero) >= 1
        for seat in range(training.players):
            pay_end(states[0], seat, rewards, pending[seat])
            update(values, visits, pending[seat], training.averages, alpha, 0.0)
        training.done = game + 1
    return won


# Without rewards of its own a game pays its result


RESULTS = {"result": np.ones(1, [("result", np.float64)])[0]}


def pay_no_move(s: Any, after: Any, player: int, action: int, rewards: Any, pending: Any) -> None:
    pass


def pay_nothing(s: Any, player: int, rewards: Any, pending: Any) -> None:
    pass


def pay_result(s: Any, player: int, rewards: Any, pending: Any) -> None:
    pending.reward += rewards.result * reward(s, player)


@dataclass(frozen=True)
class QSettings:
    """The settings of Q-learning as texts and numbers; a state or reward that is not given is the game's usual one."""

    state: str = ""
    games: int = 200_000
    against: str = "random"
    reward: str = ""
    gamma: float = 0.2
    alpha: str = "1/n:0.001"
    epsilon: str = "0.1"
    seed: int = defaults.SEED
    trial_games: int = 4_000

    def __post_init__(self) -> None:
        for name in ("state", "against", "reward", "alpha", "epsilon"):
            object.__setattr__(self, name, str(getattr(self, name)))
        for name in ("games", "trial_games", "seed"):
            object.__setattr__(self, name, setting(name, getattr(self, name)))
        object.__setattr__(self, "gamma", number_of("gamma", str(self.gamma)))
        if not 0 <= self.gamma <= 1:
            raise SparringError(f"gamma must be from 0 to 1, not {self.gamma}")
        schedule("alpha", self.alpha.removeprefix(AVERAGES))
        schedule("epsilon", self.epsilon)

    def fitted(self, game: Game) -> "QSettings":
        """The same for a game, with its usual state and reward where none is given."""
        encoders = needed(game, StateEncoders)
        refuse_at_once(game)
        known = encoders.rewards or RESULTS
        if self.reward and self.reward not in known:
            raise unknown("reward", self.reward, known)
        encoders.encoder(self.state or encoders.usual)
        return replace(self, state=self.state or encoders.usual, reward=self.reward or next(iter(known)))


class QLearner(Learner):
    """A table of Q-values that learns against agents or against itself."""

    def __init__(self, game: Game, given: QSettings) -> None:
        super().__init__()
        self.game, self.given, encoders = game, given.fitted(game), needed(game, StateEncoders)
        self.encoder = encoders.encoder(self.given.state)
        self.title = f"{self.given.state} learned against {given.against}"
        self.values = np.zeros((self.encoder.states, encoders.columns), np.float32)
        self.visits = np.zeros((self.encoder.states, encoders.columns), np.uint32)
        self.training = self._training()
        self._games = self._seated("random" if given.against == SELF else given.against, given.seed)

    def _training(self) -> Any:
        training, given = record(QTraining), self.given
        training.code, training.players = self.encoder.code, self.game.seats
        training.gamma, training.games, training.seed = given.gamma, given.games, given.seed
        training.self_play = given.against == SELF
        training.averages = given.alpha.startswith(AVERAGES)
        training.alpha = schedule("alpha", given.alpha.removeprefix(AVERAGES))
        training.epsilon = schedule("epsilon", given.epsilon)
        return training

    def _seated(self, other: str, seed: int) -> Callable[[int, Any], int]:
        """The compiled loop with all that it needs to play against an agent."""
        game, encoders = self.game, needed(self.game, StateEncoders)
        rewards = (encoders.rewards or RESULTS)[self.given.reward]
        automaton = agent(game, other).automaton(game)
        if automaton is None:
            raise SparringError(f"{other} cannot be learned against, for it is not compiled; try random or {SELF}")
        tree, widest = tree_of(game), game.kernels.widest
        assert tree
        walk = record(tree.walk)
        walk.max_nodes, walk.max_depth = automaton.most_nodes, automaton.most_plies
        loop = compiled_loop(game, encoders, rewards)
        memory = (
            *(openings(game, seed), records(game.state, MAX_PLIES)),
            *(records(Pending, game.seats), np.empty(widest, np.int64), np.empty(widest, np.int64)),
            *(
                records(Dice, 3),
                walk,
                records(tree.frame, MAX_PLIES),
                automaton.step,
                automaton.score,
                automaton.weights,
            ),
        )
        return lambda last, training: int(loop(last, training, rewards, self.values, self.visits, *memory))

    @cached_property
    def _trial_games(self) -> Callable[[int, Any], int]:
        return self._seated("random", TRIAL_SEED)

    def play(self, last: int) -> None:
        self._games(last, self.training)

    def won(self, games: int) -> int:
        training = self._training()
        training.alpha, training.epsilon = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        training.averages, training.self_play, training.seed, training.games = 0, 0, TRIAL_SEED, games
        return self._trial_games(games, training)

    def rows(self, visits: int = 1) -> Any:
        """The states that were visited so often."""
        return np.flatnonzero(self.visits.sum(axis=1) >= visits)

    def numbers(self) -> Mapping[str, Any]:
        rows = self.rows()
        return packed(rows, self.values[rows], self.visits[rows])

    def restore(self, numbers: Mapping[str, Any]) -> None:
        rows, values, visits = unpacked(numbers)
        self.values[rows], self.visits[rows] = values, visits

    def save_slim(self, file: Path, visits: int) -> None:
        """Save what is needed to play, of states with a choice that were visited so often: how much less than the best
        each action is worth, in halves, and about how many visits there were. No learning can go on from it."""
        tried = self.visits > 0
        rows = np.intersect1d(self.rows(visits), np.flatnonzero(tried.sum(axis=1) > 1))
        values = np.where(tried[rows], self.values[rows], -np.inf)
        less = np.maximum(values - values.max(axis=1, keepdims=True), -MUCH_LESS)
        about = np.zeros_like(self.visits[rows])
        about[:, 0] = 2 ** np.round(np.log2(self.visits[rows].sum(axis=1)))
        numbers = packed(rows, np.round(less / HALVES).astype(np.int8), about, HALVES)
        LearnedFile(self.settings, self.command, self.done, self.curve, numbers).save(file)

    def facts(self) -> Mapping[str, Any]:
        return {"visited": len(self.rows()), "states": self.encoder.states}

    def __str__(self) -> str:
        return f"{len(self.rows()):,} of {self.encoder.states:,} states visited"


def compiled_loop(game: Game, encoders: StateEncoders, rewards: Any) -> Any:
    """The loop bound to a game's rules, encoder and rewards."""
    tree, state, columns = tree_of(game), record_type(game.state), types.int64[::1]
    assert tree
    signature = types.int64(
        types.int64,
        record_type(QTraining),
        record_type(rewards.dtype),
        types.float32[:, ::1],
        types.uint32[:, ::1],
        types.Array(state, 1, "C"),
        types.Array(state, 1, "C"),
        types.Array(record_type(Pending), 1, "C"),
        columns,
        columns,
        types.Array(record_type(Dice), 1, "C"),
        record_type(tree.walk),
        types.Array(record_type(tree.frame), 1, "C"),
        types.FunctionType(tree.signature(game.state)),
        types.FunctionType(heuristic_signature(game.state)),
        record_type(Weights),
    )
    names = {**game.kernels, "encode": encoders.encode, **encoders.payment}
    paid: dict[str, Any] = (
        {} if encoders.payment else {"pay_own": pay_no_move, "pay_others": pay_nothing, "pay_end": pay_result}
    )
    return bind(play_games, names, f"play_games_{game.name}", signature, decide=decide_by_table, **paid)
