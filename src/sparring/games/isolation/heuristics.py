"""What Isolation players value. A bare name is a formula without a defect; where the report's text or code has
one, `_as_written` keeps it to the letter and `_corrected` does what the words around it promise."""

import math
from typing import Any

from sparring.core.bits import count, lowest
from sparring.core.kernel import cold, kernel
from sparring.core.terms import Terms, heuristic
from sparring.games.isolation.rules import exits, free, opponent, slide
from sparring.games.isolation.state import CELLS, COLUMNS, CORNERS, NOWHERE, QUEENS, ROOM_LEFT, ROOM_RIGHT, ROWS


@kernel
def leap(board: int, cells: int) -> int:
    """Where knights on any cell of a set could jump, free or not, with some bits beyond the board."""
    columns = COLUMNS[board & 255]
    near = (cells & ROOM_LEFT[board & 255, 0]) >> 1 | (cells & ROOM_RIGHT[board & 255, 0]) << 1
    far = (cells & ROOM_LEFT[board & 255, 1]) >> 2 | (cells & ROOM_RIGHT[board & 255, 1]) << 2
    return near << 2 * columns | near >> 2 * columns | far << columns | far >> columns


@kernel
def spread(s: Any, cells: int) -> int:
    """The free cells one move away from any cell of a set."""
    return leap(s.board, cells) & free(s) if s.board < QUEENS else queens_spread(s, cells)


@cold
def queens_spread(s: Any, cells: int) -> int:
    reached = 0
    while cells:
        reached |= slide(s, lowest(cells))
        cells &= cells - 1
    return reached


@kernel
def second_exits(s: Any, player: int) -> int:
    """Where a player could be after two moves of its own, the board otherwise unchanged."""
    return spread(s, exits(s, player))


@kernel
def placed(s: Any) -> bool:
    return s.at[0] != NOWHERE and s.at[1] != NOWHERE


@kernel
def row_of(s: Any, player: int) -> int:
    return s.at[player] // COLUMNS[s.board]


@kernel
def column_of(s: Any, player: int) -> int:
    return s.at[player] % COLUMNS[s.board]


@kernel
def distance(s: Any) -> float:
    """Between the two pieces, as the crow flies."""
    down = row_of(s, 0) - row_of(s, 1)
    right = column_of(s, 0) - column_of(s, 1)
    return math.sqrt(down * down + right * right)


@kernel
def sum_of_places(s: Any) -> float:
    """The report's `distance`, which adds the coordinates where it should subtract them."""
    down = row_of(s, 0) + row_of(s, 1)
    right = column_of(s, 0) + column_of(s, 1)
    return math.sqrt(down * down + right * right)


@kernel
def nearly_full(s: Any) -> bool:
    """Fewer than a quarter of the cells are free: the report's end game."""
    return count(free(s)) / count(CELLS[s.board]) < 0.25


@heuristic("isolation")
def null(s, me):
    """Nothing: only the end of the game counts."""
    return 0.0


@heuristic("isolation")
def open(s, me):
    """Own moves."""
    return count(exits(s, me))


@heuristic("isolation")
def improved(s, me):
    """Own moves less the opponent's: the report's moves_difference."""
    return count(exits(s, me)) - count(exits(s, opponent(me)))


@heuristic("isolation")
def center(s, me):
    """Squared distance from (rows / 2, columns / 2), as the course hands it out: it flees the centre."""
    if s.at[me] == NOWHERE:
        return 0.0
    down = ROWS[s.board] / 2 - row_of(s, me)
    right = COLUMNS[s.board] / 2 - column_of(s, me)
    return down * down + right * right


@heuristic("isolation")
def center_corrected(s, me):
    """Nearness to the true middle of the board."""
    if s.at[me] == NOWHERE:
        return 0.0
    down = (ROWS[s.board] - 1) / 2 - row_of(s, me)
    right = (COLUMNS[s.board] - 1) / 2 - column_of(s, me)
    return -(down * down + right * right)


@heuristic("isolation")
def avoid_corners_as_written(s, me):
    """Moves less corner moves; the opponent's corner moves count against us, though the text calls them a
    reward."""
    mine, yours = exits(s, me), exits(s, opponent(me))
    if not placed(s):
        return Terms(moves=0, corners=0)
    corners = CORNERS[s.board]
    return Terms(
        moves=count(mine) - count(yours),
        corners=-count(mine & corners) - count(yours & corners),
    )


