"""A heuristic for Isolation: how good is a position for a player?

Why does it move as it does, and is it any better than others?

    spar explain isolation --agent idea.py --position "d4 e6 f5"
    spar match isolation idea.py improved --games 100
"""

from sparring import Terms, Weight, heuristic
from sparring.core.bits import count
from sparring.games.isolation.heuristics import distance, second_exits
from sparring.games.isolation.rules import exits, opponent


# The value of a position is the sum of its terms, each times its weight. A weight is 1 if none is named here; a Weight
# also says between which bounds `spar tune` may look for a better one.
@heuristic("isolation", later=Weight(0.5, low=-2, high=2), near=Weight(1, low=-2, high=2))
def idea(s, me):
    """Moves now, moves later, and the opponent near at hand."""
    you = opponent(me)
    return Terms(
        moves=count(exits(s, me)) - count(exits(s, you)),
        later=count(second_exits(s, me)) - count(second_exits(s, you)),
        near=0.0 - distance(s),
    )


# A heuristic may use these. Cells are numbers, and a set of cells is one integer with a bit for each.
#
#   s.to_move          the player to move, 0 or 1; `me` and `you` are such numbers too
#   s.at[me]           the cell of a player
#   s.blocked          the set of cells that were ever entered
#   exits(s, me)       the set of cells that a player could enter now; count(...) is their number
#   free(s)            the set of cells that were never entered, from sparring.games.isolation.rules
#   reach(s, cell)     the free cells one move from a cell, from the same file
#   row_of(s, me), column_of(s, me)     the place of a player, from sparring.games.isolation.heuristics
#
# Functions of your own in this file are compiled with it. Numbers, if, while and for ... in range(...) compile;
# dictionaries and lists do not.
