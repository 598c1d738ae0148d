"""What a position of Flag War is: one record, what is noted of a round, and the options of a game.

A cell is a number, y * 32 + x, with (0, 0) in the lower left corner, so that a step is a number to add. A is at home in
the upper rows, B in the lower ones. Zones, flags and keys are not kept: all of them follow from who carries and who is
jailed.
"""

from dataclasses import dataclass

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.options import number, set_option, settle, sides, word

MOST_PIECES = 7
MOST_EVENTS = 128
"""More than can happen in a round: each piece may go home, leave its zone twice, stop, be jailed and be freed."""
STRIDE_BITS = 5

State = np.dtype(
    [
        # the position
        ("at", np.int64, (2, MOST_PIECES)),  # by side and piece: a cell, or JAILED
        ("carrier", np.int64, (2,)),  # which piece of a side carries the other's flag, or NOBODY
        ("pending", np.int64, (2,)),  # a set of bits: who used a key and goes home before the next round
        ("rounds", np.int64),  # that were played
        ("idle", np.int64),  # rounds in a row in which nothing changed
        ("ending", np.int64),  # GOES_ON, or why it is over
        ("winner", np.int64),  # a side, or NOBODY
        # what the last round did to each side, for those who judge it
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
        ("b_first", np.int64),  # if both bring a flag home, B has won
        ("passing", np.int64),  # flags are taken in passing too
        ("turn_limit", np.int64),
        ("stall_limit", np.int64),
    ],
    align=True,
)

Round = np.dtype(
    [
        # what every piece wanted and did
        ("began", np.int64, (2, MOST_PIECES)),  # where it was before the round
        ("origin", np.int64, (2, MOST_PIECES)),  # where its path begins: rescuers have gone home by then
        ("direction", np.int64, (2, MOST_PIECES)),
        ("distance", np.int64, (2, MOST_PIECES)),  # as commanded
        ("planned", np.int64, (2, MOST_PIECES)),  # steps that board and zone allow
        ("walked", np.int64, (2, MOST_PIECES)),  # steps that it takes: contacts cut paths short
        # what happened, in this order: see events.py
        ("events", np.int64, (MOST_EVENTS, 7)),
        ("noted", np.int64),  # how many there are
        ("early", np.int64),  # how many of them came before the paths were planned
        # for the rules while they play
        ("carried", np.int64, (2,)),  # who carried before the round
        ("prints", np.int64, (2,)),  # the footprints of the cells that a side stands on,
        ("before", np.int64, (2,)),  # and those of the tick before
        ("met", np.int64, (2, MOST_PIECES)),  # whom of the other side in this contact
        ("doomed", np.int64, (2,)),  # sets of bits: who is jailed by the contacts of this tick,
        ("holding", np.int64, (2,)),  # and who survives them
        ("passed", np.int64, (2,)),  # who has gone over the other's flag
    ],
    align=True,
)
"""What happens in one round. Simulations hand in the same record again and again; a timeline keeps one for each."""


def constants(*values: int) -> list[int]:
    """Numbers to hand to kernels. NumPy's, because for each of Python's own a kernel would be compiled once more."""
    return [np.int64(value) for value in values]  # type: ignore[misc]


A, B, NEUTRAL = constants(0, 1, 2)
SIDES = "AB"
NOBODY, JAILED, NOWHERE = constants(-1, -1, -2)
ON_A_CELL, CROSSING = constants(0, 1)
"""The two kinds of contacts."""
GOES_ON, FLAG_HOME, BOTH_HOME, NO_PIECES, ROUNDS_OVER, STALLED = range(6)
HOME_ROWS = 5
"""The rows of a side's territory; what is between the two is neutral."""
START_ROW, ZONE_ROWS = 2, 2
"""Counted from a side's own edge: where its pieces start, and how deep its zone is."""

UP, DOWN, LEFT, RIGHT = 0, 1, 2, 3
DIRECTIONS = ("up", "down", "left", "right")
COMMAND_BITS, DISTANCE_BITS = 8, 5
"""An action is the commands of all pieces of a side, a byte for each, piece 1 in the lowest: a direction, and below it
a distance."""
STAY, ONE_PIECE = 0, (1 << COMMAND_BITS) - 1
"""What all pieces of a side are told, or nothing; and all that can be told to piece 1."""
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
"""Options that are words; a state keeps their places in these lists."""
RECOMMENDED = {
    "survivor": "stop",
    "swap": "contact",
    "elimination": "yes",
    "rescuer_reset": "next_round",
    "both_score": "draw",
    "pickup_in_passing": "no",
}
RULE_SETS = {
    "recommended": RECOMMENDED,
    "repo-11x11": {**RECOMMENDED, "survivor": "continue", "swap": "pass", "elimination": "no"},
}
SMALL, LARGE = (11, 11), (19, 13)
NUMBERS = {"turn_limit": (1, 100_000), "stall_limit": (1, 100_000)}


@dataclass(frozen=True)
class Config:
    """How a game is set up. What is left empty follows from the board and from the rule set."""

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
        for option, usual in RULE_SETS[self.rules].items():
            set_option(self, option, getattr(self, option) or usual)
        width, height = self.sides
        set_option(self, "pieces", self._odd_pieces(width))
        rounds = 100 if width * height <= SMALL[0] * SMALL[1] else 200
        set_option(self, "turn_limit", self.turn_limit or rounds)
        settle(self, WORDS, NUMBERS)

    @property
    def sides(self) -> tuple[int, int]:
        """Width and height."""
        return sides(
            self.board,
            lambda width, height: width % 2 == 1 and 7 <= width <= 25 and 11 <= height <= 25,
            "WIDTHxHEIGHT, the width odd and from 7 to 25, the height from 11 to 25",
        )

    def _odd_pieces(self, width: int) -> int:
        """As many as there is room for: the columns of the keys stay free."""
        usual, most = (7 if self.sides == LARGE else 3), min(MOST_PIECES, width - 4)
        said = number("pieces", self.pieces or usual, 1, most)
        if said % 2 == 0:
            raise SparringError(f"pieces must be an odd number from 1 to {most}, not {said}")
        return said
