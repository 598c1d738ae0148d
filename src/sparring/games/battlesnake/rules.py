"""The rules of Battlesnake. Nothing else decides what is legal and what follows.

All snakes move at once, one cell up, down, left or right, and lose one health. Food restores it and makes a snake
longer. Whoever starves, leaves the board, or runs into a body dies; of two heads that meet the shorter snake dies, or
both. The last one living has won.

`play_turn` is one turn in the order of the official engine; every simulation goes through it. What the map does after
the turn, food above all, is in maps.py, for it is chance.
"""

from typing import Any

import numpy as np

from sparring.core.kernel import cold, hot, kernel
from sparring.games.battlesnake import state
from sparring.games.battlesnake.state import (
    ALIVE,
    BODY,
    BORDER,
    DEFAULT,
    DOWN,
    HAZARD,
    HEAD,
    LEFT,
    MAX_HEALTH,
    NO_MOVES,
    NOBODY,
    RIGHT,
    SELF,
    START_LENGTH,
    STARVED,
    UP,
    WALL,
)
from sparring.games.kernels import CHANCE

EVERY_MOVE = 15
"""The four moves, as a set of bits."""
WIDEST = 4
STEPS = np.array([[16, -16, -1, 1], [32, -32, -1, 1]])
"""What a move adds to a cell, in a small and in a large record. A table and no branches: moves cannot be predicted."""

# The board


@kernel
def whole(value: Any) -> int:
    """A number of a narrow field, made as wide as all others: narrow ones would overflow in sums."""
    return np.int64(value)  # type: ignore[return-value]


stride_bits = kernel(state.stride_bits)


@kernel
def stride(s: Any) -> int:
    """From a cell to the one above it."""
    return 1 << stride_bits(s)


@kernel
def cell_of(s: Any, x: int, y: int) -> int:
    return (y + 1) * stride(s) + x + 1


@kernel
def column(s: Any, cell: int) -> int:
    return (cell & (stride(s) - 1)) - 1


@kernel
def row(s: Any, cell: int) -> int:
    return (cell >> stride_bits(s)) - 1


@kernel
def steps_between(s: Any, one: int, other: int) -> int:
    """From cell to cell, if nothing is in the way."""
    right, up = abs(column(s, one) - column(s, other)), abs(row(s, one) - row(s, other))
    if s.wrapped:
        right, up = min(right, s.width - right), min(up, s.height - up)
    return right + up


@kernel
def on_board(s: Any, cell: int) -> bool:
    return s.occupied[cell] < BORDER


@kernel
def segment(s: Any, snake: int, place: int) -> int:
    """The cell of a segment, counted from the head, which is 0."""
    return whole(s.body[snake, (s.front[snake] + place) & (s.body.shape[1] - 1)])


@kernel
def head(s: Any, snake: int) -> int:
    return whole(s.body[snake, s.front[snake]])


@kernel
def tail(s: Any, snake: int) -> int:
    return segment(s, snake, s.length[snake] - 1)


@kernel
def size(s: Any, snake: int) -> int:
    """The length that counts where snakes are compared: that of the body, unless lengths are frozen."""
    length = s.length[snake]  # read in any case, which makes this no branch
    return START_LENGTH if s.frozen else length


@kernel
def alive(s: Any, snake: int) -> bool:
    return s.cause[snake] == ALIVE


@kernel
def over(s: Any) -> bool:
    """At most one lives, or nobody where one is enough to go on, or there were turns enough."""
    return (s.living <= 1 - s.solo) | (s.turn >= s.max_turns)


# One turn


@hot
def play_turn(s: Any, moves: int) -> None:
    """Everything that follows from the moves of the living, four bits a snake; nothing if the game is over."""
    if over(s):
        return
    for snake in range(s.snakes):
        if alive(s, snake):
            if moves != NO_MOVES:
                move(s, snake, moves >> 4 * snake & 15)
            starve(s, snake)
            burn_in_hazards(s, snake)
    feed(s)
    eliminate(s)
    if s.constrictor:
        constrict(s)
    s.turn += 1


@kernel
def move(s: Any, snake: int, direction: int) -> None:
    new = destination(s, snake, direction)
    s.occupied[tail(s, snake)] -= 1
    s.front[snake] = (s.front[snake] - 1) & (s.body.shape[1] - 1)
    s.body[snake, s.front[snake]] = new
    s.occupied[new] += 1


@kernel
def destination(s: Any, snake: int, direction: int) -> int:
    """Where a move takes a head; on the border, if it leaves the board."""
    return beside(s, head(s, snake), direction if direction < DEFAULT else default_move(s, snake))


@kernel
def beside(s: Any, cell: int, direction: int) -> int:
    cell += STEPS[stride_bits(s) & 1, direction & 3]
    return wrap(s, cell) if s.wrapped else cell


