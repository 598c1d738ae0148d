"""Flag War: two sides command several pieces at once; the side that carries the enemy flag home wins."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numba import types

from sparring.core.kernel import address, record
from sparring.games.capabilities import ActionFacts, LogReader, PieceCommands
from sparring.games.contract import Action, Game, Kind, NotableEvent, TouchTarget, reading
from sparring.games.flagwar import board, picture, rules
from sparring.games.flagwar.events import KINDS, Event, events_of
from sparring.games.flagwar.state import COMMAND_BITS, NUMBERS, RULE_SETS, STAY, WORDS, FlagWarConfig, Round, State
from sparring.games.kernels import vocabulary

LISTED = 10_000  # if a side has more joint commands than this, only some are listed: see `sample_commands`
SAMPLE = 1024
STRIDES = (np.sqrt([2, 3, 5, 7, 11, 13, 17]) % 1 * 2**32).astype(np.int64)
"""A stride for each piece, in parts of a circle of 2**32. They are irrational, so that no two pieces move in step."""


class FlagWar(Game):
    name = "flagwar"
    api = 1
    title = "Flag War"
    version = 1
    kind = Kind(simultaneous=True, chance=False, players=(2, 2))
    state = State
    Config = FlagWarConfig
    offers = {
        LogReader: "sparring.games.flagwar.timeline",
        ActionFacts: "sparring.games.flagwar.facts",
        PieceCommands: "sparring.games.flagwar.facts",
    }
    endings = ("flag brought home", "both flags brought home", "no pieces left", "rounds over", "nothing changed")
    """The endings in the order of the constants of a state, after GOES_ON."""
    stalls = ("rounds over", "nothing changed")
    fixed_names = True
    words, numbers = {"rules": tuple(RULE_SETS), **WORDS}, NUMBERS
    written = vocabulary(rules)
    lists_all = False

    def new(self, seed: int) -> Any:
        """The start position, the same for every seed."""
        s, config = record(State), self.config
        s.width, s.height = config.sides
        s.pieces, s.turn_limit, s.stall_limit = config.pieces, config.turn_limit, config.stall_limit
        chosen = {option: words.index(getattr(config, option)) for option, words in WORDS.items()}
        s.survivor, s.swap, s.elimination = chosen["survivor"], chosen["swap"], chosen["elimination"]
        s.same_round, s.b_first, s.passing = chosen["rescuer_reset"], chosen["both_score"], chosen["pickup_in_passing"]
        return board.set_up(s)

    def commands(self, state: Any, player: int) -> list[Any]:
        """The commands of each piece of a side: staying first, then one for every cell that it can reach."""
        found = []
        for longest in self.reach(state, player).tolist():
            moves = [board.command(way, far) for way in range(4) for far in range(1, longest[way] + 1)]
            found.append(np.array([STAY, *moves]))
        return found

    def reach(self, state: Any, player: int) -> Any:
        """The largest distance of each piece of a side in each direction."""
        reach = np.empty((self.config.pieces, 4), np.int64)
        self._measure(address(state), player, reach)
        return reach

    @cached_property
    def _measure(self) -> Any:
        return self.kernels.entry(rules.reach_at, types.void, types.int64, types.int64, types.int64[:, ::1])

    def legal(self, state: Any, player: int) -> Sequence[Action]:
        """List the joint commands, one for each set of cells that the pieces can reach, or a sample of them if there
        are too many. `is_legal` accepts every well-formed command."""
        if player not in self.actors(state):
            return []
        joint = JointCommands(self.reach(state, player).tolist())
        return joint if len(joint) <= LISTED else sample_commands(self.commands(state, player))

    def is_legal(self, state: Any, player: int, action: Action) -> bool:
        """Accept any well-formed command. A path that is too long ends at the edge; jailed pieces do nothing."""
        return player in self.actors(state) and board.well_formed(action, int(state.pieces))

    def play_round(self, state: Any, actions: Mapping[int, Action]) -> list[Event]:
        """Apply the commands of both sides and return what happened."""
        log = record(Round)
        rules.play_round(state, actions[0], actions[1], log)
        return events_of(log)

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

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        if player not in self.actors(state):
            return []
        return picture.touch_targets(state, player, [one.tolist() for one in self.commands(state, player)])

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[NotableEvent]:
        """The notable events of a round, which is played again: a state does not hold them."""
        events = self.play_round(self.copy(before), actions)
        return [NotableEvent(KINDS[event.kind], str(event)) for event in events if event.kind in KINDS]

    def to_json(self, state: Any) -> dict[str, Any]:
        return board.to_json(state)

    def from_json(self, data: Mapping[str, Any]) -> Any:
        with reading(self.name, data):
            return board.from_json(data, self.new(0))


class JointCommands(Sequence[Action]):
    """All joint commands of a side, each made on demand, because there are thousands. The first piece varies first."""

    def __init__(self, reach: list[list[int]]) -> None:
        self._reach = reach

    def __len__(self) -> int:
        return math.prod(1 + sum(longest) for longest in self._reach)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        left, joint = range(len(self))[place], STAY
        for piece, longest in enumerate(self._reach):
            left, own = divmod(left, 1 + sum(longest))
            for way, far in enumerate(longest):
                if 0 < own <= far:
                    joint |= board.command(way, own) << COMMAND_BITS * piece
                own -= far
        return joint


def sample_commands(commands: list[Any]) -> list[Action]:
    """Sample too many joint commands: each command of each single piece, and SAMPLE joint commands in which every
    command of every piece occurs about equally often. A piece's commands form a circle, and each piece goes around it
    in strides of its own."""
    commands = [one << COMMAND_BITS * piece for piece, one in enumerate(commands)]
    turns = np.arange(SAMPLE)[:, None] * STRIDES[: len(commands)] % (1 << 32)
    sizes = np.array([len(one) for one in commands])
    joint = sum(one[place] for one, place in zip(commands, (turns * sizes >> 32).T, strict=True))
    return np.unique(np.concatenate([*commands, joint])).tolist()  # type: ignore[no-any-return]
