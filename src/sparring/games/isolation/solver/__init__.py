"""The exact solver: the winner of each opening of a board, and of any position."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from sparring.core.markup import label, picture, tag
from sparring.core.progress import Progress
from sparring.games.contract import Action, Game, Position
from sparring.games.grid import NAMES, cell_name
from sparring.games.isolation.game import PLAYERS, Isolation
from sparring.games.isolation.solver.proof import after, same_colour, solve
from sparring.games.isolation.solver.proof import winning_moves as winning_moves

KNOWS_ALL = False
Opening = tuple[int, int]  # the cell of the first player, who is to move, and the cell of the second


@dataclass(frozen=True)
class Openings:
    """The winner of every opening of a board, if both play their best."""

    rows: int
    columns: int
    piece: str
    first_wins: frozenset[Opening]
    nodes: int
    seconds: float
    shown: int | None = None  # a first cell to show all replies to

    @property
    def cells(self) -> int:
        return self.rows * self.columns

    @property
    def first(self) -> int:
        """Number of openings that the first player wins."""
        return len(self.first_wins)

    @property
    def second(self) -> int:
        return self.cells * (self.cells - 1) - self.first

    @cached_property
    def refutations(self) -> list[int]:
        """The number of replies by which the second player wins, for each first cell."""
        kept = [0] * self.cells
        for cell, _ in self.first_wins:
            kept[cell] += 1
        return [self.cells - 1 - wins for wins in kept]

    @property
    def winner(self) -> str:
        """Winner with free placement: the first player needs a cell that no reply refutes."""
        return "first" if 0 in self.refutations else "second"

    @property
    def exceptions(self) -> int:
        """Number of openings that break the colour rule of knights: the first wins if both stand on the same colour."""
        return sum(
            ((first, second) in self.first_wins) != same_colour(first, second, self.columns)
            for first in range(self.cells)
            for second in range(self.cells)
            if first != second
        )

    def __str__(self) -> str:
        colours = f" · {self.exceptions} break the colour rule" if self.piece == "knight" else ""
        lines = [
            f"{self.rows}x{self.columns} {self.piece}: the {self.winner} player wins",
            f"openings won by the first {self.first} · by the second {self.second}{colours}",
            "replies by which the second player wins, for each first cell:",
        ]
        lines += [self._board(self.refutations), f"{self.nodes:,} positions in {self.seconds:.1f} s"]
        if self.shown is not None:
            cell = cell_name(self.shown, self.rows, self.columns)
            lines += ["", f"first on {cell}, and who wins for each cell of the second:", self.replies(self.shown)]
        return "\n".join(lines)

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        return {
            "board": f"{self.rows}x{self.columns}",
            "piece": self.piece,
            "winner": self.winner,
            "first": self.first,
            "second": self.second,
            "exceptions": self.exceptions,
            "first_wins": sorted(map(list, self.first_wins)),
            "nodes": self.nodes,
            "seconds": self.seconds,
        }

    def replies(self, first: int) -> str:
        """The winner for each cell of the second player, 1 or 2. The cell of the first is marked A."""
        winners = ["1" if (first, second) in self.first_wins else "2" for second in range(self.cells)]
        winners[first] = "A"
        return self._board(winners)

    def _board(self, values: Sequence[object]) -> str:
        """A value for each cell, in rows under one another, with the names of rows and columns."""
        width = max(len(str(value)) for value in values)
        rows = [values[row * self.columns : (row + 1) * self.columns] for row in range(self.rows)]
        named = [*((f"{self.rows - row:2}", cells) for row, cells in enumerate(rows)), ("  ", NAMES[: self.columns])]
        return "\n".join(f"{name} {' '.join(f'{value:>{width}}' for value in cells)}" for name, cells in named)

    def svg(self) -> str:
        """A small board for each first cell, with the cells of the second dark where the first player wins."""
        tile, gap, edge = 8, 6, 18
        step_x, step_y = self.columns * tile + gap, self.rows * tile + gap
        width, height = self.columns * step_x + edge, self.rows * step_y + edge
        title = f"{self.rows}x{self.columns} {self.piece}: openings won by the first player dark, by the second light"
        parts = []
        for first in range(self.cells):
            x, y = first % self.columns * step_x + edge, first // self.columns * step_y
            squares = {False: "", True: ""}
            for second in range(self.cells):
                if second != first:
                    place = f"M{x + second % self.columns * tile} {y + second // self.columns * tile}"
                    squares[(first, second) in self.first_wins] += f"{place}h{tile}v{tile}h-{tile}z"
            for won, fill in ((False, "#e6d8b8"), (True, "#2f4858")):
                parts.append(tag("path", fill=fill, stroke="#8a8f98", stroke_width=".4", d=squares[won]))
        labels = [(9, row * step_y + step_y // 2, str(self.rows - row)) for row in range(self.rows)]
        labels += [(c * step_x + edge + step_x // 2, height - 5, NAMES[c]) for c in range(self.columns)]
        parts += [label(x, y, name, 12, fill="#8a8f98") for x, y, name in labels]
        return picture(width, height, title, *parts)

    _repr_svg_ = svg


def solve_board(
    rows: int, columns: int, piece: str = "knight", symmetry: bool = True, progress: Progress | None = None
) -> Openings:
    """Solve every opening of a board; with symmetry, only one of those that rotations and reflections make equal."""
    started = time.perf_counter()
    empty = Isolation(board=f"{rows}x{columns}", piece=piece, opening="free").new(0)
    families = list(_families(rows, columns, symmetry))
    first_wins: set[Opening] = set()
    nodes = 0
    for done, family in enumerate(families, 1):
        first, second = min(family)
        verdict = solve(after(after(empty, first), second))
        nodes += verdict.nodes
        if verdict.wins:
            first_wins |= family
        if progress is not None:
            progress(done, len(families))
    return Openings(rows, columns, piece, frozenset(first_wins), nodes, time.perf_counter() - started)


def _families(rows: int, columns: int, symmetry: bool) -> Iterator[set[Opening]]:
    """The openings, in sets that a symmetry of the board turns into each other."""
    turns = _symmetries(rows, columns) if symmetry else [list(range(rows * columns))]
    seen: set[Opening] = set()
    for first in range(rows * columns):
        for second in range(rows * columns):
            if first != second and (first, second) not in seen:
                family = {(turn[first], turn[second]) for turn in turns}
                seen |= family
                yield family


def _symmetries(rows: int, columns: int) -> list[list[int]]:
    """The new place of each cell in the rotations and reflections of the board: 8 of a square, else 4."""
    cells = np.arange(rows * columns).reshape(rows, columns)
    boards = [cells, cells.T] if rows == columns else [cells]
    return [
        turn.ravel().tolist() for board in boards for half in (board, board[::-1]) for turn in (half, half[:, ::-1])
    ]


@dataclass(frozen=True)
class SolvedPosition:
    """The winner of a position, and the moves that win."""

    position: Position
    moves: dict[int, bool]

    @property
    def wins(self) -> bool:
        """True if the player to move wins."""
        return any(self.moves.values())

    def __str__(self) -> str:
        names = {wins: [self.position.name(a) for a, w in self.moves.items() if w is wins] for wins in (True, False)}
        lines = [
            str(self.position),
            f"{PLAYERS[self.position.state.to_move]}, to move, {'wins' if self.wins else 'loses'}",
        ]
        lines += [f"{word}: {' '.join(names[wins])}" for word, wins in (("win", True), ("lose", False)) if names[wins]]
        return "\n".join(lines)

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        moves = {self.position.name(action): wins for action, wins in self.moves.items()}
        return {"position": self.position.text, "wins": self.wins, "moves": moves}

    def svg(self) -> str:
        """The board with the winning moves marked."""
        return self.position.game.svg(self.position.state, {action: 0.6 for action, wins in self.moves.items() if wins})

    _repr_svg_ = svg


def solve_game(game: Game, first: str | None = None, progress: Progress | None = None) -> Openings:
    """Solve every opening of the board. With a first cell, the result also shows each reply to it."""
    shown = game.position("").action(first) if first else None
    rows, columns = (int(side) for side in game.options()["board"].split("x"))
    return replace(solve_board(rows, columns, game.options()["piece"], progress=progress), shown=shown)


def solve_position(position: Position, progress: Progress | None = None) -> SolvedPosition:
    return SolvedPosition(position, {action: bool(wins) for action, wins in winning_moves(position.state).items()})


def verdicts(position: Position, seconds: float) -> dict[Action, str]:
    solve(position.state, max_nodes=1)  # compile first, so that it takes none of the seconds
    found = winning_moves(position.state, seconds=seconds)
    return {action: "wins" if wins else "loses" for action, wins in found.items() if wins is not None}
