"""The exact solver of Isolation against plain recursion, known results and itself."""

import json
import random
import time
import xml.etree.ElementTree as ElementTree
from itertools import permutations
from typing import Any

import pytest

import sparring
from plain_isolation import Cell, CourseBoard, moves_from
from sparring.core.errors import SparringError
from sparring.games.isolation.game import Isolation, parse_grid
from sparring.games.isolation.solver import Openings, solve_board
from sparring.games.isolation.solver.proof import RULES, Proof, ProofBudget, Verdict, after, judge, solve, winning_moves


def plain_wins(piece: str, free: set[Cell], me: Cell, you: Cell) -> bool:
    """The definition: the mover wins if some move leaves an opponent who does not."""
    return any(not plain_wins(piece, free - {cell}, you, cell) for cell in moves_from(piece, free, me))


def plain_openings(rows: int, columns: int, piece: str) -> set[tuple[int, int]]:
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    return {
        (cells.index(first), cells.index(second))
        for first, second in permutations(cells, 2)
        if plain_wins(piece, set(cells) - {first, second}, first, second)
    }


def plain_verdict(state: Any) -> bool:
    board = CourseBoard.read(RULES.text(state))
    return plain_wins(board.piece, board.blank, board.where[board.active_player], board.where[board.inactive_player])  # type: ignore[arg-type]


def late_position(board: str, piece: str, free_cells: int, draw: random.Random) -> Any:
    """Random play from the empty board, tried again until so few cells are left and nobody is stuck."""
    game = Isolation(board=board, piece=piece, opening="free")
    rows, columns = map(int, board.split("x"))
    while True:
        state = game.new(0)
        for _ in range(rows * columns - free_cells):
            actions = game.legal(state, int(state.to_move))
            if not actions:
                break
            state = after(state, draw.choice(actions))
        else:
            return state


def crowded_position(board: str, piece: str, free_cells: int, draw: random.Random) -> Any:
    """Both pieces and so few free cells anywhere, reachable or not."""
    rows, columns = map(int, board.split("x"))
    signs = list("AB" + "." * free_cells + "#" * (rows * columns - free_cells - 2))
    draw.shuffle(signs)
    grid = "/".join("".join(signs[row * columns : (row + 1) * columns]) for row in range(rows))
    return parse_grid(f"{grid} {draw.choice('AB')}", piece)


def opening(board: str, moves: str, piece: str = "knight") -> Any:
    return Isolation(board=board, piece=piece, opening="free").parse(moves)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns", "piece"),
    [(3, 3, "knight"), (3, 5, "knight"), (4, 4, "knight"), (3, 3, "queen"), (3, 4, "queen")],
)
def test_every_opening_has_the_winner_that_plain_recursion_finds(rows: int, columns: int, piece: str) -> None:
    """Symmetry spares work and changes nothing."""
    whole, spared = solve_board(rows, columns, piece, symmetry=False), solve_board(rows, columns, piece)
    assert whole.first_wins == spared.first_wins == plain_openings(rows, columns, piece)
    assert spared.nodes < whole.nodes / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "columns", "first", "second", "exceptions", "nodes"),
    [
        (3, 3, 24, 48, 16, 408),
        (3, 4, 46, 86, 22, 1_982),
        (3, 5, 110, 100, 40, 7_796),
        (4, 4, 64, 176, 64, 27_212),
        (3, 6, 128, 178, 48, 30_450),
        (4, 5, 160, 220, 20, 133_482),
        (3, 7, 220, 200, 24, 109_328),
        (4, 6, 240, 312, 32, 1_011_825),
        (5, 5, 296, 304, 8, 953_512),
        (5, 6, 420, 450, 0, 5_880_086),
        (5, 7, 586, 604, 8, 30_884_098),
        (6, 6, 576, 684, 36, 129_283_638),
    ],
)
def test_the_second_knight_wins_every_board_by_these_numbers_of_openings(
    rows: int, columns: int, first: int, second: int, exceptions: int, nodes: int
) -> None:
    board = solve_board(rows, columns, symmetry=False)
    assert (board.first, board.second, board.exceptions) == (first, second, exceptions)
    assert board.nodes == nodes  # changes with the order of moves and with every cutoff
    assert board.winner == "second"


