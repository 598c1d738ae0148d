"""Compare and Write on the page: live matches, the games of a league, and heuristics that are written and tried."""

import re

import pytest
from playwright.sync_api import Page, expect

from browser import IDEA, Web, at_turn, board, play, shown
from sparring.arena.store import Store

pytestmark = pytest.mark.slow

LEAGUE_URL = re.compile(r"#/league/[0-9a-f]+")


def start(page: Page, first: str, second: str, games: int, *, sprt: bool = False) -> None:
    """Fill the form and start a match."""
    page.goto("/#/league?game=isolation")
    for label, spec in (("Agent 1", first), ("Agent 2", second)):
        page.get_by_label(label, exact=True).select_option("other …")
        page.get_by_label(f"{label}: spec").fill(spec)
        page.get_by_label(f"{label}: spec").press("Tab")
    page.get_by_label("games", exact=True).fill(str(games))
    if sprt:
        page.get_by_label("stop when decided").check()
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(LEAGUE_URL)


def test_a_match_is_shown_live_and_stopped_and_its_finished_games_stay(page: Page, web: Web) -> None:
    def played_more_than(games: int) -> int:
        page.wait_for_function(
            "games => Number.parseInt(document.querySelector('.progress span').textContent) > games", arg=games
        )
        return int(re.findall(r"(\d+) of", page.locator(".progress").text_content() or "")[0])

    start(page, "improved,nodes=500k", "next_moves,nodes=500k", 100_000)  # hours of work
    stop = page.get_by_role("button", name="Stop")
    stop.wait_for()
    before = played_more_than(played_more_than(0))
    stop.click()
    stop.wait_for(state="detached")
    played = played_more_than(0)
    assert before <= played < 100_000
    with Store(web.folder.parent / "games.db") as store:
        assert sum(batch.results.size for batch in store.batches(page.url.rpartition("/")[2])) == played
    assert page.locator(".ranking tbody tr").count() == 2


def test_a_sequential_test_shows_its_path(page: Page) -> None:
    start(page, "greedy", "random", 400, sprt=True)
    page.get_by_role("img", name=re.compile("Log likelihood ratio")).locator("canvas").wait_for()
    expect(page.locator("header .small")).to_contain_text("finished")


def test_a_ranking_has_intervals_and_a_cell_opens_its_games(page: Page, web: Web) -> None:
    page.goto(f"/#/league/{web.league}")
    expect(page.locator(".ranking .interval")).to_have_count(3)
    expect(page.locator(".endings .n")).to_have_text(["12"])
    names = page.locator(".ranking tbody .code").all_text_contents()
    assert names[-1] == "random"
    page.get_by_role("button", name=re.compile(f"^{re.escape(names[0])} against random")).click()
    games = page.locator("table.games tbody tr")
    expect(games).to_have_count(4)
    assert all("random" in row and names[0] in row for row in games.all_text_contents())
    games.locator("a").first.click()
    at_turn(page, 0)
    assert sorted(page.locator(".agent").all_text_contents()) == sorted([names[0], "random"])


# Write


def write(page: Page, text: str) -> None:
    page.get_by_role("textbox", name=re.compile("^Text of")).fill(text)
    page.keyboard.press("Control+s")


def test_a_new_file_starts_from_the_annotated_example_of_the_game_that_is_chosen(page: Page, web: Web) -> None:
    page.goto("/#/write")
    page.get_by_placeholder("my_idea.py").fill("begun")
    page.get_by_role("button", name="New").click()
    text = page.get_by_role("textbox", name=re.compile("^Text of"))
    for game in ("isolation", "ludo"):
        page.get_by_role("combobox", name=re.compile("^for")).select_option(game)
        expect(text).to_have_value(re.compile(rf"spar match {game} begun.py(.|\n)*\ndef begun\(s, me\):"))
    write(page, text.input_value())
    page.get_by_text("Saved. It compiles.").wait_for()
    assert "def begun(s, me)" in (web.folder / "begun.py").read_text()


def test_an_error_is_shown_at_its_line_until_it_is_corrected(page: Page, web: Web) -> None:
    page.goto("/#/write/wrong_name.py")
    write(page, IDEA.replace("count(exits", "coumt(exits"))
    error = page.locator(".errors li")
    assert "coumt" in (error.text_content() or "")
    line = IDEA.splitlines().index("    return float(count(exits(s, me)))") + 1
    assert page.locator(".gutter .wrong").all_text_contents() == [str(line)]
    error.get_by_role("button", name=f"line {line}").click()
    assert page.evaluate("document.activeElement.selectionStart") == IDEA.index("    return float")
    write(page, IDEA)
    page.get_by_text("Saved. It compiles.").wait_for()
    assert page.locator(".gutter .wrong").count() == 0
    assert (web.folder / "wrong_name.py").read_text() == IDEA


def test_a_heuristic_is_tried_on_the_position_shown_in_play(page: Page) -> None:
    play(page, "isolation", ["person", "person"], board="5x5")
    page.locator(".target").first.click()
    shown(page, "B to move")
    before = board(page)
    page.get_by_role("link", name="Write").click()
    page.get_by_role("link", name="idea.py").click()
    expect(page.locator(".try-out .picture svg")).to_have_attribute("aria-label", before)
    page.get_by_role("button", name="On the position shown").click()
    page.locator(".try-out .candidates").wait_for()
    assert (page.locator(".try-out .verdict").text_content() or "").startswith("idea.py:idea plays ")


def test_a_heuristic_plays_a_match_against_the_best_of_the_latest_league(page: Page) -> None:
    page.goto("/#/write/idea.py")
    page.get_by_role("button", name="Match against the best").click()
    expect(page.get_by_label("Agent 1", exact=True)).to_have_value("idea.py:idea")
    page.wait_for_url(re.compile(r"#/league\?game=isolation&agent=idea.py%3Aidea&agent=."))
    page.get_by_label("games", exact=True).fill("2")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(LEAGUE_URL)
    page.get_by_text("2 of 2 games").wait_for()


def test_the_text_of_somebody_else_is_not_overwritten(page: Page, web: Web) -> None:
    file = web.folder / "shared.py"
    file.write_text(IDEA)
    page.goto("/#/write/shared.py")
    page.get_by_role("textbox", name=re.compile("^Text of")).wait_for()
    file.write_text("# mine\n")
    write(page, "# theirs\n")
    page.locator(".error-message").wait_for()
    assert file.read_text() == "# mine\n"
