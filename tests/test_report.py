"""Reports in the terminal, as JSON and as a page: what an experiment proved, and which games to look at."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import at_home, did, spar
from pages import Page
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.analysis.decisions import decision_stats
from sparring.analysis.report import Report, lasting
from sparring.arena.lengths import GameLengths
from sparring.arena.store import Store
from sparring.core.dice import throw
from sparring.core.table import plain
from sparring.reports.html import downsampled, page
from toy_games import Race

pytestmark = pytest.mark.slow

BOARD = ("--board", "4x5")
MATCH = ("match", "isolation", "random", "greedy", *BOARD)
TEST = ("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, *BOARD)
LEAGUE = ("league", "isolation", "random", "greedy", "open,depth=1", "--games", 40, *BOARD)
EVIL, EVIL_TITLE = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)> & co.'
TITLE = json.dumps(f"\x1b[2J{EVIL_TITLE}")
USERS_FILE = """
from sparring import agent


@agent("isolation")
def falls(view):
    if view.legal[0] > 4:
        print("<script>alert(3)</script> \\x1b[31mred\\x1b[0m")
        raise RuntimeError("<b>fell</b>\\x1b[2J\\nagain: rm -r ~")
    return view.legal[0]
"""
SMALL = 'game = "isolation"\noptions = { board = "4x5" }\n'
HOSTILE = f"""title = {TITLE}
{SMALL}games = 24
[agents]
"{EVIL}" = "mine.py:falls"
"\\u001b[2Jhonest\\u0007" = "random"
greedy = "greedy"
"""
GAUNTLET = f"""title = "who keeps the word"
{SMALL}games = 60
[contestants]
modest = {{ spec = "improved,depth=1", claim = 1.0 }}
silent = {{ spec = "open,depth=1" }}
[opponents]
Random = "random"
Greedy = "greedy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(tmp_path, monkeypatch, USERS_FILE)


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The ids of a match, a sequential test, a league, and an experiment whose names mean harm, in one store, and what
    was printed when they were played."""
    folder, found = tmp_path_factory.mktemp("reports"), {}
    with pytest.MonkeyPatch.context() as patch:
        at_home(folder, patch, USERS_FILE)
        (folder / "hostile.toml").write_text(HOSTILE)
        words = {"match": MATCH, "test": TEST, "league": LEAGUE, "hostile": ("run", "hostile.toml")}
        for name, one in words.items():
            found[f"{name} printed"] = did(*one)
            found[name] = json.loads(did("experiments", "--json"))[-1]["id"]
        yield found


def page_of(id: str = "last") -> Page:
    assert did("report", id, "--html", "report.html") == ""
    return Page(Path("report.html").read_text())


def json_of(id: str = "last") -> Any:
    return json.loads(did("report", id, "--json"))


# In the terminal


def test_a_report_begins_with_the_verdict_and_ends_with_commands(
    ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.delattr(Store, "listed")  # the games of all experiments need not be counted
        lines = did("report", ids["match"]).splitlines()
    assert " · begun 20" in lines[1]
    assert lines[0] == "isolation: random v greedy"
    assert "board 4x5" in lines[1]
    assert lines[2] == "complete: all 200 games are played"
    assert lines[4].startswith("greedy beats random: +")
    assert lines[5].startswith("greedy won ")
    assert lines[-1].startswith("as a page with charts: spar report ")
    for heading in ("endings", "moves of a game: fewest ", "  agent ", "games to look at"):
        assert any(line.startswith(heading) for line in lines)
    assert did("report", ids["match"][:6]) == did("report", ids["match"])
    assert "`spar experiments` lists them" in spar("report", "zzz").err


def test_the_games_to_look_at_can_be_replayed_and_are_what_they_are_said_to_be(ids: dict[str, str]) -> None:
    games = json_of(ids["match"])["highlights"]
    whys = [game["why"] for game in games]
    assert whys[:2] == ["typical win of random", "typical win of greedy"]
    assert sorted(whys)[:2] == ["longest win of greedy", "longest win of random"]
    for game in games:
        first = did(*game["command"].split()[1:]).splitlines()[0]
        assert first.endswith(f", {game['length']} moves")
        assert game["why"].endswith(f"win of {game['agents'][game['scores'].index(1.0)]}")


def test_json_has_lengths_effort_and_times_beside_the_result(ids: dict[str, str]) -> None:
    found = json_of(ids["league"])
    assert (found["complete"], found["due"], found["planned"], found["games"]) == (True, 120, 120, 120)
    assert sum(found["lengths"]["games"].values()) == 120
    assert [one["agent"] for one in found["spent"]] == ["random", "greedy", "open,depth=1"]
    assert found["spent"][2]["depth"] == 1
    assert found["seconds_of_play"] > 0
    assert "seconds" not in found
    assert re.search(r"swapped, \d+\.\d s of play, summed over workers; a cell", did("report", ids["league"]))


def test_a_match_that_is_not_finished_says_so_and_how_to_go_on(folder: Path) -> None:
    def interrupt(done: int, total: int, known: str = "") -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with Store() as store:
        store.begin(sparring.match("isolation", "random", "greedy", games=2).contest)
        for text in (did("report", "last"), page_of().text):
            assert "no pair of games was finished" in text
        assert json_of()["complete"] is False
        sparring.match("isolation", "random", "greedy", games=200_000, store=store, progress=interrupt)
    text = did("report", "last")
    assert re.search(r"(?m)^unfinished: [\d,]+ of 200,000 games are played$", text)
    assert "\ncontinue: spar match isolation random greedy --games 200000" in text
    assert "unfinished: " in page_of().text


def test_the_endings_of_lost_games_are_shown_if_there_are_several(ids: dict[str, str]) -> None:
    assert "how games were lost" not in did("report", ids["match"])
    did("match", "battlesnake", "random_safe", "random", "--games", 20, "--board", "7x7")
    found = json_of()
    (pairing,) = found["pairings"]
    assert sum(found["lost"]["random"].values()) == pairing["won"] > 10
    assert found["lost"]["random"]["left the board"] > 0
    assert "left the board" not in found["lost"].get("random_safe", {})
    assert re.search(r"^how games were lost\n  random[a-z_]* +\d+  [a-z ]+ \d+", did("report", "last"), re.MULTILINE)
    assert "How games were lost" in page_of().texts("h2")


def test_times_of_single_moves_and_notes_are_shown_if_decisions_are_stored(folder: Path) -> None:
    words = ("match", "isolation", "perfect", "random", "--games", 4, *BOARD)
    did(*words)
    assert not {"p50", "why"} & set(did("report", "last").split())
    did(*words, "--decisions")
    text = did("report", "last")
    assert re.search(r"^  agent .* time a move +p50 +p95 +max$", text, re.MULTILINE)
    assert re.search(r"^  perfect +why +proven win \d+, other \d of \d+ moves$", text, re.MULTILINE)
    perfect, random = json_of()["thoughts"]
    assert (perfect["agent"], random["agent"], random["notes"]) == ("perfect", "random", {})
    assert sum(perfect["notes"]["why"]["counts"].values()) == perfect["notes"]["why"]["moves"] == perfect["moves"]
    for one in (perfect, random):
        assert 0 < one["seconds"]["p50"] <= one["seconds"]["p95"] <= one["seconds"]["max"]
    made = page_of()
    assert "Notes of the agents" in made.texts("h2")
    assert {"p50", "p95", "max"} <= set(made.texts("th"))


def test_the_list_has_titles_agents_and_stored_games_the_latest_last(folder: Path) -> None:
    assert did("experiments").startswith("no games are stored in ")
    assert json.loads(did("experiments", "--json")) == []
    did(*MATCH, "--games", 4)
    (folder / "gauntlet.toml").write_text(GAUNTLET)
    did("run", "gauntlet.toml", "--games", 2)
    head, first, second, closer = did("experiments").splitlines()
    assert head.split() == ["id", "begun", "(UTC)", "game", "agents", "kept"]
    assert re.fullmatch(r"[0-9a-f]+  \d{4}-\d\d-\d\d \d\d:\d\d  isolation +2 +4  random v greedy", first)
    assert second.endswith("  who keeps the word")
    assert closer == f"details: spar report {second.split()[0]}"


def test_every_printed_command_names_a_store_that_is_not_the_usual_one(folder: Path) -> None:
    elsewhere = ("--store", folder / "other games.db")
    text = did(*MATCH, "--games", 4, *elsewhere)
    text += did("report", "last", *elsewhere) + did("experiments", *elsewhere)
    did("report", "last", "--html", "report.html", *elsewhere)
    made = Page((folder / "report.html").read_text())
    commands = [*re.findall(r"spar (?:match|run|report|replay) .*?(?=, spar|$)", text, re.MULTILINE)]
    commands += [code for code in made.texts("code") if code.startswith("spar ")]
    assert {command.split()[1] for command in commands} == {"match", "run", "report", "replay"}
    for command in commands:
        words = shlex.split(command)
        assert words[words.index("--store") + 1] == str(folder / "other games.db"), command
    for command in {command for command in commands if command.split()[1] in ("report", "replay")}:
        did(*shlex.split(command)[1:])
    assert f"`spar experiments --store '{folder}/other games.db'` lists" in spar("report", "zz", *elsewhere).err
    assert did("experiments", "--store", folder / "new.db").endswith(f"AGENT AGENT --store {folder}/new.db\n")


def test_failures_are_shown_without_control_characters_by_every_command(ids: dict[str, str]) -> None:
    id = ids["hostile"]
    text = did("report", id)
    assert "but an agent was retired" in text
    assert re.search(rf"(?m)^  game \d+  {re.escape(EVIL)}  crash: RuntimeError: <b>fell</b>\?\[2J again: rm", text)
    assert re.search(r"(?m)^    \| RuntimeError: <b>fell</b>\?\[2J again: rm -r ~$", text)
    assert re.search(r"(?m)^  and \d+ more$", text)
    text += ids["hostile printed"]
    for words in (("experiments",), ("replay", id), ("replay", id, "--list")):
        text += did(*words)
    assert not re.search(r"[^\n -~\u00a0-\uffff]|\nagain: rm", text)
    assert plain("\x1b[2Jclean\x1b[0m\x07 \u202eevil\x00") == "clean\ufffd \ufffdevil\ufffd"


# The page


def test_a_page_is_accessible_loads_nothing_and_escapes_names_titles_and_output(ids: dict[str, str]) -> None:
    made = page_of(ids["hostile"])
    made.check_that_it_stands_alone()
    assert (made.texts("title")[0], made.texts("h1")) == (EVIL_TITLE, [EVIL_TITLE])
    assert EVIL in made.text
    assert "RuntimeError: <b>fell</b>" in made.text
    assert any("<script>alert(3)</script> ?[31mred?[0m" in text for text in made.texts("pre"))
    assert not made.all("b")
    assert len(made.all("table")) == len(made.all("caption")) == len(made.all("thead"))
    assert all("scope" in attributes or "bar" in attributes["class"] for attributes in made.all("th"))
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in made.all("svg"))
    assert any(attributes.get("name") == "viewport" for attributes in made.all("meta"))


def test_every_cell_of_a_league_links_to_games_with_commands_that_replay_them(ids: dict[str, str]) -> None:
    made = page_of(ids["league"])
    assert sorted(link["href"] for link in made.all("a")) == [f"#table-{n}" for n in (0, 0, 1, 1, 2, 2)]
    commands = [text for text in made.texts("code") if text.startswith("spar replay")]
    assert len(commands) == 3 * 6
    assert did(*commands[0].split()[1:])
    assert sorted(one["id"] for one in made.all("h3") if "id" in one) == ["table-0", "table-1", "table-2"]
    assert any("one block of eight is timed" in text for text in made.texts("caption"))


def test_a_gauntlet_shows_claims_beside_results(folder: Path) -> None:
    (folder / "gauntlet.toml").write_text(GAUNTLET)
    did("run", "gauntlet.toml")
    lines = did("report", "last").splitlines()
    assert lines[0] == "who keeps the word"
    assert "who keeps the word" not in lines[1:]
    assert any(line.split()[:3] == ["Match", "#", "Opponent"] for line in lines)
    assert any(line.startswith("Win Rate:") for line in lines)
    made = page_of()
    assert "Contestants" in made.texts("h2")
    assert "outside" in made.texts("td")
    assert len([one for one in made.all("line") if one["class"] == "claim"]) == 1


def test_a_sequential_test_is_drawn_between_its_bounds(ids: dict[str, str]) -> None:
    (listed,) = [one for one in json.loads(did("experiments", "--json")) if one["id"] == ids["test"]]
    assert listed["kept"] > json_of(ids["test"])["games"]  # not all that are kept count
    assert "games" not in listed
    text, made = did("report", ids["test"]), page_of(ids["test"])
    assert re.search(r"^complete: [\d,]+ games; 4,000 were planned, but the test was decided$", text, re.MULTILINE)
    assert re.search(r"^test of greedy against random: LLR [\d.]+ passed 2.94", text, re.MULTILINE)
    assert len([one for one in made.all("line") if one["class"] == "bound"]) == 2
    (path,) = made.all("polyline")
    assert 10 < len(path["points"].split()) <= 500
    heights = [float(point.split(",")[1]) for point in path["points"].split()]
    assert heights[-1] == min(heights)  # the test was passed at the upper bound
    assert any(line.startswith("test of greedy against random: log likelihood") for line in made.texts("p"))


def test_a_downsampled_path_keeps_its_extremes() -> None:
    path = np.cumsum(np.random.default_rng(1).normal(size=100_000))
    points = downsampled(path, 500)
    assert len(points) <= 500
    assert [place for place, _ in points] == sorted({place for place, _ in points})
    assert {0, len(path) - 1, path.argmin(), path.argmax()} <= {place for place, _ in points}
    assert all(path[place] == height for place, height in points)
    assert downsampled(path[:500], 500) == list(enumerate(path[:500].tolist()))


class Wavers(Agent):
    """Plays and notes one thing in a quarter of its moves, and another thing in the others."""

    spec = name = "wavers"
    draws = True

    def decide(self, view: View) -> Decision:
        first = throw(view.dice, 4) == 0
        notes = {"override": first, "plans": 1000 + 1000 * first, "mood": "brave" if first else "shy"}
        notes |= {"right": True} if first else {}
        notes |= {"where": view.position.text, "seen": [1, 2]}
        return Decision(self.spec, view.position, view.me, view.legal[0 if first else -1], notes=notes)


def test_notes_are_averaged_or_counted_over_moves() -> None:
    result = sparring.match(Race(players=2), Wavers(), "random", games=60, decisions=True)
    found = decision_stats(result, result.batches)
    assert list(found) == ["wavers", "random"]
    notes, moves = found["wavers"].to_json()["notes"], len(found["wavers"].seconds)
    assert set(notes) == {"override", "plans", "mood", "right"}  # "where" differs in every move
    share = notes["override"]["share"]
    assert 0.15 < share < 0.35
    assert notes["plans"] == {"mean": pytest.approx(1000 + 1000 * share), "moves": moves}
    assert notes["mood"]["counts"] == {"shy": moves - round(share * moves), "brave": round(share * moves)}
    assert notes["right"] == {"share": 1.0, "moves": round(share * moves)}
    report = Report(result, thoughts=found)
    assert re.search(rf"^  wavers  override  {100 * share:.1f} % of {moves:,} moves$", str(report), re.MULTILINE)
    assert f"{100 * share:.1f} % of {moves:,} moves" in Page(page(report)).texts("td")


def test_decisions_of_games_that_do_not_count_are_left_out() -> None:
    settings: dict[str, Any] = {"games": 4000, "sprt": "0:100", "decisions": True, "workers": 2}
    result = sparring.match("isolation", "greedy", "random", **settings)
    counted = {name: len(one.seconds) for name, one in decision_stats(result, result.batches).items()}
    assert {one.agent: one.moves for one in Report(result).spent} == counted


def test_a_table_of_three_has_places_wins_and_endings() -> None:
    game = Race(players=3)

    @sparring.agent(game)
    def runs(view: View) -> int:
        return view.legal[-1]

    @sparring.agent(game)
    def rests(view: View) -> int:
        return view.legal[-1 if view.state.roll > 3 else 0]

    race = Report(sparring.league(game, [runs, rests, "random"], games=60))
    assert race.ranked == ["runs", "rests", "random"]
    text = page(race)
    made = Page(text)
    assert {"place", "wins"} <= set(made.texts("th"))
    assert re.search(r"1\.\d\d \[1\.\d\d, \d\.\d\d\]", made.text)
    assert made.texts("p")[1].startswith("runs is ranked first: +")
    assert race.meetings["runs", "random"][1] + race.meetings["random", "runs"][1] == pytest.approx(1)
    assert race.meetings["runs", "random"][1] > 0.6
    assert len(made.all("a")) == 6
    assert "spar replay" not in str(race) + text  # nothing is stored
    games = {name: sum(endings.values()) for name, endings in race.lost.items()}
    assert race.losing == "how games ended that others won"
    assert sum(games.values()) == 2 * race.result.played  # one player alone is first
    assert games["random"] > games["runs"]


def test_the_share_of_games_ahead_is_the_score_in_a_game_of_two() -> None:
    result = sparring.league("isolation", ["random", "greedy", "open,depth=1"], games=20)
    for pair, (games, share) in Report(result).meetings.items():
        pairing = result.between(*pair)
        assert pairing is not None
        assert (games, share) == (20, pytest.approx(pairing.of_first("scores").mean()))


def test_a_page_of_many_agents_stays_small(folder: Path) -> None:
    did("league", "isolation", *(f"open(open={weight}),depth=1" for weight in range(1, 11)), "--games", 8, *BOARD)
    assert len(page_of().all("tr")) > 200
    assert (folder / "report.html").stat().st_size < 200_000


def test_a_page_that_cannot_be_written_leaves_the_old_one(
    ids: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(self: Path, *rest: object, **more: object) -> int:
        with self.open("w") as out:
            out.write("half of ")
        raise OSError(28, "No space left on device")

    file = tmp_path / "report.html"
    file.write_text("the old one")
    monkeypatch.setattr(Path, "write_text", torn)
    said = spar("report", ids["match"], "--html", file)
    assert (said.code, said.err) == (2, f"spar: cannot write {file}: No space left on device\n")
    assert [one.read_text() for one in tmp_path.iterdir()] == ["the old one"]


# Figures


def test_lengths_are_counted() -> None:
    lengths = GameLengths(np.bincount([4, 4, 6, 9, 9, 9]))
    assert (lengths.fewest, lengths.median, lengths.mean, lengths.most) == (4, 7.5, pytest.approx(41 / 6), 9)
    assert lengths.bars(3) == [(4, 5, 2), (6, 7, 1), (8, 9, 3)]
    assert lengths.bars(10) == [(4, 4, 2), (5, 5, 0), (6, 6, 1), (7, 7, 0), (8, 8, 0), (9, 9, 3)]
    assert GameLengths(np.bincount([0])).bars(10) == [(0, 0, 1)]


def test_times_have_their_unit() -> None:
    times = {0.0: "-", 3e-7: "300 ns", 2e-5: "20 µs", 0.0123: "12.3 ms", 61.0: "61 s"}
    assert {seconds: lasting(seconds) for seconds in times} == times
