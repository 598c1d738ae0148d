"""Matches that are started from the page: each is a `spar` command of its own, which keeps its games in the store.

So it is stopped as in a terminal, and what was finished is kept. The page sees it in the store, like any other.
"""

import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparring.arena.store import Store, default_path
from sparring.core.cache import PACKAGE
from sparring.core.errors import SparringError
from sparring.games.contract import Game
from sparring.statistics.sprt import sprt_of
from sparring.web import bodies
from sparring.web.answers import Refusal
from sparring.web.shelf import set_up

if TYPE_CHECKING:
    from sparring.web.server import Server

SPAR = "import sys; sys.path.append(sys.argv.pop(1)); sys.argv[0] = 'spar'; from sparring.cli import main; main()"
"""Our own modules are found last: the command runs in a user's folder, which may hold anything."""
MOST = 4
"""Matches at once."""
BEGINS, LOOKS = 30.0, 0.1
"""Seconds for a match to begin, and between two looks whether it has."""
ENDS = 5.0
"""Seconds for a match to end that is told to."""
TESTS = {True: "0:10", False: "effect=0:0.1"}
"""What a sequential test asks: of two players, and of more."""


class Matches:
    """Those that were started here and still run."""

    def __init__(self, store: Path | None) -> None:
        self._store = store or default_path()
        self._starting, self._closing = threading.Lock(), threading.Event()
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def knows(self, id: str) -> bool:
        """Whether it was started here, not long ago."""
        return id in self._running

    def is_ours(self, id: str) -> bool:
        """Whether it was started here and runs."""
        return self._ours(id) is not None

    def _ours(self, id: str) -> subprocess.Popen[bytes] | None:
        """Its process, looked up once: whoever starts another match may forget it at any time."""
        process = self._running.get(id)
        return process if process and process.poll() is None else None

    def start(self, asked: bodies.MatchAsked, game: Game) -> str:
        """Begin a match; the id of its experiment is known when it has."""
        with self._starting:
            self._running = {id: one for id, one in self._running.items() if one.poll() is None}
            if len(self._running) >= MOST:
                raise Refusal(429, f"{MOST} matches are running; stop one of them, or wait for its end")
            since = datetime.now(UTC).isoformat()
            with tempfile.TemporaryFile() as said:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-c", SPAR, str(PACKAGE.parent), *self._words(asked, game)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    start_new_session=True,  # Ctrl-C is for the server, which then ends it
                )
                try:
                    id = self._begun(process, asked, game, since, said)
                except BaseException:
                    process.kill()
                    process.wait()
                    raise
            self._running[id] = process
            return id

    def _words(self, asked: bodies.MatchAsked, game: Game) -> list[str]:
        """What is typed in a terminal to play the same."""
        words = ["match" if len(asked.agents) == game.seats else "league", asked.game, *asked.agents]
        words += [f"--{option}={value}" for option, value in asked.options.items()]
        words += [f"--games={asked.games}", f"--seed={asked.seed}", f"--store={self._store}"]
        return [*words, *([f"--sprt={TESTS[game.seats == 2]}"] if asked.sprt else [])]

    def _begun(self, process: Any, asked: bodies.MatchAsked, game: Game, since: str, said: Any) -> str:
        """The id of the experiment that a command has begun in the store since then."""
        until = time.monotonic() + BEGINS
        while time.monotonic() < until:
            ended = process.poll()
            with Store(self._store) as kept:
                for id in kept.ran_since(since):
                    if _is_asked(kept, id, asked, game):
                        return id
            if ended is not None:
                said.seek(0)
                lines = said.read().decode(errors="replace").strip().splitlines() or ["it has ended without a word"]
                raise SparringError(lines[-1].removeprefix("spar: "))
            if self._closing.wait(LOOKS):
                break
        raise SparringError(
            f"the match did not begin within {BEGINS:g} s; its agents may not come to an end of loading"
        )

    def stop(self, id: str) -> None:
        """As Ctrl-C does, and by force if that is not heard."""
        process = self._ours(id)
        if not process:
            raise Refusal(404, f"no match {id} was started from the page and still runs; stop it where it was started")
        threading.Thread(target=_end, args=([process],), daemon=True).start()

    def close(self) -> None:
        self._closing.set()
        with self._starting:
            _end(list(self._running.values()))


def _is_asked(kept: Store, id: str, asked: bodies.MatchAsked, game: Game) -> bool:
    """Whether it is what was asked for, by the names that were given: a file's agent is known by another text."""
    try:
        contest = kept.contest(id)
    except SparringError:
        return False  # of a game whose rules have changed
    told = contest.experiment
    return (told.game, contest.game.options(), list(told.agents), told.games, told.seed, told.sprt) == (
        asked.game,
        game.options(),
        list(dict.fromkeys(asked.agents)),
        asked.games,
        asked.seed,
        sprt_of(TESTS[game.seats == 2]) if asked.sprt else None,
    )


def _end(processes: Sequence["subprocess.Popen[bytes]"]) -> None:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
    until = time.monotonic() + ENDS
    for process in processes:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, until - time.monotonic()))
        if process.poll() is None:
            process.kill()
            process.wait()


def start(server: "Server", asked: bodies.MatchAsked) -> bodies.Started:
    """Start a match, or a league. What can be wrong with agents is found out here first: users' code is given ten
    seconds, no more."""
    game = set_up(asked)
    for spec in dict.fromkeys(asked.agents):
        server.agents.prove(game, spec)
    return bodies.Started(id=server.matches.start(asked, game))


def stop(server: "Server", id: bodies.Id) -> bodies.Nothing:
    """Stop a match that was started here."""
    server.matches.stop(id)
    return bodies.Nothing()
