"""The rules of Isolation, told as stories and counted move by move against a plain brute force.

`python tests/test_isolation_rules.py` counts tests/data/isolation_perft.json anew, in a minute or so.
"""

import json
from functools import cache
from itertools import takewhile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring.core.bits import count, lowest
from sparring.core.errors import SparringError
from sparring.core.kernel import kernel, workspace
from sparring.games.contract import Position
from sparring.games.isolation import rules
from sparring.games.isolation.state import State
from sparring.games.kernels import alone
from sparring.games.registry import game

Cell = tuple[int, int]

PERFT = Path(__file__).parent / "data" / "isolation_perft.json"
CHEAP = 20_000
SVG = "{http://www.w3.org/2000/svg}"


@cache
def isolation(board: str = "7x7", piece: str = "knight", opening: str = "free"):
    return game("isolation", board=board, piece=piece, opening=opening)


def legal_names(position: Position) -> set[str]:
    return {position.name(action) for action in position.legal}


# Counting: a brute force of lists and sets, which knows nothing of the compiled rules


class PlainBoard:
    """Isolation as the rule book has it: which cells were entered, where the two stand, whose turn it is."""

    JUMPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]
    LINES = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]

    def __init__(self, board: str, piece: str, opening: str) -> None:
        self.rows, self.columns = (int(side) for side in board.split("x"))
        self.piece = piece
        self.entered: set[Cell] = set()
        self.stands: list[Cell | None] = [None, None]
        self.mover = 0
        for name in opening.split():
            self.enter((self.rows - int(name[1:]), "abcdefghijklmnopqrstu".index(name[0])))

    def enter(self, cell: Cell) -> None:
        self.entered.add(cell)
        self.stands[self.mover] = cell
        self.mover = 1 - self.mover

    def take_back(self, cell: Cell, stood: Cell | None) -> None:
        self.entered.remove(cell)
        self.mover = 1 - self.mover
        self.stands[self.mover] = stood

    def is_free(self, row: int, column: int) -> bool:
        return 0 <= row < self.rows and 0 <= column < self.columns and (row, column) not in self.entered

    def moves(self) -> list[Cell]:
        here = self.stands[self.mover]
        if here is None:
            return [(r, c) for r in range(self.rows) for c in range(self.columns) if (r, c) not in self.entered]
        row, column = here
        if self.piece == "knight":
            return [(row + d, column + r) for d, r in self.JUMPS if self.is_free(row + d, column + r)]
        reached = []
        for down, right in self.LINES:
            steps = 1
            while self.is_free(row + steps * down, column + steps * right):
                reached.append((row + steps * down, column + steps * right))
                steps += 1
        return reached

    def lines(self, depth: int) -> int:
        """How many sequences of so many moves there are."""
        if depth == 1:
            return len(self.moves())
        total = 0
        for cell in self.moves():
            stood = self.stands[self.mover]
            self.enter(cell)
            total += self.lines(depth - 1)
            self.take_back(cell, stood)
        return total


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


COUNTED = json.loads(PERFT.read_text()) if PERFT.exists() else []


def story(case: dict) -> str:
    return f"{case['piece']}s on {case['board']}" + (f" after {case['opening']}" if case["opening"] else "")


@pytest.mark.parametrize("case", COUNTED, ids=story)
def test_the_stored_counts_are_those_of_the_plain_brute_force(case: dict) -> None:
    cheap = list(takewhile(lambda lines: lines <= CHEAP, case["lines"]))
    board = PlainBoard(case["board"], case["piece"], case["opening"])
    assert [board.lines(depth) for depth in range(1, len(cheap) + 1)] == cheap


@pytest.mark.parametrize("case", COUNTED, ids=story)
def test_the_compiled_rules_allow_exactly_as_many_lines_of_play(case: dict) -> None:
    states = workspace(State, 64)
    states[0] = isolation(case["board"], case["piece"]).parse(case["opening"])
    assert [compiled_lines(states, 0, depth) for depth in range(1, len(case["lines"]) + 1)] == case["lines"]


