"""The length of a game: in turns where players move at the same time, else in moves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.games.contract import Game


def length_unit(game: Game) -> str:
    return "turns" if game.kind.simultaneous else "moves"


def game_length(game: Game, moves: Any) -> Any:
    """The lengths of games from the number of moves of each seat, on the last axis. The player that lives longest has
    moved in every turn."""
    return moves.max(axis=-1).astype(np.int64) if game.kind.simultaneous else moves.sum(axis=-1, dtype=np.int64)


@dataclass(frozen=True)
class GameLengths:
    """The number of games of each length."""

    games: Any
    unit: str = "moves"

    @property
    def fewest(self) -> int:
        return int(np.flatnonzero(self.games)[0])

    @property
    def most(self) -> int:
        return len(self.games) - 1

    @property
    def mean(self) -> float:
        return float(self.games @ np.arange(len(self.games)) / self.games.sum())

    @property
    def median(self) -> float:
        upto, middle = np.cumsum(self.games), self.games.sum() / 2
        return (int(np.searchsorted(upto, middle)) + int(np.searchsorted(upto, middle, side="right"))) / 2

    def to_json(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("unit", "fewest", "median", "mean", "most")}

    def bars(self, most: int) -> list[tuple[int, int, int]]:
        """A histogram of at most so many bars: the first length, the last one, and the number of games."""
        width = -(-(self.most + 1 - self.fewest) // most)
        starts = range(self.fewest, self.most + 1, width)
        return [(a, min(a + width - 1, self.most), int(self.games[a : a + width].sum())) for a in starts]

    def __str__(self) -> str:
        return f"fewest {self.fewest} · median {self.median:g} · mean {self.mean:.1f} · most {self.most}"
