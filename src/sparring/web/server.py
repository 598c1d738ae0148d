"""What all calls of the page share: the store, the user's folder, and whatever takes long to make."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sparring.web.thinking import Thinkers

if TYPE_CHECKING:
    from sparring.web.agents import Agents
    from sparring.web.compare import Reports
    from sparring.web.matches import Matches
    from sparring.web.play import Replays
    from sparring.web.watch import Watch

Made = TypeVar("Made")


class Server:
    """One for each page that is served; it is closed when serving ends."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        self.store = store
        self.folder = folder
        self.thinkers = Thinkers()
        self.writing = threading.Lock()
        """Who has it alone writes to the folder."""
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], Made]) -> Made:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return cast(Made, self._made[name])

    @property
    def replays(self) -> "Replays":
        from sparring.web.play import Replays

        return self._once("replays", Replays)

    @property
    def agents(self) -> "Agents":
        from sparring.web.agents import Agents

        return self._once("agents", lambda: Agents(self.folder))

    @property
    def reports(self) -> "Reports":
        from sparring.web.compare import Reports

        return self._once("reports", Reports)

    @property
    def watch(self) -> "Watch":
        from sparring.web.watch import Watch

        return self._once("watch", lambda: Watch(self.store))

    @property
    def matches(self) -> "Matches":
        from sparring.web.matches import Matches

        return self._once("matches", lambda: Matches(self.store))

    def running(self, id: str) -> bool:
        """Whether an experiment is being played, from here or from a terminal."""
        return self.matches.is_ours(id) if self.matches.knows(id) else self.watch.grows(id)

    def close(self) -> None:
        """End whatever was started."""
        for made in self._made.values():
            if hasattr(made, "close"):
                made.close()
