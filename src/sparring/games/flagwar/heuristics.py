"""Heuristics of Flag War: the two evaluators of its design documents, each as written and corrected, and `raid`.

Every term is a side's value less the enemy's, so that scores are zero-sum with any weights. In a finished game all
terms but `result` are 0.

As written, a win is worth little more than carrying the flag. A piece in the enemy zone counts only while both flags
are at home, where one would be enough. Freed pieces count as captures of the other side. And `on_flag` is always 0
after a whole round, because a piece on a flag has taken it.
"""

from typing import Any

from sparring.core.kernel import kernel, with_globals
from sparring.core.terms import Terms, Weight, heuristic
from sparring.games.flagwar import geometry
from sparring.games.flagwar.rules import alive, flag_at_home, flag_cell, in_zone, living, over, own_row
from sparring.games.flagwar.state import HOME_ROWS, NOBODY, B

column, row = kernel(geometry.column), kernel(geometry.row)

ABOVE_ALL = Weight(100_000, low=100_000, high=100_000)  # the weight of winning, which is not tuned


@heuristic("flagwar", result=10_000, flag=8000, on_flag=3000, in_zone=1000, back_wall=500, pieces=200)
def quick_as_written(s, me):
    """Carrying the flag, standing on it, pieces in the enemy zone and back row, and the number of pieces."""
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
    """The terms of quick_as_written, and the change of the number of pieces in the round."""
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
    """Winning above all; then flags, zones, the back row and pieces."""
    return Terms(
        result=result(s, me),
        flag=flag(s, me),
        in_zone=in_active_zone(s, me),
        back_wall=back_wall(s, me),
        pieces=pieces(s, me),
    )


@heuristic("flagwar", result=ABOVE_ALL, flag=8000, in_zone=1000, back_wall=500, pieces=200, captures=1000)
def detailed_corrected(s, me):
    """The terms of quick_corrected, and the pieces that the round jailed."""
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
    """A piece in the enemy zone is safe and a threat, and pieces are few. The weights were found by trial."""
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


# Values of one side


@kernel
def carrying(s: Any, side: int) -> bool:
    return not flag_at_home(s, 1 - side)


@kernel
def one_left(s: Any, side: int) -> bool:
    """True if a side has only one piece left. To lose it is to lose the game."""
    return living(s, side) == 1


@kernel
def open_way_home(s: Any, side: int) -> bool:
    """True if the column between a side's carrier and its land is free of enemies as they stand."""
    if not carrying(s, side):
        return False
    cell = s.at[side, s.carrier[side]]
    land = HOME_ROWS - 1 if side == B else s.height - HOME_ROWS
    step = 1 if land > row(cell) else -1
    for piece in range(s.pieces):
        enemy = s.at[1 - side, piece]
        ahead = (row(enemy) - row(cell)) * step
        if alive(s, 1 - side, piece) and column(enemy) == column(cell) and 0 < ahead <= (land - row(cell)) * step:
            return False
    return True


@kernel
def from_the_middle(s: Any, side: int) -> int:
    """The number of columns between a side's pieces and the column of the flags, in all."""
    total = 0
    for piece in range(s.pieces):
        if alive(s, side, piece):
            total += abs(column(s.at[side, piece]) - s.width // 2)
    return total


@kernel
def on_their_flag(s: Any, side: int) -> int:
    """The number of pieces on the enemy flag's home while the flag is there."""
    count = 0
    for piece in range(s.pieces):
        count += s.at[side, piece] == flag_cell(s, 1 - side)
    return 0 if carrying(s, side) else count


@kernel
def in_their_active_zone(s: Any, side: int) -> int:
    """The number of pieces in the enemy zone while it is active."""
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece) and in_zone(s, 1 - side, s.at[side, piece])
    return 0 if carrying(s, side) else count


@kernel
def on_their_back_wall(s: Any, side: int) -> int:
    """The number of pieces in the row of the enemy flag."""
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece) and own_row(s, 1 - side, s.at[side, piece]) == 0
    return count


# Terms: a side's value less the enemy's


value: Any


def difference(s: Any, me: int) -> int:
    """Template of a term: `value` is the value of one side."""
    return 0 if over(s) else int(value(s, me)) - int(value(s, 1 - me))  # noqa: F821


def term(value: Any) -> Any:
    return kernel(with_globals(difference, {"value": value}, f"term_{value.__name__}"))


flag, on_flag, in_active_zone = term(carrying), term(on_their_flag), term(in_their_active_zone)
back_wall, off_centre, way_home = term(on_their_back_wall), term(from_the_middle), term(open_way_home)
pieces, last_piece = term(living), term(one_left)


@kernel
def result(s: Any, me: int) -> int:
    return 0 if s.winner == NOBODY else 1 if s.winner == me else -1


@kernel
def captures(s: Any, me: int) -> int:
    return 0 if over(s) else s.lost[1 - me] - s.lost[me]


@kernel
def change_of_pieces(s: Any, me: int) -> int:
    return 0 if over(s) else captures(s, me) - s.freed[1 - me] + s.freed[me]


@kernel
def in_zone_with_both_flags_home(s: Any, me: int) -> int:
    return 0 if carrying(s, me) or carrying(s, 1 - me) else in_active_zone(s, me)
