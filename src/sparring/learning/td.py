"""TD(lambda) in self-play: learns the value of positions, for any game with features.

All players choose the action with the best value for themselves. Chance, or a share epsilon of random actions, makes
the games differ. After a game the trainer goes back from its end. In each position, the value of each player moves a
step towards a target. The first target is the result; then it is a mix of the target and the value of the next
position, by lambda. There is no other reward. The steps shrink evenly to zero over all games.

Where players act at once, nobody knows the actions of the others. So a player scores an action by its mean value over a
few random actions of the others. Where `actions` lists only some of the actions, some random ones are candidates too.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import types

from sparring.agents.learned_value import chance_of, linear_sum, value_kernels
from sparring.agents.spec import features_named, heuristic_named
from sparring.core import defaults
from sparring.core.amounts import parse_number, parse_whole_number, setting
from sparring.core.bits import lowest
from sparring.core.dice import Dice, dice, roll, seed_dice, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, bind, copy_record, record, signature_of, table_address, workspace
from sparring.games.contract import Game
from sparring.learning.learner import TRIAL_SEED, Learner, Schedule, openings, require_kernels, schedule, scheduled

LONGEST = 4000  # the trainer learns from at most so many positions of a game
FINE = 1 << 24
NOBODY = -1
SAMPLES, DRAWN = 8, 32
"""Where players act at once: random actions of the others for each own action. Where not all actions are listed: random
actions beside the listed ones."""

TdTraining = np.dtype(
    [
        ("players", np.int64),
        ("seed", np.int64),
        ("games", np.int64),
        ("done", np.int64),  # games so far
        ("alpha", np.float64),
        ("trace_decay", np.float64),  # not "trace", which is a method of NumPy records
        ("epsilon", Schedule),
        ("dice", Dice),
    ],
    align=True,
)
"""The settings and the progress, for compiled code."""


def listed_action(s: Any, player: int, found: Any, dice: Any) -> int:
    return found[roll(dice, actions(s, player, found))]


def drawn_action(s: Any, player: int, found: Any, dice: Any) -> int:
    return any_action(s, player, dice)


def best_by_value(states: Any, me: int, acting: int, weights: Any, joints: Any, lists: Any, dice: Any) -> int:
    """Return the action that leads to the best value for a player, on average over some actions of the others."""
    found, joint_count, others = lists[0], 1, acting & ~(1 << me)
    count = actions(states[0], me, found)
    if count == 1:
        return found[0]
    for _ in range(UNLISTED):
        found[count] = random_action(states[0], me, lists[1], dice)
        count += 1
    if others:
        joint_count = SAMPLES
        for sample in range(SAMPLES):
            left = others
            while left:
                other = lowest(left)
                left &= left - 1
                joints[sample].of[other] = random_action(states[0], other, lists[1], dice)
    chosen, best = found[0], -1.0
    for place in range(count):
        total = 0.0
        for sample in range(joint_count):
            joints[sample].of[me] = found[place]
            copy_record(states[1], states[0])
            apply(states[1], joints[sample])
            total += value(states[1], me, weights)
        if total > best:
            chosen, best = found[place], total
    return chosen


def play_by_value(
    states: Any, hero: int, epsilon: float, weights: Any, joints: Any, lists: Any, history: Any, dice: Any
) -> int:
    """Play a game to its end and store the positions after each turn. Return their number. All players play by the
    value, or only the hero does, against random players. With probability epsilon an action is random."""
    length = 0
    acting = settle(states[0], dice)
    while acting:
        left = acting
        while left:
            me = lowest(left)
            left &= left - 1
            if hero in (NOBODY, me) and not (epsilon and roll(dice, FINE) < epsilon * FINE):
                joints[SAMPLES].of[me] = best_action(states, me, acting, weights, joints, lists, dice)
            else:
                joints[SAMPLES].of[me] = random_action(states[0], me, lists[0], dice)
        apply(states[0], joints[SAMPLES])
        history[min(length, LONGEST - 1)] = states[0]
        length += 1
        acting = settle(states[0], dice)
    return min(length, LONGEST)


def move_value(target: float, rate: float, s: Any, me: int, model: Any, scratch: Any) -> float:
    """Move the value of a position a step towards a target. Return the value before the step."""
    table, rates, weights = model
    features, amounts, units = scratch
    found, at = observe(s, me, features, amounts), weights.tables[0]
    total = linear_sum(features, amounts, found, at)
    if HIDDEN:
        total += hidden_sum(features, amounts, found, at, units)
    worth = chance_of(total)
    step = rate * (target - worth)
    for place in range(found):
        amounts[place] *= rates[features[place]]
        table[features[place]] += step * amounts[place]
    if HIDDEN:
        push, out = np.float32(step), table[FEATURES : FEATURES + HIDDEN]
        for unit in range(HIDDEN):
            active = max(units[unit], np.float32(0))
            units[unit] = push * out[unit] if active > 0 else np.float32(0)
            out[unit] += push * active
        for place in range(found):
            first = FEATURES + HIDDEN + features[place] * HIDDEN
            row, amount = table[first : first + HIDDEN], amounts[place]
            for unit in range(HIDDEN):
                row[unit] += amount * units[unit]
    return worth


def learn_games(
    last: int, training: Any, model: Any, starts: Any, states: Any, joints: Any, history: Any, lists: Any, scratch: Any
) -> int:
    """Play until the given number of games, and learn from each. With alpha 0 nothing is learned: the value then plays
    against random players, in every seat in turn. Return the number of games that the value has won. The dice of a game
    follow from the seed and its number."""
    won, dice = 0, training.dice
    for number in range(training.done, last):
        hero = NOBODY if training.alpha else number % training.players
        seed_dice(dice, training.seed, number)
        states[0] = starts[number % len(starts)]
        vary_start(states[0], dice)
        epsilon = scheduled(training.epsilon, number, training.games)
        length = play_game(states, hero, epsilon, model[2], joints, lists, history, dice)
        won += hero != NOBODY and reward(states[0], hero) >= 1
        rate = training.alpha * (1 - number / training.games)
        for player in range(training.players if rate else 0):
            target = (1 + reward(states[0], player)) / 2
            for place in range(length - 2, -1, -1):
                if not decided(history[place], player):
                    worth = step_towards(target, rate, history[place], player, model, scratch)
                    target += (1 - training.trace_decay) * (worth - target)
        training.done = number + 1
    return won


PARTS: dict[str, Any] = {"best_action": best_by_value, "play_game": play_by_value, "step_towards": move_value}
DEFAULT_HIDDEN = 64
SAMPLED_GAMES = 20


@dataclass(frozen=True)
class TdSettings:
    """The settings of TD(lambda). Without `features` the game's own are used. Epsilon is 0 with chance, else 0.1."""

    td: str = "linear"  # or net
    features: str = ""  # a heuristic; its terms are the features
    hidden: int = 0  # units of a net
    games: int = 100_000
    alpha: float = 0.005  # the size of the first steps
    trace: float = 0.9  # lambda
    epsilon: str = ""
    seed: int = defaults.SEED
    trial_games: int = 1_000

    def __post_init__(self) -> None:
        if self.td not in ("linear", "net"):
            raise SparringError(f"a value is linear or net, not {self.td!r}")
        if self.td == "linear" and self.hidden:
            raise SparringError("a linear value has no hidden units: leave hidden out, or learn a net")
        hidden = parse_whole_number("hidden", self.hidden or DEFAULT_HIDDEN, 1, 1024) if self.td == "net" else 0
        object.__setattr__(self, "hidden", hidden)
        for name in ("games", "seed", "trial_games"):
            object.__setattr__(self, name, setting(name, getattr(self, name)))
        for name in ("alpha", "trace"):
            object.__setattr__(self, name, parse_number(name, str(getattr(self, name))))
        if not (0 < self.alpha < 1 and 0 <= self.trace <= 1):
            raise SparringError("alpha and trace must lie between 0 and 1")
        object.__setattr__(self, "epsilon", str(self.epsilon))
        schedule("epsilon", self.epsilon or "0")


