"""Guests outside games: what a user's file says when it is run, and single answers of users' agents."""

import atexit
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.dependencies import Sources
from sparring.agents.spec import Spec
from sparring.arena.limits import AgentFailure, Limits
from sparring.arena.supervisor import GuestSession, Supervisor
from sparring.core.errors import SparringError
from sparring.games.contract import Game

limits = Limits()
_supervisors: list[Supervisor] = []


def _supervisor() -> Supervisor:
    """The supervisor of this process for all questions outside games."""
    if not _supervisors:
        _supervisors.append(Supervisor(limits))
        atexit.register(_supervisors[0].__exit__)
    return _supervisors[0]


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
            yield _Answering(player)
    finally:
        guest.dismiss()
        if guest.printed:
            print(guest.printed)


class _Answering(Agent):
    """A guest whose failure is an error for its user."""

    compiled = False

    def __init__(self, player: GuestSession) -> None:
        self.spec, self.label, self.draws, self.sources = player.spec, player.label, player.draws, player.sources
        self._player = player

    def decide(self, view: View) -> Decision:
        with self._told():
            return self._player.decide(view)

    def explain(self, view: View) -> Decision:
        with self._told():
            return self._player.explain(view)

    def game_ended(self, view: View) -> None:
        self._player.game_ended(view)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except AgentFailure as failure:
            told = SparringError(f"{self.spec} failed: {failure}")
            if failure.output:
                told.add_note(failure.output.rstrip())
            raise told from failure
