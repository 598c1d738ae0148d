"""A report tells what an experiment proved and leads to its games, in the terminal and on a page without scripts."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import sparring
from commands import at_home, did, spar
from pages import Page
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.analysis.decisions import thoughts
from sparring.analysis.report import Report, lasting
from sparring.arena.lengths import Lengths
from sparring.arena.store import Store
from sparring.arena.telling import plain
from sparring.core.dice import throw
from sparring.reports.html import page, thinned
from toy_games import Race

pytestmark = pytest.mark.slow

BOARD = ("--board", "4x5")
EVIL, EVIL_TITLE = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)> & co.'
USERS_FILE = """
from sparring import agent


@agent("isolation")
def falls(view):
    if view.legal[0] > 4:
        print("<script>alert(3)</script> \\x1b[31mred\\x1b[0m")
        raise RuntimeError("<b>fell</b>")
    return view.legal[0]
"""
HOSTILE = f"""
title = '{EVIL_TITLE}'
game = "isolation"
options = {{ board = "4x5" }}
games = 40
[agents]
"{EVIL}" = "mine.py:falls"
honest = "random"
greedy = "greedy"
"""
GAUNTLET = """
title = "who keeps the word"
game = "isolation"
options = { board = "4x5" }
games = 60
[contestants]
modest = { spec = "improved,depth=1", claim = 1.0 }
silent = { spec = "open,depth=1" }
[opponents]
Random = "random"
Greedy = "greedy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(tmp_path, monkeypatch, USERS_FILE)


def page_of(folder: Path, id: str = "last") -> Page:
    assert did("report", id, "--html", folder / "report.html") == ""
    return Page((folder / "report.html").read_text())


