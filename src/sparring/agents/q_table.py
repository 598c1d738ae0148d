"""Tables of Q-values and the agent that plays by one. A table has a row for each state and a column for each action."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sparring.agents.agent import MoveScoringAgent
from sparring.agents.learning_file import LearningFile
from sparring.core.dice import roll
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import Weights, kernel, number_at, record, table_address
from sparring.games import registry
from sparring.games.capabilities import needed
from sparring.games.contract import Game
from sparring.games.learnable import StateEncoder, StateEncoders
from sparring.search.choice import silent
from sparring.search.tree import CompiledPolicy, SearchVariant, bound, note

if TYPE_CHECKING:
    from sparring.agents.spec import Spec

PAGE = 4096
"""Rows a page. Compiled code reads float32, which is exact only up to 16 million, so rows are numbered by page."""
MEMORY = 8
"""How many integers a reward function may keep for a player."""

actions: Any
start: Any
store_roots: Any
place_of: Any
encode: Any
COLUMNS: int
WIDEST: int


@dataclass(frozen=True)
class QTable:
    """The visited rows of a table. Of millions of states, learning visits few."""

    encoder: StateEncoder
    rows: Any  # sorted
    values: Any
    visits: Any
    options: Mapping[str, str]
    """The options of the game that it was learned in."""

    @property
    def pages(self) -> int:
        return self.encoder.states // PAGE + 1

    def numbers(self) -> Any:
        """Return one array for `place_of_row` and `value_at`: where each page begins, rows by page, values by row."""
        starts = np.searchsorted(self.rows, PAGE * np.arange(self.pages + 1))
        return np.concatenate([starts, self.rows % PAGE, self.values.ravel()], dtype=np.float32, casting="same_kind")

    @classmethod
    def load(cls, game: Game, file: Path) -> "QTable":
        encoders = needed(game, StateEncoders)
        try:
            about = LearningFile.load(file)
            encoder = encoders.encoder(str(about.settings["state"]))
            rows, values, visits = unpacked(about.numbers)
            if len(rows) and rows[-1] >= encoder.states:
                raise ValueError("there are no such states")
            values = values.reshape(len(rows), encoders.columns)
            return cls(encoder, rows, values, visits, game.options() | about.settings["options"])
        except (ValueError, KeyError, TypeError) as error:
            makes = f"`spar learn {game.name} --out FILE` makes one"
            raise SparringError(f"{file} is no table of {game.name}; {makes}") from error

    @classmethod
    def named(cls, game: Game, name: str) -> "QTable":
        """Return a table that comes with the game, or one from a file."""
        if name.endswith(".npz"):
            if not Path(name).is_file():
                raise SparringError(f"there is no file {name}; `spar learn {game.name} --out {name}` makes one")
            return cls.load(game, Path(name))
        if name not in trained(game):
            raise unknown(f"table of {game.name}", name, [*trained(game), "FILE.npz"])
        return cls.load(game, trained(game)[name])


def packed(rows: Any, values: Any, visits: Any, unit: float = 1.0) -> dict[str, Any]:
    """Return rows of a table as they are kept in a file."""
    steps = np.diff(rows, prepend=0).astype(np.uint32)
    return {"steps": steps, "values": values, "unit": np.array(unit, np.float32), "visits": visits}


def unpacked(numbers: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Return rows, values and visits from what is kept in a file."""
    rows = np.cumsum(numbers["steps"].astype(np.int64))
    return rows, (numbers["values"] * numbers["unit"]).astype(np.float32), numbers["visits"]


def trained(game: Game) -> dict[str, Path]:
    """Return the tables in the folder `trained` of a game."""
    found = sorted((registry.folder(game.name) / "trained").glob("q_*.npz"))
    return {file.stem.removeprefix("q_"): file for file in found}


@kernel
def place_of_row(numbers: int, pages: int, row: int) -> int:
    """Return the place of a row among the visited ones, or -1. `numbers` is the address of `QTable.numbers`."""
    page, wanted = row // PAGE, row % PAGE
    low, end = int(number_at(numbers, page)), int(number_at(numbers, page + 1))
    high = end
    while low < high:
        middle = (low + high) // 2
        if number_at(numbers, pages + 1 + middle) < wanted:
            low = middle + 1
        else:
            high = middle
    return low if low < end and number_at(numbers, pages + 1 + low) == wanted else -1


@kernel
def value_at(numbers: int, first: int, place: int, column: int) -> float:
    """Return a value of the row that begins at `first`. Without a row, place -1, all actions are worth 0."""
    return number_at(numbers, first + column) if place >= 0 else 0.0


def best_by_table(search: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Score the moves in random order by the table whose address is in the weights, and take the first best one."""
    code, pages, rows, numbers = int(weights.of[0]), int(weights.of[1]), int(weights.of[2]), weights.tables[0]
    found, columns, memory = np.empty(WIDEST, np.int64), np.empty(WIDEST, np.int64), np.zeros(MEMORY, np.int64)
    count = actions(states[0], search.me, found)
    search.nodes = count
    store_roots(search, frames[0], start(frames[0], states[0], search.me))
    place = place_of_row(numbers, pages, encode(states, code, found, count, columns, memory))
    first = pages + 1 + rows + COLUMNS * place
    while count:
        chosen = roll(dice, count)
        action, value = found[chosen], value_at(numbers, first, place, columns[chosen])
        note(search, place_of(search, action), action, value)
        count -= 1
        for later in range(chosen, count):
            found[later], columns[later] = found[later + 1], columns[later + 1]
    search.completed = 1
    search.finished = 1


class TabularAgent(MoveScoringAgent):
    """Plays the best move by a table, any of them if several are equal."""

    def __init__(self, game: Game, spec: "Spec", name: str) -> None:
        encoders = needed(game, StateEncoders)
        if not name:
            known = f", or one of {', '.join(trained(game))}" if trained(game) else ""
            raise SparringError(f"tabular needs a table: tabular:FILE.npz{known}")
        self.table = table = QTable.named(game, name)
        for option in encoders.fitting:
            if (learned := table.options[option]) != (now := game.options()[option]):
                remedy = f"learn another one: spar learn {game.name} --{option} {now} --out FILE.npz"
                raise SparringError(f"the table {name} was learned with {option} {learned}, not {now}; {remedy}")
        numbers, weights = table.numbers(), record(Weights)
        weights.of[:3] = table.encoder.code, table.pages, len(table.rows)
        weights.tables[0] = table_address(numbers)
        names = {"SHUFFLED": 1, "encode": encoders.encode, "COLUMNS": encoders.columns}
        step = bound(best_by_table, game, SearchVariant("", names))
        super().__init__(game, spec, {}, CompiledPolicy(step, silent(game.state), weights, 1, 1, numbers))

    def notes(self, state: Any) -> dict[str, Any]:
        """Return what the encoder sees of the position, and how often learning was there."""
        table, encoder = self.table, self.table.encoder
        visits = table.visits[table.rows == encoder.row(state)].sum()
        return {**encoder.notes(state), "visits": f"{visits:,}" if visits else "never"}
