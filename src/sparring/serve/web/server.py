"""What all calls of the page share: the store, the user's folder, and whatever takes long to make."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sparring.serve.thinking import Thinkers

if TYPE_CHECKING:
    from sparring.serve.web.agents import Agents
    from sparring.serve.web.play import Replays

Made = TypeVar("Made")


class Server:
    """One for each page that is served; it is closed when serving ends."""

    def __init__(self, store: Path | None = None, folder: Path | None = None) -> None:
        self.store = store
        self.folder = folder
        self.thinkers = Thinkers()
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def _once(self, name: str, make: Callable[[], Made]) -> Made:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return cast(Made, self._made[name])

    @property
    def replays(self) -> "Replays":
        from sparring.serve.web.play import Replays

        return self._once("replays", Replays)

    @property
    def agents(self) -> "Agents":
        from sparring.serve.web.agents import Agents

        return self._once("agents", lambda: Agents(self.folder))

    def close(self) -> None:
        """End whatever was started."""
        for made in self._made.values():
            if hasattr(made, "close"):
                made.close()
