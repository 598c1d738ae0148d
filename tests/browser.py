"""The page in the system's Chromium, on a server with a store and a folder of its own."""

import json
import re
import shutil
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from commands import did
from web_pages import TOKEN, page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-component-update", "--disable-sync"]
TIMEOUT = 240_000
"""Milliseconds for anything to happen, on a busy machine and with code to be compiled."""
ANALYSTS = {"isolation": "next_moves,depth=3", "flagwar": "matrix,size=10", "ludo": "one_ply"}
"""The analyst of each game: it answers at once, and always the same."""
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
IDEA = '''from sparring import heuristic
from sparring.core.bits import count
from sparring.games.isolation.rules import exits


@heuristic("isolation")
def idea(s, me):
    """Own moves."""
    return float(count(exits(s, me)))
'''


class Web(NamedTuple):
    """The address of the page, its folder, and two experiments in its store."""

    url: str
    folder: Path
    league: str
    with_decisions: str


@contextmanager
def web(home: Path) -> Iterator[Web]:
    """Serve a page with a league of three agents and a match with decisions."""
    store, folder = home / "games.db", home / "mine"
    folder.mkdir()
    (folder / "idea.py").write_text(IDEA)
    printed = [
        did("league", "isolation", "random", "greedy", "minimax:improved,depth=2", "--games", 4, "--store", store),
        did("match", "isolation", "next_moves,nodes=300", "greedy", "--games", 2, "--decisions", "--store", store),
    ]
    ids = [re.findall(r"spar report (\w+)", text)[0] for text in printed]
    with page(home, "--folder", folder, "--store", store) as served:
        yield Web(served.url, folder, *ids)


@contextmanager
def chromium() -> "Iterator[Browser]":
    from playwright.sync_api import expect, sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "the page is tested in Chromium: apt-get install chromium"
    expect.set_options(timeout=TIMEOUT)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: "Browser", url: str, **more: Any) -> "Iterator[Page]":
    """Open a page, which must end without an error of its own. Error responses of the server are allowed."""
    context = browser.new_context(base_url=url, **{"viewport": DESK, **more})
    cookie = {"name": f"spar-{url.rpartition(':')[2]}", "value": TOKEN, "url": url}
    context.add_cookies([cookie])  # type: ignore[list-item]
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(TIMEOUT)
    for game, spec in ANALYSTS.items():
        set_analyst(page, game, spec)
    errors: list[str] = []

    def on_message(message: Any) -> None:
        if message.type in ("error", "warning") and "server responded with a status of 4" not in message.text:
            errors.append(message.text)

    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack}"))
    page.on("console", on_message)
    yield page
    context.close()
    assert not errors, errors


def set_analyst(page: "Page", game: str, spec: str) -> None:
    """Choose the analyst of a game, from the next page on."""
    page.add_init_script(f"localStorage.setItem('analyst {game}', JSON.stringify({{spec: '{spec}'}}))")


def packed(game: dict[str, Any]) -> str:
    """Return a game as it is written in links."""
    deflate = zlib.compressobj(wbits=-15)
    data = deflate.compress(json.dumps(game).encode()) + deflate.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


def replay_link(game: str, moves: list[Any], **more: Any) -> str:
    return f"/#/replay?g={packed({'game': game, 'options': {}, 'seed': 1, 'moves': moves, **more})}"


def play_link(game: str, seats: list[str], **options: str) -> str:
    """Return a link to a new game, with a person or an agent in each seat."""
    agents = [{"spec": seat} for seat in seats]
    return f"/#/play/{game}?g={packed({'game': game, 'options': options, 'seed': 7, 'moves': [], 'seats': agents})}"


def play(page: "Page", game: str, seats: list[str], **options: str) -> None:
    """Open a new game and wait until a person may choose."""
    page.goto(play_link(game, seats, **options))
    page.locator(".target").first.wait_for()


def hint(page: "Page") -> None:
    """Ask for a hint and wait for the answer."""
    page.keyboard.press("h")
    page.locator(".candidates").wait_for()


def board(page: "Page") -> str:
    return page.locator(".picture svg").get_attribute("aria-label") or ""


def shown(page: "Page", pattern: str) -> None:
    """Wait until the line below the board has a text."""
    page.locator(".status [role=status]").filter(has_text=re.compile(pattern)).wait_for()


def turn(page: "Page") -> int:
    return int((page.locator(".turn").text_content() or "").partition("/")[0])


def after_turn(page: "Page", number: int) -> None:
    """Wait until a later turn is shown."""
    later = "number => Number.parseInt(document.querySelector('.turn').textContent) > number"
    page.wait_for_function(later, arg=number)


def at_turn(page: "Page", number: int) -> None:
    """Wait until a turn is shown, on the timeline and in the list of moves."""
    page.locator(".turn").filter(has_text=re.compile(rf"^{number} /")).wait_for()
    if number:
        page.locator(f"#move-{number}[aria-selected=true]").wait_for()


def move_count(page: "Page") -> int:
    return page.locator(".moves li").count()
