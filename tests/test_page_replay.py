"""Replays on the page: the timeline, logs, links, and decisions with their reasons."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

import sparring
from browser import (
    TIMEOUT,
    Web,
    after_turn,
    at_turn,
    board,
    hint,
    move_count,
    play,
    replay_link,
    set_analyst,
    shown,
    turn,
)
from commands import did
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.logs import write_log

pytestmark = pytest.mark.slow

LONG = 200


@pytest.fixture
def replay(page: Page, web: Web) -> Page:
    """A stored game with all its decisions, at its start."""
    page.goto(f"/#/replay/{web.with_decisions}/1@0")
    at_turn(page, 0)
    return page


# The timeline


def test_keys_slider_list_of_moves_and_graph_lead_to_turns(replay: Page) -> None:
    end = move_count(replay)
    single = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), (".", 2), (",", 1)]
    for key, number in [*single, ("End", end), ("Home", 0), ("n", end), ("Shift+N", 0)]:
        replay.keyboard.press(key)
        at_turn(replay, number)
    replay.get_by_role("slider", name="Turn").fill("5")
    at_turn(replay, 5)
    replay.locator("#move-9").click()
    at_turn(replay, 9)
    replay.get_by_role("listbox", name="Moves").focus()
    replay.keyboard.press("ArrowDown")
    at_turn(replay, 10)
    replay.keyboard.press("Home")
    graph = replay.locator(".graph canvas")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box
    replay.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    after_turn(replay, 1)
    assert turn(replay) < end


def test_the_address_has_the_turn_the_seed_is_copied_and_the_game_continued(replay: Page, web: Web) -> None:
    replay.keyboard.press("ArrowRight")
    replay.wait_for_url(f"{web.url}/#/replay/{web.with_decisions}/1@1")
    replay.get_by_role("button", name="Copy the seed").click()
    replay.get_by_role("button", name="copied").wait_for()
    assert replay.evaluate("navigator.clipboard.readText()").isdecimal()
    replay.keyboard.press("End")
    replay.keyboard.press("ArrowLeft")
    before = move_count(replay)
    replay.get_by_role("button", name="Play on from here").click()
    replay.wait_for_url(re.compile("#/play/isolation"))
    at_turn(replay, before - 1)


def test_the_decision_that_lost_a_game_is_found_and_opened(page: Page, web: Web) -> None:
    small = ("match", "isolation", "greedy", "improved,nodes=200", "--board", "5x5", "--games", 4)
    id = re.findall(r"spar report (\w+)", did(*small, "--store", web.folder.parent / "games.db"))[0]
    paths = (f"/api/experiments/{id}/games/{number}/blunders" for number in range(1, 5))
    found = (page.request.get(path, timeout=TIMEOUT).json() for path in paths)
    number, (blunder, *_) = next((number, blunders) for number, blunders in enumerate(found, 1) if blunders)
    page.goto(f"/#/replay/{id}/{number}@0")
    page.locator(".evaluation canvas").wait_for()
    panel = page.get_by_role("region", name="Where was it lost?")
    panel.get_by_role("button", name="Ask the strongest judge").click()
    panel.get_by_role("button", name=blunder["text"]).click()
    at_turn(page, blunder["step"] - 1)
    shown(page, re.escape(blunder["text"]))


def test_the_graph_has_its_place_before_it_is_drawn(page: Page, web: Web) -> None:
    """Else a click on what is below it misses."""
    held: list[Route] = []
    page.route("**/uPlot.min.js", lambda route: held.append(route))
    page.goto(f"/#/replay/{web.with_decisions}/1@0")
    page.locator(".evaluation figure").wait_for(state="attached")
    below = page.get_by_role("region", name="Where was it lost?")
    before = below.bounding_box()
    held[0].continue_()
    page.locator(".evaluation canvas").wait_for()
    assert below.bounding_box() == before


def test_the_slider_and_a_run_show_every_turn_of_a_long_game(page: Page) -> None:
    moves = [{"0": "1d1", "1": "stay"}, {"0": "1u1", "1": "stay"}] * (LONG // 2)
    set_analyst(page, "flagwar", "random")
    page.goto(replay_link("flagwar", moves, options={"turn_limit": f"{LONG}", "stall_limit": "1000"}))
    at_turn(page, 0)
    page.keyboard.press("Space")
    after_turn(page, 0)
    page.keyboard.press("Space")
    page.get_by_role("button", name="Run").wait_for()
    stopped = turn(page)
    page.wait_for_timeout(300)  # more than a turn at the usual speed
    assert turn(page) == stopped < LONG
    slider = page.get_by_role("slider", name="Turn")
    for number in (LONG // 3, LONG, LONG // 2, 0):
        slider.fill(str(number))
        page.locator(f".picture svg[aria-label^='Flag War: r{number} ']").wait_for()
    boards = page.evaluate(
        """async () => {
            const slider = document.querySelector('[type=range]'), labels = [];
            for (let turn = 0; turn <= slider.max; turn += 1) {
                slider.value = turn;
                slider.dispatchEvent(new Event('input', {bubbles: true}));
                await new Promise((later) => setTimeout(later));
                labels.push(document.querySelector('.picture svg').getAttribute('aria-label'));
            }
            return labels;
        }"""
    )
    assert [label.split()[2] for label in boards] == [f"r{number}" for number in range(LONG + 1)]
    slider.fill(str(LONG - 2))
    page.get_by_label("Turns a second").select_option("25")
    page.get_by_role("button", name="Run").click()
    at_turn(page, LONG)


def test_the_graph_tells_a_proven_end(page: Page) -> None:
    set_analyst(page, "battlesnake", "alphabeta:voronoi,depth=2")
    start, moves = "t9 A97:b7,a7,a6,a5 B97:c6,c5,c4,d4 food:e7,e2", [{"0": "right", "1": "up"}]
    page.goto(replay_link("battlesnake", moves, start=start, options={"board": "7x7"}))
    at_turn(page, 0)
    expect(page.locator(".evaluation")).to_contain_text(re.compile(r"Here A \w+ in 2"))


# Files and links


def open_file(page: Page, file: Path) -> None:
    page.goto("/#/replay")
    page.locator("input[type=file]").set_input_files(file)


def test_a_file_of_games_is_opened(page: Page, tmp_path: Path) -> None:
    did("match", "isolation", "greedy", "random", "--games", 2, "--save", tmp_path / "games.txt")
    open_file(page, tmp_path / "games.txt")
    page.locator("ul.logged a").nth(1).click()
    at_turn(page, 0)
    page.keyboard.press("End")
    at_turn(page, move_count(page))
    shown(page, "no moves left")


def test_a_log_of_another_program_is_opened(page: Page, tmp_path: Path) -> None:
    game = Battlesnake()
    positions = [game.start(1)]
    for _ in range(3):
        positions.append(positions[-1].after(dict.fromkeys(positions[-1].actors, "up")))
    write_log(tmp_path / "game.jsonl", game, [position.state for position in positions], ["ann", "bob"])
    open_file(page, tmp_path / "game.jsonl")
    at_turn(page, 0)
    page.get_by_text("ann", exact=True).wait_for()
    page.keyboard.press("End")
    page.locator(".turn").filter(has_text="3 / 3").wait_for()
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", f"Battlesnake: {positions[-1].text}")


def test_names_are_shown_as_text(page: Page) -> None:
    evil = "<img src=x onerror=alert(1)><b>bob</b>"
    page.goto(replay_link("isolation", [], agents=[evil, "b"], scores=[1, 0], reason=evil))
    assert page.locator(".agent").first.text_content() == evil
    assert page.locator("main img, main b > b").count() == 0


# Decisions


def test_stored_decisions_are_shown_turn_by_turn(replay: Page) -> None:
    for number in range(2):
        at_turn(replay, number)
        move = (replay.locator(f"#move-{number + 1}").text_content() or "").split()[-1]
        replay.locator(".candidates .best button").filter(has_text=move).wait_for()
        expect(replay.locator(".marks circle")).to_have_count(replay.locator(".candidates tbody tr").count())
        replay.keyboard.press("ArrowRight")


def test_a_hint_has_candidates_marks_a_line_and_why_not(page: Page) -> None:
    play(page, "isolation", ["person", "greedy"])
    before, places = board(page), page.locator(".target").count()
    hint(page)
    heads = page.locator(".candidates thead th").all_text_contents()
    assert heads[:2] == ["move", "score"]
    assert "next moves" in heads
    rows = page.locator(".candidates tbody tr")
    assert rows.count() == page.locator(".picture circle").count() == places
    page.locator(".chip").nth(1).click()
    shown(page, "^After ")
    page.keyboard.press("ArrowRight")
    page.locator(".chip").nth(2).and_(page.locator("[aria-pressed=true]")).wait_for()
    position = sparring.game("isolation").start(7)
    for move in page.locator(".chip").all_text_contents()[:3]:
        position = position.after(move)
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", f"Isolation: {position.text}")
    page.keyboard.press("Escape")
    shown(page, "A to move")
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", before)
    worst = (rows.locator("button").last.text_content() or "").strip()
    page.keyboard.press("w")
    page.locator(f".target[data-move={worst}]").click()
    reason = page.locator(".decision .why")
    reason.wait_for()
    assert (reason.text_content() or "").startswith(worst)
    assert move_count(page) == 0


def test_luck_is_shown_apart_from_skill(page: Page) -> None:
    position, moves = sparring.game("ludo", players=2, tokens=1).start(7), []
    for _ in range(8):
        moves.append({f"{position.mover}": position.name(position.legal[0])})
        position = position.after(position.legal[0])
    page.goto(replay_link("ludo", moves, options={"players": "2", "tokens": "1"}, seed=7))
    page.locator(".luck").wait_for()
    assert page.locator(".luck thead th").all_text_contents() == ["player", "luck", "skill", "others"]
