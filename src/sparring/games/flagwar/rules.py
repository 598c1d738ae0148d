"""The rules of Flag War.

Both sides command all their pieces at once, each along a straight line of any length. The pieces walk tick by tick. A
piece that meets an enemy on foreign ground is jailed. The side that carries the enemy flag home wins.

`play_round` plays one round, its stages in the order of the rule book; every simulation uses it. It writes what happens
into a record that is passed in: see events.py.
"""

from typing import Any

import numpy as np

from sparring.core.dice import roll
from sparring.core.kernel import cold, copy_record, kernel
from sparring.games.flagwar import events, geometry
from sparring.games.flagwar.events import note, note_contact
from sparring.games.flagwar.state import (
    BOTH_HOME,
    BOUNCE,
    COMMAND_BITS,
    CROSSING,
    DISTANCE_BITS,
    FLAG_HOME,
    GOES_ON,
    JAILED,
    LONGEST,
    MOST_PIECES,
    NEUTRAL,
    NO_PIECES,
    NOBODY,
    NOWHERE,
    ON_A_CELL,
    ONE_PIECE,
    PASS,
    ROUNDS_OVER,
    STALLED,
    STOP,
    STRIDE_BITS,
    A,
    B,
    Round,
    State,
)
from sparring.games.kernels import MOST_PLAYERS, array_type

STEPS = np.array([1 << STRIDE_BITS, -(1 << STRIDE_BITS), -1, 1])  # what a step up, down, left or right adds to a cell
ALL_CELLS = -1  # the hashed set of all cells

on_board, in_zone, own_row = kernel(geometry.on_board), kernel(geometry.in_zone), kernel(geometry.own_row)
territory, start_cell = kernel(geometry.territory), kernel(geometry.start_cell)
flag_cell, key_cell = kernel(geometry.flag_cell), kernel(geometry.key_cell)
flag_at_home = kernel(geometry.flag_at_home)

# The position


@kernel
def over(s: Any) -> bool:
    return s.ending != GOES_ON


@kernel
def alive(s: Any, side: int, piece: int) -> bool:
    """True if a piece is on the board, not in jail."""
    return s.at[side, piece] != JAILED


@kernel
def living(s: Any, side: int) -> int:
    """The number of a side's pieces on the board."""
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece)
    return count


@kernel
def path_length(s: Any, side: int, piece: int, direction: int, distance: int) -> int:
    """Return how far a command takes a living piece: up to the edge, and up to its own active zone, unless the piece
    carries a flag. Other pieces do not block paths; contacts are found during the walk."""
    if not alive(s, side, piece):
        return 0
    barred = flag_at_home(s, side) and s.carrier[side] != piece
    cell, length = s.at[side, piece] + STEPS[direction], 0
    while length < distance and on_board(s, cell) and not (barred and in_zone(s, side, cell)):
        cell += STEPS[direction]
        length += 1
    return length


# One round


@cold
def play_round(s: Any, action_of_a: int, action_of_b: int, log: Any) -> None:
    """Play a round; nothing happens if the game is over. It is compiled once, because it is large."""
    log.event_count = 0
    if over(s):
        return
    begin_round(s, log)
    send_rescuers_home(s, log)
    log.events_before_walk = log.event_count
    plan_paths(s, log, A, action_of_a)
    plan_paths(s, log, B, action_of_b)
    walk(s, log)
    return_flags(s, log)
    take_flags(s, log)
    score(s, log)
    use_keys(s, log)
    eliminate(s)
    update_counters(s, log)
    if over(s):
        note(log, events.ENDED, s.winner, NOBODY, NOWHERE)


@kernel
def begin_round(s: Any, log: Any) -> None:
    for side in range(2):
        log.carrier_before[side] = s.carrier[side]
        log.passed_flag[side] = 0
        s.lost[side] = 0
        s.freed[side] = 0
        for piece in range(s.pieces):
            log.start[side, piece] = s.at[side, piece]


