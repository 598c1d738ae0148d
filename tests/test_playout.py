"""Whole games in compiled code are the referee's games, move for move; what Python must see goes through him."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sparring
from sparring.agents.spec import agent
from sparring.arena import workers as crew
from sparring.arena.batch import ResultBatch
from sparring.arena.limits import Limits
from sparring.arena.referee import play, play_block
from sparring.arena.schedule import Job, block_seed, seatings
from sparring.arena.workers import PlaySettings, WorkerPool
from sparring.games.contract import Game

pytestmark = pytest.mark.slow

AGENTS = [
    "random",
    "greedy",
    "alphabeta:improved,nodes=150",
    "alphabeta:voronoi,nodes=1",
    "alphabeta:next_moves,nodes=37,depth=3",
    "alphabeta:center,depth=2",
    "alphabeta:open,depth=1",
    "alphabeta:chase_corrected,nodes=90,reference",
    "alphabeta:improved,depth=3,reference",
    "next_moves(next_moves=0.5),nodes=120",
    "avoid_corners_as_written(moves=-1,corners=2.5),depth=2",
    "attacker_overlap(reach=0,shared=1),depth=2",
    "minimax:open,depth=2",
    "minimax:weighted_chase_corrected,depth=1,reference",
    "null,nodes=60",
]
COUNTED = ("moves", "scores", "nodes", "depth", "ending", "failed")


def no_referee(*_: Any) -> Any:
    raise AssertionError("the referee was called")


def in_bulk(game: Game, agents: Sequence[str], seed: int, job: Job) -> ResultBatch:
    """A job played all at once: the referee must not be needed."""
    setup = PlaySettings(game, tuple(agents), (tuple(range(game.seats)),), block_seed(seed, 0))
    with pytest.MonkeyPatch.context() as patch, WorkerPool(setup) as players:
        patch.setattr(crew, "play_block", no_referee)
        return players.play(job)


def by_the_referee(game: Game, agents: Sequence[str], seed: int, job: Job) -> ResultBatch:
    """The same games one by one."""
    made, rounds = [agent(game, spec) for spec in agents], seatings(tuple(range(game.seats)))
    blocks = []
    for block in range(job.block, job.block + job.blocks):
        orders = rounds[block % len(rounds)]
        blocks.append([play(game, [made[one] for one in order], block_seed(seed, block)) for order in orders])
    return ResultBatch.of(job.table, job.block, game, blocks)


def told(batch: ResultBatch) -> dict[str, Any]:
    """Everything of a batch but the time it took."""
    return {"played": batch.moves.tolist(), **{field: batch.results[field].tolist() for field in COUNTED}}


def assert_the_same(game: Game, agents: Sequence[str], seed: int, job: Job) -> None:
    assert told(in_bulk(game, agents, seed, job)) == told(by_the_referee(game, agents, seed, job))


boards = st.tuples(st.integers(3, 8), st.integers(3, 8)).filter(lambda size: size[0] * size[1] <= 63)
openings = st.sampled_from(["random", "random", "free", "a1 b2"])


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    agents=st.tuples(st.sampled_from(AGENTS), st.sampled_from(AGENTS)),
    board=boards,
    piece=st.sampled_from(["knight", "queen"]),
    opening=openings,
    seed=st.one_of(st.integers(0, 10), st.integers(0, 10**12)),
    first=st.one_of(st.just(0), st.integers(0, 10**6)),
    blocks=st.integers(1, 3),
)
def test_whatever_is_played_in_bulk_is_what_the_referee_plays(
    agents: tuple[str, str], board: tuple[int, int], piece: str, opening: str, seed: int, first: int, blocks: int
) -> None:
    game = sparring.game("isolation", board="x".join(map(str, board)), piece=piece, opening=opening)
    assert_the_same(game, agents, seed, Job(0, first, blocks))


def test_a_search_that_pauses_on_its_way_plays_the_same_in_one_go() -> None:
    """Alone, a search comes back every 100,000 nodes to hear Ctrl-C; in bulk it does not."""
    game = sparring.game("isolation", board="6x6")
    assert_the_same(game, ["alphabeta:improved,nodes=250000", "random"], 1, Job(0, 0, 1))


def test_the_time_of_games_in_bulk_is_shared_out_among_their_players() -> None:
    game, agents = sparring.game("isolation"), ["alphabeta:voronoi,nodes=300", "random"]
    batch = in_bulk(game, agents, 1, Job(0, 0, 20))
    spent = batch.results["seconds"]
    thinker, all_of_it = spent[:, 0, 0].sum() + spent[:, 1, 1].sum(), spent.sum()
    assert (spent > 0).all()
    assert 0.9 * all_of_it < thinker < all_of_it


LUDO = ["random", "semi_smart", "one_ply", "rulebased:as_written", "rulebased:corrected", "furthest", "rearmost"]


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    players=st.integers(2, 4),
    tokens=st.integers(1, 4),
    rules=st.sampled_from([{}, {"play_to_end": "yes"}, {"rules": "ludopy", "tokens": 4}, {"overshoot": "stay"}]),
    agents=st.permutations(LUDO),
    seed=st.integers(0, 10**12),
    blocks=st.integers(1, 2),
)
def test_with_dice_and_many_players_it_is_the_same(
    players: int, tokens: int, rules: dict[str, Any], agents: list[str], seed: int, blocks: int
) -> None:
    game = sparring.game("ludo", **{"players": players, "tokens": tokens, **rules})
    assert_the_same(game, agents[:players], seed, Job(0, 0, blocks))


def test_who_sits_in_several_seats_plays_there_as_the_referee_lets_it() -> None:
    game, table = sparring.game("ludo"), (0, 1, 0, 1)
    setup = PlaySettings(game, ("one_ply", "random"), (table,), 5)
    with WorkerPool(setup) as players:
        quick = players.play(Job(0, 0, 3))
        slow = players._play_by_referee(Job(0, 0, 3))
    assert quick.results.shape == (3, 2)
    assert told(quick) == told(slow)


def test_games_longer_than_expected_find_their_paper() -> None:
    """Ludo's take some 300 moves, five times as many as there is room for at first."""
    game = sparring.game("ludo")
    batch = in_bulk(game, LUDO[:4], 1, Job(0, 0, 20))
    assert batch.results["moves"].sum() == len(batch.moves) > 80 * 64 * 2
    parts = [in_bulk(game, LUDO[:4], 1, Job(0, block, 1)) for block in range(20)]
    assert np.concatenate([part.moves for part in parts]).tolist() == batch.moves.tolist()


