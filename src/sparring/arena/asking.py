"""Guests outside games: what a user's file says when it is run, and single answers of users' agents."""

import atexit
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent
from sparring.agents.dependencies import Sources
from sparring.agents.spec import Spec
from sparring.arena.limits import CRASH, AgentFailure, Limits
from sparring.arena.supervisor import Supervisor
from sparring.core.errors import SparringError
from sparring.games.contract import Game

limits = Limits()
_supervisors: dict[tuple[str, ...], Supervisor] = {}
"""The supervisor for all questions outside games, by the folders in which names of files and modules are looked up."""


def _supervisor() -> Supervisor:
    here = (str(Path.cwd()), *sys.path)
    if here not in _supervisors:
        close()
        _supervisors[here] = Supervisor(limits)
    return _supervisors[here]


@atexit.register
def close() -> None:
    """End the processes that were started for questions."""
    while _supervisors:
        _supervisors.popitem()[1].__exit__()


@contextmanager
def asking(game: Game, spec: str, sources: Sources) -> Iterator[Callable[[dict[str, Any]], dict[str, Any]]]:
    """Start a guest that is asked about its file. Its failure is an error in one line."""
    process = _supervisor().start(pickle.dumps(game).hex(), spec, sources)
    name = Spec.parse(spec).file

    def ask(message: dict[str, Any]) -> dict[str, Any]:
        try:
            answer = process.ask(message, limits.stall)
        except TimeoutError:
            raise SparringError(f"{name}: while it was loaded: no answer after {limits.stall:.3g} s") from None
        except OSError as error:
            raise SparringError(f"{name}: while it was loaded: {process.cause_of_death(error)[1]}") from None
        if "failed" in answer:
            told = str(answer.get("detail")).removeprefix("while loading: ")
            raise SparringError(told if name in told else f"{name}: while it was loaded: {told}")
        return answer

    try:
        yield ask
    finally:
        process.close()


@contextmanager
def seated(game: Game, agent: Agent, dice: Any) -> Iterator[Agent]:
    """Seat a user's agent outside a league. What it prints is printed here."""
    guest = _supervisor().guest(game, agent)
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
    guest = _supervisor().guest(game, agent)
    try:
        with guest.seated(dice) as player:
            yield player
    except AgentFailure as failure:
        told = SparringError(f"{agent.spec} failed: {str(failure).removeprefix(f'{CRASH}: ')}")
        if failure.output:
            told.add_note(failure.output.rstrip())
        raise told from failure
    else:
        if guest.printed:
            print(guest.printed)
    finally:
        guest.dismiss()
