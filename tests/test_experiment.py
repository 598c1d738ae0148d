"""Experiments are files; the design document's tournament is one of them."""

from pathlib import Path

import pytest

import sparring
from sparring.arena import experiment
from sparring.errors import SparringError

SEED_003 = Path(__file__).parent.parent / "experiments" / "seed-003.toml"
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
    planned = experiment.load(SEED_003)[0]
    claims = {name: entry.claim for name, entry in planned.contestants.items() if entry.claim}
    assert claims == {
        "improved": 65.88,
        "avoid_corners_as_written": 66.37,
        "chase_as_written": 60.7,
        "weighted_chase_as_written": 62.9,
        "next_moves": 71.2,
    }
    assert len(planned.opponents) == 7


def test_budgets_are_nodes_unless_the_clock_is_asked_for() -> None:
    entry = experiment.load(SEED_003)[0].contestants["next_moves"]
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


def test_an_agent_may_meet_its_equal_under_another_name(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL)
    meeting = sparring.run(file).between("mine", "Same")
    assert meeting is not None
    assert meeting.score.games == 4


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("games = 4", "games = 3"), r"small\.toml:5: games come in pairs .* not 3"),
        (("nodes = 200", "noodles = 200"), r"small\.toml:7: unknown setting 'noodles'; did you mean nodes"),
        (('title = "small"', "title = "), r"small\.toml:2: "),
        (("alphabeta:improved", "alphabeta:improvd"), r"small\.toml:7: .* did you mean improved"),
        (('game = "isolation"', 'game = "isolatoin"'), r"small\.toml:3: .* did you mean isolation"),
        (("5x5", "5x50"), r"small\.toml:4: no board '5x50'"),
        (('"random" }', '"randm" }'), r"small\.toml:9: .* did you mean random"),
        (("[opponents]", "[opponent]"), r"small\.toml:8: unknown setting 'opponent'; did you mean opponents"),
        (("[opponents]", "[sprt]\nelo0 = 5\n[opponents]"), r"small\.toml:8: "),
        (("[opponents]", "[sprt]\nello = 5\n[opponents]"), r"small\.toml:8: .*did you mean elo"),
        (("games = 4", 'games = 4\nlimit = "5"'), r"small\.toml:6: limit must be such as 150ms"),
        (("games = 4", 'games = 4\nmemory = "5"'), r"small\.toml:6: memory must be such as 512MB"),
    ],
)
def test_a_slip_in_the_file_is_named(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace(*change))
    with pytest.raises(SparringError, match=told):
        sparring.run(file)


def test_by_the_clock_the_limit_of_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(SMALL.replace("games = 4", 'games = 2\nlimit = "2s"'))
    outcome = sparring.run(file, timed=True)
    assert outcome.contest.setup().limits.move == 2.0
    assert outcome.total("mine").games == 4
    assert {game.reason for game in outcome.games} == {"no moves left"}
    assert any("time=5ms" in spec for game in outcome.games for spec in game.agents)
