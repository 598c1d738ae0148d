"""Guests outside games: what a user's file says when it is run, and single answers of users' agents."""

import pickle
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent
from sparring.agents.dependencies import Sources
from sparring.agents.spec import Spec
from sparring.arena.limits import CRASH, AgentFailure, Limits
from sparring.arena.stopwatch import Stopwatch
from sparring.arena.summary import printed_text
from sparring.arena.supervisor import Supervisor
from sparring.core.errors import SparringError
from sparring.games.contract import Game

limits = Limits()


_lock = threading.Lock()
_in_use: dict[Path, tuple[Supervisor, int]] = {}
"""The supervisor of all questions that are asked at this time, and their number, by the working directory."""


@contextmanager
def _supervised() -> Iterator[Supervisor]:
    """The supervisor of all questions at a time. After the last one its forkserver goes to the next supervisor."""
    here = Path.cwd()
    with _lock:
        supervisor, users = _in_use.get(here) or (Supervisor(limits), 0)
        _in_use[here] = supervisor, users + 1
    try:
        yield supervisor
    finally:
        with _lock:
            _, users = _in_use.pop(here)
            if users > 1:
                _in_use[here] = supervisor, users - 1
            else:
                supervisor.hand_on()


@contextmanager
def asking(game: Game, spec: str, sources: Sources) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    """Start a guest that is asked about its file. Its failure is an error in one line."""
    name = Spec.parse(spec).file

    def ask(message: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = process.ask(message, Stopwatch(process.pid, limits.stall))
        except TimeoutError:
            raise SparringError(f"{name}: while it was loaded: no answer after {limits.stall:.3g} s") from None
        except ConnectionError as error:
            raise SparringError(f"{name}: while it was loaded: {process.cause_of_death(error)[1]}") from None
        if "failed" in answer:
            told = str(answer.get("detail")).removeprefix("while loading: ")
            raise SparringError(told if name in told else f"{name}: while it was loaded: {told}")
        return answer

    with _supervised() as supervisor:
        process = supervisor.start(pickle.dumps(game).hex(), spec, sources)
        try:
            yield ask
        finally:
            process.close()


@contextmanager
def seated(game: Game, agent: Agent, dice: Any) -> Iterator[Agent]:
    """Seat a user's agent outside a league. What it prints is printed here."""
    with _supervised() as supervisor:
        guest = supervisor.guest(game, agent)
        try:
            with guest.seated(dice) as player:
                yield player
        finally:
            guest.dismiss()
    if guest.printed:
        print(guest.printed)


@contextmanager
def answering(game: Game, agent: Agent, dice: Any) -> Iterator[Agent]:
    """Seat a user's agent for one answer. Its failure is an error for its user, with what the agent printed."""
    try:
        with seated(game, agent, dice) as player:
            yield player
    except AgentFailure as failure:
        told = SparringError(f"{agent.spec} failed: {str(failure).removeprefix(f'{CRASH}: ')}")
        if failure.output:
            told.add_note(printed_text(agent.spec, failure.output.rstrip()))
        raise told from failure
