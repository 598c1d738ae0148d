"""The tree that depth-first searches go through, one action after another.

In a game whose players act in turn, the nodes of the tree are the game's states. Where players act at once, a game may
offer other nodes, which wrap a state: one player chooses first, and the others answer.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from sparring.core.kernel import copy_record, kernel
from sparring.games.kernels import Kernels

if TYPE_CHECKING:  # nothing compiled comes from there
    from sparring.games.contract import Action, Game


class Lookahead(Protocol):
    """way to look ahead: actions of several players at once are tried one after another."""

    plies: int  # actions of a line that make one turn of the game
    kernels: Kernels
    """The kernels of nodes: `actors`, `legal` or `actions`, `apply`, `reward`, `root` and `position`."""

    def root(self, state: Any, me: int) -> Any:
        """The root of a search by a player."""

    def after(self, node: Any, action: "Action") -> Any:
        """The node after one more action."""

    def position(self, node: Any) -> Any:
        """The state of the game in a node."""

    def name(self, node: Any, action: "Action") -> str:
        """The name of an action of a line."""

    def named(self, node: Any, name: str) -> "Action | None":
        """The action of such a name, if there is one."""

    def ended(self, node: Any) -> bool:
        """True if the game is over for the player who looks ahead."""


@kernel
def same_state(node: Any, s: Any, me: int) -> None:
    copy_record(node, s)


@kernel
def itself(node: Any) -> Any:
    return node


NODES_ARE_STATES = {"root": same_state, "position": itself}


class SequentialLookahead:
    """Lookahead for players who act in turn: a node is a state."""

    plies = 1

    def __init__(self, game: "Game") -> None:
        self.game = game
        self.kernels = game.kernels

    def root(self, state: Any, me: int) -> Any:
        return state

    def after(self, node: Any, action: "Action") -> Any:
        after = self.game.copy(node)
        self.game.apply(after, {self.game.actors(node)[0]: action})
        return after

    def position(self, node: Any) -> Any:
        return node

    def name(self, node: Any, action: "Action") -> str:
        return self.game.action_name(node, self.game.actors(node)[0], action)

    def named(self, node: Any, name: str) -> "Action | None":
        return self.game.action_named(node, self.game.actors(node)[0], name)

    def ended(self, node: Any) -> bool:
        return not self.game.actors(node)


def lookahead(game: "Game") -> Lookahead | None:
    """The way to look ahead in a game; None if there is none."""
    if not game.kind.simultaneous:
        return SequentialLookahead(game)
    from sparring.games.capabilities import offered

    factory: Any = offered(game, Lookahead)
    return factory(game) if factory else None


def names(game: "Game", state: Any, me: int, line: "Sequence[Action]") -> list[str]:
    ahead = lookahead(game)
    if ahead is None:
        return [game.action_name(state, me, action) for action in line[:1]]
    named, node = [], ahead.root(state, me)
    for action in line:
        named.append(ahead.name(node, action))
        node = ahead.after(node, action)
    return named
