"""Games on the page, played to their end by mouse and by keyboard, and what one can do on the way."""

import random
from typing import Any

import pytest
from playwright.sync_api import Page

from browser import at_turn, play_link, shown, turn

pytestmark = pytest.mark.slow

SMALL = {
    "isolation": play_link("isolation", ["person", "random"], board="4x4"),
    "ludo": play_link("ludo", ["person", "random"], players="2", tokens="1", home_tries="3"),
    "battlesnake": play_link("battlesnake", ["person", "random_safe"], board="5x5"),
    "flagwar": play_link("flagwar", ["person", "random"], board="7x11", turn_limit="3"),
}
"""Games that a person begins against an agent at random; they are over soon."""
DIRECTIONS = ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight")


def ready(page: Page) -> bool:
    """Wait until a person may choose, or the game is over: whether it goes on."""
    page.locator(".target, .seats .soft").first.wait_for()
    return page.locator(".seats .soft").count() == 0


def played_to_the_end(page: Page, choose: Any) -> None:
    """Choose again and again; then the game tells who has won and how."""
    for _ in range(400):
        if not ready(page):
            break
        before = turn(page)
        choose(page)
        page.wait_for_function(
            "before => Number.parseInt(document.querySelector('.turn').textContent) > before", arg=before
        )
    shown(page, r"has won: |A draw: ")


# Whole games


def by_mouse(page: Page) -> None:
    if page.locator(".target[data-piece]").count():
        for piece in [one.get_attribute("data-piece") for one in page.locator(".target[data-piece]").all()]:
            page.locator(f".target[data-piece='{piece}']").click()
            page.locator(".target.place").first.click()
        page.get_by_role("button", name="Play these commands").click()
    else:
        page.locator(".target").first.click()


@pytest.mark.parametrize("game", SMALL)
def test_a_whole_game_by_mouse(page: Page, game: str) -> None:
    page.goto(SMALL[game])
    played_to_the_end(page, by_mouse)


def by_keyboard(page: Page) -> None:
    """Arrows walk over what can be taken, Enter takes it. Who has a command is left for the next piece, and when all
    have one, Enter plays them."""
    if page.locator(".pad").count():
        page.keyboard.press(random.Random(turn(page)).choice(DIRECTIONS))
        return
    page.keyboard.press("ArrowDown")
    page.locator(".target:focus").wait_for()
    for _ in range(page.locator(".target[data-piece]").count()):
        page.keyboard.press("Enter")
        page.locator(".target.place:focus").wait_for()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
    if page.locator(".send").count():
        page.locator(".send .primary:focus").wait_for()
    page.keyboard.press("Enter")


@pytest.mark.parametrize("game", SMALL)
def test_a_whole_game_by_keyboard(page: Page, game: str) -> None:
    page.goto(SMALL[game])
    played_to_the_end(page, by_keyboard)


def test_a_piece_is_dragged_to_its_place(page: Page) -> None:
    page.goto(SMALL["flagwar"])
    piece = page.locator(".target[data-piece='A1']").bounding_box()
    assert piece
    page.mouse.move(piece["x"] + piece["width"] / 2, piece["y"] + piece["height"] / 2)
    page.mouse.down()
    page.mouse.move(piece["x"] + piece["width"] / 2, piece["y"] + piece["height"] * 1.5, steps=4)
    page.locator(".held").wait_for()
    page.mouse.up()
    page.locator(".send .code").filter(has_text="1d1").wait_for()
    assert page.locator(".orders line").count() == 1


# On the way


def test_what_was_undone_stays_beside_the_branch(page: Page) -> None:
    page.goto(play_link("isolation", ["person", "greedy"]))
    for _ in range(2):
        page.locator(".target").first.click()
        shown(page, "A to move")
    at_turn(page, 4)
    page.keyboard.press("u")
    at_turn(page, 2)
    old = page.locator("#move-3").text_content()
    page.locator(".target").last.click()
    at_turn(page, 4)
    assert page.locator("#move-3").text_content() != old
    page.get_by_role("button", name="first line").click()
    at_turn(page, 4)
    assert page.locator("#move-3").text_content() == old


def test_persons_at_one_screen_choose_in_secret_one_after_another(page: Page) -> None:
    page.goto(play_link("battlesnake", ["person", "person"]))
    shown(page, "A, choose in secret")
    page.keyboard.press("ArrowUp")
    shown(page, "^A has chosen. B, choose in secret$")
    assert page.locator(".moves li").count() == 0
    page.keyboard.press("ArrowLeft")
    at_turn(page, 1)
    shown(page, "^A up · B left")


def test_a_link_opens_exactly_this_position(page: Page) -> None:
    page.goto(SMALL["ludo"])
    by_mouse(page)
    page.wait_for_function("() => document.querySelector('.moves li')")
    ready(page)
    page.get_by_role("button", name="Copy a link").click()
    link, moves = page.evaluate("navigator.clipboard.readText()"), page.locator(".moves").text_content()
    board = page.locator(".picture svg").get_attribute("aria-label")
    page.goto("/icon.svg")
    page.goto(link)
    ready(page)
    assert page.locator(".moves").text_content() == moves
    assert page.locator(".picture svg").get_attribute("aria-label") == board


def test_the_same_seed_rolls_the_same_dice_and_another_seed_begins_elsewhere(page: Page) -> None:
    page.goto(play_link("ludo", ["person"] * 4))
    rolled = []
    for _ in range(2):
        for number in range(5):
            at_turn(page, number)
            page.locator(".target").first.wait_for()
            rolled.append(page.locator(".die").get_attribute("aria-label"))
            by_mouse(page)
        at_turn(page, 5)
        page.keyboard.press("r")
    assert rolled[:5] == rolled[5:]
    page.get_by_role("button", name="New seed").click()
    page.get_by_role("button", name="Copy the seed 7", exact=True).wait_for(state="detached")


def test_agents_play_against_each_other_and_whoever_goes_back_stops_them(page: Page) -> None:
    page.goto(play_link("isolation", ["random", "greedy"]))
    page.locator("#move-2").wait_for()
    page.keyboard.press("Home")
    at_turn(page, 0)
    count = page.locator(".moves li").count()
    page.wait_for_timeout(1000)
    assert page.locator(".moves li").count() == count


def test_a_spec_that_does_not_exist_is_told_in_a_line(page: Page) -> None:
    page.goto(play_link("isolation", ["person", "nobody"]))
    page.locator(".target").first.click()
    assert "nobody" in (page.locator(".trouble").text_content() or "")
