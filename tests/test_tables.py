"""Games of more than two, and of two who move at once: everybody gets every seat, the same dice and its due."""

import shlex
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did, spar
from sparring.agents.agent import Agent, DeclaredAgent, FunctionAgent, RandomAgent, View
from sparring.arena import run
from sparring.arena import schedule as plan
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.referee import PlayedGame, play
from sparring.arena.result import Tournament
from sparring.core.errors import SparringError
from sparring.games.contract import Action, Game
from strangers import installed
from toy_games import Pennies, Race

pytestmark = pytest.mark.slow


def dashes(view: View) -> Action:
    return 1


def dozes(view: View) -> Action:
    """Stays where it is every other time."""
    return int(view.random.random() < 0.5)


def sleeps(view: View) -> Action:
    return 0


def falls(view: View) -> Action:
    raise RuntimeError("fell")


def stumbles(view: View) -> Action:
    if view.random.random() < 0.1:
        raise RuntimeError("stumbled")
    return 1


def runner(function: Any, game: str = "race") -> Agent:
    return FunctionAgent(function.__name__, DeclaredAgent(function.__name__, game, function))


DASHES, DOZES, SLEEPS = (runner(function) for function in (dashes, dozes, sleeps))
AGENTS = {one.name: (lambda game, spec, one=one: one) for one in (DASHES, DOZES, SLEEPS)}
THREE = Race(players=3)
FOUR = Race(players=4)


def seated(result: Tournament) -> Counter[tuple[str, ...]]:
    return Counter(game.agents for game in result.games)


# Who sits where


@pytest.mark.parametrize("seats", range(2, 9))
def test_a_league_seats_every_group_that_fits_once(seats: int) -> None:
    tables = plan.league_tables(9, seats)
    assert len({frozenset(table) for table in tables}) == len(tables)
    assert all(len(set(table)) == seats for table in tables)
    assert len({Counter(number for table in tables for number in table)[number] for number in range(9)}) == 1


@pytest.mark.parametrize(("agents", "seats"), [(2, 3), (2, 8), (3, 4), (3, 7)])
def test_with_fewer_agents_than_seats_all_of_them_sit_at_every_table(agents: int, seats: int) -> None:
    tables = plan.league_tables(agents, seats)
    assert len({tuple(sorted(table)) for table in tables}) == len(tables)
    assert all(set(table) == set(range(agents)) and len(table) == seats for table in tables)
    total = Counter(number for table in tables for number in table)
    assert len(set(total.values())) == 1


def test_in_a_gauntlet_the_opponent_takes_all_other_seats() -> None:
    for seats in range(2, 9):
        tables = plan.gauntlet([0, 1], [2, 3, 4], seats)
        assert tables == [(one, *[other] * (seats - 1)) for one in (0, 1) for other in (2, 3, 4)]


@pytest.mark.parametrize(("seats", "side", "table"), [(4, 2, "0101"), (4, 3, "0100"), (6, 2, "011011"), (3, 2, "010")])
def test_a_side_of_several_sits_apart(seats: int, side: int, table: str) -> None:
    assert plan.gauntlet([0], [1], seats, side) == [tuple(map(int, table))]


