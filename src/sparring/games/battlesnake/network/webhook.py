"""A snake on the network: any agent answers Battlesnake's webhook API.

A request that cannot be read is refused with a line that says why. A readable board always gets a move in time, even if
the agent is late, fails, hangs, is not ready, or cannot play on such a board: then it is a safe move if there is one.
"""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Callable
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sparring import __version__
from sparring.core.errors import SparringError
from sparring.core.table import one_line
from sparring.games.battlesnake import api
from sparring.games.battlesnake.board_json import Json, object_, parsed
from sparring.games.battlesnake.network.clock import Reserve
from sparring.games.battlesnake.network.processes import ThinkingPool, ThinkingRequest
from sparring.games.battlesnake.network.seats import Key, Seat, Seats, key_of
from sparring.games.battlesnake.network.status import Counts, page
from sparring.games.battlesnake.network.worker import MOVE, PREPARE
from sparring.games.battlesnake.rules import MOVES
from sparring.web.http import error_response, json_response, read_body
from sparring.web.posts import Post, PostQueue

MOST_BYTES = 1 << 19
"""Limit of a request in bytes; the fullest official board takes a tenth of it."""
TIMEOUT, SHORTEST, LONGEST = 500, 20, 60_000
"""Milliseconds: the timeout of a game that does not tell it, and the limits of what is believed."""
START_SECONDS = 5.0
"""Time for the agent to get ready before the address is told. The server listens already."""
SWEEPS = 30.0
"""Seconds between searches for games that have fallen silent."""
LOOKS = {"apiversion": "1", "author": "sparring", "color": "#3f8f4f", "head": "default", "tail": "default"}
ANSWERS = {move: json.dumps({"move": move}, separators=(",", ":")).encode() for move in MOVES}


