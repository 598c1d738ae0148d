"""A heuristic for Ludo: how good is a position for a player, before the next roll?

See why it moves as it does, and whether it is better than others:

    spar explain ludo --players 2 --agent idea.py --position "7,0,20,0/31,0,0,0 A6"
    spar match ludo idea.py one_ply --players 2 --games 1000
"""

from sparring import Terms, Weight, heuristic
from sparring.games.ludo.danger import expected_loss
from sparring.games.ludo.heuristics import tokens_out
from sparring.games.ludo.rules import steps_walked


# The value of a position is the sum of its terms, each times its weight. A weight that is not named here is 1. A Weight
# also sets the bounds between which `spar tune` may look for a better one.
@heuristic("ludo", out=Weight(10, low=0, high=60), danger=Weight(1, low=-1, high=3))
def idea(s, me):
    """Lead in steps, tokens out of home, and the steps that the next rolls of others may cost."""
    return Terms(
        steps=steps_walked(s, me) - most_walked(s, me),
        out=tokens_out(s, me),
        danger=0.0 - expected_loss(s, me),
    )


def most_walked(s, me):
    """Return the steps of the other player with most steps. Your own functions are compiled with the heuristic."""
    most = 0
    for player in range(s.players):
        if player != me:
            most = max(most, steps_walked(s, player))
    return most


# A heuristic may use:
#
#   s.players, s.tokens     the number of players, and of tokens of each player
#   s.to_move               the player to roll, 0 to 3, as `me`
#   s.at[me, token]         steps from home: 0 at home, 1 to 51 on the ring, 52 to 56 in the corridor, 57 in goal
#   same_tile(s, me, tile, other)     the number of a tile of mine for another player, from sparring.games.ludo.rules
#   tokens_at(s, me, tile)            the number of tokens of a player on a tile, from there
#   IS_STAR >> tile & 1, IS_GLOBE >> tile & 1     whether a tile is a star or a globe, from sparring.games.ludo.state
#   hit_chance(s, me, tile)           the chance to be sent home from a tile, from sparring.games.ludo.danger
#
# Numbers, if, while and for ... in range(...) compile; dictionaries and lists do not.
