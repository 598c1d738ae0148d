"""The plain twin: with compilation switched off, the same code plays the same games, node for node."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from sparring.agents import spec
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.core.dice import players_dice
from sparring.core.kernel import compiled_mode
from sparring.games.contract import Game, Position
from sparring.games.registry import game

pytestmark = pytest.mark.slow

GAMES = {
    "minimax": ("5x5", "knight", ["minimax:next_moves,depth=3", "minimax:voronoi,depth=2"]),
    "alphabeta": ("5x5", "knight", ["alphabeta:improved,depth=1", "alphabeta:chase_corrected,depth=1"]),
    "the course's manners": ("5x5", "knight", ["center,depth=1,reference", "minimax:open,depth=2,reference"]),
    "chance": ("5x5", "knight", ["random", "minimax:weighted_chase_corrected,depth=2,reference"]),
    "queens": ("4x5", "queen", ["minimax:attacker_overlap,depth=2", "random"]),
    "budgets of nodes and depth": ("5x5", "knight", ["alphabeta:next_moves,nodes=150", "alphabeta:voronoi,depth=2"]),
    "a shuffled alphabeta": ("5x5", "knight", ["alphabeta:center,nodes=120,reference", "minimax:open,depth=2"]),
    "queens by alphabeta": ("4x5", "queen", ["alphabeta:attacker_overlap,nodes=100", "random"]),
    "alphabeta on all 63 cells": ("3x21", "knight", ["next_moves_set_difference,depth=1", "voronoi,nodes=40"]),
    "all 63 cells": ("3x21", "knight", ["next_moves_set_difference,depth=1", "minimax:voronoi,depth=2"]),
}
SEEDS = (1, 2)


def decisions(made: Game, agents: list[Agent], seed: int) -> list[Decision]:
    """A game from its seed to its end, as its players decided it."""
    position, own, taken = made.start(seed), [players_dice(seed, seat) for seat in (0, 1)], []
    while not position.over:
        player = position.mover
        taken.append(agents[player].decide(View(position, player, own[player])))
        position = position.after(taken[-1].action)
    return taken


def told(decision: Decision) -> list[Any]:
    """What a decision was, what every candidate was worth and what it cost; not how long it took."""
    scores = [[c.action, c.score, c.exact] for c in decision.candidates]
    return [decision.position.text, decision.name, decision.depth, decision.nodes, scores]


def values(position: Position) -> dict[str, list[float]]:
    """What every heuristic says of a position, to either player."""
    made, found = position.game, {}
    for name, heuristic in spec.heuristics(made).items():
        score, weights = heuristic.score(made.state), heuristic.weigh()
        found[name] = [float(score(position.state, player, weights)) for player in (0, 1)]
    return found


def transcript() -> dict[str, Any]:
    """Some games with every decision in them, and all heuristics on some of their positions."""
    games: dict[str, Any] = {}
    evaluated: dict[str, Any] = {}
    for what, (board, piece, specs) in GAMES.items():
        made = game("isolation", board=board, piece=piece)
        agents = [spec.agent(made, text) for text in specs]
        for seed in SEEDS:
            taken = decisions(made, agents, seed)
            games[f"{what}, seed {seed}"] = [told(decision) for decision in taken]
            if seed == SEEDS[0]:
                evaluated |= {decision.position.text: values(decision.position) for decision in taken[::3]}
    empty = game("isolation", board="5x5", opening="free").start()
    evaluated[empty.text] = values(empty)
    return {"compiled": compiled_mode(), "games": games, "evaluated": evaluated}


def transcript_of_a_process(disable_jit: str) -> dict[str, Any]:
    answer = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": disable_jit},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    return json.loads(answer.stdout)


@pytest.fixture(scope="module")
def compiled() -> dict[str, Any]:
    return transcript_of_a_process("0")


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    return transcript_of_a_process("1")


def test_one_process_compiles_and_the_other_does_not(compiled: dict[str, Any], plain: dict[str, Any]) -> None:
    assert (compiled["compiled"], plain["compiled"]) == (True, False)


@pytest.mark.parametrize("what", [f"{what}, seed {seed}" for what in GAMES for seed in SEEDS])
def test_the_plain_twin_plays_the_same_game_node_for_node(
    what: str, compiled: dict[str, Any], plain: dict[str, Any]
) -> None:
    assert plain["games"][what] == compiled["games"][what]


def test_the_plain_twin_values_every_position_the_same(compiled: dict[str, Any], plain: dict[str, Any]) -> None:
    assert len(plain["evaluated"]) > 20
    assert plain["evaluated"] == compiled["evaluated"]


if __name__ == "__main__":
    print(json.dumps(transcript()))
