"""The metrics of a match: the length of games, and the notes that agents declare as metrics."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import at_home, did, rewritten
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.arena.lengths import game_length
from sparring.arena.notes import NoteCounts
from sparring.arena.store import Store
from sparring.games.contract import Game

FEW = "evolutions=2,population=10,genome=6"
OVERRIDE, RHEA = f"override:as_written,{FEW}", f"rhea:as_written,{FEW}"
SMALL = ("--board", "7x7")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(tmp_path, monkeypatch, "")


def metrics(told: str) -> list[str]:
    return [line for line in told.splitlines() if " won " in line or "game length:" in line or " frequency " in line]


def snakes() -> Game:
    return sparring.game("battlesnake", board="7x7")


class Bold(Agent):
    """Plays the first legal move and writes notes about it."""

    spec = "bold"
    compiled = False
    metrics = {"cornered": "cornered", "choices": "choices a move", "mood": "moods"}

    def decide(self, view: View) -> Decision:
        few = len(view.legal)
        notes = {"cornered": few == 1, "choices": few, "mood": "glad" if few > 2 else "sad", "unasked": 1}
        return Decision(self.spec, view.position, view.me, view.legal[0], notes=notes)


def test_a_match_prints_win_rate_game_length_and_override_frequency(folder: Path) -> None:
    said = did("match", "battlesnake", OVERRIDE, RHEA, "--games", 4, *SMALL)
    won, length, frequency = metrics(said)
    assert re.fullmatch(r"\S+ won \d · drawn \d · lost \d    [\d.]+ % .*", won)
    played = sparring.match(snakes(), OVERRIDE, RHEA, games=4)
    turns = [max(effort.moves for effort in one.efforts) for one in played.games]
    assert length == f"game length: mean {np.mean(turns):.1f} turns, {min(turns)} to {max(turns)}"
    assert frequency.startswith(f"{OVERRIDE}: override frequency ")
    assert frequency.endswith(f" % of {sum(turns)} moves")


def test_the_frequency_is_that_of_the_decisions_themselves(folder: Path) -> None:
    did("match", "battlesnake", OVERRIDE, RHEA, "--games", 4, *SMALL, "--decisions")
    told = json.loads(did("report", "last", "--json"))
    (noted,) = (one["notes"]["override"] for one in told["thoughts"] if one["agent"] == OVERRIDE)
    assert told["metrics"] == {OVERRIDE: {"override frequency": noted}}
    assert told["lengths"]["unit"] == "turns"


def test_a_kept_match_prints_the_same_when_it_is_gone_on_with_and_reported(folder: Path) -> None:
    whole = metrics(did("match", "battlesnake", OVERRIDE, RHEA, "--games", 4, *SMALL, "--store", "whole.db"))

    def tire(done: int, total: int, known: str = "") -> None:
        raise KeyboardInterrupt

    with Store(folder / "parts.db") as store:
        begun = sparring.match(snakes(), OVERRIDE, RHEA, games=4, store=store, progress=tire, workers=1)
    assert begun.played < 4
    gone_on = did("match", "battlesnake", OVERRIDE, RHEA, "--games", 4, *SMALL, "--store", "parts.db")
    reported = did("report", "last", "--store", "parts.db")
    assert metrics(gone_on) == metrics(reported)[:3] == whole


def test_batches_with_and_without_metrics_are_read_together(folder: Path) -> None:
    did("match", "battlesnake", OVERRIDE, RHEA, "--games", 4, *SMALL)
    rewritten(folder / "games.db", "UPDATE games SET metrics=NULL WHERE block=1")
    some = metrics(did("report", "last"))
    rewritten(folder / "games.db", "UPDATE games SET metrics=NULL")
    none = metrics(did("report", "last"))
    assert [line.split(":")[0] for line in some] != [line.split(":")[0] for line in none]
    assert len(some) - len(none) == 1


def test_declared_notes_are_counted_in_any_game() -> None:
    result = sparring.match(sparring.game("isolation", board="4x5"), Bold(), "random", games=6)
    counted = result.metrics["bold"]
    assert list(counted) == ["cornered", "choices a move", "moods"]
    moves = sum(played.efforts[played.agents.index("bold")].moves for played in result.games)
    assert counted["cornered"].asked == counted["choices a move"].numbers == counted["moods"].words.total() == moves
    told = [line for line in str(result).splitlines() if line.startswith("bold: ")]
    assert [line.partition(" of ")[2] for line in told] == [f"{moves} moves"] * 3
    assert result.to_json()["metrics"]["bold"]["cornered"]["share"] == counted["cornered"].yes / moves


def test_a_league_tells_the_metrics_of_each_agent_and_so_does_a_page(folder: Path) -> None:
    said = did("league", "battlesnake", OVERRIDE, RHEA, "random_safe", "--games", 2, *SMALL)
    lines = [line for line in said.splitlines() if line.startswith((f"{OVERRIDE}: ", "game length: "))]
    assert len(lines) == 2
    did("report", "last", "--html", "report.html")
    page = (folder / "report.html").read_text()
    assert all(line in page for line in lines)
    assert "turns of a game: " in page


@pytest.mark.parametrize(
    ("name", "options", "moves", "long"),
    [("battlesnake", {"players": "3"}, [9, 4, 9], 9), ("isolation", {}, [9, 8], 17)],
)
def test_a_game_is_as_long_as_its_turns_or_moves(name: str, options: Any, moves: list[int], long: int) -> None:
    assert game_length(sparring.game(name, **options), np.array([moves], np.uint16)).tolist() == [long]


def test_a_replay_tells_the_length_in_turns(folder: Path) -> None:
    did("match", "battlesnake", "random_safe", "flood_fill", "--games", 2, *SMALL)
    told = json.loads(did("report", "last", "--json"))
    for game in told["highlights"]:
        first, second = did(*game["command"].split()[1:]).splitlines()[:2]
        assert first.endswith(f", {game['length']} turns")
        assert second == f"move 0 of {game['length']}: start"


def test_notes_are_kept_as_they_were_counted() -> None:
    note = NoteCounts()
    for value in (True, False, 3, 1.5, "glad", "glad"):
        note.add(value)
    again = NoteCounts.unpacked(json.loads(json.dumps(note.packed())))
    assert again == note
    again.join(note)
    assert (again.yes, again.asked, again.total, again.numbers, again.words["glad"]) == (2, 4, 9.0, 4, 4)
