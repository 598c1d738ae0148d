"""What a game may offer beside the contract. Higher floors ask for a capability, never which game it is.

A game declares a capability by the place of the object that has it: `offers = {Solver: "my_game.solver"}`. The object
is a module or, after a colon, something in it. It is imported when somebody asks for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeVar

from sparring.core.errors import SparringError
from sparring.core.progress import Progress
from sparring.games import registry
from sparring.games.contract import Action, Game, Position
from sparring.games.replay import Step

Capability = TypeVar("Capability")


def offered(game: Game, kind: type[Capability]) -> Capability | None:
    """The object by which a game has a capability, or None."""
    place = game.offers.get(kind)
    if place is None:
        return None
    module, _, name = place.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found  # type: ignore[return-value]


def needed(game: Game, kind: type[Capability]) -> Capability:
    """The same, where nothing goes without it."""
    found = offered(game, kind)
    if found is None:
        what = (kind.__doc__ or kind.__name__).split(":")[0]
        others = [other.name for other in registry.working() if kind in other.offers]
        raise SparringError(f"{game.name} has no {what}; there is one for {' and '.join(others) or 'no game'}")
    return found


class Solved(Protocol):
    """An exact answer: it prints itself, gives plain data, and draws itself if there is something to draw."""

    def to_json(self) -> dict[str, Any]: ...

    def svg(self) -> str: ...


class Solver(Protocol):
    """exact solver: tells who wins, or how likely, if both play their best."""

    KNOWS_ALL: bool
    """Whether it has an answer for every state at once. Then its `Examiner` says what a whole way of playing is worth;
    else its `winning_moves` say which moves are right in a state."""

    def solve_game(self, game: Game, first: str | None = None, progress: Progress | None = None) -> Solved:
        """The whole game; `first` is a first move to show more of."""

    def solve_position(self, position: Position, progress: Progress | None = None) -> Solved: ...

    def verdicts(self, position: Position, seconds: float) -> dict[Action, str]:
        """What is known of each move, in a word or two; none of those that would take longer to find out."""


@dataclass(frozen=True)
class LuckAndSkill:
    """What changed each player's chance to win: chance, its own choices, and the choices of others."""

    by: str  # whose chances to win these are, in a few words
    luck: tuple[float, ...]
    skill: tuple[float, ...]
    others: tuple[float, ...]


class Luck(Protocol):
    """measure of luck: tells what chance did to the players apart from what they did themselves."""

    def luck(self, positions: Sequence[Position], actions: Sequence[Action]) -> LuckAndSkill:
        """Of a game or its beginning: its positions, and the action in each but the last."""


@dataclass(frozen=True)
class LoggedGame:
    """A game from a log: its positions with the turns taken in them, as far as these are known."""

    steps: tuple[Step, ...]
    agents: tuple[str, ...]
    scores: tuple[float, ...]
    reason: str
    seed: int | None = None
    """The seed by which the turns lead through these positions again; None if the log does not tell."""

    @property
    def game(self) -> Game:
        return self.steps[0].position.game

    def at(self, turn: int) -> Position:
        """The position after so many turns."""
        if turn >= len(self.steps):
            raise SparringError(f"no turn {turn} in this game; it has {len(self.steps)} from 0 on")
        return self.steps[turn].position


class LogReader(Protocol):
    """reader of logs: reads games that other programs have written, or this one in another form."""

    LOGS: str
    """What is read, in a few words for the message that something is no log."""

    def is_log(self, text: str) -> bool:
        """Whether a text looks like such a log."""

    def read_log(self, text: str, file: str) -> LoggedGame:
        """The game of a log; SparringError names the file and what is wrong with it."""
