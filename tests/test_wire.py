"""Whatever a guest sends is a legal decision or its own failure, in one line that can be stored and shown."""

import json
import random
import socket
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import IO, Any

import pytest

import sparring
from sparring.agents.agent import View
from sparring.arena.limits import AgentFailure, Limits
from sparring.arena.store import Store
from sparring.arena.supervisor import Guest, Supervisor
from sparring.core.dice import players_dice
from sparring.games.contract import Position

GAME = sparring.game("isolation")
START = GAME.start(1)
NASTY: list[Any] = [
    None, True, False, -1, 0, 1 << 70, -(1 << 70), 10**400, 1.5, -0.0, 1e308, "", "e4", "\ud800", "\x1b[2J\x07",
    "\u202e", "x" * 70_000, [], {}, [[]], {"a": {"b": {"c": 1}}}, [1, 2, 3], {"\ud800": 1}, "NaN", [None] * 8,
]  # fmt: skip


LOADED = b'{"turn": 1, "ready": true, "warned": [], "wants_the_end": false}'


class ForgedServer:
    """Stands for the forkserver. Its "guests" are the other ends of their connections."""

    lost = False

    def start(self, message: dict[str, Any], output: IO[bytes], sources: Any) -> tuple[int, socket.socket]:
        ours, self.guest = socket.socketpair()
        return 0, ours

    def end(self, pid: int) -> None:
        self.guest.close()

    def close(self) -> None:
        return


