"""What a position is worth to a player: the chance that it wins, as learned from play.

The position is seen from the player's own seat: where everybody's tokens stand, which of them the next rolls may send
home, and who rolls next. Few of these features are there at a time, so that a table of numbers for each is read only
where it counts. A linear value has one number a feature and adds them up. A network has a row for each besides, from
which hidden units are added up, and gives these numbers of their own.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.files import arrays, written_whole
from sparring.core.kernel import Weights, address_of, entry, heuristic_signature, kernel, number_at, record_type
from sparring.core.terms import Heuristic, Weight
from sparring.games.ludo.danger import hitting_rolls
from sparring.games.ludo.endgame import UNKNOWN, win_chance
from sparring.games.ludo.rules import mover, over, score
from sparring.games.ludo.state import GOAL, HOME, QUARTER, SIX, TURN_OFF, State

SEATS, TOKENS, TILES = 4, 4, GOAL + 1
STANDING = 0
"""The first, second ... token of a seat on a tile. Seats are counted from the player's own, with the turn."""
EXPOSED = STANDING + SEATS * TOKENS * TILES
"""A token of a seat on a tile, times the chance that others than the player may send it home."""
HUNTED = EXPOSED + SEATS * TILES
"""The same for the player itself sending it home."""
ROLLING = HUNTED + SEATS * TILES
"""The seat that rolls next. One always does, so that these are what the others are added to."""
FEATURES = ROLLING + SEATS
MOST = 3 * SEATS * TOKENS + 1
"""There are never more features at a time."""

HIDDEN = 64
SIZE = {"linear": FEATURES, "net": FEATURES + HIDDEN + FEATURES * HIDDEN}
"""How many numbers there are in a table of each kind."""

ENDGAME = 2
"""Of the tables of a value the first is for games of two, the second for games of more, and this for endgames."""

GROUPS = ("own", "rivals", "danger", "rivals_danger", "prey", "turn")
"""Where the own tokens stand, and those of others; what others may send home of the own and of each other's tokens;
what the player itself may send home; who rolls next."""
GROUP = np.repeat(
    np.arange(len(GROUPS)),
    [TOKENS * TILES, (SEATS - 1) * TOKENS * TILES, TILES, (SEATS - 1) * TILES, SEATS * TILES, SEATS],
)
"""The group of each feature."""


@kernel
def seat_from(s: Any, me: int, player: int) -> int:
    """Where a player sits, counted from my seat: 0 is my own, 1 the next that is on its turn if somebody sits there."""
    return (s.start[player] - s.start[me]) // QUARTER & 3


@kernel
def observe(s: Any, me: int, features: Any, amounts: Any) -> int:
    """The features of a position as a player sees it, and how much of each; returns how many there are."""
    features[0], amounts[0] = ROLLING + seat_from(s, me, mover(s)), 1.0
    found = 1
    for player in range(s.players):
        seat = seat_from(s, me, player)
        for token in range(s.tokens):
            tile = s.at[player, token]
            features[found] = STANDING + (seat * TOKENS + tokens_before(s, player, token)) * TILES + tile
            amounts[found] = 1.0
            found += 1
            if HOME < tile <= TURN_OFF:
                by_others, by_me = chances(s, me, player, tile)
                if by_others > 0:
                    features[found], amounts[found] = EXPOSED + seat * TILES + tile, by_others
                    found += 1
                if by_me > 0:
                    features[found], amounts[found] = HUNTED + seat * TILES + tile, by_me
                    found += 1
    return found


@kernel
def tokens_before(s: Any, player: int, token: int) -> int:
    """How many of a player's tokens with lower numbers stand on the same tile."""
    count = 0
    for other in range(token):
        count += s.at[player, other] == s.at[player, token]
    return count


@kernel
def chances(s: Any, me: int, player: int, tile: int) -> tuple[float, float]:
    """The chance that others than me may send home who stands on a tile, and that I may, each with one roll."""
    spared, by_me = 1.0, 0.0
    for other in range(s.players):
        if other != player:
            chance = hitting_rolls(s, other, player, tile) / SIX
            if other == me:
                by_me = chance
            else:
                spared *= 1 - chance
    return 1 - spared, by_me


@kernel
def chance_of(sum_: float) -> float:
    """Sums of numbers are logarithms of odds."""
    return 1 / (1 + math.exp(-sum_))


@kernel
def linear_sum(features: Any, amounts: Any, found: int, table: int) -> float:
    total = 0.0
    for place in range(found):
        total += amounts[place] * number_at(table, features[place])
    return total


