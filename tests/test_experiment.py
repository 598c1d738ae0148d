"""Experiments are files; the design document's tournament is one of them."""

import re
from pathlib import Path

import pytest

import sparring
from sparring.arena import experiment
from sparring.arena.store import Store
from sparring.arena.summary import PartResults, share, win_rate
from sparring.core.errors import SparringError
from sparring.games.ludo import rulebased
from sparring.statistics.intervals import Score
from strangers import installed

SEED_003, SEED_000 = experiment.experiment_file("seed-003"), experiment.experiment_file("seed-000")
SMALL = """
title = "small"
game = "isolation"
options = { board = "5x5" }
games = 4
[contestants]
mine = { spec = "alphabeta:improved", nodes = 200, time = "5ms", claim = 50.0 }
[opponents]
Random = { spec = "random" }
Same = { spec = "alphabeta:improved", nodes = 200, time = "5ms" }
"""


def test_the_seeds_tournament_has_its_five_heuristics_with_claims_and_seven_opponents() -> None:
    planned = experiment.load(SEED_003)[0][0]
    claims = {name: entry.claim for name, entry in planned.contestants.items() if entry.claim}
    assert claims == {
        "improved": 65.88,
        "avoid_corners_as_written": 66.37,
        "chase_as_written": 60.7,
        "weighted_chase_as_written": 62.9,
        "next_moves": 71.2,
    }
    assert {name: entry.spec for name, entry in planned.opponents.items()} == {
        "Random": "random",
        "MM_Open": "minimax:open,depth=3,reference",
        "MM_Center": "minimax:center,depth=3,reference",
        "MM_Improved": "minimax:improved,depth=3,reference",
        "AB_Open": "alphabeta:open,reference",
        "AB_Center": "alphabeta:center,reference",
        "AB_Improved": "alphabeta:improved,reference",
    }
    assert all(entry.spec.startswith("alphabeta:") for entry in planned.contestants.values())


def test_three_of_the_percentages_of_the_isolation_document_cannot_come_of_700_games() -> None:
    claims = ((65.88, 2), (66.37, 2), (60.7, 1), (62.9, 1), (71.2, 1))
    possible = {digits: {round(100 * won / 700, digits) for won in range(701)} for digits in (1, 2)}
    assert [claim for claim, digits in claims if claim not in possible[digits]] == [65.88, 66.37, 71.2]


def test_the_seeds_tournament_has_50_matches_of_two_games_against_each_opponent() -> None:
    planned = experiment.Contest.of(experiment.load(SEED_003, only=["improved"])[0][0])
    assert [planned.blocks(table) for table in range(len(planned.tables))] == [50] * 7
    assert {planned.games_a_block(table) for table in range(7)} == {2}


def test_a_heuristic_that_is_quick_to_compute_has_more_nodes() -> None:
    nodes = {name: entry.nodes or 0 for name, entry in experiment.load(SEED_003)[0][0].contestants.items()}
    assert nodes["open"] > nodes["improved"] > nodes["next_moves"]


def test_the_basic_heuristic_wins_most_of_its_games_in_the_seeds_tournament() -> None:
    assert sparring.run(SEED_003, games=10, only=["improved"]).total("improved").mean > 0.55


@pytest.mark.parametrize(
    ("won", "rate"),
    [
        ([8, 5, 7, 6, 5, 6, 5], "60.0 %"),
        ([7, 5, 7, 9, 4, 6, 6], "62.9 %"),
        ([7, 6, 7, 6, 5, 6, 6], "61.4 %"),
        ([7, 8, 8, 7, 5, 5, 4], "62.9 %"),
    ],
)
def test_the_win_rates_of_the_seeds_example_follow_from_its_matches(won: list[int], rate: str) -> None:
    assert win_rate([Score.of([[1.0] * wins + [0.0] * (10 - wins)]) for wins in won]) == rate


def test_budgets_are_nodes_unless_the_clock_is_asked_for() -> None:
    entry = experiment.load(SEED_003)[0][0].contestants["next_moves"]
    assert entry.text(timed=False) == "alphabeta:next_moves,reference,nodes=7200"
    assert entry.text(timed=True) == "alphabeta:next_moves,reference,time=140ms"


