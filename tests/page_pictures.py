"""Draws the pictures of docs/the-page.md anew: python tests/page_pictures.py"""

import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

from browser import DESK, IDEA, PHONE, ask, at_turn, chromium, opened, play_link, web
from commands import did

IMAGES = Path(__file__).parent.parent / "docs/images"
COLOURS = 255
SEARCHING = ("improved,nodes=2000", "next_moves,nodes=2000", "voronoi,nodes=2000")
LEAGUE = ("random", "greedy", "minimax:improved,depth=3", *SEARCHING)


def photographed(page: Page) -> Image.Image:
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    return Image.open(io.BytesIO(page.screenshot()))


def kept(name: str, *shots: Image.Image) -> None:
    """One beside the other, in few colours."""
    space = 24
    width = sum(shot.width for shot in shots) + space * (len(shots) - 1)
    picture = Image.new("RGB", (width, max(shot.height for shot in shots)), "white")
    left = 0
    for shot in shots:
        picture.paste(shot, (left, 0))
        left += shot.width + space
    file = IMAGES / f"page-{name}.png"
    picture.quantize(COLOURS).save(file, optimize=True)
    print(file, picture.size, file.stat().st_size)


def play(page: Page) -> Image.Image:
    ask(page, "isolation", "alphabeta:next_moves,depth=6")
    page.goto(play_link("isolation", ["person", "voronoi"]))
    for place in (1, 2, 0):
        page.locator(".target").nth(place).click()
        page.wait_for_function("() => document.querySelectorAll('.moves li').length % 2 == 0")
        page.locator(".target").first.wait_for()
    page.keyboard.press("h")
    page.locator(".candidates").wait_for()
    return photographed(page)


def replay(page: Page, id: str) -> Image.Image:
    ask(page, "battlesnake", "strongest,depth=4")
    page.goto(f"/#/replay/{id}/1@0")
    at_turn(page, 0)
    page.get_by_role("slider", name="Turn").fill(str(page.locator(".moves li").count() - 8))
    page.locator(".graph canvas").wait_for(timeout=120_000)
    page.get_by_role("button", name="Hint for A").click()
    page.locator(".candidates").wait_for(timeout=120_000)
    return photographed(page)


def league(page: Page, id: str) -> Image.Image:
    page.set_viewport_size({"width": 1280, "height": 1170})
    page.goto(f"/#/league/{id}")
    page.locator(".cross").wait_for()
    shot = photographed(page)
    page.set_viewport_size(DESK)
    return shot


def write(page: Page, folder: Path) -> Image.Image:
    (folder / "roomy.py").write_text(
        IDEA.replace("idea", "roomy").replace("count(exits(s, me))", "count(exits(s, mee))")
    )
    page.goto("/#/write/roomy.py")
    page.locator(".gutter .wrong").wait_for()
    return photographed(page)


def phones(browser: Browser, url: str) -> list[Image.Image]:
    shots = []
    for theme, link in (
        ("light", play_link("ludo", ["person", "person", "person", "person"])),
        ("dark", play_link("battlesnake", ["person", "person"])),
        ("light", play_link("flagwar", ["person", "person"])),
    ):
        settings: Any = {"viewport": PHONE, "is_mobile": True, "has_touch": True, "color_scheme": theme}
        with opened(browser, url, **settings) as page:
            page.goto(link)
            page.locator(".target").first.wait_for()
            if "flagwar" in link:
                page.locator(".target[data-piece=A2]").click()
            shots.append(photographed(page))
    return shots


def main(home: Path) -> None:
    def id_of(said: str) -> str:
        return str(re.findall(r"spar report (\w+)", said)[0])

    os.environ["SPARRING_STORE"] = str(home / "games.db")
    with web(home) as served, chromium() as browser:
        big = id_of(did("league", "isolation", *LEAGUE, "--games", 60))
        snakes = id_of(did("match", "battlesnake", "strongest,nodes=2000", "flood_fill", "--games", 2))
        with opened(browser, served.url) as page:
            kept("play", play(page))
            kept("compare", league(page, big))
            kept("write", write(page, served.folder))
        with opened(browser, served.url, color_scheme="dark") as page:
            kept("replay", replay(page, snakes))
        kept("phone", *phones(browser, served.url))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
