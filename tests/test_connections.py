"""Clients that open many connections, send little, or send too much: others get their answers all the same."""

import logging
import signal
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from commands import finished, started
from http_snakes import listening
from sparring.web.connections import CountedErrors
from web_pages import TOKEN, Web, token_file

FEW_FILES = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0}))"
IMPATIENT = "from sparring.web import connections, http; connections.WHOLE_SECONDS = 1.0; http.MAX_ARRIVING = 100_000"
HEAD = b"POST /api/frames HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
HEAD += f"Authorization: Bearer {TOKEN}\r\n".encode()


@pytest.mark.slow
@pytest.mark.torture(300, 1100)
def test_half_open_connections_delay_nobody_and_fill_no_log(tmp_path: Path, attacks: int) -> None:
    """The server has fewer files than there are connections."""
    code = FEW_FILES.format(256 if attacks < 1000 else 1024)
    process = started(tmp_path, "web", "--no-browser", "--port", 0, code=code)
    assert process.stdout
    web = Web(process.stdout.readline().split()[-1].partition("/#")[0])
    with ExitStack() as held:
        for number in range(attacks):
            line = held.enter_context(socket.create_connection(("127.0.0.1", web.port)))
            line.sendall(HEAD[: number % len(HEAD)])
        for _ in range(3):
            assert web.ask("/style.css").status == 200
    process.send_signal(signal.SIGINT)
    assert finished(process) == (0, "", "")


def test_a_connection_must_bring_a_whole_request_in_time_and_no_long_one(tmp_path: Path) -> None:
    with (
        listening(tmp_path, "web", "--no-browser", *token_file(tmp_path), code=IMPATIENT) as url,
        ExitStack() as opened,
    ):
        port = int(url.rpartition(":")[2])

        def connected(sent: bytes) -> socket.socket:
            line = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=120))
            line.sendall(sent)
            return line

        for line in (connected(b""), connected(HEAD[:30]), connected(HEAD + b"Content-Length: 100\r\n\r\n{")):
            assert ended(line) == b""
        assert ended(connected(HEAD + b"X: " + b"x" * (1 << 20))).startswith(b"HTTP/1.1 400 ")
        long = HEAD + b"Content-Length: 200000\r\n\r\n" + b" " * 200_000
        assert ended(connected(long)).startswith(b"HTTP/1.1 4")


def ended(line: socket.socket) -> bytes:
    """What a connection brings until the server closes it."""
    found = b""
    try:
        while part := line.recv(1 << 16):
            found += part
    except ConnectionError:
        pass
    return found


def test_an_error_that_happens_again_and_again_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.Logger("asyncio")
    log.addHandler(CountedErrors(logging.ERROR))
    for number in range(1000):
        try:
            raise OSError(f"no file\n{number % 2}")
        except OSError:
            log.exception("accept")
    told = capsys.readouterr().err.splitlines()
    assert told[:2] == ["the server failed: OSError: no file 0", "the server failed: OSError: no file 1"]
    assert told[2:] == [
        f"the server failed: OSError: no file {n} ({times} times)" for times in (10, 100) for n in (0, 1)
    ]
    for number in range(1000):
        log.error("many kinds", exc_info=ValueError(number))
    assert len(capsys.readouterr().err.splitlines()) < 60
