"""Our agents sit in the course's harness, and the course's players in our arena.

`CourseBoard` is a board with the interface of the course, on plain lists. It knows nothing of our rules.
"""

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sparring
from commands import did
from sparring.agents.agent import View
from sparring.core.dice import players_dice
from sparring.games.isolation.agents.course import NO_MOVE, CoursePlayer, IsolationBoard, answer, to_state

Cell = tuple[int, int]
STEPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]


class CourseBoard:
    """The board that the course hands to its players."""

    def __init__(self, player_1: Any, player_2: Any, width: int = 7, height: int = 7) -> None:
        self.width, self.height, self.move_count = width, height, 0
        self.blank = {(row, column) for row in range(height) for column in range(width)}
        self.where: dict[Any, Cell | None] = {player_1: None, player_2: None}
        self.active_player, self.inactive_player = player_1, player_2

    def get_opponent(self, player: Any) -> Any:
        return self.inactive_player if player is self.active_player else self.active_player

    def get_player_location(self, player: Any) -> Cell | None:
        return self.where[player]

    def get_blank_spaces(self) -> list[Cell]:
        return sorted(self.blank)

    def get_legal_moves(self, player: Any = None) -> list[Cell]:
        here = self.where[self.active_player if player is None else player]
        if here is None:
            return self.get_blank_spaces()
        jumps = [(here[0] + down, here[1] + right) for down, right in STEPS]
        moves = [cell for cell in jumps if self.move_is_legal(cell)]
        random.shuffle(moves)
        return moves

    def move_is_legal(self, move: Cell) -> bool:
        return move in self.blank

    def forecast_move(self, move: Cell) -> "CourseBoard":
        board = CourseBoard(self.active_player, self.inactive_player, self.width, self.height)
        board.blank, board.where, board.move_count = set(self.blank), dict(self.where), self.move_count
        board.apply_move(move)
        return board

    def apply_move(self, move: Cell) -> None:
        self.where[self.active_player] = move
        self.blank.discard(move)
        self.move_count += 1
        self.active_player, self.inactive_player = self.inactive_player, self.active_player

    def is_loser(self, player: Any) -> bool:
        return player is self.active_player and not self.get_legal_moves()

    def is_winner(self, player: Any) -> bool:
        return player is self.inactive_player and not self.get_legal_moves()

    def utility(self, player: Any) -> float:
        return float("inf") if self.is_winner(player) else float("-inf") if self.is_loser(player) else 0.0


class Wanderer:
    """A player of the course that moves at random."""

    def get_move(self, game: Any, time_left: Callable[[], float]) -> Cell:
        moves = game.get_legal_moves()
        return random.choice(moves) if moves else NO_MOVE


def play(board: Any, milliseconds: float = 2000.0) -> tuple[Any, str]:
    """Play as the course does: the winner, and why the other lost."""
    while True:
        end = time.perf_counter() + milliseconds / 1000
        move = board.active_player.get_move(board, lambda end=end: 1000 * (end - time.perf_counter()))
        if time.perf_counter() > end:
            return board.inactive_player, "timeout"
        legal = board.get_legal_moves()
        if move not in legal:
            return board.inactive_player, "forfeit" if legal else "no moves"
        board.apply_move(move)


@pytest.mark.parametrize(("width", "height"), [(7, 7), (5, 6)])
def test_an_agent_of_ours_plays_whole_games_in_the_harness_and_makes_no_illegal_move(width: int, height: int) -> None:
    random.seed(5)
    ours = CoursePlayer("next_moves,nodes=300", board=f"{height}x{width}")
    won = 0
    for number in range(8):
        pair = (ours, Wanderer()) if number % 2 else (Wanderer(), ours)
        winner, why = play(CourseBoard(*pair, width, height))
        assert why == "no moves"
        won += winner is ours
    assert won >= 6, "it searches"


def test_in_the_harness_an_agent_chooses_the_move_that_it_chooses_here() -> None:
    random.seed(6)
    board, ours = CourseBoard("first", "second"), CoursePlayer("voronoi,depth=2")
    while board.get_legal_moves():
        rules = sparring.game("isolation", opening="free")
        position = rules.position("/".join(_rows(board)) + f" {'AB'[board.move_count % 2]}")
        assert rules.text(to_state(board)) == position.text
        move = ours.get_move(board, lambda: 5000.0)
        here = sparring.explain(rules, "voronoi,depth=2", position)
        assert move == divmod(here.action, 7), position.text
        board.apply_move(random.choice(board.get_legal_moves()))
    assert ours.get_move(board, lambda: 150.0) == NO_MOVE


