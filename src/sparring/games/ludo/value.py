"""The features of a position of Ludo, from which its value is learned.

The position is seen from the player's own seat: where everybody's tokens stand, which of them the next rolls may send
home, and who rolls next. Few of these features are there at a time.
"""

from pathlib import Path
from typing import Any

from sparring.agents.values import LearnedValue, learned_value, value_kernels
from sparring.core.dice import roll
from sparring.core.kernel import kernel
from sparring.games.learnable import Features
from sparring.games.ludo.danger import hitting_rolls
from sparring.games.ludo.endgame import UNKNOWN, win_chance
from sparring.games.ludo.rules import mover, over, reward
from sparring.games.ludo.state import GOAL, HOME, QUARTER, SIX, TURN_OFF

SEATS, TOKENS, TILES = 4, 4, GOAL + 1
STANDING = 0
"""The first, second ... token of a seat on a tile. Seats are counted from the player's own, with the turn."""
EXPOSED = STANDING + SEATS * TOKENS * TILES
"""A token of a seat on a tile, times the chance that others than the player may send it home."""
HUNTED = EXPOSED + SEATS * TILES
"""The same for the player itself sending it home."""
ROLLING = HUNTED + SEATS * TILES
"""The seat that rolls next. One always does, so that these are what the others are added to."""
MOST = 3 * SEATS * TOKENS + 1
"""There are never more features at a time."""
GROUPS = {
    **{"own": TOKENS * TILES, "rivals": (SEATS - 1) * TOKENS * TILES},
    **{"danger": TILES, "rivals_danger": (SEATS - 1) * TILES, "prey": SEATS * TILES, "turn": SEATS},
}
"""Where the own tokens stand, and those of others; what others may send home of the own and of each other's tokens;
what the player itself may send home; who rolls next."""


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
def decided(s: Any, me: int) -> bool:
    """Whether nothing that follows changes what a player gets."""
    return over(s) or s.place[me] != 0


@kernel
def table_of(s: Any) -> int:
    """Games of two are another game than those of more, and have a table of their own."""
    return int(s.players > 2)


@kernel
def anybody_begins(s: Any, dice: Any) -> None:
    s.to_move = roll(dice, s.players)


FEATURES = Features("ludo", GROUPS, MOST, observe, reward, decided, table_of, anybody_begins)

HIDDEN = 64
"""Units of the nets that come with the game."""
ENDGAME = 2
"""Of the tables of a value the first is for games of two, the second for games of more, and this for endgames."""
net_value = value_kernels(FEATURES, HIDDEN)["value"]


@kernel
def strong_value(s: Any, me: int, weights: Any) -> float:
    """The exact chance to win where it is known, else that of the net."""
    if weights.tables[ENDGAME]:
        chance = win_chance(s, me, weights.tables[ENDGAME])
        if chance != UNKNOWN:
            return chance
    return net_value(s, me, weights)


def shipped(name: str, hidden: int) -> LearnedValue:
    """A value that comes with the game, for games of two and of more."""
    files = (Path(__file__).parent / "trained" / f"{name}_{players}.npz" for players in (2, 4))
    return learned_value(name, "ludo", FEATURES, hidden, *files)
