"""The kernels of a game: the few that it writes, and all that follows from them.

A game writes plain functions on its state, one NumPy record, in one module:

    actors(s) -> int                   one bit for each player who acts now; CHANCE; 0 when the game is over
    actions(s, player, found) -> int   writes a player's actions, and says how many there are, at most WIDEST
    legal(s, player) -> int            or instead, for actions below 63, as a set of bits: quicker
    apply(s, joint)                    all who act do so; the action of a player is joint.of[player]; never draws
    reward(s, player) -> float         the worth of a finished game to a player, from -1 to 1
    draw(s, dice) -> int               chance has its say; returns a number that tells outcomes apart
    outcomes(s) -> int                 or instead, where they can be listed: how many outcomes there are,
    probability(s, k) -> float         how likely one of them is,
    happen(s, k)                       and what it does
    ending(s) -> int                   optional: which of the game's endings it was
    stake(s, player) -> float          optional: how much of the reward is still open to a player
    tidy(s)                            optional: leave nothing behind by which equal states would differ in their bytes

`vocabulary` collects them, and `Kernels` derives the rest: entry points for Python, and steps for compiled code.
"""

import operator
from collections.abc import Mapping
from functools import cache, cached_property
from types import ModuleType
from typing import Any

import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, overload_attribute, register_model

from sparring.core.bits import lowest
from sparring.core.dice import FIRST_ROLL, Dice, roll, sow
from sparring.core.kernel import (
    address,
    bind,
    compiled_mode,
    copy_record,
    kernel,
    rebound,
    record,
    record_at,
    record_type,
)

CHANCE = 1 << 62
"""Nobody acts: chance has its say."""
MOST_PLAYERS = 8
MOST_BITS = 63
CERTAIN = 1 << 30
Joint = np.dtype([("of", np.int64, (MOST_PLAYERS,))], align=True)
"""The actions of all players who act. A game whose rules need room to work may add fields."""

REQUIRED = ("actors", "apply", "reward")
OPTIONAL = (
    "actions",
    "legal",
    "draw",
    "outcomes",
    "probability",
    "happen",
    "ending",
    "stake",
    "tidy",
    "WIDEST",
    "Joint",
)

actors: Any
actions: Any
legal: Any
apply: Any
reward: Any
draw: Any
outcomes: Any
probability: Any
happen: Any
ending: Any
settle: Any
tidy: Any
state_at: Any
joint_at: Any
dice_at: Any
JOINT: Any


def vocabulary(rules: ModuleType, **others: Any) -> dict[str, Any]:
    """The kernels that a module of rules has; others may be given by name."""
    return {name: vars(rules)[name] for name in (*REQUIRED, *OPTIONAL) if name in vars(rules)} | others


# What follows from a game's kernels: templates, as searches are


def spill(bits: int, found: Any) -> int:
    """Write a set of bits as a list."""
    count = 0
    while bits:
        found[count] = lowest(bits)
        bits &= bits - 1
        count += 1
    return count


listed = kernel(spill)


def actions_of_bits(s: Any, player: int, found: Any) -> int:
    return listed(legal(s, player), found)


def draw_listed(s: Any, dice: Any) -> int:
    """Let one of the listed outcomes happen, each by its probability."""
    left, k, last = roll(dice, CERTAIN) / CERTAIN, 0, outcomes(s) - 1
    while k < last:
        left -= probability(s, k)
        if left < 0:
            break
        k += 1
    happen(s, k)
    return k


def settled(s: Any, dice: Any) -> int:
    """Let chance have its say until somebody acts or the game is over; who acts."""
    acting = actors(s)
    while acting == CHANCE:
        draw(s, dice)
        acting = actors(s)
    return acting  # type: ignore[no-any-return]


def at_once(s: Any, dice: Any) -> int:
    """The same in a game without chance."""
    return actors(s)  # type: ignore[no-any-return]


def only_one(s: Any) -> int:
    return 0


def all_open(s: Any, player: int) -> float:
    return 1.0 if actors(s) else 0.0


