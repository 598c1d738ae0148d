"""Experiments on the page: stored ones, ones that are being played, and matches that the page starts and stops."""

import json
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from commands import did, started
from web_pages import Web, page

pytestmark = pytest.mark.slow

LONG = {"game": "isolation", "agents": ["next_moves,nodes=3000", "voronoi,nodes=3000"], "games": 100_000, "seed": 5}


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    with page(tmp_path_factory.mktemp("compared"), "--store", "games.db") as served:
        yield served


def run(web: Web, *words: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play an experiment. Return the JSON of the command and the experiment on the page."""
    printed: dict[str, Any] = json.loads(did(*words, "--json", "--store", web.folder / "games.db"))
    return printed, web.get(f"/api/experiments/{printed['id']}")


def test_a_league_has_its_ranking_and_the_games_of_each_cell(web: Web) -> None:
    printed, league = run(web, "league", "isolation", "random", "greedy", "next_moves,depth=2", "--games", 20)
    names, path = [one["name"] for one in league["ranking"]], f"/api/experiments/{league['id']}/games"
    assert names == [one["name"] for one in printed["ratings"]]
    assert (league["done"], league["total"], league["running"]) == (60, 60, False)
    assert league["verdict"][0]
    assert league["command"] == printed["command"]
    assert league["endings"] == {"no moves left": 60}
    best, last = league["cross"][0][-1], league["cross"][-1][0]
    assert (best["games"], best["score"] + last["score"], league["cross"][0][0]) == (20, 1, None)
    listed = web.get(f"{path}?a={names[0]}&b={names[-1]}")
    assert (len(listed["games"]), listed["pages"]) == (20, 1)
    won = [one["scores"][one["agents"].index(names[0])] for one in listed["games"]]
    assert sum(won) / 20 == best["score"]
    entry = listed["games"][3]
    one = web.get(f"{path}/{entry['number']}")
    assert (one["agents"], one["scores"]) == (entry["agents"], entry["scores"])
    value = {name: one[name] for name in ("game", "options", "seed", "moves")}
    assert web.last(value)["frames"][0]["outcome"] == one["scores"]
    blunders = [one for number in range(1, 7) for one in web.get(f"{path}/{number}/blunders")]
    assert blunders
    assert all(one["kind"] == "blunder" and "which loses" in one["text"] for one in blunders)
    assert web.ask(f"{path}/61").error.startswith("game 61 of")
    assert "'nobody' does not play" in web.ask(f"{path}?a=nobody").error
    assert web.ask("/api/experiments/0123456789").status == 404


def test_a_table_of_four_has_its_ranking(web: Web) -> None:
    four = ("--players", 4, "--tokens", 1, "--games", 4)
    printed, table = run(web, "match", "ludo", "random", "furthest", "rearmost", "semi_smart", *four)
    assert [one["name"] for one in table["ranking"]] == [one["name"] for one in printed["placings"]]
    assert [one["score"] for one in table["ranking"]] == [one["wins"] for one in printed["placings"]]
    assert all(table["cross"][row][column] for row in range(4) for column in range(4) if row != column)


def test_a_sequential_test_has_its_path(web: Web) -> None:
    printed, tested = run(web, "match", "isolation", "greedy", "random", "--games", 400, "--sprt", "0:10")
    test = tested["llr"]
    assert test["path"][-1] == [printed["games"], pytest.approx(printed["sprt"]["llr"])]
    assert test["lower"] < 0 < test["upper"] < test["path"][-1][1]
    assert test["verdict"] == printed["sprt"]["why"]
    assert test["hypotheses"] == ["0 normalised Elo", "+10 normalised Elo"]


def test_stored_decisions_and_overrides_have_their_step(web: Web) -> None:
    quick = ("--board", "7x7", "--games", 2, "--decisions")
    eager = "override:as_coded,evolutions=1,threshold=1e6"
    match, _ = run(web, "match", "battlesnake", eager, "random_safe", *quick)
    found = [web.get(f"/api/experiments/{match['id']}/games/{number}") for number in (1, 2)]
    for one in found:
        assert len(one["decisions"]) == sum(len(step) for step in one["moves"])
        for decision in one["decisions"]:
            assert one["moves"][decision["step"] - 1][str(decision["player"])] == decision["move"]
    events = [event for one in found for event in one["events"]]
    noted = [decision for one in found for decision in one["decisions"] if decision["notes"].get("override")]
    assert [event["step"] for event in events] == [decision["step"] for decision in noted] != []
    assert all(event["kind"] == "override" and " in place of " in event["text"] for event in events)


def test_a_failure_comes_with_the_last_output(web: Web) -> None:
    code = "from sparring import agent\n@agent('isolation')\ndef fails(view):\n    print('oh')\n    return view.nothing"
    (web.folder / "fails.py").write_text(code)
    _, match = run(web, "match", "isolation", web.folder / "fails.py", "random", "--games", 2)
    assert {one["agent"] for one in match["failures"]} == {match["ranking"][1]["name"]}
    assert [one["output"].splitlines()[0] for one in match["failures"]] == ["oh", "oh"]
    failed = web.get(f"/api/experiments/{match['id']}/games/1")["failed"]
    assert (failed["player"], failed["detail"].startswith("crash: AttributeError")) == (0, True)


# Live


def test_a_match_that_is_played_in_a_terminal_is_shown_live(web: Web) -> None:
    words = [*LONG["agents"], "--games", LONG["games"], "--seed", 77, "--store", "games.db"]
    before = {one["id"] for one in web.get("/api/experiments")}
    process = started(web.folder, "match", "isolation", *words)
    try:
        while not (new := [one["id"] for one in web.get("/api/experiments") if one["id"] not in before]):
            time.sleep(0.1)
        done = []
        for found in web.events(new[0]):
            done.append(found["done"])
            if len(set(done)) > 2 and found["running"]:
                break
        assert done == sorted(done)
        assert (found["ours"], found["total"]) == (False, LONG["games"])
        assert web.ask(f"/api/matches/{new[0]}/stop", {}).status == 404
        assert {one["id"]: one["running"] for one in web.get("/api/experiments")}[new[0]]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"agents": ["nobody", "random"]}, "unknown agent of isolation 'nobody'"),
        ({"games": 3}, "games come in pairs with the sides swapped: give an even number of games, not 3"),
        ({"agents": ["mine.py:idea", "random"]}, "mine.py is a file: name its folder when you start the page"),
        ({"agents": ["random"]}, "agents: List should have at least 2 items"),
        ({"agents": ["--save=x", "random"]}, "agents.0: String should match pattern"),
        ({"options": {"store": "elsewhere"}}, "unknown option of isolation 'store'"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(web: Web, more: Any, error: str) -> None:
    assert web.ask("/api/matches", LONG | more).error.startswith(error)


def test_matches_end_with_the_server_that_started_them(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    with page(tmp_path, "--store", store) as web:
        web.get("/api/matches", LONG)
        assert processes_with(store)
    assert not processes_with(store)


def processes_with(store: Path) -> list[Path]:
    """Return the running commands that use a store."""
    found = []
    for words in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # the process has ended
            found += [words] if f"--store={store}" in words.read_text().split("\0") else []
    return found
