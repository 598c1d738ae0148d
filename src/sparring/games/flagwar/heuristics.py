"""What the game's two evaluators value, each as it was written and corrected.

Every term is what holds for a player less what holds for the other, so that they are zero-sum with any weights. A game
that is over is worth its result and nothing else.

As it was written, winning is worth little more than carrying the flag; a piece in the other's zone counts only while
both flags are at home, where one would do; pieces that come out of jail count as if they had been lost by the others;
and there is a term that is never anything but zero after a whole round, since who is on a flag has taken it.
"""

from typing import Any

from sparring.games.flagwar.rules import alive, flag_at_home, flag_cell, in_zone, living, over, own_row
from sparring.games.flagwar.state import NOBODY
from sparring.kernel import kernel
from sparring.terms import Terms, heuristic


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


@heuristic("flagwar", result=100_000, flag=8000, in_zone=1000, back_wall=500, pieces=200)
def quick_corrected(s, me):
    """Winning above all; then flags, zones, the last row and pieces."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
    )


@heuristic("flagwar", result=100_000, flag=8000, in_zone=1000, back_wall=500, pieces=200, captures=1000)
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


# What holds for a side


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
