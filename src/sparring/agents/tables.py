"""Tables of Q-values, a row for each state of an encoder and a column for each action, and the agent that plays by
one."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision, Judged
from sparring.agents.learned import LearnedFile
from sparring.agents.spec import Spec, only_options
from sparring.core.dice import roll
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import Weights, address_of, kernel, number_at, record, workspace
from sparring.games import registry
from sparring.games.capabilities import needed
from sparring.games.contract import Game
from sparring.games.learnable import StateEncoder, StateEncoders
from sparring.search.choice import silent
from sparring.search.tree import MAX_PLIES, Automaton, Manner, bound, note, tree_of

PAGE = 4096
"""Rows are looked up page by page: compiled code reads float32, which counts exactly up to 16 million only."""
MEMORY = 8
"""Integers that rewards remember of a player."""

actions: Any
start: Any
note_roots: Any
place_of: Any
encode: Any
COLUMNS: int
WIDEST: int


@dataclass(frozen=True)
class VisitedRows:
    """The rows of a table that were visited: of millions of states few ever are."""

    encoder: StateEncoder
    rows: Any  # sorted
    values: Any
    visits: Any
    options: Mapping[str, str]
    """Of the game that it was learned in."""

    @property
    def pages(self) -> int:
        return self.encoder.states // PAGE + 1

    def numbers(self) -> Any:
        """All that `place_of_row` and `value_at` need: the place where the rows of each page begin, the rows by their
        numbers within the page, and the values row by row."""
        starts = np.searchsorted(self.rows, PAGE * np.arange(self.pages + 1))
        return np.concatenate([starts, self.rows % PAGE, self.values.ravel()], dtype=np.float32, casting="same_kind")

    def visits_of(self, row: int) -> int:
        return int(self.visits[self.rows == row].sum())

    @classmethod
    def load(cls, game: Game, file: Path) -> "VisitedRows":
        encoders = needed(game, StateEncoders)
        try:
            about = LearnedFile.load(file)
            encoder = encoders.encoder(about.settings["state"])
            rows, values, visits = unpacked(about.numbers)
            if len(rows) and rows[-1] >= encoder.states:
                raise ValueError("there are no such states")
            return cls(encoder, rows, values.reshape(-1, encoders.columns), visits, about.settings["options"])
        except (ValueError, KeyError, TypeError) as error:
            makes = f"`spar learn {game.name} --out FILE` makes one"
            raise SparringError(f"{file} is no table of {game.name}; {makes}") from error

    @classmethod
    def named(cls, game: Game, name: str) -> "VisitedRows":
        """A table that comes with the game, or from a file."""
        if name.endswith(".npz"):
            if not Path(name).is_file():
                raise SparringError(f"there is no file {name}; `spar learn {game.name} --out {name}` makes one")
            return cls.load(game, Path(name))
        if name not in trained(game):
            raise unknown(f"table of {game.name}", name, [*trained(game), "FILE.npz"])
        return cls.load(game, trained(game)[name])


def packed(rows: Any, values: Any, visits: Any, unit: float = 1.0) -> dict[str, Any]:
    """Some rows of a table as a file keeps them."""
    steps = np.diff(rows, prepend=0).astype(np.uint32)
    return {"steps": steps, "values": values, "unit": np.array(unit, np.float32), "visits": visits}


def unpacked(numbers: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Rows, their values and visits."""
    rows = np.cumsum(numbers["steps"].astype(np.int64))
    return rows, (numbers["values"] * numbers["unit"]).astype(np.float32), numbers["visits"]


def trained(game: Game) -> dict[str, Path]:
    """The tables that come with a game, in its folder trained."""
    found = sorted((registry.folder(game.name) / "trained").glob("q_*.npz"))
    return {file.stem.removeprefix("q_"): file for file in found}


