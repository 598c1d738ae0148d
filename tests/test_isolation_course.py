"""Our agents sit in the course's harness, and the course's players in our arena."""

import random
import time
from collections.abc import Callable
from typing import Any

import pytest

import sparring
from plain_isolation import Cell, CourseBoard
from sparring.agents.agent import View
from sparring.core.dice import players_dice
from sparring.games.isolation.agents.course import NO_MOVE, CoursePlayer, IsolationBoard, answer, to_state


class Wanderer:
    """A player of the course that moves at random."""

    def get_move(self, game: Any, time_left: Callable[[], float]) -> Cell:
        moves = game.get_legal_moves()
        return random.choice(moves) if moves else NO_MOVE


def play(board: Any, milliseconds: float = 60_000.0) -> tuple[Any, str]:
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
    for number in range(6):
        pair = (ours, Wanderer()) if number % 2 else (Wanderer(), ours)
        winner, why = play(CourseBoard(*pair, width, height))
        assert why == "no moves"
        won += winner is ours
    assert won >= 4, "it searches"


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


def test_a_player_of_the_course_sees_the_position_from_its_own_seat() -> None:
    class Looks:
        def get_move(self, game: Any, time_left: Callable[[], float]) -> Cell:
            assert game.active_player is self
            assert 0 < time_left() <= 150
            self.seen = game.get_player_location(self), game.get_player_location(game.get_opponent(self))
            return self.answer

    position, looks = sparring.game("isolation").position("d4 e6 f5"), Looks()
    view = View(position, position.mover, players_dice(0, 1))
    looks.answer = 0, 3
    assert (answer(looks, view), looks.seen) == (3, ((1, 4), (2, 5)))
    looks.answer = 0, 7
    assert answer(looks, view) == (0, 7), "off the board, which the referee refuses"