def as_it_is(s: Any) -> None:
    return


def child(after: Any, s: Any, action: int) -> None:
    """Make one state what another becomes by the action of the one player who acts."""
    copy_record(after, s)
    apply(after, alone(action))


# Entry points for Python, by addresses


def actors_at(at: int) -> int:
    return actors(state_at(at))  # type: ignore[no-any-return]


def actions_at(at: int, player: int, found: Any) -> int:
    """Only a player who acts has actions."""
    acting = actors(state_at(at))
    return actions(state_at(at), player, found) if acting != CHANCE and acting >> player & 1 else 0


def apply_at(at: int, of: Any) -> None:
    joint = np.zeros(1, JOINT)
    for player in range(len(of)):
        joint[0].of[player] = of[player]
    apply(state_at(at), joint[0])
    tidy(state_at(at))


def settle_at(at: int, dice: int) -> int:
    return settle(state_at(at), dice_at(dice))  # type: ignore[no-any-return]


def rewards_at(at: int, found: Any) -> int:
    """The rewards of a finished game, and its ending; -1 while it goes on."""
    if actors(state_at(at)):
        return -1
    for player in range(len(found)):
        found[player] = reward(state_at(at), player)
    return ending(state_at(at))  # type: ignore[no-any-return]


def open_games(states: Any, seeds: Any, dice: Any) -> None:
    """The chance before anybody acts, in many games. It has a stream of its own in the dice of a seed."""
    for place in range(len(states)):
        sow(dice, seeds[place], FIRST_ROLL)
        settle(states[place], dice)


class Kernels(Mapping[str, Any]):
    """The kernels of a game with all that follows from them, for states of one kind."""

    def __init__(self, name: str, written: Mapping[str, Any], state: np.dtype[Any], players: int) -> None:
        self.name, self.state, self.players = name, state, players
        self._written = written
        self.bits = "legal" in written
        self.chance = "draw" in written or "outcomes" in written
        self.widest = int(written.get("WIDEST", MOST_BITS))
        self.joint: np.dtype[Any] = written.get("Joint", Joint)
        known = {**written, "WIDEST": self.widest}
        derived = {
            "actions": actions_of_bits,
            "draw": draw_listed if "outcomes" in known else at_once,
            "ending": only_one,
            "stake": all_open,
            "tidy": as_it_is,
            "settle": settled if self.chance else at_once,
            "child": child,
        }
        for called, template in derived.items():
            if called not in known:
                known[called] = kernel(rebound(template, known, f"{called}_{name}"))
        self._known = known

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def with_others(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """The same with other kernels in place of some, and all that follows from them."""
        return dict(Kernels(self.name, {**self._written, **names}, self.state, self.players))

    def __getitem__(self, called: str) -> Any:
        return self._known[called]

    def __iter__(self) -> Any:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def entry(self, template: Any, *kinds: Any) -> Any:
        """A template compiled for Python to call; the first of `kinds` is what it returns."""
        result, *takes = kinds
        names = {
            **self._known,
            "state_at": record_at(self.state),
            "dice_at": record_at(Dice),
            "JOINT": record_type(self.joint),
        }
        called = f"{template.__name__}_{self.name}_{self.state.itemsize}"
        return bind(template, names, called, result(*takes))

    # From Python: a state is a record, whose address is all that compiled code is given

    @cached_property
    def _actors(self) -> Any:
        return self.entry(actors_at, types.int64, types.int64)

    @cached_property
    def _actions(self) -> Any:
        return self.entry(actions_at, types.int64, types.int64, types.int64, types.int64[::1])

    @cached_property
    def _apply(self) -> Any:
        return self.entry(apply_at, types.void, types.int64, types.int64[::1])

    @cached_property
    def _settle(self) -> Any:
        return self.entry(settle_at, types.int64, types.int64, types.int64)

    @cached_property
    def _rewards(self) -> Any:
        return self.entry(rewards_at, types.int64, types.int64, types.float64[::1])

    @cached_property
    def _open_games(self) -> Any:
        states = types.Array(record_type(self.state), 1, "C")
        return self.entry(open_games, types.void, states, types.int64[::1], record_type(Dice))

    def acting(self, state: Any) -> int:
        """Who acts, as bits."""
        return int(self._actors(address(state)) if compiled_mode() else self["actors"](state))

    def listed(self, state: Any, player: int) -> list[int]:
        """A player's actions, none if it does not act."""
        found = np.empty(self.widest, np.int64)
        if compiled_mode():
            count = self._actions(address(state), player, found)
        else:
            acts = self.acting(state) & ~CHANCE
            count = self["actions"](state, player, found) if acts >> player & 1 else 0
        return found[:count].tolist()  # type: ignore[no-any-return]

    def play(self, state: Any, of: Any) -> None:
        """All who act do so; `of` has an action for each player."""
        if compiled_mode():
            self._apply(address(state), of)
        else:
            joint = record(self.joint)
            joint.of[: len(of)] = of
            self["apply"](state, joint)
            self["tidy"](state)

    def happen(self, state: Any, dice: Any) -> None:
        """Chance has its say until somebody acts."""
        if self.chance:
            if compiled_mode():
                self._settle(address(state), address(dice))
            else:
                self["settle"](state, dice)

    def rewards(self, state: Any) -> tuple[list[float], int] | None:
        """What a finished game is worth to each player, and which ending it was; None while it goes on."""
        found = np.zeros(self.players)
        if compiled_mode():
            ended = int(self._rewards(address(state), found))
            return (found.tolist(), ended) if ended >= 0 else None
        if self["actors"](state):
            return None
        return [float(self["reward"](state, player)) for player in range(self.players)], int(self["ending"](state))

    def open(self, states: Any, seeds: Any) -> None:
        """The chance before anybody acts, in many games."""
        if self.chance:
            self._open_games(states, np.asarray(seeds, np.int64), record(Dice))


# The action of one player as a joint action: whoever is asked for, it is this one


class Alone:
    """In plain Python."""

    def __init__(self, action: int) -> None:
        self.action = action

    @property
    def of(self) -> "Alone":
        return self

    def __getitem__(self, player: int) -> int:
        return self.action


class _AloneType(types.Type):  # type: ignore[misc]
    """In compiled code a bare number."""

    def __init__(self) -> None:
        super().__init__("Alone")


@register_model(_AloneType)
class _AloneModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, cgutils.ir.IntType(64))


