"""The server of the page: its files, its API, and a guard in front of both."""

import asyncio
import contextlib
import mimetypes
from collections.abc import AsyncIterator
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from sparring.core.errors import SparringError
from sparring.web.guard import Code, Guard
from sparring.web.http import error_response

STATIC = Path(__file__).parent / "static"
for suffix in (".js", ".mjs"):
    mimetypes.add_type("text/javascript", suffix)  # the table of a system may lack them


def app(host: str, token: str, code: Code, store: Path | None, folder: Path | None) -> Starlette:
    """Return the application for an address to listen on. `folder` holds the user's files."""
    api = LazyApi(store, folder)
    return Starlette(
        routes=[Mount("/api", api), Mount("/", StaticFiles(directory=STATIC, html=True))],
        middleware=[
            Middleware(Guard, host=host, token=token, code=code),
            Middleware(GZipMiddleware, compresslevel=5),
        ],
        exception_handlers={SparringError: _error, HTTPException: _error},
        lifespan=api.lifespan,
    )


async def _error(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.detail == "Not Found":
        error = HTTPException(404, f"there is nothing at {request.url.path[:100]}; the page is at /")
    return error_response(error)


class LazyApi:
    """The API. The games take a second to load, so they are loaded at the first request, on a thread."""

    def __init__(self, store: Path | None, folder: Path | None) -> None:
        self._store, self._folder = store, folder
        self._router: asyncio.Future[ASGIApp] | None = None
        self._stack = contextlib.ExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._router is None:
            self._router = asyncio.ensure_future(asyncio.to_thread(self._load))
        router = await self._router
        await router(scope, receive, send)

    def _load(self) -> ASGIApp:
        from sparring.web.routes import router
        from sparring.web.server import Server

        return router(self._stack.enter_context(contextlib.closing(Server(self._store, self._folder))))

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Close the server behind the API when serving ends."""
        try:
            yield
        finally:
            await asyncio.to_thread(self._stack.close)
