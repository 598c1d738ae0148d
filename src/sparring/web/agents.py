"""The agents that are asked from the page: each made once, and users' own code in processes that can be ended."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent, View, blaming
from sparring.agents.spec import Spec
from sparring.agents.spec import agent as make_agent
from sparring.arena.limits import Failed, Limits
from sparring.arena.supervisor import Guest, Supervisor
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.games.contract import Game, Position
from sparring.web.recent import Recent

HELD = 32
LONGEST = 10.0
"""Seconds after which a user's code that does not answer is ended."""


@contextmanager
def failing(agent: Agent) -> Iterator[None]:
    """What goes wrong with an agent is an error that names it."""
    with blaming(agent):
        try:
            yield
        except Failed as failure:
            raise SparringError(f"{agent.spec}: {failure}") from failure


class Agents:
    """The last that were asked for. A user's file that was edited is another agent, and so is a table learned anew."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._held: Recent[Any, Agent] = Recent(HELD)
        self._supervisor = Supervisor(Limits(stall=LONGEST))

    def agent(self, game: Game, named: str) -> Agent:
        spec = self._allowed(self._allowed(Spec.parse(named)).opened(game.name))
        said = spec.sources()
        key = game.name, tuple(game.options().items()), spec.text, tuple(said.items())
        if known := self._held.get(key):
            return known
        made = self._guest(game, spec.text, said) if spec.file else make_agent(game, spec.text)
        for gone in self._held.keep(key, made):
            if isinstance(gone, Guest):
                gone.dismiss()  # it may still be asked, but no process waits for that
        return made

    def prove(self, game: Game, named: str) -> list[str]:
        """Make an agent, and if it is a user's have it loaded and make a first move: SparringError tells what is wrong
        with it, and what is returned is worth knowing."""
        made = self.agent(game, named)
        if not isinstance(made, Guest):
            return []
        position, own = game.start(0), players_dice(0, 0)
        me = position.actors[0]
        with failing(made), made.seated(own) as player:
            player.decide(View(Position(game, game.seen(position.state), own), me, own))
            return player.warned

    def _allowed(self, spec: Spec) -> Spec:
        """The same, if it names nothing but agents of ours and files of the user's folder."""
        if spec.remote:
            raise SparringError(f"players with an address meet in the terminal: spar match GAME {spec.name} ...")
        for part in spec.parts:
            if part.endswith((".py", ".npz", ".toml")):
                self._in_folder(part)
        return spec

    def _in_folder(self, name: str) -> None:
        if self._folder is None:
            raise SparringError(f"{name} is a file: name its folder when you start the page, spar web --folder DIR")
        plain = re.fullmatch(r"\w[\w.-]{0,80}", name, re.ASCII)
        if not plain or (self._folder / name).is_symlink() or not (self._folder / name).is_file():
            raise SparringError(f"no file {name[:100]!r} in the folder of the page; names are such as mine.py")

    def _guest(self, game: Game, spec: str, said: Any) -> Guest:
        guest = self._supervisor.guest(game, spec)
        guest.sources = said
        return guest

    def close(self) -> None:
        self._supervisor.__exit__()
