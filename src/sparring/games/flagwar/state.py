"""The state of Flag War, the record of a round, and the options of a game.

A cell is one number, y * 32 + x, with (0, 0) in the lower left corner: a step adds a constant. A's home is in the upper
rows, B's in the lower rows. Zones, flags and keys are not stored: they follow from the carriers and the jailed pieces.
"""

from dataclasses import dataclass

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.options import check_options, number, set_option, sides, word

MOST_PIECES = 7
MOST_EVENTS = 128
"""More than a round can have: each piece may go home, leave its zone twice, stop, be jailed and be freed."""
STRIDE_BITS = 5

State = np.dtype(
    [
        # the position
        ("at", np.int64, (2, MOST_PIECES)),  # by side and piece: a cell, or JAILED
        ("carrier", np.int64, (2,)),  # the piece of a side that carries the enemy flag, or NOBODY
        ("pending", np.int64, (2,)),  # a set of bits: rescuers that go home before the next round
        ("rounds", np.int64),  # played so far
        ("idle", np.int64),  # rounds in a row without a change
        ("ending", np.int64),  # GOES_ON, or why the game is over
        ("winner", np.int64),  # a side, or NOBODY
        # what the last round did to each side, for heuristics
        ("lost", np.int64, (2,)),  # pieces jailed
        ("freed", np.int64, (2,)),  # pieces that came out of jail
        # the configuration
        ("width", np.int64),
        ("height", np.int64),
        ("pieces", np.int64),  # of a side
        ("survivor", np.int64),
        ("swap", np.int64),
        ("elimination", np.int64),
        ("same_round", np.int64),  # rescuers go home at once
        ("b_first", np.int64),  # B wins if both sides bring a flag home
        ("passing", np.int64),  # flags are taken in passing too
        ("turn_limit", np.int64),
        ("stall_limit", np.int64),
    ],
    align=True,
)

Round = np.dtype(
    [
        # commands and paths, by side and piece
        ("start", np.int64, (2, MOST_PIECES)),  # the cell before the round
        ("origin", np.int64, (2, MOST_PIECES)),  # where the path begins: rescuers have gone home by then
        ("direction", np.int64, (2, MOST_PIECES)),
        ("distance", np.int64, (2, MOST_PIECES)),  # as commanded
        ("planned", np.int64, (2, MOST_PIECES)),  # steps that board and zone allow
        ("walked", np.int64, (2, MOST_PIECES)),  # steps taken: contacts cut paths short
        # what happened, in order: see events.py
        ("events", np.int64, (MOST_EVENTS, 7)),
        ("event_count", np.int64),
        ("events_before_walk", np.int64),
        # working memory of the rules
        ("carrier_before", np.int64, (2,)),
        ("cells", np.int64, (2,)),  # hashed sets of the cells of each side,
        ("cells_before", np.int64, (2,)),  # now and one tick before
        ("met", np.int64, (2, MOST_PIECES)),  # the enemy piece of a contact
        ("caught", np.int64, (2,)),  # sets of bits: pieces that the contacts of this tick jail,
        ("surviving", np.int64, (2,)),  # and pieces that survive them
        ("passed_flag", np.int64, (2,)),  # sets of bits: pieces that went over the enemy flag
    ],
    align=True,
)
"""The record of one round. Simulations use the same record again and again."""


def constants(*values: int) -> list[int]:
    """Numbers to pass to kernels. NumPy's, because Numba compiles a kernel again for each Python constant."""
    return [np.int64(value) for value in values]  # type: ignore[misc]


A, B, NEUTRAL = constants(0, 1, 2)
SIDES = "AB"
NOBODY, JAILED, NOWHERE = constants(-1, -1, -2)
ON_A_CELL, CROSSING = constants(0, 1)  # the two kinds of contacts
GOES_ON, FLAG_HOME, BOTH_HOME, NO_PIECES, ROUNDS_OVER, STALLED = range(6)
ENDS = ("", "flag", "both_flags", "pieces", "rounds", "stall")  # the endings in texts
HOME_ROWS = 5  # rows of a side's territory; those between the territories are neutral
START_ROW, ZONE_ROWS = 2, 2  # the row where pieces start, and the depth of the zone, from a side's own edge

UP, DOWN, LEFT, RIGHT = 0, 1, 2, 3
DIRECTIONS = ("up", "down", "left", "right")
COMMAND_BITS, DISTANCE_BITS = 8, 5
"""An action holds one byte for each piece of a side, piece 1 in the lowest: a direction above a distance."""
STAY, ONE_PIECE = 0, (1 << COMMAND_BITS) - 1
"""The action in which no piece moves, and the mask of the command of piece 1."""
LONGEST = (1 << DISTANCE_BITS) - 1

STOP = 0
PASS, BOUNCE = 1, 2
WORDS = {
    "survivor": ("stop", "continue"),
    "swap": ("contact", "pass", "bounce"),
    "elimination": ("no", "yes"),
    "rescuer_reset": ("next_round", "same_round"),
    "both_score": ("draw", "b_wins"),
    "pickup_in_passing": ("no", "yes"),
}
"""Options that are words. A state stores the index in these lists."""
RECOMMENDED = {**{option: words[0] for option, words in WORDS.items()}, "elimination": "yes"}
RULE_SETS = {
    "recommended": RECOMMENDED,
    "repo-11x11": {**RECOMMENDED, "survivor": "continue", "swap": "pass", "elimination": "no"},
}
SMALL, LARGE = (11, 11), (19, 13)
NUMBERS = {"turn_limit": (1, 100_000), "stall_limit": (1, 100_000)}


@dataclass(frozen=True)
class FlagWarConfig:
    """The options of a game. Empty values follow from the board and from the rule set."""

    board: str = "11x11"
    pieces: int = 0
    rules: str = "recommended"
    survivor: str = ""
    swap: str = ""
    elimination: str = ""
    rescuer_reset: str = ""
    both_score: str = ""
    pickup_in_passing: str = ""
    turn_limit: int = 0
    stall_limit: int = 20

    def __post_init__(self) -> None:
        set_option(self, "rules", word("rules", self.rules, tuple(RULE_SETS)))
        for option, default in RULE_SETS[self.rules].items():
            set_option(self, option, getattr(self, option) or default)
        width, height = self.sides
        usual, most = (7 if self.sides == LARGE else 3), min(MOST_PIECES, width - 4)  # the keys' columns stay free
        pieces = number("pieces", self.pieces or usual, 1, most)
        if pieces % 2 == 0:
            raise SparringError(f"pieces must be an odd number from 1 to {most}, not {pieces}")
        set_option(self, "pieces", pieces)
        set_option(self, "turn_limit", self.turn_limit or (100 if width * height <= SMALL[0] * SMALL[1] else 200))
        check_options(self, WORDS, NUMBERS)

    @property
    def sides(self) -> tuple[int, int]:
        """Width and height."""
        return sides(
            self.board,
            lambda width, height: width % 2 == 1 and 7 <= width <= 25 and 11 <= height <= 25,
            "WIDTHxHEIGHT, the width odd and from 7 to 25, the height from 11 to 25",
        )
