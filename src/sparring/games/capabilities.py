"""What a game may offer beside the contract. Higher floors ask for a capability, never which game it is.

A game declares a capability by the place of the object that has it: `offers = {Solver: "my_game.solver"}`. The object
is a module or, after a colon, something in it. It is imported when somebody asks for it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol, TypeVar

from sparring.core.errors import SparringError
from sparring.core.kernel import kernel
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


@kernel
def first_table(s: Any) -> int:
    """One table serves all positions."""
    return 0


@kernel
def as_it_is(s: Any, dice: Any) -> None:
    """Games begin as the game says."""


@dataclass(frozen=True, eq=False)
class Features:
    """set of features: a position as a list of numbers, from which its value is learned.

    Few of all features are there at a time. `observe(s, player, features, amounts)` writes which ones and how much of
    each, as a player sees the position, and returns how many it wrote. `reward` is the game's kernel. The kernel
    `decided(s, player)` says whether nothing that follows changes the player's reward."""

    name: str
    """Part of the name of compiled code: no other set has it."""
    groups: Mapping[str, int]
    """Names for explanations and weights, and how many features belong to each, in the order of their numbers."""
    most: int
    """The largest number of features at a time."""
    observe: Callable[..., int]
    reward: Callable[..., float]
    decided: Callable[..., bool]
    table_of: Callable[..., int] = first_table
    """Which table a position `s` is for, where a value has several."""
    vary_start: Callable[..., None] = as_it_is
    """`vary_start(s, dice)` makes the first positions of self-play differ."""

    @property
    def count(self) -> int:
        return sum(self.groups.values())


class StateEncoder(Protocol):
    """One way to see positions as the states of a table."""

    @property
    def code(self) -> int:
        """The encoder as the kernel `encode` takes it."""

    @property
    def states(self) -> int:
        """The rows of a table."""

    @property
    def size(self) -> int:
        """How many different states there are, also those that share a row."""

    def notes(self, state: Any) -> dict[str, Any]:
        """A position as the encoder sees it, for explanations."""

    def row(self, state: Any) -> int: ...


@dataclass(frozen=True, eq=False)
class StateEncoders:
    """encoder of states for tables: a position becomes a row of a table, and each action a column.

    `encode(states, code, actions, count, columns, memory)` returns the row of the first state, and writes the column of
    each of the actions; the second state is scratch paper. It may leave something for rewards in the player's memory,
    some integers that are 0 when a game begins."""

    encoder: Callable[[str], StateEncoder]
    """The encoder that a text names; SparringError if there is none."""
    usual: str
    columns: int
    encode: Callable[..., int]
    fitting: tuple[str, ...] = ()
    """Options of the game that a table fits: those that must be as they were when it was learned."""
    rewards: Mapping[str, Any] = field(default_factory=dict)
    """Rewards by name, the usual one first, each a record that `payment` takes; without any, the result is paid."""
    payment: Mapping[str, Any] = field(default_factory=dict)
    """Kernels that add to `pending.reward`: `pay_own(s, after, player, action, rewards, pending)` after a player's own
    move, `pay_others(s, player, rewards, pending)` when it is to move again, `pay_end` likewise when the game is over.
    A player's memory is `pending.memory`."""
