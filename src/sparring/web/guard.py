"""Access to the server: by this machine or with the token, and from no page but ours.

A page of another site that is open in the same browser can send requests here. It cannot read the answers, its requests
carry its origin, and a host name that its owner points at this machine is not one of our names. So hosts and origins
are checked.
"""

import hmac
import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.web.messages import error_response

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


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach a host."""
    address = _address(host)
    return address.is_loopback if address else host == "localhost"


@dataclass(frozen=True)
class AccessPolicy:
    """The host that the server listens on, and the token that it requires, if any."""

    host: str
    token: str = ""

    def is_own_name(self, host: str) -> bool:
        """Return whether a Host header names this server. The port is ignored."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() and not host.endswith("]") else host
        if name.lower() in (*LOCAL_NAMES, self.host.lower(), f"[{self.host}]".lower()):
            return True
        # an address is safe, a name could be given to this machine by anybody
        return self.host in ALL_ADDRESSES and (name.lower() == socket.gethostname().lower() or bool(_address(name)))

    def accepts(self, token: str) -> bool:
        return hmac.compare_digest(token.encode(), self.token.encode())


class Guard:
    """ASGI middleware that refuses requests without access and adds the security headers to all answers."""

    def __init__(self, app: ASGIApp, policy: AccessPolicy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        by_link = self.policy.accepts(_token_in_link(scope))

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                added.update(SECURITY_HEADERS)
                added.setdefault("Cache-Control", "no-cache")
                if by_link and self.policy.token:
                    cookie = f"{_cookie_name(scope)}={self.policy.token}; Path=/; HttpOnly; SameSite=Strict"
                    added.append("Set-Cookie", cookie)
            await send(message)

        try:
            self._check(scope, headers, by_link)
        except HTTPException as error:
            await error_response(error)(scope, receive, send_guarded)
        else:
            await self.app(scope, receive, send_guarded)

    def _check(self, scope: Scope, headers: Headers, by_link: bool) -> None:
        host = headers.get("host", "")
        if not self.policy.is_own_name(host):
            raise HTTPException(403, f"{host[:60]!r} is not the name of this server; use the address that it printed")
        if self.policy.token and not by_link and not self.policy.accepts(_token_in_headers(scope, headers)):
            raise HTTPException(401, "open the link that `spar web` printed: it holds the token")
        if scope["method"] not in ("GET", "HEAD"):
            origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
            if origin not in (None, f"http://{host}", f"https://{host}") or site not in ("same-origin", "none"):
                raise HTTPException(403, "this request came from another page; only the page itself may send it")


def _token_in_link(scope: Scope) -> str:
    return str(parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0])


def _token_in_headers(scope: Scope, headers: Headers) -> str:
    """Return the token in a cookie, or the bearer token of a program."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return token
    return str(cookie_parser(headers.get("cookie", "")).get(_cookie_name(scope), ""))


def _cookie_name(scope: Scope) -> str:
    """Name of our cookie. It has the port, because servers on all ports of a host get the same cookies."""
    return f"spar-{(scope.get('server') or ('', 0))[1]}"
