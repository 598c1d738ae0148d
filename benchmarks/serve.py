"""A served snake under load, and what it makes of nonsense: all over 127.0.0.1, from this process to another.

Games at once with a light agent, 50 and then 500. The bars: with 50 games 99 % of the moves within 100 ms; with 500 no
answer is late for the client that the server has not counted; never an error. Then 10,000 malformed requests made from
valid ones: no answer may be an error of the server's, and it must not grow by them.
"""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import sparring
from sparring.arena.referee import play
from sparring.games.battlesnake import api
from sparring.games.battlesnake.rules import MOVES

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from malformed import malformed

GAMES, TURNS, BROKEN = (50, 500), 20_000, 10_000
TIMEOUT = 0.5
"""Seconds after which an answer is late."""
WORDS = {json.dumps({"move": word}, separators=(",", ":")).encode() for word in MOVES}


@contextmanager
def served(spec: str) -> Iterator[tuple[int, int]]:
    """The port and the process of a served agent."""
    command = [str(Path(sys.executable).with_name("spar")), "serve", "battlesnake", "--agent", spec, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert server.stdout
    try:
        yield int(re.findall(r":(\d+)", server.stdout.readline())[0]), server.pid
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(10)


def recorded(games: int = 20) -> list[list[dict[str, Any]]]:
    """What the first snake of some games is sent, turn by turn."""
    made: Any = sparring.game("battlesnake", players=4)
    agents = [sparring.agent(made, "random_safe")] * 4
    found = []
    for seed in range(games):
        states = [position.state for position in play(made, agents, seed).positions()]
        found.append([api.request(made, s, 0) for s in states if s.cause[0] == 0])
    return [turns for turns in found if len(turns) > 3]


class Client:
    """A connection that is kept open."""

    def __init__(self, port: int) -> None:
        self.port = port

    async def open(self) -> "Client":
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        self._writer.write(head.encode() + body)
        told = await self._reader.readuntil(b"\r\n\r\n")
        size = int(re.findall(rb"content-length: (\d+)", told)[0])
        answer = await self._reader.readexactly(size)
        if b"connection: close" in told.lower():
            self._writer.close()
            await self.open()
        return int(told.split()[1]), answer


async def load(port: int, count: int, games: list[list[dict[str, Any]]]) -> tuple[list[float], Counter[str]]:
    """Seconds of every move, and errors, of so many games at once; a game that ends is followed by another. Requests
    tell how long the last answer took, as the official engine does."""
    times: list[float] = []
    errors: Counter[str] = Counter()

    async def one(number: int) -> None:
        client, rng, played, took = await Client(port).open(), random.Random(number), 0, 0.0
        while len(times) < TURNS:
            played += 1
            turns = rng.choice(games)
            id = f"{count}-{number}-{played}"
            bodies = [json.dumps({**turn, "game": {**turn["game"], "id": id}}) for turn in turns]
            await client.post("/start", bodies[0].encode())
            for body in bodies:
                if len(times) >= TURNS:
                    return
                sent = body.replace('"latency": "0"', f'"latency": "{1000 * took:.0f}"').encode()
                started = time.perf_counter()
                status, answer = await client.post("/move", sent)
                took = time.perf_counter() - started
                times.append(took)
                if status != 200 or answer not in WORDS:
                    errors[f"{status} {answer[:60]!r}"] += 1
            await client.post("/end", bodies[-1].encode())

    await asyncio.gather(*(one(number) for number in range(count)))
    return times, errors


async def nonsense(port: int, games: list[list[dict[str, Any]]]) -> Counter[int]:
    """How malformed requests are answered."""
    client, rng, found = await Client(port).open(), random.Random(1), Counter[int]()
    for _ in range(BROKEN):
        body = malformed(rng.choice(rng.choice(games)), rng)
        found[(await client.post(rng.choice(("/start", "/move", "/move", "/end")), body))[0]] += 1
    return found


def family(pid: int) -> list[int]:
    """A process and all that it started."""
    started = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return [pid, *(one for child in started for one in family(int(child)))]


def processor(pid: int) -> float:
    """Seconds of processor time that a process and its children have taken."""
    taken = [Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:13] for one in family(pid)]
    return sum(int(user) + int(system) for user, system in taken) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of memory that a process and its children hold."""
    told = [Path(f"/proc/{one}/status").read_text() for one in family(pid)]
    return sum(int(re.findall(r"VmRSS:\s+(\d+)", one)[0]) for one in told) / 1024


def figures(port: int) -> dict[str, float]:
    """What the server counts."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as told:
        return {name: float(value) for name, value in map(str.split, told.read().decode().splitlines())}


def measure(port: int, pid: int, count: int, games: list[list[dict[str, Any]]]) -> None:
    """Print how so many games at once are answered."""
    before, spent, own, started = figures(port), processor(pid), time.process_time(), time.perf_counter()
    times, errors = asyncio.run(load(port, count, games))
    rate, moves = len(times) / (time.perf_counter() - started), len(times) / 1000
    spent, own, after = processor(pid) - spent, time.process_time() - own, figures(port)
    p50, p99 = np.percentile(times, (50, 99)) * 1000
    bar = " (bar 100)" if count == GAMES[0] else ""
    print(f"{len(times)} moves of {count} games at once: {rate:.0f} a second, {errors.total()} errors (bar 0)")
    print(f"  median {p50:.1f} ms, 99 % within {p99:.1f} ms{bar}; the server says {after['p99_ms']:.1f} ms")
    print(f"  processor time of a move: {spent / moves:.2f} ms, and {own / moves:.2f} ms of those who ask")
    late = sum(one >= TIMEOUT for one in times)
    counted, safe = (after.get(one, 0) - before.get(one, 0) for one in ("late", "fallbacks"))
    print(f"  {late} late for the client, {counted:.0f} counted by the server (bar: as many); {safe:.0f} safe moves")


def main() -> None:
    games = recorded()
    with served("random_safe") as (port, pid):
        for count in GAMES:
            measure(port, pid, count, games)
        before = resident(pid)
        found = asyncio.run(nonsense(port, games))
        print(f"{BROKEN} malformed requests: {', '.join(f'{n} x {status}' for status, n in sorted(found.items()))}")
        print(f"  memory {before:.0f} MB before, {resident(pid):.0f} MB after")
        status, answer = asyncio.run(asked(port, json.dumps(games[0][0]).encode()))
        print(f"  a valid one after that: {status} {answer.decode()}")


async def asked(port: int, body: bytes) -> tuple[int, bytes]:
    return await (await Client(port).open()).post("/move", body)


if __name__ == "__main__":
    main()