@pytest.mark.parametrize("all_orders", [False, True])
@pytest.mark.parametrize("seats", range(2, 8))
def test_in_every_block_everybody_gets_every_seat_equally_often(seats: int, all_orders: bool) -> None:
    tables = {tuple(range(seats)), (0, *[1] * (seats - 1)), (0, 1, *[2] * (seats - 2)), *plan.league_tables(2, seats)}
    for table in tables:
        rounds = plan.seatings(table, all_orders)
        assert tuple(rounds[0, 0].tolist()) == table
        for found in rounds.tolist():
            assert len(set(map(tuple, found))) == len(found)
            for agent in set(table):
                shares = {sum(seating[seat] == agent for seating in found) for seat in range(seats)}
                assert shares == {len(found) * table.count(agent) // seats}


@pytest.mark.parametrize("table", [(0, 1), (0, 1, 2), (0, 0, 1), (0, 1, 2, 3), (0, 0, 1, 2), (0, 0, 1, 1)])
def test_all_orders_are_played_once_by_permutations_and_by_rotations_of_three_agents_or_more(table: plan.Table) -> None:
    for all_orders in (True, False):
        orders = [tuple(order) for order in plan.seatings(table, all_orders).reshape(-1, len(table)).tolist()]
        assert len(set(orders)) == len(orders)
        if all_orders or len(set(table)) > 2 or len(table) < 4:
            assert set(orders) == set(permutations(table))


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_each_agent_sits_before_each_other_equally_often(seats: int) -> None:
    """In one order turned seat by seat an agent always follows the same other one."""
    rounds = plan.seatings(tuple(range(seats)))
    followers = Counter(
        (one, other)
        for seating in rounds.reshape(-1, seats).tolist()
        for one, other in zip(seating, seating[1:] + seating[:1], strict=True)
    )
    assert len(followers) == seats * (seats - 1)
    assert len(set(followers.values())) == 1


def test_no_two_experiments_share_a_block() -> None:
    assert len({plan.block_seed(seed, block) for seed in range(20) for block in range(1000)}) == 20_000


def test_tables_can_be_named() -> None:
    tables = [["dashes", "dashes", "dozes"], ["dashes", "dozes", "random"]]
    league = sparring.league(THREE, [DASHES, DOZES, RandomAgent()], games=6, tables=tables)
    assert Counter(tuple(sorted(game.agents)) for game in league.games) == {tuple(sorted(t)): 6 for t in tables}


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"games": 4}, "give a multiple of 3, not 4"),
        ({"games": 9, "seating": "permutations"}, "give a multiple of 6, not 9"),
        ({"games": 0}, "games must be a whole number from 1 to 1e15, not 0"),
        ({"tables": [["dashes", "dozes"]]}, "a table seats 3 agents"),
        ({"tables": [["dashes"] * 3]}, "not all of them the same"),
        ({"tables": [["dashes", "dozes", "nobody"]]}, "unknown agent at a table 'nobody'"),
        ({"sprt": "0:10"}, "a sequential test of 3 players is given in effects"),
    ],
)
def test_what_cannot_be_seated_is_told(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SparringError, match=told):
        sparring.league(THREE, [DASHES, DOZES, RandomAgent()], **{"games": 3, **settings})


# The same dice


def rolls(game: Game, played: PlayedGame) -> list[int]:
    """What the die showed before each turn."""
    position = game.start(played.seed)
    shown = [int(position.state.roll)]
    for turn in played.turns:
        position = position.after(turn.code)
        shown.append(int(position.state.roll))
    return shown


def test_every_seating_of_a_block_has_the_same_dice() -> None:
    league = sparring.league(THREE, [DASHES, DOZES, SLEEPS], games=30)
    for first in range(0, 30, 3):
        shown = [rolls(THREE, game) for game in league.games[first : first + 3]]
        shortest = min(map(len, shown))
        assert shortest > 8
        assert shown[0][:shortest] == shown[1][:shortest] == shown[2][:shortest]
    assert len({tuple(rolls(THREE, game)[:8]) for game in league.games}) == 10


