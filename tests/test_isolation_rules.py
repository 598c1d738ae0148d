"""The rules of Isolation, told as stories and counted move by move against a plain board.

`python tests/test_isolation_rules.py` counts tests/data/isolation_perft.json anew, in some minutes.
"""

import json
from functools import cache
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plain_isolation import CourseBoard
from sparring.core.bits import count, lowest
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel, workspace
from sparring.games.contract import Position
from sparring.games.isolation import rules
from sparring.games.isolation.state import State
from sparring.games.kernels import alone
from sparring.games.registry import game

PERFT = Path(__file__).parent / "data" / "isolation_perft.json"
CHEAP = 2_000
SVG = "{http://www.w3.org/2000/svg}"


@cache
def isolation(board: str = "7x7", piece: str = "knight", opening: str = "free"):
    return game("isolation", board=board, piece=piece, opening=opening)


def legal_names(position: Position) -> set[str]:
    return {position.name(action) for action in position.legal}


def plain_board(case: dict) -> CourseBoard:
    rows, columns = (int(side) for side in case["board"].split("x"))
    board = CourseBoard(width=columns, height=rows, piece=case["piece"])
    for name in case["opening"].split():
        board.apply_move((rows - int(name[1:]), "abcdefghijklmnopqrstu".index(name[0])))
    return board


def plain_lines(board: CourseBoard, depth: int) -> int:
    """How many sequences of so many moves there are."""
    moves = board.get_legal_moves()
    return len(moves) if depth == 1 else sum(plain_lines(board.forecast_move(move), depth - 1) for move in moves)


@kernel
def compiled_lines(states, ply, depth):
    moves = rules.legal(states[ply], states[ply].to_move)
    if ply + 1 == depth:
        return count(moves)
    total = 0
    while moves:
        states[ply + 1] = states[ply]
        rules.apply(states[ply + 1], alone(lowest(moves)))
        moves &= moves - 1
        total += compiled_lines(states, ply + 1, depth)
    return total


COUNTED = json.loads(PERFT.read_text())


def story(case: dict) -> str:
    return f"{case['piece']}s on {case['board']}" + (f" after {case['opening']}" if case["opening"] else "")


@pytest.mark.slow
@pytest.mark.parametrize("case", COUNTED, ids=story)
def test_the_compiled_rules_allow_exactly_the_lines_of_play_of_the_plain_board(case: dict) -> None:
    board, made, states = plain_board(case), isolation(case["board"], case["piece"]), workspace(State, 64)
    states[0] = made.parse(case["opening"])
    assert [compiled_lines(states, 0, depth) for depth in range(1, len(case["lines"]) + 1)] == case["lines"]
    cheap = list(takewhile(lambda lines: lines <= CHEAP, case["lines"]))
    assert [plain_lines(board, depth) for depth in range(1, len(cheap) + 1)] == cheap
    position = made.position(case["opening"])
    while not position.over:
        assert position.legal == sorted(row * board.width + column for row, column in board.get_legal_moves())
        middle = position.legal[len(position.legal) // 2]
        board.apply_move(divmod(middle, board.width))
        position = position.after(middle)
    assert board.get_legal_moves() == []


@pytest.mark.parametrize("piece", ["knight", "queen"])
def test_a_piece_may_be_placed_on_any_cell_that_is_free(piece: str) -> None:
    position = isolation(piece=piece).start()
    assert len(position.legal) == 49
    assert legal_names(position.after("d4")) == legal_names(position) - {"d4"}


def test_a_knight_in_the_middle_has_eight_moves() -> None:
    position = isolation().position("d4 a1")
    assert legal_names(position) == {"b3", "b5", "c2", "c6", "e2", "e6", "f3", "f5"}


def test_a_knight_in_a_corner_has_two_moves() -> None:
    assert [len(isolation().position(f"{corner} d4").legal) for corner in ("a1", "a7", "g1", "g7")] == [2, 2, 2, 2]


def test_a_knight_beside_the_other_blocks_nothing_and_one_a_move_away_takes_one_cell() -> None:
    moves = {near: len(isolation().position(f"d4 {near}").legal) for near in ("d5", "e5", "g7", "e6")}
    assert moves == {"d5": 8, "e5": 8, "g7": 8, "e6": 7}


def test_a_knight_does_not_leap_round_the_edge_of_the_board() -> None:
    assert legal_names(isolation().position("a4 g4")) == {"b2", "b6", "c3", "c5"}


@pytest.mark.parametrize(
    ("options", "text", "moves"),
    [
        (("5x5", "knight"), "...../.###./.#A#./.###./....B A", "a2 a4 b1 b5 d1 d5 e2 e4"),  # a knight jumps
        (("5x5", "queen"), "A..#./...../##.../...../....B A queen", "b5 c5 a4 b4 c3 d2"),  # a queen is stopped
        (("3x5", "queen"), "###../A.B../###.. A queen", "b2"),  # also by its opponent
        (("7x7", "knight"), "d4 b3 e6", "a1 a5 c1 c5 d2"),  # what one has entered is closed to the other
    ],
)
def test_blocked_cells(options: tuple[str, str], text: str, moves: str) -> None:
    assert legal_names(isolation(*options).position(text)) == set(moves.split())


def test_the_cell_that_was_left_stays_blocked() -> None:
    position = isolation().position("d4 a1 e6 b3")
    assert "d4" not in legal_names(position)
    assert position.text == "......./....A../......./...#.../.B...../......./#...... A"


def test_a_queen_moves_on_all_eight_lines_to_the_edge() -> None:
    assert len(isolation(piece="queen").position("d4 a2").legal) == 24


def test_the_player_who_cannot_move_loses() -> None:
    position = isolation("3x3").position("A.#/###/.B# A")
    assert position.over
    assert position.outcome == (0.0, 1.0)
    assert position.game.ending(position.state) == "no moves left"


def test_taking_the_last_exit_of_the_opponent_wins() -> None:
    before = isolation("4x4").position("B###/##.#/####/#A.# A")
    assert before.outcome is None
    assert before.after("c3").outcome == (1.0, 0.0)


def test_a_player_who_is_stuck_has_not_lost_before_it_is_to_move() -> None:
    position = isolation("4x4").position("B###/####/##.#/A.## A")
    assert not position.over
    assert position.outcome is None
    assert position.after("c2").outcome == (1.0, 0.0)


def test_only_the_player_to_move_has_legal_actions_and_nobody_in_a_finished_game() -> None:
    position = isolation().position("d4 e6")
    assert position.game.legal(position.state, 1) == []
    over = isolation("3x3").position("A.#/###/.B# A")
    assert over.game.legal(over.state, 0) == []
    with pytest.raises(SparringError):
        over.after("b3")


@st.composite
def positions_of_play(draw) -> Position:
    board = draw(st.sampled_from(["3x3", "4x4", "5x5", "7x7", "3x7", "6x4", "7x9", "9x7", "3x21", "21x3"]))
    position = isolation(board, draw(st.sampled_from(["knight", "queen"]))).start()
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=40)):
        if position.over:
            break
        position = position.after(position.legal[choice % len(position.legal)])
    return position


