"""Claims of design documents: verdicts from intervals, claims as data, and a page whose figures are in the store."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from pydantic import ValidationError

from commands import spar
from sparring import api
from sparring.arena.batch import ResultBatch
from sparring.arena.result import Tournament
from sparring.arena.run import run
from sparring.arena.store import Store
from sparring.claims import answers, instruments
from sparring.claims.answers import Findings, answered
from sparring.claims.claims import Claim, Estimate, Size
from sparring.claims.document_file import DocumentFile, numbers
from sparring.claims.page import page
from sparring.core.errors import SparringError
from sparring.core.kernel import fingerprint
from sparring.statistics.intervals import wilson

FINDINGS = Path(__file__).parents[1] / "docs" / "findings.md"
SMALL = """
title = "small"
game = "isolation"
games = 40
seed = 5
options = { board = "5x5" }

[contestants]
territory = { spec = "voronoi,depth=2", claim = 70.0 }
mobility = "improved,depth=2"
twin = "improved(improved=2),depth=2"
absent = "greedy"

[opponents]
random = "random"
open = "open,depth=2"

[document]
title = "Small boards"
about = "A note."
quick = { games = 8, only = ["territory", "mobility", "twin"] }

[document.claims]
wins = { says = "Territory wins 70 %", measure = "share", agent = "territory" }
some = { says = "It does not only lose", measure = "share", agent = "mobility", against = "random", above = 10 }
leads = { says = "It leads mobility", measure = "lead", agent = "territory", against = "mobility", above = 0 }
doubled = { says = "Moves count twice", measure = "differing", agent = "twin", against = "mobility", above = 0 }
costs = { says = "It looks at a thousand positions", measure = "nodes", agent = "territory", below = 1000 }
greed = { says = "Greed is good", measure = "share", agent = "absent", above = 50 }
fun = { says = "It is fun to play against", never = "Nobody was asked." }

[document.claims.sees_wins]
says = "Territory keeps more won games won"
measure = "keeps_won"
agent = "voronoi,depth=2"
against = "improved,depth=1"
settings = { games = 4 }
above = 0

[document.corrections.heuristic]
says = "Territory against mobility"
measure = "lead"
agent = "territory"
against = "mobility"
"""


LEAGUE = """
game = "isolation"
games = 60
options = { board = "5x5" }
sprt = { elo0 = -50, elo1 = 50, model = "logistic" }
agents = { territory = "voronoi,depth=2", mobility = "open,depth=1", random = "random" }

[document]
title = "A league"
about = "A note."
quick = { games = 60 }