@kernel
def send_rescuers_home(s: Any, log: Any) -> None:
    for side in range(2):
        if s.pending[side]:
            for piece in range(s.pieces):
                if s.pending[side] >> piece & 1:
                    send_home(s, log, side, piece)
            s.pending[side] = 0


@cold
def send_home(s: Any, log: Any, side: int, piece: int) -> None:
    """Put a rescuer on its start cell. A flag that it carries returns."""
    if s.carrier[side] == piece:
        return_flag(s, log, 1 - side)
    s.at[side, piece] = start_cell(s, side, piece)
    note(log, events.SENT_HOME, side, piece, s.at[side, piece])


@cold
def return_flag(s: Any, log: Any, side: int) -> None:
    """Bring a side's flag home. Its zone is active again, and its own pieces in the zone are put out of it."""
    s.carrier[1 - side] = NOBODY
    note(log, events.FLAG_RETURNED, side, NOBODY, flag_cell(s, side))
    for piece in range(s.pieces):
        if alive(s, side, piece) and in_zone(s, side, s.at[side, piece]):
            s.at[side, piece] = start_cell(s, side, piece)
            note(log, events.CLEARED, side, piece, s.at[side, piece])


@cold
def plan_paths(s: Any, log: Any, side: int, action: int) -> None:
    for piece in range(s.pieces):
        command = action >> COMMAND_BITS * piece & ONE_PIECE
        direction, distance = command >> DISTANCE_BITS & 3, command & LONGEST
        length = path_length(s, side, piece, direction, distance)
        log.origin[side, piece] = s.at[side, piece]
        log.direction[side, piece] = direction
        log.distance[side, piece] = distance
        log.planned[side, piece] = length
        log.walked[side, piece] = length


@cold
def walk(s: Any, log: Any) -> None:
    """Move all pieces tick by tick, with contacts from tick 0 on. Hashed cells rule out most contacts quickly."""
    for tick in range(1 + LONGEST):
        if tick > 0 and not step(s, log, tick):
            break
        update_occupancy(s, log)
        met = log.cells[A] & log.cells[B]
        if tick > 0 and s.swap != PASS and log.cells_before[A] & log.cells[B] and log.cells_before[B] & log.cells[A]:
            meet(s, log, tick, CROSSING)
            met = ALL_CELLS
        if met:
            meet(s, log, tick, ON_A_CELL)


@kernel
def step(s: Any, log: Any, tick: int) -> bool:
    """Move each piece that has a path left by one cell."""
    moved = False
    for piece in range(s.pieces):
        for side in range(2):
            if tick <= log.walked[side, piece]:
                moved = True
                s.at[side, piece] += STEPS[log.direction[side, piece]]
                if s.passing and flag_at_home(s, 1 - side) and s.at[side, piece] == flag_cell(s, 1 - side):
                    log.passed_flag[side] |= 1 << piece
    return moved


@kernel
def update_occupancy(s: Any, log: Any) -> None:
    """Hash the cells of each side into 64 bits. Only cells that are far apart share a bit; jailed pieces have none."""
    for side in range(2):
        cells = 0
        for piece in range(s.pieces):
            cell = s.at[side, piece]
            cells |= 1 << (cell + 11 * (cell >> STRIDE_BITS) & 63) & ~(cell >> 63)
        log.cells_before[side] = log.cells[side]
        log.cells[side] = cells


@kernel
def came_from(s: Any, log: Any, side: int, piece: int, tick: int) -> int:
    """The cell that a piece left in this tick, or NOWHERE."""
    if not alive(s, side, piece) or tick > log.walked[side, piece]:
        return NOWHERE
    return s.at[side, piece] - STEPS[log.direction[side, piece]]


