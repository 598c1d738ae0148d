"""Values of positions that were learned from play: a value is a player's chance to win.

A value is the sum of the features of a position, each times its weight. The sum is the logarithm of the odds. A net
adds hidden units: such sums with other weights, silent below zero. All weights are in one table of numbers: first the
weights of the features, then those of the hidden units, then for each feature its weights to the units. A linear value
is a net without hidden units.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from sparring.agents.learning_file import LearningFile
from sparring.core.errors import SparringError
from sparring.core.kernel import (
    MAX_TERMS,
    Weights,
    entry,
    heuristic_signature,
    kernel,
    number_at,
    record_type,
    table_address,
    with_globals,
)
from sparring.core.terms import Heuristic, Weight
from sparring.games.contract import Game
from sparring.games.learnable import Features

observe: Any
reward: Any
decided: Any
table_of: Any
hidden_sum: Any
stake: Any
GROUP: Any
FEATURES: int
MOST: int
HIDDEN: int


@kernel
def chance_of(total: float) -> float:
    """Return the probability for a logarithm of odds."""
    return 1 / (1 + math.exp(-total))


@kernel
def linear_sum(features: Any, amounts: Any, found: int, table: int) -> float:
    total = 0.0
    for place in range(found):
        total += amounts[place] * number_at(table, features[place])
    return total


def add_hidden(features: Any, amounts: Any, found: int, table: int, units: Any) -> float:
    """Compute the hidden units, and return their part of the sum."""
    units[:] = 0
    for place in range(found):
        row = FEATURES + HIDDEN + features[place] * HIDDEN
        amount = amounts[place]
        for unit in range(HIDDEN):
            units[unit] += amount * number_at(table, row + unit)
    total = 0.0
    for unit in range(HIDDEN):
        total += max(units[unit], np.float32(0)) * number_at(table, FEATURES + unit)
    return total


def linear_value(s: Any, me: int, weights: Any) -> float:
    """Chance to win, learned in self-play: a weight for each feature, added up in groups."""
    if decided(s, me):
        return (1 + reward(s, me)) / 2  # type: ignore[no-any-return]
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    total, table = 0.0, weights.tables[table_of(s)]
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        total += weights.of[GROUP[feature]] * amounts[place] * number_at(table, feature)
    return chance_of(total)


def linear_terms(s: Any, me: int, weights: Any, terms: Any) -> None:
    """Add up each group separately."""
    if decided(s, me):
        return
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    table = weights.tables[table_of(s)]
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        terms[GROUP[feature]] += amounts[place] * number_at(table, feature)


def net_value(s: Any, me: int, weights: Any) -> float:
    """Chance to win, learned in self-play: a small network."""
    if decided(s, me):
        return (1 + reward(s, me)) / 2  # type: ignore[no-any-return]
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    units, table = np.empty(HIDDEN, np.float32), weights.tables[table_of(s)]
    found = observe(s, me, features, amounts)
    total = linear_sum(features, amounts, found, table)
    return chance_of(total + hidden_sum(features, amounts, found, table, units))


@cache
def value_kernels(features: Features, hidden: int) -> Mapping[str, Any]:
    """Return the kernels of a value with their free names; the kernel `value` is a heuristic."""
    known = {
        **{"observe": features.observe, "reward": features.reward, "decided": features.decided},
        **{"table_of": features.table_of, "vary_start": features.vary_start, "NAME": features.name},
        **{"FEATURES": features.count, "MOST": features.most, "HIDDEN": hidden},
        "GROUP": np.repeat(np.arange(len(features.groups)), list(features.groups.values())),
    }
    value = net_value if hidden else linear_value
    for name, part in {"hidden_sum": add_hidden, "terms": linear_terms, "value": value}.items():
        known[name] = kernel(with_globals(part, known, f"{part.__name__}_{features.name}_{hidden}"))
    return known


def learned_value(name: str, game: str, features: Features, hidden: int, *files: Path) -> "LearnedValue":
    """Return the value in a file, or in two."""
    groups = {} if hidden else {group: Weight() for group in features.groups}
    return LearnedValue(name, game, net_value if hidden else linear_value, groups, False, features, hidden, files)


@dataclass(frozen=True)
class LearnedValue(Heuristic):
    """A value whose tables are in files. Where there are two, `Features.table_of` chooses the table of a position."""

    features: Features
    hidden: int
    files: tuple[Path, ...]

    as_kernel = None
    """Code cannot call it: its tables are known only to an agent."""

    def weigh(self, chosen: Mapping[str, float] | None = None) -> Any:
        weighed = super().weigh(chosen)
        weighed.tables[:2] = [table_address(self._table(file)) for file in (self.files[0], self.files[-1])]
        return weighed

    def _table(self, file: Path) -> Any:
        table, size = open_value(file, self.game)[1], self.features.count + self.hidden * (1 + self.features.count)
        if table.shape != (size,):
            raise SparringError(f"{file} holds {table.size:,} numbers where {size:,} are needed: learn it anew")
        return table

    def score(self, state: np.dtype[Any]) -> Any:
        return entry(value_kernels(self.features, self.hidden)["value"], heuristic_signature(state))

    def terms(self, state: Any, player: int) -> dict[str, float]:
        """Return the logarithm of odds that each group adds."""
        found = np.zeros(len(self.weights))
        if self.weights:
            signature = types.void(record_type(state.dtype), types.int64, record_type(Weights), types.float64[::1])
            entry(value_kernels(self.features, 0)["terms"], signature)(state, player, self.weigh(), found)
        return dict(zip(self.weights, found.tolist(), strict=True))


def open_value(file: Path, game: str) -> tuple[Mapping[str, Any], Any]:
    """Return the settings of a value of a game, and its table."""
    try:
        settings, table = _read(file, file.stat().st_mtime_ns)
        learned_in = settings["game"]
        if not (isinstance(settings["features"], str) and isinstance(settings["hidden"], int)):
            raise ValueError("these are no settings of a value")
    except (OSError, ValueError, KeyError) as error:
        makes = f"`spar learn {game} --td linear --out FILE.npz` makes one"
        raise SparringError(f"{file} holds no learned value; {makes}") from error
    if learned_in != game:
        raise SparringError(f"{file} holds a value of {learned_in}, not of {game}")
    return settings, table


@cache
def _read(file: Path, changed: int) -> tuple[Mapping[str, Any], Any]:
    """Read a file. The table is never released, because compiled code may have its address."""
    kept = LearningFile.load(file)
    return kept.settings, kept.numbers["table"].astype(np.float32)


# The terms of a heuristic as features


def nothing_open(s: Any, player: int) -> bool:
    return stake(s, player) == 0  # type: ignore[no-any-return]


_TERMS: dict[str, Features] = {}


def terms_as_features(game: Game, heuristic: Heuristic, hash: str = "") -> Features:
    """Return the terms of a heuristic as features, and one more feature that is always 1. A hash identifies the code of
    a user's heuristic, which must compile."""
    name = "_".join(filter(None, (game.name, heuristic.name, hash)))
    if name not in _TERMS:
        if isinstance(heuristic, LearnedValue) or not 0 < len(heuristic.weights) < MAX_TERMS:
            raise SparringError(f"{heuristic.name} has no terms to learn from; name another heuristic")
        if hash:
            heuristic.score(game.state)
        decided = kernel(with_globals(nothing_open, game.kernels, f"decided_{name}"))
        groups = {**dict.fromkeys(heuristic.weights, 1), "bias" + "_" * ("bias" in heuristic.weights): 1}
        observe, reward = heuristic.observe, game.kernels["reward"]
        _TERMS[name] = Features(name, groups, len(groups), observe, reward, decided, hash=hash)
    return _TERMS[name]