class SnakeServer:
    """The state of a served agent: its games, its time, its statistics."""

    def __init__(self, spec: str) -> None:
        self.spec = spec
        self.pool = ThinkingPool(spec, _tell)
        self.seats = Seats(self.pool.leave)
        self.reserve = Reserve()
        self.counts = Counts()
        self.posts = PostQueue(self.handle, MOST_BYTES)
        self._handlers = {"/start": self._start, "/move": self._move, "/end": self._end}

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.root),
                *(Route(path, self.post, methods=["POST"]) for path in self._handlers),
                Route("/status", self.status),
                Route("/metrics", self.metrics),
            ],
            exception_handlers={HTTPException: self._refused},
            lifespan=self._living,
        )

    @contextlib.asynccontextmanager
    async def _living(self, app: Starlette) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(SWEEPS)
                self.seats.sweep(_now())

        sweeping = asyncio.create_task(sweep())
        self.pool.start()
        yield
        sweeping.cancel()
        self.pool.close()

    async def opened(self, announce: Callable[[], None]) -> None:
        """Tell the address when the agent is ready, or after a while. Raise SparringError if it cannot be made."""
        try:
            await asyncio.wait_for(self.pool.ready(), START_SECONDS)
            announce()
        except TimeoutError:
            _tell(f"{self.spec} is not ready yet; until it is, safe moves are played")
            announce()
            await self.pool.ready()
            _tell(f"{self.spec} is ready")

    # What an engine asks

    async def root(self, request: Request) -> Response:
        return JSONResponse({**LOOKS, "version": __version__})

    async def post(self, request: Request) -> Response:
        """Answer a POST request that came in an unusual way."""
        arrived = request.scope["state"].get("arrived", _now())
        answer: asyncio.Future[tuple[int, bytes]] = asyncio.get_running_loop().create_future()

        def told(status: int, body: bytes) -> None:
            if not answer.done():  # the connection may be lost
                answer.set_result((status, body))

        self.handle(Post(request.url.path, await read_body(request, MOST_BYTES), arrived, told))
        status, body = await answer
        return json_response(body, status)

    def handle(self, post: Post) -> None:
        """Answer a POST request, now or when the agent has answered. Any error is a refusal, never a server error."""
        try:
            handler = self._handlers.get(post.path)
            if not handler:
                raise HTTPException(405 if post.path in ("/", "/status", "/metrics") else 404)
            data = parsed(post.body)
            handler(post, key_of(data), data)
        except Exception as error:
            self._refuse(post, error)

    def _start(self, post: Post, key: Key, data: Json) -> None:
        api.safe_move(data)  # or there is no board
        seat = self.seats.at(key, post.arrived)

        def prepared(move: str, reason: str, text: str) -> None:
            post.answer(200, b"{}")  # the first move will find it ready, or fail for the same reason

        self.pool.ask(ThinkingRequest(seat, PREPARE, post.body, self._deadline(data, post.arrived), prepared))

    def _move(self, post: Post, key: Key, data: Json) -> None:
        seat = self.seats.at(key, post.arrived)
        turn = self._learn(seat, data)
        answer = partial(self._answer, post, key, seat, turn, data)
        self.pool.ask(ThinkingRequest(seat, MOVE, post.body, self._deadline(data, post.arrived), answer))

    def _answer(
        self, post: Post, key: Key, seat: Seat, turn: int, data: Json, move: str, reason: str, text: str
    ) -> None:
        """Answer with the agent's move, or with a safe one and the reason for it."""
        if not move:
            try:
                move = api.safe_move(data)
            except Exception as error:
                seat.asked = None
                if seat.answered is None:
                    self.seats.free(key)  # there may be no such game at all
                self._refuse(post, error)
                return
            if reason and (news := self.counts.fell_back(reason, text)):
                _tell(f"a safe move in place of {self.spec}'s: {news}")
        post.answer(200, ANSWERS[move])
        took = _now() - post.arrived
        self.counts.moved(took)
        if seat.asked == turn:
            self.counts.late += took >= _timeout(data)
            seat.answered = turn, took

    def _end(self, post: Post, key: Key, data: Json) -> None:
        self.seats.free(key)
        post.answer(200, b"{}")

    def _deadline(self, data: Json, arrived: float) -> float:
        timeout = _timeout(data)
        return arrived + timeout - self.reserve.seconds(timeout)

    def _learn(self, seat: Seat, data: Json) -> int:
        """The turn, after learning the reserve from our last answer, if that was one turn ago: from the engine's report
        and our own clock. An engine that did not wait for the answer got it too late."""
        told = data.get("turn")
        turn, timeout = told if isinstance(told, int) else 0, _timeout(data)
        if seat.asked is not None and seat.asked + 1 == turn:
            own = seat.answered[1] if seat.answered and seat.answered[0] == seat.asked else timeout
            latency = _latency(data)
            self.reserve.learn(latency, own, timeout)
            known = own >= timeout and seat.answered is not None and seat.answered[0] == seat.asked
            self.counts.late += max(latency, own) >= timeout and not known
        seat.asked = turn
        return turn

    def _refuse(self, post: Post, error: Exception) -> None:
        self.counts.refused += 1
        if not isinstance(error, SparringError | HTTPException):
            error = SparringError(f"this cannot be read: {type(error).__name__}: {error}")
        told = error_response(error)
        post.answer(told.status_code, bytes(told.body))

    async def _refused(self, request: Request, error: Exception) -> Response:
        self.counts.refused += request.method == "POST"
        return error_response(error)

    # What people ask

    def figures(self) -> dict[str, float]:
        return {
            "games": self.seats.games,
            "snakes": len(self.seats),
            **self.counts.figures(),
            "reserve_ms": 1000 * self.reserve.seconds(TIMEOUT / 1000),
            "processes": len(self.pool.processes),
            "killed": self.pool.killed,
        }

    async def metrics(self, request: Request) -> Response:
        return PlainTextResponse("".join(f"{name} {value:g}\n" for name, value in self.figures().items()))

    async def status(self, request: Request) -> Response:
        return HTMLResponse(page(self.spec, self.figures(), self.counts.texts))


def _latency(data: Json) -> float:
    """Seconds of our last answer as seen by the engine; 0 if it does not tell. Engines tell it for ourselves or for our
    snake on the board, the official client only there."""
    you = object_(data, "you", {})
    board = object_(data, "board", {}).get("snakes")
    snakes = [one for one in board if isinstance(one, dict)] if isinstance(board, list) else []
    seconds = [0.0]
    for snake in (you, *(one for one in snakes if one.get("id") == you.get("id"))):
        with contextlib.suppress(ValueError, TypeError):  # of an engine that tells something else
            seconds.append(float(snake.get("latency") or 0) / 1000)
    return max(one for one in seconds if 0 <= one < LONGEST / 1000)


def _timeout(data: Json) -> float:
    """Seconds for an answer."""
    told = object_(data, "game", {}).get("timeout")
    known = told if isinstance(told, int) and told > 0 else TIMEOUT
    return min(max(known, SHORTEST), LONGEST) / 1000


def _now() -> float:
    return asyncio.get_running_loop().time()


def _tell(line: str) -> None:
    print(one_line(line), file=sys.stderr, flush=True)
