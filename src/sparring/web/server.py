"""State that all calls of the API share: the store, the user's folder, caches, threads and running matches."""

import threading
from pathlib import Path

from sparring.web.agents import AgentCache
from sparring.web.games import ReplayCache
from sparring.web.matches import MatchProcesses
from sparring.web.reports import ReportCache, StoreWatcher
from sparring.web.threads import DeadlinePool


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