@cold
def meet(s: Any, log: Any, tick: int, crossing: int) -> None:
    """Resolve all contacts of one kind at the same time: enemies on one cell, or enemies that changed places. The
    ground is that of both cells, or neutral if these differ. After a crossing, a piece put back may meet others."""
    for one in range(s.pieces):
        for other in range(s.pieces):
            here, there = s.at[A, one], s.at[B, other]
            if crossing:
                met = came_from(s, log, A, one, tick) == there and came_from(s, log, B, other, tick) == here
            else:
                met = here == there and alive(s, A, one)
            if met:
                ground = territory(s, here)
                add_contact(log, one, other, ground if ground == territory(s, there) else NEUTRAL)
    for side in range(2):
        caught, surviving = log.caught[side], log.surviving[side]
        log.caught[side] = 0
        log.surviving[side] = 0
        for piece in range(s.pieces):
            if (caught | surviving) >> piece & 1:
                resolve_contact(s, log, tick, crossing, side, piece, caught >> piece & 1)


@kernel
def add_contact(log: Any, piece_of_a: int, piece_of_b: int, ground: int) -> None:
    """Note which of two pieces is jailed, and which survives on its own ground. The first enemy it met is kept."""
    for side in range(2):
        piece, enemy = (piece_of_a, piece_of_b) if side == A else (piece_of_b, piece_of_a)
        if not (log.caught[side] | log.surviving[side]) >> piece & 1:
            log.met[side, piece] = enemy
        if ground == side:
            log.surviving[side] |= 1 << piece
        else:
            log.caught[side] |= 1 << piece


@cold
def resolve_contact(s: Any, log: Any, tick: int, crossing: int, side: int, piece: int, caught: int) -> None:
    """Jail a piece, or stop it; after a crossing it bounces if the rules say so."""
    cell = came_from(s, log, side, piece, tick) if crossing else s.at[side, piece]
    bounces = crossing and s.swap == BOUNCE
    jailed = caught and not bounces
    stops = (bounces or s.survivor == STOP) and log.walked[side, piece] > tick - crossing
    if jailed or stops:
        kind = events.CAUGHT if jailed else events.BOUNCED if bounces else events.HELD
        note_contact(log, kind, tick, side, piece, cell, log.met[side, piece], crossing)
        s.at[side, piece] = JAILED if jailed else cell
        s.lost[side] += jailed
        log.walked[side, piece] = min(log.walked[side, piece], tick - crossing)


@kernel
def return_flags(s: Any, log: Any) -> None:
    for side in range(2):
        if s.carrier[side] != NOBODY and not alive(s, side, s.carrier[side]):
            return_flag(s, log, 1 - side)


@cold
def take_flags(s: Any, log: Any) -> None:
    """The first living piece that ended on the enemy flag takes it; by option, also one that passed over it."""
    for side in range(2):
        if flag_at_home(s, 1 - side):
            home = flag_cell(s, 1 - side)
            for piece in range(s.pieces - 1, -1, -1):
                if s.at[side, piece] == home or (log.passed_flag[side] >> piece & 1 and alive(s, side, piece)):
                    s.carrier[side] = piece
            if s.carrier[side] != NOBODY:
                note(log, events.TAKEN, side, s.carrier[side], home)


@cold
def score(s: Any, log: Any) -> None:
    """A side wins if its carrier stands on its own ground."""
    scored = 0
    for side in range(2):
        if s.carrier[side] != NOBODY and territory(s, s.at[side, s.carrier[side]]) == side:
            note(log, events.SCORED, side, s.carrier[side], s.at[side, s.carrier[side]])
            scored |= 1 << side
    if scored == 3:
        finish(s, BOTH_HOME, B if s.b_first else NOBODY)
    elif scored:
        finish(s, FLAG_HOME, scored - 1)


@cold
def use_keys(s: Any, log: Any) -> None:
    """The first piece on its side's key frees all jailed pieces. It goes home before the next round."""
    for side in range(2):
        if living(s, side) < s.pieces:
            for piece in range(s.pieces):
                if s.at[side, piece] == key_cell(s, side):
                    free_the_jailed(s, log, side, piece)
                    break


