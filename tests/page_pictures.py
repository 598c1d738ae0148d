"""Draws the pictures of docs/the-page.md: python tests/page_pictures.py"""

import io
import os
import re
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page

import browser as browsers
from browser import DESK, IDEA, PHONE, at_turn, hint, opened, set_analyst
from commands import did

IMAGES = Path(__file__).parent.parent / "docs/images"
COLOURS, GAP = 255, 24
SEARCHES = ("improved,nodes=2000", "next_moves,nodes=2000", "voronoi,nodes=2000")
LEAGUE = ("random", "greedy", "minimax:improved,depth=3", *SEARCHES)


def screenshot(page: Page) -> Image.Image:
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)
    return Image.open(io.BytesIO(page.screenshot()))


def save(name: str, *shots: Image.Image) -> None:
    """Save screenshots side by side, in few colours."""
    width = sum(shot.width for shot in shots) + GAP * (len(shots) - 1)
    picture, left = Image.new("RGB", (width, max(shot.height for shot in shots)), "white"), 0
    for shot in shots:
        picture.paste(shot, (left, 0))
        left += shot.width + GAP
    file = IMAGES / f"page-{name}.png"
    picture.quantize(COLOURS).save(file, optimize=True)
    print(file, picture.size, file.stat().st_size)


def play(page: Page) -> Image.Image:
    set_analyst(page, "isolation", "alphabeta:next_moves,depth=6")
    browsers.play(page, "isolation", ["person", "voronoi"])
    for place in (1, 2, 0):
        page.locator(".target").nth(place).click()
        page.wait_for_function("() => document.querySelectorAll('.moves li').length % 2 == 0")
        page.locator(".target").first.wait_for()
    hint(page)
    return screenshot(page)


def replay(page: Page, id: str) -> Image.Image:
    set_analyst(page, "battlesnake", "strongest,depth=4")
    page.goto(f"/#/replay/{id}/1@0")
    at_turn(page, 0)
    page.get_by_role("slider", name="Turn").fill(str(browsers.move_count(page) - 8))
    page.locator(".graph canvas").wait_for()
    page.get_by_role("button", name="Hint for A").click()
    page.locator(".candidates").wait_for()
    return screenshot(page)


def league(page: Page, id: str) -> Image.Image:
    page.set_viewport_size({"width": 1280, "height": 1170})
    page.goto(f"/#/league/{id}")
    page.locator(".cross").wait_for()
    shot = screenshot(page)
    page.set_viewport_size(DESK)
    return shot


def write(page: Page, folder: Path) -> Image.Image:
    wrong = IDEA.replace("idea", "roomy").replace("count(exits(s, me))", "count(exits(s, mee))")
    (folder / "roomy.py").write_text(wrong)
    page.goto("/#/write/roomy.py")
    page.locator(".gutter .wrong").wait_for()
    return screenshot(page)


def phones(browser: Browser, url: str) -> list[Image.Image]:
    shots = []
    for theme, game, players in (("light", "ludo", 4), ("dark", "battlesnake", 2), ("light", "flagwar", 2)):
        settings: Any = {"viewport": PHONE, "is_mobile": True, "has_touch": True, "color_scheme": theme}
        with opened(browser, url, **settings) as page:
            browsers.play(page, game, ["person"] * players)
            if game == "flagwar":
                page.locator(".target[data-piece=A2]").click()
            shots.append(screenshot(page))
    return shots


def main(home: Path) -> None:
    def played(*words: Any) -> str:
        return str(re.findall(r"spar report (\w+)", did(*words))[0])

    os.environ["SPARRING_STORE"] = str(home / "games.db")
    with browsers.web(home) as web, browsers.chromium() as browser:
        big = played("league", "isolation", *LEAGUE, "--games", 60)
        snakes = played("match", "battlesnake", "strongest,nodes=2000", "flood_fill", "--games", 2)
        with opened(browser, web.url) as page:
            save("play", play(page))
            save("compare", league(page, big))
            save("write", write(page, web.folder))
        with opened(browser, web.url, color_scheme="dark") as page:
            save("replay", replay(page, snakes))
        save("phone", *phones(browser, web.url))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder))
