"""A served page for tests, which send requests over real HTTP."""

import gzip
import http.client
import json
import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from http_snakes import listening

JSON, TEXT = "application/json", "text/plain; charset=utf-8"


class Answer(NamedTuple):
    """Status, headers, and the body: JSON, or else bytes."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def error(self) -> str:
        assert 400 <= self.status < 500, self
        assert set(self.body) == {"error"}
        assert "\n" not in self.body["error"]
        return str(self.body["error"])


TOKEN = "token-for-the-tests-of-the-page"


class Web:
    """The page at an address, and the folder where it was started. Requests have the token, if no header says else."""

    def __init__(self, url: str, folder: Path = Path(), token: str = TOKEN) -> None:
        self.url = url
        self.token = token
        self.folder = folder
        self.port = int(url.rpartition(":")[2])

    @property
    def _access(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def ask(self, path: str, body: Any = None, method: str = "", kind: str = JSON, **headers: str) -> Answer:
        """Send a request; with a body, as bytes, text or JSON, a POST. `_` in the name of a header stands for `-`."""
        sent = {name.replace("_", "-"): value for name, value in {**self._access, **headers}.items()}
        if body is not None:
            method, sent = method or "POST", {"Content-Type": kind, **sent}
            body = body if isinstance(body, bytes | str) else json.dumps(body)
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)) as line:
            line.request(method or "GET", path, body.encode() if isinstance(body, str) else body, sent)
            answer = line.getresponse()
            found, got = answer.read(), {name.lower(): value for name, value in answer.getheaders()}
        if got.get("content-encoding") == "gzip":
            found = gzip.decompress(found)
        return Answer(answer.status, got, json.loads(found) if got.get("content-type") == JSON else found)

    def get(self, path: str, body: Any = None, **more: Any) -> Any:
        """Return the body of an answer without an error."""
        answer = self.ask(path, body, **more)
        assert answer.status == 200, answer.body
        return answer.body

    def events(self, experiment: str) -> Iterator[dict[str, Any]]:
        """Yield an experiment again and again, as its events come."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)) as line:
            line.request("GET", f"/api/events?experiment={experiment}", headers=self._access)
            answer = line.getresponse()
            assert answer.getheader("content-type") == "text/event-stream; charset=utf-8"
            while text := answer.readline():
                if text.startswith(b"data: "):
                    yield json.loads(text[6:])

    def last(self, game: dict[str, Any]) -> dict[str, Any]:
        """Return the frames of a game, but only the last of them."""
        found: dict[str, Any] = self.get("/api/frames", {**game, "first": len(game["moves"])})
        return found

    def play(self, game: dict[str, Any], rng: random.Random) -> dict[str, Any]:
        """Play a game to its end by random choices on the board, and return its last frame."""
        while (found := self.last(game))["choices"]:
            game["moves"].append(random_step(found, rng))
        frame: dict[str, Any] = found["frames"][0]
        return frame


PATIENT = """
from sparring.web import matches, routes, workers
matches.START_SECONDS = routes.SECONDS = 600.0
workers.PROGRAM = '''
from sparring.web import agents, files, play
agents.STALL_SECONDS = files.CHECK_SECONDS = 600.0
play.SOLVER_SECONDS = {solver_seconds}
''' + workers.PROGRAM
"""
"""Limits of a server that no test meets because the machine is busy."""


def token_file(folder: Path) -> tuple[str, Path]:
    """The option of a server whose token is TOKEN."""
    kept = folder / "page.token"
    kept.touch(0o600)
    kept.write_text(TOKEN)
    return "--token-file", kept


@contextmanager
def page(folder: Path, *words: Any, solver_seconds: float = 0.5) -> Iterator[Web]:
    """Serve the page. Only a small board may have an answer of a patient solver."""
    code = PATIENT.format(solver_seconds=solver_seconds)
    with listening(folder, "web", "--no-browser", *token_file(folder), *words, code=code) as url:
        yield Web(url, folder)


def random_step(frames: dict[str, Any], rng: random.Random) -> dict[str, str]:
    """Return a move of each player who is to move, made of nothing but the choices on the board."""
    step = {}
    for player, choices in frames["choices"].items():
        if not frames.get("joined"):
            step[player] = rng.choice(choices)["move"]
            continue
        pieces = sorted({choice["piece"] for choice in choices})
        chosen = [rng.choice([one["move"] for one in choices if one["piece"] == piece]) for piece in pieces]
        step[player] = "_".join(chosen) or "stay"
    return step
