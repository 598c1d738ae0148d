"""A board of the kind the course hands out: a list of cells, copied for every move, moves as tuples. The slow
peer that the compiled search is measured against."""

STEPS = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1)]


class Board:
    def __init__(self, rows: int, columns: int) -> None:
        self.rows, self.columns = rows, columns
        self.cells = [0] * (rows * columns)
        self.places: list[tuple[int, int] | None] = [None, None]
        self.active = 0

    def copy(self) -> "Board":
        twin = Board(self.rows, self.columns)
        twin.cells, twin.places, twin.active = self.cells[:], self.places[:], self.active
        return twin

    def is_free(self, move: tuple[int, int]) -> bool:
        row, column = move
        return 0 <= row < self.rows and 0 <= column < self.columns and not self.cells[row * self.columns + column]

    def legal_moves(self, player: int) -> list[tuple[int, int]]:
        place = self.places[player]
        if place is None:
            return [(r, c) for r in range(self.rows) for c in range(self.columns) if self.is_free((r, c))]
        moves = [(place[0] + down, place[1] + right) for down, right in STEPS]
        return sorted(move for move in moves if self.is_free(move))

    def play(self, move: tuple[int, int]) -> None:
        self.cells[move[0] * self.columns + move[1]] = 1
        self.places[self.active] = move
        self.active = 1 - self.active


def alphabeta(board: Board, depth: int, alpha: float, beta: float, me: int, nodes: list[int]) -> float:
    """The value for the player to move, by mobility, and in nodes[0] how many boards were looked at."""
    nodes[0] += 1
    moves = board.legal_moves(board.active)
    if not moves:
        return -1e6
    if depth == 0:
        value = len(board.legal_moves(me)) - len(board.legal_moves(1 - me))
        return value if board.active == me else -value
    best = -2e6
    for move in moves:
        child = board.copy()
        child.play(move)
        best = max(best, -alphabeta(child, depth - 1, -beta, -max(alpha, best), me, nodes))
        if best >= beta:
            break
    return best
