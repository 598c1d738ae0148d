"""Playing on the page: whole games by mouse and by keyboard, undo, links, dice, agents."""

import random
from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from browser import after_turn, at_turn, board, move_count, play, play_link, shown, turn

pytestmark = pytest.mark.slow

SMALL = {
    "isolation": play_link("isolation", ["person", "random"], board="4x4"),
    "ludo": play_link("ludo", ["person", "random"], players="2", tokens="1", home_tries="3"),
    "battlesnake": play_link("battlesnake", ["person", "random_safe"], board="5x5"),
    "flagwar": play_link("flagwar", ["person", "random"], board="7x11", turn_limit="2"),
}
"""Short games of a person against a random agent."""
ARROWS = ("ArrowUp", "ArrowLeft", "ArrowDown", "ArrowRight")


def goes_on(page: Page) -> bool:
    """Wait until a person may choose or the game is over, and return whether it goes on."""
    page.locator(".target, .seats .soft").first.wait_for()
    return page.locator(".seats .soft").count() == 0


def by_mouse(page: Page) -> None:
    if page.locator(".target[data-piece]").count():
        for piece in [one.get_attribute("data-piece") for one in page.locator(".target[data-piece]").all()]:
            page.locator(f".target[data-piece='{piece}']").click()
            page.locator(".target.place").first.click()
        page.get_by_role("button", name="Play these commands").click()
    else:
        page.locator(".target").first.click()


def by_keyboard(page: Page) -> None:
    """Arrow keys go to a target and Enter takes it. After a command the focus goes to the next piece, and at last to
    the button that plays."""
    if page.locator(".pad").count():
        page.keyboard.press(random.Random(turn(page)).choice(ARROWS))
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


@pytest.mark.parametrize(
    ("game", "choose"), [*((game, by_mouse) for game in SMALL), ("battlesnake", by_keyboard), ("flagwar", by_keyboard)]
)
def test_a_whole_game_is_played(page: Page, game: str, choose: Callable[[Page], None]) -> None:
    page.goto(SMALL[game])
    while goes_on(page):
        before = turn(page)
        choose(page)
        after_turn(page, before)
    shown(page, r"has won: |A draw: ")


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


def test_an_undone_line_stays_beside_the_new_one(page: Page) -> None:
    play(page, "isolation", ["person", "greedy"])
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
    play(page, "battlesnake", ["person", "person"])
    shown(page, "A, choose in secret")
    page.keyboard.press("ArrowUp")
    shown(page, "^A has chosen. B, choose in secret$")
    assert move_count(page) == 0
    page.keyboard.press("ArrowLeft")
    at_turn(page, 1)
    shown(page, "^A up · B left")


def test_a_copied_link_opens_the_same_position(page: Page) -> None:
    page.goto(SMALL["ludo"])
    by_mouse(page)
    after_turn(page, 0)
    goes_on(page)
    page.get_by_role("button", name="Copy a link").click()
    link, before = page.evaluate("navigator.clipboard.readText()"), (page.locator(".moves").text_content(), board(page))
    page.goto("/icon.svg")
    page.goto(link)
    goes_on(page)
    assert (page.locator(".moves").text_content(), board(page)) == before


def test_the_same_seed_rolls_the_same_dice_and_a_new_seed_is_another_one(page: Page) -> None:
    play(page, "ludo", ["person"] * 4)
    rolls = []
    for _ in range(2):
        for number in range(4):
            at_turn(page, number)
            page.locator(".target").first.wait_for()
            rolls.append(page.locator(".die").get_attribute("aria-label"))
            by_mouse(page)
        at_turn(page, 4)
        page.keyboard.press("r")
    assert rolls[:4] == rolls[4:]
    page.get_by_role("button", name="New seed").click()
    page.get_by_role("button", name="Copy the seed 7", exact=True).wait_for(state="detached")


def test_agents_play_against_each_other_until_a_person_goes_back(page: Page) -> None:
    page.goto(play_link("isolation", ["random", "greedy"]))
    page.locator("#move-2").wait_for()
    page.keyboard.press("Home")
    at_turn(page, 0)
    count = move_count(page)
    page.wait_for_timeout(600)  # more than the pace of agents
    assert move_count(page) == count


def test_an_unknown_agent_is_an_error_line(page: Page) -> None:
    play(page, "isolation", ["person", "nobody"])
    page.locator(".target").first.click()
    assert "nobody" in (page.locator(".error-message").text_content() or "")
