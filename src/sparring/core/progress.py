"""Progress of long work, and its bar in a notebook."""

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

Work = TypeVar("Work", bound=Callable[..., Any])
SHOWN_AFTER, SECONDS_APART = 0.5, 0.1
"""A bar appears only if the work is not done by then, and it moves no more often than a reader can see."""


class Progress(Protocol):
    """Called with the number of finished parts, the number of all parts, and what is known so far."""

    def __call__(self, done: int, total: int, known: str = "", /) -> None: ...


def in_notebook() -> bool:
    """True in a kernel of Jupyter, which shows HTML."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return hasattr(shell, "kernel")


def with_bar(function: Work) -> Work:
    """Show a bar in a notebook while a function with the argument `progress` works, unless the argument is given."""

    @wraps(function)
    def shown(*given: Any, **named: Any) -> Any:
        if named.get("progress") or not in_notebook():
            return function(*given, **named)
        with _bar(function.__name__) as named["progress"]:
            return function(*given, **named)

    return cast(Work, shown)


@contextmanager
def _bar(what: str) -> Iterator[Progress]:
    """A bar in the output of a cell, gone at the end."""
    show: Any = sys.modules["IPython"].display.display

    bar: Any = None
    due = time.monotonic() + SHOWN_AFTER

    def tell(done: int, total: int, known: str = "", /) -> None:
        nonlocal bar, due
        if (now := time.monotonic()) < due:
            return
        due, told = now + SECONDS_APART, f"{what}: {done:,} of {total:,} {known}"
        drawn = f'<progress value="{done}" max="{total}"></progress> {html.escape(told)}'
        shown = {"text/plain": told, "text/html": drawn}
        if bar:
            bar.update(shown, raw=True)
        else:
            bar = show(shown, raw=True, display_id=True)

    try:
        yield tell
    finally:
        if bar:
            bar.update({"text/plain": "", "text/html": ""}, raw=True)
