"""Who may ask: this machine, or who has the token; and nothing but the page itself may make a browser ask.

A page from elsewhere that is open in the same browser can send requests here. It cannot read the answers, its requests
carry its origin, and a name of its own that leads to this machine is not our name. So names and origins are checked.
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

from sparring.web.answers import refused

HERE = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_loopback(host: str) -> bool:
    """Whether nobody but this machine can reach a host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Door:
    """Where the server listens, and what must be shown to enter."""

    host: str
    token: str = ""

    def is_ours(self, told: str) -> bool:
        """Whether a Host header names us. Ports do not matter: whoever can change them can also read them."""
        name = told.rpartition(":")[0] if told.rpartition(":")[2].isdecimal() and not told.endswith("]") else told
        if name.lower() in (*HERE, self.host.lower(), f"[{self.host}]".lower()):
            return True
        return self.host in EVERYWHERE and (name.lower() == socket.gethostname().lower() or _is_address(name))

    def opens(self, shown: str) -> bool:
        return hmac.compare_digest(shown.encode(), self.token.encode())


def _is_address(name: str) -> bool:
    """A number and not a name, which somebody else could have given to this machine."""
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


class Guard:
    """Stands before all calls and files; what passes gets the headers by which browsers keep to themselves."""

    def __init__(self, app: ASGIApp, door: Door) -> None:
        self.app = app
        self.door = door

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        linked = self.door.opens(_in_link(scope))

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = MutableHeaders(scope=message)
                more.update(HEADERS)
                if linked and self.door.token:
                    cookie = f"{_cookie(scope)}={self.door.token}; Path=/; HttpOnly; SameSite=Strict"
                    more.append("Set-Cookie", cookie)
            await send(message)

        try:
            self._judge(scope, headers, linked)
        except HTTPException as refusal:
            await refused(refusal)(scope, receive, guarded)
        else:
            await self.app(scope, receive, guarded)

    def _judge(self, scope: Scope, headers: Headers, linked: bool) -> None:
        """Refuse who must not enter."""
        host = headers.get("host", "")
        if not self.door.is_ours(host):
            raise HTTPException(403, f"{host[:60]!r} is not the name of this server; use the address that it printed")
        if self.door.token and not linked and not self.door.opens(_carried(scope, headers)):
            raise HTTPException(401, "open the link that `spar web` printed: it holds the token")
        if scope["method"] not in ("GET", "HEAD"):
            origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
            if origin not in (None, f"http://{host}", f"https://{host}") or site not in ("same-origin", "none"):
                raise HTTPException(403, "this was sent by another page; only the page itself may do so")


def _in_link(scope: Scope) -> str:
    return str(parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0])


def _carried(scope: Scope, headers: Headers) -> str:
    """The token in a cookie, or as programs show it."""
    kind, _, shown = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return shown
    return str(cookie_parser(headers.get("cookie", "")).get(_cookie(scope), ""))


def _cookie(scope: Scope) -> str:
    """Browsers tell all servers of a machine the same cookies, whatever their ports."""
    return f"spar-{(scope.get('server') or ('', 0))[1]}"
