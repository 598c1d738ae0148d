"""What Isolation players value, against the published formulas written out once more on plain lists.

The transcription keeps the manner of the document it comes from: a game with `get_legal_moves`, a list of
corners, `math.sqrt` of sums. It knows nothing of bits or of compilation.
"""

import math
import random
from collections.abc import Callable
from functools import cache

import pytest

from sparring.agents import spec
from sparring.agents.agent import View
from sparring.api import explain
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.games.contract import Position
from sparring.games.isolation.state import State
from sparring.games.registry import game

Cell = tuple[int, int]

HEURISTICS = spec.heuristics(game("isolation"))
BOARDS = [
    ("7x7", "knight", 60),
    ("5x5", "knight", 40),
    ("3x7", "knight", 40),
    ("6x4", "knight", 30),
    ("7x9", "knight", 20),
    ("3x21", "knight", 15),
    ("5x5", "queen", 20),
    ("4x6", "queen", 20),
]


# The document's game


class PlainGame:
    """A board of lists, with the methods that the document's code calls."""

    KNIGHT = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]
    QUEEN = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]

    def __init__(self, text: str) -> None:
        rows, mover, *queen = text.split()
        self.board = [list(row) for row in rows.split("/")]
        self.height, self.width = len(self.board), len(self.board[0])
        self.active_player = "AB".index(mover)
        self.queens = bool(queen)

    def get_opponent(self, player: int) -> int:
        return 1 - player

    def get_player_location(self, player: int) -> Cell | None:
        found = [(r, c) for r, row in enumerate(self.board) for c, sign in enumerate(row) if sign == "AB"[player]]
        return found[0] if found else None

    def get_blank_spaces(self) -> list[Cell]:
        return [(r, c) for r, row in enumerate(self.board) for c, sign in enumerate(row) if sign == "."]

    def move_is_legal(self, move: Cell) -> bool:
        r, c = move
        return 0 <= r < self.height and 0 <= c < self.width and self.board[r][c] == "."

    def get_legal_moves(self, player: int) -> list[Cell]:
        loc = self.get_player_location(player)
        return self.get_blank_spaces() if loc is None else get_moves(self, loc)


def get_moves(game: PlainGame, loc: Cell) -> list[Cell]:
    r, c = loc
    if not game.queens:
        return [(r + dr, c + dc) for dr, dc in game.KNIGHT if game.move_is_legal((r + dr, c + dc))]
    moves = []
    for dr, dc in game.QUEEN:
        steps = 1
        while game.move_is_legal((r + steps * dr, c + steps * dc)):
            moves.append((r + steps * dr, c + steps * dc))
            steps += 1
    return moves


def both_moves(game: PlainGame, player: int) -> tuple[list[Cell], list[Cell]]:
    return game.get_legal_moves(player), game.get_legal_moves(game.get_opponent(player))


def both_locations(game: PlainGame, player: int) -> tuple[Cell, Cell] | None:
    own_loc = game.get_player_location(player)
    opp_loc = game.get_player_location(game.get_opponent(player))
    return (own_loc, opp_loc) if own_loc and opp_loc else None


# The course's sample scores


def null_score(game: PlainGame, player: int) -> float:
    return 0.0


def open_move_score(game: PlainGame, player: int) -> float:
    return float(len(game.get_legal_moves(player)))