@settings(derandomize=True, deadline=None, max_examples=200)
@given(positions_of_play())
def test_text_json_and_bytes_read_back_and_every_move_blocks_one_more_cell(position: Position) -> None:
    made, data = position.game, position.game.to_json(position.state)
    again = [made.parse(position.text), made.from_json(json.loads(json.dumps(data)))]
    again.append(made.from_bytes(made.to_bytes(position.state)))
    assert {made.to_bytes(state) for state in again} == {made.to_bytes(position.state)}
    assert made.legal(again[-1], int(again[-1].to_move)) == made.legal(position.state, int(position.state.to_move))
    rows, columns = (int(side) for side in data["board"].split("x"))
    assert data["free"] == "".join(data["rows"]).count(".") == rows * columns - count(position.state.blocked)
    if not position.over:
        assert made.to_json(position.after(position.legal[-1]).state)["free"] == data["free"] - 1


def test_json_says_what_a_program_wants_to_know() -> None:
    made = isolation("3x4", "queen")
    assert made.to_json(made.parse("a3 d1 b3")) == {
        "board": "3x4",
        "piece": "queen",
        "rows": ["#A..", "....", "...B"],
        "players": {"A": "b3", "B": "d1"},
        "to_move": "B",
        "free": 9,
    }


def test_the_drawing_names_columns_below_and_rows_from_the_bottom() -> None:
    assert str(isolation("3x4").position("a1 d3")) == "\n".join(
        [" 3 . . . B", " 2 . . . .", " 1 A . . .", "   a b c d", "   A to move"]
    )


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        (".../.../...", "say who is to move, A or B"),
        (".../.../... C", "say who is to move, A or B, not 'C'"),
        (".../.../... A B", "say who is to move, A or B, not 'A B'"),
        ("A../.../..B A rook", "not 'A rook'"),
        (".../..../... A", "rows of different lengths"),
        ("A.x/.../..B A", "'x' in .* expected . free, # blocked, A and B the players"),
        ("A../A../..B A", "two pieces A"),
        ("A../B../..B A", "two pieces B"),
        ("A../.../... A", "A is placed first, then B"),
        ("B../.../... A", "A is placed first, then B"),
        (".../.../... B", "A is placed first, then B"),
        ("..../.... A", "no board '2x4'; expected ROWSxCOLUMNS, each at least 3"),
        ("/".join(["........"] * 8) + " A", "no board '8x8'.*at most 63 cells"),
        ("d4 h4", "no cell 'h4' on a 7x7 board; expected a1 to g7"),
        ("d4 d8", "no cell 'd8' on a 7x7 board; expected a1 to g7"),
        ("d4 d0", "no cell 'd0' on a 7x7 board; expected a1 to g7"),
        ("d4 4d", "no cell '4d' on a 7x7 board; expected a1 to g7"),
        ("d4 d4", "d4 is not a legal move in .*A.* B"),
        ("d4 e6 d5", "d5 is not a legal move"),
    ],
)
def test_a_position_that_cannot_be_read_says_what_is_wrong(text: str, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        isolation().parse(text)


def test_bytes_of_another_length_are_refused() -> None:
    with pytest.raises(SparringError, match="a state of isolation has 40 bytes, not 3"):
        isolation().from_bytes(b"abc")


def test_an_illegal_move_is_answered_with_the_legal_ones() -> None:
    with pytest.raises(SparringError, match="d5 is not legal here; legal: c6 b5 f5 b3 f3 c2 e2"):
        isolation().position("d4 e6").after("d5")


@pytest.mark.parametrize(
    ("board", "top_left", "bottom_right"),
    [("7x7", "a7", "g1"), ("3x21", "a3", "u1"), ("21x3", "a21", "c1"), ("7x9", "a7", "i1")],
)
def test_every_cell_has_a_name_as_in_chess_that_leads_back_to_it(board: str, top_left: str, bottom_right: str) -> None:
    position = isolation(board).start()
    names = [position.name(cell) for cell in position.legal]
    assert (names[0], names[-1]) == (top_left, bottom_right)
    assert len(set(names)) == len(names)
    assert [position.action(name) for name in names] == position.legal


def test_the_same_seed_gives_the_same_opening_and_others_give_others() -> None:
    one, other = game("isolation"), game("isolation")
    texts = [one.start(seed).text for seed in range(100)]
    assert texts == [other.start(seed).text for seed in range(100)]
    assert len(set(texts)) > 90


def test_random_openings_place_both_on_any_cells_and_leave_the_first_player_to_move() -> None:
    made = isolation("3x3", opening="random")
    states = [made.new(seed) for seed in range(1000)]
    assert {tuple(s.at.tolist()) for s in states} == {(a, b) for a in range(9) for b in range(9) if a != b}
    assert {(int(s.to_move), count(s.blocked)) for s in states} == {(0, 2)}


def test_an_opening_can_be_given_as_moves() -> None:
    given, played = isolation(opening="d4 e6"), isolation().start().after("d4").after("e6").text
    assert [given.start(1).text, given.start(2).text, isolation().position("d4 e6").text] == [played] * 3


@pytest.mark.parametrize("board", ["8x8", "4x16", "2x9", "7", "7x", "x7", "7x7x7", "ten"])
def test_a_board_that_does_not_fit_is_refused_with_the_remedy(board: str) -> None:
    with pytest.raises(SparringError, match=f"no board '{board}'; .*each at least 3, at most 63 cells, e.g. 7x7"):
        isolation(board)


@pytest.mark.parametrize(
    ("options", "remedy"),
    [({"piece": "rook"}, "unknown piece 'rook'; known: knight, queen"), ({"bord": "7x7"}, "did you mean board")],
)
def test_a_slip_in_an_option_is_answered_with_what_is_right(options: dict[str, str], remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        game("isolation", **options)


@pytest.mark.parametrize(
    ("board", "piece", "signs"),
    [("7x7", "knight", [*"♞♞", *"7654321", *"abcdefg"]), ("3x5", "queen", [*"♛♛", *"321", *"abcde"])],
)
def test_the_picture_shows_cells_pieces_and_names_of_rows_and_columns(board: str, piece: str, signs: list[str]) -> None:
    position = isolation(board, piece, opening="random").start(3)
    picture = ElementTree.fromstring(position._repr_svg_())
    rows, columns = (int(side) for side in board.split("x"))
    assert sum(part.attrib["d"].count("M") for part in picture.findall(f"{SVG}path")) == rows * columns
    assert [mark.text for mark in picture.findall(f"{SVG}text")] == signs
    assert position.text in picture.attrib["aria-label"]


def test_moves_are_marked_on_the_picture_the_best_one_largest() -> None:
    position = isolation().position("d4 e6")
    marks = {position.action("c6"): 1.0, position.action("b3"): 0.25}
    picture = ElementTree.fromstring(position.game.svg(position.state, marks))
    assert [float(dot.attrib["r"]) for dot in picture.findall(f"{SVG}circle")] == [14.0, 5.8]


def count_anew() -> None:
    for case in COUNTED:
        case["lines"] = [plain_lines(plain_board(case), depth) for depth in range(1, len(case["lines"]) + 1)]
        print(story(case), case["lines"], flush=True)
    PERFT.write_text("[\n" + ",\n".join(f"  {json.dumps(case)}" for case in COUNTED) + "\n]\n")


if __name__ == "__main__":
    count_anew()
