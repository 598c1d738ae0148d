"""Access to the server: with the token, and from no page but ours.

Every user of this machine can reach a port of it, so the token is required on loopback, too. Nothing that others see
holds it: the browser that is opened gets a code for a single use, and the page exchanges what stands behind the # of
its link for a cookie.

A page of another site that is open in the same browser can send requests here. It cannot read the answers, its requests
carry its origin, and a host name that its owner points at this machine is not one of our names. So hosts and origins
are checked.
"""

import hmac
import ipaddress
import os
import re
import secrets
import socket
import time
from contextlib import suppress
from pathlib import Path

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.core.errors import SparringError
from sparring.web.http import error_response

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_ADDRESSES = ("0.0.0.0", "::", "")
MAX_TOKEN = 1000
"""Bytes of a file with a token."""
CODE_SECONDS = 300.0
"""Time for the browser that was opened to use its code."""
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def kept_token(file: Path) -> str:
    """Return the token in a file that only its owner can read. If there is no file, make one with a new token."""
    try:
        with suppress(FileExistsError):
            made = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(made, new_token().encode())
            os.close(made)
        token = file.read_bytes()[:MAX_TOKEN].decode(errors="replace").strip()
        if os.name == "posix" and file.stat().st_mode & 0o077:
            raise SparringError(f"other users can read the token in {file}; make it yours alone: chmod 600 {file}")
    except OSError as error:
        raise SparringError(f"no token in {file}: {error.strerror}; name a file that keeps it") from error
    if not re.fullmatch(r"[\w-]{16,}", token, re.ASCII):
        raise SparringError(f"{file} must hold 16 or more letters, digits, - and _; or remove it, and a token is made")
    return token


def new_token() -> str:
    return secrets.token_urlsafe(24)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


class Code:
    """A secret for a single use, soon."""

    def __init__(self) -> None:
        self.text = new_token()
        self._until = time.monotonic() + CODE_SECONDS

    def redeem(self, sent: str) -> bool:
        """Return whether this is the code. It is used then."""
        if not hmac.compare_digest(sent.encode(), self.text.encode()) or time.monotonic() > self._until:
            return False
        self._until = 0.0
        return True


class Guard:
    """ASGI middleware that refuses requests without access and adds the security headers to all answers.

    `host` is the address that the server listens on. The files of the page are no secret; its API requires the `token`.
    A request with the token, or with the `code`, in its Authorization gets the cookie that later requests are known by.
    """

    def __init__(self, app: ASGIApp, host: str, token: str, code: Code) -> None:
        self._app = app
        self._host = host
        self._token = token
        self._code = code

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        bearer = self._bears(request)

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.update(SECURITY_HEADERS)
                added.setdefault("Cache-Control", "no-cache")
                if bearer:
                    cookie = f"{_cookie_name(request)}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                    added.append("Set-Cookie", cookie)
            await send(message)

        try:
            self._check(request, bearer)
        except HTTPException as error:
            await error_response(error)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _bears(self, request: Request) -> bool:
        kind, _, sent = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and (self._accepts(sent) or self._code.redeem(sent))

    def _check(self, request: Request, bearer: bool) -> None:
        host = request.headers.get("host", "")
        if not self._is_own_name(host):
            raise HTTPException(403, f"{host[:60]!r} is not the name of this server; use the address that it printed")
        sent = request.cookies.get(_cookie_name(request), "")
        if request.scope["path"].startswith("/api/") and not (bearer or self._accepts(sent)):
            raise HTTPException(401, "open the link that `spar web` printed: it holds the token")
        if request.method not in ("GET", "HEAD"):
            origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
            if origin not in (None, f"http://{host}", f"https://{host}") or site not in ("same-origin", "none"):
                raise HTTPException(403, "this request came from another page; only the page itself may send it")

    def _is_own_name(self, host: str) -> bool:
        """Return whether a Host header names this server. The port is ignored."""
        name = re.sub(r":\d+$", "", host).lower()
        if name in (*LOCAL_NAMES, self._host.lower(), f"[{self._host}]".lower()):
            return True
        # an address is safe, a name could be given to this machine by anybody
        return self._host in ALL_ADDRESSES and (name == socket.gethostname().lower() or bool(_address(name)))

    def _accepts(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self._token.encode())


def _cookie_name(request: Request) -> str:
    """Name of our cookie. It has the port, because servers on all ports of a host get the same cookies."""
    return f"spar-{(request.scope.get('server') or ('', 0))[1]}"
