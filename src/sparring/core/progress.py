"""How work that takes long says how far it has come."""

from typing import Protocol


class Progress(Protocol):
    """How many are done of how many, and what is known so far."""

    def __call__(self, done: int, total: int, known: str = "", /) -> None: ...
