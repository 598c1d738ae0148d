"""How long games were: in turns where players move at once, else in moves."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.games.contract import Game


def unit(game: Game) -> str:
    return "turns" if game.kind.simultaneous else "moves"


def lengths(game: Game, moves: Any) -> Any:
    """The lengths of games, from the moves of each seat on the last axis. In a turn of players that move at once each
    living one makes a move, so that the player that lives longest has made one in every turn."""
    return moves.max(axis=-1).astype(np.int64) if game.kind.simultaneous else moves.sum(axis=-1, dtype=np.int64)


@dataclass(frozen=True)
class Lengths:
    """How many games were how long."""

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
        """A histogram: from which length, to which, and the games between."""
        width = -(-(self.most + 1 - self.fewest) // most)
        starts = range(self.fewest, self.most + 1, width)
        return [(a, min(a + width - 1, self.most), int(self.games[a : a + width].sum())) for a in starts]

    def __str__(self) -> str:
        return f"fewest {self.fewest} · median {self.median:g} · mean {self.mean:.1f} · most {self.most}"
