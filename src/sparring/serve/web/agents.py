"""The agents that are asked from the page: each made once, and users' own code in processes that can be ended."""

import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec
from sparring.agents.spec import agent as make_agent
from sparring.agents.userfile import sources
from sparring.arena.limits import Limits
from sparring.arena.supervisor import Guest, Supervisor
from sparring.errors import SparringError
from sparring.games.contract import Game

HELD = 32
LONGEST = 10.0
"""Seconds after which a user's code that does not answer is ended."""


class Agents:
    """The last that were asked for. A user's file that was edited is another agent."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._held: OrderedDict[Any, Agent] = OrderedDict()
        self._supervisor = Supervisor(Limits(stall=LONGEST))

    def agent(self, game: Game, named: str) -> Agent:
        spec = self.allowed(named)
        said = sources(Path(spec.file)) if spec.file else {}
        key = game.name, tuple(game.options().items()), named, tuple(said.items())
        with self._lock:
            if key not in self._held:
                self._held[key] = self._guest(game, named, said) if spec.file else make_agent(game, named)
                while len(self._held) > HELD:
                    _, gone = self._held.popitem(last=False)
                    if isinstance(gone, Guest):
                        gone.dismiss()
            self._held.move_to_end(key)
            return self._held[key]

    def allowed(self, named: str) -> Spec:
        """A spec taken apart, if it names nothing but agents of ours and files of the user's folder."""
        spec = Spec.parse(named)
        if spec.remote:
            raise SparringError(f"players with an address meet in the terminal: spar snake arena {spec.name} ...")
        for part in spec.parts:
            if part.endswith((".py", ".npz")):
                self._in_folder(part)
        return spec

    def _in_folder(self, name: str) -> None:
        if self._folder is None:
            raise SparringError(f"{name} is a file: name its folder when you start the page, spar web --folder DIR")
        if Path(name).name != name or (self._folder / name).is_symlink() or not (self._folder / name).is_file():
            raise SparringError(f"no file {name[:100]!r} in the folder of the page; names are such as mine.py")

    def _guest(self, game: Game, spec: str, said: Any) -> Guest:
        guest = self._supervisor.guest(game, spec)
        guest.sources = said
        return guest

    def close(self) -> None:
        self._supervisor.__exit__()