@pytest.mark.parametrize("case", COUNTED, ids=story)
def test_a_position_lists_the_same_moves_as_the_brute_force(case: dict) -> None:
    made = isolation(case["board"], case["piece"])
    position, plain = made.position(case["opening"]), PlainBoard(case["board"], case["piece"], case["opening"])
    while not position.over:
        cells = sorted(row * plain.columns + column for row, column in plain.moves())
        assert position.legal == cells
        middle = cells[len(cells) // 2]
        plain.enter(divmod(middle, plain.columns))
        position = position.after(middle)
    assert plain.moves() == []


# Placing


def test_the_first_knight_may_be_placed_on_any_cell() -> None:
    assert len(isolation().start().legal) == 49


def test_the_second_knight_may_be_placed_on_any_cell_but_the_first_ones() -> None:
    position = isolation().start()
    after = position.after("d4")
    assert legal_names(after) == legal_names(position) - {"d4"}


def test_a_queen_too_is_placed_on_any_free_cell() -> None:
    assert len(isolation(piece="queen").position("d4").legal) == 48


# Moving


def test_a_knight_in_the_middle_has_eight_moves() -> None:
    position = isolation().position("d4 a1")
    assert legal_names(position) == {"b3", "b5", "c2", "c6", "e2", "e6", "f3", "f5"}


@pytest.mark.parametrize("corner", ["a1", "a7", "g1", "g7"])
def test_a_knight_in_a_corner_has_two_moves(corner: str) -> None:
    assert len(game("isolation").position(f"{corner} d4").legal) == 2


def test_a_knight_jumps_over_blocked_cells() -> None:
    walled_in = isolation("5x5").position("...../.###./.#A#./.###./....B A")
    assert legal_names(walled_in) == {"a2", "a4", "b1", "b5", "d1", "d5", "e2", "e4"}


def test_a_knight_does_not_leap_round_the_edge_of_the_board() -> None:
    assert legal_names(isolation().position("a4 g4")) == {"b2", "b6", "c3", "c5"}


def test_a_knight_cannot_land_on_its_opponent() -> None:
    assert "e6" not in legal_names(isolation().position("d4 e6"))


def test_the_cell_that_was_left_stays_blocked() -> None:
    position = isolation().position("d4 a1 e6 b3")
    assert "d4" not in legal_names(position)
    assert position.text == "......./....A../......./...#.../.B...../......./#...... A"


def test_a_blocked_cell_is_closed_to_the_other_player_too() -> None:
    position = isolation().position("d4 b3 e6")
    assert position.mover == 1
    assert legal_names(position) == {"a1", "a5", "c1", "c5", "d2"}


def test_a_queen_is_stopped_by_a_blocked_cell() -> None:
    position = isolation("5x5", "queen").position("A..#./...../##.../...../....B A queen")
    assert legal_names(position) == {"b5", "c5", "a4", "b4", "c3", "d2"}


def test_a_queen_is_stopped_by_its_opponent() -> None:
    position = isolation("3x5", "queen").position("###../A.B../###.. A queen")
    assert legal_names(position) == {"b2"}


def test_a_queen_moves_on_all_eight_lines_to_the_edge() -> None:
    position = isolation(piece="queen").position("d4 a2")
    assert len(position.legal) == 24


# The end


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


def test_nobody_can_move_in_a_finished_game() -> None:
    position = isolation("3x3").position("A.#/###/.B# A")
    with pytest.raises(SparringError):
        position.after("b3")
    assert position.game.legal(position.state, 0) == []


def test_a_player_who_is_not_to_move_has_no_legal_action() -> None:
    position = isolation().position("d4 e6")
    assert position.game.legal(position.state, 1) == []


def test_a_knight_placed_in_the_middle_of_3x3_is_stuck_at_once() -> None:
    assert isolation("3x3").position("b2 a1").outcome == (0.0, 1.0)


def test_playing_on_leaves_the_position_before_as_it_was() -> None:
    position = isolation().position("d4 e6")
    text = position.text
    position.after("f5")
    assert position.text == text


# Text, JSON and bytes


@st.composite
def positions_of_play(draw) -> Position:
    board = draw(st.sampled_from(["3x3", "4x4", "5x5", "7x7", "3x7", "6x4", "7x9", "9x7", "3x21", "21x3"]))
    position = isolation(board, draw(st.sampled_from(["knight", "queen"]))).start()
    for choice in draw(st.lists(st.integers(0, 10**6), max_size=40)):
        if position.over:
            break
        position = position.after(position.legal[choice % len(position.legal)])
    return position


thoroughly = settings(derandomize=True, deadline=None, max_examples=300)


@thoroughly
@given(positions_of_play())
def test_the_text_of_a_position_reads_back(position: Position) -> None:
    again = position.game.parse(position.text)
    assert position.game.to_bytes(again) == position.game.to_bytes(position.state)


@thoroughly
@given(positions_of_play())
def test_the_json_of_a_position_reads_back(position: Position) -> None:
    again = position.game.from_json(json.loads(json.dumps(position.game.to_json(position.state))))
    assert position.game.to_bytes(again) == position.game.to_bytes(position.state)


@thoroughly
@given(positions_of_play())
def test_the_bytes_of_a_position_read_back(position: Position) -> None:
    again = position.game.from_bytes(position.game.to_bytes(position.state))
    assert position.game.text(again) == position.text
    assert position.game.legal(again, int(again.to_move)) == position.game.legal(position.state, int(again.to_move))


@thoroughly
@given(positions_of_play())
def test_every_move_blocks_one_more_cell(position: Position) -> None:
    data = position.game.to_json(position.state)
    rows, columns = (int(side) for side in data["board"].split("x"))
    signs = "".join(data["rows"])
    assert data["free"] == signs.count(".") == rows * columns - count(position.state.blocked)
    if not position.over:
        assert position.game.to_json(position.after(position.legal[-1]).state)["free"] == data["free"] - 1


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


def test_moves_from_an_empty_board_are_a_position_too() -> None:
    made = isolation()
    assert made.position("d4 e6 f5").text == made.start().after("d4").after("e6").after("f5").text


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


# Cell names


@pytest.mark.parametrize(
    ("board", "top_left", "bottom_right"),
    [("7x7", "a7", "g1"), ("3x21", "a3", "u1"), ("21x3", "a21", "c1"), ("7x9", "a7", "i1")],
)
def test_cells_are_named_as_in_chess(board: str, top_left: str, bottom_right: str) -> None:
    position = isolation(board).start()
    assert (position.name(position.legal[0]), position.name(position.legal[-1])) == (top_left, bottom_right)


@pytest.mark.parametrize("board", ["3x3", "7x7", "3x21", "21x3", "7x9", "9x7"])
def test_every_cell_has_a_name_of_its_own_that_leads_back_to_it(board: str) -> None:
    position = isolation(board).start()
    names = [position.name(cell) for cell in position.legal]
    assert len(set(names)) == len(names)
    assert [position.action(name) for name in names] == position.legal


# Openings


def test_the_same_seed_gives_the_same_opening() -> None:
    one, other = game("isolation"), game("isolation")
    assert [one.start(seed).text for seed in range(50)] == [other.start(seed).text for seed in range(50)]


def test_different_seeds_give_different_openings() -> None:
    texts = {isolation(opening="random").start(seed).text for seed in range(200)}
    assert len(texts) > 180  # of 2352; 200 draws meet about 8 times


def test_random_openings_use_every_cell_for_either_player() -> None:
    made = isolation("3x3", opening="random")
    openings = {tuple(made.new(seed).at.tolist()) for seed in range(1000)}
    assert openings == {(a, b) for a in range(9) for b in range(9) if a != b}


def test_a_random_opening_places_both_and_leaves_the_first_player_to_move() -> None:
    text = isolation(opening="random").start(5).text
    assert (text.count("A"), text.count("B"), text.count("#")) == (2, 1, 0)
    assert text.endswith(" A")


def test_an_opening_can_be_given_as_moves() -> None:
    assert isolation(opening="d4 e6").start(1).text == isolation().position("d4 e6").text
    assert isolation(opening="d4 e6").start(2).text == isolation().position("d4 e6").text


# Boards


@pytest.mark.parametrize("piece", ["knight", "queen"])
@pytest.mark.parametrize("board", ["7x9", "9x7", "3x21", "21x3"])
def test_a_board_of_63_cells_can_be_played_to_the_end(board: str, piece: str) -> None:
    position = isolation(board, piece).start()
    assert len(position.legal) == 63
    position = position.after(62).after(61)
    moves = 2
    while not position.over:
        position = position.after(position.legal[-1])
        moves += 1
    assert position.text.count(".") == 63 - moves
    assert sorted(position.outcome) == [0.0, 1.0]


def test_the_last_cell_of_a_63_cell_board_can_be_jumped_to_and_is_then_blocked() -> None:
    position = isolation("7x9").position("g2 a7")
    assert "i1" in legal_names(position)
    position = position.after("i1").after("b5").after("h3").after("c7")
    assert "i1" not in legal_names(position)


@pytest.mark.parametrize("board", ["8x8", "4x16", "2x9", "7", "7x", "x7", "7x7x7", "ten"])
def test_a_board_that_does_not_fit_is_refused_with_the_remedy(board: str) -> None:
    with pytest.raises(SparringError, match=f"no board '{board}'; .*each at least 3, at most 63 cells, e.g. 7x7"):
        isolation(board)


def test_an_unknown_piece_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SparringError, match="unknown piece 'rook'; known: knight, queen"):
        isolation(piece="rook")


