"""What the page looks like: on a phone, in the dark, to those who do not see it, and what it weighs."""

import gzip
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import sparring
from browser import PHONE, Web, opened, packed, play_link

pytestmark = pytest.mark.slow

AXE = (Path(__file__).parent / "data/axe-core/axe.min.js").read_text()
STATIC = Path(sparring.__file__).parent / "web/static"
THEMES = ("light", "dark")
PAUSED = {"game": "isolation", "options": {}, "seed": 7, "moves": [], "seats": [{"spec": "person"}, {"spec": "greedy"}]}


def lobby(page: Page, web: Web) -> None:
    page.goto("/")
    page.locator(".opening svg").nth(3).wait_for()


def table(page: Page, web: Web) -> None:
    """In the midst of everything: a hint, a question, a line that is stepped into, all panels open."""
    page.goto(play_link("isolation", ["person", "greedy"]))
    page.locator(".target").first.click()
    page.locator(".target").first.wait_for()
    page.get_by_text("Rules and seed").click()
    page.get_by_text("Evaluation").click()
    page.locator(".graph canvas").wait_for()
    page.keyboard.press("h")
    page.locator(".chip").nth(1).click()
    page.locator(".status .ahead").wait_for()


def commands(page: Page, web: Web) -> None:
    page.goto(play_link("flagwar", ["person", "person"]))
    page.locator(".target[data-piece=A1]").click()
    page.locator(".target.place").first.click()
    page.keyboard.press("h")
    page.locator(".matrix").wait_for()


def snakes(page: Page, web: Web) -> None:
    page.goto(play_link("battlesnake", ["person", "person"]))
    page.locator(".target").first.wait_for()


def dice(page: Page, web: Web) -> None:
    page.goto(play_link("ludo", ["person"] * 4))
    page.locator(".die").wait_for()


def shelf(page: Page, web: Web) -> None:
    page.goto("/#/replay")
    page.locator("table.games").wait_for()


def replay(page: Page, web: Web) -> None:
    page.goto(f"/#/replay/{web.thoughtful}/1@3")
    page.locator(".graph canvas").wait_for()
    page.locator(".marks circle").first.wait_for()


def league(page: Page, web: Web) -> None:
    page.goto(f"/#/league/{web.league}")
    page.locator(".cross .cell").first.click()
    page.locator("table.games").wait_for()


def start(page: Page, web: Web) -> None:
    page.goto("/#/league")
    page.get_by_role("button", name="Start", exact=True).wait_for()
    page.get_by_text("Rules", exact=True).click()


def write(page: Page, web: Web) -> None:
    (web.folder / "wrong.py").write_text("oops(\n")
    page.goto("/#/write/wrong.py")
    page.locator(".errors li").wait_for()


def help(page: Page, web: Web) -> None:
    lobby(page, web)
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()


VIEWS = (lobby, table, commands, snakes, dice, shelf, replay, league, start, write, help)


# For everybody


def violations(page: Page) -> list[str]:
    """What axe-core finds to be serious, and where."""
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("async () => (await axe.run()).violations")
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in serious for node in one["nodes"]]


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.__name__)
def test_a_view_is_for_everybody_in_both_themes_and_no_wider_than_a_phone(page: Page, web: Web, view: Any) -> None:
    view(page, web)
    for theme in THEMES:
        page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        assert violations(page) == [], theme
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_thumb_plays(browser: Browser, web: Web) -> None:
    with opened(browser, web.url, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        page.goto(play_link("battlesnake", ["person", "person"]))
        for _ in range(2):
            page.locator(".pad .up").tap()
        page.locator("#move-1[aria-selected=true]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def background(page: Page) -> int:
    """How bright the page is, of 255."""
    colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return int(colour.partition("(")[2].partition(",")[0])


def test_it_is_dark_where_the_system_is_and_the_other_way_by_a_click_that_is_remembered(
    browser: Browser, web: Web
) -> None:
    with opened(browser, web.url, color_scheme="dark") as page:
        page.goto("/")
        page.get_by_role("button", name="Light").wait_for()
        assert background(page) < 50
        page.get_by_role("button", name="Light").click()
        page.get_by_role("button", name="Dark").wait_for()
        assert background(page) > 200
        page.reload()
        page.get_by_role("button", name="Dark").wait_for()
        assert background(page) > 200


# What it weighs


def test_the_page_is_light_to_load(page: Page) -> None:
    sent = []
    page.on("requestfinished", lambda request: sent.append(request.sizes()))
    page.goto("/")
    page.locator(".opening svg").nth(3).wait_for()
    page.goto(f"/#/play/isolation?g={packed(PAUSED)}")
    page.locator(".target").first.wait_for()
    assert sum(one["responseHeadersSize"] + one["responseBodySize"] for one in sent) < 150_000


def test_the_libraries_are_small_and_bring_their_licences() -> None:
    libraries = [*(STATIC / "vendor").glob("*.mjs"), *(STATIC / "vendor").glob("*.js")]
    assert sum(len(gzip.compress(file.read_bytes())) for file in libraries) < 30_000
    assert {file.name for file in (STATIC / "vendor").glob("LICENSE-*")} == {
        "LICENSE-preact",
        "LICENSE-htm",
        "LICENSE-uPlot",
    }


def test_nothing_comes_from_elsewhere(page: Page, web: Web) -> None:
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    replay(page, web)
    assert all(url.startswith(web.url) for url in asked)
