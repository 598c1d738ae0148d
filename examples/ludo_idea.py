"""A heuristic for Ludo: a hunter that likes opponents within reach of its next roll.

Let it play a built-in heuristic, and ask it about a position:

    spar match ludo examples/ludo_idea.py:hunter one_ply:progress --players 2 --games 1000
    spar explain ludo --players 2 --agent examples/ludo_idea.py:hunter --position "7,0,20,0/31,0,0,0 A6"
"""

from sparring import Terms, Weight, heuristic
from sparring.games.ludo.danger import hit_chance
from sparring.games.ludo.heuristics import tokens_out
from sparring.games.ludo.rules import steps_walked
from sparring.games.ludo.state import TURN_OFF


# The weights. A term without one weighs 1. Weight also gives the range for tuning.
@heuristic("ludo", out=20, prey=Weight(0.5, low=0, high=3), risk=-1)
def hunter(s, me):
    """Steps, tokens on the board, the steps that others may lose to us, and those that we may lose to them."""
    prey = 0.0
    for player in range(s.players):
        if player != me:
            prey += at_stake(s, player)
    return Terms(steps=steps_walked(s, me), out=tokens_out(s, me), prey=prey, risk=at_stake(s, me))


def at_stake(s, player):
    """The steps of each token on the ring, times the chance that it is captured in the next rolls.

    A plain function of the same file. It is compiled together with the heuristic that calls it.
    """
    stake = 0.0
    for token in range(s.tokens):
        tile = s.at[player, token]
        if 0 < tile <= TURN_OFF:
            stake += tile * hit_chance(s, player, tile)
    return stake
