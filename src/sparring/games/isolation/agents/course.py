"""Our agents in the course's harness, and the course's players in our arena.

The course calls `player.get_move(game, time_left)`: the game is a board with methods such as `get_legal_moves`, a move
is (row, column), and `time_left()` is in milliseconds. `CoursePlayer` is an agent of ours with this method. `answer`
calls it on a player of the course in a game of ours, with a `IsolationBoard`.
"""

import time
from collections.abc import Callable
from copy import copy
from math import inf
from typing import Any

from sparring.agents.agent import View
from sparring.agents.spec import agent
from sparring.core import defaults
from sparring.core.dice import players_dice
from sparring.core.kernel import record
from sparring.games.contract import Position
from sparring.games.isolation.game import board_row
from sparring.games.isolation.state import CELLS, NOWHERE, State, shape
from sparring.games.registry import game as make_game

Move = tuple[int, int]
NO_MOVE = (-1, -1)
MILLISECONDS = 150.0  # the time for a move in the course's tournament
RESERVE = 10.0  # milliseconds that a player of ours leaves unused, as the course's own do


class CoursePlayer:
    """An agent of ours as a player of the course: `CoursePlayer("next_moves,nodes=2000")`. An agent without a budget
    uses nearly all of the time. It is warmed up for one size of board."""

    def __init__(self, spec: str = "voronoi", seed: int = defaults.SEED, board: str = "7x7") -> None:
        self.spec = spec
        self._dice = players_dice(seed, 0)
        self._agents = {board: agent(make_game("isolation", board=board), spec)}
        start = make_game("isolation", board=board).start(seed)
        self._agents[board].decide(View(start, start.mover, players_dice(seed, 1), seconds=RESERVE / 1000))

    def get_move(self, game: Any, time_left: Callable[[], float]) -> Move:
        """The agent's move on a board of the course; (-1, -1) if there is none."""
        if not game.get_legal_moves():
            return NO_MOVE
        size = f"{game.height}x{game.width}"
        rules = make_game("isolation", board=size)
        if size not in self._agents:
            self._agents[size] = agent(rules, self.spec)
        state = to_state(game)
        seconds = max(1.0, time_left() - RESERVE) / 1000
        view = View(Position(rules, state, self._dice), int(state.to_move), self._dice, seconds)
        row, column = divmod(self._agents[size].decide(view).action, game.width)
        return row, column

    def __repr__(self) -> str:
        return f"CoursePlayer({self.spec!r})"


def to_state(game: Any) -> Any:
    s = record(State)
    s.board = board_row(f"{game.height}x{game.width}", "knight")
    s.blocked = int(CELLS[s.board]) & ~sum(1 << row * game.width + column for row, column in game.get_blank_spaces())
    s.to_move = game.move_count % 2
    for seat, player in ((s.to_move, game.active_player), (1 - s.to_move, game.inactive_player)):
        place = game.get_player_location(player)
        s.at[seat] = NOWHERE if place is None else place[0] * game.width + place[1]
    return s


class IsolationBoard:
    """A game of ours with the methods of the course's board. Moves come in the order of cells, not shuffled."""

    NOT_MOVED = None

    def __init__(self, player_1: Any, player_2: Any, width: int = 7, height: int = 7) -> None:
        self.width, self.height, self._players = width, height, (player_1, player_2)
        self._rules = make_game("isolation", board=f"{height}x{width}", opening="free")
        self._state = self._rules.new(0)

    @classmethod
    def of(cls, position: Position, players: tuple[Any, Any]) -> "IsolationBoard":
        """The board of a position, with the players in the order of their seats."""
        height, width = shape(position.state)
        board = cls(*players, width, height)
        board._state = position.game.copy(position.state)
        return board

    @property
    def move_count(self) -> int:
        """Number of moves that were made: each has blocked a cell."""
        return int(self._state.blocked).bit_count()

    @property
    def active_player(self) -> Any:
        return self._players[self._state.to_move]

    @property
    def inactive_player(self) -> Any:
        return self._players[1 - self._state.to_move]

    def get_opponent(self, player: Any) -> Any:
        return self._players[1 - self._seat(player)]

    def get_player_location(self, player: Any) -> Move | None:
        """The cell of a player, or None before it is placed."""
        cell = int(self._state.at[self._seat(player)])
        return None if cell == NOWHERE else divmod(cell, self.width)

    def get_blank_spaces(self) -> list[Move]:
        return [divmod(cell, self.width) for cell in range(self.width * self.height) if self._blank(cell)]

    def get_legal_moves(self, player: Any = None) -> list[Move]:
        """The moves that a player has, or would have if it were to move; by default those of the player to move."""
        asked = self._rules.copy(self._state)
        if player is not None:
            asked.to_move = self._seat(player)
        return [divmod(cell, self.width) for cell in self._rules.legal(asked, int(asked.to_move))]

    def move_is_legal(self, move: Move) -> bool:
        """True if a cell is on the board and blank, even if no piece can reach it."""
        row, column = move
        return 0 <= row < self.height and 0 <= column < self.width and self._blank(row * self.width + column)

    def apply_move(self, move: Move) -> None:
        self._rules.apply(self._state, {int(self._state.to_move): move[0] * self.width + move[1]})

    def forecast_move(self, move: Move) -> "IsolationBoard":
        board = self.copy()
        board.apply_move(move)
        return board

    def copy(self) -> "IsolationBoard":
        board = copy(self)
        board._state = self._rules.copy(self._state)
        return board

    def is_loser(self, player: Any) -> bool:
        return player is self.active_player and not self.get_legal_moves()

    def is_winner(self, player: Any) -> bool:
        return player is self.inactive_player and not self.get_legal_moves()

    def utility(self, player: Any) -> float:
        """Infinite when the game is over, 0 before."""
        return inf if self.is_winner(player) else -inf if self.is_loser(player) else 0.0

    def hash(self) -> int:
        return hash(self._state.tobytes())

    def to_string(self) -> str:
        return self._rules.drawing(self._state)

    def _seat(self, player: Any) -> int:
        return 0 if player is self._players[0] else 1

    def _blank(self, cell: int) -> bool:
        return not int(self._state.blocked) >> cell & 1


def answer(player: Any, view: View, milliseconds: float = MILLISECONDS) -> Any:
    """The move of a course's player in a game of ours: return it from a function under `@agent("isolation")`. A move
    off the board is returned unchanged, and the referee refuses it."""
    opponent = object()
    board = IsolationBoard.of(view.position, (player, opponent) if view.me == 0 else (opponent, player))
    end = time.perf_counter() + (milliseconds / 1000 if view.seconds is None else view.seconds)
    row, column = move = player.get_move(board, lambda: 1000 * (end - time.perf_counter()))
    on_board = 0 <= row < board.height and 0 <= column < board.width
    return row * board.width + column if on_board else move
