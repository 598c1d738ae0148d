"""The contract of games, and positions.

Rules work on records and integers. A game adds what people need: names of actions, text, pictures, JSON. Chance is
separate from actions: `apply` never draws, and `draw` uses dice that only the referee has. A state never holds future
dice.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sparring.core.amounts import parse_whole_number
from sparring.core.dice import FIRST_ROLL, players_dice, referees_dice
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import records
from sparring.core.table import one_line
from sparring.games import forms
from sparring.games.kernels import CHANCE, MOST_PLAYERS, Kernels, kernels, players_of
from sparring.games.options import check_options

Action = int
API = 1
"""The version of this contract, which the class of a game gives as `api`. It changes when games must be adapted."""
LETTERS = "ABCDEFGH"
COLOURS = ("#c0392b", "#1f5f9e", "#2e7d32", "#b7791f", "#6b3fa0", "#0f766e", "#9d174d", "#5b6270")
MOST_SEED = 2**63 - 1
DIGITS = 12
"""Digits of a score. Further digits are rounding errors."""
MOST_NAMED = 64
"""The most legal actions that an error message lists."""


@dataclass(frozen=True)
class Kind:
    """The kind of a game. Searches and the referee depend on it."""

    simultaneous: bool
    chance: bool
    players: tuple[int, int]  # fewest and most

    def __str__(self) -> str:
        moves = "simultaneous" if self.simultaneous else "alternating"
        few, many = self.players
        players = f"{few}" if few == many else f"{few}-{many}"
        return f"{moves}, {'with' if self.chance else 'no'} chance, {players} players"


Box = tuple[float, float, float, float]
"""A rectangle in a picture: left, top, width, height."""


class TouchTarget(NamedTuple):
    """A rectangle in the picture that chooses an action."""

    move: str
    """The name of the action; with `PieceCommands`, the command to one piece."""
    at: Box
    label: str
    """A description for people who do not see the picture."""
    piece: str = ""
    held: Box | None = None
    """The piece to select or drag first, if there are several."""


class NotableEvent(NamedTuple):
    """A notable event: its kind, a word of the game, and a sentence."""

    kind: str
    text: str


@dataclass(frozen=True)
class NoOptions:
    """The configuration of a game without options."""


class Game(ABC):
    """A game in one configuration. The state, one NumPy record, holds everything about a game in progress."""

    name: ClassVar[str]
    api: ClassVar[int]  # the version of the contract
    title: ClassVar[str] = ""
    """The name for people, if it is not the name with a capital letter."""
    version: ClassVar[int]  # must change when the same actions would lead elsewhere
    kind: ClassVar[Kind]
    state: ClassVar[np.dtype[Any]]
    Config: ClassVar[type] = NoOptions
    endings: ClassVar[tuple[str, ...]] = ("finished",)
    """The ways in which a game can end, in a few words each."""
    stalls: ClassVar[tuple[str, ...]] = ()
    """The endings by a limit, in a game that would not end by itself."""
    fixed_names: ClassVar[bool] = False
    """True if an action has the same name in every state. Then games are written without a replay."""
    words: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Options that are words, with the allowed words."""
    numbers: ClassVar[Mapping[str, tuple[int, int]]] = {}
    """Options that are numbers, with their limits."""
    offers: ClassVar[Mapping[type, str]] = {}
    """The capabilities of this game, and the place of each: see capabilities.py."""
    written: ClassVar[Mapping[str, Any]] = {}
    """The kernels of the game, from `vocabulary`: see kernels.py. A game without kernels has its rules in Python: it
    overrides `actors`, `legal`, `apply`, `draw` and `outcome`."""
    secret: ClassVar[tuple[str, ...]] = ()
    """Fields of a state that players do not see."""
    lists_all: ClassVar[bool] = True
    """True if the kernels list every legal action. Else `legal` and `is_legal` know more."""

    def __init__(self, **options: Any) -> None:
        known = {field.name: field for field in fields(self.Config)}
        for option in options:
            if option not in known:
                raise unknown(f"option of {self.name}", option, known)
        self.config = self.Config(**options)
        check_options(self.config, self.words, self.numbers)

    def __reduce__(self) -> Any:
        return partial(type(self), **self.options()), ()

    @property
    def seats(self) -> int:
        """The number of players in this configuration."""
        return self.kind.players[1]

    @cached_property
    def kernels(self) -> Kernels:
        """The kernels of this configuration: those that the game writes, and those that are derived."""
        return kernels(self.name, self.written, self.state, self.seats)

    @abstractmethod
    def new(self, seed: int) -> Any:
        """A first state, before chance. Openings depend on the seed alone."""

    def openings(self, seeds: Sequence[int]) -> Any:
        """The first states for many seeds, before chance."""
        states = records(self.state, len(seeds))
        for place, seed in enumerate(seeds):
            states[place] = self.new(int(seed))  # the text of a NumPy number would give other dice
        return states

    def starts(self, seeds: Sequence[int]) -> Any:
        """The first states for many seeds, after chance: in each a player acts."""
        states = self.openings(seeds)
        if self.written:
            self.kernels.open(states, seeds)
        else:
            for state, seed in zip(states, seeds, strict=True):
                self.draw(state, players_dice(int(seed), FIRST_ROLL))
        return states

    def actors(self, state: Any) -> tuple[int, ...]:
        """The players who must act now: one, or several at once; none when the game is over."""
        return players_of(self.kernels.acting(state))

    def legal(self, state: Any, player: int) -> Sequence[Action]:
        """The legal actions of a player; none if it does not act. Where they are too many to list, only some of them;
        `is_legal` and `action_named` know the rest."""
        return self.kernels.listed(state, player)

    def is_legal(self, state: Any, player: int, action: Action) -> bool:
        return action in self.legal(state, player)

    def apply(self, state: Any, actions: Mapping[int, Action]) -> None:
        """Change the state by the legal actions of all players who act. Nothing is drawn."""
        of = np.zeros(MOST_PLAYERS, np.int64)
        for player, action in actions.items():
            of[player] = action
        self.kernels.play(state, of)

    def draw(self, state: Any, dice: Any) -> None:
        """Let chance act until a player acts or the game is over."""
        if self.written:
            self.kernels.happen(state, dice)

    def play(self, state: Any, actions: Mapping[int, Action], dice: Any) -> None:
        """A whole turn: actions, then chance."""
        self.apply(state, actions)
        self.draw(state, dice)

    def outcome(self, state: Any) -> tuple[float, ...] | None:
        """A score between 0 and 1 for each player, or None while the game goes on."""
        found = self.kernels.rewards(state)
        return tuple(round((1 + one) / 2, DIGITS) for one in found[0]) if found else None

    def ending(self, state: Any) -> str:
        """The ending of a finished game, one of `endings`."""
        found = self.kernels.rewards(state) if self.written else None
        return self.endings[found[1] if found else 0]

    def action_name(self, state: Any, player: int, action: Action) -> str:
        """The name of an action for people, unique in each state."""
        return str(action)

    def action_named(self, state: Any, player: int, name: str) -> Action | None:
        """The legal action with this name, or None: the inverse of `action_name`."""
        names = {self.action_name(state, player, action): action for action in self.legal(state, player)}
        return names.get(name)

    def player_name(self, player: int) -> str:
        """The name of a player on boards."""
        return LETTERS[player]

    def text(self, state: Any) -> str:
        """The state in one line that people can read and write: the inverse of `parse`."""
        return forms.text(state)

    def parse(self, text: str) -> Any:
        """The state of a text. Raises SparringError for a wrong text."""
        return self._checked(forms.parse(text, self.state, self.start().text))

    def played(self, state: Any, names: Iterable[str]) -> Any:
        """The state after some named actions of players who act in turn."""
        for name in names:
            acting = self.actors(state)
            action = self.action_named(state, acting[0], name) if acting else None
            if action is None:
                raise SparringError(f"{name} is not a legal move in {self.text(state)}")
            self.apply(state, {acting[0]: action})
        return state

    def fault(self, state: Any) -> str:
        """The reason why a state that was written by hand is impossible; an empty text if it is possible."""
        return ""

    def _checked(self, state: Any) -> Any:
        fault = self.fault(state) or (
            "chance acts there, not a player" if self.written and self.kernels.acting(state) == CHANCE else ""
        )
        if fault:
            raise SparringError(f"no position of {self.name}: {fault}; a position is such as {self.start().text!r}")
        return state

    def drawing(self, state: Any) -> str:
        """The board for a terminal."""
        return forms.drawing(state)

    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        """The board as a picture. `marks` are actions to show, with sizes from 0 to 1. Where several players act, the
        marks are those of `player`, by default the first."""
        return forms.svg(self, state, marks, player)

    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        """The places in the picture that choose a player's actions: all legal actions, or all commands to pieces."""
        places = forms.buttons(self, state, player).items()
        return [TouchTarget(name := self.action_name(state, player, action), place, name) for action, place in places]

    def colour(self, state: Any, player: int) -> str:
        """The colour of a player in the picture."""
        return COLOURS[player]

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[NotableEvent]:
        """The notable events between two states, without the end of the game."""
        return []

    def to_json(self, state: Any) -> dict[str, Any]:
        """The state as plain data, by default its fields."""
        return {field: state[field].tolist() for field in self.state.names or ()}

    def from_json(self, data: Mapping[str, Any]) -> Any:
        """The inverse of `to_json`."""
        state = records(self.state, 1)[0]
        with reading(self.name, data):
            for field in self.state.names or ():
                state[field] = data[field]
        return self._checked(state)

    def seen(self, state: Any) -> Any:
        """A copy of a state without its secret fields."""
        copy = self.copy(state)
        for field in self.secret:
            copy[field] = 0
        return copy

    def copy(self, state: Any) -> Any:
        return np.frombuffer(bytearray(state.tobytes()), self._record)[0]

    @cached_property
    def _record(self) -> np.dtype[Any]:
        return np.dtype((np.record, self.state))

    def to_bytes(self, state: Any) -> bytes:
        return bytes(state.tobytes())

    def from_bytes(self, data: bytes) -> Any:
        if len(data) != self.state.itemsize:
            raise SparringError(f"a state of {self.name} has {self.state.itemsize} bytes, not {len(data)}")
        return self.copy(np.frombuffer(data, self.state)[0])

    def options(self) -> dict[str, str]:
        """All options as texts, as in commands, files and stored games."""
        return {option: str(value) for option, value in asdict(self.config).items()}

    def __repr__(self) -> str:
        return f"<{' '.join([self.name, *self.option_words()])}>"

    def option_words(self) -> list[str]:
        """The options of a command that set up this game: `--board`, `6x6`."""
        return [word for option, value in self.chosen().items() for word in (f"--{option}", value)]

    def chosen(self) -> dict[str, str]:
        """The options that are needed to set up this game. Others follow from them."""
        full = self.options()
        said = dict(full)
        for name in full:
            rest = {other: value for other, value in said.items() if other != name}
            with suppress(SparringError):
                if type(self)(**rest).options() == full:
                    said = rest
        return said

    def start(self, seed: int = 0, text: str | None = None) -> "Position":
        """The first position of a game: that of a seed, or that of a text."""
        seed = parse_whole_number("seed", seed, 0, MOST_SEED)
        first = self.starts([seed])[0] if text is None else self.parse(text)
        return Position(self, first, referees_dice(seed))

    def position(self, text: str) -> "Position":
        if not isinstance(text, str):
            raise SparringError(f"a position is written as a text, such as {self.start().text!r}, not {text!r}")
        return Position(self, self.parse(text), referees_dice(0))