def improved_score(game: PlainGame, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    return float(len(own_moves) - len(opp_moves))


def center_score(game: PlainGame, player: int) -> float:
    loc = game.get_player_location(player)
    if loc is None:
        return 0.0
    w, h = game.width / 2.0, game.height / 2.0
    y, x = loc
    return float((h - y) ** 2 + (w - x) ** 2)


def center_corrected_score(game: PlainGame, player: int) -> float:
    loc = game.get_player_location(player)
    if loc is None:
        return 0.0
    rows, columns = list(range(game.height)), list(range(game.width))
    middle_row, middle_column = sum(rows) / len(rows), sum(columns) / len(columns)
    return -((loc[0] - middle_row) ** 2 + (loc[1] - middle_column) ** 2)


# The document's scores, and what the words around them promise


def corner_moves(game: PlainGame, moves: list[Cell]) -> list[Cell]:
    corners = [(0, 0), (0, game.width - 1), (game.height - 1, 0), (game.height - 1, game.width - 1)]
    return [move for move in moves if move in corners]


def avoid_corners_score(game: PlainGame, player: int) -> float:
    if not both_locations(game, player):
        return 0.0
    weight = 1.0
    own_moves, opp_moves = both_moves(game, player)
    total_penalty = len(corner_moves(game, own_moves)) * weight
    total_reward = len(corner_moves(game, opp_moves)) * weight
    return float((len(own_moves) - total_penalty) - (len(opp_moves) + total_reward))


def avoid_corners_corrected_score(game: PlainGame, player: int) -> float:
    if not both_locations(game, player):
        return 0.0
    weight = 1.0
    own_moves, opp_moves = both_moves(game, player)
    total_penalty = len(corner_moves(game, own_moves)) * weight
    total_reward = len(corner_moves(game, opp_moves)) * weight
    return float((len(own_moves) - total_penalty) - (len(opp_moves) - total_reward))


def chase_opponent_score(game: PlainGame, player: int) -> float:
    if not (locations := both_locations(game, player)):
        return 0.0
    own_loc, opp_loc = locations
    dist = math.sqrt(pow(own_loc[0] + opp_loc[0], 2) + pow(own_loc[1] + opp_loc[1], 2))
    return -dist


def chase_corrected_score(game: PlainGame, player: int) -> float:
    if not (locations := both_locations(game, player)):
        return 0.0
    own_loc, opp_loc = locations
    return -math.sqrt(pow(own_loc[0] - opp_loc[0], 2) + pow(own_loc[1] - opp_loc[1], 2))


def end_game(game: PlainGame) -> bool:
    return (len(game.get_blank_spaces()) / (game.width * game.height)) < 0.25


def weighted_chase_opponent_score(game: PlainGame, player: int) -> float:
    weight = 4 if end_game(game) else 1.0
    return float(chase_opponent_score(game, player) / weight)


def weighted_chase_times_four_score(game: PlainGame, player: int) -> float:
    weight = 4 if end_game(game) else 1.0
    return float(chase_corrected_score(game, player) * weight)


def weighted_chase_corrected_score(game: PlainGame, player: int) -> float:
    if not both_locations(game, player):
        return 0.0
    return improved_score(game, player) + 0.1 * weighted_chase_times_four_score(game, player)


def next_move_sets(game: PlainGame, player: int) -> tuple[set[Cell], set[Cell]]:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves = {_m for move in own_moves for _m in get_moves(game, move)}
    opp_next_moves = {_m for move in opp_moves for _m in get_moves(game, move)}
    return own_next_moves, opp_next_moves


def next_moves_score(game: PlainGame, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + len(own_moves) - len(opp_moves))


def next_moves_abs_score(game: PlainGame, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + abs(len(own_moves) - len(opp_moves)))


def next_moves_set_difference_score(game: PlainGame, player: int) -> float:
    own_moves, opp_moves = both_moves(game, player)
    own_next_moves, opp_next_moves = next_move_sets(game, player)
    return float(len(own_next_moves) - len(opp_next_moves) + len(set(own_moves) - set(opp_moves)))


def voronoi_score(game: PlainGame, player: int) -> float:
    """Both spread out in turn, the mover first; a cell belongs to whoever gets there first."""
    owner: dict[Cell, int] = {}
    edge = {side: [game.get_player_location(side)] for side in (0, 1)}
    side = game.active_player
    while edge[0] or edge[1]:
        layer = []
        for cell in edge[side]:
            for target in game.get_blank_spaces() if cell is None else get_moves(game, cell):
                if target not in owner:
                    owner[target] = side
                    layer.append(target)
        edge[side] = layer
        side = game.get_opponent(side)
    owners = list(owner.values())
    return float(owners.count(player) - owners.count(game.get_opponent(player)))


def attacker_overlap_score(game: PlainGame, player: int) -> float:
    """Cells in reach of two moves, and those in reach of both players: they are the hunter's, who stands on the
    same colour as its prey when it is to move."""
    own, opp = next_move_sets(game, player)
    colours = [sum(location) % 2 for location in both_locations(game, player)]
    hunter = game.active_player if colours[0] == colours[1] else game.get_opponent(game.active_player)
    return float(len(own) - len(opp) + (len(own & opp) if hunter == player else -len(own & opp)))


PLAIN: dict[str, Callable[[PlainGame, int], float]] = {
    "null": null_score,
    "open": open_move_score,
    "improved": improved_score,
    "center": center_score,
    "center_corrected": center_corrected_score,
    "avoid_corners_as_written": avoid_corners_score,
    "avoid_corners_corrected": avoid_corners_corrected_score,
    "chase_as_written": chase_opponent_score,
    "chase_corrected": chase_corrected_score,
    "weighted_chase_as_written": weighted_chase_opponent_score,
    "weighted_chase_times_four": weighted_chase_times_four_score,
    "weighted_chase_corrected": weighted_chase_corrected_score,
    "next_moves": next_moves_score,
    "next_moves_abs": next_moves_abs_score,
    "next_moves_set_difference": next_moves_set_difference_score,
    "attacker_overlap": attacker_overlap_score,
    "voronoi": voronoi_score,
}
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
def plain_games() -> list[PlainGame]:
    """The same positions as the document's code sees them."""
    return [PlainGame(position.text) for position in positions_of_play()]


@cache
def score_of(name: str) -> Callable[..., float]:
    return HEURISTICS[name].score(State)


def scorer(name: str, **weights: float) -> Callable[[Position, int], float]:
    """The compiled score of a heuristic, with its default weights or others."""
    score, weighed = score_of(name), HEURISTICS[name].weigh(weights)
    return lambda position, player: score(position.state, player, weighed)


def value(name: str, text: str, player: int = 0) -> float:
    return scorer(name)(game("isolation").position(text), player)


# Every heuristic against its formula


def test_every_heuristic_has_a_plain_formula_here() -> None:
    assert set(HEURISTICS) == set(PLAIN)


@pytest.mark.slow
def test_thousands_of_positions_are_compared() -> None:
    different = {bytes(position.state.tobytes()) for position in positions_of_play()}
    assert len(different) > 4000
    assert any(both_locations(board, 0) is None for board in plain_games())


@pytest.mark.parametrize("name", PLAIN)
def test_the_compiled_heuristic_is_its_plain_formula(name: str) -> None:
    compiled, plain = scorer(name), PLAIN[name]
    for position, board in zip(positions_of_play(), plain_games(), strict=True):
        if name in UNDEFINED_WHILE_PLACING and not both_locations(board, 0):
            continue
        for player in (0, 1):
            assert compiled(position, player) == plain(board, player), (position.text, player)


# Terms and weights

WITH_TERMS = [name for name, heuristic in HEURISTICS.items() if list(heuristic.weights) != [name]]


def test_the_heuristics_of_several_terms_are_known() -> None:
    assert {"next_moves", "avoid_corners_as_written", "weighted_chase_corrected"} <= set(WITH_TERMS)


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


@pytest.mark.parametrize("name", WITH_TERMS)
def test_the_weight_of_every_term_changes_scores(name: str) -> None:
    for term in HEURISTICS[name].weights:
        default, heavier = scorer(name), scorer(name, **{term: 7.5})
        assert any(default(position, 0) != heavier(position, 0) for position in positions_of_play()[::10]), term


def test_a_weight_given_in_an_agents_name_reaches_the_search() -> None:
    made = game("isolation")
    decisions = [explain(made, agent, "d4 e6 f5") for agent in ("next_moves,depth=1", "next_moves(moves=3),depth=1")]
    one, three = ({c.action: c for c in decision.candidates} for decision in decisions)
    assert {action: c.score for action, c in three.items()} == {
        action: 3 * c.terms["moves"] + c.terms["next_moves"] for action, c in one.items()
    }
    assert any(c.terms["moves"] for c in one.values())


def test_a_weight_for_an_unknown_term_is_answered_with_the_known_ones() -> None:
    with pytest.raises(SparringError, match="next_moves has no term 'mobility'; its terms: moves, next_moves"):
        HEURISTICS["next_moves"].weigh({"mobility": 2.0})


# What the formulas mean

CORNERS_AND_CENTRE = {"a7": 24.5, "g7": 18.5, "a1": 18.5, "g1": 12.5, "d4": 0.5, "d3": 0.5, "e4": 0.5, "e3": 0.5}


@pytest.mark.parametrize(("cell", "score"), CORNERS_AND_CENTRE.items())
def test_center_rewards_distance_from_a_point_beside_the_centre(cell: str, score: float) -> None:
    assert value("center", f"{cell} b1") == score


def test_center_corrected_is_best_in_the_middle_and_equal_in_all_corners() -> None:
    by_cell = {cell: value("center_corrected", f"{cell} b1") for cell in ("d4", "d5", "a1", "a7", "g1", "g7")}
    assert by_cell == {"d4": 0.0, "d5": -1.0, "a1": -18.0, "a7": -18.0, "g1": -18.0, "g7": -18.0}


def test_a_corner_move_of_the_opponent_counts_twice_against_us_as_written_and_not_at_all_corrected() -> None:
    with_corner, without = "...../...../...../..B../....A A", "...../...../...../..B../#...A A"
    assert value("avoid_corners_as_written", without) - value("avoid_corners_as_written", with_corner) == 2
    assert value("avoid_corners_corrected", without) - value("avoid_corners_corrected", with_corner) == 0


def test_mobility_does_not_see_that_every_move_leads_into_a_trap_and_the_moves_after_do() -> None:
    dead_ends = "A######/##.####/#.####./#######/#####.#/#######/####.#B A"
    assert value("improved", dead_ends) == 2 - 1
    assert value("next_moves", dead_ends) == (2 - 1) + (0 - 2)


def test_the_further_apart_the_lower_is_the_score_of_a_chase_and_it_is_never_above_0() -> None:
    scores = [value("chase_corrected", f"d4 {cell}") for cell in ("d5", "e5", "d6", "g7")]
    assert scores == sorted(scores, reverse=True)
    assert max(scores) < 0


def test_as_written_the_end_game_makes_a_chase_weaker_not_stronger() -> None:
    early, late = "A#####/##.###/######/.....B A", "A#####/##.###/######/#....B A"
    assert value("weighted_chase_as_written", early) == value("chase_as_written", early) < 0
    assert value("weighted_chase_as_written", late) == value("chase_as_written", late) / 4


def test_the_bars_of_the_printed_formula_make_a_difference() -> None:
    behind = "A....../......./......./...B.../......./......./....... A"
    names = ("next_moves", "next_moves_abs", "next_moves_set_difference")
    assert len({value(name, behind) for name in names}) == 3


def test_chase_as_written_only_walks_to_the_top_left_corner() -> None:
    assert value("chase_as_written", "a7 g1") > value("chase_as_written", "f1 g1")
    assert value("chase_corrected", "a7 g1") < value("chase_corrected", "f1 g1")


def test_chase_corrected_is_the_same_however_the_board_is_turned_and_as_written_is_not() -> None:
    turned = ["a7 c6", "g1 e2", "g7 f5", "a1 b3"]
    assert len({value("chase_corrected", opening) for opening in turned}) == 1
    assert len({value("chase_as_written", opening) for opening in turned}) > 1


@pytest.mark.parametrize("name", ["improved", "avoid_corners_corrected", "next_moves", "voronoi", "attacker_overlap"])
def test_what_is_good_for_one_is_as_bad_for_the_other(name: str) -> None:
    compiled = scorer(name)
    for position, board in zip(positions_of_play(), plain_games(), strict=True):
        if both_locations(board, 0):
            assert compiled(position, 0) == -compiled(position, 1), position.text


@pytest.mark.parametrize(
    "name", ["open", "center", "avoid_corners_as_written", "chase_as_written", "chase_corrected", "next_moves_abs"]
)
def test_some_heuristics_are_not_zero_sum(name: str) -> None:
    compiled = scorer(name)
    assert any(compiled(position, 0) != -compiled(position, 1) for position in positions_of_play())


def test_territory_counts_the_cells_that_only_one_can_reach() -> None:
    assert value("voronoi", "A####/##.##/#..##/####B A") == 2 - 1
    assert value("voronoi", "A####/##.##/#..##/####B B") == 2 - 1


def test_territory_gives_a_contested_cell_to_the_player_to_move() -> None:
    assert value("voronoi", "A###/##.#/####/#B## A") == 1
    assert value("voronoi", "A###/##.#/####/#B## B") == -1


def test_chasing_counts_four_times_as_much_once_less_than_a_quarter_of_the_board_is_free() -> None:
    a_quarter, less = "A#####/##.###/######/.....B A", "A#####/##.###/######/#....B A"
    chase = HEURISTICS["weighted_chase_corrected"]
    distances = [chase.terms(game("isolation").parse(text), 0)["chase"] for text in (a_quarter, less)]
    assert distances == [-math.sqrt(34), -4 * math.sqrt(34)]


# Weighting a chase never changes the move


@pytest.mark.parametrize(
    ("plain", "weighted"),
    [("chase_as_written", "weighted_chase_as_written"), ("chase_corrected", "weighted_chase_times_four")],
)
def test_weighting_a_chase_never_changes_the_move(plain: str, weighted: str) -> None:
    weighed = 0
    for depth in (1, 2, 4):
        agents = [spec.agent(game("isolation"), f"alphabeta:{name},depth={depth}") for name in (plain, weighted)]
        for position, board in zip(positions_of_play(), plain_games(), strict=True):
            if position.over or len(board.get_blank_spaces()) > board.width * board.height / 2:
                continue
            one, other = (agent.decide(View(position, position.mover, dice(0))) for agent in agents)
            assert (one.action, one.nodes) == (other.action, other.nodes), (position.text, depth)
            weighed += one.score != other.score
    assert weighed > 100, "the weight was at work in many of the searches"
