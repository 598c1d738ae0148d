"""What Isolation players value, against the published formulas written out once more for the course's board.

The transcription keeps the manner of the document it comes from: a game with `get_legal_moves`, a list of
corners, `math.sqrt` of sums. It knows nothing of bits or of compilation.
"""

import math
import random
from collections.abc import Callable
from functools import cache

import pytest

from plain_isolation import Cell, CourseBoard, moves_from
from sparring.agents import spec
from sparring.agents.agent import View
from sparring.core.dice import dice
from sparring.games.contract import Position
from sparring.games.isolation.heuristics import flood_fill
from sparring.games.isolation.state import State
from sparring.games.registry import game

HEURISTICS = spec.heuristics(game("isolation"))
BOARDS = [
    ("7x7", "knight", 20),
    ("5x5", "knight", 14),
    ("3x7", "knight", 14),
    ("6x4", "knight", 10),
    ("7x9", "knight", 7),
    ("3x21", "knight", 5),
    ("5x5", "queen", 8),
    ("4x6", "queen", 8),
]


def both_moves(game: CourseBoard, player: int) -> tuple[list[Cell], list[Cell]]:
    return game.get_legal_moves(player), game.get_legal_moves(game.get_opponent(player))


def both_locations(game: CourseBoard, player: int) -> tuple[Cell, Cell] | None:
    own_loc = game.get_player_location(player)
    opp_loc = game.get_player_location(game.get_opponent(player))
    return (own_loc, opp_loc) if own_loc and opp_loc else None


def null_score(game: CourseBoard, player: int) -> float:
    return 0.0


def open_score(game: CourseBoard, player: int) -> float:
    return float(len(game.get_legal_moves(player)))