class TdLearner(Learner):
    """A value of positions that learns in self-play."""

    def __init__(self, game: Game, config: TdSettings) -> None:
        super().__init__()
        require_kernels(game)
        self.game, self.config = game, replace(config, epsilon=config.epsilon or ("0" if game.kind.chance else "0.1"))
        self.features = features_named(game, config.features)
        self.title = f"{config.td} value of {config.features or game.name} learned in self-play"
        with errors_of(config.features):
            self.rates = learning_rates(game, config) if config.features else np.ones(self.features.count, np.float32)
        self.table = initial_table(self.config, self.rates)
        self.history = workspace(game.state, LONGEST)
        self.training = self.new_training()

    @property
    def settings(self) -> dict[str, Any]:
        return super().settings | ({"features_hash": self.features.hash} if self.features.hash else {})

    def new_training(self, learning: bool = True) -> Any:
        training, config = record(TdTraining), self.config
        training.players, training.games, training.seed = self.game.seats, config.games, TRIAL_SEED
        if learning:
            training.alpha, training.trace_decay, training.seed = config.alpha, config.trace, config.seed
            training.epsilon = schedule("epsilon", config.epsilon)
        return training

    def play(self, last: int, training: Any) -> int:
        kernels, most, hidden = self.game.kernels, self.features.most, self.config.hidden
        weights = record(Weights)
        weights.of[:], weights.tables[:] = 1.0, table_address(self.table)
        given = (
            *(last, training, (self.table, self.rates, weights), openings(self.game, int(training.seed))),
            *(workspace(kernels.state, 2), workspace(kernels.joint, SAMPLES + 1), self.history),
            np.empty((2, kernels.widest + DRAWN), np.int64),
            (np.empty(most, np.int64), np.empty(most, np.float32), np.empty(hidden, np.float32)),
        )
        unlisted = "any_action" in kernels
        names = {**kernels, **value_kernels(self.features, hidden), "UNLISTED": DRAWN * unlisted}
        parts = {"random_action": drawn_action if unlisted else listed_action, **PARTS}
        called, signature = f"learn_games_{self.features.name}_{hidden}", signature_of(types.int64, *given)
        compiled = bind(learn_games, names, called, signature, **parts)
        with errors_of(self.config.features):
            return int(compiled(*given))

    def numbers(self) -> Mapping[str, Any]:
        """Return all digits while learning, to resume exactly; a finished value is stored with half of them."""
        return {"table": self.table.astype(np.float16) if self.done == self.config.games else self.table}

    def restore(self, numbers: Mapping[str, Any]) -> None:
        self.table[:] = numbers["table"]

    def facts(self) -> Mapping[str, Any]:
        groups = self.features.groups
        weights = dict(zip(groups, self.table.tolist(), strict=False)) if self.features.count == len(groups) else {}
        return {"features": self.features.count, "hidden": self.config.hidden, "weights": weights}

    def __str__(self) -> str:
        told = ", ".join(f"{name} {weight:+.3g}" for name, weight in self.facts()["weights"].items())
        hidden = f", {self.config.hidden} hidden units" if self.config.hidden else ""
        return f"{self.features.count:,} features{hidden}" + (f": {told}" if told and not hidden else "")


