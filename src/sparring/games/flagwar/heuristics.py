"""What the game's two evaluators value, each as it was written and corrected.

Every term is what holds for a player less what holds for the other, so that they are zero-sum with any weights. A game
that is over is worth its result and nothing else.

As it was written, winning is worth little more than carrying the flag; a piece in the other's zone counts only while
both flags are at home, where one would do; pieces that come out of jail count as if they had been lost by the others;
and there is a term that is never anything but zero after a whole round, since who is on a flag has taken it.
"""

from typing import Any

from sparring.core.kernel import kernel
from sparring.core.terms import Terms, Weight, heuristic
from sparring.games.flagwar import places
from sparring.games.flagwar.rules import (
    alive,
    flag_at_home,
    flag_cell,
    in_zone,
    living,
    over,
    own_row,
)
from sparring.games.flagwar.state import HOME_ROWS, NOBODY, STRIDE_BITS, B

column, row = kernel(places.column), kernel(places.row)

ABOVE_ALL = Weight(100_000, low=100_000, high=100_000)
"""What winning counts: there is nothing to be tuned about it."""


@heuristic("flagwar", result=10_000, flag=8000, on_flag=3000, in_zone=1000, back_wall=500, pieces=200)
def quick_as_written(s, me):
    """Who has a flag, stands on one, is in a zone or in the last row, and how many pieces there are."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        on_flag=on_flag(s, me),
        in_zone=in_zone_with_both_flags_home(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
    )


@heuristic("flagwar", result=10_000, flag=8000, on_flag=3000, in_zone=1000, back_wall=500, pieces=200, captures=1000)
def detailed_as_written(s, me):
    """The same, and how many fewer pieces there are than before the round."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        on_flag=on_flag(s, me),
        in_zone=in_zone_with_both_flags_home(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
        captures=change_of_pieces(s, me),
    )


@heuristic("flagwar", result=ABOVE_ALL, flag=8000, in_zone=1000, back_wall=500, pieces=200)
def quick_corrected(s, me):
    """Winning above all; then flags, zones, the last row and pieces."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
    )


@heuristic("flagwar", result=ABOVE_ALL, flag=8000, in_zone=1000, back_wall=500, pieces=200, captures=1000)
def detailed_corrected(s, me):
    """The same, and whom the round has jailed."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
        captures=captures(s, me),
    )


@heuristic(
    "flagwar",
    result=ABOVE_ALL,
    flag=8000,
    in_zone=2500,
    pieces=1000,
    last_piece=-2000,
    way_home=1000,
    back_wall=100,
    off_centre=-10,
)
def raid(s, me):
    """A piece in their zone is safe and a threat, and pieces are few: what the others miss, weighed by trial."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        pieces=pieces(s, me),
        last_piece=last_piece(s, me),
        way_home=way_home(s, me),
        back_wall=back_wall(s, me),
        off_centre=off_centre(s, me),
    )


# The terms: what holds for a player less what holds for the other


@kernel
def result(s: Any, me: int) -> int:
    if not over(s) or s.winner == NOBODY:
        return 0
    return 1 if s.winner == me else -1


@kernel
def flag(s: Any, me: int) -> int:
    return 0 if over(s) else int(carrying(s, me)) - int(carrying(s, 1 - me))


@kernel
def on_flag(s: Any, me: int) -> int:
    return 0 if over(s) else on_their_flag(s, me) - on_their_flag(s, 1 - me)


@kernel
def in_active_zone(s: Any, me: int) -> int:
    return 0 if over(s) else in_their_active_zone(s, me) - in_their_active_zone(s, 1 - me)


@kernel
def in_zone_with_both_flags_home(s: Any, me: int) -> int:
    return 0 if carrying(s, me) or carrying(s, 1 - me) else in_active_zone(s, me)


@kernel
def back_wall(s: Any, me: int) -> int:
    return 0 if over(s) else on_their_back_wall(s, me) - on_their_back_wall(s, 1 - me)


@kernel
def pieces(s: Any, me: int) -> int:
    return 0 if over(s) else living(s, me) - living(s, 1 - me)


@kernel
def captures(s: Any, me: int) -> int:
    return 0 if over(s) else s.lost[1 - me] - s.lost[me]


@kernel
def change_of_pieces(s: Any, me: int) -> int:
    return 0 if over(s) else captures(s, me) - s.freed[1 - me] + s.freed[me]


@kernel
def last_piece(s: Any, me: int) -> int:
    """One that is jailed has lost all."""
    return 0 if over(s) else int(living(s, me) == 1) - int(living(s, 1 - me) == 1)


@kernel
def way_home(s: Any, me: int) -> int:
    return 0 if over(s) else int(open_way_home(s, me)) - int(open_way_home(s, 1 - me))


@kernel
def off_centre(s: Any, me: int) -> int:
    return 0 if over(s) else from_the_middle(s, me) - from_the_middle(s, 1 - me)


# What holds for a side


@kernel
def clear(s: Any, side: int, cell: int, target: int) -> bool:
    """Whether a straight way between two cells is free of the other side's pieces as they stand."""
    step = 0
    if column(cell) == column(target):
        step = 1 << STRIDE_BITS if target > cell else -(1 << STRIDE_BITS)
    elif row(cell) == row(target):
        step = 1 if target > cell else -1
    if step == 0:
        return False
    while cell != target:
        cell += step
        for piece in range(s.pieces):
            if s.at[1 - side, piece] == cell:
                return False
    return True


@kernel
def open_way_home(s: Any, side: int) -> bool:
    """Whether a carrier would be at home after the round if nobody moved in its way."""
    if not carrying(s, side):
        return False
    cell = s.at[side, s.carrier[side]]
    return clear(s, side, cell, start_of_land(s, side, cell))


@kernel
def start_of_land(s: Any, side: int, cell: int) -> int:
    """The first cell of a side's land above or below a cell."""
    first = HOME_ROWS - 1 if side == B else s.height - HOME_ROWS
    return (first << STRIDE_BITS) + column(cell)


@kernel
def from_the_middle(s: Any, side: int) -> int:
    """How far the pieces are from the column of the flags."""
    total = 0
    for piece in range(s.pieces):
        if alive(s, side, piece):
            total += abs(column(s.at[side, piece]) - s.width // 2)
    return total


@kernel
def carrying(s: Any, side: int) -> bool:
    return not flag_at_home(s, 1 - side)


@kernel
def on_their_flag(s: Any, side: int) -> int:
    """Pieces on the home of the other's flag while it is there."""
    count = 0
    for piece in range(s.pieces):
        count += s.at[side, piece] == flag_cell(s, 1 - side)
    return 0 if carrying(s, side) else count


@kernel
def in_their_active_zone(s: Any, side: int) -> int:
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece) and in_zone(s, 1 - side, s.at[side, piece])
    return 0 if carrying(s, side) else count


@kernel
def on_their_back_wall(s: Any, side: int) -> int:
    """Pieces in the row of the other's flag."""
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece) and own_row(s, 1 - side, s.at[side, piece]) == 0
    return count
