"""The process in which a served agent thinks: it reads questions, and writes answers, until its server ends.

A question holds the request of the engine as it came. The server has read it before and knows that it has a board.
"""

import contextlib
import json
import os
import struct
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, View
from sparring.agents.outside import become_guest
from sparring.agents.spec import agent as make_agent
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.core.table import one_line, plain
from sparring.games.battlesnake import api
from sparring.games.battlesnake.board_json import Json, parsed
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.network.seats import Key, key_of
from sparring.games.battlesnake.rules import MOVES
from sparring.games.battlesnake.state import NUMBERS
from sparring.web.lru import LruCache

QUESTION = struct.Struct("<IBIIdI")
"""Head of a question: bytes of the request, kind, number, number of the seat, deadline, questions that wait behind."""
ANSWER = struct.Struct("<IBId")
"""Head of an answer: bytes of its text, kind, number of the question, seconds that it took."""
MOVE, PREPARE, LEAVE = range(3)
"""Kinds of questions. LEAVE has no answer: the game of a seat is over."""
READY, BROKEN, PLAYED, OVER, SKIPPED, UNPLAYABLE, FAILED = range(7)
"""Kinds of answers. READY and BROKEN come first, without a question: the agent could be made, or not."""
MOST_TEXT, MOST_ANSWER = 300, 1 << 16
"""Characters of an error that are told, and bytes of an answer."""
OVERRUN = 0.020
"""Seconds by which an agent that keeps its time may still be late."""
LEAST = 0.005
"""Least seconds for an agent. One that ignores its time is cut off anyway."""
WARM_UP = 0.05
"""Seconds to think before the first game."""
PARENT_SECONDS = 1.0

Make = Callable[[Battlesnake], Agent]


class NothingToDecide(SparringError):
    """The last survivor was asked once more; any answer will do."""


class SeatedAgent:
    """The agent of one snake in one game, with its memory."""

    def __init__(self, make: Make, key: Key) -> None:
        self._make = make
        self._dice = dice(*key)
        self._held = contextlib.ExitStack()
        self._player: tuple[Battlesnake, tuple[str, ...], Agent] | None = None

    def decide(self, data: Json, seconds: float) -> str:
        """A move for a board. Raises SparringError if none of our games can hold it."""
        seen, player = self.seated(data)
        if seen.you not in seen.position.actors:
            raise NothingToDecide("the game is over, or over for this snake")
        view = View.of(seen.position, seen.you, self._dice)
        return MOVES[player.decide(replace(view, seconds=max(LEAST, seconds - OVERRUN))).action]

    def seated(self, data: Json) -> tuple[api.Seen, Agent]:
        """The board and its player: the same one from turn to turn, also after others have died."""
        seen = api.read(data, self._player[1] if self._player else ())
        seen.position.state.max_turns = NUMBERS["max_turns"][1]  # an engine that asks has not ended the game
        game = seen.position.game
        assert isinstance(game, Battlesnake)
        if self._player is None or self._player[0] is not game or self._player[1] != seen.ids:
            self._held.close()
            self._player = (game, seen.ids, self._held.enter_context(self._make(game).seated(self._dice)))
        return seen, self._player[2]

    def leave(self) -> None:
        self._held.close()


def agents(make: Make, most: int = 64) -> Make:
    """Make one agent for each kind of game when it is first needed."""
    made: LruCache[Any, Agent] = LruCache(most)

    def agent(game: Battlesnake) -> Agent:
        kind = tuple(game.options().items())
        if not (known := made.get(kind)):
            made.put(kind, known := make(game))
        return known

    return agent


def warm_up(make: Make) -> dict[str, Any]:
    """Make the agent and let it think, so that no game waits for compiled code to load. Return whether it may remember
    a game, and the seconds that it thinks."""
    remembers, seconds = False, WARM_UP
    for game in (Battlesnake(), Battlesnake(players=4), Battlesnake(board="19x19", players=4)):
        try:
            agent = make(game)
        except SparringError:
            if game.seats == 2:
                raise
            break  # it is for two alone
        view = View.of(game.start(0), 0, dice(0))
        with contextlib.suppress(Exception), agent.seated(view.dice) as player:
            remembers |= player is not agent
            for _ in range(2):
                started = time.monotonic()
                player.decide(replace(view, seconds=WARM_UP))
                seconds = time.monotonic() - started
    return {"remembers": remembers, "seconds": seconds}


def run(spec: str) -> None:
    """Serve the questions that come on standard input. What the agent prints goes to standard error."""
    incoming, outgoing = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(2, 1)
    become_guest()  # a user's file runs here, and not in the server
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    warned: list[str] = []
    make = agents(lambda game: make_agent(game, spec, warn=warned.append))
    try:
        ready = {**warm_up(make), "warned": [line[:MOST_TEXT] for line in warned[:10]]}
    except BaseException as error:
        _send(outgoing, BROKEN, 0, 0.0, _line(error))
        return
    _send(outgoing, READY, 0, 0.0, json.dumps(ready))
    seats: dict[int, SeatedAgent] = {}
    held = b""
    while part := os.read(incoming, 1 << 20):
        held += part
        while len(held) >= QUESTION.size:
            size, kind, number, seat, deadline, behind = QUESTION.unpack_from(held)
            end = QUESTION.size + size
            if len(held) < end:
                break
            body, held = held[QUESTION.size : end], held[end:]
            if kind == LEAVE:
                if leaving := seats.pop(seat, None):
                    leaving.leave()
                continue
            started = time.monotonic()
            data = parsed(body)
            player = seats.get(seat) or seats.setdefault(seat, SeatedAgent(make, key_of(data)))
            told, text = _answer(player, kind, data, (deadline - started) / (1 + behind))
            _send(outgoing, told, number, time.monotonic() - started, text)


def _answer(player: SeatedAgent, kind: int, data: Json, seconds: float) -> tuple[int, str]:
    if seconds < 0:
        return SKIPPED, ""
    try:
        if kind == PREPARE:
            player.seated(data)
            return PLAYED, ""
        return PLAYED, player.decide(data, seconds)
    except NothingToDecide:
        return OVER, ""
    except SparringError as error:
        return UNPLAYABLE, _line(error)
    except BaseException as error:  # an agent may even call sys.exit
        return FAILED, _line(error)


def _line(error: BaseException) -> str:
    text = plain(one_line(str(error))[:MOST_TEXT])
    if not isinstance(error, SparringError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text


def _send(file: int, kind: int, number: int, seconds: float, text: str) -> None:
    body = text.encode()
    data = ANSWER.pack(len(body), kind, number, seconds) + body
    while data:
        data = data[os.write(file, data) :]


def _end_with(parent: int) -> None:
    """End this process when its server has ended, also while the agent thinks."""
    while os.getppid() == parent:
        time.sleep(PARENT_SECONDS)
    os._exit(0)
