"""Matches that are started from the page. Each is a `spar` command in a process of its own, which stores its games.

So a match is stopped as in a terminal, and its finished games stay. The page sees it in the store, like any other.
"""

import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from sparring.arena.store import Store
from sparring.arena.store_file import default_path
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.games.contract import Game
from sparring.statistics.sprt import parse_sprt
from sparring.web import bodies

SPAR = "import sys; sys.path.append(sys.argv.pop(1)); sys.argv[0] = 'spar'; from sparring.cli import main; main()"
"""The package is searched last: the command runs in the user's folder, which may hold any module."""
MAX_MATCHES = 4
START_SECONDS, POLL_SECONDS = 30.0, 0.1
"""Time until a match must be in the store, and between two looks."""
STOP_SECONDS = 5.0
"""Time for a match to end after Ctrl-C."""
HYPOTHESES = {True: "0:10", False: "effect=0:0.1"}
"""Sequential tests of games with two players, and of games with more."""

Process = subprocess.Popen[bytes]


class MatchProcesses:
    """The matches that were started here and still run, by the id of their experiments."""

    def __init__(self, store: Path | None) -> None:
        self._store = store or default_path()
        self._starting, self._closing = threading.Lock(), threading.Event()
        self._processes: dict[str, Process] = {}

    def __contains__(self, id: str) -> bool:
        """Return whether a match was started here, not long ago."""
        return id in self._processes

    def running(self, id: str) -> Process | None:
        """Return the process of a match that runs. It is looked up once, because another thread may remove it."""
        process = self._processes.get(id)
        return process if process and process.poll() is None else None

    def start(self, request: bodies.MatchRequest, game: Game) -> str:
        """Start a match and return the id of its experiment."""
        if not self._starting.acquire(blocking=False):
            raise HTTPException(429, "another match is being started; ask again in a moment")
        try:
            self._processes = {id: one for id, one in self._processes.items() if one.poll() is None}
            if len(self._processes) >= MAX_MATCHES:
                raise HTTPException(429, f"{MAX_MATCHES} matches are running; stop one of them, or wait for its end")
            since = datetime.now(UTC).isoformat()
            with tempfile.TemporaryFile() as errors:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-c", SPAR, str(PACKAGE.parent), *self._command(request, game)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=errors,
                    start_new_session=True,  # Ctrl-C goes to the server alone, which then stops the match
                )
                try:
                    id = self._started(process, request, game, since, errors)
                except BaseException:
                    process.kill()
                    process.wait()
                    raise
            self._processes[id] = process
            return id
        finally:
            self._starting.release()

    def _command(self, request: bodies.MatchRequest, game: Game) -> list[str]:
        """Return the words that play the same match in a terminal."""
        words = ["match" if len(request.agents) == game.seats else "league", request.game, *request.agents]
        words += [f"--{option}={value}" for option, value in request.options.items()]
        words += [f"--games={request.games}", f"--seed={request.seed}", f"--store={self._store}"]
        return [*words, *([f"--sprt={HYPOTHESES[game.seats == 2]}"] if request.sprt else [])]

    def _started(self, process: Process, request: bodies.MatchRequest, game: Game, since: str, errors: Any) -> str:
        """Wait until the experiment of a command is in the store, and return its id."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            ended = process.poll()
            with Store(self._store) as store:
                for id in store.ran_since(since):
                    if _matches(store, id, request, game):
                        return id
            if ended is not None:
                errors.seek(0)
                lines = errors.read().decode(errors="replace").strip().splitlines() or ["the match ended at once"]
                raise SparringError(lines[-1].removeprefix("spar: "))
            if self._closing.wait(POLL_SECONDS):
                break
        raise SparringError(f"the match did not start within {START_SECONDS:g} s; an agent may take too long to load")

    def stop(self, id: str) -> None:
        """Stop a match as Ctrl-C does, and by force if it does not end."""
        process = self.running(id)
        if not process:
            raise HTTPException(404, f"no match {id} runs that was started from the page; stop it where it was started")
        threading.Thread(target=_end, args=([process],), daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        with self._starting:
            _end(self._processes.values())


def _matches(store: Store, id: str, request: bodies.MatchRequest, game: Game) -> bool:
    """Return whether an experiment is the requested one. The agents are compared by the names in the request, because
    an agent of a file has another text in the store."""
    try:
        contest = store.contest(id)
    except SparringError:
        return False  # the rules of its game have changed
    found = contest.experiment
    return (found.game, contest.game.options(), list(found.agents), found.games, found.seed, found.sprt) == (
        request.game,
        game.options(),
        list(dict.fromkeys(request.agents)),
        request.games,
        request.seed,
        parse_sprt(HYPOTHESES[game.seats == 2]) if request.sprt else None,
    )


def _end(processes: Iterable[Process]) -> None:
    running = [process for process in processes if process.poll() is None]
    for process in running:
        try:
            process.send_signal(signal.SIGINT)
        except ValueError:  # Windows has no Ctrl-C for another process; each finished block is kept already
            process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - time.monotonic()))
        process.kill()
        process.wait()