def test_a_misspelt_option_is_answered_with_the_right_one() -> None:
    with pytest.raises(SparringError, match="did you mean board"):
        game("isolation", bord="7x7")


# Pictures


@pytest.mark.parametrize("piece", ["knight", "queen"])
@pytest.mark.parametrize("board", ["3x3", "7x7", "3x21"])
def test_the_picture_is_well_formed_and_has_every_cell(board: str, piece: str) -> None:
    made = isolation(board, piece, opening="random")
    position = made.start(3)
    picture = ElementTree.fromstring(position._repr_svg_())
    rows, columns = (int(side) for side in board.split("x"))
    assert picture.tag == f"{SVG}svg"
    assert len(picture.findall(f"{SVG}rect")) == rows * columns
    assert position.text in picture.attrib["aria-label"]


def test_the_picture_shows_both_pieces_and_the_names_of_rows_and_columns() -> None:
    picture = ElementTree.fromstring(isolation().position("d4 e6")._repr_svg_())
    assert [mark.text for mark in picture.findall(f"{SVG}text")] == [*"♞♞", *"7654321", *"abcdefg"]


def test_moves_are_marked_on_the_picture_the_best_one_largest() -> None:
    position = isolation().position("d4 e6")
    marks = {position.action("c6"): 1.0, position.action("b3"): 0.25}
    picture = ElementTree.fromstring(position.game.svg(position.state, marks))
    assert [float(dot.attrib["r"]) for dot in picture.findall(f"{SVG}circle")] == [14.0, 5.8]


