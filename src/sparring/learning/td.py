# mypy: disable-error-code="no-any-return"
"""TD(lambda) on the positions after moves, in self-play: learns the value of positions of any game with features.

Every player moves to the position that the value likes best for it. Chance, or a share epsilon of random moves, makes
the games differ. When a game is over it is walked back from its end. In every position, the value of each player moves
a step towards what followed: the next position's value or, the larger lambda the more, what followed there. The only
reward is the result. Steps get smaller with every game, down to nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import types

from sparring.agents.spec import features_named, heuristic_named
from sparring.agents.values import chance_of, linear_sum, value_kernels
from sparring.core import defaults
from sparring.core.amounts import number_of, setting, whole_number
from sparring.core.bits import lowest
from sparring.core.dice import Dice, dice, roll, sow, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import Weights, address_of, bind, record, signature_of, workspace
from sparring.games.contract import Game
from sparring.games.kernels import alone
from sparring.learning.course import TRIAL_SEED, Learner, openings, refuse_at_once
from sparring.learning.schedule import Schedule, schedule, scheduled

LONGEST = 4000
"""Of a longer game only so many positions are learned from."""
FINE = 1 << 24
NOBODY = -1

TdTraining = np.dtype(
    [
        ("players", np.int64),
        ("seed", np.int64),
        ("games", np.int64),
        ("done", np.int64),  # games so far
        ("alpha", np.float64),
        ("trace", np.float64),
        ("epsilon", Schedule),
        ("dice", Dice),
    ],
    align=True,
)
"""The settings as compiled code takes them, and how far it has come."""

actions: Any
apply: Any
child: Any
settle: Any
reward: Any
observe: Any
value: Any
hidden_sum: Any
vary_start: Any
best_action: Any
play_game: Any
draw_towards: Any
FEATURES: int
HIDDEN: int


def best_by_value(s: Any, after: Any, me: int, found: Any, weights: Any) -> int:
    """The action that leads to the position with the best value for the player."""
    count = actions(s, me, found)
    chosen, best = found[0], -1.0
    if count == 1:
        return chosen
    for place in range(count):
        child(after[0], s, found[place])
        worth = value(after[0], me, weights)
        if worth > best:
            chosen, best = found[place], worth
    return chosen


def play_by_value(
    s: Any, after: Any, hero: int, epsilon: float, model: Any, dice: Any, found: Any, history: Any
) -> int:
    """Play a game to its end and write down the positions after moves; returns how many. All play by the value, or
    one does and the others play at random; and with a chance of epsilon all play at random."""
    length, weights = 0, model[2]
    acting = settle(s[0], dice)
    while acting:
        me = lowest(acting)
        if hero in (NOBODY, me) and not (epsilon and roll(dice, FINE) < epsilon * FINE):
            action = best_action(s[0], after, me, found, weights)
        else:
            action = found[roll(dice, actions(s[0], me, found))]
        apply(s[0], alone(action))
        history[min(length, LONGEST - 1)] = s[0]
        length += 1
        acting = settle(s[0], dice)
    return min(length, LONGEST)


def draw_value(target: float, rate: float, s: Any, me: int, model: Any, scratch: Any) -> float:
    """Draw the value of a position a step towards a target; returns what it was."""
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
    last: int, training: Any, model: Any, starts: Any, s: Any, history: Any, found: Any, scratch: Any
) -> int:
    """Play on to a number of games and learn from each. Where alpha is 0 nothing is learned: then the value plays
    against random players, in every seat in turn. A game's dice follow from seed and number. Returns how many games the
    value has won."""
    won, dice = 0, training.dice
    for number in range(training.done, last):
        hero = NOBODY if training.alpha else number % training.players
        sow(dice, training.seed, number)
        s[0] = starts[number % len(starts)]
        vary_start(s[0], dice)
        epsilon = scheduled(training.epsilon, number, training.games)
        length = play_game(s[:1], s[1:], hero, epsilon, model, dice, found, history)
        won += hero != NOBODY and reward(s[0], hero) >= 1
        rate = training.alpha * (1 - number / training.games)
        for player in range(training.players if rate else 0):
            target = (1 + reward(s[0], player)) / 2
            for place in range(length - 2, -1, -1):
                worth = draw_towards(target, rate, history[place], player, model, scratch)
                target += (1 - training.trace) * (worth - target)
        training.done = number + 1
    return won


PARTS: dict[str, Any] = {"best_action": best_by_value, "play_game": play_by_value, "draw_towards": draw_value}
USUAL_HIDDEN = 64
SAMPLED_GAMES = 20


@dataclass(frozen=True)
class TdSettings:
    """The settings of TD(lambda). Features that are not given are the game's own; epsilon is 0 where chance varies the
    games, and else 0.1."""

    td: str = "linear"  # or net
    features: str = ""  # a heuristic, whose terms are the features
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
        hidden = whole_number("hidden", self.hidden or USUAL_HIDDEN, 1, 1024) if self.td == "net" else 0
        object.__setattr__(self, "hidden", hidden)
        for name in ("games", "seed", "trial_games"):
            object.__setattr__(self, name, setting(name, getattr(self, name)))
        for name in ("alpha", "trace"):
            object.__setattr__(self, name, number_of(name, str(getattr(self, name))))
        if not (0 < self.alpha < 1 and 0 <= self.trace <= 1):
            raise SparringError("alpha and trace must lie between 0 and 1")
        object.__setattr__(self, "epsilon", str(self.epsilon))
        schedule("epsilon", self.epsilon or "0")


class TdLearner(Learner):
    """A value that learns in self-play."""

    def __init__(self, game: Game, given: TdSettings) -> None:
        super().__init__()
        refuse_at_once(game)
        self.game, self.given = game, replace(given, epsilon=given.epsilon or ("0" if game.kind.chance else "0.1"))
        self.features = features_named(game, given.features)
        self.title = f"{given.td} value of {given.features or game.name} learned in self-play"
        self.rates = learning_rates(game, given) if given.features else np.ones(self.features.count, np.float32)
        self.table = fresh_table(self.given, self.rates)
        self.history = workspace(game.state, LONGEST)
        self.training = self.new_training()

    def new_training(self, learning: bool = True) -> Any:
        training, given = record(TdTraining), self.given
        training.players, training.games, training.seed = self.game.seats, given.games, TRIAL_SEED
        if learning:
            training.alpha, training.trace, training.seed = given.alpha, given.trace, given.seed
            training.epsilon = schedule("epsilon", given.epsilon)
        return training

    def play(self, last: int, training: Any) -> int:
        state, most, hidden = self.game.state, self.features.most, self.given.hidden
        weights = record(Weights)
        weights.of[:], weights.tables[:] = 1.0, address_of(self.table)
        given = (
            *(last, training, (self.table, self.rates, weights), openings(self.game, int(training.seed))),
            *(workspace(state, 2), self.history, np.empty(self.game.kernels.widest, np.int64)),
            (np.empty(most, np.int64), np.empty(most, np.float32), np.empty(hidden, np.float32)),
        )
        names = {**self.game.kernels, **value_kernels(self.features, hidden)}
        called, signature = f"learn_games_{self.features.name}_{hidden}", signature_of(types.int64, *given)
        return int(bind(learn_games, names, called, signature, **PARTS)(*given))

    def numbers(self) -> Mapping[str, Any]:
        """All digits, for learning to go on as if it had never stopped; half of them are enough to play."""
        return {"table": self.table.astype(np.float16) if self.done == self.given.games else self.table}

    def restore(self, numbers: Mapping[str, Any]) -> None:
        self.table[:] = numbers["table"]

    def facts(self) -> Mapping[str, Any]:
        groups = self.features.groups
        weights = dict(zip(groups, self.table.tolist(), strict=False)) if self.features.count == len(groups) else {}
        return {"features": self.features.count, "hidden": self.given.hidden, "weights": weights}

    def __str__(self) -> str:
        told = ", ".join(f"{name} {weight:+.3g}" for name, weight in self.facts()["weights"].items())
        hidden = f", {self.given.hidden} hidden units" if self.given.hidden else ""
        return f"{self.features.count:,} features{hidden}" + (f": {told}" if told and not hidden else "")


def fresh_table(given: TdSettings, rates: Any) -> Any:
    """Nothing is known; only hidden units must differ a little for each to learn something else."""
    table = np.zeros(len(rates), np.float32)
    if not given.hidden:
        return table
    random = np.random.default_rng(given.seed)
    out, rows = random.uniform(-0.1, 0.1, given.hidden), random.uniform(-0.05, 0.05, (len(rates), given.hidden))
    return np.concatenate([table, out, (rows * np.sqrt(rates)[:, None]).ravel()], dtype=np.float32)


def learning_rates(game: Game, given: TdSettings) -> Any:
    """A factor of alpha for each term of a heuristic: terms are as large as their author likes. So each counts as if it
    were divided by the largest amount in some random games."""
    valued, own = heuristic_named(game, given.features), dice(given.seed, "scale")
    largest = np.zeros(len(valued.weights))
    for number in range(SAMPLED_GAMES):
        position = game.start(number)
        while not position.over:
            found = [list(valued.terms(position.state, player).values()) for player in range(game.seats)]
            largest = np.maximum(largest, np.abs(found).max(axis=0))
            position = position.after(position.legal[throw(own, len(position.legal))])
    return (1 / np.append(np.where(largest > 0, largest, 1.0), 1.0) ** 2).astype(np.float32)
