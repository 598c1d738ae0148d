"""A heuristic for Ludo: how good is a position for a player, before anybody rolls?

Why does it move as it does, and is it any better than others?

    spar explain ludo --players 2 --agent idea.py --position "7,0,20,0/31,0,0,0 A6"
    spar match ludo idea.py one_ply --players 2 --games 1000
"""

from sparring import Terms, Weight, heuristic
from sparring.games.ludo.danger import expected_loss
from sparring.games.ludo.heuristics import tokens_out
from sparring.games.ludo.rules import steps_walked


# The value of a position is the sum of its terms, each times its weight. A weight is 1 if none is named here; a Weight
# also says between which bounds `spar tune` may look for a better one.
@heuristic("ludo", out=Weight(10, low=0, high=60), danger=Weight(1, low=-1, high=3))
def idea(s, me):
    """How far one has come, how many tokens are out, and what the next rolls of others may cost."""
    return Terms(
        steps=steps_walked(s, me) - most_walked(s, me),
        out=tokens_out(s, me),
        danger=0.0 - expected_loss(s, me),
    )


def most_walked(s, me):
    """By the other who has come furthest. A function of one's own is compiled with the heuristic that calls it."""
    most = 0
    for player in range(s.players):
        if player != me:
            most = max(most, steps_walked(s, player))
    return most


# What there is to see.
#
#   s.players, s.tokens     how many there are, of tokens for each player
#   s.to_move               who is to roll, 0 to 3; so is `me`
#   s.at[me, token]         steps from home: 0 at home, 1 to 51 on the ring, 52 to 56 in the corridor, 57 in goal
#   same_tile(s, me, tile, other)     what a tile of mine is to another player, from sparring.games.ludo.rules
#   tokens_at(s, me, tile)            how many tokens a player has there, from there
#   IS_STAR >> tile & 1, IS_GLOBE >> tile & 1     whether a tile is one, from sparring.games.ludo.state
#   hit_chance(s, me, tile)           of being sent home from a tile, from sparring.games.ludo.danger
#
# Numbers, if, while and for ... in range(...) compile; dictionaries and lists do not.
