"""Try a user's heuristic on a few positions before it plays. It must be a function of the position, and a number."""

import json
import math
import os
import select
import signal
import sys
import time
from collections.abc import Callable
from itertools import chain, islice, takewhile
from typing import Any

from sparring.agents.outside import is_guest
from sparring.core.errors import EndlessLoop, SparringError
from sparring.core.terms import MOST, BoundHeuristic, Heuristic
from sparring.games.check import random_game
from sparring.games.contract import Game, Position

GAMES, POSITIONS = 3, 40
AT_LEAST, SECONDS = 10, 0.5
"""Positions that are tried in any case, and the processor time after which it is enough."""
PATIENCE = 30
"""Seconds after which a heuristic that does not end is given up."""
REMEDY = "look for indexes out of range, loops without an end, and large arrays"
_probed: dict[int, Heuristic] = {}
"""The heuristics that were tried, by their ids."""


def can_copy() -> bool:
    """Return whether a process that has threads can safely be copied here."""
    return sys.platform == "linux" and hasattr(os, "fork")


def probe(game: Game, bound: BoundHeuristic, warn: Callable[[str], None] | None) -> None:
    """Raise SparringError if a user's heuristic changes the state, or has two values for one position. Warn if it is no
    finite number. A heuristic that fails is left to the game, which names the error."""
    heuristic = bound.heuristic
    if heuristic.built_in or id(heuristic) in _probed:
        return
    _probed[id(heuristic)] = heuristic
    try:
        told = _told_by_copy(game, bound) if can_copy() and not is_guest() else _tried(game, bound)
    except SparringError:
        del _probed[id(heuristic)]  # it is refused again if it is named again
        raise
    if told and warn:
        warn(told)


def _told_by_copy(game: Game, bound: BoundHeuristic) -> str:
    """Try a heuristic in a copy of this process, which can be ended if compiled code hangs."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    pid = os.fork()
    if not pid:
        try:
            try:
                answer = ["told", _tried(game, bound)]
            except SparringError as error:
                answer = ["refused", str(error)]
            sys.stdout.flush()
            os.write(writing, json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading, "rb") as answers:
            ended = any(select.select([answers], [], [], 1.0)[0] for _ in range(PATIENCE))  # a pause is no second
            said = answers.read() if ended else b""
    finally:
        os.kill(pid, signal.SIGKILL)
        number = os.waitpid(pid, 0)[1] & 127
    if not said:
        how = f"was ended by {signal.Signals(number).name}" if ended and number else f"did not end in {PATIENCE} s"
        raise _refused(bound.heuristic, f"was tried on a few positions, and its process {how}; {REMEDY}")
    kind, told = json.loads(said)
    if kind == "refused":
        raise SparringError(told)
    return str(told)


def _tried(game: Game, bound: BoundHeuristic) -> str:
    """Return what is odd about a heuristic; an empty text if nothing is."""
    games = (islice(random_game(game, seed, "probe"), POSITIONS) for seed in range(GAMES))
    end = time.thread_time() + SECONDS
    tried = takewhile(lambda one: one[0] < AT_LEAST or time.thread_time() < end, enumerate(chain.from_iterable(games)))
    try:
        return next(filter(None, (_fault(bound, one, player) for _, one in tried for player in one.actors)), "")
    except EndlessLoop:
        return ""
    except SparringError:
        raise
    except Exception:
        return ""


def _fault(bound: BoundHeuristic, position: Position, player: int) -> str:
    """Return what is odd about a heuristic's value of a position; an empty text if nothing is."""
    heuristic, state = bound.heuristic, position.game.copy(position.state)
    try:
        values = [float(bound.score(state, player, bound.weights)) for _ in range(2)]
    except TypeError:
        heuristic.plain_terms(state, player)  # names a value that is no number, such as None
        raise
    where = f"the position {position.text!r}"
    if state.tobytes() != position.state.tobytes():
        fields = [f"s.{name}" for name in state.dtype.names if state[name].tobytes() != position.state[name].tobytes()]
        raise _refused(heuristic, f"changes {', '.join(fields)} in {where}; it may only read the state")
    if values[0] != values[1]:
        given = f"gives {values[0]:g} and then {values[1]:g} for {where}"
        raise _refused(heuristic, f"{given}; it must depend on the state alone, without random numbers")
    if abs(values[0]) < MOST:
        return ""
    terms: dict[str, Any] = heuristic.terms(state, player)
    odd = [f"{name} is {value:g}" for name, value in terms.items() if not math.isfinite(value)]
    counts = f"it counts as {values[0]:+,.0f}, the {'largest' if values[0] > 0 else 'smallest'} possible value"
    return f"{_place(heuristic)}: {', '.join(odd) or 'the value is too large'} in {where}; {counts}"


def _refused(heuristic: Heuristic, told: str) -> SparringError:
    return SparringError(f"{_place(heuristic)}: {heuristic.name} {told}")


def _place(heuristic: Heuristic) -> str:
    code = heuristic.function.__code__
    return f"{code.co_filename}:{code.co_firstlineno}"
