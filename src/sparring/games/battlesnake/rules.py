"""The rules of Battlesnake.

All snakes move at once, one cell up, down, left or right, and lose one health. Food restores health and makes a snake
longer. A snake that starves, leaves the board or runs into a body dies. When two heads meet, the shorter snake dies, or
both if they are equally long. The last snake alive wins.

`play_turn` is one turn in the order of the official engine, and every simulation uses it. What the map does after the
turn is chance, and is in maps.py.
"""

from typing import Any

import numpy as np

from sparring.core.kernel import cold, hot, kernel
from sparring.games.battlesnake import state
from sparring.games.kernels import CHANCE

UP, DOWN, LEFT, RIGHT, DEFAULT = 0, 1, 2, 3, 4
"""Moves. A snake whose answer cannot be read makes the default move: straight on."""
MOVES = ("up", "down", "left", "right")
NO_MOVES = -1
"""No snake moves, as in the official engine's turns without any moves."""
NOBODY = -1
BORDER = 100
"""Added to `occupied` outside the board; larger than any number of segments."""
MAX_HEALTH, START_LENGTH = 100, 3

ALIVE, BODY, SELF, STARVED, HEAD, WALL, HAZARD, UNKNOWN = range(8)
CAUSES = (
    "",
    "snake-collision",
    "snake-self-collision",
    "out-of-health",
    "head-collision",
    "wall-collision",
    "hazard",
    "unknown",
)
"""Causes of death in the official engine's words. `unknown` is a death that a log does not explain."""
EVERY_MOVE = 15
"""The four moves as bits."""
WIDEST = 4
STEPS = np.array([[16, -16, -1, 1], [32, -32, -1, 1]])
"""Offset of each move in a small and in a large record. A table, since branches on moves are badly predicted."""

# The board


@kernel
def whole(value: Any) -> int:
    """Widen a number of a narrow field, which would overflow in sums."""
    return np.int64(value)  # type: ignore[return-value]


stride_bits = kernel(state.stride_bits)


@kernel
def stride(s: Any) -> int:
    """Distance from a cell to the one above it."""
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
    """Steps from cell to cell if nothing is in the way."""
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
    """The length that counts in comparisons: that of the body, unless lengths are frozen."""
    length = s.length[snake]  # read in any case, which makes this no branch
    return START_LENGTH if s.frozen else length


@kernel
def alive(s: Any, snake: int) -> bool:
    return s.cause[snake] == ALIVE


@kernel
def over(s: Any) -> bool:
    """True if at most one snake lives (in solo games: none), or the last turn was played."""
    return (s.living <= 1 - s.solo) | (s.turn >= s.max_turns)


# One turn


@hot
def play_turn(s: Any, moves: int) -> None:
    """Play one turn with the moves of the living, four bits a snake. Does nothing if the game is over."""
    if over(s):
        return
    for snake in range(s.snakes):
        if alive(s, snake):
            if moves != NO_MOVES:
                move(s, snake, moves >> 4 * snake & 15)
            s.health[snake] -= 1
            burn_in_hazards(s, snake)
    feed(s)
    eliminate(s)
    if s.constrictor:
        constrict(s)
    s.turn += 1


@kernel
def move(s: Any, snake: int, direction: int) -> None:
    """Move a snake by a cell; its head is on the border if it leaves the board."""
    new = beside(s, head(s, snake), direction if direction < DEFAULT else default_move(s, snake))
    s.occupied[tail(s, snake)] -= 1
    s.front[snake] = (s.front[snake] - 1) & (s.body.shape[1] - 1)
    s.body[snake, s.front[snake]] = new
    s.occupied[new] += 1


@kernel
def beside(s: Any, cell: int, direction: int) -> int:
    cell += STEPS[stride_bits(s) & 1, direction & 3]
    return wrap(s, cell) if s.wrapped else cell


@kernel
def wrap(s: Any, cell: int) -> int:
    """Map a cell just past an edge to the opposite edge."""
    x, y = column(s, cell), row(s, cell)
    x += s.width if x < 0 else -s.width if x >= s.width else 0
    y += s.height if y < 0 else -s.height if y >= s.height else 0
    return cell_of(s, x, y)


