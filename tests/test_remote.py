"""Snakes behind an address: they are asked as the official engine asks, and no answer of theirs ends a game."""

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import sparring
from http_snakes import ABOUT, Snake, answer, plays
from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.agents.spec import agent
from sparring.arena.referee import play
from sparring.core.dice import players_dice
from sparring.games.battlesnake.agents.remote import Remote
from sparring.games.battlesnake.game import Battlesnake

GAME = Battlesnake()
Move = Callable[[socket.socket, dict[str, Any]], None]


def view() -> View:
    own = players_dice(1, 0)
    return View(GAME.start(1), 0, own)


def decisions(url: str, times: int, timeout: str = "20s") -> list[Decision]:
    """What a remote snake decides when it is asked so often in one game."""
    remote = agent(GAME, f"{url},timeout={timeout}")
    with remote.seated(players_dice(1, 0)) as seated:
        found = [seated.decide(view()) for _ in range(times)]
        seated.game_ended(view())
    return found


def says(told: Any) -> Move:
    return lambda line, _: line.sendall(answer(told))


def hangs(line: socket.socket, told: Any) -> None:
    threading.Event().wait(30)


def drips(line: socket.socket, told: Any) -> None:
    """Never silent for long, and never finished."""
    line.sendall(b"HTTP/1.1 200 OK\r\n")
    for _ in range(1000):
        line.sendall(b"X-More: 1\r\n")
        time.sleep(0.03)


def crashes(line: socket.socket, told: Any) -> None:
    line.shutdown(socket.SHUT_RDWR)


WRONG: dict[str, Move] = {
    "status 500": lambda line, _: line.sendall(answer({"move": "down"}, "500 Internal Server Error")),
    "status 302": lambda line, _: line.sendall(answer({"move": "down"}, "302 Found")),
    "text/html": lambda line, _: line.sendall(answer({"move": "down"}, kind="text/html")),
    "more than 64 kB": says({"move": "down", "shout": "x" * 200_000}),
    "no JSON": says(b"down"),
    "expected a JSON object": says(["down"]),
    "no move": says({"move": "sideways"}),
    "no move 'None'": says({}),
    "no move '3'": says({"move": 3}),
    "no move 'an object'": says({"move": {"down": 1}}),
    "closed connection": crashes,
    "BABBLE": lambda line, _: line.sendall(b"BABBLE\r\n\r\n"),
}


@pytest.mark.parametrize(("told", "wrong"), WRONG.items(), ids=WRONG)
def test_after_a_wrong_answer_it_repeats_its_move_and_first_of_all_goes_up(told: str, wrong: Move) -> None:
    script = [wrong, says({"move": "left"}), wrong, wrong, says({"move": "right"})]
    turns = iter([wrong, *script] if told == "closed connection" else script)  # once more on a new connection
    with Snake(plays(lambda line, sent: next(turns, wrong)(line, sent))) as snake:
        found = decisions(snake.url, 3)
    assert [one.name for one in found] == ["up", "left", "left"]
    assert told in found[0].notes["answered"]
    assert "answered" not in found[1].notes
    assert told in found[2].notes["answered"]


@pytest.mark.slow
@pytest.mark.parametrize("late", [hangs, drips])
def test_a_late_answer_is_a_timeout_however_it_comes(late: Move) -> None:
    turns = iter([late, says({"move": "left"}), late])
    with Snake(plays(lambda line, sent: next(turns)(line, sent))) as snake:
        found = decisions(snake.url, 3, "700ms")
    assert [one.name for one in found] == ["up", "left", "left"]
    assert [one.notes.get("answered") for one in found] == ["timeout", None, "timeout"]
    assert [told["you"]["latency"] for told in snake.moves[:2]] == ["0", "700"]
    assert 0 <= int(snake.moves[2]["you"]["latency"]) < 700
    for told in snake.moves:
        (mine,) = (one for one in told["board"]["snakes"] if one["id"] == told["you"]["id"])
        assert mine == told["you"]
    assert {told["game"]["timeout"] for told in snake.moves} == {700}


def test_it_is_told_of_the_beginning_and_the_end_of_a_game() -> None:
    with Snake(plays(says({"move": "up"}))) as snake:
        played = play(GAME, [agent(GAME, f"{snake.url},timeout=20s"), agent(GAME, "random_safe")], seed=3)
    assert played.failed == -1
    paths = [path for path, _ in snake.asked]
    assert paths == ["/", "/start", *["/move"] * (len(paths) - 3), "/end"]
    start, *moves, end = [told for _, told in snake.asked[1:]]
    assert list(start) == ["game", "turn", "board", "you"]
    assert start["turn"] == moves[0]["turn"] == 0
    assert [told["turn"] for told in moves] == list(range(len(moves)))
    assert end["turn"] == len(moves)
    assert "A" not in [one["id"] for one in end["board"]["snakes"]]  # it went up until it left the board
    assert end["you"]["id"] == "A"


