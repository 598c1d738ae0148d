"""Seats: one agent for each of our snakes in each game, with its memory.

The same snake may play several games at once, and two snakes of a game may be ours, so a seat is known by both ids. It
is freed when its game ends. Not every engine announces the end, so a seat is also freed after a silence, or when there
are too many.
"""

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.games.battlesnake import api
from sparring.games.battlesnake.board_json import Json
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.rules import MOVES
from sparring.games.battlesnake.state import NUMBERS
from sparring.web.lru import LruCache

Key = tuple[str, str]
"""The ids of a game and of a snake."""
SILENCE = 300.0
"""Seconds without a request after which a game counts as over."""
MOST_SEATS = 1000
OVERRUN = 0.020
"""Seconds by which an agent that keeps its time may still be late."""
LEAST = 0.005
"""Least seconds for an agent. One that ignores its time is cut off anyway."""


class NothingToDecide(SparringError):
    """The last survivor was asked once more; any answer will do."""


class Seat:
    """One snake in one game. Only one thread at a time thinks for it."""

    def __init__(self, key: Key, agent: Callable[[Battlesnake], Agent]) -> None:
        self.heard = 0.0
        self.asked: int | None = None
        """The turn of the last question."""
        self.answered: tuple[int, float] | None = None
        """The turn of the last answer, and our seconds for it."""
        self._agent = agent
        self._dice = dice(*key)
        self._thinking = threading.Lock()
        self._held = contextlib.ExitStack()
        self._player: tuple[Battlesnake, tuple[str, ...], Agent] | None = None
        self._left = False

    def decide(self, data: Json, seconds: float) -> str:
        """A move for a board. Raises SparringError if none of our games can hold it."""
        with self._turn(seconds):
            seen, player = self._seated(data)
            if seen.you not in seen.position.actors:
                raise NothingToDecide("the game is over, or over for this snake")
            view = View.of(seen.position, seen.you, self._dice)
            return MOVES[player.decide(replace(view, seconds=max(LEAST, seconds - OVERRUN))).action]

    def prepare(self, data: Json, seconds: float) -> None:
        """Get ready for the first move."""
        with self._turn(seconds):
            self._seated(data)

    def leave(self) -> None:
        """Free the agent now, or when its thinking thread has come back."""
        self._left = True
        if self._thinking.acquire(blocking=False):
            self._held.close()
            self._thinking.release()

    @contextlib.contextmanager
    def _turn(self, seconds: float) -> Iterator[None]:
        if not self._thinking.acquire(timeout=max(0.0, seconds)):
            raise TimeoutError("still busy with an earlier move")
        try:
            yield
        finally:
            self._thinking.release()
            if self._left:
                self.leave()

    def _seated(self, data: Json) -> tuple[api.Seen, Agent]:
        """The board and its player: the same one from turn to turn, also after others have died."""
        seen = api.read(data, self._player[1] if self._player else ())
        seen.position.state.max_turns = NUMBERS["max_turns"][1]  # an engine that asks has not ended the game
        game = seen.position.game
        assert isinstance(game, Battlesnake)
        if self._player is None or self._player[:2] != (game, seen.ids):
            self._held.close()
            self._player = (game, seen.ids, self._held.enter_context(self._agent(game).seated(self._dice)))
        return seen, self._player[2]


class Seats:
    """All seats; those asked last are at the end."""

    def __init__(self, agent: Callable[[Battlesnake], Agent]) -> None:
        self._agent = agent
        self._seats: OrderedDict[Key, Seat] = OrderedDict()

    def __len__(self) -> int:
        return len(self._seats)

    @property
    def games(self) -> int:
        return len({game for game, _ in self._seats})

    def at(self, key: Key, now: float) -> Seat:
        """The seat of a snake, a new one if it is unknown."""
        seat = self._seats.setdefault(key, Seat(key, self._agent)) if key not in self._seats else self._seats[key]
        seat.heard = now
        self._seats.move_to_end(key)
        self.sweep(now)
        return seat

    def free(self, key: Key) -> None:
        if seat := self._seats.pop(key, None):
            seat.leave()

    def sweep(self, now: float) -> None:
        """Free the seats that will not be asked again."""
        while self._seats:
            key, oldest = next(iter(self._seats.items()))
            if len(self._seats) <= MOST_SEATS and now - oldest.heard < SILENCE:
                return
            self.free(key)


def agents(make: Callable[[Battlesnake], Agent], most: int = 64) -> Callable[[Battlesnake], Agent]:
    """Make one agent for each kind of game when it is first needed; no two threads make the same."""
    made: LruCache[Any, Agent] = LruCache(most)
    making = threading.Lock()

    def agent(game: Battlesnake) -> Agent:
        kind = tuple(game.options().items())
        with making:
            if not (known := made.get(kind)):
                made.put(kind, known := make(game))
            return known

    return agent
