"""Monte Carlo tree search for two who act at once: on a game of two rounds that is known, and in Flag War."""

import json
import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import sparring
from commands import did, uncompiled
from flagwar_situations import made
from search_games import StoppedPennies
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.mcts import undecided
from sparring.analysis.suite import cases
from sparring.core.dice import players_dice
from sparring.core.errors import SparringError
from sparring.games.flagwar.game import FlagWar
from sparring.search.matrix import Mixes, solve
from sparring.search.matrix_nodes import MATRIX, payoffs
from sparring.search.mcts import MonteCarlo, Settings
from sparring.search.tree import Budget

SMALL = made(board="7x11", pieces="1")
SELECTS = ["uct", "regret"]


@cache
def player(spec: str, game: FlagWar | None = None) -> Agent:
    return sparring.agent(game or made(), spec)


def decided(spec: str, position: str, me: int = 0, seed: int = 1, game: FlagWar | None = None) -> Decision:
    played = game or made()
    return player(spec, game).decide(View(played.position(position), me, players_dice(seed, me)))


# The search, on pennies: if there is a round before the last, the first says whether there is a last one


class Found(NamedTuple):
    shares: tuple[Any, Any]
    payoffs: Any
    nodes: int
    depth: int


def pennies(select: str, me: int = 0, rounds: int = 1, depth: int = 2, iterations: int = 4000) -> Found:
    game = StoppedPennies(rounds=rounds)
    settings = Settings(select, MATRIX, depth=depth, patience=8)
    search = MonteCarlo(game, undecided.judge(game.state), settings)
    found = search.run(game.new(1), me, Budget(nodes=iterations), players_dice(1, me), [[0, 1], [0, 1]])
    own, other = (np.array([one.share for one in found.players[side]]) for side in (me, 1 - me))
    return Found((own, other), payoffs(found), found.nodes, found.depth)


@pytest.mark.parametrize("me", [0, 1])
def test_regret_matching_finds_the_mix_that_nobody_can_exploit(me: int) -> None:
    """The first shows heads a third of the time, the second two thirds."""
    found = pennies("regret", me)
    assert found.shares[0][0] == pytest.approx([1 / 3, 2 / 3][me], abs=0.01)
    assert found.shares[1][0] == pytest.approx([2 / 3, 1 / 3][me], abs=0.01)
    assert Mixes(found.payoffs, *found.shares).value == pytest.approx([1 / 3, -1 / 3][me], abs=0.01)
    assert found.nodes == 1


def test_uct_learns_what_pays_but_is_no_mix_to_rely_on() -> None:
    by_uct, by_regret = (Mixes(found.payoffs, *found.shares) for found in map(pennies, SELECTS))
    assert by_regret.exploitability < 0.01 < by_uct.exploitability


@pytest.mark.parametrize("select", SELECTS)
def test_it_sees_a_round_further_what_a_game_is_worth(select: str) -> None:
    """A third of a win for the first, who may also end the game at once and have nothing."""
    found = pennies(select, rounds=2)
    assert found.shares[0][0] > 0.9
    assert min(found.payoffs[0]) > 0.3
    if select == "regret":
        assert found.payoffs[0] == pytest.approx([1 / 3, 1 / 3], abs=0.02)
    assert found.payoffs[1] == pytest.approx([0, 0])
    assert (found.nodes, found.depth) == (3, 2)


def test_with_a_depth_of_one_it_sees_the_next_round_alone() -> None:
    found = pennies("regret", rounds=2, depth=1)
    assert not found.payoffs.any()
    assert (found.nodes, found.depth) == (1, 1)


# Flag War


CLEAR = ["start", "start of B", "one for one", "along the wall", "not into the arms", "home"]
"""Cases of the tactical suite in which a round further on nothing else turns out to be as good."""


@pytest.mark.parametrize("select", SELECTS)
def test_it_wins_when_it_can_and_does_not_walk_into_the_arms(select: str) -> None:
    for case in cases("flagwar"):
        if case.name in CLEAR:
            found = decided(f"mcts,select={select}", case.position, case.player)
            likely, here = found.notes.get("mix", {found.name: 1.0}), case.set_up("flagwar")
            assert sum(chance for name, chance in likely.items() if case.solved_by(name, *here)) > 0.9, case.name


@pytest.mark.parametrize("select", SELECTS)
def test_the_same_seed_decides_the_same(select: str) -> None:
    spec, position = f"mcts,select={select},iterations=300", "r3 A1:3,0 A2:4,8 B1:4,6 B2:5,2"
    first, again = (decided(spec, position, seed=7) for _ in range(2))
    assert (first.action, first.candidates, first.notes) == (again.action, again.candidates, again.notes)


def test_by_regret_it_mixes_as_the_position_says_and_draws_from_its_dice() -> None:
    found = [
        decided("mcts,select=regret,iterations=300", "r3 A1:5,0+flag B1:5,2 B2:5,2 B3:5,2", seed=n) for n in range(12)
    ]
    assert len({one.name for one in found}) > 1
    assert len({str(one.notes["mix"]) for one in found}) == 1


WINS_ALONE = "quick_corrected(flag=0,in_zone=0,back_wall=0,pieces=0)"


