"""A served page for tests, asked over real HTTP as browsers and others ask."""

import gzip
import http.client
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from http_snakes import listening

JSON, TEXT = "application/json", "text/plain; charset=utf-8"


class Answer(NamedTuple):
    """Status, headers, and what was told: JSON, or else bytes."""

    status: int
    headers: dict[str, str]
    told: Any

    @property
    def error(self) -> str:
        assert 400 <= self.status < 500, self
        assert set(self.told) == {"error"}
        assert "\n" not in self.told["error"]
        return str(self.told["error"])


class Web:
    """The page at an address."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.port = int(url.rpartition(":")[2])

    def ask(self, path: str, body: Any = None, method: str = "", kind: str = JSON, **headers: str) -> Answer:
        """An answer; with a body, a text or JSON, to a POST. Headers are named with _ in place of -."""
        data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            if body is None:
                line.request(method or "GET", path, headers=sent)
            else:
                line.request(method or "POST", path, data, {"Content-Type": kind, **sent})
            answer = line.getresponse()
            told, got = answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        finally:
            line.close()
        if got.get("content-encoding") == "gzip":
            told = gzip.decompress(told)
        return Answer(answer.status, got, json.loads(told) if got.get("content-type") == JSON else told)

    def told(self, path: str, body: Any = None, **more: Any) -> Any:
        """What is answered to a question that is right."""
        answer = self.ask(path, body, **more)
        assert answer.status == 200, answer.told
        return answer.told

    def events(self, experiment: str) -> Iterator[dict[str, Any]]:
        """What is told of an experiment, again and again."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        line.request("GET", f"/api/events?experiment={experiment}")
        answer = line.getresponse()
        assert answer.getheader("content-type") == "text/event-stream; charset=utf-8"
        try:
            while said := answer.readline():
                if said.startswith(b"data: "):
                    yield json.loads(said[6:])
        finally:
            line.close()

    def last(self, game: dict[str, Any]) -> dict[str, Any]:
        """The frames' answer for the last position alone."""
        found: dict[str, Any] = self.told("/api/frames", {**game, "first": len(game["moves"])})
        return found


@contextmanager
def page(folder: Path, *words: Any) -> Iterator[Web]:
    with listening(folder, "web", "--no-browser", *words) as url:
        yield Web(url)


def touched(told: dict[str, Any], rng: random.Random) -> dict[str, str]:
    """A move of everybody who is to move, found by nothing but what can be touched."""
    step = {}
    for player, choices in told["choices"].items():
        if not told.get("joined"):
            step[player] = rng.choice(choices)["move"]
            continue
        pieces = sorted({choice["piece"] for choice in choices})
        chosen = [rng.choice([one["move"] for one in choices if one["piece"] == piece]) for piece in pieces]
        step[player] = "_".join(chosen) or "stay"
    return step
