"""The rules of Flag War. Nothing else decides what a command does and what follows.

Both sides command all their pieces at once, each a straight line of any length. The pieces walk tick by tick; where
enemies meet, the one on foreign ground is jailed. Whoever brings the other's flag home has won.

`play_round` is one round, its stages in the order of the rule book; every simulation goes through it. It notes what
happens in a record that is handed in: see events.py.
"""

from typing import Any

import numpy as np

from sparring.core.kernel import cold, kernel, record_type
from sparring.games.flagwar import places
from sparring.games.flagwar.events import (
    BOUNCED,
    CAUGHT,
    CLEARED,
    ENDED,
    FLAG_RETURNED,
    FREED,
    HELD,
    RESCUED,
    SCORED,
    SENT_HOME,
    TAKEN,
    note,
    note_contact,
)
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
    PASS,
    ROUNDS_OVER,
    STALLED,
    STOP,
    STRIDE_BITS,
    A,
    B,
    Round,
)
from sparring.games.kernels import MOST_PLAYERS

STEPS = np.array([1 << STRIDE_BITS, -(1 << STRIDE_BITS), -1, 1])
"""What a step up, down, left or right adds to a cell."""

EVERYWHERE = -1
"""The footprints of all cells."""

# The board


on_board = kernel(places.on_board)
own_row = kernel(places.own_row)
territory = kernel(places.territory)
start_cell, flag_cell, key_cell = kernel(places.start_cell), kernel(places.flag_cell), kernel(places.key_cell)
in_zone = kernel(places.in_zone)
flag_at_home = kernel(places.flag_at_home)


# The position


@kernel
def alive(s: Any, side: int, piece: int) -> bool:
    return s.at[side, piece] != JAILED


@kernel
def living(s: Any, side: int) -> int:
    count = 0
    for piece in range(s.pieces):
        count += alive(s, side, piece)
    return count


@kernel
def key_present(s: Any, side: int) -> bool:
    return living(s, side) < s.pieces


@kernel
def carries(s: Any, side: int, piece: int) -> bool:
    return s.carrier[side] == piece


@kernel
def over(s: Any) -> bool:
    return s.ending != GOES_ON


# Commands


@kernel
def direction_of(orders: int, piece: int) -> int:
    return orders >> (COMMAND_BITS * piece + DISTANCE_BITS) & 3


@kernel
def distance_of(orders: int, piece: int) -> int:
    return orders >> COMMAND_BITS * piece & LONGEST


@kernel
def path_length(s: Any, side: int, piece: int, direction: int, distance: int) -> int:
    """How far a command takes a piece: up to the edge, and up to its own side's zone while that is active, unless it
    carries a flag. Nobody is in the way of a path; who is met on it shows in the walk."""
    kept_out = flag_at_home(s, side) and not carries(s, side, piece)
    cell, length = s.at[side, piece] + STEPS[direction], 0
    while length < distance and on_board(s, cell) and not (kept_out and in_zone(s, side, cell)):
        cell += STEPS[direction]
        length += 1
    return length


# One round


@cold
def play_round(s: Any, orders_of_a: int, orders_of_b: int, log: Any) -> None:
    """Everything that follows from the commands of both sides; nothing if the game is over. It is too large to be
    compiled again into everything that plays."""
    log.noted = 0
    if over(s):
        return
    remember(s, log)
    send_rescuers_home(s, log)
    log.early = log.noted
    plan_paths(s, log, A, orders_of_a)
    plan_paths(s, log, B, orders_of_b)
    walk(s, log)
    return_flags(s, log)
    take_flags(s, log)
    score(s, log)
    use_keys(s, log)
    eliminate(s)
    count_round(s, log)
    if over(s):
        note(log, ENDED, s.winner, NOBODY, NOWHERE)


