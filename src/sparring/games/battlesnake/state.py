"""The state of Battlesnake: one record, in a small and a large size, and the options of a game.

Cells are numbers: (y + 1) * stride + x + 1, with (0, 0) in the lower left corner. This leaves an empty border, where
heads end up that left the board, and a step is a number to add. `stride` is 16 or 32, which makes a row of cells a row
of bits (see territory.py).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.options import check_options, sides


def layout(side: int, stride: int, snakes: int, ring: int, cell: type) -> np.dtype[Any]:
    """The record for boards of up to `side` cells a side and bodies of up to `ring` segments."""
    cells = (side + 2) * stride
    return np.dtype(
        [
            # the position
            ("body", cell, (snakes, ring)),  # by snake: a ring of cells in which the head is at `front`
            ("occupied", np.uint8, (cells,)),  # segments of living snakes on a cell; beside the board BORDER more
            ("food_at", np.uint8, (cells,)),  # how much food lies on a cell
            ("food", cell, (side * side + 7,)),  # the same as a list, in the order in which it came
            ("hazards", cell, ((2 * side + 1) * stride,)),  # how many lie on a cell; above the board: see snail_trails
            ("front", np.int64, (snakes,)),
            ("length", np.int64, (snakes,)),
            ("health", np.int64, (snakes,)),
            ("cause", np.int64, (snakes,)),  # of death; 0 while it lives
            ("killer", np.int64, (snakes,)),  # NOBODY, or the snake that it died by
            ("died_on", np.int64, (snakes,)),  # turn
            ("living", np.int64),
            ("foods", np.int64),
            ("turn", np.int64),
            ("waiting", np.int64),  # the snakes have moved, and the map has not answered yet
            ("seed", np.int64),  # of Go's generator; 0: food and hazards come by the referee's dice
            # the configuration
            ("snakes", np.int64),
            ("width", np.int64),
            ("height", np.int64),
            ("wrapped", np.int64),
            ("constrictor", np.int64),
            ("royale", np.int64),
            ("solo", np.int64),  # it is over when nobody lives, not when one does
            ("frozen", np.int64),  # all count as long as they began, however long they are
            ("map", np.int64),
            ("food_chance", np.int64),
            ("minimum_food", np.int64),
            ("damage", np.int64),  # of a hazard
            ("shrink_every", np.int64),
            ("max_turns", np.int64),
        ],
        align=True,
    )


Small = layout(side=11, stride=16, snakes=4, ring=128, cell=np.uint8)
"""Quick to copy, for searches: boards up to 11x11 with up to four snakes."""
Large = layout(side=25, stride=32, snakes=8, ring=1024, cell=np.int16)


def stride_bits(s: Any) -> int:
    """The stride is a power of two, which depends on the size of the record alone."""
    return 4 if len(s.occupied) < 256 else 5


RULES = ("standard", "solo", "royale", "wrapped", "constrictor", "wrapped_constrictor")
MAPS = (
    "standard",
    "empty",
    "royale",
    "hz_columns",
    "hz_rings",
    "hz_inner_wall",
    "healing_pools",
    "sinkholes",
    "snail_mode",
    "seed_002",
)
STANDARD, EMPTY, ROYALE, COLUMNS, RINGS, INNER_WALL, POOLS, SINKHOLES, SNAIL, SEED_002 = range(len(MAPS))

WORDS = {"rules": RULES, "map": MAPS, "lengths": ("real", "frozen"), "rng": ("fast", "go")}
"""Options that are words, with their values."""
NUMBERS = {
    "players": (1, 8),
    "food_spawn_chance": (0, 100),
    "minimum_food": (0, 600),
    "hazard_damage": (-100, 100),
    "shrink_every": (1, 1_000_000),
    "max_turns": (1, 1_000_000),
}
"""Options that are numbers, with their limits."""
SIDES = (3, 25)


@dataclass(frozen=True)
class Config:
    """Options of a game; the defaults are those of official games."""

    players: int = 2
    board: str = "11x11"
    rules: str = "standard"
    map: str = "standard"
    food_spawn_chance: int = 15
    minimum_food: int = 1
    hazard_damage: int = 14
    shrink_every: int = 25
    max_turns: int = 5000
    lengths: str = "real"
    rng: str = "fast"

    def __post_init__(self) -> None:
        check_options(self, WORDS, NUMBERS)
        if self.sides not in ((7, 7), (11, 11), (19, 19)) and self.map in ("healing_pools", "sinkholes"):
            raise SparringError(f"the map {self.map} is for boards of 7x7, 11x11 and 19x19, not {self.board}")
        if self.map == "seed_002" and (self.sides != (11, 11) or self.players > 2):
            raise SparringError("the map seed_002 is for two snakes on 11x11; say --players 2 --board 11x11")

    @property
    def sides(self) -> tuple[int, int]:
        """Width and height."""
        low, high = SIDES
        expected = f"WIDTHxHEIGHT from {low}x{low} to {high}x{high}, e.g. 11x11"
        return sides(self.board, lambda *both: low <= min(both) and max(both) <= high, expected)

    @property
    def chance(self) -> bool:
        """True if something is drawn after the opening. Otherwise a game from the same opening proves nothing new."""
        food = self.map not in ("empty", "seed_002") and (self.food_spawn_chance > 1 or self.minimum_food > 0)
        return food or self.rules == "royale" or self.map in ("royale", "healing_pools")

    @property
    def state(self) -> np.dtype[Any]:
        return Small if max(self.sides) <= 11 and self.players <= 4 else Large
