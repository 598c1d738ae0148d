"""Seats: what the server knows of each of our snakes in each game.

The same snake may play several games at once, and two snakes of a game may be ours, so a seat is known by both ids. It
is freed when its game ends. Not every engine announces the end, so a seat is also freed after a silence, or when there
are too many.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from sparring.games.battlesnake.board_json import Json, object_, word

Key = tuple[str, str]
"""The ids of a game and of a snake."""
SILENCE = 300.0
"""Seconds without a request after which a game counts as over."""
MOST_SEATS = 1000


def key_of(data: Json) -> Key:
    return word(object_(data, "game", {}), "id", ""), word(object_(data, "you", {}), "id", "")


@dataclass(eq=False)
class Seat:
    """One snake in one game."""

    number: int
    heard: float = 0.0
    asked: int | None = None
    """The turn of the last question."""
    answered: tuple[int, float] | None = None
    """The turn of the last answer, and our seconds for it."""
    process: Any = None
    """The process in which its agent remembers the game."""
    left: bool = False
    """True if its game is over."""
    suspect: bool = False
    """True if its agent has ended or held up a process."""


class Seats:
    """All seats; those asked last are at the end. `left` is told which are freed."""

    def __init__(self, left: Callable[[Seat], None]) -> None:
        self._left = left
        self._numbers = count()
        self._seats: OrderedDict[Key, Seat] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def games(self) -> int:
        return len({game for game, _ in self._seats})

    def at(self, key: Key, now: float) -> Seat:
        """The seat of a snake, a new one if it is unknown."""
        seat = self._seats.get(key)
        if seat is None:
            seat = self._seats[key] = Seat(next(self._numbers))
        seat.heard = now
        self._seats.move_to_end(key)
        self.sweep(now)
        return seat

    def free(self, key: Key) -> None:
        if seat := self._seats.pop(key, None):
            self._left(seat)

    def sweep(self, now: float) -> None:
        """Free the seats that will not be asked again."""
        while self._seats:
            key, oldest = next(iter(self._seats.items()))
            if len(self._seats) <= MOST_SEATS and now - oldest.heard < SILENCE:
                return
            self.free(key)
