"""State that all calls of the API share: reports, processes that think, running matches, and what grows."""

import threading
import time
from contextlib import suppress
from pathlib import Path

from starlette.exceptions import HTTPException

from sparring.analysis.report import Report
from sparring.api import report
from sparring.arena.store import Store
from sparring.arena.store_file import default_path
from sparring.core.errors import SparringError
from sparring.web.lru import LruCache
from sparring.web.matches import MatchProcesses
from sparring.web.workers import CallPool
from sparring.web.workspace import Workspace

CACHED_REPORTS = 4
POLL_SECONDS = 0.4
FRESH_SECONDS = 20.0
"""An experiment that grew within this time counts as running."""


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


class Server(Workspace):
    """The state behind one page. Close it when serving ends."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        super().__init__(store, folder)
        self.file_lock = threading.Lock()
        """Held while a file of the folder is written."""
        self.listeners = 0
        """Pages that listen for news."""
        self.processes = CallPool(store, folder)
        self.reports = ReportCache(store)
        self.watcher = StoreWatcher(store)
        self.matches = MatchProcesses(store)

    def running(self, id: str) -> bool:
        """Return whether an experiment is being played, started here or in a terminal."""
        return self.matches.running(id) is not None if id in self.matches else self.watcher.grows(id)

    def close(self) -> None:
        self.processes.close()
        self.watcher.close()
        self.matches.close()
