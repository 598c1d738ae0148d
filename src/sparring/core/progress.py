"""Progress of long work."""

from typing import Protocol


class Progress(Protocol):
    """Called with the number of finished parts, the number of all parts, and what is known so far."""

    def __call__(self, done: int, total: int, known: str = "", /) -> None: ...
