"""Users' Python from outside: what the process that referees asks the guests that run it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.dependencies import Sources, located
from sparring.agents.execution import Decoder, Tables, weights_from
from sparring.agents.extract import Want
from sparring.core.errors import SparringError
from sparring.core.terms import Weight
from sparring.games.contract import Game

GUESTS = "sparring.arena.asking"
"""The module that starts guests. It is on a higher floor, so it is found by its name when it is needed."""
MOST_FILES = 1000
_guest = False


def become_guest() -> None:
    """Let this process run users' code from now on."""
    global _guest
    _guest = True


def is_guest() -> bool:
    """True in a process of a guest, which alone may run users' code."""
    return _guest


def values(
    game: Game, file: str, modules: Sources, wants: Mapping[Want, str], weighed: str
) -> tuple[dict[Want, Any], dict[str, Weight], set[Path]]:
    """Let a guest run a file. Return the values of names, which `wants` tells with their places, the weights of a
    heuristic, and the files that were opened."""
    with import_module(GUESTS).asking(game, file, modules) as ask:
        answer = ask({"values": [[*want] for want in wants], "weighed": weighed})
        try:
            decoder, told = Decoder(Tables(ask)), answer["values"]
            found = {
                want: decoder.decoded(one, place)
                for (want, place), one in zip(wants.items(), told, strict=True)
                if one is not None
            }
            return found, weights_from(answer["weights"]), used_files(answer, Path(file))
        except SparringError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise SparringError(f"{file}: its values cannot be taken: {error}") from error


def agents(game: Game, file: str, modules: Sources) -> dict[str, str]:
    """Let a guest run a file. Return the games of the agents that it declares, by their names."""
    with import_module(GUESTS).asking(game, file, modules) as ask:
        found = ask({"agents": True}).get("agents")
        return {str(name): str(of) for name, of in found.items()} if isinstance(found, dict) else {}


def used_files(answer: Mapping[str, Any], path: Path) -> set[Path]:
    """The files that a guest has opened, from its answer."""
    home = path.resolve().parent
    files = {located(str(name), home) for name in list(answer.get("used", ()))[:MOST_FILES]}
    return {file for file in files if file.is_file()}


class OutsideAgent(Agent):
    """A user's Python agent. Wherever it is asked, a process of its own answers."""

    compiled = False

    def __init__(self, game: Game, made: Agent) -> None:
        self._game = game
        self.spec, self.label, self.sources, self.given = made.spec, made.label, made.sources, made.given
        self.timed, self.draws, self.tunable = made.timed, made.draws, made.tunable
        self.metrics, self.flaws, self.fixes = made.metrics, made.flaws, made.fixes

    @contextmanager
    def seated(self, dice: Any) -> Iterator[Agent]:
        with import_module(GUESTS).seated(self._game, self, dice) as player:
            yield player

    def decide(self, view: View) -> Decision:
        with import_module(GUESTS).answering(self._game, self, view.dice) as player:
            return player.decide(view)  # type: ignore[no-any-return]

    def explain(self, view: View) -> Decision:
        with import_module(GUESTS).answering(self._game, self, view.dice) as player:
            return player.explain(view)  # type: ignore[no-any-return]


def tried(game: Game, spec: str, file: str, sources: Sources) -> set[Path]:
    """Let a guest make a user's agent. Return the files that it opened; raise SparringError if the guest fails."""
    with import_module(GUESTS).asking(game, spec, sources) as ask:
        return used_files(ask({"seed": "00" * 16, "trial": True}), Path(file))