@pytest.mark.slow
def test_the_second_knight_wins_on_7x7() -> None:
    calls: list[tuple[int, int]] = []
    board = solve_board(7, 7, progress=lambda done, total: calls.append((done, total)))
    assert (board.first, board.second, board.exceptions, board.winner) == (1160, 1192, 8, "second")
    assert board.refutations[24] == 16  # the centre, from which the mirror beats the knight's moves
    assert sorted(set(board.refutations)) == [16, 24, 25]
    assert calls == [(done, 315) for done in range(1, 316)]


@pytest.mark.parametrize(
    ("rows", "columns", "winner", "nodes"),
    [
        (3, 3, "first", 246),
        (3, 4, "second", 7_099),
        (3, 5, "first", 44_043),
        (4, 4, "second", 52_641),
        (4, 5, "second", 3_998_816),
    ],
)
def test_who_wins_with_queens(rows: int, columns: int, winner: str, nodes: int) -> None:
    board = solve_board(rows, columns, "queen")
    assert (board.winner, board.nodes) == (winner, nodes)


@pytest.mark.slow
def test_a_queen_on_the_centre_of_5x5_loses_to_the_cells_a_knights_move_away() -> None:
    """Of each kind of cell one: the others are its mirror images."""
    state = opening("5x5", "c3", "queen")
    replies = judge(state, [0, 1, 2, 6, 7], ProofBudget(None, None))
    assert [cell for cell, wins in replies.items() if wins] == [1]


@pytest.mark.parametrize(
    ("board", "piece", "free_cells"),
    [("5x5", "knight", 14), ("7x7", "knight", 16), ("5x5", "queen", 8), ("4x7", "queen", 8)],
)
def test_late_positions_and_winning_moves_agree_with_plain_recursion(board: str, piece: str, free_cells: int) -> None:
    draw, proven = random.Random(f"{board} {piece}"), 0
    for place in range(40):
        state = (late_position, crowded_position)[place % 2](board, piece, free_cells, draw)
        verdicts, proof = winning_moves(state), Proof(state)
        assert verdicts == {action: not plain_verdict(after(state, action)) for action in verdicts}
        proof.advance(1_000_000)
        assert proof.wins == solve(state).wins == any(verdicts.values()), RULES.text(state)
        assert not proof.wins or verdicts[proof.winning_move], RULES.text(state)
        proven += bool(proof.wins)
    assert proven > 10


def test_a_player_who_cannot_move_has_lost() -> None:
    stuck = parse_grid("A##/###/##B A", "knight")
    assert solve(stuck) == Verdict(False, 1)
    assert winning_moves(stuck) == {}


def test_solving_leaves_the_state_as_it_was() -> None:
    state = opening("5x5", "a1 b2")
    before = state.tobytes()
    solve(state)
    winning_moves(state, max_nodes=100)
    assert state.tobytes() == before


