"""A served snake: real requests to a real process, whatever they hold."""

import asyncio
import html
import http.client
import json
import random
import re
import socket
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from copy import copy
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import connect

import sparring
from commands import did, spar
from http_snakes import asked, figures, listening, served
from malformed import malformed
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.arena.store import Store
from sparring.games.battlesnake import api
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.network import seats as seating
from sparring.games.battlesnake.network import webhook
from sparring.games.battlesnake.network.clock import FEWEST, MARGIN, Reserve
from sparring.games.battlesnake.network.seats import Seat, Seats
from sparring.games.battlesnake.network.webhook import SnakeServer
from sparring.games.battlesnake.network.worker import SeatedAgent
from sparring.games.battlesnake.rules import MOVES
from sparring.web.posts import Post, PostQueue

pytestmark = pytest.mark.slow

MOODY = """
import contextlib
import os
import time
from sparring import agent

@agent("battlesnake")
def moody(view):
    mood = int(view.state.turn) - 100_000
    assert view.seconds < 60
    if mood == 1:
        time.sleep(3600)
    if mood == 2:
        raise RuntimeError("no \\ud800 mood")
    if mood == 3:
        return "sideways"
    if mood == 4:
        raise SystemExit
    if mood == 5:
        os._exit(0)
    if mood == 6:
        for file in range(3, 30):
            with contextlib.suppress(OSError):
                os.write(file, b"\\xff" * 100)
    return (view.position.game.safe_moves(view.state, view.me) or view.legal)[0]
"""
SLOW_AGENT = """
import time
from sparring import agent

@agent("battlesnake")
def slow(view):
    time.sleep(0.2)
    return view.legal[0]
"""
GAME = Battlesnake()
SLOW = 20_000
"""Milliseconds for an answer, so that a busy machine is no timeout."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    says = r"random_safe plays at (http://127\.0\.0\.1:\d+); try: spar snake arena \1 random_safe"
    folder = tmp_path_factory.mktemp("served")
    with served(folder, "battlesnake", "--agent", "random_safe", says=says) as address:
        yield address


@pytest.fixture(scope="module")
def moody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("moody")
    (folder / "moody.py").write_text(MOODY)
    with served(folder, "battlesnake", "--agent", "moody.py") as address:
        yield address


def request(text: str = "t3 A90:b2,b3,b4 B80:f6,f7,f8", you: int = 0, id: str = "g", timeout: int = SLOW) -> Any:
    position = GAME.parse(text)
    return json.loads(json.dumps(api.request(GAME, position, you, id=id, timeout=timeout)))


# Playing


def test_two_served_agents_play_whole_games_against_each_other(url: str, moody: str) -> None:
    before = [figures(one) for one in (url, moody)]
    said = did("snake", "arena", url, moody, "--games", 2, "--board", "7x7", "--timeout", "20s", "--json")
    told = json.loads(said)
    assert (told["games"], told["failures"], told["options"]["players"]) == (2, {}, "2")
    for name in (url, moody):
        assert re.fullmatch(r"\d+ answers · 0 timeouts · 0 errors · .*", told["remarks"][f"{name},timeout=20s"])
    again = spar(*told["command"].split()[1:])
    assert again.code == 0
    assert "2 games in 1 pair" in again.out
    for one, then in zip((url, moody), before, strict=True):
        now = figures(one)
        assert now["moves"] > then["moves"]
        assert (now["games"], now["fallbacks"]) == (then["games"], then["fallbacks"])


def test_an_arena_takes_as_many_as_are_named_and_agents_beside_addresses(url: str) -> None:
    told = json.loads(
        did("snake", "arena", f"{url},timeout=20s", "random_safe", "random", "--games", 3, "--board", "7x7", "--json")
    )
    assert (told["options"]["players"], told["games"], told["failures"]) == ("3", 3, {})
    assert list(told["remarks"]) == [f"{url},timeout=20s"]


def test_it_says_who_it_is_and_that_other_paths_and_methods_are_wrong(url: str) -> None:
    status, told = asked(f"{url}/")
    assert (status, told["apiversion"], told["version"]) == (200, "1", sparring.__version__)
    assert asked(f"{url}/nowhere") == (404, {"error": "Not Found"})
    assert asked(f"{url}/move") == (405, {"error": "Method Not Allowed"})


def test_games_are_known_until_they_end(url: str) -> None:
    known, boards = figures(url), [request(id=id, you=you) for id in ("one", "two") for you in (0, 1)]
    assert [asked(f"{url}/start", board) for board in boards] == [(200, {})] * 4
    now = figures(url)
    assert (now["games"], now["snakes"]) == (known["games"] + 2, known["snakes"] + 4)
    assert [asked(f"{url}/end", board) for board in boards] == [(200, {})] * 4
    assert figures(url)["games"] == known["games"]


def test_many_games_at_once_are_all_answered(url: str) -> None:
    def one(number: int) -> list[tuple[int, Any]]:
        boards = [request(f"t{turn} A90:b2,b3,b4 B80:f6,f7,f8", id=f"many {number}") for turn in range(5)]
        return [*(asked(f"{url}/move", board) for board in boards), asked(f"{url}/end", boards[-1])]

    with ThreadPoolExecutor(20) as pool:
        for *moves, end in pool.map(one, range(20)):
            assert {status for status, _ in moves} == {200}
            assert {told["move"] for _, told in moves} <= {"left", "right", "down"}
            assert end == (200, {})


# An agent that cannot be relied on


MOODS = {1: "hangs", 2: "fails", 3: "talks nonsense", 4: "wants to exit", 5: "exits", 6: "writes to the server"}


@pytest.mark.parametrize("mood", MOODS, ids=MOODS.get)
def test_an_agent_that_cannot_be_relied_on_is_covered_by_a_safe_move(moody: str, mood: int) -> None:
    before = figures(moody)["fallbacks"]
    board = request(f"t10000{mood} A90:a1,a2,a3 B80:f6,f7,f8", id=f"mood {mood}", timeout=400)
    assert asked(f"{moody}/move", board) == (200, {"move": "right"})
    assert figures(moody)["fallbacks"] == before + 1
    after = request("t4 A90:b1,a1,a2 B80:f6,f7,f8", id=f"other {mood}")
    assert asked(f"{moody}/move", after)[0] == 200
    assert figures(moody)["fallbacks"] == before + 1


def test_a_process_that_hangs_is_ended_and_costs_other_games_nothing(moody: str) -> None:
    before = figures(moody)

    def other(number: int) -> int:
        boards = [request(f"t{turn} A90:b1,a1,a2 B80:f6,f7,f8", id=f"beside {number}") for turn in range(20)]
        return sum(asked(f"{moody}/move", board)[0] == 200 for board in boards)

    with ThreadPoolExecutor(5) as pool:
        hanging = [request("t100001 A90:a1,a2,a3 B80:f6,f7,f8", id=f"stuck {n}", timeout=3000) for n in range(2)]
        others = pool.map(other, range(3))
        assert list(pool.map(lambda told: asked(f"{moody}/move", told), hanging)) == [(200, {"move": "right"})] * 2
        assert list(others) == [20] * 3
    deadline = time.monotonic() + 60
    while figures(moody)["killed"] == before["killed"] and time.monotonic() < deadline:
        time.sleep(0.1)
    now = figures(moody)
    assert now["killed"] > before["killed"]
    assert now["fallbacks"] == before["fallbacks"] + 2


def test_the_status_page_tells_what_went_wrong(moody: str) -> None:
    asked(f"{moody}/move", request("t100002 A90:a1,a2,a3 B80:f6,f7,f8", id="status"))
    with urllib.request.urlopen(f"{moody}/status", timeout=60) as page:
        told = html.unescape(page.read().decode())
    assert "<h1>moody.py</h1>" in told
    assert "RuntimeError: no � mood" in told


# Boards that are not easy


def bodies(*snakes: list[tuple[int, int]]) -> list[Any]:
    return [
        {"id": f"s{number}", "body": [{"x": x, "y": y} for x, y in body], "health": 50}
        for number, body in enumerate(snakes)
    ]


@pytest.mark.parametrize(
    "board",
    [
        pytest.param({"width": 40, "height": 40, "snakes": bodies([(0, 0), (0, 1), (0, 2)])}, id="large"),
        pytest.param(
            {"width": 19, "height": 19, "snakes": bodies(*([(x, 0), (x, 1), (x, 2)] for x in range(0, 18, 2)))},
            id="many snakes",
        ),
        pytest.param({"width": 11, "height": 11, "snakes": bodies([(0, 0), (0, 1), (0, 2)])}, id="decided"),
        pytest.param({"width": 11, "height": 11, "snakes": []}, id="nobody"),
        pytest.param({"width": 11, "height": 11, "snakes": bodies([(5, 5)])}, id="you elsewhere"),
        pytest.param({"width": 2, "height": 1, "snakes": []}, id="tiny"),
    ],
)
def test_a_board_that_no_game_of_ours_can_hold_gets_a_safe_move(url: str, board: Any) -> None:
    you = bodies([(0, 0), (0, 1), (0, 2)])[0]
    you["id"] = "s0" if you in board["snakes"] else "me"
    told = {"game": {"id": "odd", "timeout": SLOW}, "turn": 9, "board": board, "you": you}
    assert asked(f"{url}/move", told) == (200, {"move": "right"})
    assert asked(f"{url}/end", told) == (200, {})


def test_the_survivor_of_a_duel_is_asked_once_more(url: str) -> None:
    """As the official engine does: the player that it was is still there, though the game is over."""
    fallbacks = figures(url)["fallbacks"]
    asked(f"{url}/move", request("t3 A90:a1,a2,a3 B80:f6,f7,f8", id="duel"))
    last = request("t4 A90:a1,a2,a3 B80:f6,f7,f8", id="duel")
    last["board"]["snakes"].pop()
    assert asked(f"{url}/move", last) == (200, {"move": "right"})
    assert figures(url)["fallbacks"] == fallbacks
    asked(f"{url}/end", last)


@pytest.mark.parametrize(
    ("body", "rules", "moves"),
    [
        ("a1,b1,b2,a2", "standard", {"up"}),  # its tail moves on
        ("b1,a1,a2,b2*2", "standard", {"right"}),  # its tail grows
        ("a1,b1,b2,a2*2", "standard", {"up"}),  # nothing is safe
        ("a1,b1,b2,a2", "wrapped", {"left", "down"}),  # across the edge is more room
    ],
)
def test_a_safe_move_is_known_from_the_board_alone(body: str, rules: str, moves: set[str]) -> None:
    told = request(f"t3 A90:{body} B80:f6,f7,f8")
    told["game"]["ruleset"]["name"] = rules
    assert api.safe_move(told) in moves


# Requests that are none


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "this is no JSON"),
        (b"[]", "expected a JSON object"),
        (b"[" * 100_000, "this is no JSON"),
        (b'{"board": 3, "you": {}}', "'board' is 3; expected an object"),
        (b'{"board": {"width": 1e999, "height": 3}}', "'width' is inf; expected a whole number"),
        (b'{"board": {"width": 3, "height": 3, "snakes": []}}', "'you' is missing"),
        (b'{"board": {"width": 3, "height": 3, "snakes": []}, "you": {"body": []}}', "'you' has no segments"),
        (b'{"game": "\\ud800"}', "'game' is \N{REPLACEMENT CHARACTER}; expected an object"),
    ],
)
def test_what_is_no_board_is_refused_with_a_line_that_says_why(url: str, body: bytes, told: str) -> None:
    refused = figures(url)["refused"]
    for path in ("start", "move"):
        status, said = asked(f"{url}/{path}", body)
        assert status == 400
        assert said["error"].startswith(told)
    assert figures(url)["refused"] == refused + 2


def test_too_long_a_request_is_refused_and_the_next_one_answered(url: str) -> None:
    """Also one that does not say how long it will be."""
    line = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
    with line, line.makefile("rb") as incoming:
        line.sendall(b"POST /move HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        line.sendall(b"80001\r\n" + b" " * 0x80001 + b"\r\n")
        assert incoming.readline().startswith(b"HTTP/1.1 413 ")
    assert asked(f"{url}/")[0] == 200


def test_no_nonsense_is_an_error_of_the_server(url: str) -> None:
    rng = random.Random(7)
    boards = [request(), request("t9 A90:b2,b3,b4 B80:f6,f7,f8 food:a1,c4 hazards:a2*2", you=1)]
    statuses = set()
    for number in range(150):
        path = rng.choice(("start", "move", "move", "end"))
        status, told = asked(f"{url}/{path}", malformed(boards[number % 2], rng))
        statuses.add(status)
        assert status in (200, 400), told
        assert told == {} or told.get("move") in MOVES or "\n" not in told["error"]
    assert statuses == {200, 400}
    assert asked(f"{url}/move", request())[0] == 200


# Starting and ending


def test_a_port_that_is_taken_and_an_agent_that_cannot_be_made_are_told_in_a_line(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhook, "START_SECONDS", 3600.0)
    port = url.rpartition(":")[2]
    said = spar("serve", "battlesnake", "--agent", "random_safe", "--port", port)
    line = f"spar: cannot listen on 127.0.0.1:{port}: Address already in use; name another by --port\n"
    assert (said.code, said.err) == (2, line)
    (tmp_path / "ends.py").write_text("import os\nos._exit(0)\n")
    ends = str(tmp_path / "ends.py")
    for agent, told in {"nobody": "unknown agent of battlesnake 'nobody'", ends: "ended its process"}.items():
        said = spar("serve", "battlesnake", "--agent", agent, "--port", 0)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
        assert told in said.err


def test_it_listens_while_its_agent_hangs_and_answers_with_safe_moves(tmp_path: Path) -> None:
    (tmp_path / "hangs.py").write_text("while True:\n    pass\n")
    code = "from sparring.games.battlesnake.network import webhook; webhook.START_SECONDS = 0.1"
    with listening(tmp_path, "serve", "battlesnake", "--agent", "hangs.py", code=code) as url:
        for number in range(3):
            told = request("t3 A90:a1,a2,a3 B80:f6,f7,f8", id=f"early {number}", timeout=200)
            assert asked(f"{url}/move", told) == (200, {"move": "right"})
        now = figures(url)
        assert (now["moves"], now["fallbacks"], now["unready"] + now["shed"]) == (3, 3, 3)


# From arrival to answer


def exchange(url: str, *sent: bytes) -> bytes:
    """All that a server answers to data that comes in parts, until it hangs up."""
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), timeout=60) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in sent:
            line.sendall(part)
            time.sleep(0.05)
        return b"".join(iter(lambda: line.recv(1 << 16), b""))


def test_a_request_is_answered_however_it_is_written(url: str) -> None:
    told = json.dumps(request("t3 A90:a1,a2,a3 B80:f6,f7,f8", id="written")).encode()
    length, last = b"Content-Length: %d\r\n" % len(told), b"Connection: close\r\n"
    post = b"POST /move HTTP/1.1\r\nHost: x\r\n"
    whole, end = post + length + b"\r\n" + told, post + last + length + b"\r\n" + told
    chunked = post + last + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(told), told)
    for sent in ([end], [chunked], [whole, end], [whole + end], [whole + whole[:30], whole[30:] + chunked]):
        number = sum(part.count(b"POST") for part in sent)
        found = exchange(url, *sent)
        assert found.count(b"HTTP/1.1 200") == found.count(b'{"move":"right"}') == number
    parts = [whole[:10], whole[10:60], whole[60:-5], whole[-5:] + end]
    assert exchange(url, *parts).count(b'{"move":"right"}') == 2
    asked(f"{url}/end", told)


def test_the_time_of_a_request_counts_from_its_arrival() -> None:
    """Also if the server was busy with another one when it came."""
    busy: list[float] = []

    def handle(post: Post) -> None:
        busy.append(time.monotonic())
        time.sleep(0.2)

    async def main() -> float:
        queue = PostQueue(handle, 1000)
        queue.put(Post("/move", b"", queue.arrived(), lambda status, body: None))
        while not busy:
            await asyncio.sleep(0)
        return queue.arrived()

    assert asyncio.run(main()) <= busy[0]


def test_many_games_and_a_slow_agent_no_answer_is_late_without_being_counted(tmp_path: Path) -> None:
    """Each game tells with a request how long the last answer took, as the official engine does."""
    (tmp_path / "slow.py").write_text(SLOW_AGENT)
    late: list[int] = []

    def one(url: str, number: int) -> None:
        port, took = int(url.rpartition(":")[2]), 0.0
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as line:
            for turn in range(6):
                told = request(f"t{turn} A90:b2,b3,b4 B80:f6,f7,f8", id=f"crowd {number}", timeout=300)
                body = json.dumps(as_the_official_client(told, f"{1000 * took:.0f}"))
                started = time.perf_counter()
                line.request("POST", "/move", body)
                answer = line.getresponse()
                assert (answer.status, json.loads(answer.read())["move"] in MOVES) == (200, True)
                took = time.perf_counter() - started
                late.append(took >= 0.3 and turn < 5)

    with served(tmp_path, "battlesnake", "--agent", "slow.py") as url, ThreadPoolExecutor(40) as pool:
        list(pool.map(one, [url] * 40, range(40)))
        now = figures(url)
        assert now["late"] >= sum(late)
        assert now["moves"] == 240
        assert now["fallbacks"] > 0


# Who plays where


class Remembers(Agent):
    """It knows how many seats it has been given, and in each how often it was asked."""

    spec = "remembers"

    def __init__(self) -> None:
        self.seats: list[list[int]] = []
        self.closed: list[int] = []

    @contextmanager
    def seated(self, dice: Any) -> Iterator["Agent"]:
        player, number = copy(self), len(self.seats)
        player.turns = []
        self.seats.append(player.turns)
        yield player
        self.closed.append(number)

    def decide(self, view: View) -> Decision:
        self.turns.append(int(view.state.turn))
        return Decision(self.spec, view.position, view.me, view.legal[0])


THREE = Battlesnake(players=3)


def board(turn: int, you: int = 0, living: int = 3) -> Any:
    s = THREE.parse(f"t{turn} A90:b2,b3,b4 B80:f6,f7,f8 C70:i2,i3,i4")
    told = api.request(THREE, s, you)
    told["board"]["snakes"] = told["board"]["snakes"][:living]
    return told


def test_every_snake_of_every_game_has_a_memory_of_its_own_which_outlives_other_snakes() -> None:
    remembers = Remembers()
    seats = {key: SeatedAgent(lambda game: remembers, key) for key in (("one", "A"), ("one", "B"), ("two", "A"))}
    for turn, living in enumerate((3, 3, 2, 2)):
        for (_, you), seat in seats.items():
            assert seat.decide(board(turn, "ABC".index(you), living), 1.0) == "up"
    assert (remembers.seats, remembers.closed) == ([[0, 1, 2, 3]] * 3, [])
    seats["one", "B"].leave()
    assert remembers.closed == [1]


def test_a_seat_is_freed_at_the_end_after_a_silence_and_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(seating, "MOST_SEATS", 2)
    freed: list[Seat] = []
    seats = Seats(freed.append)
    a, b, c = (seats.at((id, "A"), float(place)) for place, id in enumerate("abc"))
    assert (freed, seats.games, len(seats)) == ([a], 2, 2)  # the third made it one too many
    seats.free(("c", "A"))
    assert freed == [a, c]
    seats.sweep(1.0 + seating.SILENCE - 0.1)
    assert len(seats) == 1
    seats.sweep(1.0 + seating.SILENCE)
    assert (len(seats), freed) == (0, [a, c, b])


# How much time there is


def reserve(latencies: list[float], own: float = 0.3, timeout: float = 0.5) -> float:
    """Seconds to leave of a timeout after answers that took so long for the engine, and less for us."""
    learned = Reserve()
    for latency in latencies:
        learned.learn(latency, own, timeout)
    return learned.seconds(timeout)


def test_at_first_a_hundred_milliseconds_are_left_or_less_of_a_short_timeout() -> None:
    assert (reserve([]), reserve([], timeout=0.2)) == (0.1, 0.05)


def test_the_reserve_follows_what_the_way_takes_but_few_answers_can_only_widen_it() -> None:
    assert reserve([0.301 + 0.001 * (turn % 5) for turn in range(100)]) == pytest.approx(0.005 + MARGIN)
    assert reserve([0.42 + 0.001 * (turn % 5) for turn in range(100)]) == pytest.approx(0.124 + MARGIN)
    assert reserve([0.301] * (FEWEST - 1)) == 0.1
    assert reserve([0.301] * FEWEST) == pytest.approx(0.001 + MARGIN)
    assert reserve([0.0] * 2 * FEWEST) == 0.1, "an engine that measures nothing is not believed"


def test_a_single_hiccup_is_forgiven_and_many_are_not() -> None:
    hiccup = [0.45 if turn == 30 else 0.31 for turn in range(60)]
    assert reserve(hiccup) == pytest.approx(0.01 + MARGIN)
    assert reserve(hiccup + [0.45] * 10) == pytest.approx(0.15 + MARGIN)


def test_an_answer_that_came_too_late_widens_it_at_once_and_for_a_while() -> None:
    steady = [0.31] * 60
    narrow, wide, wider = (reserve(steady + [0.5] * late) for late in range(3))
    assert narrow + 0.05 <= wide < wider <= 0.25
    assert reserve([*steady, 0.5, 0.5] + [0.31] * 300) == pytest.approx(narrow, abs=0.001)


def as_the_official_client(told: Any, latency: object) -> Any:
    """The official client tells what our last answer took on the board alone; of ourselves it says 0."""
    told["you"]["latency"] = "0"
    (mine,) = (one for one in told["board"]["snakes"] if one["id"] == told["you"]["id"])
    mine["latency"] = latency
    return told


def test_what_an_engine_tells_of_the_last_answer_is_learned_from(url: str) -> None:
    before = figures(url)["reserve_ms"]
    for turn in range(70):
        told = request(f"t{turn} A90:b2,b3,b4 B80:f6,f7,f8", id="far away", timeout=SLOW)
        assert asked(f"{url}/move", as_the_official_client(told, "1000"))[0] == 200
    asked(f"{url}/end", told)
    assert figures(url)["reserve_ms"] == 250 > before


@pytest.mark.parametrize(
    ("latencies", "own", "left"),
    [
        (["0"] + ["401"] * 2 * FEWEST, 0.4, 0.001 + MARGIN),
        (["0"] + ["401"] * 2 * FEWEST + ["500"], 0.4, 0.001 + MARGIN + 0.05),  # that was a timeout
        (["0", "0"], 0.6, 0.15),  # our own clock knows of a late answer
        (["0", "0"], None, 0.15),  # an engine that goes on without our answer had it too late
        *(([odd, odd], 0.2, 0.1) for odd in (None, [], "soon", {"ms": 3}, -4, "nan", 10**9)),
    ],
)
def test_what_the_official_client_tells_is_learned_from(latencies: list[Any], own: float | None, left: float) -> None:
    """What is left of half a second after it has told of some answers, which we took a while for."""
    server = SnakeServer("random_safe")
    seat = server.seats.at(("g", "A"), 0.0)
    for turn, latency in enumerate(latencies):
        told = request(f"t{turn} A90:b2,b3,b4 B80:f6,f7,f8", timeout=500)
        server._learn(seat, as_the_official_client(told, latency))
        seat.answered = (turn, own) if own else None
    assert server.reserve.seconds(0.5) == pytest.approx(left)


# The official viewer


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("kept") / "games.db"
    did("match", "battlesnake", "random_safe", "random", "--games", 2, "--store", store, "--map", "hz_columns")
    did("match", "isolation", "greedy", "random", "--games", 2, "--store", store)
    return store


@pytest.fixture(scope="module")
def games(kept: Path) -> Iterator[str]:
    with served(kept.parent, "games", "--store", kept) as address:
        yield address


def test_a_kept_game_is_told_to_the_viewer_turn_by_turn(games: str, kept: Path) -> None:
    with Store(kept) as store:
        id = next(one.id for one in store.listed() if one.game == "battlesnake")
        played = sparring.api.report(id, store=store).game(2)
    status, told = asked(f"{games}/games/{id}-2")
    assert (status, told["Game"]["Width"], told["Game"]["Height"], told["Game"]["Map"]) == (200, 11, 11, "hz_columns")
    with connect(f"{games.replace('http', 'ws')}/games/{id}-2/events") as line:
        *frames, end = [json.loads(message) for message in line]
    assert (end["Type"], end["Data"]["ID"]) == ("game_end", f"{id}-2")
    states = [position.state for position in played.positions()]
    assert [frame["Data"]["Turn"] for frame in frames] == list(range(len(states)))
    assert [snake["Name"] for snake in frames[0]["Data"]["Snakes"]] == ["random", "random_safe"]
    for frame, s in zip(frames, states, strict=True):
        board = api.board_json(s, "AB", "AB")
        data = frame["Data"]
        alive = {snake["ID"]: snake["Body"] for snake in data["Snakes"] if snake["Death"] is None}
        assert alive == {snake["id"]: capitals(snake["body"]) for snake in board["snakes"]}
        assert (data["Food"], data["Hazards"]) == (capitals(board["food"]), capitals(board["hazards"]))
    dead = next(snake["Death"] for snake in frames[-1]["Data"]["Snakes"] if snake["Death"])
    assert dead["Turn"] == len(states) - 1
    assert dead["Cause"] in ("wall-collision", "snake-self-collision", "snake-collision", "head-collision")


def capitals(points: list[dict[str, int]]) -> list[dict[str, int]]:
    return [{"X": point["x"], "Y": point["y"]} for point in points]


def test_any_page_may_ask_for_a_game_and_is_told_if_it_is_not_there(games: str, kept: Path) -> None:
    asking = urllib.request.Request(f"{games}/games/none", headers={"Origin": "https://board.battlesnake.com"})
    with pytest.raises(urllib.request.HTTPError) as error:
        urllib.request.urlopen(asking, timeout=60)
    assert (error.value.code, error.value.headers["Access-Control-Allow-Origin"]) == (404, "*")
    with Store(kept) as store:
        ids = {one.game: one.id for one in store.listed()}
    for id, told in {
        "nonsense": "no such game",
        f"{ids['battlesnake']}-9": "does not exist",
        f"{ids['battlesnake']}-0": "does not exist",
        f"{ids['isolation']}-1": "is an experiment of isolation",
        "ffffffffff-1": "no experiment",
    }.items():
        status, said = asked(f"{games}/games/{id}")
        assert status == 404
        assert told in said["error"]


def test_the_first_page_links_every_game_of_battlesnake_and_new_ones_as_they_come(games: str, kept: Path) -> None:
    def linked() -> list[str]:
        with urllib.request.urlopen(games, timeout=60) as page:
            return re.findall(r"game=([0-9a-f]+-\d+)", html.unescape(page.read().decode()))

    before = linked()
    assert [id.partition("-")[2] for id in before] == ["1", "2"]
    did("match", "battlesnake", "random_safe", "random", "--games", 4, "--seed", 5, "--store", kept)
    after = linked()
    assert len(after) == 6
    assert asked(f"{games}/games/{after[0]}")[0] == 200
    assert after[-2:] == before
