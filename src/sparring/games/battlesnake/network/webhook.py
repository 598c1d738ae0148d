"""A snake on the network: any agent answers Battlesnake's webhook API.

A request that cannot be read is refused with a line that says why. A readable board always gets a move in time, even if
the agent is late, fails, or cannot play on such a board: then it is a safe move if there is one.
"""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from sparring import __version__
from sparring.agents import spec as specs
from sparring.agents.agent import View
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.core.table import one_line
from sparring.games.battlesnake import api
from sparring.games.battlesnake.board_json import Json, object_, parsed, word
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.network.clock import Reserve
from sparring.games.battlesnake.network.seats import Key, NothingToDecide, Seat, Seats, agents
from sparring.games.battlesnake.network.status import Counts, page
from sparring.web.http import error_response, read_body
from sparring.web.threads import DeadlinePool

MOST_BYTES = 1 << 19
"""Limit of a request in bytes; the fullest official board takes a tenth of it."""
TIMEOUT, SHORTEST, LONGEST = 500, 20, 60_000
"""Milliseconds: the timeout of a game that does not tell it, and the limits of what is believed."""
WARM_UP = 0.05
"""Seconds to think before the first game."""
SWEEPS = 30.0
"""Seconds between searches for games that have fallen silent."""
LOOKS = {"apiversion": "1", "author": "sparring", "color": "#3f8f4f", "head": "default", "tail": "default"}

Answer = Callable[[Request], Awaitable[Response]]


class SnakeServer:
    """The state of a served agent: its games, its time, its statistics."""

    def __init__(self, spec: str, warn: Callable[[str], None] | None = None) -> None:
        self.spec = spec
        self._make = agents(lambda game: specs.agent(game, spec, warn=warn))
        self.seats = Seats(self._make)
        self.thinkers = DeadlinePool()
        self.reserve = Reserve()
        self.counts = Counts()

    def warm_up(self) -> None:
        """Make the agent and let it think once, so that no game waits for compiled code to load."""
        for game in (Battlesnake(), Battlesnake(players=4), Battlesnake(board="19x19", players=4)):
            try:
                agent = self._make(game)
            except SparringError:
                if game.seats == 2:
                    raise
                return  # it is for two alone
            view = View.of(game.start(0), 0, dice(0))
            with contextlib.suppress(Exception), agent.seated(view.dice) as player:
                player.decide(replace(view, seconds=WARM_UP))

    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/", self.root),
                Route("/start", _careful(self.start), methods=["POST"]),
                Route("/move", _careful(self.move), methods=["POST"]),
                Route("/end", _careful(self.end), methods=["POST"]),
                Route("/status", self.status),
                Route("/metrics", self.metrics),
            ],
            exception_handlers={SparringError: self._refused, HTTPException: self._refused},
            lifespan=self._living,
        )

    @contextlib.asynccontextmanager
    async def _living(self, app: Starlette) -> AsyncIterator[None]:
        async def sweep() -> None:
            while True:
                await asyncio.sleep(SWEEPS)
                self.seats.sweep(_now())

        sweeping = asyncio.create_task(sweep())
        yield
        sweeping.cancel()

    # What an engine asks

    async def root(self, request: Request) -> Response:
        return JSONResponse({**LOOKS, "version": __version__})

    async def start(self, request: Request) -> Response:
        arrived, data = _now(), parsed(await read_body(request, MOST_BYTES))
        key = _key(data)
        api.safe_move(data)  # or there is no board
        seat = self.seats.at(key, arrived)
        with contextlib.suppress(Exception):  # the first move will find it ready, or fail for the same reason
            await self.thinkers.run(partial(seat.prepare, data), self._deadline(data, arrived))
        return JSONResponse({})

    async def move(self, request: Request) -> Response:
        arrived, data = _now(), parsed(await read_body(request, MOST_BYTES))
        key = _key(data)
        seat = self.seats.at(key, arrived)
        turn = self._learn(seat, data)
        try:
            move = await self.thinkers.run(partial(seat.decide, data), self._deadline(data, arrived))
        except Exception as error:
            try:
                move = api.safe_move(data)
            except SparringError:
                seat.asked = None
                if seat.answered is None:
                    self.seats.free(key)  # there may be no such game at all
                raise
            self._fell_back(error)
        took = _now() - arrived
        seat.answered = turn, took
        self.counts.moved(took)
        return JSONResponse({"move": move})

    async def end(self, request: Request) -> Response:
        self.seats.free(_key(parsed(await read_body(request, MOST_BYTES))))
        return JSONResponse({})

    def _fell_back(self, error: Exception) -> None:
        """Report a new reason for a fallback, if there was anything to decide."""
        if not isinstance(error, NothingToDecide) and (news := self.counts.fell_back(error)):
            print(f"a safe move in place of {self.spec}'s: {one_line(news)}", file=sys.stderr, flush=True)

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
            self.reserve.learn(_latency(data), own, timeout)
        seat.asked = turn
        return turn

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
            "threads_lost": self.thinkers.stuck,
        }

    async def metrics(self, request: Request) -> Response:
        return PlainTextResponse("".join(f"{name} {value:g}\n" for name, value in self.figures().items()))

    async def status(self, request: Request) -> Response:
        return HTMLResponse(page(self.spec, self.figures(), self.counts.reasons))


def _careful(answer: Answer) -> Answer:
    """Turn any error of a request into a refusal, never a server error."""

    async def careful(request: Request) -> Response:
        try:
            return await answer(request)
        except (SparringError, HTTPException):
            raise
        except Exception as error:
            raise SparringError(f"this cannot be read: {type(error).__name__}: {error}") from error

    return careful


def _key(data: Json) -> Key:
    return word(object_(data, "game", {}), "id", ""), word(object_(data, "you", {}), "id", "")


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
