"""The page in both themes, on a phone and for screen readers, and the size of its files."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

import sparring
from browser import PHONE, Web, hint, opened, play, play_link
from web_pages import TOKEN

pytestmark = pytest.mark.slow

AXE = (Path(__file__).parent / "data/axe-core/axe.min.js").read_text()
STATIC = Path(sparring.__file__).parent / "web/static"


def lobby(page: Page, web: Web) -> None:
    page.goto("/")
    page.locator(".opening svg").nth(3).wait_for()


def keys(page: Page, web: Web) -> None:
    page.goto("/#/replay")
    page.locator("table.games").wait_for()
    assert violations(page) == []
    page.keyboard.press("?")
    page.get_by_role("dialog").wait_for()


def all_panels(page: Page, web: Web) -> None:
    """A game with a hint, a previewed line, and all panels open."""
    play(page, "isolation", ["person", "greedy"])
    page.locator(".target").first.click()
    page.locator(".target").first.wait_for()
    page.get_by_text("Rules and seed").click()
    page.get_by_text("Evaluation").click()
    page.locator(".graph canvas").wait_for()
    page.keyboard.press("h")
    page.locator(".chip").nth(1).click()
    page.locator(".status .ahead").wait_for()


def commands(page: Page, web: Web) -> None:
    play(page, "flagwar", ["person", "person"])
    page.locator(".target[data-piece=A1]").click()
    page.locator(".target.place").first.click()
    hint(page)
    page.locator(".matrix").wait_for()
    assert page.locator(".candidates thead th").all_text_contents()[2] == "chance"


def dice(page: Page, web: Web) -> None:
    play(page, "ludo", ["person"] * 4)


def replay(page: Page, web: Web) -> None:
    page.goto(f"/#/replay/{web.with_decisions}/1@3")
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


VIEWS = (lobby, keys, all_panels, commands, dice, replay, league, start, write)


def violations(page: Page, **options: Any) -> list[str]:
    """Return the serious problems that axe-core finds, and where."""
    page.evaluate(AXE)
    found = page.evaluate("async (options) => (await axe.run(options)).violations", options)
    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['target']} {node['failureSummary']}" for one in serious for node in one["nodes"]]


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_accessible_in_both_themes_and_fits_a_phone(
    page: Page, web: Web, view: Callable[[Page, Web], None]
) -> None:
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    view(page, web)
    assert all(url.startswith(web.url) for url in requests)  # nothing is loaded from elsewhere
    page.evaluate("document.documentElement.dataset.theme = 'light'")
    assert violations(page) == []
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert violations(page, runOnly=["color-contrast"]) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_a_game_is_played_by_touch(browser: Browser, web: Web) -> None:
    with opened(browser, web.url, viewport=PHONE, has_touch=True, is_mobile=True) as page:
        page.goto(play_link("battlesnake", ["person", "person"]))
        page.locator(".pad .up").wait_for()
        assert violations(page) == []
        for _ in range(2):
            page.locator(".pad .up").tap()
        page.locator("#move-1[aria-selected=true]").wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_theme_follows_the_system_and_the_last_click(browser: Browser, web: Web) -> None:
    def brightness() -> int:
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return int(colour.partition("(")[2].partition(",")[0])

    with opened(browser, web.url, color_scheme="dark") as page:
        page.goto("/")
        page.get_by_role("button", name="Light").wait_for()
        assert brightness() < 50
        page.get_by_role("button", name="Light").click()
        page.get_by_role("button", name="Dark").wait_for()
        assert brightness() > 200
        page.reload()
        page.get_by_role("button", name="Dark").wait_for()
        assert brightness() > 200


def test_the_page_loads_few_bytes(page: Page, web: Web) -> None:
    requests = []
    page.on("requestfinished", lambda request: requests.append(request.sizes()))
    lobby(page, web)
    play(page, "isolation", ["person", "greedy"])
    assert sum(one["responseHeadersSize"] + one["responseBodySize"] for one in requests) < 150_000


def test_the_libraries_are_small_and_have_their_licences() -> None:
    libraries = [*(STATIC / "vendor").glob("*.mjs"), *(STATIC / "vendor").glob("*.js")]
    assert sum(len(gzip.compress(file.read_bytes())) for file in libraries) < 30_000
    licences = {file.name.removeprefix("LICENSE-") for file in (STATIC / "vendor").glob("LICENSE-*")}
    assert licences == {"preact", "htm", "uPlot"}


def test_the_printed_link_leaves_no_token_in_the_address(browser: Browser, web: Web) -> None:
    context = browser.new_context(base_url=web.url)
    page = context.new_page()
    page.goto("/")
    page.get_by_text("open the link that `spar web` printed").first.wait_for()
    page.goto(f"/#token={TOKEN}")  # in the same tab
    page.locator(".opening svg").nth(3).wait_for()
    assert page.url == f"{web.url}/#/play"
    assert page.evaluate("document.cookie") == ""
    context.close()
