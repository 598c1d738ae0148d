"""Requests that the server must refuse: other hosts, other pages, wrong tokens, other files, and malformed requests."""

import json
import os
import random
import re
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.specs.openapi import checks

import sparring
from commands import finished, spar, started
from malformed import malformed
from sparring.web.guard import kept_token
from web_pages import JSON, TEXT, TOKEN, Web, page

pytestmark = pytest.mark.slow

FRAMES = {"game": "isolation"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    outside, folder = tmp_path_factory.mktemp("outside"), tmp_path_factory.mktemp("mine")
    (outside / "secret.py").write_text("secret = 1")
    (folder / "mine.py").write_text("mine = 1")
    (folder / "link.py").symlink_to(outside / "secret.py")
    (folder / "sub.py").mkdir()
    os.mkfifo(folder / "pipe.py")
    with page(folder, "--folder", ".", "--store", folder / "games.db") as served:
        yield served


# Other hosts and other pages


def test_a_host_name_that_somebody_else_gave_to_this_machine_is_refused(web: Web) -> None:
    for host in ("evil.example", f"evil.example:{web.port}", "127.0.0.1.evil.example", "", "[::1"):
        answer = web.ask("/api/files", Host=host)
        assert (answer.status, "is not the name of this server" in answer.error) == (403, True)
    for host in (f"127.0.0.1:{web.port}", f"localhost:{web.port}", "LOCALHOST", f"[::1]:{web.port}"):
        assert web.ask("/api/files", Host=host).status == 200


def test_another_page_cannot_change_anything(web: Web) -> None:
    others = [{"Origin": origin} for origin in ("http://evil.example", "null", "http://127.0.0.1:1", "http://[")]
    for headers in (*others, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}):
        for path, method, body in (
            ("/api/frames", "POST", FRAMES),
            ("/api/files/mine.py", "PUT", {"text": "theirs"}),
            ("/api/matches/0123/stop", "POST", None),
        ):
            answer = web.ask(path, body, method=method, **headers)
            assert (answer.status, answer.error.startswith("this request came from another page")) == (403, True)
    assert (web.folder / "mine.py").read_text() == "mine = 1"


def test_the_page_itself_and_programs_get_answers_but_forms_do_not(web: Web) -> None:
    assert web.ask("/api/frames", FRAMES).status == 200
    own = {"Origin": f"http://127.0.0.1:{web.port}", "Sec_Fetch_Site": "same-origin"}
    assert web.ask("/api/frames", FRAMES, **own).status == 200
    for kind in ("application/x-www-form-urlencoded", "text/plain"):
        answer = web.ask("/api/frames", FRAMES, kind=kind)
        assert (answer.status, answer.error) == (415, "send it as application/json")
    assert web.ask("/api/upload", FRAMES).error == "send it as text/plain"


def test_every_answer_has_the_security_headers(web: Web) -> None:
    asked = [web.ask(path) for path in ("/", "/api/games", "/nowhere")]
    for answer in (*asked, web.ask("/", Host="evil.example"), web.ask("/api/frames", "nonsense")):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in answer.headers


# Tokens


def test_the_api_requires_the_token_by_a_header_or_the_cookie_that_it_gives(web: Web) -> None:
    wrong = [web.ask("/api/files", Authorization=sent) for sent in ("", "Bearer x", f"Basic {TOKEN}", "Bearer")]
    for answer in (*wrong, web.ask(f"/api/files?token={TOKEN}", Authorization="")):
        assert (answer.status, answer.error) == (401, "open the link that `spar web` printed: it holds the token")
        assert "set-cookie" not in answer.headers
    assert web.ask("/", Authorization="").status == 200, "the page itself is no secret"
    first, name = web.ask("/"), f"spar-{web.port}"
    cookie, *rest = first.headers["set-cookie"].split("; ")
    assert (first.status, cookie) == (200, f"{name}={TOKEN}")
    assert rest == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert web.ask("/api/files", Cookie=cookie, Authorization="Basic x").status == 200
    assert web.ask("/api/files", Cookie=f"{name}=guess", Authorization="").status == 401


OPENED = """
import click
click.launch = lambda link: print(link, flush=True)
"""
"""Prints what would be opened in a browser, as other users of the machine see it."""


def test_the_browser_that_is_opened_gets_a_code_for_one_use(tmp_path: Path) -> None:
    process = started(tmp_path, "web", "--host", "0.0.0.0", "--port", 0, code=OPENED)
    assert process.stdout
    try:
        lines = [process.stdout.readline() for _ in range(2)]
        (port, code), (_, token) = (
            re.findall(r"http://0.0.0.0:(\d+)/#token=([\w-]{30,})\n", line)[0] for line in lines
        )
        web = Web(f"http://127.0.0.1:{port}", token=token)
        assert code != token
        first = web.ask("/", Authorization=f"Bearer {code}")
        assert f"={token}; " in first.headers["set-cookie"]
        assert "set-cookie" not in web.ask("/", Authorization=f"Bearer {code}").headers
        assert web.ask("/api/files", Authorization=f"Bearer {code}").status == 401
        hosts = (f"192.0.2.7:{port}", "evil.example")
        assert [web.ask("/api/files", Host=host).status for host in hosts] == [200, 403]
    finally:
        process.terminate()
        finished(process)


