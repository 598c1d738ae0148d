"""A table of Q-values for an abstraction of Ludo, and the file it is kept in.

In memory it has a row for every state. The file holds the states that were visited, and the settings that made it.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sparring.core.errors import SparringError, unknown
from sparring.core.files import arrays, written_whole
from sparring.core.kernel import kernel, number_at
from sparring.games.ludo.abstraction import Abstraction

MUCH_LESS, HALVES = 16.0, 0.5
PAGE = 4096
"""Rows are looked up page by page: compiled code reads float32, which has no room for larger numbers than 16 million.
"""
SHELF = Path(__file__).parent / "trained"
"""Where tables lie that come with the package, among other things that were learned."""


class Trial(NamedTuple):
    """How a table plays greedily against random, after so many games of learning."""

    games: int
    won: float  # a share, with its 95 % interval
    low: float
    high: float


@dataclass
class Table:
    """Q-values by state and place of the moved token, and how they came about."""

    abstraction: Abstraction
    settings: Mapping[str, Any]
    values: Any = None
    visits: Any = None
    games: int = 0  # learned from so far
    curve: list[Trial] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.values is None:
            self.values = np.zeros((self.abstraction.states, 4), np.float32)
            self.visits = np.zeros((self.abstraction.states, 4), np.uint32)

    @property
    def visited(self) -> int:
        """How many states."""
        return len(self._rows(1))

    def save(self, file: Path) -> None:
        """Whole or not at all: a file that is there stays as it was until the new one is complete."""
        rows = self._rows(1)
        self._write(file, rows, self.values[rows], self.visits[rows], 1.0)

    def save_slim(self, file: Path, visits: int) -> None:
        """What is needed to play, where there is a choice and the table has been so often: how much less than the best
        each move is worth, in halves, and about how many visits there were. Nobody can go on learning from it."""
        tried = self.visits > 0
        rows = np.intersect1d(self._rows(visits), np.flatnonzero(tried.sum(axis=1) > 1))
        values = np.where(tried[rows], self.values[rows], -np.inf)
        less = np.maximum(values - values.max(axis=1, keepdims=True), -MUCH_LESS)
        about = np.zeros((len(rows), 4), np.uint32)
        about[:, 0] = 2 ** np.round(np.log2(self.visits[rows].sum(axis=1)))
        self._write(file, rows, np.round(less / HALVES).astype(np.int8), about, HALVES)

    def _rows(self, visits: int) -> Any:
        return np.flatnonzero(self.visits.sum(axis=1) >= visits)

    def _write(self, file: Path, rows: Any, values: Any, visits: Any, unit: float) -> None:
        one = self.abstraction
        seen = {"abstraction": one.name, "fixes": sorted(one.fixes), "unsorted": one.unsorted}
        with written_whole(file) as part, part.open("wb") as out:
            np.savez_compressed(
                out,
                about=np.array(json.dumps({**seen, "settings": self.settings})),
                games=np.array(self.games),
                steps=np.diff(rows, prepend=0).astype(np.uint32),
                values=values,
                unit=np.array(unit, np.float32),
                visits=visits,
                curve=np.array(self.curve, np.float64).reshape(-1, 4),
            )

    @classmethod
    def load(cls, file: Path) -> "Table":
        """For learning on: with room for every state."""
        kept = Excerpt.load(file)
        table = cls(kept.abstraction, kept.settings, games=kept.games, curve=kept.curve)
        table.values[kept.rows], table.visits[kept.rows] = kept.values, kept.visits
        return table


@dataclass(frozen=True)
class Excerpt:
    """The rows that a file holds, for playing: of millions of states a game may come to, few were ever visited."""

    abstraction: Abstraction
    settings: Mapping[str, Any]
    rows: Any  # sorted
    values: Any
    visits: Any
    games: int
    curve: list[Trial]

    @property
    def tokens(self) -> int:
        return int(self.settings["options"]["tokens"])

    @property
    def pages(self) -> int:
        return self.abstraction.states // PAGE + 1

    def numbers(self) -> Any:
        """All that `place_of_row` and `value_at` need, one after another: where the rows of each page begin, the rows
        by their numbers within the page, and four values a row."""
        starts = np.searchsorted(self.rows, PAGE * np.arange(self.pages + 1))
        return np.concatenate([starts, self.rows % PAGE, self.values.ravel()], dtype=np.float32, casting="same_kind")

    def visits_of(self, row: int) -> int:
        return int(self.visits[self.rows == row].sum())

    @classmethod
    def load(cls, file: Path) -> "Excerpt":
        try:
            kept = arrays(file)
            about, rows = json.loads(str(kept["about"])), np.cumsum(kept["steps"].astype(np.int64))
            abstraction = Abstraction(about["abstraction"], frozenset(about["fixes"]), about.get("unsorted", False))
            if len(rows) and rows[-1] >= abstraction.states:
                raise ValueError("there are no such states")
            return cls(
                abstraction=abstraction,
                settings=about["settings"],
                rows=rows,
                values=(kept["values"] * kept["unit"]).astype(np.float32).reshape(len(rows), 4),
                visits=kept["visits"],
                games=int(kept["games"]),
                curve=[Trial(int(row[0]), *map(float, row[1:])) for row in kept["curve"]],
            )
        except (ValueError, KeyError, IndexError, TypeError) as error:
            raise SparringError(f"{file} is no table of Ludo; `spar learn ludo --out FILE` makes one") from error

    @classmethod
    def named(cls, name: str) -> "Excerpt":
        """Of a table that comes with the package, or from a file."""
        if name.endswith(".npz"):
            if not Path(name).is_file():
                raise SparringError(f"there is no file {name}; `spar learn ludo --out {name}` makes one")
            return cls.load(Path(name))
        if name not in on_shelf():
            raise unknown("table of ludo", name, [*on_shelf(), "FILE.npz"])
        return cls.load(shelved(name))


@kernel
def place_of_row(numbers: int, pages: int, row: int) -> int:
    """Where a row is among those kept, or -1; `numbers` is the address of those of an excerpt."""
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
def value_at(numbers: int, pages: int, rows: int, place: int, move: int) -> float:
    """Nothing is known of rows that were not kept: all their moves are alike."""
    return number_at(numbers, pages + 1 + rows + 4 * place + move) if place >= 0 else 0.0


def shelved(name: str) -> Path:
    return SHELF / f"q_{name}.npz"


def on_shelf() -> list[str]:
    return sorted(file.stem.removeprefix("q_") for file in SHELF.glob("q_*.npz"))
