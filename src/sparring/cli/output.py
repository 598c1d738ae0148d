"""Helpers of commands for output: files, the store, progress, results."""

import io
import json
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sparring.core.errors import SparringError, lacking

if TYPE_CHECKING:
    from sparring.arena.referee import PlayedGame
    from sparring.arena.result import Tournament
    from sparring.arena.store import Store
    from sparring.core.progress import Progress
    from sparring.games.contract import Game

FIRST_LINE_SECONDS = 5.0  # if there is no terminal, work that is done sooner says nothing
SECONDS_BETWEEN = 10.0, 600.0  # least and most time between two lines of progress


def opened(store: str | None, new: bool = True) -> "Store":
    """Open the kept games. Commands that only read do not make a new file."""
    from sparring.arena.store import Store

    return Store(Path(store) if store else None, new)


def writable_path(name: str) -> Path:
    """Check that a file can be written, before the work for it begins."""
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise SparringError(f"cannot write {name}; name a file in a folder that exists and can be written")
    return path


def plot_path(name: str) -> Path:
    if not name.endswith((".svg", ".png")):
        raise SparringError(f"--plot draws a file .svg or .png, not {name}")
    if find_spec("matplotlib") is None:
        raise lacking("plots need matplotlib", "plot")
    return writable_path(name)


def is_file_of_games(source: str) -> bool:
    """True if a source is a file of games, False if it is a kept experiment."""
    return Path(source).is_file() or not re.fullmatch("[0-9a-f]+|last", source)


def game_of(source: str, number: int, store: str | None) -> "PlayedGame":
    from sparring.arena import notation
    from sparring.arena.store import no_such_game

    if not is_file_of_games(source):
        with opened(store, new=False) as games:
            return games.game(source, number)
    loaded = notation.load(Path(source))
    if not 1 <= number <= len(loaded):
        raise no_such_game(source, number, len(loaded))
    return loaded[number - 1]


def refuse_workers_on_cluster(given: Any) -> None:
    if given["cluster"] and given["workers"]:
        raise click.UsageError("a cluster has its own workers: leave --workers out.", click.get_current_context())


def play(meet: "Callable[..., Tournament]", game: "Game", agents: Sequence[Any], given: Mapping[str, Any]) -> None:
    """Let agents meet as `match_options` say, keep the games, and print the result."""
    from sparring.arena import notation

    refuse_workers_on_cluster(given)
    save = given["save"]
    others = ("store", "as_json", "save")
    settings = {name: value for name, value in given.items() if value is not None and name not in others}
    with opened(given["store"]) as kept, progress("playing") as tell:
        result = meet(game, *agents, **settings, progress=tell, store=kept)
    show(result, given["as_json"])
    if save:
        notation.save(result.games, save)
        print(f"look at a game: spar replay {save} --game 1", file=sys.stderr)
    end_if_interrupted(result)


def show(result: Any, as_json: bool) -> None:
    print(json.dumps(result.to_json(), indent=1) if as_json else str(result))


class _Labelled(io.TextIOBase):
    """Standard output as indented lines on standard error, below a label. Unbuffered, for the use of a debugger."""

    def __init__(self, label: str) -> None:
        self._before = f"{label}:\n  "

    def write(self, text: str) -> int:
        for line in text.splitlines(keepends=True):
            sys.stderr.write(f"{self._before}{line}")
            self._before = "  " if line.endswith("\n") else ""
        sys.stderr.flush()
        return len(text)


def printed_by(name: str) -> "redirect_stdout[Any]":
    """Keep what an agent prints out of standard output, which is for results."""
    return redirect_stdout(_Labelled(f"{name} printed"))


def end_if_interrupted(result: Any) -> None:
    if result.interrupted:
        sys.exit(130)


@contextmanager
def progress(what: str, unit: str = "games") -> "Iterator[Progress]":
    """Show a progress bar on the terminal, or lines if standard error is something else."""
    if not sys.stderr.isatty():
        with _progress_lines(what, unit) as tell:
            yield tell
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from sparring.core.kernel import compile_notice

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
        TextColumn("{task.fields[known]} {task.fields[compiling]}"),
        console=Console(stderr=True),
        transient=True,
    )
    with bar:
        task = bar.add_task(what, total=None, known="", compiling=compile_notice)
        yield lambda done, total, known="": bar.update(task, completed=done, total=total, known=known)


@contextmanager
def _progress_lines(what: str, unit: str) -> "Iterator[Progress]":
    """Print a line to standard error if work takes long, then after twice the time, and at least every ten minutes."""
    told, ended = f"{what} ...", threading.Event()

    def tell(done: int, total: int, known: str = "") -> None:
        nonlocal told
        told = " ".join(f"{what}: {done:,} of {total:,} {unit} {known}".split())

    def speak() -> None:
        started, pause = time.monotonic(), FIRST_LINE_SECONDS
        while not ended.wait(pause):
            with suppress(OSError, ValueError):  # nobody reads standard error any more
                print(told, file=sys.stderr, flush=True)
            pause = min(max(SECONDS_BETWEEN[0], time.monotonic() - started), SECONDS_BETWEEN[1])

    speaker = threading.Thread(target=speak, daemon=True)
    speaker.start()
    try:
        yield tell
    finally:
        ended.set()
        speaker.join()
