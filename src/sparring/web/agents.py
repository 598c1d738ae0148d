"""Agents that answer the page. Users' code runs in processes that can be ended."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparring.agents.agent import Agent, View, attributed_to
from sparring.agents.spec import Spec
from sparring.agents.spec import agent as make_agent
from sparring.arena.limits import AgentFailure, Limits
from sparring.arena.supervisor import Guest, Supervisor
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.games.contract import Game
from sparring.web.lru import LruCache

CACHED_AGENTS = 32
STALL_SECONDS = 10.0
"""Users' code that does not answer within this time is ended."""


@contextmanager
def agent_errors(agent: Agent) -> Iterator[None]:
    """Turn a failure of an agent into an error that names the agent."""
    with attributed_to(agent):
        try:
            yield
        except AgentFailure as failure:
            raise SparringError(f"{agent.spec}: {failure}") from failure


class AgentCache:
    """The latest agents. An edited file of a user makes another agent, and so does a table that was learned anew."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._agents: LruCache[Any, Agent] = LruCache(CACHED_AGENTS)
        self._supervisor = Supervisor(Limits(stall=STALL_SECONDS))

    def get(self, game: Game, text: str) -> Agent:
        spec = self._checked(self._checked(Spec.parse(text)).opened(game.name))
        sources = spec.sources()
        key = game.name, tuple(game.options().items()), spec.text, tuple(sources.items())
        if known := self._agents.get(key):
            return known
        if spec.file:
            made: Agent = self._supervisor.guest(game, spec.text)
            made.sources = sources
        else:
            made = make_agent(game, spec.text)
        for removed in self._agents.put(key, made):
            if isinstance(removed, Guest):
                removed.dismiss()  # no process waits for a further question
        return made

    def try_out(self, game: Game, text: str) -> list[str]:
        """Make an agent. If it is a user's, load it and let it make a first move. Return its warnings, or raise
        SparringError with what is wrong."""
        made = self.get(game, text)
        if not isinstance(made, Guest):
            return []
        position, dice = game.start(0), players_dice(0, 0)
        with agent_errors(made), made.seated(dice) as player:
            player.decide(View.of(position, position.actors[0], dice))
            return player.warned

    def _checked(self, spec: Spec) -> Spec:
        """Return the spec if it names only agents of the package and files of the user's folder."""
        if spec.remote:
            raise SparringError(f"agents with an address play in the terminal only: spar match GAME {spec.name} ...")
        for name in spec.parts:
            if not name.endswith((".py", ".npz", ".toml")):
                continue
            if self._folder is None:
                raise SparringError(f"{name} is a file: name its folder when you start the page, spar web --folder DIR")
            plain = re.fullmatch(r"\w[\w.-]{0,80}", name, re.ASCII)
            if not plain or (self._folder / name).is_symlink() or not (self._folder / name).is_file():
                raise SparringError(f"no file {name[:100]!r} in the folder of the page; names are such as mine.py")
        return spec

    def close(self) -> None:
        self._supervisor.__exit__()