@kernel
def remember(s: Any, log: Any) -> None:
    for side in range(2):
        log.carried[side] = s.carrier[side]
        log.passed[side] = 0
        s.lost[side] = 0
        s.freed[side] = 0
        for piece in range(s.pieces):
            log.began[side, piece] = s.at[side, piece]


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
    """A rescuer leaves behind what it carries."""
    if carries(s, side, piece):
        return_flag(s, log, 1 - side)
    s.at[side, piece] = start_cell(s, side, piece)
    note(log, SENT_HOME, side, piece, s.at[side, piece])


@cold
def return_flag(s: Any, log: Any, side: int) -> None:
    """A side's flag is at home, its zone active, and its own pieces are put out of it."""
    s.carrier[1 - side] = NOBODY
    note(log, FLAG_RETURNED, side, NOBODY, flag_cell(s, side))
    for piece in range(s.pieces):
        if alive(s, side, piece) and in_zone(s, side, s.at[side, piece]):
            s.at[side, piece] = start_cell(s, side, piece)
            note(log, CLEARED, side, piece, s.at[side, piece])


@cold
def plan_paths(s: Any, log: Any, side: int, orders: int) -> None:
    for piece in range(s.pieces):
        direction, distance = direction_of(orders, piece), distance_of(orders, piece)
        length = path_length(s, side, piece, direction, distance) if alive(s, side, piece) else 0
        log.origin[side, piece] = s.at[side, piece]
        log.direction[side, piece] = direction
        log.distance[side, piece] = distance
        log.planned[side, piece] = length
        log.walked[side, piece] = length


@cold
def walk(s: Any, log: Any) -> None:
    """Tick by tick, as long as somebody moves; those who share a cell from the start meet in tick 0. Footprints tell
    quickly that nobody can have met."""
    for tick in range(1 + LONGEST):
        if tick > 0 and not step(s, log, tick):
            break
        leave_footprints(s, log)
        met = log.prints[A] & log.prints[B]
        if tick > 0 and s.swap != PASS and log.before[A] & log.prints[B] and log.before[B] & log.prints[A]:
            cross(s, log, tick)
            met = EVERYWHERE
        if met:
            meet(s, log, tick)


@kernel
def step(s: Any, log: Any, tick: int) -> bool:
    """Whoever has a path left moves on by a cell."""
    moved = False
    for piece in range(s.pieces):
        moved |= advance(s, log, A, piece, tick) | advance(s, log, B, piece, tick)
    return moved


@kernel
def leave_footprints(s: Any, log: Any) -> None:
    of_a, of_b = 0, 0
    for piece in range(s.pieces):
        of_a |= footprint(s.at[A, piece])
        of_b |= footprint(s.at[B, piece])
    log.before[A] = log.prints[A]
    log.before[B] = log.prints[B]
    log.prints[A] = of_a
    log.prints[B] = of_b


@kernel
def advance(s: Any, log: Any, side: int, piece: int, tick: int) -> bool:
    if tick > log.walked[side, piece]:
        return False
    s.at[side, piece] += STEPS[log.direction[side, piece]]
    if s.passing and flag_at_home(s, 1 - side) and s.at[side, piece] == flag_cell(s, 1 - side):
        log.passed[side] |= 1 << piece
    return True


@kernel
def footprint(cell: int) -> int:
    """One of 64 bits, the same for a few cells that are far from each other; none for the jailed."""
    return 1 << (cell + 11 * (cell >> STRIDE_BITS) & 63) & ~(cell >> 63)


@kernel
def came_from(s: Any, log: Any, side: int, piece: int, tick: int) -> int:
    """The cell that a piece has left in this tick, or NOWHERE."""
    if not alive(s, side, piece) or tick > log.walked[side, piece]:
        return NOWHERE
    return s.at[side, piece] - STEPS[log.direction[side, piece]]


@cold
def cross(s: Any, log: Any, tick: int) -> None:
    """Those who change places have met on the ground that both cells belong to, or on neutral ground. Who is put back
    by it may be met there."""
    for one in range(s.pieces):
        for other in range(s.pieces):
            here, there = s.at[A, one], s.at[B, other]
            if came_from(s, log, A, one, tick) == there and came_from(s, log, B, other, tick) == here:
                ground = territory(s, here)
                contact(log, one, other, ground if ground == territory(s, there) else NEUTRAL)
    judge(s, log, tick, CROSSING)


