"""Every call of the API: its method, its path, and the function that answers it.

What a call takes and answers is said by the types of its function. Functions are named and not imported: the games
behind them are loaded when somebody first asks.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, NamedTuple

from pydantic import TypeAdapter

PATH, QUERY, JSON, TEXT = "path", "query", "application/json", "text/plain"


class Input(NamedTuple):
    """One argument of a function, and the part of a request that it comes from."""

    name: str
    place: str
    type: TypeAdapter[Any]


@dataclass(eq=False)
class Call:
    """`does` is the module and the function. The function gets the server, and then what is asked."""

    method: str
    path: str
    does: str
    thinks: bool = False
    """Whether it may take long, so that it must not hold up others."""

    @cached_property
    def function(self) -> Callable[..., Any]:
        module, _, name = self.does.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"sparring.web.{module}"), name)
        return found

    @cached_property
    def takes(self) -> list[Input]:
        _, *given = inspect.signature(self.function).parameters.values()
        return [Input(one.name, self._place(one), TypeAdapter(one.annotation)) for one in given]

    def _place(self, one: inspect.Parameter) -> str:
        if f"{{{one.name}}}" in self.path:
            return PATH
        return QUERY if self.method == "GET" else TEXT if one.annotation is str else JSON

    @cached_property
    def answers(self) -> TypeAdapter[Any]:
        """What it answers, or each of its events."""
        told = inspect.signature(self.function).return_annotation
        return TypeAdapter(told.__metadata__[0] if self.streams else told)

    @property
    def streams(self) -> bool:
        """Whether it goes on answering, as server-sent events."""
        return inspect.isasyncgenfunction(self.function)

    @property
    def about(self) -> str:
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())


CALLS = (
    Call("GET", "/api/games", "shelf:games"),
    Call("POST", "/api/frames", "play:frames"),
    Call("POST", "/api/line", "play:line"),
    Call("POST", "/api/decide", "play:decide", thinks=True),
    Call("POST", "/api/evaluate", "evaluate:evaluate", thinks=True),
    Call("GET", "/api/experiments", "compare:experiments"),
    Call("GET", "/api/experiments/{id}", "compare:experiment"),
    Call("GET", "/api/experiments/{id}/games", "compare:games"),
    Call("GET", "/api/experiments/{id}/games/{number}", "compare:game"),
    Call("GET", "/api/experiments/{id}/games/{number}/blunders", "compare:blunders", thinks=True),
    Call("GET", "/api/events", "compare:events"),
    Call("POST", "/api/matches", "matches:start", thinks=True),
    Call("POST", "/api/matches/{id}/stop", "matches:stop"),
    Call("POST", "/api/upload", "upload:upload", thinks=True),
    Call("GET", "/api/files", "files:listing"),
    Call("GET", "/api/files/{name}", "files:read"),
    Call("PUT", "/api/files/{name}", "files:write"),
    Call("POST", "/api/files/{name}/check", "files:check", thinks=True),
    Call("GET", "/api/openapi.json", "openapi:describe"),
)
