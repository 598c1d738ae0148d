"""Objects that the calls of one process share: the store, the user's folder, replayed games, and agents."""

from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from sparring.games import registry
from sparring.games.contract import Game, Position
from sparring.games.replay import Step, replay
from sparring.web import bodies
from sparring.web.agents import AgentCache
from sparring.web.lru import LruCache

CACHED_BYTES, STEP_OVERHEAD = 128 << 20, 1 << 10
"""Size of the positions that are kept for requests that continue the same game, and of a step besides its state."""

Replayed = tuple[list[dict[str, str]], list[Step]]
"""The moves of a game, and its steps."""


def set_up(rules: bodies.RulesRequest) -> Game:
    """Return a game with its options: the same object each time, so that its rules are compiled once."""
    return _set_up(rules.game, tuple(sorted(rules.options.items())))


@lru_cache(maxsize=64)
def _set_up(name: str, options: tuple[tuple[str, str], ...]) -> Game:
    return registry.game(name, **dict(options))


class ReplayCache:
    """Replayed games. If a game is known already, only the moves that differ are played again."""

    def __init__(self) -> None:
        self._games: LruCache[Any, Replayed] = LruCache(CACHED_BYTES, _size)

    def positions(self, game: bodies.GameRequest) -> list[Position]:
        return [step.position for step in self.steps(game)]

    def steps(self, game: bodies.GameRequest) -> list[Step]:
        key = game.game, tuple(sorted(game.options.items())), game.seed, game.start
        moves, known = self._games.get(key) or ([], [])
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(moves, game.moves, strict=False)))
        start = known[same].position if known else set_up(game).start(game.seed, game.start)
        rest = [{int(player): move for player, move in step.items()} for step in game.moves[same:]]
        steps = [*known[:same], *replay(start, rest, first=same + 1)]
        self._games.put(key, (game.moves, steps))
        return steps


def _size(replayed: Replayed) -> int:
    _, steps = replayed
    return len(steps) * (steps[0].position.game.state.itemsize + STEP_OVERHEAD)


class Workspace:
    """The store, the user's folder and the games that were replayed."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        self.store = store
        self.folder = folder
        self.replays = ReplayCache()


class Thinker(Workspace):
    """The workspace of a process that can be ended. Agents think nowhere else."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        super().__init__(store, folder)
        self.agents = AgentCache(folder)

    def close(self) -> None:
        self.agents.close()