[document.claims.leads]
says = "Territory does better than mobility"
measure = "lead"
agent = "territory"
against = "mobility"
above = 0
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of claims that is answered, with the page, its picture and the store beside it."""
    file = tmp_path_factory.mktemp("once") / "small.toml"
    file.write_text(SMALL)
    reproduced(file)
    return file


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of claims, in a folder with a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPARRING_STORE", str(tmp_path / "games.db"))
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    return file


def reproduced(file: Path) -> Findings:
    with Store(file.with_name("games.db")) as kept:
        (found,) = api.reproduce([file], out=file.with_name("findings.md"), store=kept)
    return found


# Verdicts


def ours(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, "%", "100 games", "3f2a")


@pytest.mark.parametrize(
    ("claimed", "measured", "verdict"),
    [
        ({"figure": 30}, (26, 34), "holds"),
        ({"figure": 30}, (25, 40), "not decided"),
        ({"figure": 30}, (44, 56), "does not hold"),
        ({"figure": 30}, (30, 30), "holds"),
        ({"figure": 30, "of": 10}, (44, 56), "not decided"),
        ({"figure": 30, "of": 100}, (44, 56), "does not hold"),
        ({"figure": 0, "of": 10}, (0, 3.7), "holds"),
        ({"above": 50}, (50.1, 51.5), "holds"),
        ({"above": 50}, (45, 55), "not decided"),
        ({"above": 50}, (50, 50), "does not hold"),
        ({"above": 50}, (48.5, 51.5), "no difference"),
        ({"above": 50}, (47.9, 51.5), "not decided"),
        ({"above": 50}, (48.5, 49.9), "does not hold"),
        ({"below": 50}, (48.5, 51.5), "no difference"),
        ({"below": 50}, (48.5, 49.9), "holds"),
        ({"below": 50}, (51, 60), "does not hold"),
        ({"below": 50}, (45, 55), "not decided"),
        ({"figure": 120, "above": 96, "below": 144}, (100, 110), "holds"),
        ({"figure": 120, "above": 96, "below": 144}, (140, 150), "not decided"),
        ({"figure": 120, "above": 96, "below": 144}, (145, 150), "does not hold"),
    ],
)
def test_a_verdict_is_by_the_interval(claimed: dict[str, float], measured: tuple[float, float], verdict: str) -> None:
    assert Claim(says="so", measure="share", **claimed).verdict(ours(*measured)) == verdict


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-1.9, 1.9, "no difference"), (-2.1, 1, "not decided"), (0.1, 1, "better"), (-1, -0.1, "worse")],
)
def test_a_correction_is_better_or_worse_or_makes_no_difference_or_is_not_decided(
    once: Path, monkeypatch: pytest.MonkeyPatch, low: float, high: float, verdict: str
) -> None:
    known = Estimate((low + high) / 2, low, high, "points", "100 games", "3f2a")
    monkeypatch.setitem(answers.GAME_MEASURES, "lead", lambda evidence, question: known)
    assert [one.verdict for one in reproduced(once).corrections] == [verdict]


def test_a_difference_of_counts_is_never_negligible_and_a_count_is_as_claimed_or_not() -> None:
    assert Claim(says="few", measure="nodes", below=100).verdict(Estimate(100, 99, 101)) == "not decided"
    claim = Claim(says="so many", measure="states", figure=120)
    assert [claim.verdict(Estimate.exactly(count)) for count in (120, 121)] == ["holds", "does not hold"]


@pytest.mark.parametrize(
    ("differ", "games", "verdict"), [(0.0, 200, "was never testable"), (0.0, 20, "not decided"), (2.5, 200, "holds")]
)
def test_what_never_changes_a_move_was_never_testable(differ: float, games: int, verdict: str) -> None:
    claim = Claim(says="tune it", measure="differing", above=0)
    assert claim.verdict(Estimate.of_share(differ / 100, *wilson(differ / 100, games))) == verdict


@pytest.mark.parametrize(
    "said",
    [{"measure": "nodes", "figure": 5000}, {"measure": "share", "figure": 120}, {"measure": "share", "above": 5}],
)
def test_games_are_behind_percentages_alone(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="from 0 to 100 %"):
        Claim(says="so", of=10, **said)


def test_the_difference_of_two_that_were_measured_apart_is_less_sure_than_either() -> None:
    gap = ours(60, 70).minus(ours(40, 50))
    assert (gap.value, gap.unit) == (20, "points")
    assert gap.high - gap.low == pytest.approx(10 * 2**0.5)


@pytest.mark.parametrize(
    ("measured", "told"),
    [
        (Estimate(67.14, 65, 69.2, "%"), "67.1 % [65.0, 69.2]"),
        (Estimate(3.51, -0.2, 7, "points"), "+3.5 points [-0.2, +7.0]"),
        (Estimate(104.2, 100.1, 108.3), "104.2 [100.1, 108.3]"),
        (Estimate.exactly(115248, "", "counted"), "115,248"),
        (Estimate.exactly(0.0134, "s", ""), "under 0.1 s"),
    ],
)
def test_figures_are_told_in_their_units(measured: Estimate, told: str) -> None:
    assert str(measured) == told


# Claims are data


KEPT = SMALL[SMALL.index('measure = "keeps_won"') : SMALL.index("above = 0", SMALL.index("keeps_won"))]
CORRECTION = SMALL[SMALL.index("[document.corrections") :]
GAMES = "settings = { games = 4 }"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('measure = "lead"', 'measure = "leed"', "unknown measure 'leed'; did you mean lead"),
        ('agent = "mobility"', 'agent = "mobilty"', "unknown agent of the experiment 'mobilty'; did you mean mobility"),
        ('against = "random"', 'against = "territory"', "unknown agent of the experiment 'territory'"),
        ('agent = "voronoi,depth=2"', 'agent = "voronoy,depth=2"', "unknown agent of isolation 'voronoy'"),
        ('agent = "twin"', 'part = "x"', "unknown part 'x'"),
        ("above = 0", "abov = 0", "unknown setting 'abov'; did you mean above"),
        ("quick = { games = 8", "quick = { parts = { x = 2 }, games = 8", "unknown part 'x'"),
        ('["territory", "mob', '["territori", "mob', "unknown agent 'territori'; did you mean territory"),
        ("below = 1000", "below = 'little'", "claims.costs.below: "),
        ('measure = "nodes"', 'measure = "seconds"', "seconds needs the reasons of agents: write decisions = true"),
        (", below = 1000", "", "a claim needs figure = ..., above = ... or below = ..."),
        (
            ', never = "Nobody was asked."',
            "",
            "a claim needs a measure, or under never the reason why none can answer it",
        ),
        ("games = 8", "games = 7", "games come in pairs with the sides swapped"),
        ("[document]\n", "[document]\nfull = { games = 7 }\n", "games come in pairs with the sides swapped"),
        (GAMES, "settings = { game = 4 }", "unknown setting 'game'; did you mean games"),
        (GAMES, 'settings = { games = "many" }', "games: "),
        (GAMES, "quick = { tries = 4 }", "unknown setting 'tries'"),
        ('measure = "nodes"', 'settings = { games = 4 }, measure = "nodes"', "nodes has none"),
        (KEPT, KEPT.replace("keeps_won", "solved").partition("settings")[0], "isolation has no tactical suite"),
        ('measure = "keeps_won"', 'measure = "exploited"', "isolation has no exploiter"),
        ('measure = "keeps_won"', 'measure = "learned"', "isolation has no encoder of states for tables"),
        ('measure = "keeps_won"', 'part = "x"\nmeasure = "keeps_won"', "unknown part 'x'"),
        (CORRECTION, CORRECTION.replace("lead", "nodes"), "to compare two agents, use one of share, lead, solved"),
        (CORRECTION, CORRECTION.replace('against = "mobility"', ""), "unknown agent of the experiment ''"),
        (
            CORRECTION,
            CORRECTION.replace("lead", "share").replace('against = "mobility"', ""),
            "a correction compares two agents: write agent = ... and against = ...",
        ),
        (
            SMALL,
            LEAGUE.replace('"lead"', '"differing"'),
            "differing needs [contestants] that meet [opponents]",
        ),
    ],
)
def test_a_mistake_in_a_claim_is_told_first_with_its_line(small: Path, old: str, new: str, message: str) -> None:
    text = SMALL.replace(old, new, 1)
    small.write_text(text)
    with pytest.raises(SparringError) as mistake:
        DocumentFile.of(small)
    line = int(str(mistake.value).removeprefix(f"{small}:").partition(":")[0])
    place = text[: SMALL.index(old)].count("\n")
    changed = range(place - 3, place + new.count("\n") + 5)
    assert message in str(mistake.value)
    assert line in changed, f"{mistake.value} names the line {text.splitlines()[line - 1]!r}"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["005"], "no experiment seed-005; name a file, or one of seed-000"),
        (["nowhere.toml"], "no experiment nowhere.toml"),
        (["bare.toml"], "bare.toml has no design document; write its claims under [document]"),
        (["small.toml", "--out", "no/such/folder.md"], "cannot write no/such/folder.md"),
        (["odd.toml"], "odd.toml:21: games come in pairs with the sides swapped"),
    ],
)
def test_what_cannot_be_answered_is_told(small: Path, words: list[str], told: str) -> None:
    small.with_name("bare.toml").write_text(SMALL[: SMALL.index("[document]")])
    small.with_name("odd.toml").write_text(SMALL.replace("games = 8", "games = 7"))
    said = spar("reproduce", *words)
    assert (said.code, len(said.err.splitlines())) == (2, 1)
    assert told in said.err


def test_the_five_documents_come_with_the_package_and_play_only_parts_that_something_is_asked_about() -> None:
    assert numbers() == ["000", "001", "002", "003", "004"]
    for number in numbers():
        document = DocumentFile.of(number.lstrip("0") or "0")
        assert document.name == number
        quick, full = document.sized(quick=True), document.sized(quick=False)
        played = [sum(len(one.entries) * one.games for one, _ in size) for size in (quick, full)]
        assert 0 < played[0] < played[1]
        for part, _ in quick:
            assert not any("time=" in entry.text(part.timed) for entry in part.entries.values()), "the clock decides"
        if number == "002":
            assert document.parts.keys() - {part.part for part, _ in full} == {
                *("fed rhea", "real negamax", "100ms rhea", "100ms negamax"),
                *("full rhea", "full negamax", "full baseline"),
            }


def test_the_full_size_is_that_of_the_file_or_of_the_document(small: Path) -> None:
    def games(quick: bool) -> list[int]:
        return [one.games for one, _ in DocumentFile.of(small).sized(quick)]

    assert (games(True), games(False)) == ([8], [40])
    (everybody,) = [one.entries for one, _ in DocumentFile.of(small).sized(quick=False)]
    assert "absent" in everybody
    small.write_text(SMALL.replace("[document]\n", "[document]\nfull = { games = 10 }\n"))
    assert (games(True), games(False)) == ([8], [10])


# Answers


def test_a_document_is_answered_claim_by_claim(small: Path) -> None:
    said = spar("reproduce", small)
    assert said.code == 0, said
    lines = said.out.splitlines()
    assert {line.partition(":")[0] for line in lines} == {f"small {one}" for one in re.findall('says = "(.*?)"', SMALL)}
    assert "small Moves count twice: 0.0 % [0.0, 19.4], not decided" in lines
    assert "small It is fun to play against: was never testable" in lines
    assert "small Greed is good: only at full size" in lines
    assert re.search(r"(?m)^small It does not only lose: [\d.]+ % \[.*\], holds$", said.out)
    assert said.err.endswith("findings.md is written\n")


def test_every_figure_of_the_page_is_in_the_store(once: Path) -> None:
    found = reproduced(once)
    text = once.with_name("findings.md").read_text()
    (result,) = found.results
    assert f"`{result.id}`" in text
    with Store(once.with_name("games.db")) as store:
        kept = api.report(result.id, store=store)
        readings = [store.steps(id)[0]["found"] for id in _answer(found, "sees_wins").source.split()]
    low, high = kept.total("territory").interval
    wins = f"{100 * kept.total('territory').mean:.1f} % [{100 * low:.1f}, {100 * high:.1f}]"
    chance = f"{100 * kept.against('mobility', 'random').mean:.1f} %"
    lead = 100 * (kept.total("territory").mean - kept.total("mobility").mean)
    gap = readings[0]["value"] - readings[1]["value"]
    rows = {cells[1]: cells for line in text.splitlines() if len(cells := line.split(" | ")) > 4}
    assert rows["Territory wins 70 %"][2:5] == ["70 %", "around it", wins]
    assert rows["It does not only lose"][4].startswith(chance)
    assert rows["It leads mobility"][4].startswith(f"{lead:+.1f} points")
    assert rows["Territory keeps more won games won"][4].startswith(f"{gap:+.1f} points")
    spent = kept.between("territory", "random"), kept.between("territory", "open")
    nodes = sum(float(one.of_first("nodes").sum()) for one in spent if one)
    moves = sum(int(one.of_first("moves").sum(dtype=int)) for one in spent if one)
    assert rows["It looks at a thousand positions"][4].startswith(f"{nodes / moves:.1f}")


def _answer(found: Findings, name: str) -> Estimate:
    (measured,) = [one.measured for one in found.claims if one.name == name]
    assert measured
    return measured


def test_again_nothing_is_played_and_the_page_is_the_same(once: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state() -> list[object]:
        with Store(once.with_name("games.db")) as kept:
            return [
                kept.games_kept(),
                *(once.with_name(f"findings{end}").read_text() for end in (".md", "-small.svg")),
            ]

    first = state()
    monkeypatch.setattr(instruments, "grade_sampled", None)
    reproduced(once)
    assert state() == first


def test_stopped_it_says_how_to_go_on_and_goes_on_where_it_was(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object, **named: object) -> Tournament:
        return replace(run(*given, **named), interrupted=True)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(answers, "run", stopped)
        said = spar("reproduce", "small.toml")
    assert (said.code, said.out) == (130, "")
    assert said.err.splitlines()[-1] == "stopped; continue: spar reproduce small.toml"
    assert not small.with_name("findings.md").exists()
    with Store() as store:
        (begun,) = store.listed()
        found = answered(DocumentFile.of(small), "quick", store)
        assert [one.id for one in store.listed()] == [begun.id] == [one.id for one in found.results]


def test_in_a_league_leads_are_of_the_games_of_both_and_the_ranking_is_by_ratings(small: Path) -> None:
    small.write_text(LEAGUE)
    found = reproduced(small)
    (result,) = found.results
    ends = [result.end(result.table_of(name, "random")) for name in ("territory", "mobility")]
    assert ends[0] != ends[1]
    assert _answer(found, "leads").of == f"{2 * 2 * min(ends)} games"
    first, second, _ = result.ratings
    assert found.ahead
    assert found.ahead.value == first.elo - second.elo
    assert found.ahead.high - found.ahead.value == pytest.approx(1.96 * first.apart[1])
    assert (found.ahead.low > 0) == (first.superiority[1] > 0.975)
    assert f"ahead of `{second.name}`: {found.ahead}" in small.with_name("findings.md").read_text()


def test_a_page_keeps_other_documents_but_no_other_text(once: Path, tmp_path: Path) -> None:
    others = tmp_path / "others.toml"
    others.write_text(SMALL.replace("Small boards", "Others").replace("Greed is good", "Greed pays"))
    out = tmp_path / "findings.md"
    out.write_text("# My notes\n\n## 001 Mine\n")
    with Store(once.with_name("games.db")) as kept:
        for file in (once, others, once):
            api.reproduce([file], out=out, store=kept)
    told = out.read_text()
    assert re.findall(r"(?m)^## (.*)$", told) == ["others Others", "small Small boards"]
    assert [told.count(f"| [{title}](#") for title in ("others Others", "small Small boards")] == [1, 1]
    assert [told.count(f"| {claim} |") for claim in ("Greed pays", "Greed is good")] == [1, 1]


def test_page_and_picture_show_the_strongest_agent_and_the_claims(once: Path) -> None:
    found = reproduced(once)
    best = found.ranking[0]
    assert best.measured.value == max(one.measured.value for one in found.ranking)
    told = page([found], Path("findings.md"), "spar reproduce small.toml")
    assert f"with the same code (`{fingerprint()}`)" in told
    assert "This is the size `quick`" in told
    drawn = ElementTree.fromstring(once.with_name("findings-small.svg").read_text())
    texts = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"wins", "leads", "heuristic", "territory"} <= set(texts)
    titles = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert f"wins: {_answer(found, 'wins')}, claimed 70" in titles
    assert re.search(rf"`{best.name}`, {re.escape(str(best.measured))}, (not significantly )?ahead of", told)


@pytest.mark.slow
def test_a_document_of_the_package_is_answered_in_a_few_games(tmp_path: Path) -> None:
    document = DocumentFile.of("003")
    few = document.document.model_copy(update={"quick": Size(games=2, only=document.document.quick.only)})
    few.claims["horizon"].quick["games"] = 3
    with Store(tmp_path / "games.db") as store:
        found = answered(replace(document, document=few), "quick", store)
    assert _answer(found, "weight").value == 0
    assert _answer(found, "horizon").unit == "points"
    assert [one.question.figure for one in found.claims[:5]] == [65.88, 66.37, 60.7, 62.9, 71.2]  # type: ignore[union-attr]


def test_what_document_003_says_of_its_agents_is_asked_of_them() -> None:
    claims = DocumentFile.of("003").document.claims
    compared = {(one.agent, one.against, one.figure) for one in claims.values() if one.measure == "lead"}
    assert compared == {
        ("next_moves", "improved", 5.32),
        ("next_moves", "avoid_corners_as_written", 4.83),
        ("avoid_corners_as_written", "improved", 0.49),
        ("improved", "open", None),
        ("improved", "center", None),
    }
    assert all(one.above == 0 for one in claims.values() if one.measure == "lead")
    assert [one.agent for one in claims.values() if one.measure == "keeps_won"] == [
        "alphabeta:next_moves,depth=3,reference"
    ]


def test_the_page_in_the_docs_answers_what_the_documents_claim() -> None:
    told = FINDINGS.read_text()
    assert re.findall(r"(?m)^## (\d+)", told) == numbers()
    for document in (DocumentFile.of(number).document for number in numbers()):
        for name, question in {**document.claims, **document.corrections}.items():
            assert f"| {name.replace('_', ' ')} | {question.says} |" in told


def test_parts_need_no_strongest(small: Path) -> None:
    part = '[[parts]]\npart = "only"\n\n[document]\n'
    small.write_text(LEAGUE.replace("[document]\n", part).replace("measure = ", 'part = "only"\nmeasure = '))
    assert reproduced(small).ranking == ()


# Readings and notes


def test_a_reading_is_of_the_file_as_it_is_and_of_the_board_as_it_is(small: Path) -> None:
    small.write_text(SMALL.replace('"voronoi,depth=2"\nagainst = "improved,depth=1"', '"mine.py"'))
    mine, habit = small.with_name("mine.py"), 'from sparring import agent\n\n@agent("isolation")\ndef mine(view):\n    '
    mine.write_text(f"{habit}return view.legal[0]\n")
    first = _answer(reproduced(small), "sees_wins")
    assert _answer(reproduced(small), "sees_wins") == first
    mine.write_text(f"{habit}return view.legal[-1]\n")
    assert _answer(reproduced(small), "sees_wins").source != first.source
    with Store(small.with_name("games.db")) as kept:
        assert kept.steps(first.source)[0]["about"]["options"]["board"] == "5x5"


NOTES = """
game = "flagwar"
agents = { utility = "utility", random = "random", still = "still" }
games = 8
decisions = true

