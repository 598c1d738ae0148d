"""Leagues and matches on the page: what was kept, what is being played, and what is started and stopped there."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands import did, started
from sparring.arena.store import Store
from web_pages import Web, page

pytestmark = pytest.mark.slow

LONG = {"game": "isolation", "agents": ["next_moves,nodes=3000", "voronoi,nodes=3000"], "games": 100_000, "seed": 5}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compared")


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[Web]:
    with page(folder, "--store", "games.db") as served:
        yield served


def meet(folder: Path, *words: Any) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(did(*words, "--json", "--store", folder / "games.db"))
    return told


def test_a_league_is_told_with_its_ranking_and_the_games_behind_each_cell(web: Web, folder: Path) -> None:
    league = meet(folder, "league", "isolation", "random", "greedy", "next_moves,depth=2", "--games", 20)
    told = web.told(f"/api/experiments/{league['id']}")
    names = [one["name"] for one in told["ranking"]]
    assert names == [one["name"] for one in league["ratings"]]
    assert (told["done"], told["total"], told["running"]) == (60, 60, False)
    assert told["verdict"][0]
    assert told["command"] == league["command"]
    assert told["endings"] == [{"reason": "no moves left", "count": 60}]
    best, last = told["cross"][0][-1], told["cross"][-1][0]
    assert (best["games"], best["score"] + last["score"]) == (20, 1)
    assert told["cross"][0][0] is None
    listed = web.told(f"/api/experiments/{league['id']}/games?a={names[0]}&b={names[-1]}")
    assert (len(listed["games"]), listed["pages"]) == (20, 1)
    won = [one["scores"][one["agents"].index(names[0])] for one in listed["games"]]
    assert sum(won) / 20 == best["score"]
    number = listed["games"][3]["number"]
    one = web.told(f"/api/experiments/{league['id']}/games/{number}")
    assert (one["agents"], one["scores"]) == (listed["games"][3]["agents"], listed["games"][3]["scores"])
    value = {name: one[name] for name in ("game", "options", "seed", "moves")}
    assert web.last(value)["frames"][0]["outcome"] == one["scores"]
    where = [web.told(f"/api/experiments/{league['id']}/games/{played}/blunders") for played in range(1, 7)]
    assert any(where)
    assert all(told["kind"] == "blunder" and "which loses" in told["text"] for found in where for told in found)
    assert web.ask(f"/api/experiments/{league['id']}/games/61").error.startswith("game 61 of")
    assert "'nobody' does not take part" in web.ask(f"/api/experiments/{league['id']}/games?a=nobody").error
    assert web.ask("/api/experiments/0123456789").status == 404


def test_tables_of_four_and_sequential_tests_are_told_too(web: Web, folder: Path) -> None:
    four = ("--players", 4, "--tokens", 1, "--games", 4)
    table = meet(folder, "match", "ludo", "random", "furthest", "rearmost", "semi_smart", *four)
    told = web.told(f"/api/experiments/{table['id']}")
    assert [one["name"] for one in told["ranking"]] == [one["name"] for one in table["placings"]]
    assert all(told["cross"][row][column] for row in range(4) for column in range(4) if row != column)
    tested = meet(folder, "match", "isolation", "greedy", "random", "--games", 400, "--sprt", "0:10")
    test = web.told(f"/api/experiments/{tested['id']}")["llr"]
    assert test["path"][-1] == [tested["games"], pytest.approx(tested["sprt"]["llr"])]
    assert test["lower"] < 0 < test["upper"] < test["path"][-1][1]
    assert test["verdict"] == tested["sprt"]["why"]
    assert test["verdict"].startswith("test of greedy against random: LLR ")
    assert test["hypotheses"] == ["0 normalised Elo", "+10 normalised Elo"]


def test_all_lines_of_a_verdict_speak_of_the_better_agent(web: Web, folder: Path) -> None:
    lost = meet(folder, "match", "isolation", "random", "greedy", "--games", 20)
    verdict, counts, *_ = web.told(f"/api/experiments/{lost['id']}")["verdict"]
    assert verdict.startswith("greedy beats random: +")
    assert counts.startswith(f"greedy won {lost['pairings'][0]['lost']} · drawn 0 · lost {lost['pairings'][0]['won']} ")


def test_kept_decisions_and_overrides_come_with_their_step(web: Web, folder: Path) -> None:
    quick = ("--board", "7x7", "--games", 2, "--decisions")
    eager = "override:as_coded,evolutions=1,threshold=1e6"
    match = meet(folder, "match", "battlesnake", eager, "random_safe", *quick)
    found = [web.told(f"/api/experiments/{match['id']}/games/{number}") for number in (1, 2)]
    for one in found:
        assert len(one["decisions"]) == sum(len(step) for step in one["moves"])
        for decision in one["decisions"]:
            assert one["moves"][decision["step"] - 1][str(decision["player"])] == decision["move"]
    overrides = [event for one in found for event in one["events"]]
    noted = [decision for one in found for decision in one["decisions"] if decision["notes"].get("override")]
    assert [event["step"] for event in overrides] == [decision["step"] for decision in noted]
    assert overrides
    assert all(event["kind"] == "override" and " in place of " in event["text"] for event in overrides)


def test_kept_points_of_rules_are_no_proof_either(web: Web, folder: Path) -> None:
    played = meet(
        folder, "match", "ludo", "rulebased:as_written", "random", "--players", 2, "--games", 2, "--decisions"
    )
    told = web.told(f"/api/experiments/{played['id']}/games/1")
    tried = [one for decision in told["decisions"] for one in decision["candidates"] if one["score"] == 1_000_000]
    assert tried
    assert {(one["verdict"], one["proven"]) for one in tried} == {("+1,000,000", None)}


def test_a_failure_is_told_with_what_was_printed(web: Web, folder: Path) -> None:
    code = "from sparring import agent\n@agent('isolation')\ndef fails(view):\n    print('oh')\n    return view.nothing"
    (folder / "fails.py").write_text(code)
    match = meet(folder, "match", "isolation", folder / "fails.py", "random", "--games", 2)
    told = web.told(f"/api/experiments/{match['id']}")
    assert {one["agent"] for one in told["failures"]} == {told["ranking"][1]["name"]}
    assert [one["output"].splitlines()[0] for one in told["failures"]] == ["oh", "oh"]
    one = web.told(f"/api/experiments/{match['id']}/games/1")
    assert one["failed"]["player"] == 0
    assert one["failed"]["detail"].startswith("crash: AttributeError")


# Live


def test_a_match_played_in_a_terminal_is_seen_while_it_is_played(web: Web, folder: Path) -> None:
    words = ["match", *LONG["agents"], "--games", LONG["games"], "--seed", 77, "--store", "games.db"]
    before = {one["id"] for one in web.told("/api/experiments")}
    process = started(folder, words[0], "isolation", *words[1:])
    try:
        while not (new := [one for one in web.told("/api/experiments") if one["id"] not in before]):
            time.sleep(0.1)
        seen = []
        for told in web.events(new[0]["id"]):
            seen.append(told["done"])
            if len(set(seen)) > 3 and told["running"]:
                break
        assert seen == sorted(seen)
        assert (told["ours"], told["total"]) == (False, LONG["games"])
        assert web.ask(f"/api/matches/{new[0]['id']}/stop", {}).status == 404
        assert {one["id"]: one["running"] for one in web.told("/api/experiments")}[new[0]["id"]]
    finally:
        process.kill()
        process.communicate()


def test_a_match_started_on_the_page_is_stopped_there_and_what_was_finished_is_kept(web: Web, folder: Path) -> None:
    id = web.told("/api/matches", LONG)["id"]
    for told in web.events(id):
        assert (told["running"], told["ours"], told["total"]) == (True, True, LONG["games"])
        if told["done"]:
            break
    assert web.told(f"/api/matches/{id}/stop", {}) == {}
    for told in web.events(id):
        if not told["running"]:
            break
    assert 0 < told["done"] < LONG["games"]
    with Store(folder / "games.db") as kept:
        sheets = kept.sheets(id)
    assert sum(sheet.results.size for sheet in sheets) == told["done"]
    first = 2 * sheets[0].block + 1  # who played the first of all may have been stopped in its midst
    assert web.told(f"/api/experiments/{id}/games/{first}")["moves"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"agents": ["nobody", "random"]}, "unknown agent of isolation 'nobody'"),
        ({"games": 3}, "games come in pairs with the sides swapped: give an even number of games, not 3"),
        ({"agents": ["mine.py:idea", "random"]}, "mine.py is a file: name its folder when you start the page"),
        ({"agents": ["random"]}, "agents: List should have at least 2 items"),
        ({"agents": ["--save=x", "random"]}, "agents.0: String should match pattern"),
        ({"options": {"store": "elsewhere"}}, "unknown option of isolation 'store'"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused_in_a_line(web: Web, more: Any, told: str) -> None:
    assert web.ask("/api/matches", LONG | more).error.startswith(told)


def test_matches_end_with_the_server_that_started_them(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    with page(tmp_path, "--store", store) as web:
        web.told("/api/matches", LONG)
        assert playing(store)
    assert not playing(store)


def playing(store: Path) -> list[str]:
    """The processes that were started with a store."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_text().split("\0")
        except OSError:
            continue
        found += [process.name] if f"--store={store}" in words else []
    return found
