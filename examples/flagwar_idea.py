"""A heuristic for Flag War: a guard that keeps opponents out of its own land.

Let it play a built-in agent, and ask it about the first round:

    spar match flagwar examples/flagwar_idea.py:guard seed --games 10
    spar explain flagwar --agent examples/flagwar_idea.py:guard --player A
"""

from sparring import Terms, Weight, heuristic
from sparring.games.flagwar.heuristics import flag, in_active_zone, pieces, result, way_home
from sparring.games.flagwar.rules import alive, over, own_row
from sparring.games.flagwar.state import HOME_ROWS


# The weights. A term without one weighs 1. Weight also gives the range for tuning. The result outweighs all others.
@heuristic(
    "flagwar",
    result=Weight(100_000, low=100_000, high=100_000),
    flag=8000,
    in_zone=2000,
    pieces=1000,
    way_home=1000,
    intruders=Weight(-300, low=-2000, high=0),
)
def guard(s, me):
    """Flags, zones and pieces like the built-in heuristics, and few opponents in our own land."""
    intruders = 0 if over(s) else in_land_of(s, me) - in_land_of(s, 1 - me)
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        pieces=pieces(s, me),
        way_home=way_home(s, me),
        intruders=intruders,
    )


def in_land_of(s, side):
    """The number of enemy pieces in the land of a side.

    A plain function of the same file. It is compiled together with the heuristic that calls it.
    """
    count = 0
    for piece in range(s.pieces):
        count += alive(s, 1 - side, piece) and own_row(s, side, s.at[1 - side, piece]) < HOME_ROWS
    return count
