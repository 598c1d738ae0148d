"""The page in a real browser: a server with a store and a folder of its own, and the system's Chromium."""

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
from http_snakes import listening

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE = 30_000
"""Milliseconds until something must have happened, on a busy machine and with code to be compiled."""
ANALYSTS = {"isolation": "next_moves,depth=3", "flagwar": "matrix,size=10", "ludo": "one_ply"}
"""Who is asked about positions: they answer at once, and always the same."""
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
    """Where the page is, the folder that it may write in, and experiments that are in its store."""

    url: str
    folder: Path
    league: str
    thoughtful: str


@contextmanager
def web(home: Path) -> Iterator[Web]:
    """A page with a league of three and a match whose decisions were kept."""
    store, folder = home / "games.db", home / "mine"
    folder.mkdir()
    (folder / "idea.py").write_text(IDEA)
    played = [
        did("league", "isolation", "random", "greedy", "minimax:improved,depth=2", "--games", 4, "--store", store),
        did("match", "isolation", "next_moves,nodes=300", "greedy", "--games", 2, "--decisions", "--store", store),
    ]
    ids = [re.findall(r"spar report (\w+)", said)[0] for said in played]
    with listening(home, "web", "--no-browser", "--folder", folder, "--store", store) as url:
        yield Web(url, folder, *ids)


@contextmanager
def chromium() -> "Iterator[Browser]":
    from playwright.sync_api import expect, sync_playwright

    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "the page is tested in Chromium: apt-get install chromium"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: "Browser", url: str, **more: Any) -> "Iterator[Page]":
    """A page that must end without an error of its own. Errors that the server tells are none."""
    context = browser.new_context(base_url=url, **{"viewport": DESK, **more})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    for game, spec in ANALYSTS.items():
        ask(page, game, spec)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"{error}\n{error.stack}"))
    page.on("console", lambda said: wrong.append(said.text) if _matters(said) else None)
    yield page
    context.close()
    assert not wrong, wrong


def ask(page: "Page", game: str, spec: str) -> None:
    """From the next page on, this agent is asked about positions of a game."""
    page.add_init_script(f"localStorage.setItem('analyst {game}', JSON.stringify({{spec: '{spec}'}}))")


def _matters(said: Any) -> bool:
    return said.type in ("error", "warning") and "server responded with a status of 4" not in said.text


def packed(game: dict[str, Any]) -> str:
    """A game as it stands in links."""
    deflate = zlib.compressobj(wbits=-15)
    data = deflate.compress(json.dumps(game).encode()) + deflate.flush()
    return urlsafe_b64encode(data).decode().rstrip("=")


def play_link(game: str, seats: list[str], moves: list[dict[str, str]] | None = None, **options: str) -> str:
    """To a game with these options, and in each seat a person or an agent."""
    who = [{"spec": seat} for seat in seats]
    told = {"game": game, "options": options, "seed": 7, "moves": moves or [], "seats": who}
    return f"/#/play/{game}?g={packed(told)}"


def status(page: "Page") -> str:
    return page.locator(".status [role=status]").text_content() or ""


def shown(page: "Page", pattern: str) -> None:
    """Wait until the line below the board tells this."""
    page.locator(".status [role=status]").filter(has_text=re.compile(pattern)).wait_for()


def turn(page: "Page") -> int:
    """Which turn is shown."""
    return int((page.locator(".turn").text_content() or "").partition("/")[0])


def at_turn(page: "Page", number: int) -> None:
    """Wait until this turn is shown, on the timeline and in the list of moves."""
    page.locator(".turn").filter(has_text=re.compile(rf"^{number} /")).wait_for()
    if number:
        page.locator(f"#move-{number}[aria-selected=true]").wait_for()
