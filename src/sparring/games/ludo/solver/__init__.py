"""The exact truth about Ludo for two with one or two tokens each: how likely each wins if both play their best."""

from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import types

from sparring.core.errors import SparringError
from sparring.core.kept import kept
from sparring.core.kernel import address_of, entry, record_type
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Action, Position
from sparring.games.ludo.board import PLAYERS
from sparring.games.ludo.endgame import UNKNOWN, win_chance
from sparring.games.ludo.solver.policy import Examiner as Examiner
from sparring.games.ludo.solver.policy import play, same_policy
from sparring.games.ludo.solver.table import BEST, SOURCES, endgame, refuse_larger, solution, table_name
from sparring.games.ludo.state import GOAL, State

KNOWS_ALL = True
FIGURES = 1e-5
"""How exact the figures of a game are; its table is more exact."""


@dataclass(frozen=True)
class Figures:
    """Shares of the games won; each player has the first roll in half of them, but for `first`."""

    first: float  # who has the first roll, if both play their best
    v_random: float  # best play against others
    v_furthest: float
    v_rearmost: float
    answer_to_random: float  # the play that is best against random moves, not against the best

    def __str__(self) -> str:
        rows = [
            ["perfect play", "wins"],
            ["with the first roll against perfect play", f"{100 * self.first:.2f} %"],
            ["against random", f"{100 * self.v_random:.2f} %"],
            ["against furthest", f"{100 * self.v_furthest:.2f} %"],
            ["against rearmost", f"{100 * self.v_rearmost:.2f} %"],
            ["the best answer to random, against it", f"{100 * self.answer_to_random:.2f} %"],
        ]
        return columns(rows, right={1})


@dataclass(frozen=True)
class SolvedGame:
    """A game solved, and what that took when it was."""

    tokens: int
    figures: Figures
    positions: int
    sweeps: int
    seconds: float

    def __str__(self) -> str:
        took = f"{self.positions:,} positions solved in {self.sweeps} sweeps, {self.seconds:.1f} s"
        return f"{self.figures}\n{took}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def svg(self) -> str:
        raise SparringError("there is no picture of a whole game of ludo; leave out --svg, or name a --position")


def solve_game(game: Any, first: str | None = None, progress: Progress | None = None) -> SolvedGame:
    refuse_larger(game)
    if first:
        raise SparringError("ludo has no openings to choose; leave out --first")
    name, found = table_name(game), solution(game, progress)
    sources = [*SOURCES, "games/ludo/solver/policy.py", "games/ludo/solver/__init__.py"]
    known = kept(f"ludo-{game.config.tokens}-tokens-{name}", sources, lambda: {"figures": figures(game, progress)})
    told = Figures(*known["figures"].tolist())
    return SolvedGame(game.config.tokens, told, len(found["chances"]), int(found["sweeps"]), float(found["seconds"]))


def figures(game: Any, progress: Progress | None = None) -> Any:
    """In the order of `Figures`."""
    examiner = Examiner(game, progress)
    pairs, perfect = examiner.pairs, examiner.perfect
    against = [examiner.random, same_policy(0.0), same_policy(1.0)]
    shares = [play(pairs, perfect, policy)[0] for policy in against]
    answer, random = pairs.win_chances(BEST, examiner.random, FIGURES, progress)
    best_answer = (answer[pairs.start] + 1 - random[pairs.start]) / 2
    return np.array([examiner.chances[pairs.start], *shares, best_answer])


@dataclass(frozen=True)
class MoveChances:
    """How likely the player to move wins by each of its moves."""

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

    def to_json(self) -> dict[str, Any]:
        moves = {self.position.name(action): self.chances[action] for action in self.ranked}
        return {"position": self.position.text, "player": self.position.mover, "moves": moves}

    def svg(self) -> str:
        """The board with the best moves marked largest."""
        ranks = {action: 1 - place / len(self.chances) for place, action in enumerate(self.ranked)}
        return self.position.game.svg(self.position.state, ranks)

    def _repr_svg_(self) -> str:
        return self.svg()


def solve_position(position: Position, progress: Progress | None = None) -> MoveChances:
    if position.over:
        raise SparringError(f"the game is over in {position.text}; nobody is to move")
    game: Any = position.game
    address = address_of(endgame(game, progress))
    after = {action: game.after_move(position.state, action) for action in position.legal}
    chances = {action: float(_look_up()(state, position.mover, address)) for action, state in after.items()}
    if UNKNOWN in chances.values():
        raise SparringError("chances are known once both have at most two tokens to go; here somebody has more")
    return MoveChances(position, chances)


def verdicts(position: Position, seconds: float) -> dict[Action, str]:
    """Of the endgames of two; to solve them takes some seconds, once."""
    s = position.state
    if s.players > 2 or any((s.at[player, : s.tokens] != GOAL).sum() > 2 for player in range(s.players)):
        return {}
    try:
        chances = solve_position(position).chances
    except SparringError:
        return {}  # by rules for which there is no table
    return {action: f"wins {100 * chance:.2f} %" for action, chance in chances.items()}


@cache
def _look_up() -> Any:
    return entry(win_chance, types.float64(record_type(State), types.int64, types.int64))
