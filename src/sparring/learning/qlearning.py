"""Tabular Q-learning, for any game with an encoder of states: whole games of learning in one compiled loop.

Much happens between two decisions of a learner: its own forced moves, the moves of all others, perhaps chance. All of
that is the reward of the first decision. The update goes from one decision of a player to the next decision of the same
player:

    Q(s, a) += alpha * (reward + gamma * max Q(s', a') - Q(s, a))

At the end of the game there is no s'. A move without an alternative is no decision.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import types

from sparring.agents.q_table import MEMORY, packed, unpacked
from sparring.agents.spec import agent
from sparring.core import defaults
from sparring.core.amounts import parse_number, setting
from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll, seed_dice
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import bind, kernel, record, records, signature_of
from sparring.games.capabilities import needed, offered
from sparring.games.contract import Game
from sparring.games.kernels import alone
from sparring.games.learnable import StateEncoders
from sparring.learning.learner import TRIAL_SEED, Learner, Schedule, openings, require_kernels, schedule, scheduled
from sparring.search.tree import MAX_PLIES, NO_LIMIT, begin, tree_of

SELF = "self"
AVERAGES = "1/n:"
"""An alpha with this prefix is 1/n at the n-th visit, which gives the mean, but no less than the rate after it."""
FINE = 1 << 24

QTraining = np.dtype(
    [
        ("code", np.int64),  # of the encoder
        ("players", np.int64),
        ("gamma", np.float64),
        ("alpha", Schedule),
        ("averages", np.int64),  # alpha is 1/n at the n-th visit, until that is less than scheduled
        ("epsilon", Schedule),
        ("self_play", np.int64),  # all players learn, not only one
        ("games", np.int64),  # in all; schedules run over them
        ("seed", np.int64),
        ("learning", np.int64),  # 0 in a trial
        ("done", np.int64),  # games so far
        ("decided", np.int64),  # decisions so far
        ("dice", Dice, (3,)),  # of the game, the learner and the others
    ],
    align=True,
)
"""The settings and the progress, for compiled code."""

Pending = np.dtype(
    [
        ("waiting", np.int64),  # there is a decision that has not been learned from
        ("row", np.int64),
        ("column", np.int64),
        ("reward", np.float64),  # so far
        ("memory", np.int64, (MEMORY,)),  # for the game's rewards
    ],
    align=True,
)
"""The last decision of a player."""


@kernel
def update(values: Any, visits: Any, pending: Any, averages: int, alpha: float, future: float) -> None:
    """Learn from a decision, once its reward and what follows are known."""
    if pending.waiting and (averages or alpha):
        row, column = pending.row, pending.column
        visits[row, column] += 1
        if averages:
            alpha = max(alpha, 1 / visits[row, column])
        known = float(values[row, column])
        values[row, column] = known + alpha * (pending.reward + future - known)
    pending.waiting = 0


def decide_by_table(
    states: Any, count: int, lists: Any, training: Any, q: Any, pending: Any, dice: Any, alpha: float, epsilon: float
) -> int:
    """Learn from the last decision and choose an action. Return its place in the list: the best by the table, a random
    one of equals, or with probability epsilon a random one of all."""
    values, visits = q
    found, columns = lists
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
    last: int, training: Any, q: Any, rewards: Any, starts: Any, states: Any, pending: Any, lists: Any, others: Any
) -> int:
    """Play until the given number of games and learn from them. Return the number of games that the learner has won.
    It takes every seat in turn. The other seats play by another agent, or learn too. The dice of a game follow from the
    seed and its number. A trial has alpha 0 and no averages, so it learns nothing."""
    values, visits = q
    search, frames, step, score, weights = others
    won, found, dice = 0, lists[0], training.dice
    for game in range(training.done, last):
        hero = game % training.players
        alpha = scheduled(training.alpha, game, training.games)
        epsilon = scheduled(training.epsilon, game, training.games)
        for own in range(3):
            seed_dice(dice[own], training.seed, 3 * game + own)
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
                    chosen = decide(states, count, lists, training, q, pending[me], dice[1], alpha, epsilon)
                    training.decided += 1
                states[1] = states[0]
                apply(states[0], alone(found[chosen]))
                pay_own(states[1], states[0], me, found[chosen], rewards, pending[me])
            else:
                begin(search, me, search.max_nodes, search.max_depth)
                step(search, states, frames, score, weights, dice[2], NO_LIMIT >> 1)
                apply(states[0], alone(int(search.line[0])))
            acting = settle(states[0], dice[0])
        won += reward(states[0], hero) >= 1
        for seat in range(training.players):
            pay_end(states[0], seat, rewards, pending[seat])
            update(values, visits, pending[seat], training.averages, alpha, 0.0)
        training.done = game + 1
    return won


# Payment in games that have no rewards of their own: the result

RESULTS = {"result": np.ones(1, [("result", np.float64)])[0]}


def pay_nothing(*_: Any) -> None:
    pass


def pay_result(s: Any, player: int, rewards: Any, pending: Any) -> None:
    pending.reward += rewards.result * reward(s, player)


PAY_RESULT: dict[str, Any] = {"pay_own": pay_nothing, "pay_others": pay_nothing, "pay_end": pay_result}


@dataclass(frozen=True)
class QSettings:
    """The settings of Q-learning. Without `state` or `reward` the defaults of the game are used."""

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
        object.__setattr__(self, "gamma", parse_number("gamma", str(self.gamma)))
        if not 0 <= self.gamma <= 1:
            raise SparringError(f"gamma must be from 0 to 1, not {self.gamma}")
        schedule("alpha", self.alpha.removeprefix(AVERAGES))
        schedule("epsilon", self.epsilon)

    def fitted(self, game: Game) -> "QSettings":
        """Return the settings for a game, with its default state and reward filled in."""
        encoders = offered(game, StateEncoders)
        if encoders is None or game.kind.simultaneous:
            what = "has no states for tables" if encoders is None else "has players that move at once"
            raise SparringError(f"{game.name} {what}: learn a value, with --td linear --features HEURISTIC")
        require_kernels(game)
        known = encoders.rewards or RESULTS
        if self.reward and self.reward not in known:
            raise unknown("reward", self.reward, known)
        encoders.encoder(self.state or encoders.usual)
        return replace(self, state=self.state or encoders.usual, reward=self.reward or next(iter(known)))


class QLearner(Learner):
    """A table of Q-values that learns against another agent or against itself."""

    def __init__(self, game: Game, config: QSettings) -> None:
        super().__init__()
        self.game, self.config = game, config.fitted(game)
        self.encoders = needed(game, StateEncoders)
        self.encoder = self.encoders.encoder(self.config.state)
        self.title = f"{self.config.state} learned against {config.against}"
        self.values = np.zeros((self.encoder.states, self.encoders.columns), np.float32)
        self.visits = np.zeros((self.encoder.states, self.encoders.columns), np.uint32)
        self.training = self.new_training()
        self._opponents = {True: self._opponent(config.against), False: self._opponent("random")}

    def _opponent(self, other: str) -> tuple[Any, ...]:
        """Return an agent with the memory of its search, for compiled code."""
        named = "random" if other == SELF else other
        policy, tree = agent(self.game, named).compiled_policy(self.game), tree_of(self.game)
        if policy is None or tree is None:
            raise SparringError(f"{other} is not compiled, so a table cannot learn against it; try random or {SELF}")
        search = record(tree.search_state)
        search.max_nodes, search.max_depth = policy.most_nodes, policy.most_plies
        return search, records(tree.frame, MAX_PLIES), policy.step, policy.score, policy.weights

    def new_training(self, learning: bool = True) -> Any:
        training, config = record(QTraining), self.config
        training.code, training.players = self.encoder.code, self.game.seats
        training.games, training.seed, training.learning = config.games, TRIAL_SEED, learning
        if learning:
            training.gamma, training.seed, training.self_play = config.gamma, config.seed, config.against == SELF
            training.averages = config.alpha.startswith(AVERAGES)
            training.alpha = schedule("alpha", config.alpha.removeprefix(AVERAGES))
            training.epsilon = schedule("epsilon", config.epsilon)
        return training

    def play(self, last: int, training: Any) -> int:
        game, encoders = self.game, self.encoders
        found, columns = np.empty((2, game.kernels.widest), np.int64)
        given = (
            *(last, training, (self.values, self.visits), (encoders.rewards or RESULTS)[self.config.reward]),
            *(openings(game, int(training.seed)), records(game.state, MAX_PLIES), records(Pending, game.seats)),
            *((found, columns), self._opponents[bool(training.learning)]),
        )
        names = {**game.kernels, "encode": encoders.encode, **encoders.payment}
        parts = {**({} if encoders.payment else PAY_RESULT), "decide": decide_by_table}
        called, signature = f"play_games_{game.name}", signature_of(types.int64, *given)
        return int(bind(play_games, names, called, signature, **parts)(*given))

    def rows(self, visits: int = 1) -> Any:
        """Return the states with at least so many visits."""
        return np.flatnonzero(self.visits.sum(axis=1) >= visits)

    def numbers(self) -> Mapping[str, Any]:
        rows = self.rows()
        return packed(rows, self.values[rows], self.visits[rows])

    def restore(self, numbers: Mapping[str, Any]) -> None:
        rows, values, visits = unpacked(numbers)
        self.values[rows], self.visits[rows] = values, visits

    def facts(self) -> Mapping[str, Any]:
        return {"visited": len(self.rows()), "states": self.encoder.states}

    def __str__(self) -> str:
        return f"{len(self.rows()):,} of {self.encoder.states:,} states visited"