@contextmanager
def reading(game: str, data: Any) -> Iterator[None]:
    """Raise SparringError with one line for JSON that is no position of a game."""
    if not isinstance(data, Mapping):
        raise SparringError(f"a position of {game} as JSON is an object, such as `to_json` gives, not {data!r:.60}")
    try:
        yield
    except SparringError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration, OverflowError) as error:
        why = one_line(f"{type(error).__name__}: {error}")
        raise SparringError(f"this is no position of {game} as JSON, such as `to_json` gives: {why}") from error


class Position:
    """A state with its game, for people, notebooks and agents. Playing gives a new position."""

    def __init__(self, game: Game, state: Any, referee: Any) -> None:
        self.game = game
        self.state = state
        self._referee = referee

    @cached_property
    def actors(self) -> tuple[int, ...]:
        return self.game.actors(self.state)

    @property
    def mover(self) -> int:
        """The player to act, if it is only one."""
        if len(self.actors) != 1:
            raise SparringError(f"{len(self.actors)} players are to act here, so say which one is meant")
        return self.actors[0]

    @property
    def over(self) -> bool:
        return not self.actors

    @property
    def outcome(self) -> tuple[float, ...] | None:
        return self.game.outcome(self.state)

    @cached_property
    def legal(self) -> Sequence[Action]:
        return self.game.legal(self.state, self.mover)

    def name(self, action: Action) -> str:
        return self.game.action_name(self.state, self.mover, action)

    def action(self, name: str | Action, player: int | None = None) -> Action:
        """The legal action with this name. A legal action is returned as it is."""
        player = self.mover if player is None else player
        action: Action | None = None
        if isinstance(name, str):
            action = self.game.action_named(self.state, player, name)
        elif isinstance(name, int | np.integer) and not isinstance(name, bool):
            action = int(name) if self.game.is_legal(self.state, player, int(name)) else None
        if action is None:
            told = name if isinstance(name, str) else repr(name)
            raise SparringError(f"{told} is not legal here; {self._known(player)}")
        return action

    def _known(self, player: int) -> str:
        legal = self.game.legal(self.state, player)
        names = [self.game.action_name(self.state, player, action) for action in legal[:MOST_NAMED]]
        more = " ..." if len(legal) > MOST_NAMED else ""
        return f"legal: {' '.join(names) or 'nothing, the game is over'}{more}"

    def after(self, actions: str | Action | Mapping[int, str | Action]) -> "Position":
        """The next position. Where several players act at once, give a mapping from player to action."""
        return self.play(self.chosen(actions))

    def chosen(self, actions: str | Action | Mapping[int, str | Action]) -> dict[int, Action]:
        """The legal actions of all players who act, by player."""
        chosen = actions if isinstance(actions, Mapping) else {self.mover: actions}
        if set(chosen) != set(self.actors):
            raise SparringError(f"players {list(self.actors)} are to act, not {sorted(chosen)}")
        return {player: self.action(action, player) for player, action in chosen.items()}

    def play(self, actions: Mapping[int, Action]) -> "Position":
        """The position after legal actions."""
        state, referee = self.game.copy(self.state), self._referee.copy()
        self.game.play(state, actions, referee)
        return Position(self.game, state, referee)

    @property
    def text(self) -> str:
        return self.game.text(self.state)

    def __str__(self) -> str:
        return self.game.drawing(self.state)

    def __repr__(self) -> str:
        return f"<{self.game.name} {self.text}>"

    def _repr_svg_(self) -> str:
        return self.game.svg(self.state)