def improved_score(game: CourseBoard, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    return float(len(own_moves) - len(opp_moves))


def center_score(game: CourseBoard, player: int) -> float:
    loc = game.get_player_location(player)
    if loc is None:
        return 0.0
    w, h = game.width / 2.0, game.height / 2.0
    y, x = loc
    return float((h - y) ** 2 + (w - x) ** 2)


def center_corrected_score(game: CourseBoard, player: int) -> float:
    loc = game.get_player_location(player)
    if loc is None:
        return 0.0
    rows, columns = list(range(game.height)), list(range(game.width))
    middle_row, middle_column = sum(rows) / len(rows), sum(columns) / len(columns)
    return -((loc[0] - middle_row) ** 2 + (loc[1] - middle_column) ** 2)


def corner_moves(game: CourseBoard, moves: list[Cell]) -> list[Cell]:
    corners = [(0, 0), (0, game.width - 1), (game.height - 1, 0), (game.height - 1, game.width - 1)]
    return [move for move in moves if move in corners]


def avoid_corners_as_written_score(game: CourseBoard, player: int, reward: float = -1.0) -> float:
    if not both_locations(game, player):
        return 0.0
    weight = 1.0
    own_moves, opp_moves = both_moves(game, player)
    total_penalty = len(corner_moves(game, own_moves)) * weight
    total_reward = len(corner_moves(game, opp_moves)) * weight
    return float((len(own_moves) - total_penalty) - (len(opp_moves) - reward * total_reward))


def avoid_corners_corrected_score(game: CourseBoard, player: int) -> float:
    return avoid_corners_as_written_score(game, player, reward=1.0)


def chase_as_written_score(game: CourseBoard, player: int) -> float:
    if not (locations := both_locations(game, player)):
        return 0.0
    own_loc, opp_loc = locations
    dist = math.sqrt(pow(own_loc[0] + opp_loc[0], 2) + pow(own_loc[1] + opp_loc[1], 2))
    return -dist


def chase_corrected_score(game: CourseBoard, player: int) -> float:
    if not (locations := both_locations(game, player)):
        return 0.0
    own_loc, opp_loc = locations
    return -math.sqrt(pow(own_loc[0] - opp_loc[0], 2) + pow(own_loc[1] - opp_loc[1], 2))


def end_game(game: CourseBoard) -> bool:
    return (len(game.get_blank_spaces()) / (game.width * game.height)) < 0.25


def weighted_chase_as_written_score(game: CourseBoard, player: int) -> float:
    weight = 4 if end_game(game) else 1.0
    return float(chase_as_written_score(game, player) / weight)


def weighted_chase_times_four_score(game: CourseBoard, player: int) -> float:
    weight = 4 if end_game(game) else 1.0
    return float(chase_corrected_score(game, player) * weight)


def weighted_chase_corrected_score(game: CourseBoard, player: int) -> float:
    if not both_locations(game, player):
        return 0.0
    return improved_score(game, player) + 0.1 * weighted_chase_times_four_score(game, player)


def next_move_sets(game: CourseBoard, player: int) -> tuple[set[Cell], set[Cell]]:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves = {_m for move in own_moves for _m in moves_from(game.piece, game.blank, move)}
    opp_next_moves = {_m for move in opp_moves for _m in moves_from(game.piece, game.blank, move)}
    return own_next_moves, opp_next_moves


def next_moves_score(game: CourseBoard, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + len(own_moves) - len(opp_moves))


def next_moves_abs_score(game: CourseBoard, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + abs(len(own_moves) - len(opp_moves)))


def next_moves_set_difference_score(game: CourseBoard, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + len(set(own_moves) - set(opp_moves)))


def voronoi_score(game: CourseBoard, player: int) -> float:
    """Both spread out in turn, the mover first; a cell belongs to whoever gets there first."""
    owner: dict[Cell, int] = {}
    edge = {side: [game.get_player_location(side)] for side in (0, 1)}
    side = game.active_player
    while edge[0] or edge[1]:
        layer = []
        for cell in edge[side]:
            for target in game.get_blank_spaces() if cell is None else moves_from(game.piece, game.blank, cell):
                if target not in owner:
                    owner[target] = side
                    layer.append(target)
        edge[side] = layer
        side = game.get_opponent(side)
    owners = list(owner.values())
    return float(owners.count(player) - owners.count(game.get_opponent(player)))


def attacker_overlap_score(game: CourseBoard, player: int) -> float:
    """Cells in reach of two moves, and those in reach of both players: they are the hunter's, who stands on the
    same colour as its prey when it is to move."""
    own, opp = next_move_sets(game, player)
    colours = [sum(location) % 2 for location in both_locations(game, player)]
    hunter = game.active_player if colours[0] == colours[1] else game.get_opponent(game.active_player)
    return float(len(own) - len(opp) + (len(own & opp) if hunter == player else -len(own & opp)))


PLAIN: dict[str, Callable[[CourseBoard, int], float]] = {name: globals()[f"{name}_score"] for name in HEURISTICS}
UNDEFINED_WHILE_PLACING = {"attacker_overlap"}


@cache
def positions_of_play() -> list[Position]:
    """Every position of many random games, from the empty board to the last move."""
    choices, found = random.Random(7), []
    for board, piece, games in BOARDS:
        made = game("isolation", board=board, piece=piece, opening="free")
        for _ in range(games):
            position = made.start()
            found.append(position)
            while not position.over:
                position = position.after(choices.choice(position.legal))
                found.append(position)
    return found


@cache
def plain_games() -> list[CourseBoard]:
    """The same positions as the document's code sees them."""
    return [CourseBoard.read(position.text) for position in positions_of_play()]


@cache
def score_of(name: str) -> Callable[..., float]:
    return HEURISTICS[name].score(State)


def scorer(name: str, **weights: float) -> Callable[[Position, int], float]:
    """The compiled score of a heuristic, with its default weights or others."""
    score, weighed = score_of(name), HEURISTICS[name].weigh(weights)
    return lambda position, player: score(position.state, player, weighed)


@pytest.mark.parametrize("name", PLAIN)
def test_the_compiled_heuristic_is_its_plain_formula(name: str) -> None:
    compiled, plain = scorer(name), PLAIN[name]
    for position, board in zip(positions_of_play(), plain_games(), strict=True):
        if name in UNDEFINED_WHILE_PLACING and not both_locations(board, 0):
            continue
        for player in (0, 1):
            assert compiled(position, player) == plain(board, player), (position.text, player)


@pytest.mark.parametrize("name", HEURISTICS)
def test_a_score_is_the_sum_of_the_weighted_terms(name: str) -> None:
    heuristic = HEURISTICS[name]
    defaults = {term: weight.default for term, weight in heuristic.weights.items()}
    others = {term: 0.75 + 1.5 * place for place, term in enumerate(heuristic.weights)}
    for weights in (defaults, others):
        compiled = scorer(name, **weights)
        for position in positions_of_play()[::10]:
            for player in (0, 1):
                terms = heuristic.terms(position.state, player)
                assert list(terms) == list(heuristic.weights)
                total = sum(weights[term] * part for term, part in terms.items())
                assert compiled(position, player) == total, (position.text, player)


def test_a_flood_fill_finds_the_cells_that_a_player_alone_could_get_to() -> None:
    for position, board in zip(positions_of_play(), plain_games(), strict=True):
        for player in (0, 1):
            found, waiting = set[Cell](), board.get_legal_moves(player)
            while waiting:
                if (cell := waiting.pop()) not in found:
                    found.add(cell)
                    waiting += moves_from(board.piece, board.blank, cell)
            cells = flood_fill(position.state, player)
            numbers = range(board.width * board.height)
            assert {divmod(cell, board.width) for cell in numbers if cells >> cell & 1} == found


def test_the_weight_of_every_term_changes_scores() -> None:
    for name in ("next_moves", "avoid_corners_as_written", "weighted_chase_corrected", "attacker_overlap"):
        assert len(HEURISTICS[name].weights) == 2
        for term in HEURISTICS[name].weights:
            default, heavier = scorer(name), scorer(name, **{term: 7.5})
            assert any(default(position, 0) != heavier(position, 0) for position in positions_of_play()[::10]), term


CORNER, NO_CORNER = "...../...../...../..B../....A A", "...../...../...../..B../#...A A"
TRAP = "A######/##.####/#.####./#######/#####.#/#######/####.#B A"
BEHIND = "A....../......./......./...B.../......./......./....... A"
A_QUARTER_FREE, LESS_FREE = "A#####/##.###/######/.....B A", "A#####/##.###/######/#....B A"


@pytest.mark.parametrize(
    ("name", "values"),
    [
        # a distance from a point beside the centre, which is rewarded
        ("center", {"a7 b1": 24.5, "g7 b1": 18.5, "a1 b1": 18.5, "g1 b1": 12.5, "d4 b1": 0.5, "e3 b1": 0.5}),
        ("center_corrected", {"d4 b1": 0, "d5 b1": -1, "a1 b1": -18, "a7 b1": -18, "g1 b2": -18, "g7 b1": -18}),
        # a corner move of the opponent counts twice against us as written, and not at all corrected
        ("avoid_corners_as_written", {CORNER: -5, NO_CORNER: -3}),
        ("avoid_corners_corrected", {CORNER: -3, NO_CORNER: -3}),
        # mobility does not see that both moves lead into dead ends, and the moves after do
        ("improved", {TRAP: 2 - 1}),
        ("next_moves", {TRAP: (2 - 1) + (0 - 2), BEHIND: -6 - 11}),
        # the bars of the printed formula make a difference
        ("next_moves_abs", {BEHIND: 6 - 11}),
        ("next_moves_set_difference", {BEHIND: 0 - 11}),
        # a chase as written only walks to the top left corner; corrected it is a distance, however the board is turned
        ("chase_as_written", {"a7 g1": -math.sqrt(72), "f1 g1": -math.sqrt(265), "a7 c6": -math.sqrt(5)}),
        ("chase_corrected", {"d4 d5": -1, "a7 g1": -math.sqrt(72), "f1 g1": -1, "a7 c6": -math.sqrt(5)}),
        ("chase_corrected", {"g1 e2": -math.sqrt(5), "g7 f5": -math.sqrt(5), "a1 b3": -math.sqrt(5)}),
        # late in the game the factor makes it weaker as written, and stronger corrected
        ("chase_as_written", {A_QUARTER_FREE: -math.sqrt(34), LESS_FREE: -math.sqrt(34)}),
        ("weighted_chase_as_written", {A_QUARTER_FREE: -math.sqrt(34), LESS_FREE: -math.sqrt(34) / 4}),
        ("weighted_chase_times_four", {A_QUARTER_FREE: -math.sqrt(34), LESS_FREE: -math.sqrt(34) * 4}),
        # territory: cells that only one can reach, and contested ones of the player to move
        ("voronoi", {"A####/##.##/#..##/####B A": 2 - 1, "A####/##.##/#..##/####B B": 2 - 1}),
        ("voronoi", {"A###/##.#/####/#B## A": 1, "A###/##.#/####/#B## B": -1}),
    ],
)
def test_the_value_of_a_position(name: str, values: dict[str, float]) -> None:
    made, score = game("isolation"), scorer(name)
    assert {text: score(made.position(text), 0) for text in values} == values


@pytest.mark.parametrize("name", ["improved", "avoid_corners_corrected", "next_moves", "voronoi", "attacker_overlap"])
def test_what_is_good_for_one_is_as_bad_for_the_other(name: str) -> None:
    compiled = scorer(name)
    for position, board in zip(positions_of_play(), plain_games(), strict=True):
        if both_locations(board, 0):
            assert compiled(position, 0) == -compiled(position, 1), position.text


@pytest.mark.parametrize(
    ("plain", "weighted"),
    [("chase_as_written", "weighted_chase_as_written"), ("chase_corrected", "weighted_chase_times_four")],
)
def test_weighting_a_chase_never_changes_the_move(plain: str, weighted: str) -> None:
    weighed = 0
    for depth in (1, 3):
        agents = [spec.agent(game("isolation"), f"alphabeta:{name},depth={depth}") for name in (plain, weighted)]
        for position, board in zip(positions_of_play(), plain_games(), strict=True):
            if position.over or len(board.get_blank_spaces()) > board.width * board.height / 2:
                continue
            one, other = (agent.decide(View(position, position.mover, dice(0))) for agent in agents)
            assert (one.action, one.nodes) == (other.action, other.nodes), (position.text, depth)
            weighed += one.score != other.score
    assert weighed > 50, "the weight was at work in many of the searches"