ALONE = _AloneType()


@intrinsic  # type: ignore[untyped-decorator]
def _as_alone(typing_context: Any, action: Any) -> Any:
    return ALONE(types.int64), lambda context, builder, signature, args: args[0]


@intrinsic  # type: ignore[untyped-decorator]
def _as_action(typing_context: Any, joint: Any) -> Any:
    return types.int64(ALONE), lambda context, builder, signature, args: args[0]


@overload_attribute(_AloneType, "of")
def _of(joint):  # type: ignore[no-untyped-def]
    return lambda joint: joint


@overload(operator.getitem)
def _action_of(joint, player):  # type: ignore[no-untyped-def]
    return (lambda joint, player: _as_action(joint)) if isinstance(joint, _AloneType) else None


def _alone(action: int) -> Any:
    return _as_alone(action)


alone: Any = kernel(_alone) if compiled_mode() else Alone


@cache
def players_of(acting: int) -> tuple[int, ...]:
    """A set of bits as a tuple of players; nobody while chance has its say."""
    return () if acting == CHANCE else tuple(place for place in range(acting.bit_length()) if acting >> place & 1)


_MADE: dict[tuple[Any, ...], Kernels] = {}


def kernels(name: str, written: Mapping[str, Any], state: np.dtype[Any], players: int) -> Kernels:
    """The kernels of a game, the same object for all games that were set up alike."""
    key = name, id(written), state, players
    if key not in _MADE:
        _MADE[key] = Kernels(name, written, state, players)
        _KEPT.append(written)
    return _MADE[key]


_KEPT: list[Mapping[str, Any]] = []
"""What keys know by its identity must not make room for another."""