@pytest.fixture(scope="module")
def fallen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a league of an agent that fails and of names that mean harm."""
    folder = tmp_path_factory.mktemp("fallen")
    (folder / "bad.toml").write_text(HOSTILE)
    with pytest.MonkeyPatch.context() as patch:
        at_home(folder, patch, USERS_FILE)
        did("run", "bad.toml")
    return folder


@pytest.fixture
def hostile(fallen: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(fallen, monkeypatch, USERS_FILE)


# In the terminal


def test_a_match_is_told_verdict_first_and_how_to_look_closer_last(folder: Path) -> None:
    match = did("match", "isolation", "random", "greedy", *BOARD).splitlines()
    told = did("report", "last").splitlines()
    assert told[0] == "isolation: random v greedy"
    assert "board 4x5" in told[1]
    assert "200 games" in told[1]
    assert told[2] == "complete: all 200 games are played"
    assert told[4:7] == match[:3]
    assert told[4].startswith("greedy beats random: +")
    assert told[5].startswith("greedy won ")
    assert told[-1].startswith("as a page with charts: spar report ")
    for heading in ("endings", "moves of a game: fewest ", "  agent ", "games to look at"):
        assert any(line.startswith(heading) for line in told)


def test_the_games_to_look_at_can_be_replayed_and_are_what_they_are_said_to_be(folder: Path) -> None:
    did("match", "isolation", "random", "greedy", *BOARD)
    told = json.loads(did("report", "last", "--json"))
    whys = [game["why"] for game in told["highlights"]]
    assert whys[:2] == ["typical win of random", "typical win of greedy"]
    assert sorted(whys)[:2] == ["longest win of greedy", "longest win of random"]
    for game in told["highlights"]:
        first = did(*game["command"].split()[1:]).splitlines()[0]
        assert first.endswith(f", {game['length']} moves")
        winner = game["agents"][game["scores"].index(1.0)]
        assert game["why"].endswith(f"win of {winner}")


def test_an_experiment_is_found_by_the_start_of_its_id(folder: Path) -> None:
    did("match", "isolation", "random", "greedy", "--games", 2, *BOARD)
    (listed,) = json.loads(did("experiments", "--json"))
    assert did("report", listed["id"][:3]) == did("report", listed["id"])
    assert "`spar experiments` lists them" in spar("report", "zzz").err


def test_json_tells_lengths_effort_and_completeness_beside_the_result(folder: Path) -> None:
    did("match", "isolation", "random", "open,depth=1", "--games", 20, *BOARD)
    told = json.loads(did("report", "last", "--json"))
    assert (told["complete"], told["due"], told["planned"], told["games"]) == (True, 20, 20, 20)
    assert sum(told["lengths"]["games"].values()) == 20
    assert [one["agent"] for one in told["spent"]] == ["random", "open,depth=1"]
    assert told["spent"][1]["depth"] == 1
    assert told["pairings"][0]["games"] == 20


def test_an_interrupted_match_says_so_and_how_to_go_on(folder: Path) -> None:
    def tire(done: int, total: int, known: str = "") -> None:
        if done >= 10:
            raise KeyboardInterrupt

    with Store() as store:
        sparring.match("isolation", "random", "greedy", games=200_000, store=store, progress=tire)
    told = did("report", "last")
    assert re.search(r"^unfinished: [\d,]+ of 200,000 games are played$", told, re.MULTILINE)
    assert "\ngo on: spar match isolation random greedy --games 200000" in told
    assert "unfinished: " in page_of(folder).text


def test_a_report_of_nothing_played_yet_says_so(folder: Path) -> None:
    contest = sparring.match("isolation", "random", "greedy", games=2).contest
    with Store() as store:
        store.begin(contest)
    assert "no pair of games was finished" in did("report", "last")
    assert "no pair of games was finished" in page_of(folder).text
    assert json.loads(did("report", "last", "--json"))["complete"] is False


def test_a_report_tells_of_each_agent_how_it_lost(folder: Path) -> None:
    did("match", "battlesnake", "random_safe", "random", "--games", 20, "--board", "7x7")
    told = json.loads(did("report", "last", "--json"))
    (pairing,) = told["pairings"]
    assert sum(told["lost"]["random"].values()) == pairing["won"] > 10
    assert told["lost"]["random"]["left the board"] > 0
    assert "left the board" not in told["lost"].get("random_safe", {})
    assert re.search(r"^how games were lost\n  random[a-z_]* +\d+  [a-z ]+ \d+", did("report", "last"), re.MULTILINE)
    assert "How games were lost" in page_of(folder).texts("h2")


def test_where_games_end_in_one_way_only_nobody_is_told_how_they_were_lost(folder: Path) -> None:
    did("match", "isolation", "random", "greedy", "--games", 4, *BOARD)
    assert "how games were lost" not in did("report", "last")
    assert "How games were lost" not in page_of(folder).texts("h2")


def test_times_of_single_moves_and_notes_are_told_where_decisions_are_kept(folder: Path) -> None:
    words = ("match", "isolation", "perfect", "random", "--games", 4, *BOARD)
    did(*words)
    assert not {"p50", "why"} & set(did("report", "last").split())
    did(*words, "--decisions")
    told = did("report", "last")
    assert re.search(r"^  agent .* time a move +p50 +p95 +max$", told, re.MULTILINE)
    assert re.search(
        r"^what agents noted of their moves\n  perfect +why +proven win \d+, other \d of \d+ moves$", told, re.MULTILINE
    )
    perfect, random = json.loads(did("report", "last", "--json"))["thoughts"]
    assert (perfect["agent"], random["agent"], random["notes"]) == ("perfect", "random", {})
    assert sum(perfect["notes"]["why"]["counts"].values()) == perfect["notes"]["why"]["moves"] == perfect["moves"]
    for one in (perfect, random):
        assert 0 < one["seconds"]["p50"] <= one["seconds"]["p95"] <= one["seconds"]["max"]
    made = page_of(folder)
    assert "What agents noted" in made.texts("h2")
    assert {"p50", "p95", "max"} <= set(made.texts("th"))


def test_a_decided_test_is_complete_though_fewer_games_were_played(folder: Path) -> None:
    did("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, *BOARD)
    told = did("report", "last")
    assert re.search(r"^complete: [\d,]+ games; 4,000 were planned, but the test was decided$", told, re.MULTILINE)
    assert re.search(r"^test of greedy against random: LLR [\d.]+ passed 2.94", told, re.MULTILINE)


def test_failures_are_told_with_their_games_and_the_last_that_was_printed(hostile: Path) -> None:
    told = did("report", "last")
    assert "but an agent was retired" in told
    assert re.search(rf"^  game \d+  {re.escape(EVIL)}  crash: RuntimeError: <b>fell</b>", told, re.MULTILINE)
    assert re.search(r"^    \| RuntimeError: <b>fell</b>$", told, re.MULTILINE)
    assert re.search(r"^  and \d+ more$", told, re.MULTILINE)
    assert "\x1b" not in told


def test_the_list_shows_titles_agents_and_games_the_latest_last(folder: Path) -> None:
    assert did("experiments").startswith("nothing is kept in ")
    assert json.loads(did("experiments", "--json")) == []
    did("match", "isolation", "random", "greedy", "--games", 4, *BOARD)
    (folder / "gauntlet.toml").write_text(GAUNTLET)
    did("run", "gauntlet.toml", "--games", 2)
    head, first, second, closer = did("experiments").splitlines()
    assert head.split() == ["id", "begun", "(UTC)", "game", "agents", "kept"]
    assert re.fullmatch(r"[0-9a-f]+  \d{4}-\d\d-\d\d \d\d:\d\d  isolation +2 +4  random v greedy", first)
    assert second.endswith("  who keeps the word")
    assert closer == f"closer: spar report {second.split()[0]}"


def test_the_list_says_how_many_games_are_kept_though_fewer_may_count(folder: Path) -> None:
    did("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, *BOARD)
    (listed,) = json.loads(did("experiments", "--json"))
    assert "games" not in listed
    assert listed["kept"] > json.loads(did("report", "last", "--json"))["games"]


def test_every_command_that_is_printed_names_the_store_where_it_is_not_the_usual_one(folder: Path) -> None:
    elsewhere = ("--store", folder / "other games.db")
    told = did("match", "isolation", "random", "greedy", "--games", 4, *BOARD, *elsewhere)
    told += did("report", "last", *elsewhere) + did("experiments", *elsewhere)
    did("report", "last", "--html", "report.html", *elsewhere)
    made = Page((folder / "report.html").read_text())
    commands = [*re.findall(r"spar (?:match|run|report|replay) .*?(?=, spar|$)", told, re.MULTILINE)]
    commands += [text for text in made.texts("code") if text.startswith("spar ")]
    assert {command.split()[1] for command in commands} == {"match", "run", "report", "replay"}
    for command in commands:
        words = shlex.split(command)
        assert words[words.index("--store") + 1] == str(folder / "other games.db"), command
    for command in {command for command in commands if command.split()[1] in ("report", "replay")}:
        did(*shlex.split(command)[1:])
    assert f"`spar experiments --store '{folder}/other games.db'` lists" in spar("report", "zz", *elsewhere).err
    assert did("experiments", "--store", folder / "new.db").endswith(f"AGENT AGENT --store {folder}/new.db\n")


def test_one_report_does_not_count_the_games_of_all_experiments(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    did("match", "isolation", "random", "greedy", "--games", 2, *BOARD)
    monkeypatch.delattr(Store, "listed")
    assert " · begun 20" in did("report", "last")


def test_a_report_tells_the_time_of_its_games_apart_from_that_of_a_run(folder: Path) -> None:
    words = ("league", "isolation", "random", "greedy", "open,depth=1", "--games", 40, *BOARD)
    assert re.search(r"swapped, \d+\.\d s; a cell", did(*words))
    assert re.search(r"swapped, \d+\.\d s of play, summed over workers; a cell", did("report", "last"))
    told = json.loads(did("report", "last", "--json"))
    assert told["seconds_of_play"] > 0
    assert "seconds" not in told


def test_a_title_may_say_what_the_verdict_says(folder: Path) -> None:
    file = 'title = "{}"\ngame = "isolation"\ngames = 4\noptions = {{ board = "4x5" }}\nagents = ["greedy", "random"]\n'
    (folder / "match.toml").write_text(file.format("first"))
    did("run", "match.toml")
    _, _, _, _, verdict, won, *_ = did("report", "last").splitlines()
    (folder / "match.toml").write_text(file.format(verdict))
    did("run", "match.toml")
    told = did("report", "last").splitlines()
    assert (told[0], told[4:6]) == (verdict, [verdict, won])


WIPING = """
title = "\\u001b[2Jtitle"
game = "isolation"
options = { board = "4x5" }
games = 4
[agents]
"\\u001b[2Jwiped\\u0007" = "wipes.py:wipes"
random = "random"
"""
WIPES = """
from sparring import agent


