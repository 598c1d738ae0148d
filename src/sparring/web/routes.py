"""All calls of the API, and how a request becomes a call of a function."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route, Router

from sparring.core.errors import SparringError
from sparring.web import evaluate, experiments, files, play, upload
from sparring.web.bodies import ErrorBody, first_error
from sparring.web.calls import PATH, QUERY, TEXT, Call, Input, description
from sparring.web.messages import json_response, read_body
from sparring.web.server import Server

MAX_JSON, MAX_TEXT = 1 << 20, 8 << 20
"""Bytes of a request in JSON, and of the log of a game."""
SECONDS = 60.0
"""Time for a slow call, including all that must be compiled first."""
MAX_WAITING = 64
"""Slow calls that may wait for a thread."""


def describe(server: Server) -> dict[str, Any]:
    """This description, as OpenAPI 3.1."""
    return description(CALLS, ErrorBody)


CALLS = (
    Call("GET", "/api/games", play.games),
    Call("POST", "/api/frames", play.frames),
    Call("POST", "/api/line", play.line),
    Call("POST", "/api/decide", play.decide, slow=True),
    Call("POST", "/api/evaluate", evaluate.evaluate, slow=True),
    Call("GET", "/api/experiments", experiments.experiments),
    Call("GET", "/api/experiments/{id}", experiments.experiment),
    Call("GET", "/api/experiments/{id}/games", experiments.games),
    Call("GET", "/api/experiments/{id}/games/{number}", experiments.game),
    Call("GET", "/api/experiments/{id}/games/{number}/blunders", experiments.blunders, slow=True),
    Call("GET", "/api/events", experiments.events),
    Call("POST", "/api/matches", experiments.start, slow=True),
    Call("POST", "/api/matches/{id}/stop", experiments.stop),
    Call("POST", "/api/upload", upload.upload, slow=True),
    Call("GET", "/api/files", files.folder),
    Call("GET", "/api/files/{name}", files.read),
    Call("PUT", "/api/files/{name}", files.write),
    Call("POST", "/api/files/{name}/check", files.check, slow=True),
    Call("GET", "/api/openapi.json", describe),
)


def router(server: Server) -> Router:
    return Router([route(server, call) for call in CALLS])


def route(server: Server, call: Call) -> Route:
    """Return the route of a call: the request is read here, and the function runs on a thread."""

    async def endpoint(request: Request) -> Response:
        arguments = [await _argument(request, one) for one in call.inputs]
        if call.streams:
            return await _event_stream(call.function(server, *arguments))

        def answer(seconds: float = 0.0) -> Response:
            result = call.function(server, *arguments)
            return json_response(call.output.dump_json(result, exclude_defaults=True, fallback=_plain))

        if not call.slow:
            return await asyncio.to_thread(answer)
        if server.pool.waiting > MAX_WAITING:
            raise HTTPException(429, "too many requests are waiting; ask again in a while")
        try:
            return await server.pool.run(answer, asyncio.get_running_loop().time() + SECONDS)
        except TimeoutError:
            raise HTTPException(408, f"no answer within {SECONDS:g} s; ask for less, such as depth=3") from None

    return Route(call.path.removeprefix("/api"), endpoint, methods=[call.method])


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

    return StreamingResponse(stream(), headers={"Cache-Control": "no-store"}, media_type="text/event-stream")


def _plain(value: Any) -> Any:
    """Return NumPy's numbers as numbers, and any other note of an agent as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)