@cold
def meet(s: Any, log: Any, tick: int) -> None:
    """All who are on one cell, if both sides are there, have met on its ground."""
    for one in range(s.pieces):
        for other in range(s.pieces):
            if s.at[A, one] == s.at[B, other] and alive(s, A, one):
                contact(log, one, other, territory(s, s.at[A, one]))
    judge(s, log, tick, ON_A_CELL)


@kernel
def contact(log: Any, one: int, other: int, ground: int) -> None:
    """Piece `one` of A and piece `other` of B have met: who is not on own ground is to be jailed."""
    join(log, A, one, other, ground)
    join(log, B, other, one, ground)


@kernel
def join(log: Any, side: int, piece: int, met: int, ground: int) -> None:
    """Of several that are met, the first is noted."""
    if not (log.doomed[side] | log.holding[side]) >> piece & 1:
        log.met[side, piece] = met
    if ground == side:
        log.holding[side] |= 1 << piece
    else:
        log.doomed[side] |= 1 << piece


@kernel
def judge(s: Any, log: Any, tick: int, crossing: int) -> None:
    """What follows from all contacts of one kind in a tick, at the same time for everybody."""
    for side in range(2):
        doomed, holding = log.doomed[side], log.holding[side]
        log.doomed[side] = 0
        log.holding[side] = 0
        for piece in range(s.pieces):
            if (doomed | holding) >> piece & 1:
                settle(s, log, tick, crossing, side, piece, doomed >> piece & 1)


@cold
def settle(s: Any, log: Any, tick: int, crossing: int, side: int, piece: int, doomed: int) -> None:
    """A contact of one piece: it is jailed, or holds its ground, or after a crossing bounces where that is the rule."""
    cell = came_from(s, log, side, piece, tick) if crossing else s.at[side, piece]
    bounces = crossing and s.swap == BOUNCE
    if doomed and not bounces:
        note_contact(log, CAUGHT, tick, side, piece, cell, log.met[side, piece], crossing)
        s.at[side, piece] = JAILED
        s.lost[side] += 1
        log.walked[side, piece] = min(log.walked[side, piece], tick - crossing)
    elif (bounces or s.survivor == STOP) and log.walked[side, piece] > tick - crossing:
        note_contact(log, BOUNCED if bounces else HELD, tick, side, piece, cell, log.met[side, piece], crossing)
        s.at[side, piece] = cell
        log.walked[side, piece] = tick - crossing


@kernel
def return_flags(s: Any, log: Any) -> None:
    """Those of carriers that were jailed."""
    for side in range(2):
        if s.carrier[side] != NOBODY and not alive(s, side, s.carrier[side]):
            return_flag(s, log, 1 - side)


@cold
def take_flags(s: Any, log: Any) -> None:
    """By who has stopped on a flag's home, the first of several; passing over it does not count, but by option."""
    for side in range(2):
        if flag_at_home(s, 1 - side):
            home = flag_cell(s, 1 - side)
            for piece in range(s.pieces - 1, -1, -1):
                if s.at[side, piece] == home or (log.passed[side] >> piece & 1 and alive(s, side, piece)):
                    s.carrier[side] = piece
            if s.carrier[side] != NOBODY:
                note(log, TAKEN, side, s.carrier[side], home)


@cold
def score(s: Any, log: Any) -> None:
    """Whoever carries the other's flag on own ground has won."""
    scored = 0
    for side in range(2):
        if s.carrier[side] != NOBODY and territory(s, s.at[side, s.carrier[side]]) == side:
            note(log, SCORED, side, s.carrier[side], s.at[side, s.carrier[side]])
            scored |= 1 << side
    if scored == 3:
        finish(s, BOTH_HOME, B if s.b_first else NOBODY)
    elif scored:
        finish(s, FLAG_HOME, scored - 1)