@kernel
def wrap(s: Any, cell: int) -> int:
    """A cell just past an edge is the one at the opposite edge."""
    x, y = column(s, cell), row(s, cell)
    x += s.width if x < 0 else -s.width if x >= s.width else 0
    y += s.height if y < 0 else -s.height if y >= s.height else 0
    return cell_of(s, x, y)


@cold
def default_move(s: Any, snake: int) -> int:
    """Away from the neck, which may be at the opposite edge; up where there is none."""
    if s.length[snake] < 2:
        return UP
    here, neck = head(s, snake), segment(s, snake, 1)
    right, up = column(s, here) - column(s, neck), row(s, here) - row(s, neck)
    if abs(right) > 1 and (column(s, here) == 0 or column(s, neck) == 0):
        right = -right
    if abs(up) > 1 and (row(s, here) == 0 or row(s, neck) == 0):
        up = -up
    if right:
        return RIGHT if right > 0 else LEFT
    return DOWN if up < 0 else UP


@kernel
def starve(s: Any, snake: int) -> None:
    s.health[snake] -= 1


@kernel
def burn_in_hazards(s: Any, snake: int) -> None:
    """Every hazard under a head hurts, or heals if the damage is negative; food on the cell keeps them all off."""
    cell = head(s, snake)
    stack = whole(s.hazards[cell])
    if stack and s.food_at[cell] == 0:
        s.health[snake] = min(MAX_HEALTH, max(0, s.health[snake] - stack * s.damage))
        if s.health[snake] == 0:
            die(s, snake, HAZARD, NOBODY)


@kernel
def feed(s: Any) -> None:
    """Whoever has its head on food eats all that lies there; several may eat the same."""
    eaten = False
    for snake in range(s.snakes):
        if alive(s, snake):
            helpings = whole(s.food_at[head(s, snake)])
            if helpings:
                eaten = True
                s.health[snake] = MAX_HEALTH
                for _ in range(helpings):
                    double_tail(s, snake)
    if eaten:
        clear_plates(s)


@kernel
def double_tail(s: Any, snake: int) -> None:
    """A snake grows by a second segment where its tail is: it shows a turn later, when only one of them moves on."""
    if s.length[snake] < s.body.shape[1]:
        cell = tail(s, snake)
        s.body[snake, (s.front[snake] + s.length[snake]) & (s.body.shape[1] - 1)] = cell
        s.length[snake] += 1
        if alive(s, snake):
            s.occupied[cell] += 1


@cold
def clear_plates(s: Any) -> None:
    """Food under a living head is gone; the rest stays in its order."""
    left = 0
    for place in range(s.foods):
        cell = whole(s.food[place])
        if head_on(s, cell):
            s.food_at[cell] = 0
        else:
            s.food[left] = cell
            left += 1
    for place in range(left, s.foods):
        s.food[place] = 0
    s.foods = left


@kernel
def head_on(s: Any, cell: int) -> bool:
    found = False
    for snake in range(s.snakes):
        found |= alive(s, snake) & (head(s, snake) == cell)
    return found


@kernel
def eliminate(s: Any) -> None:
    """First go those who starved or left the board. The others collide with who is left, all at the same time."""
    for snake in range(s.snakes):
        if alive(s, snake):
            if s.health[snake] <= 0:
                die(s, snake, STARVED, NOBODY)
            elif not on_board(s, head(s, snake)):
                die(s, snake, WALL, NOBODY)
    causes, killers = 0, 0
    for snake in range(s.snakes):
        if alive(s, snake) and s.occupied[head(s, snake)] > 1:
            cause, killer = collision(s, snake)
            causes |= cause << 4 * snake
            killers |= killer << 4 * snake
    if causes:
        for snake in range(s.snakes):
            if causes >> 4 * snake & 15:
                die(s, snake, causes >> 4 * snake & 15, killers >> 4 * snake & 15)


@cold
def collision(s: Any, snake: int) -> tuple[int, int]:
    """What a head on an occupied cell dies of, if at all, and by whom: of several the longest, then the first."""
    cell = head(s, snake)
    if body_on(s, snake, cell):
        return SELF, snake
    killer = NOBODY
    for other in range(s.snakes):
        if other != snake and alive(s, other) and body_on(s, other, cell) and longer(s, other, killer):
            killer = other
    if killer != NOBODY:
        return BODY, killer
    for other in range(s.snakes):
        if other != snake and alive(s, other) and head(s, other) == cell and longer(s, other, killer):
            killer = other
    if killer != NOBODY and size(s, killer) >= size(s, snake):
        return HEAD, killer
    return ALIVE, 0