[document]
title = "Notes"
about = "A note."
quick = { games = 8 }

[document.claims]
works = { says = "It looks at few moves", measure = "note", agent = "utility", note = "evaluations", below = 1000 }
takes = { says = "It takes flags", measure = "note", agent = "random", note = "takes_flag", above = 50 }
rests = { says = "It looks at none", measure = "note", agent = "still", note = "evaluations", below = 1 }
"""


@pytest.mark.slow
def test_what_was_noted_does_not_depend_on_how_games_were_kept(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a claim names a note that nobody wrote, and is told those that were written."""
    small.write_text(NOTES)
    apart = reproduced(small)
    kept = Store.batches

    def together(store: Store, id: str, decisions: bool = False) -> Iterator[ResultBatch]:
        for table, sheets in groupby(kept(store, id, decisions), key=lambda sheet: sheet.table):
            parts = list(sheets)
            joined = [np.concatenate([getattr(part, name) for part in parts]) for name in ("results", "moves")]
            yield ResultBatch(table, 0, *joined, decisions=tuple(chain.from_iterable(part.decisions for part in parts)))

    with monkeypatch.context() as patch:
        patch.setattr(Store, "batches", together)
        assert reproduced(small).claims == apart.claims
    works, takes, rests = apart.claims
    assert works.verdict == "holds"
    assert takes.measured
    assert takes.measured.low < takes.measured.high
    assert (rests.measured, rests.verdict) == (None, "not decided")
    text = NOTES.replace("evaluations", "evaluation", 1)
    small.write_text(text)
    said = spar("reproduce", small)
    line = text[: text.index('"evaluation"')].count("\n") + 1
    assert said.code == 2
    assert f"small.toml:{line}: unknown note 'evaluation'; did you mean evaluations" in said.err.splitlines()[-1]
