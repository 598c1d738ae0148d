"""Capabilities: what only some games offer. Other code asks for a capability, never for a game.

A game declares a capability and the place of the object that has it: `offers = {Solver: "my_game.solver"}`. The object
is a module or, after a colon, a name in it. It is imported when it is needed.
"""

from collections.abc import Mapping, Sequence
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
    """The object with a capability of a game, or None."""
    place = game.offers.get(kind)
    if place is None:
        return None
    module, _, name = place.partition(":")
    found = import_module(module)
    return getattr(found, name) if name else found  # type: ignore[return-value]


def needed(game: Game, kind: type[Capability]) -> Capability:
    """The object with a capability of a game. Raises SparringError if there is none."""
    found = offered(game, kind)
    if found is None:
        what = (kind.__doc__ or kind.__name__).split(":")[0]
        others = [other.name for other in registry.working() if kind in other.offers]
        raise SparringError(f"{game.name} has no {what}; there is one for {' and '.join(others) or 'no game'}")
    return found


class Solution(Protocol):
    """An exact answer as text, plain data and, if it can be drawn, a picture."""

    def to_json(self) -> dict[str, Any]: ...

    def svg(self) -> str: ...


class Solver(Protocol):
    """exact solver: finds the winner, or the chance to win, with best play."""

    KNOWS_ALL: bool
    """True if it has an answer for every state at once. Then its `PolicyEvaluator` says what a whole policy is worth;
    else its `winning_moves` say which moves are right in a state."""

    def solve_game(self, game: Game, first: str | None = None, progress: Progress | None = None) -> Solution:
        """Solve the whole game, and show more of the first move `first`."""

    def solve_position(self, position: Position, progress: Progress | None = None) -> Solution: ...

    def verdicts(self, position: Position, seconds: float) -> dict[Action, str]:
        """A short verdict for each action, without those that would take longer."""


@dataclass(frozen=True)
class LuckAndSkill:
    """The changes of each player's chance to win by chance, by its own choices, and by the choices of others."""

    by: str  # the source of the chances to win, in a few words
    luck: tuple[float, ...]
    skill: tuple[float, ...]
    others: tuple[float, ...]


class LuckMeasure(Protocol):
    """measure of luck: separates the effects of chance from those of the players' choices."""

    def luck(self, positions: Sequence[Position], actions: Sequence[Action]) -> LuckAndSkill:
        """The luck in a game, or in its first positions. There is an action for each position but the last."""


@dataclass(frozen=True)
class LoggedGame:
    """A game from a log: its positions and the known turns."""

    steps: tuple[Step, ...]
    agents: tuple[str, ...]
    scores: tuple[float, ...]
    reason: str
    seed: int | None = None
    """The seed with which the turns lead through these positions, if the log has it."""

    @property
    def game(self) -> Game:
        return self.steps[0].position.game

    def at(self, turn: int) -> Position:
        """The position after a number of turns."""
        if turn >= len(self.steps):
            raise SparringError(f"no turn {turn} in this game; it has {len(self.steps)} from 0 on")
        return self.steps[turn].position


class LogReader(Protocol):
    """reader of logs: reads games that other programs wrote."""

    LOGS: str  # the kind of log in a few words, for error messages

    def is_log(self, text: str) -> bool:
        """True if a text looks like such a log."""

    def read_log(self, text: str, file: str) -> LoggedGame:
        """The game of a log. Raises SparringError with the name of the file."""


class ActionFacts(Protocol):
    """observer of actions: finds facts about each action, for reports."""

    def observed(
        self, game: Game, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """Facts about an action, after all have acted: yes or no, a number or a word. `notes` are the player's own."""


class PieceCommands(Protocol):
    """commands to single pieces: an action is a command to each of several pieces, with names joined by _, or `stay`.
    There are too many to list, and several may do the same."""

    def canonical(self, game: Game, state: Any, player: int, action: Action) -> Action:
        """The listed action that does the same."""


class ShownDie(Protocol):
    """die on the board: the page shows the number that was rolled."""

    def die(self, state: Any) -> int | None:
        """The number that was rolled for the player to act."""


def canonical(game: Game, state: Any, player: int, action: Action) -> Action:
    """The listed action that does the same as a legal action."""
    commands = offered(game, PieceCommands)
    return commands.canonical(game, state, player, action) if commands else action
