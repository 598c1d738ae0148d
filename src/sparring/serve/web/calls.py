"""Every call of the API: its path, what it is asked, what it answers, and which function does so.

The server's routes and the description of the API are both made from this table. Functions are named rather than
imported: the games behind them are loaded when somebody first asks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from pydantic import BaseModel, TypeAdapter

from sparring.serve.web import bodies

PATH = {"id": bodies.Id, "name": bodies.FileName, "number": bodies.Number}
"""What may stand in a path, in whichever."""


@dataclass(frozen=True, eq=False)
class Call:
    """`does` is the module and the function. It gets the server, what stands in the path and what is asked; one that
    `thinks` also gets the seconds that it has."""

    method: str
    path: str
    does: str
    about: str
    answers: Any
    body: type[BaseModel] | None = None
    query: type[BaseModel] | None = None
    text: bool = False
    """Whether the body is plain text and not JSON."""
    thinks: bool = False

    @cached_property
    def function(self) -> Callable[..., Any]:
        module, _, name = self.does.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"sparring.serve.web.{module}"), name)
        return found

    @cached_property
    def answer(self) -> TypeAdapter[Any]:
        return TypeAdapter(self.answers)


CALLS = (
    Call("GET", "/api/games", "shelf:games", "The games, their options and their agents.", list[bodies.Shelved]),
    Call(
        "POST",
        "/api/frames",
        "play:frames",
        "Positions of a game, and what can be done in the last.",
        bodies.Frames,
        body=bodies.FramesAsked,
    ),
    Call(
        "POST",
        "/api/decide",
        "play:decide",
        "What an agent would do, and why.",
        bodies.Decided,
        body=bodies.DecisionAsked,
        thinks=True,
    ),
)
