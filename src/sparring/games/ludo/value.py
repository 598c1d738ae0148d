"""The features of a position of Ludo, from which its value is learned.

The position is seen from the player's own seat: the tiles of all tokens, the tokens that the next rolls may send home,
and the player to roll. Few of these features are nonzero at a time.
"""

from pathlib import Path
from typing import Any

from sparring.agents.learned_value import LearnedValue, learned_value, value_kernels
from sparring.core.dice import roll
from sparring.core.kernel import kernel
from sparring.games.learnable import Features
from sparring.games.ludo.danger import hitting_rolls
from sparring.games.ludo.endgame import UNKNOWN, win_chance
from sparring.games.ludo.rules import mover, over, reward
from sparring.games.ludo.state import GOAL, HOME, QUARTER, SIX, TURN_OFF

SEATS, TOKENS, TILES = 4, 4, GOAL + 1
STANDING = 0
"""Features: the first, second ... token of a seat on a tile. Seats are counted from the player's own, in turn order."""
EXPOSED = STANDING + SEATS * TOKENS * TILES
"""Features: a token of a seat on a tile, times the chance that others than the player may send it home."""
HUNTED = EXPOSED + SEATS * TILES
"""Features: the same, for the chance that the player itself may send it home."""
ROLLING = HUNTED + SEATS * TILES  # features: the seat that rolls next
MOST = 3 * SEATS * TOKENS + 1  # largest number of features at a time
GROUPS = {
    **{"own": TOKENS * TILES, "rivals": (SEATS - 1) * TOKENS * TILES},
    **{"danger": TILES, "rivals_danger": (SEATS - 1) * TILES, "prey": SEATS * TILES, "turn": SEATS},
}
"""Groups for explanations: tiles of the own tokens and of rivals; own tokens in danger, rivals' tokens in danger from
each other, tokens that the player may send home; and the player to roll."""


@kernel
def seat_from(s: Any, me: int, player: int) -> int:
    """Return the seat of a player, counted from mine: 0 is my own, 1 the next in turn order."""
    return (s.start[player] - s.start[me]) // QUARTER & 3


@kernel
def observe(s: Any, me: int, features: Any, amounts: Any) -> int:
    """Write the features of a position as a player sees it, and their amounts. Return their number."""
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
    """Return the number of the player's tokens with lower numbers on the same tile."""
    count = 0
    for other in range(token):
        count += s.at[player, other] == s.at[player, token]
    return count


@kernel
def chances(s: Any, me: int, player: int, tile: int) -> tuple[float, float]:
    """Return the chance that others may send home a token on a tile, and the chance that I may, each with one roll."""
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
    """Return whether nothing that follows changes the player's reward."""
    return over(s) or s.place[me] != 0


@kernel
def table_of(s: Any) -> int:
    """Return the table for a position: games of two players have their own."""
    return int(s.players > 2)


@kernel
def random_first_player(s: Any, dice: Any) -> None:
    s.to_move = roll(dice, s.players)


FEATURES = Features("ludo", GROUPS, MOST, observe, reward, decided, table_of, random_first_player)

HIDDEN = 64  # hidden units of the nets that come with the game
ENDGAME = 2
"""Index of the exact table of endgames. Table 0 is for games of two, table 1 for games of more."""
net_value = value_kernels(FEATURES, HIDDEN)["value"]


@kernel
def strong_value(s: Any, me: int, weights: Any) -> float:
    """Return the exact chance to win where it is known, else that of the net."""
    if weights.tables[ENDGAME]:
        chance = win_chance(s, me, weights.tables[ENDGAME])
        if chance != UNKNOWN:
            return chance
    return net_value(s, me, weights)


def shipped(name: str, hidden: int) -> LearnedValue:
    """Return a value that comes with the game, for games of two and of more."""
    files = (Path(__file__).parent / "trained" / f"{name}_{players}.npz" for players in (2, 4))
    return learned_value(name, "ludo", FEATURES, hidden, *files)
