"""Capabilities of games that can be learned: features of positions, and states for tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from sparring.core.kernel import kernel


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
