"""Kept games for the official board viewer, sent turn by turn over a websocket.

The viewer is a page on the internet, loaded by the user's browser, which then asks this server. Any page may ask, since
browsers need that permission. It can read which agents met and how they moved, and can change nothing.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from sparring.analysis.report import when
from sparring.arena.referee import PlayedGame
from sparring.arena.store import Store
from sparring.core.errors import SparringError
from sparring.core.markup import document, joined, section, tag
from sparring.core.table import plain
from sparring.games.battlesnake.board import SNAKES, Point, body_of, food_of, hazards_of
from sparring.games.battlesnake.picture import COLOURS
from sparring.games.battlesnake.rules import ALIVE, CAUSES, NOBODY
from sparring.games.contract import Position

BOARD = "https://board.battlesnake.com/"
LISTED = 100
"""Number of games of an experiment that get a link; the others have an address too."""
TITLE = "Games of Battlesnake"


def app(store: Path) -> Starlette:
    """Serve every kept game of a store. Games of a running match appear when their block is finished."""

    async def listing(request: Request) -> Response:
        return HTMLResponse(await asyncio.to_thread(_listing, store, str(request.base_url).rstrip("/")))

    async def game(request: Request) -> Response:
        try:
            played, states = await asyncio.to_thread(_game, store, request.path_params["id"])
        except SparringError as error:
            return JSONResponse({"error": str(error)}, 404)
        return JSONResponse({"Game": _about(request.path_params["id"], played, states)})

    async def events(socket: WebSocket) -> None:
        id = socket.path_params["id"]
        try:
            played, states = await asyncio.to_thread(_game, store, id)
        except SparringError:
            await socket.close()
            return
        with suppress(WebSocketDisconnect):  # the page was left
            await socket.accept()
            for frame in frames(played, states):
                await socket.send_json({"Type": "frame", "Data": frame})
            await socket.send_json({"Type": "game_end", "Data": _about(id, played, states)})
            await socket.close()

    return Starlette(
        routes=[Route("/", listing), Route("/games/{id}", game), WebSocketRoute("/games/{id}/events", events)],
        middleware=[Middleware(CORSMiddleware, allow_origins=["*"], allow_private_network=True)],
    )


def _game(store: Path, id: str) -> tuple[PlayedGame, list[Position]]:
    """The game of an id such as 3f2a19c0-17, and its positions."""
    shape = re.fullmatch(r"([0-9a-f]+|last)-(\d{1,9})", id)
    if not shape:
        raise SparringError("no such game; expected the id of an experiment and a number, such as 3f2a19c0-17")
    with Store(store, new=False) as kept:
        played = kept.game(shape[1], int(shape[2]))
    if played.game != "battlesnake":
        raise SparringError(f"{shape[1]} is an experiment of {played.game}, not of battlesnake")
    return played, played.positions()


def _about(id: str, played: PlayedGame, states: Sequence[Position]) -> dict[str, Any]:
    s, rules = states[0].state, played.options["rules"]
    return {
        "ID": id,
        "Status": "complete",
        "Width": int(s.width),
        "Height": int(s.height),
        "Ruleset": {"name": rules},
        "RulesetName": rules,
        "RulesStages": [],
        "Map": played.options["map"],
        "SnakeTimeout": 500,
        "Source": "",
    }


def frames(played: PlayedGame, states: Sequence[Position]) -> Iterator[dict[str, Any]]:
    """Every turn in the viewer's format, with the dead and how they died."""
    for position in states:
        s = position.state
        yield {
            "Turn": int(s.turn),
            "Snakes": [_snake(s, seat, name) for seat, name in enumerate(played.agents)],
            "Food": _points(food_of(s)),
            "Hazards": _points([(x, y) for x, y in hazards_of(s) if y < s.height]),
        }


def _snake(s: Any, seat: int, name: str) -> dict[str, Any]:
    killer = int(s.killer[seat])
    death = {
        "Cause": CAUSES[s.cause[seat]],
        "Turn": int(s.died_on[seat]),
        "EliminatedBy": "" if killer == NOBODY else SNAKES[killer],
    }
    return {
        "ID": SNAKES[seat],
        "Name": plain(name),
        "Body": _points(body_of(s, seat)),
        "Health": int(s.health[seat]),
        "Color": COLOURS[seat],
        "HeadType": "default",
        "TailType": "default",
        "Latency": "1",
        "Shout": "",
        "Squad": "",
        "Author": "",
        "StatusCode": 200,
        "Error": "",
        "IsBot": False,
        "IsEnvironment": False,
        "Death": None if s.cause[seat] == ALIVE else death,
    }


def _points(points: Sequence[Point]) -> list[dict[str, int]]:
    return [{"X": x, "Y": y} for x, y in points]


def _listing(store: Path, engine: str) -> str:
    with Store(store, new=False) as kept:
        listed = [one for one in reversed(kept.listed()) if one.game == "battlesnake" and one.kept]
    needs = "The links open the official board viewer, which needs the internet. Without: "
    told = [tag("h1", TITLE), tag("p", needs, tag("code", "spar replay ID --game 1"))]
    told += [] if listed else [tag("p", "There are none yet: ", tag("code", "spar match battlesnake ..."))]
    for one in listed:
        shown = range(1, min(one.kept, LISTED) + 1)
        pages = [f"{BOARD}?{urlencode({'engine': engine, 'game': f'{one.id}-{number}'})}" for number in shown]
        links = [joined([" ", tag("a", number, href=page)]) for number, page in zip(shown, pages, strict=True)]
        more = f"and so on to {one.id}-{one.kept}" if one.kept > LISTED else ""
        who = one.title or " v ".join(one.agents)
        told.append(section(f"{one.id} {who}", tag("p", f"{when(one.begun)}, game", *links, " ", more)))
    return document(TITLE, *told)
