"""Access to the server: by this machine or with the token, and from no page but ours.

A page of another site that is open in the same browser can send requests here. It cannot read the answers, its requests
carry its origin, and a host name that its owner points at this machine is not one of our names. So hosts and origins
are checked.
"""

import hmac
import ipaddress
import re
import socket

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.web.http import error_response

LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
ALL_ADDRESSES = ("0.0.0.0", "::", "")
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    address = _address(host)
    return address.is_loopback if address else host == "localhost"


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


class Guard:
    """ASGI middleware that refuses requests without access and adds the security headers to all answers.

    `host` is the address that the server listens on. A `token` that is not empty is required.
    """

    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self._app = app
        self._host = host
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        by_link = self._accepts(request.query_params.get("token", ""))

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.update(SECURITY_HEADERS)
                added.setdefault("Cache-Control", "no-cache")
                if by_link and self._token:
                    cookie = f"{_cookie_name(request)}={self._token}; Path=/; HttpOnly; SameSite=Strict"
                    added.append("Set-Cookie", cookie)
            await send(message)

        try:
            self._check(request, by_link)
        except HTTPException as error:
            await error_response(error)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)

    def _check(self, request: Request, by_link: bool) -> None:
        host = request.headers.get("host", "")
        if not self._is_own_name(host):
            raise HTTPException(403, f"{host[:60]!r} is not the name of this server; use the address that it printed")
        if self._token and not by_link and not self._accepts(_sent_token(request)):
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


def _sent_token(request: Request) -> str:
    """Return the token in a cookie, or the bearer token of a program."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token if kind.lower() == "bearer" else request.cookies.get(_cookie_name(request), "")


def _cookie_name(request: Request) -> str:
    """Name of our cookie. It has the port, because servers on all ports of a host get the same cookies."""
    return f"spar-{(request.scope.get('server') or ('', 0))[1]}"
