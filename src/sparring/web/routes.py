"""The calls of the API: how a request becomes a call of a function, and their description as OpenAPI 3.1.

The types of the function that answers a call say what it takes and returns. They check requests, write answers, and
make the description.
"""

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError
from pydantic.json_schema import JsonSchemaMode
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router

from sparring import __version__
from sparring.core.errors import SparringError
from sparring.web import experiments, files, play, upload
from sparring.web.bodies import ErrorBody, first_error
from sparring.web.http import json_response, read_body
from sparring.web.server import Server
from sparring.web.worker import output, written

MAX_JSON, MAX_TEXT = 1 << 20, 8 << 20
"""Bytes of a request in JSON, and of the log of a game."""
SECONDS = 60.0
"""Time for a slow call, including all that must be compiled first."""
PATH, QUERY, JSON, TEXT, EVENTS = "path", "query", "application/json", "text/plain", "text/event-stream"
ABOUT = "The calls of the page of `spar web`. A game is a value: its start and the moves that were made."
REF = "#/components/schemas/{model}"


class Input(NamedTuple):
    """A parameter of a function, and the part of a request that it comes from."""

    name: str
    source: str
    type: TypeAdapter[Any]


@dataclass(eq=False)
class Call:
    """A method, a path and the function that answers. Its first parameter is the server."""

    method: str
    path: str
    function: Callable[..., Any]
    slow: bool = False
    """True if an agent thinks, or it may take long: a process that can be ended answers it."""
    first: Callable[..., None] | None = None
    """What such a process does before."""

    @cached_property
    def inputs(self) -> list[Input]:
        _, *parameters = inspect.signature(self.function).parameters.values()
        return [Input(one.name, self._source(one), TypeAdapter(one.annotation)) for one in parameters]

    def _source(self, parameter: inspect.Parameter) -> str:
        if f"{{{parameter.name}}}" in self.path:
            return PATH
        return QUERY if self.method == "GET" else TEXT if parameter.annotation is str else JSON

    @property
    def streams(self) -> bool:
        """True if the answer is a stream of server-sent events."""
        return inspect.isasyncgenfunction(self.function)


