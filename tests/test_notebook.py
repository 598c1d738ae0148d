"""Small forms of objects in a notebook, bars of long work, and the names of the package."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

import sparring
from sparring import Terms, heuristic
from sparring.arena.store import Store
from sparring.core import progress
from sparring.core.bits import count
from sparring.games.isolation.heuristics import next_moves
from sparring.games.isolation.rules import exits, opponent

SMALL = 8700
ISOLATION = sparring.game("isolation", board="4x5")


@heuristic("isolation")
def roomy(s, me):  # type: ignore[no-untyped-def]
    """Room for me, and none for the opponent."""
    return Terms(mine=count(exits(s, me)), theirs=-count(exits(s, opponent(me))))


@pytest.mark.parametrize("name", ["isolation", "ludo", "battlesnake", "flagwar"])
def test_a_position_shows_its_board_in_less_than_a_page_of_text(name: str) -> None:
    position = sparring.game(name).start(seed=1)
    assert ElementTree.fromstring(position._repr_svg_()).attrib["aria-label"].endswith(position.text)
    assert len(position._repr_svg_()) < SMALL
    assert repr(position) == f"<{name} {position.text}>"


def test_a_decision_shows_its_board_and_its_table() -> None:
    decision = sparring.explain(ISOLATION, "next_moves,nodes=100")
    board, table = ElementTree.fromstring(decision._repr_html_())
    assert decision.position.text in board.attrib["aria-label"]
    assert table.text == str(decision) == repr(decision)
    assert len(decision._repr_html_()) < SMALL


def test_a_decision_with_many_candidates_shows_the_best() -> None:
    decision = sparring.explain_all("flagwar", "quick_corrected", "r0 A1:4,8 A2:5,4 A3:X B1:4,6 B2:5,2 B3:X")[0]
    assert len(decision.candidates) > 10
    assert "more that score no better" in decision._repr_html_()
    assert len(decision._repr_html_()) < SMALL
    assert len(str(decision)) > len(repr(decision))


def test_a_match_shows_its_verdict_and_the_interval_of_its_better_agent() -> None:
    match = sparring.match(ISOLATION, "random", "greedy", games=40)
    shown = ElementTree.fromstring(match._repr_html_())
    assert shown.findtext("b") == str(match).splitlines()[0] == match.pairings[0].verdict()
    better = match.pairings[0].told.score
    low, high = better.elo_interval
    (bar,) = shown.iter("{http://www.w3.org/2000/svg}rect")
    assert bar.findtext("{*}title") == f"greedy: {better.elo:+.0f} Elo [{low:+.0f}, {high:+.0f}]"
    assert len(match._repr_html_()) < 2000
    assert repr(match) == str(match)


def test_a_large_league_shows_its_best_agents_in_a_small_chart() -> None:
    names = [f"open(open={weight}),depth=1" for weight in range(1, 21)]
    league = sparring.league(ISOLATION, names, games=2)
    shown = ElementTree.fromstring(league._repr_html_())
    bars = [bar.findtext("{*}title") for bar in shown.iter("{http://www.w3.org/2000/svg}rect")]
    assert [str(bar).split(":")[0] for bar in bars] == [one.name for one in league.ratings[:12]]
    assert "and 8 more agents" in league._repr_html_()
    assert len(league._repr_html_()) < SMALL


def test_an_agent_and_a_game_tell_their_text() -> None:
    assert repr(sparring.agent(ISOLATION, "next_moves", nodes=50)) == "<agent next_moves,nodes=50>"
    assert repr(ISOLATION) == "<isolation --board 4x5>"


def test_the_package_lists_its_public_names_and_nothing_else() -> None:
    assert {"match", "heuristic", "Store", "report"} <= set(dir(sparring))
    assert [name for name in dir(sparring) if name.startswith("_")] == ["__version__"]
    assert all(hasattr(sparring, name) for name in dir(sparring))


def test_reports_and_repetitions_find_the_users_own_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_STORE", str(tmp_path / "games.db"))
    with pytest.raises(sparring.SparringError, match="no games are stored"):
        sparring.report("last")
    assert not (tmp_path / "games.db").exists()
    with sparring.Store() as store:
        match = sparring.match("isolation", "random", "greedy", games=20, store=store)
    assert sparring.report("last").pairings[0].verdict() == match.pairings[0].verdict()
    assert str(sparring.again("last")[1]) == "all 20 games are those kept, move for move"
    assert sparring.blunders("last", agent="random", most=1, judge="greedy").losses


def test_a_heuristic_of_a_cell_plays_with_options_and_is_tuned_and_taken_apart() -> None:
    mine = sparring.agent(ISOLATION, roomy, nodes=30)
    assert sparring.match(ISOLATION, mine, "random", games=20).pairings[0].better == "roomy,nodes=30"
    ablation = sparring.ablate(ISOLATION, mine, games=20)
    assert {part.name for part, _ in ablation.ranking} == {"mine", "theirs"}
    assert "again:" not in str(ablation)
    tuned = sparring.tune(ISOLATION, mine, games=100)
    weights = ", ".join(f"{term}={weight:g}" for term, weight in tuned.weights.items())
    assert str(tuned).endswith(f'the heuristic: @heuristic("isolation", {weights})')


def test_a_built_in_heuristic_that_is_an_object_has_a_command() -> None:
    ablation = sparring.ablate(ISOLATION, sparring.agent(ISOLATION, next_moves, nodes=10), games=20)
    assert ablation.command.startswith("spar ablate isolation next_moves,nodes=10 ")


@pytest.mark.parametrize("kept", [{"store": True}, {"out": "tuned.toml"}])
def test_what_cannot_be_named_is_not_kept(
    kept: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = kept if "out" in kept else {"store": Store(Path("games.db"))}
    with pytest.raises(sparring.SparringError, match=r"name its file, such as roomy\.py"):
        sparring.tune(ISOLATION, roomy, **given)


def shown_bars(monkeypatch: pytest.MonkeyPatch, kernel: bool) -> list[str]:
    """What a league shows while it plays, in a notebook or in a shell."""
    shown: list[str] = []

    def show(data: dict[str, str], **_: Any) -> Any:
        shown.append(data["text/html"])
        return SimpleNamespace(update=show)

    shell = SimpleNamespace(**({"kernel": None} if kernel else {}))
    notebook = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=show))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    monkeypatch.setattr(progress, "SHOWN_AFTER", 0.0)
    sparring.match(ISOLATION, "random", "greedy", games=2000)
    return shown


def test_long_work_shows_a_bar_in_a_notebook_which_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_, last = shown_bars(monkeypatch, kernel=True)
    assert re.match(r'<progress value="\d+" max="2000"></progress> league: [\d,]+ of 2,000', first)
    assert last == ""


def test_scripts_and_shells_show_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_bars(monkeypatch, kernel=False) == []
    monkeypatch.delitem(sys.modules, "IPython")
    assert not progress.in_notebook()
