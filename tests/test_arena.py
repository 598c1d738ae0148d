"""Matches that anyone can repeat, referees that cannot be fooled, and results that say what they prove."""

import json
import re
import shlex
import time
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparring
from commands import did
from sparring.agents.agent import Agent, FunctionAgent, View
from sparring.arena import notation
from sparring.arena.batch import ResultBatch
from sparring.arena.experiment import Contest, make_experiment
from sparring.arena.playout import result_type
from sparring.arena.referee import PlayedGame
from sparring.arena.result import Tournament
from sparring.games.contract import Action
from test_store import no_file_longer_than

GAME = sparring.game("isolation")
GOOD, WORSE, WORST = "voronoi,depth=3", "open,depth=1", "random"


def texts(result: Tournament) -> list[str]:
    return [notation.write(game) for game in result.games]


def function_agent(function: Any) -> Agent:
    """A function of a view as an agent that bears its name."""
    return FunctionAgent(function.__name__, sparring.agent("isolation")(function))


def meeting(function: Any, games: int = 4, limit: float | None = None) -> Tournament:
    """A function against the random agent."""
    return sparring.match(GAME, function_agent(function), "random", games=games, limit=limit)


def games_between(result: Tournament, *agents: str) -> list[PlayedGame]:
    return [game for game in result.games if set(game.agents) == set(agents)]


@pytest.fixture(scope="module")
def match() -> Tournament:
    return sparring.match(GAME, GOOD, WORST, games=10, seed=3)


@pytest.fixture(scope="module")
def league() -> Tournament:
    return sparring.league(GAME, [WORST, GOOD, WORSE], games=6, seed=3)


# Who meets whom, on which openings


def test_another_seed_plays_other_games(match: Tournament) -> None:
    assert texts(sparring.match(GAME, GOOD, WORST, games=10, seed=4)) != texts(match)


def test_every_opening_is_played_with_both_sides(match: Tournament) -> None:
    for one, two in zip(match.games[::2], match.games[1::2], strict=True):
        assert one.start == two.start
        assert one.agents == two.agents[::-1] == (GOOD, WORST)
    assert len({game.start for game in match.games}) == 5


def test_in_a_league_all_pairs_meet_on_the_same_openings(league: Tournament) -> None:
    assert [pairing.score.games for pairing in league.pairings] == [6, 6, 6]
    openings = [[game.start for game in games_between(league, *pair)] for pair in combinations(league.names, 2)]
    assert len(openings) == 3
    assert openings[0] == openings[1] == openings[2]
    assert len(set(openings[0])) == 3


def test_progress_counts_up_to_all_games() -> None:
    told: list[tuple[int, int]] = []
    sparring.match(GAME, WORSE, WORST, games=6, progress=lambda done, total, known: told.append((done, total)))
    assert told[-1] == (6, 6)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# Agents that fail


def raises(view: View) -> Action:
    raise RuntimeError("out of ideas")


def thinks_wrong(view: View) -> Any:
    return view.position.after("z9")


def leaves_the_board(view: View) -> str:
    return "z9"


def stays(view: View) -> Action:
    return int(view.state.at[view.me])


def answers_with_an_array(view: View) -> Any:
    return np.array(view.legal)


@pytest.mark.parametrize(
    ("function", "verdict", "reason"),
    [
        (raises, "crash", "crash: RuntimeError: out of ideas"),
        (thinks_wrong, "crash", "crash: "),
        (leaves_the_board, "illegal move", "illegal move: z9 is not legal here; legal: "),
        (stays, "illegal move", "illegal move: "),
        (answers_with_an_array, "illegal move", "illegal move: "),
    ],
)
def test_an_agent_that_fails_loses_by_a_named_verdict(function: Any, verdict: str, reason: str) -> None:
    match = meeting(function)
    assert all(game.reason.startswith(reason) for game in match.games)
    (pairing,) = match.pairings
    assert (pairing.score.lost, pairing.faults(), pairing.reversed.faults()) == (4, {verdict: 4}, {})


