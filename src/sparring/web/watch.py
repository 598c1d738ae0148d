"""Which experiments of a store are being played, whoever started them: those that grow."""

import sqlite3
import threading
import time
from contextlib import suppress
from pathlib import Path

from sparring.arena.store import Store
from sparring.core.errors import SparringError

LOOKS = 0.4
"""Seconds between two."""
FRESH = 20.0
"""Seconds for which an experiment that has grown is taken to be running."""


class Watch:
    """Looks at the store again and again, from a thread of its own."""

    def __init__(self, store: Path | None) -> None:
        self._store = store
        self._sheets: dict[str, int] = {}
        self._grown: dict[str, float] = {}
        self._looked, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._look_on, daemon=True)
        self._thread.start()
        self._looked.wait(5.0)

    def sheets(self, id: str) -> int:
        """A number that is another one whenever something was played."""
        return self._sheets.get(id, 0)

    def grows(self, id: str) -> bool:
        return time.monotonic() - self._grown.get(id, -FRESH) < FRESH

    def _look_on(self) -> None:
        while not self._closed.is_set():
            with suppress(SparringError, sqlite3.Error), Store(self._store) as kept:
                version = -1
                while not self._closed.wait(LOOKS if version >= 0 else 0.0):
                    if (now := kept.version()) != version:
                        self._note(kept.sheets_kept(), first=version < 0)
                        version = now
            self._closed.wait(LOOKS)

    def _note(self, sheets: dict[str, int], first: bool) -> None:
        if not first:
            grown = [id for id, count in sheets.items() if count != self._sheets.get(id, 0)]
            self._grown |= dict.fromkeys(grown, time.monotonic())
        self._sheets = sheets
        self._looked.set()

    def close(self) -> None:
        self._closed.set()
        self._thread.join(5.0)
