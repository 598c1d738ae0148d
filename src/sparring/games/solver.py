"""Exact answers: who wins, or how likely, if both play their best. A folder for each game that has a solver."""

from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from sparring.core.errors import SparringError
from sparring.core.progress import Progress
from sparring.games.contract import Action, Game, Position


class Solved(Protocol):
    """An exact answer: it prints itself, gives plain data, and draws itself if there is something to draw."""

    def to_json(self) -> dict[str, Any]: ...

    def svg(self) -> str: ...


class Solver(Protocol):
    """What the folder of a game offers."""

    KNOWS_ALL: bool
    """Whether it has an answer for every state at once. Then its `Examiner` says what a whole way of playing is worth;
    else its `winning_moves` say which moves are right in a state."""

    def solve_game(self, game: Game, first: str | None = None, progress: Progress | None = None) -> Solved:
        """The whole game; `first` is a first move to show more of."""

    def solve_position(self, position: Position, progress: Progress | None = None) -> Solved: ...

    def verdicts(self, position: Position, seconds: float) -> dict[Action, str]:
        """What is known of each move, in a word or two; none of those that would take longer to find out."""


def solver(game: str) -> Solver:
    """The solver of a game."""
    name = f"sparring.games.{game}.solver"
    try:
        return cast(Solver, import_module(name))
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        known = sorted(one.parents[1].name for one in Path(__file__).parent.glob("*/solver/__init__.py"))
        raise SparringError(f"{game} has no exact solver; there is one for {' and '.join(known)}") from error
