"""Exact solution of Ludo for two players with one or two tokens each: the chance to win if both play their best."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kernel import entry, record_type, table_address
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Action, Position
from sparring.games.ludo.board import PLAYERS
from sparring.games.ludo.endgame import UNKNOWN, win_chance
from sparring.games.ludo.solver.kept import kept
from sparring.games.ludo.solver.policy import PolicyEvaluator as PolicyEvaluator
from sparring.games.ludo.solver.policy import constant_policy, play
from sparring.games.ludo.solver.table import (
    BEST,
    SOURCES,
    check_solvable_size,
    endgame,
    has_table,
    solution,
    table_name,
)
from sparring.games.ludo.state import GOAL, State

KNOWS_ALL = True
TOLERANCE = 1e-5
"""Exactness of the figures of a game. Its table is more exact."""


FIGURES = {
    "first": "with the first roll against perfect play",
    "v_random": "against random",
    "v_furthest": "against furthest",
    "v_rearmost": "against rearmost",
    "answer_to_random": "the best answer to random, against it",
}
"""Shares of games won by perfect play. Each player has the first roll in half of them, except for `first`."""


@dataclass(frozen=True)
class SolvedGame:
    """A solved game, and the effort of its solution."""

    tokens: int
    figures: dict[str, float]
    positions: int
    sweeps: int
    seconds: float

    def __str__(self) -> str:
        rows = [["perfect play", "wins"], *([FIGURES[name], f"{100 * of:.2f} %"] for name, of in self.figures.items())]
        took = f"{self.positions:,} positions solved in {self.sweeps} sweeps, {self.seconds:.1f} s"
        return f"{columns(rows, right={1})}\n{took}"

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def svg(self) -> str:
        raise SparringError("there is no picture of a whole game of ludo; leave out --svg, or name a --position")


def solve_game(game: Any, first: str | None = None, progress: Progress | None = None) -> SolvedGame:
    check_solvable_size(game)
    if first:
        raise SparringError("ludo has no openings to choose; leave out --first")
    name, found = table_name(game), solution(game, progress)
    sources = [*SOURCES, "games/ludo/solver/policy.py", "games/ludo/solver/__init__.py"]
    known = kept(f"ludo-{game.config.tokens}-tokens-{name}", sources, lambda: {"figures": figures(game, progress)})
    told = dict(zip(FIGURES, known["figures"].tolist(), strict=True))
    return SolvedGame(game.config.tokens, told, len(found["chances"]), int(found["sweeps"]), float(found["seconds"]))


def figures(game: Any, progress: Progress | None = None) -> Any:
    """Compute the shares in the order of FIGURES."""
    examiner = PolicyEvaluator(game, progress)
    pairs, perfect = examiner.pairs, examiner.perfect
    against = [examiner.random, constant_policy(0.0), constant_policy(1.0)]
    shares = [play(pairs, perfect, policy)[0] for policy in against]
    answer, random = pairs.win_chances(BEST, examiner.random, TOLERANCE, progress)
    best_answer = (answer[pairs.start] + 1 - random[pairs.start]) / 2
    return np.array([examiner.chances[pairs.start], *shares, best_answer])


@dataclass(frozen=True)
class MoveChances:
    """The mover's chance to win by each of its moves."""

    position: Position
    chances: dict[Action, float]

    @property
    def ranked(self) -> list[Action]:
        return sorted(self.chances, key=lambda action: -self.chances[action])

    def __str__(self) -> str:
        best, player = max(self.chances.values()), PLAYERS[self.position.mover]
        rows = [["move", "wins"]]
        rows += [[self.position.name(action), f"{100 * self.chances[action]:.2f} %"] for action in self.ranked]
        return f"{self.position}\n\n{player} wins {100 * best:.2f} % of the games from here\n{columns(rows, right={1})}"

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        moves = {self.position.name(action): self.chances[action] for action in self.ranked}
        return {"position": self.position.text, "player": self.position.mover, "moves": moves}

    def svg(self) -> str:
        """Draw the board with the best moves marked largest."""
        ranks = {action: 1 - place / len(self.chances) for place, action in enumerate(self.ranked)}
        return self.position.game.svg(self.position.state, ranks)

    _repr_svg_ = svg


def solve_position(position: Position, progress: Progress | None = None) -> MoveChances:
    if position.over:
        raise SparringError(f"the game is over in {position.text}; there is no move")
    game: Any = position.game
    address = table_address(endgame(game, progress))
    look_up = entry(win_chance, types.float64(record_type(State), types.int64, types.int64))
    after = {action: game.after_move(position.state, action) for action in position.legal}
    chances = {action: float(look_up(state, position.mover, address)) for action, state in after.items()}
    if UNKNOWN in chances.values():
        raise SparringError("chances are known if both players have at most two tokens to go; here a player has more")
    return MoveChances(position, chances)


def verdicts(position: Position, seconds: float) -> dict[Action, str]:
    """Return what is known of each move in endgames of two players. The first call takes some seconds to solve them."""
    s = position.state
    game: Any = position.game
    to_go = [(s.at[player, : s.tokens] != GOAL).sum() for player in range(s.players)]
    if max(to_go) > 2 or position.over or not has_table(game):
        return {}
    return {action: f"wins {100 * chance:.2f} %" for action, chance in solve_position(position).chances.items()}
