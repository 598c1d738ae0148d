"""A second implementation of the rules of Flag War, with points and lists, to test against."""

from dataclasses import dataclass, field
from typing import Any

from flagwar_situations import key_at
from sparring.games.flagwar.board import carrier_of, pending, pieces_of
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import NOBODY

STEPS = {"u": (0, 1), "d": (0, -1), "l": (-1, 0), "r": (1, 0)}


@dataclass
class Piece:
    """A piece, and its way through a round."""

    side: int
    number: int
    at: tuple[int, int] | None
    way: list[tuple[int, int]] = field(default_factory=list)
    came_from: tuple[int, int] | None = None


class RuleBook:
    """Rounds with points and lists, as docs/flagwar.md describes them."""

    def __init__(self, game: FlagWar, s: Any) -> None:
        self.game, self.config = game, game.config
        self.width, self.height = game.config.sides
        self.n = game.config.pieces
        self.pieces = [Piece(side, i, at) for side in (0, 1) for i, at in enumerate(pieces_of(s, side))]
        self.carrier = [carrier_of(s, side) for side in (0, 1)]
        self.pending = [set(pending(s, side)) for side in (0, 1)]
        self.winner, self.over = NOBODY, False
        self.lost, self.freed = [0, 0], [0, 0]

    def of(self, side: int) -> list[Piece]:
        """The living pieces of a side."""
        return [piece for piece in self.pieces if piece.side == side and piece.at is not None]

    def ground(self, *cells: tuple[int, int]) -> int:
        owners = {0 if y >= self.height - 5 else 1 if y <= 4 else 2 for _, y in cells}
        return owners.pop() if len(owners) == 1 else 2

    def start(self, piece: Piece) -> tuple[int, int]:
        return (self.width - self.n) // 2 + piece.number, 2 if piece.side else self.height - 3

    def zone(self, side: int) -> set[tuple[int, int]]:
        first = (self.width - self.n) // 2
        rows = (0, 1) if side else (self.height - 1, self.height - 2)
        return {(x, y) for x in range(first, first + self.n) for y in rows}

    def flag(self, side: int) -> tuple[int, int]:
        return self.width // 2, 0 if side else self.height - 1

    def flag_goes_home(self, side: int) -> None:
        self.carrier[1 - side] = None
        for piece in self.of(side):
            if piece.at in self.zone(side):
                piece.at = self.start(piece)

    def goes_home(self, piece: Piece) -> None:
        if self.carrier[piece.side] == piece.number:
            self.flag_goes_home(1 - piece.side)
        piece.at = self.start(piece)

    def plan(self, piece: Piece, order: str) -> None:
        (x, y), (right, up) = piece.at or (0, 0), STEPS[order[0]]
        barred = self.carrier[1 - piece.side] is None and self.carrier[piece.side] != piece.number
        for far in range(1, int(order[1:]) + 1):
            cell = x + far * right, y + far * up
            inside = 0 <= cell[0] < self.width and 0 <= cell[1] < self.height
            if piece.at is None or not inside or (barred and cell in self.zone(piece.side)):
                return
            piece.way.append(cell)

    def judge(self, contacts: list[tuple[list[Piece], int]], crossing: bool) -> None:
        jailed = [piece for members, ground in contacts for piece in members if piece.side != ground]
        for members, _ in contacts:
            for piece in members:
                if crossing and self.config.swap == "bounce":
                    piece.at, piece.way = piece.came_from, []
                elif piece in jailed:
                    self.lost[piece.side] += piece.at is not None
                    piece.at, piece.way = None, []
                elif self.config.survivor == "stop":
                    piece.at, piece.way = (piece.came_from if crossing else piece.at), []

    def crossings(self) -> list[tuple[list[Piece], int]]:
        moved = [piece for piece in self.pieces if piece.came_from is not None and piece.at is not None]
        routes = {(piece.came_from, piece.at) for piece in moved if piece.side == 0}
        found = []
        for here, there in routes:
            assert here and there
            members = [piece for piece in moved if (piece.side, piece.came_from, piece.at) == (0, here, there)]
            against = [piece for piece in moved if (piece.side, piece.came_from, piece.at) == (1, there, here)]
            if against:
                found.append((members + against, self.ground(here, there)))
        return found

    def meetings(self) -> list[tuple[list[Piece], int]]:
        cells = {piece.at for piece in self.of(0)} & {piece.at for piece in self.of(1)}
        return [([p for p in self.pieces if p.at == cell], self.ground(cell)) for cell in cells if cell]

    def play(self, orders: dict[tuple[int, int], str]) -> None:
        for piece in self.pieces:
            if piece.number in self.pending[piece.side]:
                self.goes_home(piece)
        self.pending = [set(), set()]
        for piece in self.pieces:
            self.plan(piece, orders.get((piece.side, piece.number), "u0"))
        self.judge(self.meetings(), crossing=False)
        passed: list[Piece] = []
        while any(piece.way for piece in self.pieces):
            for piece in self.pieces:
                piece.came_from = piece.at if piece.way else None
                piece.at = piece.way.pop(0) if piece.way else piece.at
                if piece.came_from and piece.at == self.flag(1 - piece.side) and self.carrier[piece.side] is None:
                    passed.append(piece)
            if self.config.swap != "pass":
                self.judge(self.crossings(), crossing=True)
            self.judge(self.meetings(), crossing=False)
        self.after_the_walk(passed if self.config.pickup_in_passing == "yes" else [])

    def after_the_walk(self, passed: list[Piece]) -> None:
        living = {(piece.side, piece.number): piece for piece in self.pieces if piece.at is not None}
        for side in (0, 1):
            if self.carrier[side] is not None and (side, self.carrier[side]) not in living:
                self.flag_goes_home(1 - side)
        for side in (0, 1):
            there = [p.number for p in self.of(side) if p.at == self.flag(1 - side) or p in passed]
            if self.carrier[side] is None and there:
                self.carrier[side] = min(there)
        home = [s for s in (0, 1) if self.carrier[s] is not None and self.ground(living[s, self.carrier[s]].at) == s]
        if home:
            self.over = True
            self.winner = home[0] if len(home) == 1 else 1 if self.config.both_score == "b_wins" else NOBODY
        for side in (0, 1):
            rescuers = [piece for piece in self.of(side) if piece.at == key_at(self.game, side)]
            if rescuers and len(self.of(side)) < self.n:
                for piece in self.pieces:
                    if piece.side == side and piece.at is None:
                        piece.at = self.start(piece)
                        self.freed[side] += 1
                if self.config.rescuer_reset == "same_round":
                    self.goes_home(rescuers[0])
                else:
                    self.pending[side] = {rescuers[0].number}
        left = [side for side in (0, 1) if self.of(side)]
        if not self.over and len(left) < 2 and self.config.elimination == "yes":
            self.over, self.winner = True, left[0] if left else NOBODY

    def told(self) -> Any:
        places = [[piece.at for piece in self.pieces if piece.side == side] for side in (0, 1)]
        return places, self.carrier, self.pending, self.over, self.winner