def test_an_experiment_sets_the_claim_beside_what_came_out(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    outcome = sparring.run(file)
    assert outcome.total("mine").games == 8
    row = next(line for line in str(outcome).splitlines() if line.startswith("mine"))
    assert "50.0" in row
    assert row.endswith(("inside", "outside"))


def test_the_documents_own_table_counts_wins_and_losses_match_by_match(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    many = "\n".join(f'other{place} = "open,depth={place}"' for place in range(1, 5))
    file.write_text(SMALL.replace("[opponents]", f"{many}\n[opponents]"))
    outcome = sparring.run(file)
    lines = [line.split() for line in str(outcome).splitlines()]
    first = lines.index(["Match", "#", "Opponent", "mine", "other1", "other2", "other3"])
    assert lines[first + 1] == ["Won", "Lost"] * 4
    names = ["mine", "other1", "other2", "other3"]
    for place, opponent in enumerate(("Random", "Same")):
        met = [outcome.against(name, opponent) for name in names]
        counts = [f"{count}" for score in met for count in (score.won, score.lost)]
        assert lines[first + 2 + place] == [f"{place + 1}", opponent, *counts]
    rates = [f"{100 * outcome.total(name).won / 8:.1f}" for name in names]
    assert [word for word in lines[first + 4][2:] if word != "%"] == rates
    assert ["Match", "#", "Opponent", "other4"] in lines, "four beside each other at most"


def test_draws_are_counted_beside_wins_and_losses(tmp_path: Path) -> None:
    file = tmp_path / "still.toml"
    file.write_text('game = "flagwar"\ngames = 2\ncontestants = { a = "still" }\nopponents = { b = "still" }\n')
    lines = [line.split() for line in str(sparring.run(file)).splitlines()]
    assert ["Won", "Drawn", "Lost"] in lines
    assert ["1", "b", "0", "2", "0"] in lines
    assert ["Win", "Rate:", "0.0", "%"] in lines


def test_only_some_contestants_may_play_by_the_clock_and_the_command_says_so(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("[opponents]", 'other = "greedy"\nthird = "random"\n[opponents]'))
    outcome = sparring.run(file, only=["mine", "third"], timed=True, limit="20s", games=2)
    assert outcome.names == ["mine", "third", "Random", "Same"]
    assert outcome.contest.setup().limits.move == 20.0
    assert {game.reason for game in outcome.games} == {"no moves left"}
    assert any("time=5ms" in spec for game in outcome.games for spec in game.agents)
    assert outcome.command().endswith("small.toml --only mine,third --time --limit 20s --games 2")
    with pytest.raises(SparringError, match="a limit has no effect; with --time"):
        sparring.run(file, limit="20s")
    with pytest.raises(SparringError, match="unknown agent of the experiment 'thrid'; did you mean third"):
        sparring.run(file, only=["thrid"])


PARTS = """
title = "parts"
game = "ludo"
options = { tokens = 1 }
games = 8
[[parts]]
part = "duel"
options = { players = 2, tokens = 1 }
[[parts]]
part = "pairs"
side = 2
opponents = { random = "random" }
[contestants]
smart = "semi_smart"
last = "rearmost"
[opponents]
random = "random"
first = "furthest"
"""


def test_the_parts_of_a_file_make_one_table_and_go_on_where_they_were(tmp_path: Path) -> None:
    file = tmp_path / "parts.toml"
    file.write_text(PARTS)
    with Store(tmp_path / "games.db") as store:
        outcome = sparring.run(file, store=store)
        begun = [one.id for one in store.listed()]
        again = sparring.run(file, store=store)
        assert len(begun) == 2
        assert [one.id for one in store.listed()] == begun
    assert isinstance(outcome, PartResults)
    assert isinstance(again, PartResults)
    assert again.parts[0].to_json()["pairings"] == outcome.parts[0].to_json()["pairings"]
    assert again.parts[1].to_json()["placings"] == outcome.parts[1].to_json()["placings"]
    lines = str(outcome).splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("part  "))
    assert lines[head].split() == ["part", "smart", "last"]
    assert [line[:12].strip() for line in lines[head + 1 : head + 4]] == ["duel random", "duel first", "pairs"]
    assert "48 games, 8 in each cell" in str(outcome)
    assert f"again: spar run {file}" in str(outcome)
    duel, pairs = outcome.parts
    assert duel.contest.game.seats == 2
    assert {game.agents for game in pairs.games} >= {("semi_smart", "random") * 2, ("random", "semi_smart") * 2}
    assert list(outcome.to_json()["parts"]) == ["duel", "pairs"]
    ours = [game for game in pairs.games if "semi_smart" in game.agents]
    won = sum(score for game in ours for name, score in zip(game.agents, game.scores, strict=True) if name != "random")
    assert pairs.against("smart", "random").mean == won / len(ours), "a side wins what any of its seats wins"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("side = 2", "side = 4"), ":11: side 4 leaves no seat of 4"),
        (("side = 2", "sides = 2"), ":11: unknown setting 'sides'"),
        (('part = "pairs"', 'part = "duel"'), ":10: every part needs a name of its own"),
        (('part = "pairs"\n', ""), ":9: every part needs a name of its own"),
        (("players = 2", "players = 9"), ":8: players must be a number from 2 to 4"),
        (('last = "rearmost"', 'last = "rearmist"'), ":15: unknown agent of ludo 'rearmist'"),
    ],
)
def test_a_slip_in_a_part_is_named_with_its_line(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    file = tmp_path / "parts.toml"
    file.write_text(PARTS.replace(*change))
    with pytest.raises(SparringError) as slip:
        sparring.run(file)
    assert told in str(slip.value)


@pytest.mark.slow
def test_games_that_an_agent_failed_in_are_told_beside_the_table_of_all_parts(tmp_path: Path) -> None:
    (tmp_path / "fails.py").write_text(
        'from sparring import agent\n\n\n@agent("ludo")\ndef boom(view):\n    raise RuntimeError("boom")\n'
    )
    file = tmp_path / "parts.toml"
    file.write_text(
        f"""game = "ludo"
games = 24
failures = 12
options = {{players = 3}}
contestants = {{a = "semi_smart", b = "{tmp_path / "fails.py"}:boom"}}
opponents = {{r = "random"}}
[[parts]]
part = "whole"
[[parts]]
part = "short"
seed = 2
"""
    )
    outcome = sparring.run(file)
    assert isinstance(outcome, PartResults)
    assert [part.against("b", "r").mean for part in outcome.parts] == [0, 0], "though others moved its tokens to a win"
    told = str(outcome)
    assert re.search(r"\d+ games, \d+ to 24 in a cell", told)
    assert "whole: b lost" in told
    assert "short: b lost" in told


@pytest.mark.parametrize(
    ("won", "of", "says"), [(24, 24, "100.0 ±13.8"), (0, 24, "0.0 ±13.8"), (12, 24, "50.0 ±18.6"), (0, 0, "")]
)
def test_a_cell_claims_no_more_than_its_interval(won: int, of: int, says: str) -> None:
    assert share(Score.of([[1.0 if place < won else 0.0] for place in range(of)])) == says


def test_the_rule_based_agents_flaws_are_mended_one_by_one_and_all_together() -> None:
    parts = [one for one, _ in experiment.load(SEED_000)]
    specs = [entry.spec for entry in parts[0].contestants.values()]
    mended = {fix for fix in rulebased.FIXES if fix not in rulebased.VARIANTS["as_written"]}
    assert {spec.partition("fix=")[2] for spec in specs if "fix=" in spec} == mended
    assert {"rulebased:as_written", "rulebased:corrected", "rulebased:as_coded"} < set(specs)
    assert [(one.part, len(one.opponents), one.games) for one in parts] == [
        ("2p", 3, 5000),
        ("1v3", 3, 5000),
        ("2v2", 1, 5000),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["seed-002", "seed-004"])
def test_every_agent_of_a_design_documents_experiment_can_be_made(name: str) -> None:
    for planned, places in experiment.load(name):
        assert experiment.Contest.of(planned, source=places).games >= 40


def test_the_claims_of_the_battlesnake_document_stand_beside_its_own_bench() -> None:
    parts = {one.part: one for one, _ in experiment.load("seed-002")}
    assert {part: one.contestants["override"].claim for part, one in parts.items() if part.startswith("bench")} == {
        "bench rhea": 30,
        "bench negamax": 0,
    }
    full = [parts[f"full {part}"] for part in ("rhea", "negamax", "baseline")]
    assert all(one.games >= 200 for one in full)
    rheas = [entry.spec for one in full for entry in one.entries.values() if "negamax" not in str(entry.spec)]
    assert len(rheas) == 5
    assert all("evolutions=400,population=50" in str(spec) for spec in rheas)
    assert parts["bench rhea"].options == {"map": "seed_002", "lengths": "frozen", "max_turns": "500"}


def test_a_strangers_game_brings_experiments_of_its_own(tmp_path: Path) -> None:
    code = "from sparring.games.isolation.game import Isolation\n\nclass Mine(Isolation):\n    name = 'mine'\n"
    said = 'game = "mine"\ngames = 4\nagents = ["random", "open"]\n'
    files = {"mine/__init__.py": code, "mine/experiments/mine-1.toml": said}
    with installed(tmp_path, "mine", files, {"sparring.games": {"mine": "mine:Mine"}}):
        assert [(one.game, one.games) for one, _ in experiment.load("mine-1")] == [("mine", 4)]
        (tmp_path / "mine/experiments/seed-003.toml").write_text(said)
        with pytest.raises(SparringError, match="several games come with an experiment seed-003"):
            experiment.load("seed-003")
        assert experiment.load("seed-004")[0][0].game == "flagwar"
        assert experiment.load(tmp_path / "mine/experiments/seed-003.toml")[0][0].game == "mine"
