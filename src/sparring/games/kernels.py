"""The kernels of a game: those that it writes, and those that are derived from them.

A game writes plain functions on its state, one NumPy record, in one module:

    actors(s) -> int                   one bit for each player who acts now; CHANCE; 0 when the game is over
    actions(s, player, found) -> int   write the actions of a player to a list, return their number, at most WIDEST
    legal(s, player) -> int            or instead, for actions below 63, the actions as a set of bits, which is quicker
    apply(s, joint)                    all players who act do so; joint.of[player] is a player's action; never draws
    reward(s, player) -> float         the result of a finished game for a player, from -1 to 1
    draw(s, dice) -> int               chance acts; returns a number that identifies the outcome
    outcomes(s) -> int                 or instead, where outcomes can be listed: their number,
    probability(s, k) -> float         the probability of one of them,
    happen(s, k)                       and its effect
    any_action(s, player, dice) -> int optional: a random action, where `actions` lists only some of them
    ending(s) -> int                   optional: the ending of a finished game, an index of `endings`
    stake(s, player) -> float          optional: the share of the reward that is not yet decided for a player
    tidy(s)                            optional: clear unused fields, so that equal states have equal bytes
    ALTERNATE = True                   optional: there are two players, and each action passes the turn to the other

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
from sparring.core.dice import FIRST_ROLL, Dice, roll, seed_dice
from sparring.core.kernel import (
    address,
    bind,
    compiled_mode,
    copy_record,
    kernel,
    record,
    record_at,
    record_type,
    with_globals,
)

CHANCE = 1 << 62  # no player acts, but chance
MOST_PLAYERS = 8
MOST_BITS = 63
CERTAIN = 1 << 30
Joint = np.dtype([("of", np.int64, (MOST_PLAYERS,))], align=True)
"""The actions of all players who act. A game may add fields as a workspace of its rules."""

OF_PLAYERS = ("actors", "actions", "any_action", "legal", "apply", "reward", "ending", "stake", "tidy")
OF_CHANCE = ("draw", "outcomes", "probability", "happen")
CONSTANTS = ("WIDEST", "ALTERNATE", "Joint")


def vocabulary(rules: ModuleType, **others: Any) -> dict[str, Any]:
    """The kernels in a module of rules, and others that are given by name."""
    return {name: vars(rules)[name] for name in (*OF_PLAYERS, *OF_CHANCE, *CONSTANTS) if name in vars(rules)} | others


# Derived kernels. They are templates like searches


@kernel
def listed(bits: int, found: Any) -> int:
    """Write a set of bits as a list, and return its length."""
    count = 0
    while bits:
        found[count] = lowest(bits)
        bits &= bits - 1
        count += 1
    return count


def actions_of_bits(s: Any, player: int, found: Any) -> int:
    return listed(legal(s, player), found)


def draw_listed(s: Any, dice: Any) -> int:
    """Let a random one of the listed outcomes happen."""
    left, k, last = roll(dice, CERTAIN) / CERTAIN, 0, outcomes(s) - 1
    while k < last:
        left -= probability(s, k)
        if left < 0:
            break
        k += 1
    happen(s, k)
    return k


def settled(s: Any, dice: Any) -> int:
    """Let chance act until a player acts or the game is over. Returns who acts."""
    acting = actors(s)
    while acting == CHANCE:
        draw(s, dice)
        acting = actors(s)
    return acting


def at_once(s: Any, dice: Any) -> int:
    """`settled` in a game without chance."""
    return actors(s)


def only_one(s: Any) -> int:
    return 0


def all_open(s: Any, player: int) -> float:
    return 1.0 if actors(s) else 0.0


def as_it_is(s: Any) -> None:
    return


def child(after: Any, s: Any, action: int) -> None:
    """Set a state to the one after an action of the only player who acts."""
    copy_record(after, s)
    apply(after, alone(action))


# Entry points for Python. States are passed by address


def actors_at(at: int) -> int:
    return actors(state_at(at))


def actions_at(at: int, player: int, found: Any) -> int:
    """Write the actions of a player. Only a player who acts has actions."""
    acting = actors(state_at(at))
    return actions(state_at(at), player, found) if acting != CHANCE and acting >> player & 1 else 0


def apply_at(at: int, of: Any) -> None:
    joint = np.zeros(1, JOINT)
    for player in range(len(of)):
        joint[0].of[player] = of[player]
    apply(state_at(at), joint[0])
    tidy(state_at(at))


def settle_at(at: int, dice: int) -> int:
    return settle(state_at(at), dice_at(dice))


def rewards_at(at: int, found: Any) -> int:
    """Write the rewards of a finished game, and return its ending; -1 while it goes on."""
    if actors(state_at(at)):
        return -1
    for player in range(len(found)):
        found[player] = reward(state_at(at), player)
    return ending(state_at(at))


def open_games(states: Any, seeds: Any, dice: Any) -> None:
    """Let chance act before the players, in many games. It has its own stream of the dice of a seed."""
    for place in range(len(states)):
        seed_dice(dice, seeds[place], FIRST_ROLL)
        settle(states[place], dice)


def _entry(template: Any, *kinds: Any) -> Any:
    """A template as an attribute of `Kernels`, compiled when it is first used."""
    return cached_property(lambda kernels: kernels.entry(template, *kinds))


class Kernels(dict[str, Any]):
    """The kernels that a game writes, and those that are derived, for one type of states."""

    def __init__(self, name: str, written: Mapping[str, Any], state: np.dtype[Any], players: int) -> None:
        self.name, self.state, self.players = name, state, players
        self._written = written
        self.bits = "legal" in written
        self.chance = "draw" in written or "outcomes" in written
        self.widest = int(written.get("WIDEST", MOST_BITS))
        self.joint: np.dtype[Any] = written.get("Joint", Joint)
        known = {**written, "WIDEST": self.widest, "ALTERNATE": int(written.get("ALTERNATE", False))}
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
                known[called] = kernel(with_globals(template, known, f"{called}_{name}"))
        super().__init__(known)

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__

    def with_others(self, names: Mapping[str, Any]) -> dict[str, Any]:
        """All kernels with some replaced, and derived anew."""
        return dict(Kernels(self.name, {**self._written, **names}, self.state, self.players))

    def entry(self, template: Any, *kinds: Any) -> Any:
        """A template compiled for calls from Python. `kinds` are the types of its result and its arguments."""
        result, *takes = kinds
        names = {
            **self,
            "state_at": record_at(self.state),
            "dice_at": record_at(Dice),
            "JOINT": array_type(self.joint),
        }
        called = f"{template.__name__}_{self.name}_{self.state.itemsize}"
        return bind(template, names, called, result(*takes))

    _actors = _entry(actors_at, types.int64, types.int64)
    _actions = _entry(actions_at, types.int64, types.int64, types.int64, types.int64[::1])
    _apply = _entry(apply_at, types.void, types.int64, types.int64[::1])
    _settle = _entry(settle_at, types.int64, types.int64, types.int64)
    _rewards = _entry(rewards_at, types.int64, types.int64, types.float64[::1])

    @cached_property
    def _open_games(self) -> Any:
        states = types.Array(record_type(self.state), 1, "C")
        return self.entry(open_games, types.void, states, types.int64[::1], record_type(Dice))

    def acting(self, state: Any) -> int:
        """The players who act, as bits."""
        return int(self._actors(address(state)))

    def listed(self, state: Any, player: int) -> list[int]:
        """The actions of a player; none if it does not act."""
        found = np.empty(self.widest, np.int64)
        return found[: self._actions(address(state), player, found)].tolist()

    def play(self, state: Any, of: Any) -> None:
        """Apply the actions of all players who act. `of` has a place for each player."""
        self._apply(address(state), of)

    def happen(self, state: Any, dice: Any) -> None:
        """Let chance act until a player acts or the game is over."""
        if self.chance:
            self._settle(address(state), address(dice))

    def rewards(self, state: Any) -> tuple[list[float], int] | None:
        """The rewards of a finished game and its ending; None while it goes on."""
        found = np.zeros(self.players)
        ended = int(self._rewards(address(state), found))
        return (found.tolist(), ended) if ended >= 0 else None

    def open(self, states: Any, seeds: Any) -> None:
        """Let chance act before the players, in many games."""
        if self.chance:
            self._open_games(states, np.asarray(seeds, np.int64), record(Dice))


def array_type(dtype: np.dtype[Any]) -> Any:
    """The type of records in arrays that a template makes."""
    return record_type(dtype) if compiled_mode() else np.dtype((np.record, dtype))


# The action of one player as a joint action: every index gives this action


class SingleAction:
    """The joint action in plain Python."""

    def __init__(self, action: int) -> None:
        self.action = action

    @property
    def of(self) -> "SingleAction":
        return self

    def __getitem__(self, player: int) -> int:
        return self.action


class _SingleActionType(types.Type):  # type: ignore[misc]
    """The joint action in compiled code, a number."""

    def __init__(self) -> None:
        super().__init__("SingleAction")


@register_model(_SingleActionType)
class _SingleActionModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, cgutils.ir.IntType(64))


ALONE = _SingleActionType()


@intrinsic  # type: ignore[untyped-decorator]
def _as_alone(typing_context: Any, action: Any) -> Any:
    return ALONE(types.int64), lambda context, builder, signature, args: args[0]


@intrinsic  # type: ignore[untyped-decorator]
def _as_action(typing_context: Any, joint: Any) -> Any:
    return types.int64(ALONE), lambda context, builder, signature, args: args[0]


@overload_attribute(_SingleActionType, "of")
def _of(joint):  # type: ignore[no-untyped-def]
    return lambda joint: joint


@overload(operator.getitem)
def _action_of(joint, player):  # type: ignore[no-untyped-def]
    return (lambda joint, player: _as_action(joint)) if isinstance(joint, _SingleActionType) else None


def _alone(action: int) -> Any:
    return _as_alone(action)


alone: Any = kernel(_alone) if compiled_mode() else SingleAction


@cache
def players_of(acting: int) -> tuple[int, ...]:
    """A set of bits as a tuple of players, empty while chance acts."""
    return () if acting == CHANCE else tuple(place for place in range(acting.bit_length()) if acting >> place & 1)


_MADE: dict[tuple[Any, ...], Kernels] = {}


def kernels(name: str, written: Mapping[str, Any], state: np.dtype[Any], players: int) -> Kernels:
    """The kernels of a game, one object for equal settings. It keeps `written` alive, so that its id stays unique."""
    key = name, id(written), state, players
    if key not in _MADE:
        _MADE[key] = Kernels(name, written, state, players)
    return _MADE[key]
