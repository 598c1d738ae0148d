"""The state of Ludo: one record, the tiles of a player's way, and the options of a game.

A token counts its steps from its owner's home: 0 is home, 1 the own start, 1 to 51 the ring, 52 to 56 the own corridor,
57 the goal. The same tile of the ring has another number for every player; see `same_tile`.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.core.errors import SparringError
from sparring.games.options import check_options, number, set_option

State = np.dtype(
    [
        # the position
        ("at", np.int64, (4, 4)),  # by player and token, in steps of the owner; 0 for tokens that do not take part
        ("place", np.int64, (4,)),  # 1 for the player that finished first; 0 while still playing
        ("finished", np.int64),  # number of players with a place
        ("to_move", np.int64),
        ("die", np.int64),  # roll of the mover; 0 before the roll, and when the game is over
        ("sixes", np.int64),  # sixes of the mover in a row, where that has a limit
        ("tries", np.int64),  # wasted rolls of this turn with all tokens at home; 0 once the mover may move
        ("first_round", np.int64),  # turns left in the first round, where it has rules of its own
        # the configuration
        ("start", np.int64, (4,)),  # each player's own start as a tile of the ring, 0 to 51
        ("players", np.int64),
        ("tokens", np.int64),
        ("ends_after", np.int64),  # number of places that end the game
        ("overshoot", np.int64),
        ("exit_fails", np.int64),  # onto a blockade
        ("first_stop_counts", np.int64),  # a jump from star to star meets tokens on both
        ("blockades", np.int64),  # two tokens on a tile are protected
        ("six_again", np.int64),
        ("max_sixes", np.int64),  # the six that reaches this number is lost; 0: no limit
        ("home_tries", np.int64),
        ("late_tries", np.int64),  # not only in the first round
        ("ludopy", np.int64),  # every peculiarity of ludopy 1.5.0
    ],
    align=True,
)

HOME, START, TURN_OFF, CORRIDOR, GOAL = 0, 1, 51, 52, 57
"""TURN_OFF is the last tile of the ring on a token's way; the next step leads into its corridor."""
RING, QUARTER, SIX = 52, 13, 6
STARS = (5, 12, 18, 25, 31, 38, 44, 51)
GLOBES = (9, 22, 35, 48)
IS_STAR = sum(1 << tile for tile in STARS)
IS_GLOBE = sum(1 << tile for tile in GLOBES)
NEXT_STAR = np.zeros(GOAL + 1, np.int64)
NEXT_STAR[list(STARS)] = [*STARS[1:], GOAL]

REFLECT, BACK_BY_DIE, STAY = 0, 1, 2
"""Values of `overshoot`: what happens to a token that would overshoot its goal."""
NEVER, ALWAYS, NOT_IN_FIRST_ROUND = 0, 1, 2  # values of `six_again`: when a six gives another roll

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
"""Options with words as values. The rules use the index of the word."""
NUMBERS = {"players": (2, 4), "tokens": (1, 4), "max_consecutive_sixes": (0, 100), "home_tries": (1, 100)}
"""Options with numbers as values, and their bounds."""
SEATS = {2: "0,2", 3: "0,1,2", 4: "0,1,2,3"}


@dataclass(frozen=True)
class LudoConfig:
    """The options of a game. `rules="ludopy"` sets the options in LUDOPY."""

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
        check_options(self, WORDS, NUMBERS)
        set_option(self, "first_player", number("first_player", self.first_player, 0, self.players - 1))
        set_option(self, "seats", _seats(self.seats, self.players))
        if self.max_consecutive_sixes == 1:
            raise SparringError(
                "max_consecutive_sixes 1 loses every six, so that nobody can leave home; expected 0, or 2 and more"
            )
        if self.rules == "ludopy":
            self._set_ludopy()

    def _set_ludopy(self) -> None:
        for option, value in LUDOPY.items():
            if getattr(self, option) not in (value, getattr(LudoConfig, option)):
                raise SparringError(f"rules=ludopy sets {option}={value}; leave it out")
            set_option(self, option, value)
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
"""The rules of ludopy 1.5.0 as options; the rest is in ludopy.py."""


def _seats(value: Any, players: int) -> str:
    """Parse the seats in the order of play: `0,2` are opposite each other."""
    seats = str(value or SEATS[players]).split(",")
    if any(seat not in ("0", "1", "2", "3") for seat in seats) or sorted(set(seats)) != seats:
        raise SparringError(f"seats {value!r} cannot be read; expected some of 0,1,2,3 in this order, such as 0,2")
    if len(seats) != players:
        raise SparringError(f"{len(seats)} seats for {players} players; say how many players there are")
    return ",".join(seats)
