"""Text and drawings of a Battlesnake position, and its contents as points (x, y) for plain Python.

Snakes are A to H. Cells are named as in chess: a1 is (0, 0), in the lower left. A head that left the board to the left
is in column _, one below the board in row 0.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.battlesnake.rules import ALIVE, CAUSES, MAX_HEALTH, NOBODY
from sparring.games.battlesnake.state import stride_bits
from sparring.games.contract import LETTERS

Point = tuple[int, int]
SNAKES = LETTERS
STEPS = [(0, 1), (0, -1), (-1, 0), (1, 0)]
"""The moves as steps; larger y is up."""
COLUMNS = "_abcdefghijklmnopqrstuvwxyz"
EXPECTED = "expected the turn, the snakes, food and hazards, such as: t3 A98:f6,f5,f4 B97:c3,c4,d4 food:a1,k11"


# Points


def cells_at(s: Any, points: Iterable[Point]) -> list[int]:
    bits = stride_bits(s)
    return [(y + 1 << bits) + x + 1 for x, y in points]


def points_at(s: Any, cells: Any) -> list[Point]:
    bits = stride_bits(s)
    return [((cell & (1 << bits) - 1) - 1, (cell >> bits) - 1) for cell in cells.tolist()]


def cells(s: Any) -> list[Point]:
    """All points of the board, column by column."""
    return [(x, y) for x in range(s.width) for y in range(s.height)]


def living(s: Any) -> list[int]:
    return [snake for snake, cause in enumerate(s.cause[: s.snakes].tolist()) if cause == ALIVE]


def body_of(s: Any, snake: int) -> list[Point]:
    """Points of a snake, head first."""
    ring = s.body[snake]
    return points_at(s, ring[(s.front[snake] + np.arange(s.length[snake])) % len(ring)])


def heads(s: Any) -> list[Point]:
    """Heads of the living snakes."""
    return [body_of(s, snake)[0] for snake in living(s)]


def near_heads(s: Any) -> set[Point]:
    """The heads of the living snakes and the cells beside them."""
    return {(x + right, y + up) for x, y in heads(s) for right, up in ((0, 0), *STEPS)}


def food_of(s: Any) -> list[Point]:
    return points_at(s, s.food[: s.foods])


def hazards_of(s: Any) -> list[Point]:
    """Points of all hazards, column by column, stacked ones repeated. The memory of snail_mode lies above the board."""
    hazards = s.hazards
    return sorted(points_at(s, np.repeat(np.arange(len(hazards)), hazards)))


# Putting things on the board. Live play does this for every move, and s["foods"] is much quicker than s.foods.


def place_snakes(s: Any, snakes: Mapping[int, tuple[Sequence[Point], int]]) -> None:
    """Put living snakes on the board: by its number, the body and the health of each."""
    cells: list[int] = []
    for snake, (_, health) in snakes.items():
        if not 0 < health <= MAX_HEALTH:
            raise SparringError(f"snake {SNAKES[snake]} has health {health}; expected 1 to {MAX_HEALTH}")
    _lay(s, snakes, cells)
    for field, value in (("cause", ALIVE), ("killer", NOBODY), ("died_on", 0)):
        s[field][[*snakes]] = value
    s["living"] += len(snakes)
    np.add.at(s["occupied"], cells, 1)


def place_dead(s: Any, snake: int, body: Sequence[Point], health: int, cause: int, killer: int, turn: int) -> None:
    """Put a dead snake where it died, which may be beside the board."""
    _lay(s, {snake: (body, health)}, [], border=1)
    s.cause[snake], s.killer[snake], s.died_on[snake] = cause, killer, turn


def _lay(s: Any, snakes: Mapping[int, tuple[Sequence[Point], int]], cells: list[int], border: int = 0) -> None:
    """Store bodies, which may be up to `border` beside the board, and add their cells to a list."""
    rings, front, lengths, healths = s["body"], s["front"], s["length"], s["health"]
    for snake, (body, health) in snakes.items():
        ring = rings[snake]
        if not 0 < len(body) <= len(ring):
            raise SparringError(f"snake {SNAKES[snake]} has {len(body)} segments; expected 1 to {len(ring)}")
        _refuse_outside(s, body, f"snake {SNAKES[snake]}", border)
        laid = cells_at(s, body)
        ring[: len(body)] = laid
        front[snake], lengths[snake], healths[snake] = 0, len(body), health
        cells += laid


def _refuse_outside(s: Any, points: Iterable[Point], what: str, border: int = 0) -> None:
    width, height = int(s["width"]), int(s["height"])
    for x, y in points:
        if not (-border <= x < width + border and -border <= y < height + border):
            raise SparringError(f"{what} is at ({x}, {y}), which is not on the board of {width}x{height}")


def place_food(s: Any, *points: Point) -> None:
    """Add food in this order."""
    _refuse_outside(s, points, "food")
    food, before, cells = s["food"], int(s["foods"]), cells_at(s, points)
    if before + len(cells) > len(food):
        raise SparringError(f"more than {len(food)} food on a board of {s.width}x{s.height}")
    food[before : before + len(cells)] = cells
    np.add.at(s["food_at"], cells, 1)
    s["foods"] += len(cells)


def clear_food(s: Any) -> None:
    s.food[:] = 0
    s.food_at[:] = 0
    s.foods = 0


def place_hazards(s: Any, *points: Point) -> None:
    """Add hazards on the board, or above it where snail_mode remembers. Others mean nothing and are dropped."""
    width, height = int(s["width"]), int(s["height"])
    known = [(x, y) for x, y in points if 0 <= x < width and 0 <= y < 2 * height]
    if known:
        np.add.at(s["hazards"], cells_at(s, known), 1)


# Words


def name(point: Point) -> str:
    return f"{COLUMNS[point[0] + 1]}{point[1] + 1}"


def names(points: Iterable[Point]) -> str:
    """Join cells with commas; `f6*3` is the same cell three times."""
    runs = [(point, len(list(run))) for point, run in groupby(points)]
    return ",".join(f"{name(point)}*{times}" if times > 1 else name(point) for point, times in runs)


def text(s: Any) -> str:
    """Turn, snakes with their health, food, hazards: `t3 A98:f6,f5,f4 B97:c3,c4,d4 food:a1 hazards:b2*3`."""
    words = [f"t{s.turn}", *(_snake(s, snake) for snake in range(s.snakes))]
    words += [f"food:{names(food_of(s))}"] if s.foods else []
    words += [f"hazards:{names(hazards_of(s))}"] if s.hazards.any() else []
    return " ".join([*words, *([f"seed:{s.seed}"] if s.seed else [])])


def _snake(s: Any, snake: int) -> str:
    """A snake such as `B54:g6,g7,g8`; a dead one also has cause, turn and killer: `!head-collision@26byA`."""
    written = f"{SNAKES[snake]}{s.health[snake]}:{names(body_of(s, snake))}"
    if s.cause[snake] == ALIVE:
        return written
    killer = f"by{SNAKES[s.killer[snake]]}" if s.killer[snake] != NOBODY else ""
    return f"{written}!{CAUSES[s.cause[snake]]}@{s.died_on[snake]}{killer}"


# Reading

SNAKE = re.compile(r"([A-H])(-?\d{1,9}):([^!]*)(?:!([a-z-]+)@(\d{1,9})(?:by([A-H]))?)?")


def parse(written: str, s: Any) -> Any:
    """Read what `text` wrote into an empty board."""
    seen = []
    for word in written.split():
        kind, _, rest = word.partition(":")
        if kind == "food":
            place_food(s, *_points(rest))
        elif kind == "hazards":
            place_hazards(s, *_points(rest))
        elif re.fullmatch(r"t\d{1,9}", word):
            s.turn = int(word[1:])
        elif re.fullmatch(r"seed:-?\d{1,18}", word):
            s.seed = int(rest)
        elif shape := SNAKE.fullmatch(word):
            seen.append(shape[1])
            _parse_snake(s, SNAKES.index(shape[1]), shape)
        else:
            raise SparringError(f"cannot read {word!r}; {EXPECTED}")
    if seen != list(SNAKES[: s.snakes]):
        raise SparringError(f"the snakes are {' '.join(seen) or 'missing'} in a game of {s.snakes} players; {EXPECTED}")
    return s


def _parse_snake(s: Any, snake: int, shape: re.Match[str]) -> None:
    _, health, body, cause, turn, killer = shape.groups()
    if snake >= s.snakes:
        raise SparringError(f"snake {SNAKES[snake]} in a game of {s.snakes} players; say --players {snake + 1}")
    if cause is None:
        place_snakes(s, {snake: (_points(body), int(health))})
        return
    if cause not in CAUSES[1:]:
        raise SparringError(f"nobody dies of {cause!r}; expected {', '.join(CAUSES[1:])}")
    place_dead(s, snake, _points(body), int(health), CAUSES.index(cause), NOBODY, int(turn))
    if killer:
        s.killer[snake] = SNAKES.index(killer)


def _points(listed: str) -> list[Point]:
    points: list[Point] = []
    for word in listed.split(","):
        shape = re.fullmatch(r"([_a-z])(\d{1,2})(?:\*(\d{1,4}))?", word)
        if not shape:
            raise SparringError(f"no cell {word!r}; expected such as a1, which is in the lower left, or f6*3")
        points += [(COLUMNS.index(shape[1]) - 1, int(shape[2]) - 1)] * int(shape[3] or 1)
    return points


# Drawing


def drawing(s: Any) -> str:
    """Draw the board for a terminal: heads as capitals, * food, : hazards, 2 to 9 stacked hazards."""
    signs = dict.fromkeys(cells(s), ".")
    signs |= {point: ":" if stack == 1 else str(min(stack, 9)) for point, stack in Counter(hazards_of(s)).items()}
    signs |= dict.fromkeys(food_of(s), "*")
    for snake in living(s):
        signs |= dict.fromkeys(body_of(s, snake), SNAKES[snake].lower())
    signs |= {point: SNAKES[snake] for point, snake in zip(heads(s), living(s), strict=True)}
    rows = [f"{y + 1:2} " + " ".join(signs[x, y] for x in range(s.width)) for y in range(int(s.height) - 1, -1, -1)]
    letters = "   " + " ".join(COLUMNS[1 : int(s.width) + 1])
    return "\n".join([*rows, letters, "", f"turn {s.turn}", *(standing(s, snake) for snake in range(s.snakes))])


def standing(s: Any, snake: int) -> str:
    told = f"{SNAKES[snake]}  length {s.length[snake]}"
    if s.cause[snake] == ALIVE:
        return f"{told}, health {s.health[snake]}"
    return f"{told}, dead since turn {s.died_on[snake]}: {death(s, snake)}"


def death(s: Any, snake: int) -> str:
    """Describe how a snake died, and who else was part of it."""
    killer = f" with {SNAKES[s.killer[snake]]}" if s.killer[snake] not in (NOBODY, snake) else ""
    return f"{CAUSES[s.cause[snake]]}{killer}"
