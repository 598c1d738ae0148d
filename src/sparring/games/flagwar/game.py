"""Flag War: two sides command several pieces at once; who brings the other's flag home has won."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, overload

import numpy as np
from numba import types

from sparring.core.kernel import address, compiled_mode, record
from sparring.games.capabilities import LogReader
from sparring.games.contract import Action, Game, Happening, Kind, Touch, reading
from sparring.games.flagwar import board, conduct, picture, rules
from sparring.games.flagwar.events import KINDS, Event, events_of
from sparring.games.flagwar.state import (
    COMMAND_BITS,
    DISTANCE_BITS,
    LONGEST,
    NUMBERS,
    ONE_PIECE,
    RULE_SETS,
    WORDS,
    A,
    B,
    Config,
    Round,
    State,
)
from sparring.games.kernels import vocabulary

LISTED = 10_000
"""Up to so many joint commands all are listed; beyond, some of them: see `spread`."""
SPREAD = 1024
STRIDES = (np.sqrt([2, 3, 5, 7, 11, 13, 17]) % 1 * 2**32).astype(np.int64)
"""Of each piece, as shares of a circle of 2**32: irrational ones, so that no two pieces go round together."""


class FlagWar(Game):
    name = "flagwar"
    api = 1
    title = "Flag War"
    version = 1
    kind = Kind(simultaneous=True, chance=False, players=(2, 2))
    state = State
    Config = Config
    offers = {LogReader: "sparring.games.flagwar.timeline.timeline"}
    endings = ("flag brought home", "both flags brought home", "no pieces left", "rounds over", "nothing changed")
    """In the order of the endings of a state, after the one that says that it goes on."""
    stalls = ("rounds over", "nothing changed")
    fixed_names = True
    joins = True
    words, numbers = {"rules": tuple(RULE_SETS), **WORDS}, NUMBERS

    written = vocabulary(rules)
    lists_all = False

    def new(self, seed: int) -> Any:
        """The same for every seed."""
        s, chosen = record(State), self.config
        s.width, s.height = chosen.sides
        s.pieces, s.turn_limit, s.stall_limit = chosen.pieces, chosen.turn_limit, chosen.stall_limit
        said = {option: words.index(getattr(chosen, option)) for option, words in WORDS.items()}
        s.survivor, s.swap, s.elimination = said["survivor"], said["swap"], said["elimination"]
        s.same_round, s.b_first, s.passing = said["rescuer_reset"], said["both_score"], said["pickup_in_passing"]
        return board.set_up(s)

    def commands(self, state: Any, player: int) -> list[Any]:
        """What each piece of a side may be told: to stay, first, and one command for every cell that it can reach."""
        return [
            np.array([0, *(board.command(way, far + 1) for way in range(4) for far in range(longest[way]))], np.int64)
            for longest in self._reach(state, player)[1]
        ]

    def _reach(self, state: Any, player: int) -> tuple[int, list[list[int]]]:
        """How many joint commands a side has, and how far each piece can go in each direction."""
        reach, begun = np.empty((self.config.pieces, 4), np.int64), self.copy(state)
        if compiled_mode():
            return self._measure(address(begun), player, reach), reach.tolist()
        rules.measure_reach(begun, player, record(Round), reach)
        return 0 if rules.over(state) else prod((1 + reach.sum(axis=1)).tolist()), reach.tolist()

    @cached_property
    def _measure(self) -> Any:
        return self.kernels.entry(rules.reach_at, types.int64, types.int64, types.int64, types.int64[:, ::1])

    def legal(self, state: Any, player: int) -> Sequence[Action]:
        """Every joint command, one for each set of cells that the pieces can reach; only some where they are too many.
        Any well-formed command is legal: see `is_legal`."""
        count, reach = self._reach(state, player)
        if count > LISTED:
            return spread(self.commands(state, player))
        return JointCommands(count, reach) if count else []

    def is_legal(self, state: Any, player: int, action: Action) -> bool:
        """Whatever can be said: a path that is too long ends at the edge, and the jailed do not hear their commands."""
        return player in self.actors(state) and board.well_formed(action, int(state.pieces))

    def canonical(self, state: Any, player: int, action: Action) -> Action:
        """No command is longer than its path, and who cannot go there stays."""
        joint = 0
        for piece, longest in enumerate(self._reach(state, player)[1]):
            told = action >> COMMAND_BITS * piece & ONE_PIECE
            way = told >> DISTANCE_BITS
            far = min(told & LONGEST, longest[way])
            joint |= (board.command(way, far) if far else 0) << COMMAND_BITS * piece
        return joint

    def play_round(self, state: Any, actions: Mapping[int, Action]) -> list[Event]:
        """Apply the commands of both sides, and tell what happened."""
        log = record(Round)
        rules.play_round(state, actions[A], actions[B], log)
        return events_of(log)

    def observed(
        self, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """See conduct.py. A player who noted no prediction is held to what came."""
        said = notes.get("predicted")
        predicted = self.action_named(before, 1 - player, said) if isinstance(said, str) else None
        own, other = actions[player], actions[1 - player]
        return conduct.observed(before, player, own, other, predicted, self.commands(before, player))

    def action_name(self, state: Any, player: int, action: Action) -> str:
        return board.action_name(int(action))

    def action_named(self, state: Any, player: int, name: str) -> Action | None:
        return board.action_named(name, int(state.pieces)) if self.actors(state) else None

    def text(self, state: Any) -> str:
        return board.text(state)

    def parse(self, text: str) -> Any:
        return board.parse(text, self.new(0))

    def drawing(self, state: Any) -> str:
        return board.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        return picture.svg(state, marks, player)

    def colour(self, state: Any, player: int) -> str:
        return picture.COLOURS[player]

    def touches(self, state: Any, player: int) -> list[Touch]:
        if player not in self.actors(state):
            return []
        return picture.touches(state, player, [one.tolist() for one in self.commands(state, player)])

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[Happening]:
        """The round is played again, for a state does not remember it."""
        events = self.play_round(self.copy(before), actions)
        return [Happening(KINDS[event.kind], str(event)) for event in events if event.kind in KINDS]

    def to_json(self, state: Any) -> dict[str, Any]:
        return board.to_json(state)

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return board.from_json(data, self.new(0))


class JointCommands(Sequence[Action]):
    """All joint commands of a side, made when they are asked for: there are thousands. The first piece varies first."""

    def __init__(self, count: int, reach: list[list[int]]) -> None:
        self._count, self._reach = count, reach

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Action: ...

    @overload
    def __getitem__(self, place: slice) -> list[Action]: ...

    def __getitem__(self, place: int | slice) -> Action | list[Action]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        left, joint = range(self._count)[place], 0
        for piece, reach in enumerate(self._reach):
            left, own = divmod(left, 1 + sum(reach))
            for way, longest in enumerate(reach):  # to stay, then every cell in each of the directions
                if 0 < own <= longest:
                    joint |= board.command(way, own) << COMMAND_BITS * piece
                own -= longest
        return joint


def spread(commands: list[Any]) -> list[Action]:
    """Of too many joint commands, those in which one piece moves alone, and a thousand more in which every command of
    every piece comes up about equally often: its commands are
    a circle, and each piece goes round in strides of its own."""
    commands = [one << COMMAND_BITS * piece for piece, one in enumerate(commands)]
    alone = np.concatenate(commands)
    turns = np.arange(SPREAD)[:, None] * STRIDES[: len(commands)] % (1 << 32)
    sizes = np.array([len(one) for one in commands])
    joint = sum(one[place] for one, place in zip(commands, (turns * sizes >> 32).T, strict=True))
    return np.unique(np.concatenate([alone, joint])).tolist()  # type: ignore[no-any-return]
