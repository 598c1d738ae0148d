"""How the package ludopy, version 1.5.0, moves a token: with everything in it that contradicts its own description.

Only `rules="ludopy"` comes here. A test plays hundreds of games in step with the package. What differs from rules.py:

- The first tile of a corridor is confused with the tile of the ring behind the owner's start. A token that enters its
  corridor there meets who stands on the ring, and a token that rests there is met from the ring: by who lands behind
  the start, and by who lands on the start itself.
- Where two players stand on one tile, only the first one after the mover is looked at.
- A blockade on the first star of a jump sends the mover home, but who stands on the second star is still met.
- Overshooting the goal leads to 57 less the die, wherever the token came from. That may be the ring, where it then
  meets nobody.
- Leaving home onto a blockade fails.
- Who has all tokens in goal goes on rolling the die.
"""

from typing import Any

from sparring.core.kernel import cold, kernel
from sparring.games.ludo.state import (
    CORRIDOR,
    HOME,
    IS_GLOBE,
    IS_STAR,
    NEXT_STAR,
    RING,
    SIX,
    START,
    TURN_OFF,
)


@kernel
def is_met(here: int, own_tile: int) -> bool:
    """Whether a token is taken to stand on a tile, which its owner numbers so."""
    return here == own_tile or (own_tile == START and here == CORRIDOR)


@kernel
def first_met(s: Any, me: int, tile: int) -> tuple[int, int, int]:
    """The first other player on a tile of mine, what the tile is to that player, and how many tokens are there."""
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
    """One token on the tile is sent home; more of them send the mover home."""
    other, own_tile, count = first_met(s, s.to_move & 3, tile)
    if count > 1:
        s.at[s.to_move, token] = HOME
    elif count == 1:
        for theirs in range(4):
            if is_met(s.at[other, theirs], own_tile):
                s.at[other, theirs] = HOME


@kernel
def stands_firm_there(s: Any, me: int, tile: int) -> bool:
    """Whoever stands on a globe, and the owner of a start."""
    _, own_tile, count = first_met(s, me, tile)
    return count > 0 and (IS_GLOBE >> tile & 1 != 0 or own_tile == START)


@cold
def move_as_ludopy(s: Any, token: int, landing: int) -> None:
    """Move a token to its landing tile. It meets whoever stands there, and on the star that carries it there."""
    me = s.to_move & 3
    here = s.at[me, token]
    s.at[me, token] = landing
    if here >= CORRIDOR:
        return
    tile = START if here == HOME else here + s.die
    if tile <= TURN_OFF and IS_STAR >> tile & 1:
        meet(s, token, tile)
        if tile != TURN_OFF:
            meet(s, token, landing)
    elif tile <= TURN_OFF and stands_firm_there(s, me, tile):
        s.at[me, token] = HOME
    else:
        meet(s, token, tile)


@cold
def sends_home(s: Any, player: int, here: int, die: int, me: int, tile: int) -> bool:
    """Whether a player's token, moved by the die, sends home a token of mine. The same as such a move, without it."""
    if here >= CORRIDOR or (here == HOME and die != SIX):
        return False
    stop = START if here == HOME else here + die
    if stop <= TURN_OFF and IS_STAR >> stop & 1:
        return met_alone(s, player, stop, me, tile) or (
            stop != TURN_OFF and met_alone(s, player, NEXT_STAR[stop], me, tile)
        )
    if stop <= TURN_OFF and stands_firm_there(s, player, stop):
        return False
    return met_alone(s, player, stop, me, tile)


@kernel
def met_alone(s: Any, player: int, stop: int, me: int, tile: int) -> bool:
    """Whether a player that stops on a tile meets one token, mine on its tile."""
    other, own_tile, count = first_met(s, player, stop)
    return other == me and count == 1 and is_met(tile, own_tile)
