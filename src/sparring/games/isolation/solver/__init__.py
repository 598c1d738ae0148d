"""The exact solver: the winner of each opening of a board, and of any position."""

from dataclasses import replace

from sparring.core.progress import Progress
from sparring.games.contract import Action, Game, Position
from sparring.games.isolation.solver.openings import Openings, SolvedPosition, solve_board
from sparring.games.isolation.solver.proof import solve
from sparring.games.isolation.solver.proof import winning_moves as winning_moves

KNOWS_ALL = False


def solve_game(game: Game, first: str | None = None, progress: Progress | None = None) -> Openings:
    """Solve every opening of the board. With a first cell, the result also shows each reply to it."""
    shown = game.position("").action(first) if first else None
    rows, columns = (int(side) for side in game.options()["board"].split("x"))
    return replace(solve_board(rows, columns, game.options()["piece"], progress=progress), shown=shown)


def solve_position(position: Position, progress: Progress | None = None) -> SolvedPosition:
    return SolvedPosition.of(position)


def verdicts(position: Position, seconds: float) -> dict[Action, str]:
    solve(position.state, max_nodes=1)  # compile first, so that it takes none of the seconds
    found = winning_moves(position.state, seconds=seconds)
    return {action: "wins" if wins else "loses" for action, wins in found.items() if wins is not None}
