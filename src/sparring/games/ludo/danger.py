"""The chance that tokens are sent home by the next roll of another player, without a second roll after a six."""

from typing import Any

import numpy as np

from sparring.core.bits import count
from sparring.core.kernel import kernel
from sparring.games.ludo.ludopy import sends_home
from sparring.games.ludo.rules import is_protected, same_tile, tokens_at, tokens_on_ring
from sparring.games.ludo.state import BACK_BY_DIE, CORRIDOR, GOAL, HOME, IS_STAR, SIX, STARS, START, TURN_OFF

STAR_BEFORE = np.zeros(TURN_OFF + 1, np.int64)
STAR_BEFORE[list(STARS[1:])] = STARS[:-1]  # the star before each star; HOME before the first


@kernel
def expected_loss(s: Any, me: int) -> float:
    """Return the steps of each own token times the chance that it is hit."""
    loss = 0.0
    for token in range(s.tokens):
        tile = s.at[me, token]
        loss += tile * hit_chance(s, me, tile)
    return loss


@kernel
def hit_chance(s: Any, me: int, tile: int) -> float:
    """Return the chance that an opponent can send home a token on a tile with its next roll."""
    if tile == HOME or tile > (CORRIDOR if s.ludopy else TURN_OFF):
        return 0.0
    spared = 1.0
    for other in range(s.players):
        if other != me:
            spared *= 1 - hitting_rolls(s, other, me, tile) / SIX
    return 1 - spared


@kernel
def hitting_rolls(s: Any, other: int, me: int, tile: int) -> int:
    """Return how many of the six numbers let a player send home a token on a tile of mine: by landing there, by the
    star before it, or by overshooting the goal, where that leads back onto the ring."""
    if s.ludopy:
        return hitting_rolls_of_ludopy(s, other, me, tile)
    aim = same_tile(s, me, tile, other)
    if aim > TURN_OFF or is_protected(s, tokens_at(s, me, tile), tile, aim):
        return 0
    near, far = aim, HOME
    if IS_STAR >> aim & 1:
        near = aim if s.first_stop_counts else HOME
        far = STAR_BEFORE[aim]
        if s.first_stop_counts and far and barred(s, other, far):
            far = HOME
    thrown_back = s.overshoot == BACK_BY_DIE and aim == GOAL - SIX
    rolls = 0
    for token in range(s.tokens):
        here = s.at[other, token]
        rolls |= roll_to(here, near) | roll_to(here, far) | (thrown_back and CORRIDOR <= here < GOAL) << SIX
    return count(rolls)


@kernel
def hitting_rolls_of_ludopy(s: Any, other: int, me: int, tile: int) -> int:
    rolls = 0
    for token in range(s.tokens):
        for die in range(1, SIX + 1):
            rolls |= sends_home(s, other, s.at[other, token], die, me, tile) << die
    return count(rolls)


@kernel
def roll_to(here: int, tile: int) -> int:
    """Return the number that brings a token to a tile of the ring, as a bit; none for HOME."""
    if here == HOME:
        return 1 << SIX if tile == START else 0
    return 1 << (tile - here) if 0 < tile - here <= SIX else 0


@kernel
def barred(s: Any, player: int, tile: int) -> bool:
    """Return whether another player's protected tokens are on a tile of a player."""
    found = False
    for other in range(s.players):
        if other != player:
            own_tile = same_tile(s, player, tile, other)
            standing = tokens_on_ring(s, other, own_tile)
            found |= standing > 0 and is_protected(s, standing, own_tile, tile)
    return found