@agent("isolation")
def wipes(view):
    raise RuntimeError("\\x1b[2Jgone\\nagain: rm -r ~")
"""


def test_no_command_sends_what_agents_say_to_the_terminal_as_it_is(folder: Path) -> None:
    (folder / "wipes.py").write_text(WIPES)
    (folder / "bad.toml").write_text(WIPING)
    told = did("run", "bad.toml")
    assert "wiped\ufffd lost " in told
    assert "RuntimeError: gone again: rm -r ~" in told
    for words in (("report", "last"), ("experiments",), ("replay", "last"), ("replay", "last", "--list")):
        told += did(*words)
    told += did("match", "isolation", "wipes.py:wipes", "random", "--games", 2, *BOARD)
    assert not re.search(r"[^\n -~\u00a0-\uffff]", told)
    assert "\nagain: rm" not in told


# The page


def test_a_page_stands_alone(hostile: Path) -> None:
    page_of(hostile).check_that_it_stands_alone()


def test_names_titles_and_output_are_text_on_the_page_and_nothing_else(hostile: Path) -> None:
    made = page_of(hostile)
    assert made.texts("title")[0] == EVIL_TITLE
    assert made.texts("h1") == [EVIL_TITLE]
    assert EVIL in made.text
    assert "RuntimeError: <b>fell</b>" in made.text
    assert any("<script>alert(3)</script> red" in text for text in made.texts("pre"))
    assert not made.all("b")


def test_tables_have_captions_and_headers_and_pictures_have_words(hostile: Path) -> None:
    made = page_of(hostile)
    assert len(made.all("h1")) == 1
    assert len(made.all("table")) == len(made.all("caption")) == len(made.all("thead"))
    assert all("scope" in attributes or "bar" in attributes["class"] for attributes in made.all("th"))
    assert all(attributes["role"] == "img" and attributes["aria-label"] for attributes in made.all("svg"))
    assert any(attributes.get("name") == "viewport" for attributes in made.all("meta"))


def test_every_cell_of_a_league_leads_to_games_with_commands_that_replay_them(folder: Path) -> None:
    did("league", "isolation", "random", "greedy", "open,depth=1", "--games", 40, *BOARD)
    made = page_of(folder)
    assert sorted(link["href"] for link in made.all("a")) == [f"#table-{n}" for n in (0, 0, 1, 1, 2, 2)]
    commands = [text for text in made.texts("code") if text.startswith("spar replay")]
    assert len(commands) == 3 * 6
    assert did(*commands[0].split()[1:])
    tables = [one["id"] for one in made.all("h3") if "id" in one]
    assert sorted(tables) == ["table-0", "table-1", "table-2"]


def test_a_gauntlet_sets_claims_beside_what_came_out(folder: Path) -> None:
    (folder / "gauntlet.toml").write_text(GAUNTLET)
    did("run", "gauntlet.toml")
    told = did("report", "last").splitlines()
    assert told[0] == "who keeps the word"
    assert "who keeps the word" not in told[1:]
    assert any(line.split()[:3] == ["Match", "#", "Opponent"] for line in told)
    assert any(line.startswith("Win Rate:") for line in told)
    made = page_of(folder)
    assert "Contestants" in made.texts("h2")
    assert "outside" in made.texts("td")
    assert len([one for one in made.all("line") if one["class"] == "claim"]) == 1


def test_an_agent_may_be_called_like_the_start_of_a_line(folder: Path) -> None:
    file = 'game = "isolation"\ngames = 4\noptions = { board = "4x5" }\n[agents]\n'
    (folder / "match.toml").write_text(f'{file}"depth first" = "open,depth=2"\n"won it" = "random"\n')
    did("run", "match.toml")
    told = page_of(folder).texts("p")
    assert len([text for text in told if text.startswith(("depth first won ", "depth first beats "))]) >= 1
    assert len([text for text in told if re.match(r"depth \d", text)]) == 1


def test_what_is_said_of_clocks_is_so(folder: Path) -> None:
    did("match", "isolation", "random", "greedy", "--games", 400, *BOARD)
    made = page_of(folder)
    assert all(one["seconds"] > 0 for one in json.loads(did("report", "last", "--json"))["spent"])
    assert any("one block of eight is timed" in text for text in made.texts("caption"))
    assert "no clock runs" not in made.text


def test_a_sequential_test_is_drawn_between_its_bounds(folder: Path) -> None:
    did("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, *BOARD)
    made = page_of(folder)
    assert "Sequential test" in made.texts("h2")
    assert len([one for one in made.all("line") if one["class"] == "bound"]) == 2
    (path,) = made.all("polyline")
    assert 10 < len(path["points"].split()) <= 500
    heights = [float(point.split(",")[1]) for point in path["points"].split()]
    assert heights[-1] == min(heights)  # the test was won at the top
    assert any(told.startswith("test of greedy against random: log likelihood") for told in made.texts("p"))


def test_a_long_path_is_thinned_but_keeps_its_extremes() -> None:
    walk = np.cumsum(np.random.default_rng(1).normal(size=100_000))
    points = thinned(walk, 500)
    assert len(points) <= 500
    assert [place for place, _ in points] == sorted({place for place, _ in points})
    assert {0, len(walk) - 1, walk.argmin(), walk.argmax()} <= {place for place, _ in points}
    assert all(walk[place] == height for place, height in points)
    assert thinned(walk[:500], 500) == list(enumerate(walk[:500].tolist()))


class Wavers(Agent):
    """Notes of every move whether it is the last legal one and other things."""

    spec = name = "wavers"
    draws = True

    def decide(self, view: View) -> Decision:
        first = throw(view.dice, 4) == 0
        notes = {"override": first, "plans": 1000 + 1000 * first, "mood": "brave" if first else "shy"}
        notes |= {"right": True} if first else {}
        notes |= {"where": view.position.text, "seen": [1, 2]}
        return Decision(self.spec, view.position, view.me, view.legal[0 if first else -1], notes=notes)


def test_what_an_agent_notes_is_averaged_or_counted_over_its_moves() -> None:
    result = sparring.match(Race(players=2), Wavers(), "random", games=60, decisions=True)
    told = thoughts(result, result.sheets)
    assert list(told) == ["wavers", "random"]
    notes, moves = told["wavers"].to_json()["notes"], len(told["wavers"].seconds)
    assert set(notes) == {"override", "plans", "mood", "right"}  # not where it was, which is another place each time
    share = notes["override"]["share"]
    assert 0.15 < share < 0.35
    assert notes["plans"] == {"mean": pytest.approx(1000 + 1000 * share), "moves": moves}
    assert notes["mood"]["counts"] == {"shy": moves - round(share * moves), "brave": round(share * moves)}
    assert notes["right"] == {"share": 1.0, "moves": round(share * moves)}
    report = Report(result, thoughts=told)
    assert re.search(rf"^  wavers  override  {100 * share:.1f} % of {moves:,} moves$", str(report), re.MULTILINE)
    assert f"{100 * share:.1f} % of {moves:,} moves" in Page(page(report)).texts("td")


def test_only_moves_of_games_that_count_are_told_of() -> None:
    """A sequential test ends at a block; those that were played beyond it are kept but do not count."""
    settings = {"games": 4000, "sprt": "0:100", "decisions": True, "workers": 2}
    result = sparring.match("isolation", "greedy", "random", **settings)  # type: ignore[arg-type]
    told = thoughts(result, result.sheets)
    assert {one.agent: one.moves for one in Report(result).spent} == {
        name: len(one.seconds) for name, one in told.items()
    }


@pytest.fixture
def race() -> Iterator[Report]:
    game = Race(players=3)

    @sparring.agent(game)
    def runs(view: View) -> int:
        return view.legal[-1]

    @sparring.agent(game)
    def rests(view: View) -> int:
        return view.legal[-1 if view.state.roll > 3 else 0]

    yield Report(sparring.league(game, [runs, rests, "random"], games=60))


def test_a_table_of_three_is_told_in_places_and_shares_of_wins(race: Report) -> None:
    assert race.ranked == ["runs", "rests", "random"]
    made = Page(page(race))
    assert {"place", "wins"} <= set(made.texts("th"))
    assert re.search(r"1\.\d\d \[1\.\d\d, \d\.\d\d\]", made.text)
    assert made.texts("p")[1].startswith("runs is ranked first: +")
    assert race.ahead["runs", "random"] + race.ahead["random", "runs"] == pytest.approx(1)
    assert race.ahead["runs", "random"] > 0.6
    assert len(made.all("a")) == 6


def test_what_is_not_kept_is_not_offered_for_replay(race: Report) -> None:
    assert "spar replay" not in str(race) + page(race)


def test_at_a_table_of_three_it_is_counted_how_games_ended_that_others_won(race: Report) -> None:
    games = {name: sum(endings.values()) for name, endings in race.lost.items()}
    assert race.losing == "how games ended that others won"
    assert sum(games.values()) == 2 * race.result.played  # somebody alone is first
    assert games["random"] > games["runs"]


def test_who_finished_first_agrees_with_who_won_in_a_game_of_two() -> None:
    result = sparring.league("isolation", ["random", "greedy", "open,depth=1"], games=60)
    report = Report(result)
    for pair, share in report.ahead.items():
        pairing = result.between(*pair)
        assert pairing is not None
        assert share == pytest.approx(pairing.of_first("scores").mean())


def test_a_page_of_many_agents_stays_small(folder: Path) -> None:
    did("league", "isolation", *(f"open(open={weight}),depth=1" for weight in range(1, 11)), "--games", 20, *BOARD)
    assert len(page_of(folder).all("tr")) > 200
    assert (folder / "report.html").stat().st_size < 200_000


def test_a_page_is_there_whole_or_not_at_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    did("match", "isolation", "random", "greedy", "--games", 2, *BOARD)
    (folder / "report.html").write_text("the old one")

    def torn(self: Path, *rest: object, **more: object) -> int:
        with self.open("w") as out:
            out.write("half of ")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", torn)
    said = spar("report", "last", "--html", "report.html")
    assert (said.code, said.err) == (2, "spar: cannot write report.html: No space left on device\n")
    assert (folder / "report.html").read_text() == "the old one"
    assert not list(folder.glob(".*"))


def test_a_page_for_no_folder_is_refused_before_the_work(folder: Path) -> None:
    said = spar("report", "last", "--html", "nowhere/report.html")
    assert (said.code, said.err) == (2, "spar: cannot write nowhere/report.html; name a file in a folder that exists\n")


# Figures


def test_lengths_are_counted() -> None:
    lengths = Lengths(np.bincount([4, 4, 6, 9, 9, 9]))
    assert (lengths.fewest, lengths.median, lengths.mean, lengths.most) == (4, 7.5, pytest.approx(41 / 6), 9)
    assert lengths.bars(3) == [(4, 5, 2), (6, 7, 1), (8, 9, 3)]
    assert lengths.bars(10) == [(4, 4, 2), (5, 5, 0), (6, 6, 1), (7, 7, 0), (8, 8, 0), (9, 9, 3)]
    assert Lengths(np.bincount([0])).bars(10) == [(0, 0, 1)]


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.0, "-"), (3e-7, "300 ns"), (2e-5, "20 µs"), (0.0123, "12.3 ms"), (61.0, "61 s")]
)
def test_times_are_told_with_their_unit(seconds: float, told: str) -> None:
    assert lasting(seconds) == told


def test_nothing_that_confuses_a_terminal_is_printed() -> None:
    assert plain("\x1b[2Jclean\x1b[0m\x07 \u202eevil\x00") == "clean\ufffd \ufffdevil\ufffd"