@cold
def free_the_jailed(s: Any, log: Any, side: int, rescuer: int) -> None:
    note(log, events.RESCUED, side, rescuer, s.at[side, rescuer])
    for piece in range(s.pieces):
        if not alive(s, side, piece):
            s.at[side, piece] = start_cell(s, side, piece)
            s.freed[side] += 1
            note(log, events.FREED, side, piece, s.at[side, piece])
    if s.same_round:
        send_home(s, log, side, rescuer)
    else:
        s.pending[side] = 1 << rescuer


@kernel
def eliminate(s: Any) -> None:
    """A side without pieces loses. If no pieces are left at all, nobody wins."""
    if s.elimination and not over(s):
        of_a, of_b = living(s, A), living(s, B)
        if of_a == 0 or of_b == 0:
            finish(s, NO_PIECES, A if of_a else B if of_b else NOBODY)


@cold
def update_counters(s: Any, log: Any) -> None:
    """Count the round, and rounds without a change. At either limit the game is a draw."""
    s.rounds += 1
    changed = False
    for side in range(2):
        changed |= s.carrier[side] != log.carrier_before[side]
        for piece in range(s.pieces):
            changed |= s.at[side, piece] != log.start[side, piece]
    s.idle = 0 if changed else s.idle + 1
    if not over(s):
        if s.rounds >= s.turn_limit:
            finish(s, ROUNDS_OVER, NOBODY)
        elif s.idle >= s.stall_limit:
            finish(s, STALLED, NOBODY)


@kernel
def finish(s: Any, ending: int, winner: int) -> None:
    s.ending = ending
    s.winner = winner


# Reach


@kernel
def measure_reach(s: Any, side: int, log: Any, reach: Any) -> None:
    """Write how far each piece of a side can go in each direction. It changes the state: rescuers go home."""
    log.event_count = 0
    send_rescuers_home(s, log)
    for piece in range(s.pieces):
        for direction in range(4):
            reach[piece, direction] = path_length(s, side, piece, direction, s.width + s.height)


def reach_at(at: int, side: int, reach: Any) -> None:
    """Template for Python: `measure_reach` of the state at an address, which stays as it is."""
    begun, log = np.empty(1, STATE), np.empty(1, ROUND)
    copy_record(begun[0], state_at(at))  # noqa: F821
    measure_reach(begun[0], side, log[0], reach)


state_at: Any
STATE, ROUND = array_type(State), array_type(Round)


@kernel
def command(piece: int, direction: int, distance: int) -> int:
    """The action in which one piece moves."""
    return (direction << DISTANCE_BITS | distance) << COMMAND_BITS * piece


# The kernels of the game

Joint = np.dtype([("of", np.int64, (MOST_PLAYERS,)), ("log", Round)], align=True)
"""The actions of both sides, and a record for what happens."""
WIDEST = 1 + 4 * MOST_PIECES * LONGEST


@kernel
def actors(s: Any) -> int:
    return 0 if over(s) else 3


@kernel
def actions(s: Any, side: int, found: Any) -> int:
    """List staying and the commands of single pieces. The joint commands of all pieces are too many to list."""
    found[0] = 0
    count = 1
    for piece in range(s.pieces):
        for direction in range(4):
            for distance in range(1, path_length(s, side, piece, direction, s.width + s.height) + 1):
                found[count] = command(piece, direction, distance)
                count += 1
    return count


@kernel
def any_action(s: Any, side: int, dice: Any) -> int:
    """Return a random command for each piece, to stay among them."""
    action, longest = 0, s.width + s.height
    for piece in range(s.pieces):
        count = 1
        for direction in range(4):
            count += path_length(s, side, piece, direction, longest)
        left = roll(dice, count)
        for direction in range(4):
            far = path_length(s, side, piece, direction, longest)
            if 0 < left <= far:
                action |= command(piece, direction, left)
            left -= far
    return action


@kernel
def apply(s: Any, joint: Any) -> None:
    play_round(s, joint.of[0], joint.of[1], joint.log)


@kernel
def reward(s: Any, side: int) -> float:
    return 0.0 if s.winner == NOBODY else 1.0 if s.winner == side else -1.0


@kernel
def ending(s: Any) -> int:
    return s.ending - 1