@kernel
def place_of_row(numbers: int, pages: int, row: int) -> int:
    """The place of a row among those kept, or -1; `numbers` is the address of those of a table."""
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
    """The value at a place, where values begin at `first`; all actions are alike in rows that were not kept."""
    return number_at(numbers, first + column) if place >= 0 else 0.0


def best_by_table(walk: Any, states: Any, frames: Any, heuristic: Any, weights: Any, dice: Any, pause: int) -> None:
    """Try the moves in shuffled order, and take the first of the best by the table at the address in the weights."""
    code, pages, rows, numbers = int(weights.of[0]), int(weights.of[1]), int(weights.of[2]), weights.tables[0]
    found, columns, memory = np.empty(WIDEST, np.int64), np.empty(WIDEST, np.int64), np.zeros(MEMORY, np.int64)
    count = actions(states[0], walk.me, found)
    walk.nodes = count
    note_roots(walk, frames[0], start(frames[0], states[0], walk.me))
    place = place_of_row(numbers, pages, encode(states, code, found, count, columns, memory))
    first = pages + 1 + rows + COLUMNS * place
    while count:
        chosen = roll(dice, count)
        action, value = found[chosen], value_at(numbers, first, place, columns[chosen])
        note(walk, place_of(walk, action), action, value)
        count -= 1
        for later in range(chosen, count):
            found[later], columns[later] = found[later + 1], columns[later + 1]
    walk.completed = 1
    walk.finished = 1


class Tabular(Agent):
    """Plays the best move by a table, any of them if some are equal."""

    draws = True

    def __init__(self, game: Game, spec: Spec) -> None:
        only_options(spec, (), name=True)
        self.spec, self.game, encoders = spec.text, game, needed(game, StateEncoders)
        name = spec.name.partition(":")[2]
        if not name:
            known = f", or one of {', '.join(trained(game))}" if trained(game) else ""
            raise SparringError(f"tabular needs a table: tabular:FILE.npz{known}")
        self.table = table = VisitedRows.named(game, name)
        for option in encoders.fitting:
            if (learned := table.options[option]) != (now := game.options()[option]):
                told = f"the table {name} was learned with {option} {learned}, not {now}"
                raise SparringError(
                    f"{told}; learn another one: spar learn {game.name} --{option} {now} --out FILE.npz"
                )
        numbers, weights = table.numbers(), record(Weights)
        weights.of[:3] = table.encoder.code, table.pages, len(table.rows)
        weights.tables[0] = address_of(numbers)
        manner = Manner("", {"SHUFFLED": 1, "encode": encoders.encode, "COLUMNS": encoders.columns})
        step = bound(best_by_table, game, manner)
        self.player = Automaton(step, silent(game.state), weights, 1, 1, numbers)

    def automaton(self, game: Game) -> Automaton:
        return self.player

    def decide(self, view: View) -> Decision:
        started = time.perf_counter()
        step, score, weights, *_ = self.player
        tree = tree_of(self.game)
        assert tree
        walk, states = workspace(tree.walk, 1)[0], workspace(self.game.state, MAX_PLIES)
        walk["me"], states[0] = view.me, view.state
        step(walk, states, workspace(tree.frame, MAX_PLIES), score, weights, view.dice, 1)
        places, scores = tree.cursor.listed(walk["roots"]), walk["scores"].tolist()
        return Decision(
            agent=self.spec,
            position=view.position,
            player=view.me,
            action=int(walk["line"][0]),
            candidates=tuple(Judged(action, scores[places[action]]) for action in view.legal),
            depth=1,
            nodes=int(walk["nodes"]),
            seconds=time.perf_counter() - started,
        )

    def annotate(self, decision: Decision, view: View) -> Decision:
        """With what it sees of the position, and how often it has been there."""
        visits = self.table.visits_of(self.table.encoder.row(view.state))
        notes = {**self.table.encoder.notes(view.state), "visits": f"{visits:,}" if visits else "never"}
        return replace(decision, notes=notes)

    def explain(self, view: View) -> Decision:
        return self.annotate(self.decide(view), view)