@pytest.mark.parametrize("board", ["5x6", "6x6", "7x7"])
def test_a_knight_that_faces_its_mirror_image_loses(board: str) -> None:
    rows, columns = map(int, board.split("x"))
    last = rows * columns - 1
    draw = random.Random(board)
    for blocked in (1, 2, 4):
        mine, *pairs = draw.sample(range(rows * columns // 2), 1 + blocked)
        signs = ["#" if cell == last - cell else "." for cell in range(rows * columns)]
        signs[mine], signs[last - mine] = "A", "B"
        for cell in pairs:
            signs[cell] = signs[last - cell] = "#"
        grid = "/".join("".join(signs[row * columns : (row + 1) * columns]) for row in range(rows))
        verdict = solve(parse_grid(f"{grid} {draw.choice('AB')}", "knight"))
        assert verdict.wins is False
        assert (verdict.nodes == 1) == (signs.count(".") >= 36)


def test_a_free_centre_and_a_queen_that_crosses_the_way_break_the_mirror() -> None:
    verdict = solve(opening("7x7", "a1 g7"))
    assert verdict.wins is True and verdict.nodes > 1
    assert solve(opening("4x4", "b2 c3", "queen")).wins is True
    assert solve(opening("6x7", "b2 f5", "queen"), max_nodes=100).nodes == 100  # no glance settles it


def test_a_placement_is_a_move_like_any_other() -> None:
    assert solve(opening("5x5", "")).wins is False
    assert solve(opening("3x3", "", "queen")).wins is True
    assert [cell for cell, wins in winning_moves(opening("3x3", "", "queen")).items() if wins] == [4]
    replies = winning_moves(opening("5x5", "c3"))
    assert sum(wins is True for wins in replies.values()) == solve_board(5, 5).refutations[12]


@pytest.mark.parametrize(("board", "moves", "piece"), [("5x6", "a1 c3", "knight"), ("4x4", "a1 b4", "queen")])
def test_a_search_resumed_after_every_few_nodes_ends_as_in_one_go(board: str, moves: str, piece: str) -> None:
    state = opening(board, moves, piece)
    whole = solve(state)
    for pause in (1, 7, 1000):
        proof = Proof(state)
        visited = 0
        while proof.wins is None:
            proof.advance(pause)
            visited += pause
            assert proof.nodes == min(visited, whole.nodes)
        proof.advance(1_000_000)  # which changes nothing any more
        assert Verdict(proof.wins, proof.nodes) == whole


def test_a_budget_of_nodes_that_runs_out_says_so() -> None:
    state = opening("7x7", "a1 b1")
    assert solve(state, max_nodes=10_000) == Verdict(None, 10_000)
    assert solve(state, max_nodes=0) == Verdict(None, 0)
    needed = solve(state).nodes
    assert solve(state, max_nodes=needed).wins is not None
    assert solve(state, max_nodes=needed - 1).wins is None
    assert solve(opening("7x7", ""), max_nodes=50_000) == Verdict(None, 50_000)  # for all placements together


def test_a_budget_of_time_that_runs_out_says_so_in_time() -> None:
    solve(opening("3x3", "a1 b1"))
    started, used = time.perf_counter(), time.process_time()
    verdict = solve(opening("7x9", "a1 b1"), seconds=0.1)
    assert verdict.wins is None
    assert time.perf_counter() - started > 0.09
    assert time.process_time() - used < 1.0


def test_every_move_gets_its_share_of_the_budget() -> None:
    state = opening("7x7", "g1 b1")
    needed = {action: solve(after(state, action)).nodes for action in winning_moves(state, max_nodes=0)}
    hard, easy = needed
    assert needed[hard] > needed[easy]
    verdicts = winning_moves(state, max_nodes=2 * needed[easy])
    assert verdicts[hard] is None
    assert verdicts[easy] is not None
    assert None not in winning_moves(state, max_nodes=2 * needed[hard]).values()


def test_a_solved_board_in_words() -> None:
    lines = str(Openings(3, 3, "knight", solve_board(3, 3).first_wins, 60, 0.01)).splitlines()
    assert lines == [
        "3x3 knight: the second player wins",
        "openings won by the first 24 · by the second 48 · 16 break the colour rule",
        "replies by which the second player wins, for each first cell:",
        " 3 5 5 5",
        " 2 5 8 5",
        " 1 5 5 5",
        "   a b c",
        "60 positions in 0.0 s",
    ]


def test_the_replies_to_one_first_cell_as_a_map() -> None:
    """On 5x5 the centre beats all but the four cells beside it, of the other colour and no knight's move away."""
    told = str(sparring.solve(sparring.game("isolation", board="5x5"), first="c3"))
    assert told.partition("\nfirst on c3, and who wins for each cell of the second:\n")[2].splitlines() == [
        " 5 1 1 1 1 1",
        " 4 1 1 2 1 1",
        " 3 1 2 A 2 1",
        " 2 1 1 2 1 1",
        " 1 1 1 1 1 1",
        "   a b c d e",
    ]
    with pytest.raises(SparringError, match="z9 is not legal"):
        sparring.solve(sparring.game("isolation", board="3x3"), first="z9")


def test_a_solved_board_as_a_picture_and_as_json() -> None:
    board = solve_board(4, 5)
    paths = ElementTree.fromstring(board.svg()).findall("{http://www.w3.org/2000/svg}path")
    light, dark = (sum(path.get("d", "").count("M") for path in paths[half::2]) for half in (0, 1))
    assert (dark, light) == (board.first, board.second)
    assert json.loads(json.dumps(board.to_json()))["second"] == 220


@pytest.mark.parametrize(("rows", "columns", "piece"), [(2, 5, "knight"), (8, 8, "knight"), (4, 4, "rook")])
def test_a_board_that_cannot_be_is_refused(rows: int, columns: int, piece: str) -> None:
    with pytest.raises(SparringError):
        solve_board(rows, columns, piece)


POSITIONS = [
    ("4x4", "a1 b2", "knight"),
    ("3x5", "c2 a1", "knight"),
    ("7x7", "d4 b3", "knight"),
    ("3x4", "a1 b3", "queen"),
]


def visited() -> list[Verdict]:
    return [solve(opening(*position), max_nodes=2_000) for position in POSITIONS]