def test_a_token_is_kept_in_a_file_that_others_cannot_read(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    assert kept_token(kept) == kept_token(kept) == kept.read_text().strip()
    assert len(kept_token(kept)) >= 30
    assert kept.stat().st_mode & 0o777 == 0o600
    kept.chmod(0o640)
    assert f"make it yours alone: chmod 600 {kept}" in spar("web", "--token-file", kept).err
    kept.chmod(0o600)
    for text in ("", "short", "sixteen letters or more", "é" * 20):
        kept.write_text(text)
        said = spar("web", "--token-file", kept)
        assert (said.code, said.err.startswith(f"spar: {kept} must hold 16 or more letters")) == (2, True)
    for name in ("", tmp_path, tmp_path / "none" / "kept"):
        assert spar("web", "--token-file", name).err.startswith("spar: no token in ")
    assert spar("web", "--token", "").code == 2, "a token does not stand in a command, which others can see"
    assert spar("web", "--folder", tmp_path / "none").err.startswith(f"spar: no folder {tmp_path / 'none'}")


# Starting


def test_starting_does_not_import_what_the_page_does_not_need_yet() -> None:
    code = "from sparring.cli import main; import sys; print('starlette' in sys.modules)"
    code += "; from sparring.web.app import app; print('numba' in sys.modules)"
    around = {**os.environ, "PYTHONPATH": str(Path(sparring.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=around, check=True)
    assert done.stdout == "False\nFalse\n"


# Files and paths


@pytest.mark.parametrize("name", ["link.py", "sub.py", "pipe.py"])
def test_only_plain_files_of_the_folder_can_be_used(web: Web, name: str) -> None:
    listed = {one["name"] for one in web.get("/api/files")["files"]}
    assert listed & {"mine.py", name} == {"mine.py"}
    answer = web.ask(f"/api/files/{name}")
    assert (answer.status, answer.error.startswith(f"no file {name} in the folder of the page")) == (404, True)
    question = {"game": "isolation", "player": 0, "agent": f"{name}:x"}
    assert web.ask("/api/decide", question).error.startswith(f"no file '{name}'")
    assert web.ask(f"/api/files/{name}", {"text": "", "changed": "0"}, method="PUT").status in (400, 404, 409)


@pytest.mark.parametrize(
    "name", ["..%2fmine.py", "%2e%2e/mine.py", "..", ".hidden.py", "mine.txt", "mine.py%00", "a/b.py", "/etc/passwd"]
)
def test_no_name_leads_out_of_the_folder(web: Web, name: str) -> None:
    before = sorted(web.folder.iterdir())
    for method, body in (("GET", None), ("PUT", {"text": "x"})):
        assert web.ask(f"/api/files/{name}", body, method=method).status in (400, 404, 405)
    assert sorted(web.folder.iterdir()) == before


@pytest.mark.parametrize(
    "path",
    ["/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/static/../../app.py", "/index.html/..", "/."],
)
def test_only_files_of_the_page_are_served(web: Web, path: str) -> None:
    answer = web.ask(path)  # some paths are redirected to their plain form
    assert answer.status == 404 or answer.body in (b"", web.ask("/").body)


def test_a_file_is_sent_again_only_if_it_has_changed_and_answers_are_compressed(web: Web) -> None:
    first = web.ask("/", Accept_Encoding="gzip")
    assert first.headers["content-type"] == "text/html; charset=utf-8"
    assert first.headers["cache-control"] == "no-cache"
    again = web.ask("/", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")
    assert web.ask("/index.html").body == first.body
    assert web.ask("/main.js").headers["content-type"] == "text/javascript; charset=utf-8"
    frames = web.ask("/api/frames", FRAMES, Accept_Encoding="gzip").headers
    assert (frames["content-encoding"], frames["cache-control"]) == ("gzip", "no-store")
    assert "content-encoding" not in web.ask("/api/frames", FRAMES).headers


# Too long, unknown, malformed


def test_a_request_that_is_too_long_is_refused_while_it_arrives(web: Web) -> None:
    assert web.ask("/api/frames", b" " * ((1 << 20) + 1)).status == 413
    assert web.ask("/api/upload", b"x" * ((8 << 20) + 1), kind=TEXT).status == 413
    assert "at most 6000" in web.ask("/api/frames", {**FRAMES, "moves": [{"0": "a1"}] * 6001}).error
    with socket.create_connection(("127.0.0.1", web.port)) as line, line.makefile("rb") as incoming:
        head = f"POST /api/frames HTTP/1.1\r\nHost: 127.0.0.1:{web.port}\r\nContent-Type: application/json\r\n"
        head += f"Authorization: Bearer {TOKEN}\r\n"
        line.sendall(head.encode() + b"Transfer-Encoding: chunked\r\n\r\n100001\r\n" + b" " * 0x100001 + b"\r\n")
        assert incoming.readline().startswith(b"HTTP/1.1 413 ")


def test_unknown_paths_and_methods_are_errors_in_json(web: Web) -> None:
    assert web.ask("/nowhere").error == "there is nothing at /nowhere; the page is at /"
    assert web.ask("/api/nowhere").error == "there is nothing at /api/nowhere; the page is at /"
    assert web.ask("/api/frames").status == web.ask("/api/games", method="DELETE").status == 405


def test_random_calls_made_from_the_description_find_no_error_of_the_server(web: Web) -> None:
    """Every answer has the type that the description promises."""
    session = requests.Session()
    session.headers["Authorization"] = f"Bearer {web.token}"
    schema = schemathesis.openapi.from_dict(web.get("/api/openapi.json"))
    statuses: Counter[int] = Counter()
    known = [checks.status_code_conformance, checks.content_type_conformance, checks.response_schema_conformance]
    for operation in (result.ok() for result in schema.get_all_operations()):
        if operation.path == "/api/events":
            continue  # its answer does not end
        times = 15 if operation.body else 30  # bodies take long to generate
        for mode in schemathesis.GenerationMode:
            if mode == schemathesis.GenerationMode.NEGATIVE and not (operation.body or "{" in operation.path):
                continue  # nothing can be wrong

            @settings(
                max_examples=times,
                deadline=None,
                database=None,
                derandomize=True,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            )
            @given(operation.as_strategy(generation_mode=mode))
            def call(case: Any) -> None:
                answer = case.call(base_url=web.url, session=session)
                statuses[answer.status_code] += 1
                assert answer.status_code < 500
                case.validate_response(answer, checks=known)

            call()
    assert statuses.total() >= 300
    assert {200, 400, 404} <= set(statuses)


EXPORTED = {
    "rules": {"game": "isolation", "options": {"board": "5x5"}},
    **{"seed": 3, "seats": ["greedy", "random"], "opening": "...../.B.../...../..A../..... A", "moves": ["e1"]},
    **{"scores": [1, 0], "ending": "no moves left"},
}


@pytest.mark.parametrize("name", ["\ud800", float("nan"), 10**400, [[[[]]]], {"\udfff": 1}])
@pytest.mark.parametrize("field", EXPORTED)
def test_a_log_with_text_or_numbers_that_nothing_can_hold_is_refused(web: Web, field: str, name: Any) -> None:
    junk = [name, "b"] if isinstance(EXPORTED[field], list) else name
    assert web.ask("/api/upload", json.dumps({**EXPORTED, field: junk}), kind=TEXT).error


def test_a_malformed_part_of_a_valid_request_is_no_error_of_the_server(web: Web) -> None:
    rng, statuses = random.Random(12), set[int]()
    game = {"game": "isolation", "options": {"board": "5x5"}, "seed": 3, "start": "...../.B.../...../..A../..... A"}
    decision = {"player": 0, "agent": "next_moves,depth=2", "explain": True, "why_not": "e1"}
    flags = {"game": "flagwar", "start": "r3 A1:4,5+flag B2:X lost:0,1", "moves": [{"0": "1u2", "1": "stay"}]}
    questions: list[tuple[str, Any]] = [
        ("/api/frames", {**game, "moves": [{"0": "e1"}], "first": 0, "last": 3}),
        ("/api/frames", {"game": "ludo", "options": {"players": "2"}, "start": "0,0,20,1/45,33,0,0 A6", "moves": []}),
        ("/api/frames", {"game": "battlesnake", "start": "t3 A98:f6,f5,f4 B97:c3,c4,d4 food:a1", "moves": []}),
        ("/api/frames", flags),
        ("/api/decide", {**game, "moves": [], **decision}),
        ("/api/evaluate", {**game, "moves": [], "agent": "next_moves(moves=2),depth=2"}),
        ("/api/files/mine.py/check", {"game": "isolation", "options": {}}),
        ("/api/upload", EXPORTED),
    ]
    for number in range(200):
        path, question = questions[number % len(questions)]
        answer = web.ask(path, malformed(question, rng), kind=TEXT if path == "/api/upload" else JSON)
        statuses.add(answer.status)
        assert answer.status in (200, 400), (path, question, answer.body)
    assert statuses == {200, 400}
