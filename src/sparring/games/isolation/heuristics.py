"""Heuristics of Isolation. If a formula of the report has a defect, `_as_written` keeps it to the letter and
`_corrected` does what the text around it promises. A plain name is a formula without a defect."""

import math
from typing import Any

from sparring.core.bits import count, lowest
from sparring.core.kernel import cold, kernel
from sparring.core.terms import Terms, heuristic
from sparring.games.isolation.rules import exits, free, opponent, slide
from sparring.games.isolation.state import CELLS, COLUMNS, CORNERS, NOWHERE, QUEENS, ROOM_LEFT, ROOM_RIGHT, ROWS


@kernel
def leap(board: int, cells: int) -> int:
    """The cells that knights on a set of cells could jump to, free or not, with some bits beyond the board."""
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
    """The cells that a player could be on after two moves in a row."""
    return spread(s, exits(s, player))


@kernel
def flood_fill(s: Any, player: int) -> int:
    """The cells that a player could ever get to if the other never moved."""
    new = exits(s, player)
    found = new
    while new:
        new = spread(s, new) & ~found
        found |= new
    return found


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
    """Straight-line distance between the two pieces."""
    down, right = row_of(s, 0) - row_of(s, 1), column_of(s, 0) - column_of(s, 1)
    return math.sqrt(down * down + right * right)


@kernel
def sum_of_places(s: Any) -> float:
    """The report's `distance`, which adds the coordinates instead of subtracting them."""
    down, right = row_of(s, 0) + row_of(s, 1), column_of(s, 0) + column_of(s, 1)
    return math.sqrt(down * down + right * right)


@kernel
def mobility(s: Any, me: int) -> int:
    """My moves minus the opponent's."""
    return count(exits(s, me)) - count(exits(s, opponent(me)))


@kernel
def next_mobility(s: Any, me: int) -> int:
    """The same one move later."""
    return count(second_exits(s, me)) - count(second_exits(s, opponent(me)))


@kernel
def nearly_full(s: Any) -> bool:
    """True if fewer than a quarter of the cells are free: the report's end game."""
    return count(free(s)) / count(CELLS[s.board]) < 0.25


@heuristic("isolation")
def null(s, me):
    """Always 0: only the end of the game counts."""
    return 0.0


@heuristic("isolation")
def open(s, me):
    """My moves."""
    return count(exits(s, me))


@heuristic("isolation")
def improved(s, me):
    """My moves minus the opponent's: the report's moves_difference."""
    return mobility(s, me)


@heuristic("isolation")
def center(s, me):
    """Squared distance from (rows / 2, columns / 2), as the course hands it out: it flees the centre."""
    if s.at[me] == NOWHERE:
        return 0.0
    down, right = ROWS[s.board] / 2 - row_of(s, me), COLUMNS[s.board] / 2 - column_of(s, me)
    return down * down + right * right


@heuristic("isolation")
def center_corrected(s, me):
    """Nearness to the true middle of the board."""
    if s.at[me] == NOWHERE:
        return 0.0
    down, right = (ROWS[s.board] - 1) / 2 - row_of(s, me), (COLUMNS[s.board] - 1) / 2 - column_of(s, me)
    return -(down * down + right * right)


@kernel
def corner_moves(s: Any, player: int) -> int:
    return count(exits(s, player) & CORNERS[s.board])


@heuristic("isolation")
def avoid_corners_as_written(s, me):
    """Moves minus corner moves. The opponent's corner moves count against us, though the text calls them a reward."""
    if not placed(s):
        return Terms(moves=0, corners=0)
    return Terms(moves=mobility(s, me), corners=-corner_moves(s, me) - corner_moves(s, opponent(me)))


@heuristic("isolation")
def avoid_corners_corrected(s, me):
    """Moves minus corner moves, for both players alike."""
    if not placed(s):
        return Terms(moves=0, corners=0)
    return Terms(moves=mobility(s, me), corners=corner_moves(s, opponent(me)) - corner_moves(s, me))


@heuristic("isolation")
def chase_as_written(s, me):
    """Minus the report's distance: in fact a walk to the top left corner."""
    return -sum_of_places(s) if placed(s) else 0.0


@heuristic("isolation")
def chase_corrected(s, me):
    """Stay close to the opponent."""
    return -distance(s) if placed(s) else 0.0


@heuristic("isolation")
def weighted_chase_as_written(s, me):
    """chase_as_written, divided by 4 late. All leaves of a search have as many free cells, so no move changes."""
    return -sum_of_places(s) / (4.0 if nearly_full(s) else 1.0) if placed(s) else 0.0


@heuristic("isolation")
def weighted_chase_times_four(s, me):
    """The report's wish taken literally, a distance times 4 late: this factor never changes a move either."""
    return -distance(s) * (4.0 if nearly_full(s) else 1.0) if placed(s) else 0.0


@heuristic("isolation", chase=0.1)
def weighted_chase_corrected(s, me):
    """Mobility, and closeness that counts four times as much late. A growing weight matters only beside another."""
    if not placed(s):
        return Terms(moves=0, chase=0.0)
    return Terms(moves=mobility(s, me), chase=-distance(s) * (4.0 if nearly_full(s) else 1.0))


@heuristic("isolation")
def next_moves(s, me):
    """Mobility now and one move later: the report's best, as its code has it."""
    return Terms(moves=mobility(s, me), next_moves=next_mobility(s, me))


@heuristic("isolation")
def next_moves_abs(s, me):
    """next_moves with the bars of the report's printed formula read as an absolute value."""
    return Terms(moves=abs(mobility(s, me)), next_moves=next_mobility(s, me))


@heuristic("isolation")
def next_moves_set_difference(s, me):
    """next_moves with the bars read as the size of a set: the moves that only we have."""
    return Terms(moves=count(exits(s, me) & ~exits(s, opponent(me))), next_moves=next_mobility(s, me))


@heuristic("isolation")
def attacker_overlap(s, me):
    """Second exits, and the shared ones among them, which are good for the player that takes them first."""
    mine, yours = second_exits(s, me), second_exits(s, opponent(me))
    shared = count(mine & yours) if placed(s) else 0
    return Terms(reach=count(mine) - count(yours), shared=shared if hunts(s, me) else -shared)


@kernel
def hunts(s: Any, player: int) -> bool:
    """True if a player gets to shared exits first: it is to move while both stand on the same colour, or neither."""
    same_colour = (row_of(s, 0) + column_of(s, 0) + row_of(s, 1) + column_of(s, 1)) % 2 == 0
    return same_colour == (s.to_move == player)


@heuristic("isolation")
def voronoi(s, me):
    """Territory: the cells that we reach first minus those that the opponent reaches first, moving in turn."""
    first = s.to_move
    mine, yours = exits(s, first), exits(s, opponent(first))
    claimed, conceded, unclaimed = 0, 0, free(s)
    while mine | yours:
        claimed |= mine
        unclaimed &= ~mine
        yours &= unclaimed
        conceded |= yours
        unclaimed &= ~yours
        mine, yours = spread(s, mine) & unclaimed, spread(s, yours) & unclaimed
    territory = count(claimed) - count(conceded)
    return territory if first == me else -territory