@contextmanager
def errors_of(features: str) -> Iterator[None]:
    """Name the features in an error of a user's heuristic, such as a division by zero."""
    try:
        yield
    except SparringError:
        raise
    except (ArithmeticError, LookupError, ValueError) as error:
        raise SparringError(f"{features}: {type(error).__name__}: {error}") from error


def initial_table(config: TdSettings, rates: Any) -> Any:
    """Return weights of zero. Weights of hidden units differ a little, so that each unit learns something else."""
    table = np.zeros(len(rates), np.float32)
    if not config.hidden:
        return table
    random = np.random.default_rng(config.seed)
    out, rows = random.uniform(-0.1, 0.1, config.hidden), random.uniform(-0.05, 0.05, (len(rates), config.hidden))
    return np.concatenate([table, out, (rows * np.sqrt(rates)[:, None]).ravel()], dtype=np.float32)


def learning_rates(game: Game, config: TdSettings) -> Any:
    """The factor of alpha for each term of a heuristic, by its largest amount in some random games."""
    valued, own = heuristic_named(game, config.features), dice(config.seed, "scale")
    largest = np.zeros(len(valued.weights))
    for number in range(SAMPLED_GAMES):
        position = game.start(number)
        while not position.over:
            found = [list(valued.terms(position.state, player).values()) for player in range(game.seats)]
            largest = np.maximum(largest, np.abs(found).max(axis=0))
            legal = {player: game.legal(position.state, player) for player in position.actors}
            position = position.after({player: listed[throw(own, len(listed))] for player, listed in legal.items()})
    return (1 / np.append(np.where(largest > 0, largest, 1.0), 1.0) ** 2).astype(np.float32)
