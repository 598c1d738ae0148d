"""Monte Carlo tree search where both sides choose at once: on a small game with a known value, and in Flag War.

The small game is searched without compilation, in the process that also proves the plain twin of Flag War.
"""

import hashlib
import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from commands import did, uncompiled
from flagwar_situations import GAMES, decided, made, player, scores
from search_games import StoppedPennies
from sparring.agents.agent import View
from sparring.agents.mcts import undecided
from sparring.analysis.suite import cases
from sparring.core.dice import dice, players_dice, throw
from sparring.search.matrix import MixedStrategies, solve
from sparring.search.matrix_nodes import MATRIX, payoffs
from sparring.search.mcts import MonteCarloSearch, MonteCarloSettings
from sparring.search.tree import Budget

SMALL = made(board="7x11", pieces="1")
SELECTS = ["uct", "regret"]
PENNIES = {
    "regret": ("regret", 0, 1, 2),
    "regret of the second": ("regret", 1, 1, 2),
    "uct": ("uct", 0, 1, 2),
    "regret, two rounds": ("regret", 0, 2, 2),
    "uct, two rounds": ("uct", 0, 2, 2),
    "regret, two rounds, depth 1": ("regret", 0, 2, 1),
}
"""The selection rule, the player, the rounds of the game, and the depth of the search."""


# The process without compilation


def pennies(select: str, me: int, rounds: int, depth: int) -> dict[str, Any]:
    """If there is a round before the last, the first player decides by it whether there is a last one."""
    game = StoppedPennies(rounds=rounds)
    search = MonteCarloSearch(
        game, undecided.judge(game.state), MonteCarloSettings(select, MATRIX, depth=depth, patience=8)
    )
    found = search.run(game.new(1), me, Budget(nodes=2000), players_dice(1, me), [[0, 1], [0, 1]])
    shares = [[one.share for one in found.players[side]] for side in (me, 1 - me)]
    return {"shares": shares, "payoffs": payoffs(found).tolist(), "nodes": found.nodes, "depth": found.depth}


def transcript() -> dict[str, Any]:
    """Rounds by all rule sets with their events and scores, and decisions of both selection rules."""
    digest, chance, told = hashlib.blake2b(digest_size=16), dice("transcript"), []
    for options in GAMES:
        game = made(**options)
        s = game.new(0)
        for _ in range(8):
            orders = [sum(throw(chance, 128) << 8 * piece for piece in range(game.config.pieces)) for _ in (0, 1)]
            events = game.play_round(s, dict(enumerate(orders)))
            digest.update(game.to_bytes(s) + repr((events, scores(s, 0), scores(s, 1))).encode())
    for select in SELECTS:
        for position in ("r3 A1:3,5 B1:2,4", "r3 A1:3,0+flag B1:1,3"):
            decision = decided(f"mcts,select={select},iterations=40,size=6", position, game=SMALL)
            told.append([decision.name, decision.notes, [[c.action, c.score, c.note] for c in decision.candidates]])
    return {"rounds": digest.hexdigest(), "trees": json.loads(json.dumps(told))}


@cache
def plain() -> Any:
    return uncompiled(__file__)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["rounds", "trees"])
def test_the_plain_twin_plays_the_same_rounds_and_grows_the_same_trees(what: str) -> None:
    assert plain()[what] == transcript()[what]


# Pennies


@pytest.mark.slow
def test_regret_matching_finds_the_mix_that_nobody_can_exploit() -> None:
    """The first shows heads a third of the time, the second two thirds."""
    for what, heads in (("regret", [1 / 3, 2 / 3]), ("regret of the second", [2 / 3, 1 / 3])):
        found = plain()[what]
        assert [side[0] for side in found["shares"]] == pytest.approx(heads, abs=0.01)
        mixes = MixedStrategies(np.array(found["payoffs"]), *map(np.array, found["shares"]))
        assert mixes.value == pytest.approx(heads[0] if what == "regret" else -1 / 3, abs=0.01)
        assert mixes.exploitability < 0.01
        assert found["nodes"] == 1


@pytest.mark.slow
def test_uct_learns_what_pays_but_finds_no_safe_mix() -> None:
    found = plain()["uct"]
    assert MixedStrategies(np.array(found["payoffs"]), *map(np.array, found["shares"])).exploitability > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("select", SELECTS)
def test_it_sees_a_round_further_what_a_game_is_worth(select: str) -> None:
    """A third of a win for the first, who may also end the game at once and have nothing."""
    found = plain()[f"{select}, two rounds"]
    assert found["shares"][0][0] > 0.9
    assert min(found["payoffs"][0]) > 0.3
    if select == "regret":
        assert found["payoffs"][0] == pytest.approx([1 / 3, 1 / 3], abs=0.02)
    assert found["payoffs"][1] == pytest.approx([0, 0])
    assert (found["nodes"], found["depth"]) == (3, 2)


