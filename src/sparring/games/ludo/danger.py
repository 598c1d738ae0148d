"""Who may be sent home by the next roll of whom. Exact for one roll; the other roll that a six gives is not counted."""

from typing import Any

from sparring.bits import count
from sparring.games.ludo.rules import SIX, same_tile, stands_firm, tokens_at, tokens_on_ring
from sparring.games.ludo.state import GOAL, HOME, IS_STAR, NEXT_STAR, START, TURN_OFF
from sparring.kernel import kernel

LONGEST_STEP = 13
"""Six steps to a star, and seven on to the next."""


@kernel
def expected_loss(s: Any, me: int) -> float:
    """The steps of each own token times the chance that it is hit."""
    loss = 0.0
    for token in range(s.tokens):
        tile = s.at[me, token]
        loss += tile * hit_chance(s, me, tile)
    return loss


@kernel
def hit_chance(s: Any, me: int, tile: int) -> float:
    """The chance that some opponent can send home who stands there, with its next roll."""
    if tile == HOME or tile > TURN_OFF:
        return 0.0
    spared = 1.0
    for other in range(s.players):
        if other != me:
            spared *= 1 - hitting_rolls(s, other, me, tile) / SIX
    return 1 - spared


@kernel
def hitting_rolls(s: Any, other: int, me: int, tile: int) -> int:
    """How many of the six numbers let a player send home who stands on a tile of mine."""
    aim = same_tile(s, me, tile, other)
    if aim > TURN_OFF or stands_firm(s, tokens_at(s, me, tile), tile, aim):
        return 0
    rolls = 0
    for token in range(s.tokens):
        here = s.at[other, token]
        if here < aim <= here + LONGEST_STEP:
            for die in range(1, SIX + 1):
                rolls |= strikes(s, other, here, die, aim) << die
    return count(rolls)


@kernel
def strikes(s: Any, player: int, here: int, die: int, aim: int) -> bool:
    """Whether a token lands on a tile with a number, be it the first or the second star of a jump."""
    if here == GOAL or (here == HOME and die != SIX):
        return False
    tile = START if here == HOME else here + die
    if tile > TURN_OFF:
        return False
    if IS_STAR >> tile & 1 == 0:
        return tile == aim
    if s.first_stop_counts and (tile == aim or barred(s, player, tile)):
        return tile == aim
    return NEXT_STAR[tile] == aim


@kernel
def barred(s: Any, player: int, tile: int) -> bool:
    """Whether somebody stands firm on a tile of a player."""
    found = False
    for other in range(s.players):
        if other != player:
            own_tile = same_tile(s, player, tile, other)
            standing = tokens_on_ring(s, other, own_tile)
            found |= standing > 0 and stands_firm(s, standing, own_tile, tile)
    return found
