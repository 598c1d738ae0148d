"""The rules of Ludo.

The mover rolls the die and moves one token by it. A token leaves home only with a six. It walks 51 tiles of the ring
and then its own corridor into the goal. A token that lands on a token of another player sends it home, unless that
token is protected. A star carries a token on to the next star. A six gives another roll. A player that cannot move
passes. The first player with all tokens in goal wins.

A turn has two parts: `move_token` has no chance in it, and `rolled` is all chance. Between the two the die is 0.
"""

from typing import Any

from sparring.core.dice import roll
from sparring.core.kernel import hot, kernel
from sparring.games.kernels import CHANCE
from sparring.games.ludo.ludopy import move_as_ludopy
from sparring.games.ludo.state import (
    ALWAYS,
    BACK_BY_DIE,
    GOAL,
    HOME,
    IS_GLOBE,
    IS_STAR,
    NEVER,
    NEXT_STAR,
    RING,
    SIX,
    START,
    STAY,
    TURN_OFF,
)


@kernel
def mover(s: Any) -> int:
    return s.to_move & 3  # the mask saves a test for negative indices


@kernel
def over(s: Any) -> bool:
    return s.finished >= s.ends_after


# The board


@kernel
def same_tile(s: Any, player: int, tile: int, other: int) -> int:
    """Convert a tile of the ring from the numbers of one player to those of another. 52 is the tile behind the other
    player's start, on which it never stands: its own 52 is in the corridor."""
    tile += s.start[player] - s.start[other]
    if tile < 1:
        return tile + RING
    return tile - RING if tile > RING else tile


@kernel
def tokens_at(s: Any, player: int, tile: int) -> int:
    """Return the number of tokens of a player on a tile of its way."""
    count = 0
    for token in range(4):
        count += s.at[player, token] == tile
    return count


@kernel
def tokens_on_ring(s: Any, player: int, tile: int) -> int:
    """The same for any tile of the ring, also for the one behind the player's start."""
    return tokens_at(s, player, tile) if tile <= TURN_OFF else 0


@kernel
def steps_walked(s: Any, player: int) -> int:
    """Return the steps of all tokens of a player together."""
    steps = 0
    for token in range(4):  # tokens that do not take part are at home
        steps += s.at[player, token]
    return steps


@kernel
def is_protected(s: Any, count: int, own_tile: int, tile: int) -> bool:
    """Return whether tokens cannot be sent home: any tokens on a globe or on their own start, and two on any other
    tile. Exception: a token that leaves home sends all others home from its start."""
    if IS_GLOBE >> tile & 1 or own_tile == START:
        return True
    return count >= 2 and s.blockades != 0 and (tile != START or s.exit_fails != 0)


# What is legal


@kernel
def can_move(s: Any, here: int) -> bool:
    """Return whether the die moves a token on this tile."""
    if here == HOME:
        return s.die == SIX
    return here != GOAL and (s.overshoot != STAY or here + s.die <= GOAL)


@hot
def movable(s: Any) -> int:
    """Return the tokens that may move, as bits; none before the roll and when the game is over."""
    moves = 0
    if s.die:
        for token in range(4):
            moves |= can_move(s, s.at[mover(s), token]) << token
        moves &= (1 << s.tokens) - 1
    return moves


# The move


@hot
def landing(s: Any, here: int) -> int:
    """Return the tile to which the die brings a token if it is not sent home: with stars, and back from the goal."""
    if here == HOME:
        return START
    tile = here + s.die
    if tile > GOAL:
        return GOAL - s.die if s.overshoot == BACK_BY_DIE else 2 * GOAL - tile
    return NEXT_STAR[tile] if IS_STAR >> tile & 1 else tile


@kernel
def send_home(s: Any, player: int, tile: int) -> None:
    for token in range(4):
        if s.at[player, token] == tile:
            s.at[player, token] = HOME


@kernel
def arrive(s: Any, token: int, tile: int) -> bool:
    """Bring a token to a tile of the ring. Tokens there go home, or they are protected and send this token home."""
    me = mover(s)
    for other in range(4):  # players that do not take part have no token on the ring
        if other != me:
            own_tile = same_tile(s, me, tile, other)
            count = tokens_on_ring(s, other, own_tile)
            if count:
                if is_protected(s, count, own_tile, tile):
                    s.at[me, token] = HOME
                    return False
                send_home(s, other, own_tile)
    s.at[me, token] = tile
    return True