@kernel
def longer(s: Any, snake: int, other: int) -> bool:
    """Longer than another, or than nobody."""
    return other == NOBODY or size(s, snake) > size(s, other)


@kernel
def body_on(s: Any, snake: int, cell: int) -> bool:
    """Whether a cell is under a snake, its head apart."""
    found = False
    for place in range(1, s.length[snake]):
        found |= segment(s, snake, place) == cell
    return found


@cold
def die(s: Any, snake: int, cause: int, killer: int) -> None:
    s.cause[snake] = cause
    s.killer[snake] = killer
    s.died_on[snake] = s.turn + 1
    s.living -= 1
    for place in range(s.length[snake]):
        s.occupied[segment(s, snake, place)] -= 1


@cold
def constrict(s: Any) -> None:
    """No food, no hunger, and tails that never leave: also of the dead, for whom it changes nothing."""
    for place in range(s.foods):
        s.food_at[whole(s.food[place])] = 0
        s.food[place] = 0
    s.foods = 0
    for snake in range(s.snakes):
        s.health[snake] = MAX_HEALTH
        if s.length[snake] > 1 and segment(s, snake, s.length[snake] - 2) != tail(s, snake):
            double_tail(s, snake)


# What players ask


@kernel
def safe_moves(s: Any, snake: int) -> int:
    """The moves, as a set of bits, that lead to a cell of the board which no body will occupy. Heads are not heeded."""
    here = head(s, snake)
    neck = segment(s, snake, 1) if s.length[snake] > 2 else 0
    free, single = 0, 0
    for move in range(4):
        cell = beside(s, here, move)
        free |= int(s.occupied[cell] == 0) << move
        single |= int((s.occupied[cell] == 1) & (cell != neck)) << move
    return free | leaving_tails(s, here, single) if single else free


@cold
def leaving_tails(s: Any, here: int, moves: int) -> int:
    """Those moves that lead to the tail of a living snake: with one segment there, it moves away."""
    found = 0
    for move in range(4):
        if moves >> move & 1 and tail_on(s, beside(s, here, move)):
            found |= 1 << move
    return found


@kernel
def tail_on(s: Any, cell: int) -> bool:
    found = False
    for snake in range(s.snakes):
        found |= alive(s, snake) and tail(s, snake) == cell
    return found


@kernel
def tidy(s: Any) -> None:
    """Turn the rings so that heads come first and nothing old is left in them: equal positions are equal bytes."""
    ring = s.body.shape[1]
    held = np.empty(ring, np.int64)
    for snake in range(s.snakes):
        for place in range(s.length[snake]):
            held[place] = segment(s, snake, place)
        s.front[snake] = 0
        for place in range(ring):
            s.body[snake, place] = held[place] if place < s.length[snake] else 0


# A turn as compiled code plays it


@hot
def actors(s: Any) -> int:
    """The living, as a set of bits; the map after they have moved."""
    found = 0
    if s.waiting:
        found = CHANCE
    elif not over(s):
        for snake in range(s.snakes):
            found |= int(alive(s, snake)) << snake
    return found


@kernel
def legal(s: Any, snake: int) -> int:
    """Every move, also those that kill."""
    return EVERY_MOVE


@kernel
def apply(s: Any, joint: Any) -> None:
    moves = 0
    for snake in range(s.snakes):
        moves |= (joint.of[snake] & 15) << 4 * snake
    play_turn(s, moves)
    s.waiting = 1


# The end


@kernel
def ending(s: Any) -> int:
    """What the last to die died of, in the order of CAUSES; 0 if some live on at the last turn."""
    last, cause = 0, 0
    for snake in range(s.snakes):
        if s.died_on[snake] > last:
            last, cause = s.died_on[snake], s.cause[snake]
    return cause if s.living <= 1 - s.solo else 0


@kernel
def score(s: Any, player: int) -> float:
    """Of a finished game: the share of the others that a player outlived, half for each that died in the same turn or
    lived on as well. Alone: the share of the turns that it lived."""
    if s.snakes == 1:
        return min(1.0, s.turn / s.max_turns)
    points = 0.0
    for other in range(s.snakes):
        if other != player:
            points += outlived(s, player, other)
    return points / (s.snakes - 1)


@kernel
def outlived(s: Any, player: int, other: int) -> float:
    if alive(s, player) or alive(s, other):
        return 0.5 + 0.5 * (int(alive(s, player)) - int(alive(s, other)))
    if s.died_on[player] == s.died_on[other]:
        return 0.5
    return 1.0 if s.died_on[player] > s.died_on[other] else 0.0


@kernel
def reward(s: Any, player: int) -> float:
    """The same from -1 to 1, as searches count."""
    return 2.0 * score(s, player) - 1.0