# The stored counts

TO_COUNT = [
    ("3x3", "knight", "", 9),
    ("3x3", "queen", "", 9),
    ("3x4", "knight", "", 12),
    ("4x4", "knight", "", 16),
    ("4x4", "knight", "a1 d4", 16),
    ("4x4", "queen", "", 6),
    ("4x4", "queen", "a1 d4", 8),
    ("5x5", "knight", "", 8),
    ("5x5", "knight", "c3 d5", 24),
    ("5x5", "queen", "", 5),
    ("5x5", "queen", "c3 d5", 7),
    ("3x7", "knight", "", 10),
    ("7x3", "knight", "b4 c2", 20),
    ("6x4", "queen", "b3 c5", 6),
    ("7x7", "knight", "", 6),
    ("7x7", "knight", "d4 e6", 11),
    ("7x7", "knight", "a1 b3", 9),
    ("7x7", "queen", "", 4),
    ("7x7", "queen", "d4 e6", 6),
    ("7x9", "knight", "", 5),
    ("9x7", "knight", "g9 a1", 10),
    ("3x21", "knight", "", 4),
    ("21x3", "queen", "", 3),
    ("9x7", "queen", "g9 a1", 4),
]


def count_anew() -> None:
    cases = []
    for board, piece, opening, depth in TO_COUNT:
        plain = PlainBoard(board, piece, opening)
        lines = [plain.lines(plies) for plies in range(1, depth + 1)]
        cases.append({"board": board, "piece": piece, "opening": opening, "lines": lines})
        print(story(cases[-1]), lines, flush=True)
    PERFT.write_text("[\n" + ",\n".join(f"  {json.dumps(case)}" for case in cases) + "\n]\n")


if __name__ == "__main__":
    count_anew()


def test_a_knight_beside_the_other_blocks_nothing_and_one_a_move_away_takes_one_cell() -> None:
    moves = {near: len(game("isolation").position(f"d4 {near}").legal) for near in ("d5", "e5", "g7", "e6")}
    assert moves == {"d5": 8, "e5": 8, "g7": 8, "e6": 7}