@heuristic("isolation")
def avoid_corners_corrected(s, me):
    """Moves less corner moves, for both players alike."""
    mine, yours = exits(s, me), exits(s, opponent(me))
    if not placed(s):
        return Terms(moves=0, corners=0)
    corners = CORNERS[s.board]
    return Terms(
        moves=count(mine) - count(yours),
        corners=count(yours & corners) - count(mine & corners),
    )


@heuristic("isolation")
def chase_as_written(s, me):
    """Minus the report's distance: in truth a walk to the top left corner."""
    return -sum_of_places(s) if placed(s) else 0.0


@heuristic("isolation")
def chase_corrected(s, me):
    """Stay close to the opponent."""
    return -distance(s) if placed(s) else 0.0


@heuristic("isolation")
def weighted_chase_as_written(s, me):
    """chase_as_written, divided by 4 late in the game. All leaves of one search depth have equally many free
    cells, so the factor never changes a move."""
    if not placed(s):
        return 0.0
    return -sum_of_places(s) / (4.0 if nearly_full(s) else 1.0)


@heuristic("isolation")
def weighted_chase_times_four(s, me):
    """The report's wish taken literally, a distance times 4 late: still a factor that never changes a move."""
    if not placed(s):
        return 0.0
    return -distance(s) * (4.0 if nearly_full(s) else 1.0)


@heuristic("isolation", chase=0.1)
def weighted_chase_corrected(s, me):
    """Mobility, and closeness that counts four times as much late: only beside another term can a weight
    that grows with the game matter."""
    if not placed(s):
        return Terms(moves=0, chase=0.0)
    return Terms(
        moves=count(exits(s, me)) - count(exits(s, opponent(me))),
        chase=-distance(s) * (4.0 if nearly_full(s) else 1.0),
    )


@heuristic("isolation")
def next_moves(s, me):
    """Mobility now and one move later: the report's best, as its code has it."""
    you = opponent(me)
    return Terms(
        moves=count(exits(s, me)) - count(exits(s, you)),
        next_moves=count(second_exits(s, me)) - count(second_exits(s, you)),
    )


@heuristic("isolation")
def next_moves_abs(s, me):
    """next_moves with the bars of the report's printed formula read as an absolute value."""
    you = opponent(me)
    return Terms(
        moves=abs(count(exits(s, me)) - count(exits(s, you))),
        next_moves=count(second_exits(s, me)) - count(second_exits(s, you)),
    )


@heuristic("isolation")
def next_moves_set_difference(s, me):
    """next_moves with the bars read as the size of a set: the moves that only we have."""
    you = opponent(me)
    return Terms(
        moves=count(exits(s, me) & ~exits(s, you)),
        next_moves=count(second_exits(s, me)) - count(second_exits(s, you)),
    )


@heuristic("isolation")
def attacker_overlap(s, me):
    """Second exits, and the cells both could reach by then: good for whoever takes them first, the player
    that stands on the opponent's colour when it is to move."""
    you = opponent(me)
    mine, yours = second_exits(s, me), second_exits(s, you)
    shared = count(mine & yours)
    if not placed(s):
        shared = 0
    return Terms(reach=count(mine) - count(yours), shared=shared if hunts(s, me) else -shared)


@kernel
def hunts(s: Any, player: int) -> bool:
    """Both compete for the same exits and the player gets there first."""
    same_colour = (row_of(s, 0) + column_of(s, 0) + row_of(s, 1) + column_of(s, 1)) % 2 == 0
    return same_colour == (s.to_move == player)


@heuristic("isolation")
def voronoi(s, me):
    """Territory: the cells we reach first less those the opponent does, moving in turn from now."""
    first, board = s.to_move, s.board
    mine, yours = exits(s, first), exits(s, opponent(first))
    claimed, conceded = 0, 0
    unclaimed = free(s)
    while mine | yours:
        claimed |= mine
        unclaimed &= ~mine
        yours &= unclaimed
        conceded |= yours
        unclaimed &= ~yours
        if board < QUEENS:
            mine, yours = leap(board, mine) & unclaimed, leap(board, yours) & unclaimed
        else:
            mine, yours = queens_spread(s, mine) & unclaimed, queens_spread(s, yours) & unclaimed
    territory = count(claimed) - count(conceded)
    return territory if first == me else -territory
