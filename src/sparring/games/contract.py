"""The contract of games, and a position to hold in the hand.

The rules work on records and integers; this is where they meet players' words: action names, text, SVG, JSON.
Chance is apart from actions: `apply` never draws, and `draw` lets chance have its say with dice that only the referee
owns. A state never holds the dice to come.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from sparring.core.amounts import whole_number
from sparring.core.dice import FIRST_ROLL, players_dice, referees_dice
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import records
from sparring.core.table import in_a_line
from sparring.games.kernels import MOST_PLAYERS, Kernels, kernels, players_of

Action = int
API = 1
"""The number of this contract, which the class of a game states as `api`. It changes when games must be adapted."""
LETTERS = "ABCDEFGH"
MOST_SEED = 2**63 - 1
DIGITS = 12
"""Digits of a score: those beyond are what arithmetic leaves behind."""
MOST_NAMED = 64
"""Legal actions in the message that somebody's action is none of them."""


@dataclass(frozen=True)
class Kind:
    """What sort of game it is, for searches and the referee to know what they may assume."""

    simultaneous: bool
    chance: bool
    players: tuple[int, int]  # fewest and most

    def __str__(self) -> str:
        moves = "simultaneous" if self.simultaneous else "alternating"
        few, many = self.players
        players = f"{few}" if few == many else f"{few}-{many}"
        return f"{moves}, {'with' if self.chance else 'no'} chance, {players} players"


Box = tuple[float, float, float, float]
"""A part of a picture: its left and upper edge, its width and height."""


class Touch(NamedTuple):
    """What is touched in a picture to choose an action."""

    move: str
    """The name of the action; of a game that `joins`, what one piece is told."""
    at: Box
    label: str
    """The same in words, for those who do not see the picture."""
    piece: str = ""
    held: Box | None = None
    """What is picked up, to be dragged there; where there are several pieces to choose from, this comes first."""


class Happening(NamedTuple):
    """Something worth a look: in a word of the game, and told."""

    kind: str
    text: str