def test_an_agent_that_is_too_slow_for_the_limit_loses() -> None:
    def ponders(view: View) -> Action:
        time.sleep(0.25)
        return view.legal[0]

    match = meeting(ponders, games=2, limit=0.2)
    assert match.pairings[0].faults() == {"timeout": 2}
    assert all(game.reason.endswith(" ms of 200") for game in match.games)


def test_a_failing_agent_costs_only_its_own_games_and_is_named() -> None:
    league = sparring.league(GAME, [GOOD, function_agent(raises), WORST], games=4)
    assert {game.reason for game in games_between(league, GOOD, WORST)} == {"no moves left"}
    assert [pairing.score.games for pairing in league.pairings] == [4, 4, 4]
    assert "raises lost 8 games by crash (first: crash: RuntimeError: out of ideas)" in str(league)


# Agents that cheat


def test_scribbling_over_the_state_does_not_change_the_game() -> None:
    def scribbles(view: View) -> Action:
        move = view.legal[0]
        view.state.blocked = ~(1 << move)
        view.state.at[1 - view.me] = move
        return move

    def first_legal(view: View) -> Action:
        return view.legal[0]

    scribbled, honest = (meeting(function).games for function in (scribbles, first_legal))
    assert [game.turns for game in scribbled] == [game.turns for game in honest]


def test_entering_a_cell_wiped_clean_in_ones_own_copy_is_illegal() -> None:
    def returns(view: View) -> Action:
        """Unblocks what it can reach and moves to where somebody has been."""
        legal = set(view.legal)
        view.state.blocked = 0
        again = [cell for cell in view.position.game.legal(view.state, view.me) if cell not in legal]
        return again[0] if again else min(legal)

    assert meeting(returns, games=2).pairings[0].faults() == {"illegal move": 2}


# Results in words


def test_the_limit_is_in_the_command_to_repeat_a_match() -> None:
    assert sparring.match(GAME, WORSE, WORST, games=2, limit=5.0).command().endswith(" --limit 5000ms")


def test_games_that_repeat_each_other_count_once() -> None:
    fixed = sparring.game("isolation", opening="d4 e6")
    repeated = sparring.match(fixed, "open,depth=2", "improved,depth=2", games=10)
    assert (len(repeated.games), repeated.pairings[0].score.games) == (10, 2)
    assert "8 games repeat others move for move and do not count" in str(repeated)


@pytest.mark.slow
def test_games_of_three_that_repeat_each_other_count_once_too() -> None:
    bare = {"players": 3, "map": "empty", "board": "7x7"}
    agents = ["random", "random_safe", "flood_fill"]
    contest = Contest.of(make_experiment(game="battlesnake", options=bare, agents=agents, games=60))
    without_dice = tuple(replace(one, draws=False) for one in contest.participants)
    results = np.zeros((20, 3), result_type(3))
    results["failed"] = -1
    played = Tournament(
        replace(contest, participants=without_dice), [ResultBatch(0, 0, results, np.zeros(0, np.int64))]
    )
    assert [placing.seats for placing in played.placings] == [57] * 3
    assert "3 games repeat others move for move and do not count" in str(played)


@pytest.mark.parametrize(
    ("game", "agents", "effort"),
    [
        ("isolation", ("open,depth=2", "improved,depth=2"), r"depth [\d.]+ v [\d.]+ · [\d,]+ v [\d,]+ nodes a move"),
        ("isolation", ("open,depth=2", "random"), r"depth [\d.]+ v - · [\d,]+ v - nodes a move"),
        ("flagwar", ("still", "random"), r"[\d.]+ v [\d.]+ ms a move"),
    ],
)
def test_depth_and_nodes_are_printed_for_agents_that_search(game: str, agents: tuple[str, str], effort: str) -> None:
    assert re.match(effort, str(sparring.match(game, *agents, games=4)).splitlines()[2])