IDEAS = """
from sparring import heuristic

TABLE = (1.0, 2.0, 3.0)


@heuristic("isolation")
def wild_in_a_corner(s, me):
    '''Fails only where its piece stands on the last cell of a 5x5 board.'''
    return TABLE[(s.at[me] == 24) * 1000]


@heuristic("isolation")
def divides(s, me):
    return 1 // (s.at[me] - s.at[me])
"""


@pytest.fixture
def ideas(tmp_path: Path) -> Path:
    file = tmp_path / "ideas.py"
    file.write_text(IDEAS)
    return file


def test_a_heuristic_that_fails_inside_compiled_code_has_crashed(ideas: Path) -> None:
    match = sparring.match("isolation", f"{ideas}:divides,depth=1", "greedy", games=6)
    assert match.pairings[0].faults() == {"crash": 6}
    assert all(game.reason.startswith("crash: ZeroDivisionError") for game in match.games)


def test_a_heuristic_that_fails_now_and_then_loses_those_games_and_no_others(ideas: Path) -> None:
    small = sparring.game("isolation", board="5x5")
    spec = f"{ideas}:wild_in_a_corner,depth=1"
    match = sparring.match(small, spec, "random", games=100, failures=0)
    crashed = [game for game in match.games if game.failed >= 0]
    assert 5 < len(crashed) < 95
    assert {game.agents[game.failed] for game in crashed} == {spec}
    assert {game.reason.split(":")[0] for game in match.games} == {"crash", "no moves left"}
    assert all(game.scores[game.failed] == 0 for game in crashed)
    sane = sparring.match(small, "null,depth=1", "random", games=100, failures=0).games
    fine = [(one, other) for one, other in zip(match.games, sane, strict=True) if one.failed < 0]
    assert all([turn.code for turn in one.turns] == [turn.code for turn in other.turns] for one, other in fine)


@pytest.mark.parametrize(
    ("agents", "more", "calls"),
    [
        (("greedy", "open,time=2ms"), {}, 2),
        (("greedy", "perfect,nodes=1000"), {}, 2),
        (("greedy", "random"), {"decisions": True}, 2),
        (("greedy", "random"), {"limits": Limits(move=1.0)}, 2),
        (("greedy", "random"), {"limits": Limits(stall=5.0, memory=1 << 28)}, 0),
    ],
    ids=["agents with a clock", "agents without a policy", "decisions", "a time limit", "limits of guests"],
)
def test_the_referee_is_needed_for_clocks_decisions_and_agents_without_a_policy(
    monkeypatch: pytest.MonkeyPatch, agents: tuple[str, str], more: dict[str, Any], calls: int
) -> None:
    seen = []

    def counting(*given: Any) -> Any:
        seen.append(given)
        return play_block(*given)

    monkeypatch.setattr(crew, "play_block", counting)
    with WorkerPool(PlaySettings(sparring.game("isolation", board="4x4"), agents, ((0, 1),), 1, **more)) as players:
        players.play(Job(0, 0, 2))
    assert len(seen) == calls


def test_decisions_are_those_of_the_games_in_bulk() -> None:
    agents = ["alphabeta:improved,nodes=200", "random"]
    quick, kept = (sparring.match("isolation", *agents, games=4, decisions=keep) for keep in (False, True))
    assert [game.scores for game in kept.games] == [game.scores for game in quick.games]
    for game in kept.games:
        assert [decision["move"] for decision in game.decisions] == [turn.action for turn in game.turns]