@kernel
def arrive_on_star(s: Any, token: int, star: int) -> None:
    """Bring a token to a star and on to the next star; the last star leads into the goal."""
    if s.first_stop_counts and not arrive(s, token, star):
        return
    if NEXT_STAR[star] == GOAL:
        s.at[mover(s), token] = GOAL
    else:
        arrive(s, token, NEXT_STAR[star])


@hot
def walk(s: Any, token: int) -> None:
    """Move a token. In its corridor it meets no other, but overshooting the goal may lead it back onto the ring."""
    here = s.at[mover(s), token]
    tile = START if here == HOME else here + s.die
    if tile > TURN_OFF and landing(s, here) != TURN_OFF:
        s.at[mover(s), token] = landing(s, here)
    elif tile > TURN_OFF:
        arrive(s, token, TURN_OFF)
    elif IS_STAR >> tile & 1:
        arrive_on_star(s, token, tile)
    else:
        arrive(s, token, tile)


@kernel
def next_turn(s: Any) -> None:
    """Pass the die to the next player that is still playing."""
    s.sixes = 0
    s.tries = 0
    if s.first_round:
        s.first_round -= 1
    following = s.to_move + 1
    while following == s.players or (s.place[following] != 0 and s.ludopy == 0):
        following = 0 if following == s.players else following + 1
    s.to_move = following


@kernel
def rolls_again(s: Any) -> bool:
    """Return whether the mover keeps the die after a six. A player with a place does not."""
    if s.die != SIX or s.six_again == NEVER or (s.place[mover(s)] != 0 and s.ludopy == 0):
        return False
    return s.six_again == ALWAYS or s.first_round == 0


@kernel
def pass_die(s: Any) -> None:
    if not rolls_again(s):
        next_turn(s)
    s.die = 0


@hot
def move_token(s: Any, token: int) -> None:
    """Move a token: the part of a turn without chance. Afterwards the mover is the player to roll next."""
    if s.ludopy:
        move_as_ludopy(s, token, landing(s, s.at[mover(s), token]))
    else:
        walk(s, token)
    if tokens_at(s, mover(s), GOAL) == s.tokens and s.place[mover(s)] == 0:
        s.finished += 1
        s.place[mover(s)] = s.finished
    if over(s):
        s.die = 0
    else:
        pass_die(s)


# The roll


@kernel
def may_try_again(s: Any) -> bool:
    """Return whether the mover, with all tokens at home, has another try to roll a six."""
    if s.tries + 1 >= s.home_tries or (s.late_tries == 0 and s.first_round == 0):
        return False
    return steps_walked(s, mover(s)) == 0


@hot
def rolled(s: Any, number: int) -> None:
    """Set the die to a number. If the mover cannot use it, the die passes and is 0 again."""
    s.die = number
    if s.max_sixes:
        s.sixes = s.sixes + 1 if number == SIX else 0
        if s.sixes == s.max_sixes:
            next_turn(s)
            s.die = 0
            return
    if movable(s):
        s.tries = 0
    elif may_try_again(s):
        s.tries += 1
        s.die = 0
    else:
        pass_die(s)


# The kernels of the game


@hot
def actors(s: Any) -> int:
    """The mover after its roll, and chance before it."""
    return 0 if over(s) else CHANCE if s.die == 0 else 1 << mover(s)


@hot
def legal(s: Any, player: int) -> int:
    return movable(s)


@hot
def apply(s: Any, joint: Any) -> None:
    move_token(s, joint.of[mover(s)])


@kernel
def outcomes(s: Any) -> int:
    return SIX


@kernel
def probability(s: Any, k: int) -> float:
    return 1 / SIX


@kernel
def happen(s: Any, k: int) -> None:
    rolled(s, k + 1)


@kernel
def draw(s: Any, dice: Any) -> int:
    """Roll once. Passes and lost sixes leave the die at 0: then the next player rolls."""
    number = roll(dice, SIX)
    rolled(s, number + 1)
    return number


# The end


@kernel
def ending(s: Any) -> int:
    """Return 1 if all places are taken, in games for all places."""
    return int(s.ends_after > 1)


@kernel
def score(s: Any, player: int) -> float:
    """Return the score of a finished game: 1 for the first place, in equal steps to 0 for the last or for none."""
    return (s.ends_after + 1 - s.place[player]) / s.ends_after if s.place[player] else 0.0


@kernel
def reward(s: Any, player: int) -> float:
    """Return the score from -1 to 1, as searches count."""
    return 2.0 * score(s, player) - 1.0