def test_the_text_and_the_json_of_a_league_are_ordered_by_rating(league: Tournament) -> None:
    table = [line.split() for line in str(league).splitlines() if line[:1].isdigit() and line[1:2] == " "]
    assert [row[:2] for row in table] == [["1", GOOD], ["2", WORSE], ["3", WORST]]
    told = json.loads(json.dumps(league.to_json(), allow_nan=False))
    assert sum(pairing["games"] for pairing in told["pairings"]) == len(league.games) == 18
    assert [(rating["name"], rating["games"]) for rating in told["ratings"]] == [(GOOD, 12), (WORSE, 12), (WORST, 12)]


def test_where_little_is_shown_the_figures_are_those_of_the_agent_named_first() -> None:
    few = sparring.match(GAME, WORST, GOOD, games=2, seed=3)
    assert few.to_json()["pairings"][0]["better"] is None
    verdict, counts, effort = str(few).splitlines()[:3]
    assert verdict.startswith(
        f"no significant difference between {WORST} and {GOOD}: -280 Elo [-698, +139] for {WORST}"
    )
    assert counts.startswith(f"{WORST} won 0 · drawn 0 · lost 2    0.0 %")
    assert re.match(r"depth - v [\d.]+ · - v [\d,]+ nodes a move", effort)


def test_every_line_below_the_verdict_speaks_of_the_agent_that_it_names_first() -> None:
    lost = sparring.match(GAME, WORST, GOOD, games=10, seed=3, sprt="0:10")
    verdict, counts, effort = str(lost).splitlines()[:3]
    test = next(line for line in str(lost).splitlines() if line.startswith("test of "))
    assert verdict.startswith(f"{GOOD} beats {WORST}: +")
    assert verdict.endswith("p(better) 99.9 %")
    assert counts.startswith(f"{GOOD} won 10 · drawn 0 · lost 0    100.0 % [")
    assert re.match(r"depth [\d.]+ v - · \d+ v - nodes a move", effort)  # the one that searches first
    assert test.startswith(f"test of {WORST} against {GOOD}: LLR -")
    (told,) = lost.to_json()["pairings"]
    assert (told["first"], told["better"], told["verdict"]) == (WORST, GOOD, verdict)
    assert told["effort"][0]["nodes"] == 0 < told["effort"][1]["nodes"]
    low, high = told["elo_interval"]
    assert low < told["elo"] < high < 0
    assert told["p_better"] < 0.01


def test_the_verdict_comes_first_and_how_to_repeat_it_last_and_the_json_says_the_same(match: Tournament) -> None:
    lines = str(match).splitlines()
    assert lines[0].startswith(f"{GOOD} beats {WORST}: +")
    assert ", 10 games in 5 pairs, p(better) " in lines[0]
    assert lines[-1].startswith(f"again: spar match isolation {GOOD} {WORST} ")
    told = json.loads(json.dumps(match.to_json(), allow_nan=False))
    (pairing,) = told["pairings"]
    assert [pairing["first"], pairing["second"], pairing["games"]] == [GOOD, WORST, 10]
    assert (pairing["better"], pairing["verdict"]) == (GOOD, lines[0])
    counts = f"{GOOD} won {pairing['won']} · drawn {pairing['drawn']} · lost {pairing['lost']} "
    assert lines[1].startswith(counts)
    assert lines[-1] == f"again: {told['command']}"


def test_a_match_without_a_finished_pair_has_text_and_json_too() -> None:
    stopped = Tournament(Contest.of(make_experiment(game="isolation", agents=[GOOD, WORST])), [], 0.1, interrupted=True)
    assert "no pair of games was finished" in str(stopped)
    assert "\nagain: spar match" in str(stopped)
    (pairing,) = json.loads(json.dumps(stopped.to_json(), allow_nan=False))["pairings"]
    assert (pairing["games"], pairing["elo"]) == (0, None)


