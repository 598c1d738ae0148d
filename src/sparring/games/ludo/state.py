"""What a position of Ludo is: one record, the tiles of a player's way, and the options of a game.

Every token counts its steps from its owner's home: 0 is home, 1 the own start, 1 to 51 the part of the ring it walks,
52 to 56 the own corridor, 57 the goal. The same tile of the ring has another number for every player; see `same_tile`.
"""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.options import number, set_option, settle

State = np.dtype(
    [
        # the position
        ("at", np.int64, (4, 4)),  # by player and token, in steps of the owner; 0 for tokens that do not take part
        ("place", np.int64, (4,)),  # 1 for the player whose tokens were all in goal first; 0 while still playing
        ("finished", np.int64),  # how many players have a place
        ("to_move", np.int64),
        ("die", np.int64),  # what the mover has rolled; 0 before the roll, and when the game is over
        ("sixes", np.int64),  # the mover has rolled in a row, where that has a limit
        ("tries", np.int64),  # the mover has wasted this turn, all its tokens being at home; 0 once it may move
        ("first_round", np.int64),  # turns before the first round is over, where it has rules of its own
        # the configuration
        ("start", np.int64, (4,)),  # each player's own start as a tile of the ring, 0 to 51
        ("players", np.int64),
        ("tokens", np.int64),
        ("ends_after", np.int64),  # so many players have a place
        ("overshoot", np.int64),
        ("exit_fails", np.int64),  # onto a blockade
        ("first_stop_counts", np.int64),  # of a jump from star to star
        ("blockades", np.int64),  # two tokens on a tile stand firm
        ("six_again", np.int64),
        ("max_sixes", np.int64),  # the roll that makes it so many is lost; 0: no limit
        ("home_tries", np.int64),
        ("late_tries", np.int64),  # not only in the first round
        ("ludopy", np.int64),  # every peculiarity of ludopy 1.5.0
    ],
    align=True,
)

HOME, START, TURN_OFF, CORRIDOR, GOAL = 0, 1, 51, 52, 57
"""TURN_OFF is the last tile of the ring that a token walks: the next step leads into its corridor."""
RING, QUARTER, SIX = 52, 13, 6
STARS = (5, 12, 18, 25, 31, 38, 44, 51)
GLOBES = (9, 22, 35, 48)
IS_STAR = sum(1 << tile for tile in STARS)
IS_GLOBE = sum(1 << tile for tile in GLOBES)
NEXT_STAR = np.zeros(GOAL + 1, np.int64)
NEXT_STAR[list(STARS)] = [*STARS[1:], GOAL]

REFLECT, BACK_BY_DIE, STAY = 0, 1, 2
"""What a token does that would overshoot its goal."""
NEVER, ALWAYS, NOT_IN_FIRST_ROUND = 0, 1, 2
"""Whether a six gives another roll."""

WORDS = {
    "rules": ("standard", "ludopy"),
    "overshoot": ("reflect", "ludopy", "stay"),
    "exit_onto_blockade": ("capture", "fail"),
    "star_capture": ("last", "both"),
    "blockade": ("none", "kills_lander"),
    "extra_turn_on_six": ("no", "yes", "not_in_round_1"),
    "home_tries_rounds": ("0", "1", "all"),
    "play_to_end": ("no", "yes"),
}
"""Options that are one of some words; the place of a word is the number by which rules know it."""
NUMBERS = {"players": (2, 4), "tokens": (1, 4), "max_consecutive_sixes": (0, 100), "home_tries": (1, 100)}
"""Options that are numbers, and how small and large they may be."""
SEATS = {2: "0,2", 3: "0,1,2", 4: "0,1,2,3"}


@dataclass(frozen=True)
class Config:
    """How a game is set up. `rules="ludopy"` settles all options that it has an opinion on."""

    players: int = 4
    tokens: int = 4
    seats: str = ""
    first_player: int = 0
    rules: str = "standard"
    overshoot: str = "reflect"
    exit_onto_blockade: str = "capture"
    star_capture: str = "both"
    blockade: str = "kills_lander"
    extra_turn_on_six: str = "yes"
    max_consecutive_sixes: int = 0
    home_tries: int = 1
    home_tries_rounds: str = "all"
    play_to_end: str = "no"

    def __post_init__(self) -> None:
        settle(self, WORDS, NUMBERS)
        set_option(self, "first_player", number("first_player", self.first_player, 0, self.players - 1))
        set_option(self, "seats", _seats(self.seats, self.players))
        if self.max_consecutive_sixes == 1:
            raise SparringError(
                "max_consecutive_sixes 1 would lose every six and nobody could leave home; expected 0 or 2 and more"
            )
        if self.rules == "ludopy":
            self._be_ludopy()

    def _be_ludopy(self) -> None:
        standard = {field.name: field.default for field in fields(self)}
        for option, settled in LUDOPY.items():
            if getattr(self, option) not in (settled, standard[option]):
                raise SparringError(f"rules=ludopy settles {option}={settled}; leave it out")
            set_option(self, option, settled)
        if not self.seats.startswith("0"):
            raise SparringError("ludopy never passes over seat 0: with rules=ludopy the first of the seats must be 0")


LUDOPY = {
    "tokens": 4,
    "first_player": 0,
    "overshoot": "ludopy",
    "exit_onto_blockade": "fail",
    "star_capture": "both",
    "blockade": "kills_lander",
    "extra_turn_on_six": "not_in_round_1",
    "max_consecutive_sixes": 0,
    "home_tries": 4,
    "home_tries_rounds": "1",
}
"""What ludopy 1.5.0 plays, as far as options can say it; the rest is in ludopy.py."""


def _seats(value: Any, players: int) -> str:
    """Who sits where, in the order of play: `0,2` are opposite each other."""
    seats = str(value or SEATS[players]).split(",")
    if any(seat not in ("0", "1", "2", "3") for seat in seats) or sorted(set(seats)) != seats:
        raise SparringError(f"seats {value!r} cannot be read; expected some of 0,1,2,3 in this order, such as 0,2")
    if len(seats) != players:
        raise SparringError(f"{len(seats)} seats for {players} players; say how many players there are")
    return ",".join(seats)
