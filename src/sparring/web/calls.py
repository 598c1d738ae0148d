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

from sparring.web import bodies

PATH: dict[str, TypeAdapter[Any]] = {
    "id": TypeAdapter(bodies.Id),
    "name": TypeAdapter(bodies.FileName),
    "number": TypeAdapter(bodies.Number),
}
"""What may stand in a path, in whichever."""


@dataclass(frozen=True, eq=False)
class Call:
    """`does` is the module and the function. It gets the server, what stands in the path, and what is asked."""

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
    """Whether it may take long, so that it must not hold up others."""
    streams: bool = False
    """Whether it goes on answering, as server-sent events."""

    @cached_property
    def function(self) -> Callable[..., Any]:
        module, _, name = self.does.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"sparring.web.{module}"), name)
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
        "/api/line",
        "play:line",
        "The boards along a line that an agent expects.",
        bodies.Line,
        body=bodies.LineAsked,
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
    Call(
        "POST",
        "/api/evaluate",
        "evaluate:evaluate",
        "A whole game through the eyes of an agent.",
        bodies.Evaluation,
        body=bodies.EvaluationAsked,
        thinks=True,
    ),
    Call("GET", "/api/experiments", "compare:experiments", "The kept experiments.", list[bodies.Listed]),
    Call("GET", "/api/experiments/{id}", "compare:experiment", "What an experiment proves.", bodies.Experiment),
    Call(
        "GET",
        "/api/experiments/{id}/games",
        "compare:games",
        "Its games, of two agents perhaps.",
        bodies.GamesListed,
        query=bodies.GamesAsked,
    ),
    Call("GET", "/api/experiments/{id}/games/{number}", "compare:game", "One of its games.", bodies.GameKept),
    Call(
        "GET",
        "/api/experiments/{id}/games/{number}/blunders",
        "compare:blunders",
        "Where it was lost, by a judge who knows more.",
        list[bodies.Noted],
        thinks=True,
    ),
    Call(
        "GET",
        "/api/events",
        "compare:events",
        "An experiment, again whenever something was played.",
        bodies.Experiment,
        query=bodies.EventsAsked,
        streams=True,
    ),
    Call(
        "POST",
        "/api/matches",
        "matches:start",
        "Start a match, or a league.",
        bodies.Started,
        body=bodies.MatchAsked,
        thinks=True,
    ),
    Call("POST", "/api/matches/{id}/stop", "matches:stop", "Stop one that was started here.", bodies.Nothing),
    Call("POST", "/api/upload", "upload:upload", "The games in a log.", bodies.Uploaded, text=True, thinks=True),
    Call("GET", "/api/files", "files:listing", "The user's files and what they declare.", bodies.Folder),
    Call("GET", "/api/files/{name}", "files:read", "What a file says.", bodies.File),
    Call(
        "PUT",
        "/api/files/{name}",
        "files:write",
        "Write a file, if it is still as it was read.",
        bodies.FileSaved,
        body=bodies.FileWritten,
    ),
    Call(
        "POST",
        "/api/files/{name}/check",
        "files:check",
        "Whether what a file declares can be used.",
        bodies.Checked,
        body=bodies.Rules,
        thinks=True,
    ),
    Call("GET", "/api/openapi.json", "openapi:describe", "This description.", dict[str, Any]),
)
