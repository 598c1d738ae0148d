"""A heuristic for Flag War: how good is a position for a side?

Why does it move as it does, and is it any better than others?

    spar explain flagwar --agent idea.py --position "A1:3,8 B3:7,4"
    spar match flagwar idea.py seed --games 20
"""

from sparring import Terms, Weight, heuristic
from sparring.games.flagwar.heuristics import carrying, column, result, row
from sparring.games.flagwar.rules import alive, flag_cell, living, over


# The value of a position is the sum of its terms, each times its weight. A weight is 1 if none is named here; a Weight
# also says between which bounds `spar tune` may look for a better one. The result must outweigh all else.
@heuristic(
    "flagwar",
    result=Weight(100_000, low=100_000, high=100_000),
    flag=Weight(8000, low=0, high=20_000),
    pieces=Weight(1000, low=0, high=5000),
    near=Weight(100, low=0, high=1000),
)
def idea(s, me):
    """A flag in hand, more pieces than the others, and a way to go to their flag that is short."""
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
    """Of the piece that is nearest to it. A function of one's own is compiled with the heuristic that calls it."""
    flag, steps = flag_cell(s, 1 - side), s.width + s.height
    for piece in range(s.pieces):
        if alive(s, side, piece):
            cell = s.at[side, piece]
            steps = min(steps, abs(column(cell) - column(flag)) + abs(row(cell) - row(flag)))
    return steps


# What there is to see. Cells are numbers; column(cell) and row(cell) tell where they are. A is at home in the
# upper rows.
#
#   s.width, s.height, s.pieces     of the board, and of each side
#   s.rounds                        that were played
#   s.at[side, piece]               the cell of a piece, if alive(s, side, piece)
#   s.carrier[side]                 which piece has the flag of the other side, or -1
#   over(s), s.winner               whether the game is over, and who has won it, or -1
#   own_row(s, side, cell)          rows from a side's own edge, from sparring.games.flagwar.rules
#   in_zone(s, side, cell)          whether a cell is in the zone around a side's flag, from there
#   open_way_home(s, side)          whether nobody stops who has the flag, from sparring.games.flagwar.heuristics
#
# Numbers, if, while and for ... in range(...) compile; dictionaries and lists do not.