def describe(server: Server) -> dict[str, Any]:
    """This description, as OpenAPI 3.1."""
    schemas = {ErrorBody.__name__: ErrorBody.model_json_schema()}
    paths: dict[str, dict[str, Any]] = {}
    for call in CALLS:
        paths.setdefault(call.path, {})[call.method.lower()] = _operation(call, schemas)
    info = {"title": "spar web", "version": __version__, "description": ABOUT}
    return {"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}}


CALLS = (
    Call("GET", "/api/games", play.games),
    Call("POST", "/api/frames", play.frames),
    Call("POST", "/api/line", play.line),
    Call("POST", "/api/decide", play.decide, slow=True),
    Call("POST", "/api/evaluate", play.evaluate, slow=True),
    Call("GET", "/api/experiments", experiments.experiments),
    Call("GET", "/api/experiments/{id}", experiments.experiment),
    Call("GET", "/api/experiments/{id}/games", experiments.games),
    Call("GET", "/api/experiments/{id}/games/{number}", experiments.game),
    Call("GET", "/api/experiments/{id}/games/{number}/blunders", experiments.blunders, slow=True),
    Call("GET", "/api/events", experiments.events),
    Call("POST", "/api/matches", experiments.start, first=experiments.try_out),
    Call("POST", "/api/matches/{id}/stop", experiments.stop),
    Call("POST", "/api/upload", upload.upload, slow=True),
    Call("GET", "/api/files", files.folder),
    Call("GET", "/api/files/{name}", files.read),
    Call("PUT", "/api/files/{name}", files.write),
    Call("POST", "/api/files/{name}/begin", files.begin),
    Call("POST", "/api/files/{name}/check", files.check, slow=True),
    Call("GET", "/api/openapi.json", describe),
)


# Answering


def router(server: Server) -> Router:
    return Router([_route(server, call) for call in CALLS])


def _route(server: Server, call: Call) -> Route:
    """Return the route of a call: the request is read here; the function runs on a thread or in a process."""

    async def endpoint(request: Request) -> Response:
        arguments = [await _argument(request, one) for one in call.inputs]
        if call.streams:
            return await _event_stream(call.function(server, *arguments))

        server.processes.keep_spare()
        subject = _subject(call, arguments)
        if call.first:
            await server.processes.run(subject, call.first, arguments, SECONDS)
        if call.slow:
            return json_response(await server.processes.run(subject, call.function, arguments, SECONDS))
        return await asyncio.to_thread(lambda: json_response(written(call.function, call.function(server, *arguments))))

    return Route(call.path.removeprefix("/api"), endpoint, methods=[call.method])


def _subject(call: Call, arguments: list[Any]) -> str:
    """Return what a call is about: the game and the name of the agent, if it has any."""
    request = arguments[-1] if arguments else None
    agent = getattr(request, "agent", None)
    return f"{request.game} {re.split('[:,]', agent)[0]}" if request and agent else call.path


async def _argument(request: Request, one: Input) -> Any:
    """Return one argument of a call, checked. The error names the first thing that is wrong."""
    try:
        if one.source == PATH:
            return one.type.validate_python(request.path_params[one.name])
        if one.source == QUERY:
            return one.type.validate_python(dict(request.query_params))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != one.source:
            raise HTTPException(415, f"send it as {one.source}")  # forms of other pages cannot send JSON
        if one.source == TEXT:
            return (await read_body(request, MAX_TEXT)).decode()
        return one.type.validate_json(await read_body(request, MAX_JSON))
    except UnicodeDecodeError as error:
        raise SparringError("the request is not text in UTF-8") from error
    except ValidationError as error:
        raise SparringError(f"{first_error(error)}; /api/openapi.json describes what to send") from None


async def _event_stream(events: AsyncIterator[bytes]) -> Response:
    """Send events. An error before the first one becomes an ordinary error response."""
    first = await anext(events)

    async def stream() -> AsyncIterator[bytes]:
        yield first
        async for event in events:
            yield event

    return StreamingResponse(stream(), headers={"Cache-Control": "no-store"}, media_type=EVENTS)


# Describing


def _operation(call: Call, schemas: dict[str, Any]) -> dict[str, Any]:
    """Describe a call, and add the models that it uses to `schemas`."""
    summary = " ".join((inspect.getdoc(call.function) or "").partition("\n\n")[0].split())
    answer = {"schema": _schema(output(call.function), schemas, "serialization")}
    refusal = {"schema": {"$ref": REF.format(model=ErrorBody.__name__)}}
    operation: dict[str, Any] = {
        "operationId": f"{call.function.__module__.rpartition('.')[2]}_{call.function.__name__}",
        "summary": summary,
        "parameters": [],
        "responses": {
            "200": {"description": summary, "content": {EVENTS if call.streams else JSON: answer}},
            "4XX": {"description": "Refused; the error names the remedy.", "content": {JSON: refusal}},
        },
    }
    for name, source, type_ in call.inputs:
        schema = _schema(type_, schemas)
        if source == PATH:
            operation["parameters"].append({"name": name, "in": PATH, "required": True, "schema": schema})
        elif source == QUERY:
            operation["parameters"] += [
                {"name": field, "in": QUERY, "required": field in schema.get("required", ()), "schema": kind}
                for field, kind in schema["properties"].items()
            ]
        else:
            operation["requestBody"] = {"required": True, "content": {source: {"schema": schema}}}
    return operation


def _schema(kind: TypeAdapter[Any], schemas: dict[str, Any], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """Return the schema of a type, and add those of the models in it to `schemas`."""
    schema = kind.json_schema(ref_template=REF, mode=mode)
    schemas |= schema.pop("$defs", {})
    return schema