def _rows(board: CourseBoard) -> list[str]:
    first, second = (board.active_player, board.inactive_player)[:: 1 if board.move_count % 2 == 0 else -1]
    signs = {board.where[first]: "A", board.where[second]: "B"}
    cells = [[(row, column) for column in range(board.width)] for row in range(board.height)]
    return ["".join(signs.get(cell, "." if cell in board.blank else "#") for cell in row) for row in cells]


def test_an_agent_without_a_budget_of_its_own_keeps_the_time_that_is_left() -> None:
    asked = []
    ours = CoursePlayer("improved")
    decide = ours._agents["7x7"].decide
    ours._agents["7x7"].decide = lambda view: (asked.append(view.seconds), decide(view))[1]  # type: ignore[method-assign]
    board = CourseBoard(ours, Wanderer())
    ours.get_move(board, lambda: 60.0)
    assert asked == [0.05], "ten milliseconds are left over"


def test_our_board_answers_every_question_as_the_courses_does() -> None:
    random.seed(7)
    for width, height in ((7, 7), (6, 4)):
        one, other = Wanderer(), Wanderer()
        board, plain = IsolationBoard(one, other, width, height), CourseBoard(one, other, width, height)
        while True:
            for player in (one, other):
                assert board.get_player_location(player) == plain.get_player_location(player)
                assert board.get_opponent(player) is plain.get_opponent(player)
                assert board.get_legal_moves(player) == sorted(plain.get_legal_moves(player))
                for ask in ("is_winner", "is_loser", "utility"):
                    assert getattr(board, ask)(player) == getattr(plain, ask)(player), ask
            for name in ("width", "height", "move_count", "active_player", "inactive_player"):
                assert getattr(board, name) == getattr(plain, name), name
            assert board.get_legal_moves() == sorted(plain.get_legal_moves())
            assert board.get_blank_spaces() == plain.get_blank_spaces()
            around = [(row, column) for row in range(-1, height + 1) for column in range(-1, width + 1)]
            assert [board.move_is_legal(move) for move in around] == [plain.move_is_legal(move) for move in around]
            if not (moves := plain.get_legal_moves()):
                break
            move = random.choice(moves)
            before, after = board.hash(), board.forecast_move(move)
            assert board.hash() == before, "a forecast leaves the board as it was"
            board.apply_move(move)
            plain.apply_move(move)
            assert after.hash() == board.hash()
            assert after.get_blank_spaces() == plain.get_blank_spaces()


USERS_FILE = '''
"""A player of the course as an agent here."""
from sparring import agent
from sparring.games.isolation.agents.course import answer


class OneLook:
    """Has the most moves more than the opponent, and wins where it can."""

    def get_move(self, game, time_left):
        def value(move):
            after = game.forecast_move(move)
            yours = after.get_legal_moves(after.get_opponent(self))
            return after.utility(self), len(after.get_legal_moves(self)) - len(yours)

        assert 0 < time_left() <= 150
        return max(game.get_legal_moves(), key=value)


class Lost:
    """Walks off the board."""

    def get_move(self, game, time_left):
        return (0, game.width)


one_look, lost = OneLook(), Lost()


@agent("isolation")
def looks(view):
    return answer(one_look, view)


@agent("isolation")
def walks_off(view):
    return answer(lost, view)
'''


@pytest.mark.slow
def test_a_player_of_the_course_plays_a_match_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARRING_STORE", str(tmp_path / "games.db"))
    Path("mine.py").write_text(USERS_FILE)
    assert "mine.py:looks beats random" in did("match", "isolation", "mine.py:looks", "random", "--games", 20)
    told = did("match", "isolation", "mine.py:walks_off", "random", "--games", 2)
    assert "mine.py:walks_off lost 2 games by illegal move (first: illegal move: (0, 7)" in told


def test_a_player_of_the_course_sees_the_position_from_its_own_seat() -> None:
    class Looks:
        def get_move(self, game: Any, time_left: Callable[[], float]) -> Cell:
            assert game.active_player is self
            self.seen = game.get_player_location(self), game.get_player_location(game.get_opponent(self))
            return game.get_legal_moves()[0]

    position = sparring.game("isolation").position("d4 e6 f5")
    looks = Looks()
    action = answer(looks, View(position, position.mover, players_dice(0, 1)))
    assert looks.seen == ((1, 4), (2, 5))
    assert action == position.legal[0]
