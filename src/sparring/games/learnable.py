"""Capabilities of games that can be learned: features of positions, encoders of states for tables, and observations."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sparring.core.kernel import kernel

if TYPE_CHECKING:
    from sparring.games.contract import Game


@kernel
def first_table(s: Any) -> int:
    """One table for all positions."""
    return 0


@kernel
def as_it_is(s: Any, dice: Any) -> None:
    """Leave the first position as it is."""


@dataclass(frozen=True, eq=False)
class Features:
    """set of features: a position as a list of numbers, from which its value is learned.

    A position has few of all features. `observe(s, player, features, amounts)` writes the numbers of these features and
    their amounts, as a player sees the position, and returns their count. `reward` is the game's kernel. The kernel
    `decided(s, player)` returns true if nothing can change the player's reward any more."""

    name: str
    """A unique name. Compiled code is named after it."""
    groups: Mapping[str, int]
    """Names for explanations and weights, each with its number of features, in the order of the features' numbers."""
    most: int  # the most features of a position
    observe: Callable[..., int]
    reward: Callable[..., float]
    decided: Callable[..., bool]
    table_of: Callable[..., int] = first_table
    """The table for a position `s`, where a value has several tables."""
    vary_start: Callable[..., None] = as_it_is
    """`vary_start(s, dice)` varies the first positions of self-play."""
    hash: str = ""
    """Identifies the code of a user's features: a value that was learned from other code is refused."""

    @property
    def count(self) -> int:
        return sum(self.groups.values())


class Observations(Protocol):
    """form of observations: a position as an array, for learners of other libraries."""

    def shape(self, game: "Game") -> tuple[int, ...]:
        """The shape of an observation."""

    def actions(self, game: "Game") -> int:
        """The number of different actions. An action is its own number where the kernels give bits, else its place in
        the list of legal actions."""

    observe: Callable[[Any, int, Any], None]
    """The kernel `observe(s, player, found)` writes a position as a player sees it to a flat array of zeros: numbers
    from 0 to 1."""


class StateEncoder(Protocol):
    """An abstraction of positions: the states of a table."""

    @property
    def code(self) -> int:
        """The number of the encoder for the kernel `encode`."""

    @property
    def states(self) -> int:
        """The number of rows of a table."""

    @property
    def size(self) -> int:
        """The number of different states, of which several may share a row."""

    def notes(self, state: Any) -> dict[str, Any]:
        """The state of a position, for explanations."""

    def row(self, state: Any) -> int: ...


@dataclass(frozen=True, eq=False)
class StateEncoders:
    """encoder of states for tables: a position becomes a row of a table, and each action a column.

    `encode(states, code, actions, count, columns, memory)` returns the row of the first state, and writes the column of
    each action. The second state is a workspace. `memory` is some integers of the player for the use of rewards. They
    are 0 when a game begins."""

    encoder: Callable[[str], StateEncoder]
    """Return the encoder of a name; raise SparringError if there is none."""
    usual: str
    columns: int
    encode: Callable[..., int]
    fitting: tuple[str, ...] = ()
    """Options of the game that must be the same as when the table was learned."""
    rewards: Mapping[str, Any] = field(default_factory=dict)
    """Rewards by name, the default first. Each is a record for `payment`. Without rewards, the result is paid."""
    payment: Mapping[str, Any] = field(default_factory=dict)
    """Kernels that add to `pending.reward`: `pay_own(s, after, player, action, rewards, pending)` after a player's own
    action, `pay_others(s, player, rewards, pending)` when the player is to act again, and `pay_end`, with the same
    arguments, when the game is over. The player's memory is `pending.memory`."""