@pytest.fixture
def forged(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Ask a guest that sends these bytes after it was loaded; return its decision or its failure."""
    server = ForgedServer()
    monkeypatch.setattr("sparring.arena.supervisor.DEATH_SECONDS", 0.0)
    with Supervisor(Limits(stall=5.0)) as supervisor:
        supervisor._server = server  # type: ignore[assignment]

        def ask(sends: bytes, loaded: bytes = LOADED) -> Any:
            own = players_dice(1, START.mover)
            one = Guest(supervisor, GAME, "forged.py")
            real = supervisor.start

            def start(*given: Any) -> Any:
                process = real(*given)
                server.guest.sendall(frame(loaded))
                return process

            monkeypatch.setattr(supervisor, "start", start)
            try:
                with one.seated(own) as player:
                    server.guest.sendall(sends)
                    server.guest.shutdown(socket.SHUT_WR)
                    return player.decide(View(Position(GAME, START.state, own), START.mover, own))
            except AgentFailure as failure:
                return failure
            finally:
                one.dismiss()
                monkeypatch.setattr(supervisor, "start", real)

        yield ask


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def answer(**changes: Any) -> dict[str, Any]:
    action = GAME.legal(START.state, START.mover)[0]
    candidate = [action, 0.5, True, [action], {"moves": 1.0}, "fine", False]
    whole = {"action": action, "candidates": [candidate], "depth": 1, "nodes": 2, "seconds": 0.1}
    return {**whole, "weights": {"moves": 1.0}, "notes": {"why": "so"}, "turn": 2, **changes}


def sent(message: Any) -> bytes:
    return frame(json.dumps(message).encode())


def is_sound(told: Any) -> bool:
    """True for a legal decision that can be stored, or for a failure in one plain line."""
    if isinstance(told, AgentFailure):
        line = str(told)
        return len(line) < 400 and line.isprintable() and bool(line.encode())
    json.dumps(told.to_json(), allow_nan=False).encode()
    return told.action in GAME.legal(START.state, START.mover)


def test_a_true_answer_is_taken(forged: Callable[..., Any]) -> None:
    told = forged(sent(answer()))
    assert (told.nodes, told.candidates[0].note, dict(told.notes)) == (2, "fine", {"why": "so"})


FORGED = {
    "no turn": (sent({**answer(), "turn": None}), "crash: it sent an invalid answer"),
    "the turn as a word": (sent(answer(turn="2")), "crash: it sent an invalid answer"),
    "the turn as a fraction": (sent(answer(turn=2.0)), "crash: it sent an invalid answer"),
    "yes as the turn": (sent(answer(turn=True)), "crash: it sent an invalid answer"),
    "an old turn": (sent(answer(turn=1)), "crash: it sent an invalid answer"),
    "two answers": (sent(answer()) * 2, "crash: it sent an invalid answer"),
    "a list": (sent([answer()]), "crash: it sent an invalid answer"),
    "not UTF-8": (frame(b'{"turn": 2, "action": "\xff"}'), "crash: it sent an invalid answer"),
    "not a number": (frame(json.dumps(answer(seconds=float("nan"))).encode()), "crash: it sent an invalid answer"),
    "infinite": (frame(json.dumps(answer()).replace("0.5", "1e999").encode()), "crash: it sent an invalid decision"),
    "infinite note": (frame(json.dumps(answer(notes={"a": [7]})).replace("7", "1e999").encode()), "crash: it sent an"),
    "a huge number": (sent(answer(nodes=10**400)), "crash: it sent an invalid decision"),
    "a huge score": (sent(answer(weights={"moves": 10**400})), "crash: it sent an invalid decision"),
    "a huge candidate": (
        sent(answer(candidates=[[10**30, 0, 1, [], {}, "", 0]])),
        "crash: it sent an invalid decision",
    ),
    "notes without end": (sent(answer(notes={"a": json.loads("[" * 500 + "]" * 500)})), "crash: it sent an invalid"),
    "half an emoji as the move": (sent(answer(action="\ud83d")), "illegal move: ? is not legal here"),
    "orders to the terminal": (sent(answer(action="\x1b[2Je4")), "illegal move: ?[2Je4 is not legal here"),
    "half an emoji as the error": (sent({"failed": "error", "detail": "\udc00!", "turn": 2}), "crash: ?!"),
    "an error that is a table": (sent({"failed": [], "detail": {"a": 1}, "turn": 2}), "crash: {'a': 1}"),
    "an endless error": (sent({"failed": 1, "detail": "woe " * 10_000, "turn": 2}), "crash: woe woe"),
    "nothing": (b"", "crash: it closed its connection"),
    "half a message": (sent(answer())[:-5], "crash: it closed its connection"),
    "a gigabyte announced": (b"\x7f\xff\xff\xff", "crash: it sent an invalid answer"),
}


@pytest.mark.parametrize(("sends", "verdict"), FORGED.values(), ids=FORGED)
def test_a_forged_line_is_the_failure_of_its_agent(forged: Callable[..., Any], sends: bytes, verdict: str) -> None:
    told = forged(sends)
    assert isinstance(told, AgentFailure)
    assert str(told).startswith(verdict)
    assert is_sound(told)


@pytest.mark.parametrize("warned", NASTY, ids=range(len(NASTY)))
def test_forged_warnings_stop_nobody(forged: Callable[..., Any], warned: Any) -> None:
    loaded = json.dumps({"turn": 1, "ready": 1, "warned": warned, "wants_the_end": warned}).encode()
    assert is_sound(forged(sent(answer()), loaded))


def forgeries(luck: random.Random) -> bytes:
    """A line like a true one, but with something wrong at one to three places of its content or of its bytes."""
    message: Any = answer()
    for _ in range(luck.randrange(1, 4)):
        at, key = message, luck.choice([*message])
        while isinstance(at[key], dict | list) and at[key] and luck.random() < 0.6:
            at = at[key]
            key = luck.choice([*at]) if isinstance(at, dict) else luck.randrange(len(at))
        at[key] = deepcopy(luck.choice(NASTY))
        if luck.random() < 0.1 and isinstance(at, dict):
            del at[key]
        if not message:
            break
    line = bytearray(json.dumps(message).encode())
    for _ in range(luck.choice([0, 0, 0, 1, 3])):
        line[luck.randrange(len(line))] = luck.randrange(256)
    return frame(bytes(line))[: luck.choice([1 << 30] * 9 + [luck.randrange(40)])]


@pytest.mark.slow
@pytest.mark.torture(1000, 10_000)
def test_forged_lines_abort_nothing(forged: Callable[..., Any], attacks: int) -> None:
    luck = random.Random(attacks)
    failed = 0
    for _ in range(attacks):
        line = forgeries(luck)
        told = forged(line)
        assert is_sound(told), line[:2000]
        failed += isinstance(told, AgentFailure)
    assert 0.5 * attacks < failed < attacks


@pytest.mark.slow
def test_half_an_emoji_in_an_exception_is_a_loss_that_can_be_stored(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'from sparring import agent\n\n@agent("isolation")\ndef mine(view):\n'
        r'    raise ValueError("\ud800 \x1b[31m")' + "\n"
    )
    with Store(tmp_path / "games.db") as store:
        result = sparring.match("isolation", f"{tmp_path}/mine.py", "random", games=2, store=store)
        assert [failure.detail for batch in store.batches(result.id) for failure in batch.failures] == [
            "crash: ValueError: ? ?[31m (mine.py:5)"
        ] * 2