@cold
def use_keys(s: Any, log: Any) -> None:
    """A piece on its side's key frees all the jailed, the first of several; it goes home before the next round."""
    for side in range(2):
        if key_present(s, side):
            for piece in range(s.pieces):
                if s.at[side, piece] == key_cell(s, side):
                    free_the_jailed(s, log, side, piece)
                    break


@cold
def free_the_jailed(s: Any, log: Any, side: int, rescuer: int) -> None:
    note(log, RESCUED, side, rescuer, s.at[side, rescuer])
    for piece in range(s.pieces):
        if not alive(s, side, piece):
            s.at[side, piece] = start_cell(s, side, piece)
            s.freed[side] += 1
            note(log, FREED, side, piece, s.at[side, piece])
    if s.same_round:
        send_home(s, log, side, rescuer)
    else:
        s.pending[side] = 1 << rescuer


@kernel
def eliminate(s: Any) -> None:
    """A side without pieces has lost; if there are none at all, nobody has won."""
    if s.elimination and not over(s):
        of_a, of_b = living(s, A), living(s, B)
        if of_a == 0 or of_b == 0:
            finish(s, NO_PIECES, A if of_a else B if of_b else NOBODY)


@cold
def count_round(s: Any, log: Any) -> None:
    """A game without an end is a draw after so many rounds, and after some in which nothing changed."""
    s.rounds += 1
    s.idle = 0 if changed(s, log) else s.idle + 1
    if not over(s):
        if s.rounds >= s.turn_limit:
            finish(s, ROUNDS_OVER, NOBODY)
        elif s.idle >= s.stall_limit:
            finish(s, STALLED, NOBODY)


@kernel
def changed(s: Any, log: Any) -> bool:
    found = False
    for side in range(2):
        found |= s.carrier[side] != log.carried[side]
        for piece in range(s.pieces):
            found |= s.at[side, piece] != log.began[side, piece]
    return found


@kernel
def finish(s: Any, ending: int, winner: int) -> None:
    s.ending = ending
    s.winner = winner


# What players ask


@kernel
def measure_reach(s: Any, side: int, log: Any, reach: Any) -> None:
    """How far each piece of a side can go in each direction. It changes the state to that in which paths begin."""
    log.noted = 0
    send_rescuers_home(s, log)
    for piece in range(s.pieces):
        for direction in range(4):
            far = path_length(s, side, piece, direction, s.width + s.height) if alive(s, side, piece) else 0
            reach[piece, direction] = far


def reach_at(at: int, side: int, reach: Any) -> int:
    """A template, for Python: `measure_reach` of the state at an address; how many joint commands that makes."""
    s, log, joint = state_at(at), np.zeros(1, ROUND), 1  # noqa: F821
    measure_reach(s, side, log[0], reach)
    for piece in range(s.pieces):
        joint *= 1 + reach[piece].sum()
    return 0 if over(s) else joint


state_at: Any
ROUND = record_type(Round)

# A round as compiled code plays it

Joint = np.dtype([("of", np.int64, (MOST_PLAYERS,)), ("log", Round)], align=True)
"""The commands of both sides, and room for the rules to note what happens."""
WIDEST = 1 + 4 * MOST_PIECES * LONGEST


@kernel
def actors(s: Any) -> int:
    return 0 if over(s) else 3


@kernel
def actions(s: Any, side: int, found: Any) -> int:
    """To stay, and what single pieces can be told. All pieces together can be told far more than could be listed."""
    found[0] = 0
    count = 1
    for piece in range(s.pieces):
        for direction in range(4):
            far = path_length(s, side, piece, direction, s.width + s.height) if alive(s, side, piece) else 0
            for distance in range(1, far + 1):
                found[count] = (direction << DISTANCE_BITS | distance) << COMMAND_BITS * piece
                count += 1
    return count


@kernel
def apply(s: Any, joint: Any) -> None:
    play_round(s, joint.of[0], joint.of[1], joint.log)


@kernel
def reward(s: Any, side: int) -> float:
    return 0.0 if s.winner == NOBODY else 1.0 if s.winner == side else -1.0


@kernel
def ending(s: Any) -> int:
    return s.ending - 1