def test_the_snakes_of_a_game_share_its_id_and_no_other_game_has_it() -> None:
    with Snake(plays(says({"move": "up"}))) as one, Snake(plays(says({"move": "down"}))) as other:
        both = [agent(GAME, f"{snake.url},timeout=20s") for snake in (one, other)]
        for seed in (3, 3):
            play(GAME, both, seed)
    ids = [[told["game"]["id"] for path, told in snake.asked if path == "/start"] for snake in (one, other)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == 2
    assert {told["you"]["id"] for told in one.moves} == {"A"}
    assert {told["you"]["id"] for told in other.moves} == {"B"}


def test_a_snake_that_fails_at_the_start_and_the_end_plays_on() -> None:
    def talk(line: socket.socket, path: str, told: Any) -> None:
        if path in ("/start", "/end"):
            crashes(line, told)
        else:
            line.sendall(ABOUT if path == "/" else answer({"move": "down"}))

    with Snake(talk) as snake:
        assert [one.name for one in decisions(snake.url, 2)] == ["down", "down"]


def test_one_that_hangs_up_after_every_answer_is_asked_again() -> None:
    def talk(line: socket.socket, path: str, told: Any) -> None:
        line.sendall(ABOUT if path == "/" else answer({"move": "down"}))
        line.shutdown(socket.SHUT_RDWR)

    with Snake(talk) as snake:
        found = decisions(snake.url, 3)
    assert [(one.name, dict(one.notes)) for one in found] == [("down", {})] * 3


@pytest.mark.parametrize(
    ("about", "told"),
    [
        (answer({"apiversion": "0"}), "has apiversion 0; expected 1"),
        (answer({}, "404 Not Found"), "status 404"),
        (answer(b"hello"), "this is no JSON"),
    ],
)
def test_who_does_not_say_that_it_is_a_snake_loses_the_game(about: bytes, told: str) -> None:
    with Snake(lambda line, path, sent: line.sendall(about)) as snake:
        played = play(GAME, [agent(GAME, snake.url), agent(GAME, "random_safe")], seed=1)
    assert (played.failed, played.scores) == (0, (0.0, 1.0))
    assert played.reason.startswith("crash: ConnectionError: ")
    assert told in played.reason


def test_where_nobody_listens_the_game_is_lost_and_the_match_goes_on() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = f"http://127.0.0.1:{taken.getsockname()[1]}"
    result = sparring.match("battlesnake", nobody, "random_safe", games=4)
    assert result.failures() == {nobody: {"crash": 4}}
    assert "no snake at" in result.first_failure(nobody).detail
    assert "refused" in result.first_failure(nobody).detail


def test_a_match_tells_how_a_remote_snake_answered() -> None:
    turns = iter([says({"move": "left"}), says({"move": "x"})])
    with Snake(plays(lambda line, told: next(turns, crashes)(line, told))) as snake:
        result = sparring.match("battlesnake", f"{snake.url},timeout=20s", "random_safe", games=2)
    name = f"{snake.url},timeout=20s"
    (remote, _) = result.contest.agents
    assert isinstance(remote, Remote)
    answers = len(remote.answers)
    assert f"{name}: {answers} answers · 0 timeouts · {answers - 1} errors (first: no move 'x') · median" in str(result)
    assert result.to_json()["remarks"][name].startswith(f"{answers} answers")


def test_an_address_below_a_folder_is_asked_there() -> None:
    with Snake(plays(says({"move": "up"}))) as snake:
        decisions(f"{snake.url}/my/snake/", 1)
    assert [path for path, _ in snake.asked] == [
        "/my/snake",
        *(f"/my/snake/{word}" for word in ("start", "move", "end")),
    ]


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("http://", "no address of a snake"),
        ("http://127.0.0.1:99999", "no address of a snake"),
        ("http://127.0.0.1:8000?x=1", "no address of a snake"),
        ("http://127.0.0.1:8000,nodes=3", "unknown option"),
        ("http://127.0.0.1:8000,timeout=3", "timeout must be such as 150ms or 2s"),
    ],
)
def test_an_address_that_cannot_be_one_is_told(spec: str, told: str) -> None:
    with pytest.raises(sparring.SparringError, match=told):
        agent(GAME, spec)


def test_other_games_have_no_players_behind_an_address() -> None:
    with pytest.raises(sparring.SparringError, match="isolation has no players that are asked by their address"):
        agent(sparring.game("isolation"), "http://127.0.0.1:8000")
