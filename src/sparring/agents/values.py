"""Values of positions that were learned from play: a value is a player's chance to win.

The features of a position are added up, each times its weight. The sum is the logarithm of the odds. A net adds hidden
units, which are such sums with other weights, silent below zero. All weights are one table of numbers: those of the
features, those of the hidden units, and feature by feature those that lead from it to the units. A linear value is a
net without hidden units.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from sparring.agents.learned import LearnedFile
from sparring.core.errors import SparringError
from sparring.core.kernel import (
    MAX_TERMS,
    Weights,
    address_of,
    entry,
    heuristic_signature,
    kernel,
    number_at,
    rebound,
    record_type,
)
from sparring.core.terms import Heuristic, Weight
from sparring.games.contract import Game
from sparring.games.learnable import Features

observe: Any
reward: Any
decided: Any
table_of: Any
hidden_sum: Any
actors: Any
GROUP: Any
FEATURES: int
MOST: int
HIDDEN: int


@kernel
def chance_of(total: float) -> float:
    """The chance that has these logarithmic odds."""
    return 1 / (1 + math.exp(-total))


@kernel
def linear_sum(features: Any, amounts: Any, found: int, table: int) -> float:
    total = 0.0
    for place in range(found):
        total += amounts[place] * number_at(table, features[place])
    return total


def add_hidden(features: Any, amounts: Any, found: int, table: int, units: Any) -> float:
    """Add up the hidden units, and return their part of the sum."""
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
    """The chance to win, learned in self-play: a weight for each feature, added up in groups."""
    if decided(s, me):
        return (1 + reward(s, me)) / 2  # type: ignore[no-any-return]
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    total, table = 0.0, weights.tables[table_of(s)]
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        total += weights.of[GROUP[feature]] * amounts[place] * number_at(table, feature)
    return chance_of(total)


def linear_terms(s: Any, me: int, weights: Any, terms: Any) -> None:
    """Add up each group by itself."""
    if decided(s, me):
        return
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    table = weights.tables[table_of(s)]
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        terms[GROUP[feature]] += amounts[place] * number_at(table, feature)


def net_value(s: Any, me: int, weights: Any) -> float:
    """The chance to win, learned in self-play: a small network."""
    if decided(s, me):
        return (1 + reward(s, me)) / 2  # type: ignore[no-any-return]
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    units, table = np.empty(HIDDEN, np.float32), weights.tables[table_of(s)]
    found = observe(s, me, features, amounts)
    total = linear_sum(features, amounts, found, table)
    return chance_of(total + hidden_sum(features, amounts, found, table, units))


@cache
def value_kernels(features: Features, hidden: int) -> Mapping[str, Any]:
    """The kernels of a value, and what their free names mean: `value` is a heuristic."""
    known = {
        **{"observe": features.observe, "reward": features.reward, "decided": features.decided},
        **{"table_of": features.table_of, "vary_start": features.vary_start},
        **{"FEATURES": features.count, "MOST": features.most, "HIDDEN": hidden},
        "GROUP": np.repeat(np.arange(len(features.groups)), list(features.groups.values())),
    }
    value = net_value if hidden else linear_value
    for name, part in {"hidden_sum": add_hidden, "terms": linear_terms, "value": value}.items():
        known[name] = kernel(rebound(part, known, f"{part.__name__}_{features.name}_{hidden}"))
    return known


def table_size(features: Features, hidden: int) -> int:
    """How many numbers a value has."""
    return features.count + hidden + features.count * hidden


@dataclass(frozen=True)
class LearnedValue(Heuristic):
    """A value whose tables are in files; where there are two, the features say which one a position is for."""

    features: Features
    hidden: int
    files: tuple[Path, ...]

    def weigh(self, chosen: Mapping[str, float] | None = None) -> Any:
        weighed = super().weigh(chosen)
        size = table_size(self.features, self.hidden)
        weighed.tables[:2] = [address_of(read(file, self.game, size)) for file in (self.files[0], self.files[-1])]
        return weighed

    def score(self, state: np.dtype[Any]) -> Any:
        return entry(value_kernels(self.features, self.hidden)["value"], heuristic_signature(state))

    def terms(self, state: Any, player: int) -> dict[str, float]:
        """The logarithmic odds that each group adds."""
        found = np.zeros(len(self.weights))
        if self.weights:
            signature = types.void(record_type(state.dtype), types.int64, record_type(Weights), types.float64[::1])
            entry(value_kernels(self.features, 0)["terms"], signature)(state, player, self.weigh(), found)
        return dict(zip(self.weights, found.tolist(), strict=True))


def learned_value(name: str, game: str, features: Features, hidden: int, *files: Path) -> LearnedValue:
    """The value in a file, or in two."""
    groups = {} if hidden else {group: Weight() for group in features.groups}
    return LearnedValue(name, game, net_value if hidden else linear_value, groups, False, features, hidden, files)


def read(file: Path, game: str, size: int) -> Any:
    """The table in a file, which must have so many numbers."""
    table = opened(file, game)[1]
    if table.shape != (size,):
        raise SparringError(f"{file} holds {table.size:,} numbers where {size:,} are needed: learn it anew")
    return table


def opened(file: Path, game: str) -> tuple[Mapping[str, Any], Any]:
    """The settings of a value of a game, and its table."""
    try:
        settings, table = _opened(file, file.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError) as error:
        makes = f"`spar learn {game} --td linear --out FILE.npz` makes one"
        raise SparringError(f"{file} holds no learned value; {makes}") from error
    if settings["game"] != game:
        raise SparringError(f"{file} holds a value of {settings['game']}, not of {game}")
    return settings, table


@cache
def _opened(file: Path, changed: int) -> tuple[Mapping[str, Any], Any]:
    """Kept for good, because compiled code may have the table's address."""
    kept = LearnedFile.load(file)
    return kept.settings, kept.numbers["table"].astype(np.float32)


# The terms of a heuristic as features


def nobody_acts(s: Any, player: int) -> bool:
    return actors(s) == 0  # type: ignore[no-any-return]


_TERMS: dict[str, Features] = {}


def terms_as_features(game: Game, heuristic: Heuristic) -> Features:
    """The terms of a heuristic, and one feature that is always there."""
    name = f"{game.name}_{heuristic.name}"
    if name not in _TERMS:
        if isinstance(heuristic, LearnedValue) or not 0 < len(heuristic.weights) < MAX_TERMS:
            raise SparringError(f"{heuristic.name} has no terms to learn from; name another heuristic")
        over = kernel(rebound(nobody_acts, game.kernels, f"decided_{name}"))
        groups = {**dict.fromkeys(heuristic.weights, 1), "bias" + "_" * ("bias" in heuristic.weights): 1}
        _TERMS[name] = Features(name, groups, len(groups), heuristic.observe, game.kernels["reward"], over)
    return _TERMS[name]
