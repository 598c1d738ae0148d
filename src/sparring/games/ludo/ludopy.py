"""Moves as in the package ludopy, version 1.5.0, with its bugs. Only `rules="ludopy"` uses this file.

A test plays hundreds of games in step with the package. The differences from rules.py:

- The first tile of a corridor is confused with the tile of the ring behind the owner's start. A token that enters its
  corridor there meets tokens on the ring. A token that rests there is met from the ring, by tokens that land behind the
  start or on the start itself.
- Where two players stand on one tile, only the first one after the mover is met.
- A blockade on the first star of a jump sends the mover home, but tokens on the second star are still met.
- Overshooting the goal leads to 57 less the die. If that is on the ring, the token meets nobody there.
- Leaving home onto a blockade fails.
- A player with all tokens in goal goes on rolling the die.
"""

from typing import Any

from sparring.core.kernel import cold, kernel
from sparring.games.ludo.state import CORRIDOR, HOME, IS_GLOBE, IS_STAR, NEXT_STAR, RING, SIX, START, TURN_OFF


@kernel
def is_met(here: int, own_tile: int) -> bool:
    """Return whether ludopy takes a token to stand on a tile of its owner."""
    return here == own_tile or (own_tile == START and here == CORRIDOR)


@kernel
def first_met(s: Any, me: int, tile: int) -> tuple[int, int, int]:
    """Return the first other player on a tile of mine, the tile in its numbers, and the number of its tokens there."""
    for after in range(1, s.players if tile <= CORRIDOR else 1):
        other = me + after if me + after < s.players else me + after - s.players
        own_tile = (tile - 1 + s.start[me] - s.start[other]) % RING + 1
        count = 0
        for token in range(4):
            count += is_met(s.at[other, token], own_tile)
        if count:
            return other, own_tile, count
    return -1, 0, 0


@kernel
def meet(s: Any, token: int, tile: int) -> None:
    """A single token on the tile is sent home; more tokens send the mover home."""
    other, own_tile, count = first_met(s, s.to_move & 3, tile)
    if count > 1:
        s.at[s.to_move, token] = HOME
    elif count == 1:
        for theirs in range(4):
            if is_met(s.at[other, theirs], own_tile):
                s.at[other, theirs] = HOME


@kernel
def is_protected_in_ludopy(s: Any, me: int, tile: int) -> bool:
    """Return whether tokens on a tile are protected: on a globe, and on their own start."""
    _, own_tile, count = first_met(s, me, tile)
    return count > 0 and (IS_GLOBE >> tile & 1 != 0 or own_tile == START)


@kernel
def stops(here: int, die: int) -> tuple[int, int]:
    """Return the tile to which the die leads, and the one to which a star carries on; HOME if no token is met there."""
    tile = START if here == HOME else here + die
    return tile, NEXT_STAR[tile] if tile < TURN_OFF and IS_STAR >> tile & 1 else HOME


@cold
def move_as_ludopy(s: Any, token: int, landing: int) -> None:
    """Move a token to its landing tile. It meets the tokens there, and those on the star that carries it on."""
    me = s.to_move & 3
    here = s.at[me, token]
    s.at[me, token] = landing
    if here >= CORRIDOR:
        return
    first, second = stops(here, s.die)
    if is_protected_in_ludopy(s, me, first):
        s.at[me, token] = HOME
        return
    meet(s, token, first)
    if second != HOME:
        meet(s, token, second)


@cold
def sends_home(s: Any, player: int, here: int, die: int, me: int, tile: int) -> bool:
    """Return whether a move of a player's token would send home a token of mine."""
    if here >= CORRIDOR or (here == HOME and die != SIX):
        return False
    first, second = stops(here, die)
    if is_protected_in_ludopy(s, player, first):
        return False
    return met_alone(s, player, first, me, tile) or (second != HOME and met_alone(s, player, second, me, tile))


@kernel
def met_alone(s: Any, player: int, stop: int, me: int, tile: int) -> bool:
    """Return whether a player that stops on a tile meets a single token, and it is mine."""
    other, own_tile, count = first_met(s, player, stop)
    return other == me and count == 1 and is_met(tile, own_tile)