@kernel
def add_up_hidden(features: Any, amounts: Any, found: int, table: int, units: Any) -> float:
    """What the hidden units come to, and what they add to the sum. Those below zero are silent."""
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


@kernel
def decided(s: Any, me: int) -> bool:
    """Whether nothing that follows changes what a player gets."""
    return over(s) or s.place[me] != 0


@kernel
def table_for(s: Any, weights: Any) -> int:
    """Games of two are another game than those of more, and have a table of their own."""
    return weights.tables[int(s.players > 2)]


@kernel
def linear_value(s: Any, me: int, weights: Any) -> float:
    """The chance to win, learned in self-play: a number for whatever can be seen, added up in groups."""
    if decided(s, me):
        return score(s, me)
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    total, table = 0.0, table_for(s, weights)
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        total += weights.of[GROUP[feature]] * amounts[place] * number_at(table, feature)
    return chance_of(total)


@kernel
def linear_terms(s: Any, me: int, weights: Any, terms: Any) -> None:
    """What each group adds to the sum."""
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    table = table_for(s, weights)
    for place in range(observe(s, me, features, amounts)):
        feature = features[place]
        terms[GROUP[feature]] += amounts[place] * number_at(table, feature)


@kernel
def net_value(s: Any, me: int, weights: Any) -> float:
    """The chance to win, learned in self-play: a small network."""
    if decided(s, me):
        return score(s, me)
    features, amounts = np.empty(MOST, np.int64), np.empty(MOST, np.float32)
    units, table = np.empty(HIDDEN, np.float32), table_for(s, weights)
    found = observe(s, me, features, amounts)
    total = linear_sum(features, amounts, found, table)
    return chance_of(total + add_up_hidden(features, amounts, found, table, units))


@kernel
def strong_value(s: Any, me: int, weights: Any) -> float:
    """The exact chance to win where it is known, else that of the net."""
    if weights.tables[ENDGAME]:
        chance = win_chance(s, me, weights.tables[ENDGAME])
        if chance != UNKNOWN:
            return chance
    return net_value(s, me, weights)


@dataclass(frozen=True)
class LearnedValue(Heuristic):
    """A value whose numbers are in files: one table for games of two players, and one for games of more."""

    files: tuple[Path, Path]

    def weigh(self, chosen: Mapping[str, float] | None = None) -> Any:
        weighed = super().weigh(chosen)
        weighed.tables[:2] = [address_of(read(file)[0]) for file in self.files]
        return weighed

    def score(self, state: np.dtype[Any]) -> Any:
        return entry(self.function, heuristic_signature(state))

    def terms(self, state: Any, player: int) -> dict[str, float]:
        """As logarithms of odds: the chance to win is what their sum stands for."""
        found = np.zeros(len(self.weights))
        if self.weights and not decided(state, player):
            signature = types.void(record_type(State), types.int64, record_type(Weights), types.float64[::1])
            entry(linear_terms, signature)(state, player, self.weigh(), found)
        return dict(zip(self.weights, found.tolist(), strict=True))


def read(file: Path) -> tuple[Any, dict[str, Any]]:
    """A table, and how it was made."""
    try:
        return _read(file, file.stat().st_mtime_ns)
    except (OSError, ValueError, KeyError) as error:
        makes = "`spar learn ludo --td linear --out FILE.npz` makes one"
        raise SparringError(f"{file} holds no learned value; {makes}") from error


@cache
def _read(file: Path, changed: int) -> tuple[Any, dict[str, Any]]:
    """Kept for good, because compiled code may have the table's address."""
    kept = arrays(file)
    table, made = kept["table"].astype(np.float32), json.loads(str(kept["made"]))
    if table.shape != (SIZE[made["kind"]],):
        raise ValueError("another number of features")
    return table, made


def write(file: Path, table: Any, made: Mapping[str, Any]) -> None:
    """Half the digits are enough, and half the file."""
    with written_whole(file) as part, part.open("wb") as stream:
        np.savez_compressed(stream, table=table.astype(np.float16), made=json.dumps(made))


def learned(name: str, *files: Path) -> LearnedValue:
    """The value in a file, or in one for games of two and another for games of more."""
    net = read(files[0])[1]["kind"] == "net"
    groups = {} if net else {group: Weight() for group in GROUPS}
    return LearnedValue(name, "ludo", net_value if net else linear_value, groups, False, (files[0], files[-1]))
