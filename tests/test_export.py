"""What is exported is what was played: read back, every game is the one that a replay shows."""

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
from sparring.arena.batch import Sheet
from sparring.arena.experiment import Contest
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.arena.store import Store
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


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return at_home(tmp_path, monkeypatch, USERS_FILE)


@pytest.fixture
def league(folder: Path) -> Tournament:
    """Three agents, one of which fails so often that it is retired."""
    did("league", "isolation", "random", "mine.py:falls", "greedy", "--games", 60, "--board", "4x5")
    with Store() as store:
        result = sparring.api.report("last", store=store)
    assert result.retired
    return result


def as_exported(result: Tournament, number: int) -> dict[str, Any]:
    """What is expected of one game."""
    played: PlayedGame = result.game(number)
    table, block, game = result.place(number)
    agents = [result.names[agent] for agent in result.contest.seatings(table)[game]]
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


def all_expected(result: Tournament) -> list[dict[str, Any]]:
    return [as_exported(result, n) for n in range(1, result.contest.games + 1) if result.was_played(n)]


def lines_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def by_number(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(rows, key=lambda row: int(row["game"]))


def test_lines_of_json_are_the_games_that_count(folder: Path, league: Tournament) -> None:
    said = spar("export", "last", "games.jsonl")
    assert (said.code, said.out, said.err) == (0, "", f"games.jsonl: {league.played} games\n")
    rows = lines_of(folder / "games.jsonl")
    assert {row.pop("rules")["game"] for row in rows} == {"isolation"}
    assert by_number(rows) == all_expected(league)


def test_moves_are_in_memory_a_sheet_at_a_time(
    folder: Path, league: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, most = [], []
    each = Store.each_sheet

    def watched(store: Store, id: str, decisions: bool = False) -> Iterator[Sheet]:
        for sheet in each(store, id, decisions):
            read.append(weakref.ref(sheet.moves))
            most.append(sum(one() is not None for one in read))
            yield sheet

    monkeypatch.setattr(Store, "each_sheet", watched)
    with Store() as store:
        export.export(store, league.id, folder / "games.csv")
    assert len(most) > 4
    assert max(most) <= 2  # one has been read before the other is let go


def test_rows_of_a_spreadsheet_are_the_games_that_count(folder: Path, league: Tournament) -> None:
    did("export", "last", "games.csv")
    with (folder / "games.csv").open(newline="") as file:
        rows = by_number(list(csv.DictReader(file)))
    expected = all_expected(league)
    assert len(rows) == len(expected)
    for row, game in zip(rows, expected, strict=True):
        for name in ("experiment", "game", "table", "block", "seed", "opening", "ending"):
            assert row[name] == str(game[name])
        for name in ("failed_seat", "failed_agent", "detail"):
            assert row[name] == ("" if game[name] is None else str(game[name]))
        assert row["moves"].split() == game["moves"]
        assert [row["agent_0"], row["agent_1"]] == game["seats"]
        assert [float(row["score_0"]), float(row["score_1"])] == game["scores"]
        for name in ("turns", "nodes", "depth", "seconds"):
            assert [float(row[f"{name}_0"]), float(row[f"{name}_1"])] == game[name]


def test_a_parquet_file_holds_the_games_that_count(folder: Path, league: Tournament) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    did("export", "last", "games.parquet")
    assert by_number(parquet.read_table(folder / "games.parquet").to_pylist()) == all_expected(league)


def test_decisions_are_exported_where_they_were_kept(folder: Path) -> None:
    did("match", "isolation", "open,depth=1", "random", "--games", 4, "--board", "4x5", "--decisions")
    did("export", "last", "games.jsonl")
    for line in (folder / "games.jsonl").read_text().splitlines():
        row = json.loads(line)
        assert [decision["move"] for decision in row["decisions"]] == row["moves"]
    did("export", "last", "games.csv")
    assert "decisions" not in (folder / "games.csv").read_text().splitlines()[0]


def exported(result: Tournament, monkeypatch: pytest.MonkeyPatch, folder: Path) -> list[dict[str, Any]]:
    """A tournament of a game that is not on the shelf, exported as if it had been."""

    def contest(store: Store, id: str) -> Contest:
        return result.contest

    with Store(folder / "toys.db") as store, monkeypatch.context() as patch:
        store.begin(result.contest)
        for sheet in result.sheets:
            store.add(result.contest, sheet)
        patch.setattr(Store, "contest", contest)
        patch.setattr(Store, "find", lambda store, start: start)
        export.export(store, result.id, folder / "toys.jsonl")
    return by_number([{name: row[name] for name in row if name != "rules"} for row in lines_of(folder / "toys.jsonl")])


def test_dice_and_a_third_player_are_replayed_to_name_the_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Race(players=3)

    @sparring.agent(game)
    def runs(view: View) -> int:
        return view.legal[-1]

    result = sparring.league(game, [runs, "random"], games=12)
    assert exported(result, monkeypatch, tmp_path) == all_expected(result)


def test_moves_made_at_once_are_named_in_the_order_of_the_seats(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = Pennies()

    @sparring.agent(game)
    def heads(view: View) -> int:
        return 0

    result = sparring.match(game, heads, "random", games=6)
    rows = exported(result, monkeypatch, tmp_path)
    assert rows == all_expected(result)
    assert all(row["moves"][0::2] == ["choose0"] * 5 for row in rows if row["seats"][0] == "heads")


def test_games_after_the_end_of_a_sequential_test_are_not_exported(folder: Path) -> None:
    did("match", "isolation", "greedy", "random", "--sprt", "0:50", "--games", 4000, "--board", "4x5")
    told = json.loads(did("report", "last", "--json"))
    did("export", "last", "games.csv")
    assert len((folder / "games.csv").read_text().splitlines()) == 1 + told["games"] < 4001


def test_an_unknown_kind_of_file_is_refused_in_one_line(folder: Path) -> None:
    said = spar("export", "last", "games.xlsx")
    told = "cannot tell what games.xlsx should be; name a file ending in .jsonl, .csv, .parquet"
    assert (said.code, said.err) == (2, f"spar: {told}\n")


def test_without_pyarrow_a_parquet_file_is_refused_with_the_remedy(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = spar("export", "last", "games.parquet")
    remedy = f"{sys.executable} -m pip install 'sparring[parquet]'"
    assert (said.code, said.err) == (2, f"spar: Parquet files need pyarrow: {remedy}\n")


def test_an_export_that_is_stopped_leaves_the_old_file_and_no_litter(
    folder: Path, league: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "games.csv").write_text("the old one")

    def stopped(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with Store() as store, pytest.raises(KeyboardInterrupt):
        export.export(store, "last", folder / "games.csv", stopped)
    assert (folder / "games.csv").read_text() == "the old one"
    assert not list(folder.glob(".*"))


def test_names_that_are_said_to_be_fixed_are_those_of_a_replay(folder: Path) -> None:
    from sparring.games.registry import game, names

    for name in names():
        made = game(name)
        if made.fixed_names:
            position = made.start(3)
            while not position.over:
                actions = {player: made.legal(position.state, player)[-1] for player in position.actors}
                for player, action in actions.items():
                    assert export._fixed_name(made, action) == made.action_name(position.state, player, action)
                position = position.after(actions)
