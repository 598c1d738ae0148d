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

from commands import uncompiled
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
    "two rounds by regret": ("regret", 0, 2, 2),
    "two rounds by uct": ("uct", 0, 2, 2),
    "two rounds, depth 1": ("regret", 0, 2, 1),
}
"""The selection rule, the player, the rounds of the game, and the depth of the search."""


def pennies(select: str, me: int, rounds: int, depth: int) -> dict[str, Any]:
    """If there is a round before the last, the first player decides by it whether there is a last one."""
    game = StoppedPennies(rounds=rounds)
    search = MonteCarloSearch(
        game, undecided.judge(game.state), MonteCarloSettings(select, MATRIX, depth=depth, patience=8)
    )
    found = search.run(game.new(1), me, Budget(nodes=1000), players_dice(1, me), [[0, 1], [0, 1]])
    shares = [[one.share for one in found.players[side]] for side in (me, 1 - me)]
    return {"shares": shares, "payoffs": payoffs(found).tolist(), "nodes": found.nodes, "depth": found.depth}


def transcript() -> dict[str, Any]:
    """Rounds by all rule sets with their events and scores, and decisions of both selection rules."""
    digest, chance = hashlib.blake2b(digest_size=16), dice("transcript")
    for options in GAMES:
        game = made(**options)
        s = game.new(0)
        for _ in range(4):
            orders = [sum(throw(chance, 128) << 8 * piece for piece in range(game.config.pieces)) for _ in (0, 1)]
            events = game.play_round(s, dict(enumerate(orders)))
            digest.update(game.to_bytes(s) + repr((events, scores(s, 0), scores(s, 1))).encode())
    trees = []
    for spec, position in (("uct", "r3 A1:3,5 B1:2,4"), ("regret", "r3 A1:3,0+flag B1:1,3")):
        decision = decided(f"mcts,select={spec},iterations=20,size=6", position, game=SMALL)
        trees.append([decision.name, decision.notes, [[c.action, c.score, c.note] for c in decision.candidates]])
    return {"rounds": digest.hexdigest(), "trees": json.loads(json.dumps(trees))}


@cache
def plain() -> Any:
    return uncompiled(__file__)


@pytest.mark.slow
def test_the_plain_twin_plays_the_same_rounds_and_grows_the_same_trees() -> None:
    assert {what: plain()[what] for what in ("rounds", "trees")} == transcript()


@pytest.mark.slow
def test_regret_matching_finds_the_mix_that_nobody_can_exploit_and_uct_does_not() -> None:
    """The first shows heads a third of the time, the second two thirds."""
    for what, heads, value in (("regret", [1 / 3, 2 / 3], 1 / 3), ("regret of the second", [2 / 3, 1 / 3], -1 / 3)):
        found = plain()[what]
        assert [side[0] for side in found["shares"]] == pytest.approx(heads, abs=0.01)
        assert (mixes_of(found).value, found["nodes"]) == (pytest.approx(value, abs=0.01), 1)
        assert mixes_of(found).exploitability < 0.01
    assert mixes_of(plain()["uct"]).exploitability > 0.01


def mixes_of(found: Any) -> MixedStrategies:
    return MixedStrategies(np.array(found["payoffs"]), *map(np.array, found["shares"]))


@pytest.mark.slow
@pytest.mark.parametrize("select", SELECTS)
def test_it_sees_a_round_further_what_a_game_is_worth_unless_its_depth_is_one(select: str) -> None:
    """A third of a win for the first, who may also end the game at once and have nothing."""
    found, shallow = plain()[f"two rounds by {select}"], plain()["two rounds, depth 1"]
    assert found["shares"][0][0] > 0.9
    assert min(found["payoffs"][0]) > 0.3
    if select == "regret":
        assert found["payoffs"][0] == pytest.approx([1 / 3, 1 / 3], abs=0.02)
    assert found["payoffs"][1] == pytest.approx([0, 0])
    assert (found["nodes"], found["depth"]) == (3, 2)
    assert (shallow["payoffs"], shallow["nodes"], shallow["depth"]) == ([[0, 0], [0, 0]], 1, 1)


CLEAR = ["start", "start of B", "one for one", "along the wall", "not into the arms", "home"]
"""Cases of the tactical suite in which one round further no other command is as good."""
HOME = "r7 A1:5,5+flag B1:0,2 B2:1,2 B3:2,2"


@pytest.mark.parametrize("select", SELECTS)
def test_it_solves_the_clear_cases_of_the_suite(select: str) -> None:
    for case in cases("flagwar"):
        if case.name in CLEAR:
            found = decided(f"mcts,select={select}", case.position, case.player)
            likely, here = found.notes.get("mix", {found.name: 1.0}), case.set_up("flagwar")
            assert sum(chance for name, chance in likely.items() if case.solved_by(name, *here)) > 0.9, case.name


WINS_ALONE = "quick_corrected(flag=0,in_zone=0,back_wall=0,pieces=0)"


@pytest.mark.parametrize("position", ["r3 A1:3,3+flag B1:2,4", "r3 A1:3,3+flag B1:4,5", "r3 A1:2,4+flag B1:3,5"])
def test_the_mix_of_regret_secures_the_value_of_the_round_against_every_command(position: str) -> None:
    """A carrier between going home, where it may be met, and waiting: solved exactly over all commands."""
    state, tree = SMALL.parse(position), player(f"mcts:{WINS_ALONE},select=regret,depth=1", SMALL)
    sim = tree.simulation(state)  # type: ignore[attr-defined]
    mix = tree.mix(sim, 0)  # type: ignore[attr-defined]
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
    assert found.notes["evaluations"] > 24 * 24
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
    assert found.seconds < 60


if __name__ == "__main__":
    print(json.dumps(transcript() | {what: pennies(*settings) for what, settings in PENNIES.items()}))
