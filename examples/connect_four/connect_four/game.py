"""Connect Four: two players drop stones, and four in a line win."""

from dataclasses import dataclass

from connect_four import rules
from connect_four.rules import COLUMNS, HEIGHT, ROWS, State
from sparring.core.dice import dice, throw
from sparring.core.errors import SparringError
from sparring.core.kernel import record
from sparring.games.contract import Kind
from sparring.games.grid import NAMES, GridGame, board
from sparring.games.kernels import vocabulary


@dataclass(frozen=True)
class Config:
    opening: int = 2
    """How many stones are dropped at random before the players begin."""


class ConnectFour(GridGame):
    name = "connect_four"
    title = "Connect Four"
    api = 1
    version = 1
    kind = Kind(simultaneous=False, chance=False, players=(2, 2))
    state = State
    Config = Config
    numbers = {"opening": (0, 6)}
    endings = ("four in a line", "board full")
    written = vocabulary(rules)
    fixed_names = True

    def new(self, seed):
        s, drawn = record(State), dice(seed, "opening")
        for _ in range(self.config.opening):
            columns = self.legal(s, int(s.moves) & 1)
            self.apply(s, {int(s.moves) & 1: columns[throw(drawn, len(columns))]})
        return s

    def action_name(self, state, player, action):
        return NAMES[action]

    def grid(self, state):
        first, second = map(int, state.stones)
        rows = [[HEIGHT * column + row for column in range(COLUMNS)] for row in reversed(range(ROWS))]
        return ["".join("A" if first >> c & 1 else "B" if second >> c & 1 else "." for c in cells) for cells in rows]

    def cell(self, state, action):
        """The free cell where a stone comes to lie."""
        free = sum(row[action] == "." for row in self.grid(state))
        return (free - 1) * COLUMNS + action

    def parse(self, text):
        """A board as `text` writes it, or the columns played from an empty one: `d d c`."""
        s = record(State)
        if "/" not in text:
            return self.played(s, text.split())
        rows = board(text, ROWS, COLUMNS, ".AB")
        columns = ["".join(cells).rstrip(".") for cells in zip(*reversed(rows), strict=True)]
        stones = "".join(columns)
        if "." in stones or stones.count("A") - stones.count("B") not in (0, 1):
            raise SparringError(f"no game comes to {text!r}: stones fall down, and A and B drop them in turn")
        for column, signs in enumerate(columns):
            for row, sign in enumerate(signs):
                s.stones["AB".index(sign)] |= 1 << HEIGHT * column + row
        s.moves = len(stones)
        return s