@pytest.mark.parametrize("position", ["r3 A1:3,3+flag B1:2,4", "r3 A1:3,3+flag B1:4,5", "r3 A1:2,4+flag B1:3,5"])
def test_the_mix_of_regret_secures_what_the_round_is_worth_against_every_command(position: str) -> None:
    """A carrier between going home, where it may be met, and waiting: exactly solved over all commands."""
    state, tree = SMALL.parse(position), player(f"mcts:{WINS_ALONE},select=regret,depth=1", SMALL)
    mix, sim = tree.mix(state, 0)  # type: ignore[attr-defined]
    own, others = (SMALL.legal(state, side) for side in (0, 1))
    exact = solve(sim.payoffs(0, own, others))
    secured = (mix.game.rows @ sim.payoffs(0, mix.own, others)).min()
    assert len(mix.chances) > 1
    assert abs(exact.value) < 90_000
    assert secured == pytest.approx(exact.value, abs=1000)


def test_a_users_heuristic_guides_it(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(
        "from sparring import heuristic\n\n\n"
        '@heuristic("flagwar")\ndef leftmost(s, me):\n    return -(s.at[me, 0] & 31) + (s.at[1 - me, 0] & 31)\n'
    )
    monkeypatch.chdir(tmp_path)
    assert "1l4" in decided("mcts:mine.py:leftmost,iterations=300", "r3").name


@pytest.mark.parametrize("select", SELECTS)
def test_it_tells_what_it_found(select: str) -> None:
    found = decided(f"mcts,select={select},iterations=300", "r3 A1:3,0 A2:4,8 B1:4,6 B2:5,2")
    if select == "regret":
        assert sum(found.notes["mix"].values()) == pytest.approx(1, abs=1e-2)
    assert found.name in found.notes["mix" if select == "regret" else "visits"]
    assert found.notes["evaluations"] > 24 * 24
    assert found.notes["delta"] == found.notes["predicted_score"] - found.notes["score"]
    assert "mcts" in did("agents", "flagwar")


def test_by_uct_candidates_are_ranked_by_the_visits_that_it_decides_by() -> None:
    """Here what it plays is worth less after the round than others are."""
    found = decided("mcts,iterations=300", "r3 A1:3,5 B1:2,4")
    scores = [one.score for one in found.ranked]
    assert scores == sorted(scores, reverse=True)
    assert sum(scores) == pytest.approx(1)
    worth = [float(one.note.split()[4].replace(",", "")) for one in found.ranked]
    assert worth[0] < max(worth)
    visits = found.notes["visits"]
    assert [*visits.values()] == sorted(visits.values(), reverse=True)
    assert (next(iter(visits)), len(visits)) == (found.name, 6)
    other = found.ranked[worth.index(max(worth))].action
    assert re.search(rf"scores \+.*{found.name} scores \+", found.why_not(other))


@pytest.mark.parametrize("select", SELECTS)
def test_time_ends_a_tree_that_has_more_to_grow(select: str) -> None:
    assert player(f"mcts,select={select},time=20ms").timed
    assert decided(f"mcts,select={select},time=20ms", "r7 A1:5,5+flag B1:0,2 B2:1,2 B3:2,2").name.startswith("1u")


@pytest.mark.parametrize("select", SELECTS)
def test_it_takes_no_longer_than_it_is_given_for_a_move(select: str) -> None:
    position = made().position("r7 A1:5,5+flag B1:0,2 B2:1,2 B3:2,2")
    view = View(position, 0, players_dice(1, 0), seconds=0.02)
    found = player(f"mcts,select={select},iterations=10000000").decide(view)
    assert found.name.startswith("1u")
    assert found.seconds < 3


@pytest.mark.slow
@pytest.mark.parametrize("select", SELECTS)
def test_it_commands_seven_pieces(select: str) -> None:
    large = made(board="19x13")
    found = decided(f"mcts,select={select},iterations=300,size=100", "r3", game=large)
    assert large.is_legal(large.new(0), 0, found.action)


@pytest.mark.parametrize("select", SELECTS)
def test_who_knows_it_can_be_measured(select: str) -> None:
    told = did("exploit", "flagwar", f"mcts,select={select},iterations=20,size=6,depth=1", "--games", 2)
    assert told.startswith(f"who knows mcts,select={select}")


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("mcts,iterations=10,time=1s", "not both"),
        ("mcts,select=best", "uct"),
        ("mcts,exploration=0", "from 0.001"),
        ("mcts,exploration=2", "to 1"),
        ("mcts,size=1000", "from 1 to 100, not"),
        ("mcts:nonsense", "quick_corrected"),
        ("mcts,nodes=5", "iterations"),
    ],
)
def test_a_slip_in_the_options_names_the_remedy(spec: str, remedy: str) -> None:
    with pytest.raises(SparringError, match=remedy):
        player(spec)


# The plain twin


def transcript() -> list[Any]:
    """What both rules decide in some positions, to the last digit."""
    told: list[Any] = []
    for select in SELECTS:
        for position in ("r3 A1:3,5 B1:2,4", "r3 A1:3,0+flag B1:1,3"):
            decision = decided(f"mcts,select={select},iterations=60,size=6", position, game=SMALL)
            told.append([decision.name, decision.notes, [[c.action, c.score, c.note] for c in decision.candidates]])
    return told


@pytest.mark.slow
def test_the_plain_twin_grows_the_same_trees() -> None:
    assert uncompiled(__file__) == transcript()


if __name__ == "__main__":
    print(json.dumps(transcript()))
