"""A heuristic for Flag War: how good is a position for a side?

Why does it move as it does, and is it better than others?

    spar explain flagwar --agent idea.py --position "A1:3,8 B3:7,4"
    spar match flagwar idea.py seed --games 20
"""

from sparring import Terms, Weight, heuristic
from sparring.games.flagwar.heuristics import carrying, column, result, row
from sparring.games.flagwar.rules import alive, flag_cell, living, over


# The score of a position is the sum of its terms, each times its weight. A weight that is not given here is 1. A Weight
# also has the bounds within which `spar tune` may look for a better one. The result must outweigh all other terms.
@heuristic(
    "flagwar",
    result=Weight(100_000, low=100_000, high=100_000),
    flag=Weight(8000, low=0, high=20_000),
    pieces=Weight(1000, low=0, high=5000),
    near=Weight(100, low=0, high=1000),
)
def idea(s, me):
    """A flag in hand, more pieces than the enemy, and a short way to the enemy flag."""
    you = 1 - me
    if over(s):
        return Terms(result=result(s, me), flag=0, pieces=0, near=0)
    return Terms(
        result=0,
        flag=int(carrying(s, me)) - int(carrying(s, you)),
        pieces=living(s, me) - living(s, you),
        near=way_to_flag(s, you) - way_to_flag(s, me),
    )


def way_to_flag(s, side):
    """The distance of the nearest piece. Your own functions are compiled with the heuristic that calls them."""
    flag, steps = flag_cell(s, 1 - side), s.width + s.height
    for piece in range(s.pieces):
        if alive(s, side, piece):
            cell = s.at[side, piece]
            steps = min(steps, abs(column(cell) - column(flag)) + abs(row(cell) - row(flag)))
    return steps


# The fields and helpers you need most. docs/flagwar-reference.md has all of them. Cells are numbers; column(cell) and
# row(cell) say where they are. Side A is at home in the upper rows.
#
#   s.width, s.height, s.pieces     the size of the board, and the number of pieces of a side
#   s.rounds                        rounds played so far
#   s.at[side, piece]               the cell of a piece, if alive(s, side, piece)
#   s.carrier[side]                 the piece that carries the enemy flag, or -1
#   over(s), s.winner               true if the game is over, and the side that has won, or -1
#   own_row(s, side, cell)          the row from a side's own edge, in sparring.games.flagwar.rules
#   in_zone(s, side, cell)          true if a cell is in the zone around a side's flag, there too
#   open_way_home(s, side)          true if no enemy is in a carrier's way, in sparring.games.flagwar.heuristics
#
# Numbers, if, while and for ... in range(...) compile; dictionaries and lists do not.
