"""Replays on the page, and what it tells about decisions."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import sparring
from browser import Web, ask, at_turn, packed, play_link, shown, status, turn
from commands import did
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.battlesnake.logs import write_log

pytestmark = pytest.mark.slow

LONG = 500


@pytest.fixture
def replay(page: Page, web: Web) -> Page:
    """A game of which every decision was kept, at its beginning."""
    page.goto(f"/#/replay/{web.thoughtful}/1@0")
    at_turn(page, 0)
    return page


def last(page: Page) -> int:
    return page.locator(".moves li").count()


# Going through a game


def test_keys_go_through_a_replay(replay: Page) -> None:
    end = last(replay)
    single = [("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), (".", 2), (",", 1)]
    for key, number in [*single, ("End", end), ("Home", 0), ("n", end), ("Shift+N", 0)]:
        replay.keyboard.press(key)
        at_turn(replay, number)


def test_space_pauses_and_runs_on(replay: Page) -> None:
    replay.keyboard.press("Space")
    replay.get_by_role("button", name="Pause").wait_for()
    replay.locator(".moves [aria-selected=true]").wait_for()
    replay.keyboard.press("Space")
    replay.get_by_role("button", name="Run").wait_for()
    stopped = turn(replay)
    replay.wait_for_timeout(500)
    assert turn(replay) == stopped < last(replay)
    replay.get_by_label("Turns a second").select_option("25")
    replay.keyboard.press("Space")
    at_turn(replay, last(replay))
    assert "has won: no moves left" in status(replay)


def test_the_slider_and_the_list_of_moves_lead_to_turns(replay: Page) -> None:
    replay.get_by_role("slider", name="Turn").fill("5")
    at_turn(replay, 5)
    replay.locator("#move-9").click()
    at_turn(replay, 9)
    replay.get_by_role("listbox", name="Moves").focus()
    replay.keyboard.press("ArrowDown")
    at_turn(replay, 10)


def test_the_address_names_the_turn_and_the_seed_is_copied(replay: Page, web: Web) -> None:
    replay.keyboard.press("ArrowRight")
    replay.wait_for_url(f"{web.url}/#/replay/{web.thoughtful}/1@1")
    replay.get_by_role("button", name="Copy the seed").click()
    replay.get_by_role("button", name="copied").wait_for()
    assert replay.evaluate("navigator.clipboard.readText()").isdecimal()


def test_the_decision_that_lost_a_game_is_found_and_opened(page: Page, web: Web) -> None:
    small = ("match", "isolation", "greedy", "improved,nodes=200", "--board", "5x5", "--games", 4)
    id = re.findall(r"spar report (\w+)", did(*small, "--store", web.folder.parent / "games.db"))[0]
    known = {
        number: page.request.get(f"/api/experiments/{id}/games/{number}/blunders").json() for number in range(1, 5)
    }
    number, (found, *_) = next((number, found) for number, found in known.items() if found)
    page.goto(f"/#/replay/{id}/{number}@0")
    panel = page.get_by_role("region", name="Where was it lost?")
    panel.get_by_role("button", name="Ask who knows most").click()
    panel.get_by_role("button", name=found["text"]).click()
    at_turn(page, found["step"] - 1)
    shown(page, re.escape(found["text"]))


def test_a_game_is_played_on_from_where_it_stands(replay: Page) -> None:
    replay.keyboard.press("End")
    replay.keyboard.press("ArrowLeft")
    before = last(replay)
    replay.get_by_role("button", name="Play on from here").click()
    replay.wait_for_url(re.compile("#/play/isolation"))
    at_turn(replay, before - 1)


def test_a_replay_of_500_turns_is_scrubbed_without_falling_behind(page: Page) -> None:
    there, back = {"0": "1d1", "1": "stay"}, {"0": "1u1", "1": "stay"}
    options = {"turn_limit": str(LONG), "stall_limit": "1000"}
    game = {"game": "flagwar", "options": options, "seed": 1, "moves": [there, back] * (LONG // 2)}
    ask(page, "flagwar", "random")
    page.goto(f"/#/replay?g={packed(game)}")
    at_turn(page, 0)
    slider = page.get_by_role("slider", name="Turn")
    for number in [*range(0, LONG, 25), LONG, LONG // 2, 0]:
        slider.fill(str(number))
        page.locator(f".picture svg[aria-label^='Flag War: r{number} ']").wait_for()
    boards = page.evaluate(
        """async () => {
            const slider = document.querySelector('[type=range]'), seen = [];
            for (let turn = 0; turn <= slider.max; turn += 1) {
                slider.value = turn;
                slider.dispatchEvent(new Event('input', {bubbles: true}));
                await new Promise((later) => setTimeout(later));
                seen.push(document.querySelector('.picture svg').getAttribute('aria-label'));
            }
            return seen;
        }"""
    )
    assert [board.split()[2] for board in boards] == [f"r{number}" for number in range(LONG + 1)]


@pytest.mark.parametrize(
    ("game", "analyst", "start", "move", "told"),
    [
        ("ludo", "rulebased:as_written", "0,45,0,0/35,35,44,29 A6", {"0": "t2_45to57"}, "A +1,000,000"),
        (
            "battlesnake",
            "alphabeta:voronoi,depth=2",
            "t9 A97:b7,a7,a6,a5 B97:c6,c5,c4,d4 food:e7,e2",
            {"0": "right", "1": "up"},
            "A draws in 2",
        ),
    ],
)
def test_the_graph_says_won_drawn_or_lost_only_of_what_is_proven(
    page: Page, game: str, analyst: str, start: str, move: dict[str, str], told: str
) -> None:
    options = {"ludo": {"players": "2"}, "battlesnake": {"board": "7x7"}}[game]
    ask(page, game, analyst)
    page.goto(f"/#/replay?g={packed({'game': game, 'options': options, 'seed': 1, 'start': start, 'moves': [move]})}")
    at_turn(page, 0)
    expect(page.locator(".evaluation")).to_contain_text(f"Here {told}")


# Where games come from


def test_a_log_of_games_is_opened(page: Page, tmp_path: Path) -> None:
    did("match", "isolation", "greedy", "random", "--games", 2, "--save", tmp_path / "games.txt")
    page.goto("/#/replay")
    page.locator("input[type=file]").set_input_files(tmp_path / "games.txt")
    page.locator("ul.logged a").nth(1).click()
    at_turn(page, 0)
    page.keyboard.press("End")
    at_turn(page, last(page))
    shown(page, "no moves left")


def test_a_log_of_the_official_command_line_is_opened(page: Page, tmp_path: Path) -> None:
    game = Battlesnake()
    position = game.start(1)
    states = [position.state]
    for _ in range(3):
        position = position.after(dict.fromkeys(position.actors, "up"))
        states.append(position.state)
    write_log(tmp_path / "game.jsonl", game, states, ["ann", "bob"])
    page.goto("/#/replay")
    page.locator("input[type=file]").set_input_files(tmp_path / "game.jsonl")
    at_turn(page, 0)
    page.get_by_text("ann", exact=True).wait_for()
    page.keyboard.press("End")
    page.locator(".turn").filter(has_text="3 / 3").wait_for()
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", f"Battlesnake: {position.text}")


def test_a_file_that_is_no_log_is_told_in_a_line(page: Page, tmp_path: Path) -> None:
    (tmp_path / "shopping.txt").write_text("milk\n<b>eggs</b>\n")
    page.goto("/#/replay")
    page.locator("input[type=file]").set_input_files(tmp_path / "shopping.txt")
    assert "no log" in (page.locator(".trouble").text_content() or "")


def test_names_are_text_whatever_they_hold(page: Page) -> None:
    evil = "<img src=x onerror=alert(1)><b>bob</b>"
    game = {"game": "isolation", "options": {}, "seed": 1, "moves": []}
    page.goto(f"/#/replay?g={packed({**game, 'agents': [evil, 'b'], 'scores': [1, 0], 'reason': evil})}")
    assert page.locator(".agent").first.text_content() == evil
    assert page.locator("main img, main b > b").count() == 0


# Decisions


def test_kept_decisions_are_shown_turn_by_turn(replay: Page) -> None:
    for number in range(2):
        at_turn(replay, number)
        move = (replay.locator(f"#move-{number + 1}").text_content() or "").split()[-1]
        replay.locator(".candidates .best button").filter(has_text=move).wait_for()
        expect(replay.locator(".marks circle")).to_have_count(replay.locator(".candidates tbody tr").count())
        replay.keyboard.press("ArrowRight")


def test_a_hint_shows_candidates_with_their_terms_and_marks(page: Page) -> None:
    page.goto(play_link("isolation", ["person", "greedy"]))
    places = page.locator(".target").count
    page.locator(".target").first.wait_for()
    page.keyboard.press("h")
    page.locator(".candidates").wait_for()
    assert page.locator(".candidates tbody tr").count() == places()
    assert page.locator(".candidates thead th").all_text_contents()[:2] == ["move", "score"]
    assert "next moves" in page.locator(".candidates thead th").all_text_contents()
    assert page.locator(".picture circle").count() == places()


def test_a_line_is_stepped_into_and_left_by_escape(page: Page) -> None:
    page.goto(play_link("isolation", ["person", "greedy"]))
    page.locator(".target").first.wait_for()
    board = page.locator(".picture svg").get_attribute("aria-label")
    page.keyboard.press("h")
    page.locator(".chip").nth(1).click()
    shown(page, "^After ")
    page.keyboard.press("ArrowRight")
    page.locator(".chip").nth(2).and_(page.locator("[aria-pressed=true]")).wait_for()
    line = page.locator(".chip").all_text_contents()
    position = sparring.game("isolation").start(7)
    for move in line[:3]:
        position = position.after(move)
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", f"Isolation: {position.text}")
    page.keyboard.press("Escape")
    shown(page, "A to move")
    expect(page.locator(".picture svg")).to_have_attribute("aria-label", board or "")


def test_why_not_this_move(page: Page) -> None:
    page.goto(play_link("isolation", ["person", "greedy"]))
    page.locator(".target").first.wait_for()
    page.keyboard.press("h")
    page.locator(".candidates").wait_for()
    worst = (page.locator(".candidates tbody tr button").last.text_content() or "").strip()
    page.keyboard.press("w")
    page.locator(f".target[data-move={worst}]").click()
    told = page.locator(".decision .why")
    told.wait_for()
    assert (told.text_content() or "").startswith(worst)
    assert page.locator(".moves li").count() == 0


def test_the_graph_of_a_game_leads_to_its_turns(replay: Page) -> None:
    graph = replay.locator(".graph canvas")
    graph.scroll_into_view_if_needed()
    box = graph.bounding_box()
    assert box
    replay.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    replay.wait_for_function("() => Number.parseInt(document.querySelector('.turn').textContent) > 1")
    assert turn(replay) < last(replay)


def test_who_mixes_shows_its_matrix_and_chances(page: Page) -> None:
    page.goto(play_link("flagwar", ["person", "random"]))
    page.locator(".target").first.wait_for()
    page.keyboard.press("h")
    page.locator(".matrix").wait_for()
    assert page.locator(".candidates thead th").all_text_contents()[2] == "chance"


def test_luck_is_told_apart_from_skill_in_ludo(page: Page) -> None:
    moves = [{str(player): move} for player, move in ludo(8)]
    game = {"game": "ludo", "options": {"players": "2", "tokens": "1"}, "seed": 7, "moves": moves, "agents": ["a", "b"]}
    page.goto(f"/#/replay?g={packed({**game, 'scores': [0, 0], 'reason': 'stopped'})}")
    page.locator(".luck").wait_for()
    assert page.locator(".luck thead th").all_text_contents() == ["player", "luck", "skill", "others"]


def ludo(turns: int) -> list[tuple[int, str]]:
    """The first moves of a small game, always the first legal one."""
    position, played = sparring.game("ludo", players=2, tokens=1).start(7), []
    for _ in range(turns):
        played.append((position.mover, position.name(position.legal[0])))
        position = position.after(position.legal[0])
    return json.loads(json.dumps(played))