@pytest.mark.parametrize(
    "words",
    [
        ["match", "isolation", "next_moves(next_moves=0.5),depth=2", "random", "--games", "4", "--seed", "9"],
        ["match", "isolation", "open,nodes=200", "random", "--games", "2", "--board", "5x6", "--opening", "c3 d4"],
        ["league", "isolation", "random", "open,depth=1", "improved,depth=1", "--games", "2", "--piece", "queen"],
    ],
    ids=["weights", "opening", "league"],
)
def test_the_printed_command_plays_the_same_games_again(words: list[str], tmp_path: Path) -> None:
    out = did(*words, "--save", tmp_path / "once.txt")
    again = shlex.split(next(line for line in out.splitlines() if line.startswith("again:")))
    did(*again[2:], "--save", tmp_path / "twice.txt")
    assert (tmp_path / "once.txt").read_text() == (tmp_path / "twice.txt").read_text()


# Games as text


def test_a_game_written_and_read_back_is_the_same_game_and_can_be_replayed(match: Tournament) -> None:
    wide = sparring.match(sparring.game("isolation", board="4x6", piece="queen"), WORSE, WORST, games=2)
    for game in (*match.games, *wide.games):
        read = notation.read(notation.write(game))
        kept = ["game", "seed", "agents", "start", "scores", "reason"]
        assert [getattr(read, field) for field in kept] == [getattr(game, field) for field in kept]
        assert [turn[1:] for turn in read.turns] == [turn[1:] for turn in game.turns]
        positions = read.positions()
        assert len(positions) == len(game.turns) + 1
        assert (positions[0].text, positions[-1].outcome) == (game.start, game.scores)


def test_a_file_keeps_all_games_in_their_order(match: Tournament, tmp_path: Path) -> None:
    notation.save(match.games, tmp_path / "games.txt")
    assert [notation.write(game) for game in notation.load(tmp_path / "games.txt")] == [
        notation.write(replace(game, options={"board": "7x7", "piece": "knight"})) for game in match.games
    ]


def test_quotes_and_line_breaks_in_a_reason_do_not_break_the_file(match: Tournament) -> None:
    failed = replace(match.games[0], reason='crash: ValueError: say "please"\nor leave')
    assert notation.read(notation.write(failed)).reason == "crash: ValueError: say 'please' or leave"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('[Start "', '[Begin "', r"a game lacks its header \[Start \.\.\.\]"),
        ('[Seed "', '[Sead "', r"a game lacks its header \[Seed \.\.\.\]"),
        ('[Game "isolation"]', '[Game "isolaton"]', "unknown game 'isolaton'; did you mean isolation"),
        ("board=7x7", "bord=7x7", "unknown option of isolation 'bord'; did you mean board"),
        ("board=7x7", "board=70x7", "no board '70x7'"),
        ('[Start "', '[Start "x', "rows of different lengths"),
        ("\n1. ", "\n1. z9 ", "z9 is not legal here; legal: "),
    ],
)
def test_a_damaged_game_is_told_what_is_wrong_with_it(match: Tournament, old: str, new: str, told: str) -> None:
    damaged = notation.write(match.games[0]).replace(old, new, 1)
    with pytest.raises(sparring.SparringError, match=told):
        notation.read(damaged).positions()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[Game", r"games\.txt: a game lacks its header \[Seed"),
        ("\n", r"games\.txt holds no game; a game begins with"),
        (None, r"no file .*games\.txt; `spar match ... --save games\.txt` writes"),
    ],
    ids=["damaged", "empty", "missing"],
)
def test_a_file_without_valid_games_is_refused(match: Tournament, tmp_path: Path, text: str | None, told: str) -> None:
    file = tmp_path / "games.txt"
    if text is not None:
        file.write_text(text if text == "\n" else notation.write(match.games[0]).replace("[Seed", "[Sead"))
    with pytest.raises(sparring.SparringError, match=told):
        notation.load(file)


def test_a_disk_that_fills_up_while_saving_leaves_the_old_games_as_they_were(match: Tournament, tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    notation.save(match.games[:1], file)
    before = file.read_text()
    with no_file_longer_than(len(before) + 100), pytest.raises(sparring.SparringError, match=r"cannot write .*large"):
        notation.save(match.games, file)
    assert file.read_text() == before


def test_games_of_chance_all_count_even_when_they_coincide() -> None:
    small = sparring.game("isolation", board="3x3")
    assert sparring.match(small, "random", "greedy", games=200).pairings[0].score.games == 200