@cold
def default_move(s: Any, snake: int) -> int:
    """Away from the neck, which may be at the opposite edge; up if there is no neck."""
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
def burn_in_hazards(s: Any, snake: int) -> None:
    """Apply all hazards under a head: they hurt, or heal if the damage is negative. Food on the cell prevents it."""
    cell = head(s, snake)
    stack = whole(s.hazards[cell])
    if stack and s.food_at[cell] == 0:
        s.health[snake] = min(MAX_HEALTH, max(0, s.health[snake] - stack * s.damage))
        if s.health[snake] == 0:
            die(s, snake, HAZARD, NOBODY)


@kernel
def feed(s: Any) -> None:
    """Feed every snake that has its head on food. It eats all that lies there; several may eat the same."""
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
    """Grow by a second segment at the tail's cell. It shows one turn later, when only one of the two moves on."""
    if s.length[snake] < s.body.shape[1]:
        cell = tail(s, snake)
        s.body[snake, (s.front[snake] + s.length[snake]) & (s.body.shape[1] - 1)] = cell
        s.length[snake] += 1
        if alive(s, snake):
            s.occupied[cell] += 1


@cold
def clear_plates(s: Any) -> None:
    """Remove food under living heads; the rest stays in its order."""
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
    """Kill those that starved or left the board. Then all that collide with the rest die at the same time."""
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
    """The cause of death of a head on an occupied cell, if any, and the killer: the longest, then the first."""
    cell = head(s, snake)
    if body_on(s, snake, cell):
        return SELF, snake
    by_body, by_head = NOBODY, NOBODY
    for other in range(s.snakes):
        if other != snake and alive(s, other):
            if body_on(s, other, cell):
                by_body = longer(s, other, by_body)
            elif head(s, other) == cell:
                by_head = longer(s, other, by_head)
    if by_body != NOBODY:
        return BODY, by_body
    if by_head != NOBODY and size(s, by_head) >= size(s, snake):
        return HEAD, by_head
    return ALIVE, 0


@kernel
def longer(s: Any, snake: int, other: int) -> int:
    """The longer of two snakes, the other if they are equal; the other may be NOBODY."""
    return snake if other == NOBODY or size(s, snake) > size(s, other) else other


@kernel
def body_on(s: Any, snake: int, cell: int) -> bool:
    """True if a body without its head covers a cell."""
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
    """Remove food and hunger and let tails stay, also those of the dead, for which it changes nothing."""
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
    """Moves, as bits, to cells of the board that no body will occupy. Heads are ignored."""
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
    """Moves to the tail of a living snake. With one segment there, the tail moves away."""
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
    """Turn the rings so that heads come first, and clear the rest: equal positions have equal bytes."""
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
    """The living snakes as bits; CHANCE after they have moved."""
    found = 0
    if s.waiting:
        found = CHANCE
    elif not over(s):
        for snake in range(s.snakes):
            found |= int(alive(s, snake)) << snake
    return found


@kernel
def legal(s: Any, snake: int) -> int:
    """All four moves, also those that kill."""
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
    """The cause of the last death, an index of CAUSES; 0 if some live after the last turn."""
    last, cause = 0, 0
    for snake in range(s.snakes):
        if s.died_on[snake] > last:
            last, cause = s.died_on[snake], s.cause[snake]
    return cause if s.living <= 1 - s.solo else 0


@kernel
def reward(s: Any, player: int) -> float:
    """Share of the others that a player outlived, half for each that died in the same turn or lives as well. With one
    snake: the share of the turns that it lived. From -1 to 1."""
    if s.snakes == 1:
        return 2.0 * min(1.0, s.turn / s.max_turns) - 1.0
    points = 0.0
    for other in range(s.snakes):
        if other != player:
            points += outlived(s, player, other)
    return 2.0 * (points / (s.snakes - 1)) - 1.0


@kernel
def outlived(s: Any, player: int, other: int) -> float:
    if alive(s, player) or alive(s, other):
        return 0.5 + 0.5 * (int(alive(s, player)) - int(alive(s, other)))
    if s.died_on[player] == s.died_on[other]:
        return 0.5
    return 1.0 if s.died_on[player] > s.died_on[other] else 0.0


@kernel
def stake(s: Any, player: int) -> float:
    """Return the share of the others that a player may still outlive, or that may still outlive it."""
    if over(s) or not alive(s, player):
        return 0.0
    return (s.living - 1) / (s.snakes - 1) if s.snakes > 1 else 1.0