class Game(ABC):
    """A game in one configuration. Everything about a game in progress is in its state, one NumPy record."""

    name: ClassVar[str]
    api: ClassVar[int]  # the contract that it is written for
    title: ClassVar[str] = ""
    """What people call it, if that is not the name with a capital letter."""
    version: ClassVar[int]  # changes whenever the same moves would lead elsewhere
    kind: ClassVar[Kind]
    state: ClassVar[np.dtype[Any]]
    Config: ClassVar[type]
    endings: ClassVar[tuple[str, ...]] = ("finished",)
    """All the ways in which a game can come to its end, in a few words each."""
    stalls: ClassVar[tuple[str, ...]] = ()
    """Those of them to which only a limit brings a game that would not end by itself."""
    fixed_names: ClassVar[bool] = False
    """Whether an action is called the same in every state, so that games can be written down without a replay."""
    joins: ClassVar[bool] = False
    """Whether an action is made of what single pieces are told, their names joined by _; `stay` if none is told."""
    words: ClassVar[Mapping[str, Sequence[str]]] = {}
    """Options that are one of some words."""
    numbers: ClassVar[Mapping[str, tuple[int, int]]] = {}
    """Options that are numbers, and how small and large they may be."""
    offers: ClassVar[Mapping[type, str]] = {}
    """Capabilities of this game, and where each is found: see capabilities.py."""
    written: ClassVar[Mapping[str, Any]] = {}
    """The rules as compiled code: the kernels that the game writes, such as `vocabulary` collects: see kernels.py. A
    game without any has its rules in Python: it overrides `actors`, `legal`, `apply`, `draw` and `outcome`."""
    secret: ClassVar[tuple[str, ...]] = ()
    """Fields of a state that no player may see."""
    lists_all: ClassVar[bool] = True
    """Whether the kernels list every legal action; else `legal` and `is_legal` know more."""

    def __init__(self, **options: Any) -> None:
        known = {field.name: field for field in fields(self.Config)}
        for option in options:
            if option not in known:
                raise unknown(f"option of {self.name}", option, known)
        self.config = self.Config(**options)

    def __reduce__(self) -> Any:
        return partial(type(self), **self.options()), ()

    @property
    def seats(self) -> int:
        """How many players take part in this configuration."""
        return self.kind.players[1]

    @cached_property
    def kernels(self) -> Kernels:
        """The kernels of this configuration, with all that follows from those that the game writes."""
        return kernels(self.name, self.written, self.state, self.seats)

    @abstractmethod
    def new(self, seed: int) -> Any:
        """A fresh state, before chance has a say. Openings depend on the seed alone."""

    def openings(self, seeds: Sequence[int]) -> Any:
        """`new` for many seeds, as an array of states."""
        states = records(self.state, len(seeds))
        for place, seed in enumerate(seeds):
            states[place] = self.new(int(seed))  # dice know a number by its text, NumPy's has another
        return states

    def starts(self, seeds: Sequence[int]) -> Any:
        """The states from which the games of many seeds are played: somebody acts in each."""
        states = self.openings(seeds)
        if self.written:
            self.kernels.open(states, seeds)
        else:
            for state, seed in zip(states, seeds, strict=True):
                self.draw(state, players_dice(int(seed), FIRST_ROLL))
        return states

    def actors(self, state: Any) -> tuple[int, ...]:
        """The players who must act now: one, or several at once; nobody when the game is over."""
        return players_of(self.kernels.acting(state))

    def legal(self, state: Any, player: int) -> Sequence[Action]:
        """A player's legal actions; none for a player who is not to act. Only some of them where they are too many to
        list: then `is_legal` and `action_named` know the rest."""
        return self.kernels.listed(state, player)

    def is_legal(self, state: Any, player: int, action: Action) -> bool:
        return action in self.legal(state, player)

    def canonical(self, state: Any, player: int, action: Action) -> Action:
        """Of all legal actions that do the same, the one that `legal` would list."""
        return action

    def apply(self, state: Any, actions: Mapping[int, Action]) -> None:
        """Change the state by the actions of all who must act, already known to be legal. Nothing is drawn."""
        of = np.zeros(MOST_PLAYERS, np.int64)
        for player, action in actions.items():
            of[player] = action
        self.kernels.play(state, of)

    def draw(self, state: Any, dice: Any) -> None:
        """Let chance have its say, if it has any, until somebody acts or the game is over."""
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

    def observed(
        self, before: Any, actions: Mapping[int, Action], player: int, notes: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """What can be seen of a player's action, whoever chose it, once all have acted: yes or no, a number or a word,
        for reports to count. `notes` are what the player noted itself."""
        return {}

    def ending(self, state: Any) -> str:
        """Why a finished game ended: one of `endings`."""
        found = self.kernels.rewards(state) if self.written else None
        return self.endings[found[1] if found else 0]

    @abstractmethod
    def action_name(self, state: Any, player: int, action: Action) -> str: ...

    def action_named(self, state: Any, player: int, name: str) -> Action | None:
        """The legal action of this name, if there is one: the inverse of `action_name`."""
        names = {self.action_name(state, player, action): action for action in self.legal(state, player)}
        return names.get(name)

    def player_name(self, player: int) -> str:
        """What boards call a player."""
        return LETTERS[player]

    @abstractmethod
    def text(self, state: Any) -> str:
        """The whole state in one line, readable and writable by hand: `parse` is its inverse."""

    @abstractmethod
    def parse(self, text: str) -> Any:
        """The state a text or a list of moves stands for; SparringError names what is wrong with it."""

    @abstractmethod
    def drawing(self, state: Any) -> str:
        """The board for a terminal."""

    @abstractmethod
    def svg(self, state: Any, marks: Mapping[Action, float] | None = None, player: int | None = None) -> str:
        """The board as a picture; marks are moves to show on it, sized from 0 to 1. Where several act at once, they are
        those of a player, by default the first."""

    @abstractmethod
    def touches(self, state: Any, player: int) -> list[Touch]:
        """Where in the picture a player's actions are chosen: all that are legal, or all that pieces may be told."""

    def colour(self, state: Any, player: int) -> str:
        """What the picture shows a player in."""
        return "#5b6270"

    def happened(self, before: Any, actions: Mapping[int, Action], after: Any) -> list[Happening]:
        """What was worth a look between two states, but for the end of the game."""
        return []

    def die(self, state: Any) -> int | None:
        """What was rolled for the player to act, in games where that is a die."""
        return None

    def to_json(self, state: Any) -> dict[str, Any]:
        """A state as plain data; by default its fields."""
        return {field: state[field].tolist() for field in self.state.names or ()}

    def from_json(self, data: Mapping[str, Any]) -> Any:
        """The inverse of `to_json`."""
        state = records(self.state, 1)[0]
        with reading(self.name, data):
            for field in self.state.names or ():
                state[field] = data[field]
        return state

    def seen(self, state: Any) -> Any:
        """A copy of a state as players may see it."""
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
        """As texts, which is how options come from commands, files and stored games."""
        return {option: str(value) for option, value in asdict(self.config).items()}

    def option_words(self) -> list[str]:
        """How a command says which game is meant, beside its name: `--board`, `6x6`."""
        return [word for option, value in self.chosen().items() for word in (f"--{option}", value)]

    def chosen(self) -> dict[str, str]:
        """The options that have to be said to set up the same game: not those that follow from the others."""
        full = self.options()
        said = dict(full)
        for name in full:
            rest = {other: value for other, value in said.items() if other != name}
            with suppress(SparringError):
                if type(self)(**rest).options() == full:
                    said = rest
        return said

    def start(self, seed: int = 0, text: str | None = None) -> "Position":
        """The first position of a game: the one that its seed says, or that of a text."""
        seed = whole_number("seed", seed, 0, MOST_SEED)
        first = self.starts([seed])[0] if text is None else self.parse(text)
        return Position(self, first, referees_dice(seed))

    def position(self, text: str) -> "Position":
        if not isinstance(text, str):
            raise SparringError(f"a position is written as a text, such as {self.start().text!r}, not {text!r}")
        return Position(self, self.parse(text), referees_dice(0))


@contextmanager
def reading(game: str, data: Any) -> Iterator[None]:
    """Refuse JSON that is no position of a game in one line."""
    if not isinstance(data, Mapping):
        raise SparringError(f"a position of {game} as JSON is an object, such as `to_json` gives, not {data!r:.60}")
    try:
        yield
    except SparringError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, StopIteration, OverflowError) as error:
        why = in_a_line(f"{type(error).__name__}: {error}")
        raise SparringError(f"this is no position of {game} as JSON, such as `to_json` gives: {why}") from error


class Position:
    """A state with its game: what people, notebooks and agents handle. Playing on gives a new position."""

    def __init__(self, game: Game, state: Any, referee: Any) -> None:
        self.game = game
        self.state = state
        self._referee = referee

    @cached_property
    def actors(self) -> tuple[int, ...]:
        return self.game.actors(self.state)

    @property
    def mover(self) -> int:
        """The one player to act, in games where that is one."""
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
        """The legal action of this name; an action passes as it is if it is legal."""
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
        """The position that follows. Where several act at once, give a mapping from player to action."""
        return self.play(self.chosen(actions))

    def chosen(self, actions: str | Action | Mapping[int, str | Action]) -> dict[int, Action]:
        """The legal actions of these names, by player, for all players that act."""
        chosen = actions if isinstance(actions, Mapping) else {self.mover: actions}
        if set(chosen) != set(self.actors):
            raise SparringError(f"players {list(self.actors)} are to act, not {sorted(chosen)}")
        return {player: self.action(action, player) for player, action in chosen.items()}

    def play(self, actions: Mapping[int, Action]) -> "Position":
        """The position after actions that are known to be legal."""
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
