"""State that all calls of the API share: the store, the user's folder, caches, threads and running matches."""

import threading
import time
from contextlib import suppress
from functools import lru_cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from sparring.analysis.report import Report
from sparring.api import report
from sparring.arena.store import Store
from sparring.arena.store_file import default_path
from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.contract import Game, Position
from sparring.games.replay import Step, replay
from sparring.web import bodies
from sparring.web.agents import AgentCache
from sparring.web.lru import LruCache
from sparring.web.matches import MatchProcesses
from sparring.web.threads import DeadlinePool

CACHED_BYTES, STEP_OVERHEAD = 128 << 20, 1 << 10
"""Size of the positions that are kept for requests that continue the same game, and of a step besides its state."""
CACHED_REPORTS = 4
POLL_SECONDS = 0.4
FRESH_SECONDS = 20.0
"""An experiment that grew within this time counts as running."""

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


class ReportCache:
    """The latest reports. A report is made again when more games were played."""

    def __init__(self, store: Path | None) -> None:
        self._store = store
        self._reports: LruCache[str, tuple[int, Report]] = LruCache(CACHED_REPORTS)

    def get(self, prefix: str) -> Report:
        """Return the report of the experiment whose id begins so."""
        with Store(self._store) as store:
            id = full_id(store, prefix)
            games, cached = store.games_kept()[id], self._reports.get(id)
            if cached and cached[0] == games:
                return cached[1]
            made = Report(report(id, store=store), store.begun(id))
        self._reports.put(id, (games, made))
        return made


def full_id(store: Store, prefix: str) -> str:
    try:
        return store.find(prefix)
    except SparringError as error:
        raise HTTPException(404, str(error)) from error


class StoreWatcher:
    """A thread that polls the store and remembers which experiments grow."""

    def __init__(self, store: Path | None) -> None:
        self._store = store or default_path()
        self._counts: dict[str, int] = {}
        self._grown: dict[str, float] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def batches(self, id: str) -> int:
        """Return a number that changes whenever something was played."""
        return self._counts.get(id, 0)

    def grows(self, id: str) -> bool:
        return time.monotonic() - self._grown.get(id, -FRESH_SECONDS) < FRESH_SECONDS

    def _poll(self) -> None:
        while not self._closed.is_set():
            if self._store.exists():
                with suppress(SparringError), Store(self._store) as store:
                    version, self._counts = store.version(), store.games_kept()
                    while not self._closed.wait(POLL_SECONDS):
                        if (now := store.version()) != version:
                            version = now
                            self._update(store.games_kept())
            self._closed.wait(POLL_SECONDS)

    def _update(self, counts: dict[str, int]) -> None:
        grown = [id for id, count in counts.items() if count != self._counts.get(id, 0)]
        self._grown |= dict.fromkeys(grown, time.monotonic())
        self._counts = counts

    def close(self) -> None:
        self._closed.set()
        self._thread.join(5.0)


class Server:
    """The state behind one page. Close it when serving ends."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        self.store = store
        self.folder = folder
        self.file_lock = threading.Lock()
        """Held while a file of the folder is written."""
        self.listeners = 0
        """Pages that listen for news."""
        self.pool = DeadlinePool()
        self.replays = ReplayCache()
        self.agents = AgentCache(folder)
        self.reports = ReportCache(store)
        self.watcher = StoreWatcher(store)
        self.matches = MatchProcesses(store)

    def running(self, id: str) -> bool:
        """Return whether an experiment is being played, started here or in a terminal."""
        return self.matches.running(id) is not None if id in self.matches else self.watcher.grows(id)

    def close(self) -> None:
        self.agents.close()
        self.watcher.close()
        self.matches.close()