@pytest.mark.slow
def test_with_a_depth_of_one_it_sees_the_next_round_alone() -> None:
    found = plain()["regret, two rounds, depth 1"]
    assert found["payoffs"] == [[0, 0], [0, 0]]
    assert (found["nodes"], found["depth"]) == (1, 1)


# Flag War

CLEAR = ["start", "start of B", "one for one", "along the wall", "not into the arms", "home"]
"""Cases of the tactical suite in which one round further no other command is as good."""
CROSSROADS, HOME = "r3 A1:3,0 A2:4,8 B1:4,6 B2:5,2", "r7 A1:5,5+flag B1:0,2 B2:1,2 B3:2,2"


@pytest.mark.parametrize("select", SELECTS)
def test_it_solves_the_clear_cases_of_the_suite(select: str) -> None:
    for case in cases("flagwar"):
        if case.name in CLEAR:
            found = decided(f"mcts,select={select}", case.position, case.player)
            likely, here = found.notes.get("mix", {found.name: 1.0}), case.set_up("flagwar")
            assert sum(chance for name, chance in likely.items() if case.solved_by(name, *here)) > 0.9, case.name


@pytest.mark.parametrize("select", SELECTS)
def test_the_same_seed_decides_the_same_and_notes_what_was_found(select: str) -> None:
    found, again = (decided(f"mcts,select={select},iterations=300", CROSSROADS, seed=7) for _ in range(2))
    assert (found.action, found.candidates, found.notes) == (again.action, again.candidates, again.notes)
    if select == "regret":
        assert sum(found.notes["mix"].values()) == pytest.approx(1, abs=1e-2)
    assert found.name in found.notes["mix" if select == "regret" else "visits"]
    assert found.notes["evaluations"] > 24 * 24
    assert found.notes["delta"] == found.notes["predicted_score"] - found.notes["score"]
    assert "mcts" in did("agents", "flagwar")


def test_by_regret_the_position_makes_the_mix_and_the_dice_the_draw() -> None:
    spec, position = "mcts,select=regret,iterations=300", "r3 A1:5,0+flag B1:5,2 B2:5,2 B3:5,2"
    found = [decided(spec, position, seed=seed) for seed in range(12)]
    assert len({one.name for one in found}) > 1
    assert len({str(one.notes["mix"]) for one in found}) == 1


WINS_ALONE = "quick_corrected(flag=0,in_zone=0,back_wall=0,pieces=0)"


@pytest.mark.parametrize("position", ["r3 A1:3,3+flag B1:2,4", "r3 A1:3,3+flag B1:4,5", "r3 A1:2,4+flag B1:3,5"])
def test_the_mix_of_regret_secures_the_value_of_the_round_against_every_command(position: str) -> None:
    """A carrier between going home, where it may be met, and waiting: solved exactly over all commands."""
    state, tree = SMALL.parse(position), player(f"mcts:{WINS_ALONE},select=regret,depth=1", SMALL)
    mix, sim = tree.mix(state, 0)  # type: ignore[attr-defined]
    own, others = (SMALL.legal(state, side) for side in (0, 1))
    exact = solve(sim.payoffs(0, own, others))
    secured = (mix.game.rows @ sim.payoffs(0, mix.own, others)).min()
    assert len(mix.chances) > 1
    assert abs(exact.value) < 90_000
    assert secured == pytest.approx(exact.value, abs=1000)


def test_by_uct_candidates_are_ranked_by_visits() -> None:
    """Here the chosen command scores less after the round than others."""
    found = decided("mcts,iterations=300", "r3 A1:3,5 B1:2,4")
    scored = [one.score for one in found.ranked]
    assert scored == sorted(scored, reverse=True)
    assert sum(scored) == pytest.approx(1)
    worth = [float(one.note.split()[4].replace(",", "")) for one in found.ranked]
    assert worth[0] < max(worth)
    visits = found.notes["visits"]
    assert [*visits.values()] == sorted(visits.values(), reverse=True)
    assert (next(iter(visits)), len(visits)) == (found.name, 6)
    other = found.ranked[worth.index(max(worth))].action
    assert re.search(rf"scores \+.*{found.name} scores \+", found.why_not(other))


@pytest.mark.parametrize("select", SELECTS)
def test_time_ends_the_search(select: str) -> None:
    assert player(f"mcts,select={select},time=20ms").timed
    assert decided(f"mcts,select={select},time=20ms", HOME).name.startswith("1u")
    view = View(made().position(HOME), 0, players_dice(1, 0), seconds=0.02)
    found = player(f"mcts,select={select},iterations=10000000").decide(view)
    assert found.name.startswith("1u")
    assert found.seconds < 3


if __name__ == "__main__":
    print(json.dumps(transcript() | {what: pennies(*settings) for what, settings in PENNIES.items()}))