@pytest.mark.parametrize(("workers", "seconds"), [(2, 60.0), (8, 0.0)])
def test_workers_do_not_change_the_games_of_tables(
    workers: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    agents = [DASHES, DOZES, runner(stumbles), runner(falls)]
    monkeypatch.setattr(run, "JOB_SECONDS", 0.0)
    once = sparring.league(THREE, agents, games=30, failures=4, workers=1)
    monkeypatch.setattr(run, "JOB_SECONDS", seconds)
    again = sparring.league(THREE, agents, games=30, failures=4, workers=workers)
    assert once.retired == again.retired != {}
    assert [game.turns for game in once.games] == [game.turns for game in again.games]
    assert once.placings == again.placings


# What it proves


def test_who_always_runs_is_placed_before_who_dozes_before_who_sleeps() -> None:
    league = sparring.league(THREE, [SLEEPS, DOZES, DASHES], games=150)
    assert [placing.name for placing in league.placings] == ["dashes", "dozes", "sleeps"]
    first, second, third = league.placings
    assert first.wins > 0.8 > 0.2 > second.wins > third.wins == 0
    assert first.place < second.place < third.place
    assert first.wins + second.wins + third.wins == pytest.approx(1)
    assert first.seats == second.seats == third.seats == 150
    assert seated(league) == dict.fromkeys(permutations(("dashes", "dozes", "sleeps")), 25)
    lines = [line.split() for line in str(league).splitlines() if line[:1].isdigit()]
    assert [line[:2] for line in lines[:3]] == [["1", "dashes"], ["2", "dozes"], ["3", "sleeps"]]
    assert "150 games of 3, each agent in every seat equally often" in str(league)


def test_a_failure_costs_only_the_one_who_failed() -> None:
    league = sparring.league(THREE, [DASHES, DOZES, runner(falls)], games=9, failures=0)
    for game in league.games:
        assert game.reason == "crash: RuntimeError: fell"
        assert [score for agent, score in zip(game.agents, game.scores, strict=True) if agent == "falls"] == [0.0]
    assert league.failures() == {"falls": {"crash": 9}}
    dashes, dozes, _ = sorted(league.placings, key=lambda placing: placing.name)
    assert dashes.wins > 0.8 > 0.2 > dozes.wins  # the others played on, and the better one won


def test_two_may_fail_in_one_game_and_who_takes_their_place_wins_nothing_for_it() -> None:
    played = play(THREE, [runner(falls), runner(falls), DASHES], seed=5)
    assert played.scores == (0.0, 0.0, 1.0)
    assert (played.failed, played.reason) == (0, "crash: RuntimeError: fell")
    for seed in range(10):  # only the stand-in ever runs
        assert play(THREE, [SLEEPS, SLEEPS, runner(falls)], seed).scores == (0.0, 0.0, 0.0)


def test_tables_of_a_retired_agent_end_and_others_go_on() -> None:
    league = sparring.league(THREE, [DASHES, DOZES, RandomAgent(), runner(falls)], games=60, failures=9)
    played = Counter(frozenset(game.agents) for game in league.games)
    assert played.pop(frozenset({"dashes", "dozes", "random"})) == 60
    assert set(played.values()) == {3}
    assert "falls lost 9 games by crash and was retired" in str(league)


def test_a_sequential_test_at_a_table_ends_when_enough_is_known() -> None:
    """Of equals all three are equals: between two before a third, the order of seats would favour one."""
    naps, nods = (FunctionAgent(name, DeclaredAgent(name, "race", dozes)) for name in ("naps", "nods"))
    for agents, accepted in (((DASHES, DOZES, RandomAgent()), 1), ((DOZES, naps, nods), 0)):
        match = sparring.match(THREE, *agents, games=3000, sprt="effect=0:0.5")
        assert match.sprt_state.stop and match.sprt_state.stop.accepted == accepted
        assert match.played == 3 * match.sprt_state.stop.blocks < 600
        assert f"an effect of {'+0.5' if accepted else '0'} fits the games" in str(match)


# Numbers of games


@pytest.mark.parametrize("seating", ["permutations", "rotations"])
@pytest.mark.parametrize(("seats", "agents"), [(2, 2), (2, 4), (3, 2), (3, 4), (4, 2), (4, 3)])
def test_every_game_has_a_number_of_its_own_and_is_found_by_it(seats: int, agents: int, seating: str) -> None:
    runners = [DASHES, DOZES, SLEEPS, RandomAgent()][:agents]
    names = [one.name for one in runners]
    experiment = make_experiment(game="race", agents=names, games=48, seating=seating, seed=3)
    contest = Contest.between(experiment, Race(players=seats), runners)
    result = Tournament(contest, [])
    games = [
        (table, block, game)
        for table in range(len(contest.tables))
        for block in range(contest.blocks(table))
        for game in range(contest.games_a_block(table))
    ]
    numbers = [result.number(*place) for place in games]
    assert len(games) == len(set(numbers)) == contest.games
    assert min(numbers) == 1
    assert [result.place(number) for number in numbers] == games


def test_no_game_is_left_out_where_tables_differ_in_their_seatings() -> None:
    with pytest.raises(SparringError, match="give a multiple of 12, not 6"):
        sparring.league(FOUR, [DASHES, DOZES], games=6, seating="permutations")
    league = sparring.league(FOUR, [DASHES, DOZES], games=12, seating="permutations")
    assert len(league.games) == league.played == 36
    assert Counter(game.agents.count("dashes") for game in league.games) == {1: 12, 2: 12, 3: 12}


# Users' agents, and toys on the shelf


def test_a_users_python_sits_at_a_table_of_three(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        'from sparring import agent\n@agent("race")\ndef mine(view):\n    return 1\n'
        '@agent("race")\ndef idle(view):\n    return 0\n'
    )
    agents = [f"{tmp_path}/mine.py:mine", f"{tmp_path}/mine.py:idle", "random"]
    league = sparring.league(THREE, agents, games=30)
    assert not league.failures()
    assert [placing.name for placing in league.placings] == [agents[0], agents[2], agents[1]]


@pytest.fixture
def toys(tmp_path: Path) -> Iterator[None]:
    """The toy games, as if a package declared them and this file had their agents."""
    games = {game.name: f"toy_games:{game.__name__}" for game in (Race, Pennies)}
    with installed(tmp_path, "toys", {}, {"sparring.games": games, "sparring.agents": dict.fromkeys(games, __name__)}):
        yield


@pytest.mark.usefixtures("toys")
def test_a_league_of_three_is_kept_repeated_and_replayed(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    words = ["league", "race", "dashes", "dozes", "random", "sleeps", "--players", 3, "--games", 6]
    out = did(*words, "--store", store)
    assert out.splitlines()[1].split()[:2] == ["1", "dashes"]
    again = next(line for line in out.splitlines() if line.startswith("again: spar "))
    assert did(*shlex.split(again)[2:]).splitlines()[:5] == out.splitlines()[:5]
    id = out.split("spar report ")[1].split()[0].rstrip(",")
    said = spar("run", "--again", id, "--store", store)
    assert said.err.splitlines()[-1] == "all 24 games are those kept, move for move"
    assert len(did("replay", id, "--list", "--store", store).splitlines()) == 24
    assert "after choose1" in did("replay", id, "--game", 24, "--store", store)


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize(
    "words",
    [
        "match race dashes dozes random --players 3 --games 6",
        "match race dashes dashes random --players 3 --games 6",
        "league race dashes dozes --players 4 --games 12 --seating permutations",
        "match race dashes dozes --players 2 --games 6",
    ],
)
def test_the_printed_command_finds_the_experiment_that_it_came_from(words: str, tmp_path: Path) -> None:
    out = did(*words.split(), "--store", tmp_path / "games.db")
    again = next(line for line in out.splitlines() if line.startswith("again: spar "))
    id = out.split("spar report ")[1].split()[0]
    assert did(*shlex.split(again)[2:]).split("spar report ")[1].split()[0] == id


# Two who move at once


def always(side: int) -> Agent:
    def shows(view: View) -> Action:
        return side

    shows.__name__ = f"always{side}"
    return runner(shows, "pennies")


def test_two_who_move_at_once_play_and_their_games_replay() -> None:
    match = sparring.match(Pennies(), always(0), RandomAgent(), games=20)
    assert match.played == 20
    for game in match.games:
        assert len(game.turns) == 10
        assert [turn.player for turn in game.turns] == [0, 1] * 5
        position = Pennies().start(game.seed)
        for one, other in zip(game.turns[::2], game.turns[1::2], strict=True):
            position = position.after({0: one.code, 1: other.code})
        assert position.outcome == game.scores


def test_a_failure_after_the_other_has_chosen_ends_the_game_there() -> None:
    def forgets(view: View) -> Action:
        if view.state.left < 3:
            raise RuntimeError("forgot")
        return 1

    match = sparring.match(Pennies(), always(0), runner(forgets, "pennies"), games=2)
    in_front, behind = match.games
    assert (in_front.scores, len(in_front.turns)) == ((1.0, 0.0), 7)
    assert (behind.scores, len(behind.turns)) == ((0.0, 1.0), 6)
    assert in_front.reason == behind.reason == "crash: RuntimeError: forgot"


def test_one_who_moves_at_once_does_not_see_what_the_other_chose() -> None:
    seen = []

    def peeks(view: View) -> Action:
        seen.append(view.position.game.text(view.state))
        return 0

    sparring.match(Pennies(), always(1), runner(peeks, "pennies"), games=2)
    assert sorted(seen[:5]) == sorted(seen[5:])
    assert np.unique(seen).size == 5
