"""Exported games are the stored games: every row is compared with a replay."""

import csv
import json
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sparring
from commands import at_home, did, spar
from sparring.agents.agent import View
from sparring.arena.batch import ResultBatch
from sparring.arena.result import Tournament
from sparring.arena.store import Store
from sparring.games.registry import game, names
from sparring.reports import export
from toy_games import Pennies, Race

pytestmark = pytest.mark.slow

USERS_FILE = """
from sparring import agent


@agent("isolation")
def falls(view):
    if len(view.legal) == 2:
        raise RuntimeError('fell, "badly"')
    return view.legal[0]
"""
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a league of three agents, one of which fails so often that it is retired."""
    with pytest.MonkeyPatch.context() as patch:
        folder = at_home(tmp_path_factory.mktemp("exported"), patch, USERS_FILE)
        did("league", "isolation", "random", "mine.py:falls", "greedy", "--games", 60, "--board", "4x5")
        yield folder


@pytest.fixture(scope="module")
def league(home: Path) -> Tournament:
    with Store(home / "games.db") as store:
        result = sparring.api.report(store.listed()[0].id, store=store)
    assert result.retired
    return result


def expected_row(result: Tournament, number: int) -> dict[str, Any]:
    played = result.game(number)
    table, block, place = result.place(number)
    agents = [result.names[agent] for agent in result.contest.seating(table, block, place)]
    failed = played.failed if played.failed >= 0 else None
    return {
        "experiment": result.id,
        "game": number,
        "table": table,
        "block": block,
        "seed": played.seed,
        "seats": agents,
        "opening": played.start,
        "moves": [turn.action for turn in played.turns],
        "scores": list(played.scores),
        "ending": played.reason.split(":")[0],
        "failed_seat": failed,
        "failed_agent": None if failed is None else agents[failed],
        "detail": None if failed is None else played.reason,
        "turns": [effort.moves for effort in played.efforts],
        "nodes": [effort.nodes for effort in played.efforts],
        "depth": [effort.depth for effort in played.efforts],
        "seconds": [pytest.approx(effort.seconds, abs=1e-9) for effort in played.efforts],
    }


def expected(result: Tournament) -> Rows:
    return [expected_row(result, n) for n in range(1, result.contest.games + 1) if result.was_played(n)]


def lines_of(file: Path) -> Rows:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return sorted(rows, key=lambda row: int(row["game"]))


def test_lines_of_json_are_the_games_that_count(home: Path, league: Tournament) -> None:
    said = spar("export", league.id, "games.jsonl")
    assert (said.code, said.out, said.err) == (0, "", f"games.jsonl: {league.played} games\n")
    rows = lines_of(home / "games.jsonl")
    assert {row.pop("rules")["game"] for row in rows} == {"isolation"}
    assert rows == expected(league)


def test_rows_of_a_csv_file_are_the_games_that_count(home: Path, league: Tournament) -> None:
    did("export", league.id, "games.csv")
    with (home / "games.csv").open(newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: int(row["game"]))
    for row, played in zip(rows, expected(league), strict=True):
        for name in ("experiment", "game", "table", "block", "seed", "opening", "ending"):
            assert row[name] == str(played[name])
        for name in ("failed_seat", "failed_agent", "detail"):
            assert row[name] == ("" if played[name] is None else str(played[name]))
        assert row["moves"].split() == played["moves"]
        assert [row["agent_0"], row["agent_1"]] == played["seats"]
        for column, name in {"score": "scores", **{one: one for one in ("turns", "nodes", "depth", "seconds")}}.items():
            assert [float(row[f"{column}_0"]), float(row[f"{column}_1"])] == played[name]


def test_rows_of_a_parquet_file_are_the_games_that_count(home: Path, league: Tournament) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    did("export", league.id, "games.parquet")
    rows = parquet.read_table(home / "games.parquet").to_pylist()
    assert sorted(rows, key=lambda row: row["game"]) == expected(league)


def test_memory_holds_the_moves_of_two_batches(home: Path, league: Tournament, monkeypatch: pytest.MonkeyPatch) -> None:
    read, alive = [], []
    batches = Store.batches

    def watched(store: Store, id: str, decisions: bool = False) -> Iterator[ResultBatch]:
        for batch in batches(store, id, decisions):
            read.append(weakref.ref(batch.moves))
            alive.append(sum(one() is not None for one in read))
            yield batch

    monkeypatch.setattr(Store, "batches", watched)
    with Store() as store:
        export.export(store, league.id, home / "batches.csv")
    assert len(alive) > 4
    assert max(alive) <= 2  # the next batch is read before the last one is released


def test_an_export_that_is_stopped_leaves_the_old_file(home: Path, league: Tournament) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    (home / "old.csv").write_text("the old one")
    with Store() as store, pytest.raises(KeyboardInterrupt):
        export.export(store, league.id, home / "old.csv", stop)
    assert (home / "old.csv").read_text() == "the old one"
    assert not list(home.glob(".*"))


def test_stored_decisions_are_in_lines_of_json_alone(home: Path) -> None:
    did("match", "isolation", "open,depth=1", "random", "--games", 4, "--board", "4x5", "--decisions")
    for suffix in ("jsonl", "csv"):
        did("export", "last", f"decisions.{suffix}")
    for row in lines_of(home / "decisions.jsonl"):
        assert [decision["move"] for decision in row["decisions"]] == row["moves"]
    assert "decisions" not in (home / "decisions.csv").read_text().splitlines()[0]


def test_games_after_the_end_of_a_sequential_test_are_not_exported(home: Path) -> None:
    did("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, "--board", "4x5")
    games = json.loads(did("report", "last", "--json"))["games"]
    did("export", "last", "test.csv")
    assert len((home / "test.csv").read_text().splitlines()) == 1 + games < 4001


def exported(result: Tournament, monkeypatch: pytest.MonkeyPatch, folder: Path) -> Rows:
    """Export a tournament of a game that is not registered."""

    with Store(folder / "toys.db") as store, monkeypatch.context() as patch:
        store.begin(result.contest)
        for batch in result.batches:
            store.add(result.contest, batch)
        patch.setattr(Store, "contest", lambda store, id: result.contest)
        patch.setattr(Store, "find", lambda store, prefix: prefix)
        export.export(store, result.id, folder / "toys.jsonl")
    return [{name: row[name] for name in row if name != "rules"} for row in lines_of(folder / "toys.jsonl")]


def test_moves_after_dice_and_of_a_third_player_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    race = Race(players=3)

    @sparring.agent(race)
    def runs(view: View) -> int:
        return view.legal[-1]

    result = sparring.league(race, [runs, "random"], games=12)
    assert exported(result, monkeypatch, tmp_path) == expected(result)


def test_simultaneous_moves_are_in_the_order_of_the_seats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pennies = Pennies()

    @sparring.agent(pennies)
    def heads(view: View) -> int:
        return 0

    result = sparring.match(pennies, heads, "random", games=6)
    rows = exported(result, monkeypatch, tmp_path)
    assert rows == expected(result)
    assert all(row["moves"][0::2] == ["choose0"] * 5 for row in rows if row["seats"][0] == "heads")


@pytest.mark.parametrize("name", [name for name in names() if game(name).fixed_names])
def test_fixed_names_of_actions_are_those_of_a_replay(name: str) -> None:
    made = game(name)
    position = made.start(3)
    while not position.over:
        actions = {player: made.legal(position.state, player)[-1] for player in position.actors}
        for player, action in actions.items():
            assert export._fixed_name(made, action) == made.action_name(position.state, player, action)
        position = position.after(actions)


def test_a_format_that_cannot_be_written_is_refused(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    error = "unknown format of games.xlsx; name a file that ends in .jsonl, .csv, .parquet"
    assert spar("export", "last", "games.xlsx")[::2] == (2, f"spar: {error}\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    error = f"Parquet files need pyarrow: {sys.executable} -m pip install 'sparring[parquet]'"
    assert spar("export", "last", "games.parquet")[::2] == (2, f"spar: {error}\n")
