"""The page's server: routes from the table of calls, answers as JSON, and a guard before all of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Any

from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Mount, Route

from sparring.core.errors import SparringError
from sparring.web import static
from sparring.web.answers import answered, first_fault, refused
from sparring.web.body import received
from sparring.web.calls import CALLS, PATH, QUERY, TEXT, Call, Input
from sparring.web.guard import Door, Guard
from sparring.web.server import Server

MOST_BYTES, MOST_TEXT = 1 << 20, 8 << 20
"""Of what is sent: as JSON, and as the log of a game."""
PATIENCE = 60.0
"""Seconds to think, with all that must be compiled before."""
MOST_WAITING = 64

Answer = Callable[[Request], Awaitable[Response]]


def app(server: Server, door: Door) -> Starlette:
    @contextlib.asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await asyncio.to_thread(server.close)

    return Starlette(
        routes=[
            Mount("/api", routes=[_route(server, call) for call in CALLS]),
            Route("/{path:path}", _page, methods=["GET"]),
        ],
        middleware=[Middleware(Guard, door=door)],
        exception_handlers={SparringError: _refused, HTTPException: _refused},
        lifespan=living,
    )


async def _page(request: Request) -> Response:
    file = static.file_of(request.path_params["path"])
    if file is None:
        raise HTTPException(404, f"there is nothing at {request.url.path[:100]}; the page is at /")
    return static.sent(request, file)


def _route(server: Server, call: Call) -> Route:
    return Route(call.path.removeprefix("/api"), _answering(server, call), methods=[call.method])


def _answering(server: Server, call: Call) -> Answer:
    """The route of a call: what is asked is read here, and whatever takes time is done on a thread."""

    async def answering(request: Request) -> Response:
        if "takes" not in vars(call):
            await asyncio.to_thread(lambda: call.takes)  # the module of its function may have to be loaded
        asked = [await _asked(request, one) for one in call.takes]
        if call.streams:
            return await _streaming(call.function(server, *asked))
        work = partial(_done, server, call, asked, static.accepts_gzip(request))
        if not call.thinks:
            return await asyncio.to_thread(work)
        if server.thinkers.waiting > MOST_WAITING:
            raise HTTPException(429, "too many are waiting for an answer; ask again in a while")
        until = asyncio.get_running_loop().time() + PATIENCE
        try:
            answer: Response = await server.thinkers.think(lambda seconds: work(), until)
        except TimeoutError:
            raise HTTPException(408, f"no answer within {PATIENCE:g} s; ask for less, such as depth=3") from None
        return answer

    return answering


async def _asked(request: Request, one: Input) -> Any:
    """One argument of a call, checked; the error names the first thing that is wrong."""
    try:
        if one.place == PATH:
            return one.type.validate_python(request.path_params[one.name])
        if one.place == QUERY:
            return one.type.validate_python(dict(request.query_params))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != one.place:
            raise HTTPException(415, f"send it as {one.place}")  # forms of other pages cannot send JSON
        if one.place == TEXT:
            return (await received(request, MOST_TEXT)).decode()
        return one.type.validate_json(await received(request, MOST_BYTES))
    except UnicodeDecodeError as error:
        raise SparringError("this is no text in UTF-8") from error
    except ValidationError as error:
        raise SparringError(f"{first_fault(error)}; /api/openapi.json tells what to send") from None


async def _streaming(events: AsyncIterator[bytes]) -> Response:
    """Server-sent events; what is wrong shows before the first."""
    first = await anext(events)

    async def sent() -> AsyncIterator[bytes]:
        yield first
        async for event in events:
            yield event

    return StreamingResponse(sent(), headers={"Cache-Control": "no-store"}, media_type="text/event-stream")


def _done(server: Server, call: Call, asked: list[Any], packed: bool) -> Response:
    answer = call.function(server, *asked)
    return answered(call.answers.dump_json(answer, exclude_defaults=True, fallback=_plainly), packed)


def _plainly(value: Any) -> Any:
    """NumPy's numbers are numbers; whatever else an agent may have noted is told as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


async def _refused(request: Request, error: Exception) -> Response:
    return refused(error)
