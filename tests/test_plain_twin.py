"""The plain twin: with compilation switched off, the same code plays the same games, node for node."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

import sparring
import test_isolation_solver
import test_learn
import test_ludo_exact
import test_ludo_rulebased
import test_playout
from commands import uncompiled
from search_games import Auction, Cake, Coin, Heap, PaidPennies, grown
from sparring.agents import spec
from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.arena.schedule import Job
from sparring.core.dice import dice, players_dice
from sparring.core.kernel import compiled_mode
from sparring.games.check import random_game

pytestmark = pytest.mark.slow

BRED = "evolutions=2,population=6,genome=5"
OPEN = "t9 A80:d4,d3,d2 B80:h8,h9,h10 food:f6"
FACING = "t30 A90:c4,b4,a4 B90:e4,f4,g4"
POCKET = "t30 A90:a3,b3,b2,b1,c1,d1,e1,f1 B90:g7,g6,g5"
ROLLED = "57,57,20,1/57,33,0,50 A6"


def told(decision: Decision) -> list[Any]:
    """What a decision was, what every candidate was worth and what it cost; not how long it took."""
    scores = [[c.action, None if c.score is None else round(c.score, 6), c.exact, c.note] for c in decision.candidates]
    return [decision.position.text, decision.name, decision.depth, decision.nodes, scores]


def decided(
    game: str, options: dict[str, Any], specs: Sequence[str], start: str | None = None, turns: int = 1000
) -> list[Any]:
    """What players decide in a game from its start or a position, who keep from turn to turn what they keep."""
    made, taken = sparring.game(game, **options), []
    position = made.start(1) if start is None else made.position(start)
    own = [players_dice(1, seat) for seat in range(made.seats)]
    with ExitStack() as stack:
        players = [stack.enter_context(spec.agent(made, text).seated(dice(1))) for text in specs]
        while not position.over and turns:
            found = {seat: players[seat].decide(View(position, seat, own[seat])) for seat in position.actors}
            taken += map(told, found.values())
            position, turns = position.after({seat: one.action for seat, one in found.items()}), turns - 1
    return taken


def values() -> list[Any]:
    """What every heuristic of Isolation says of positions, to either player."""
    made = sparring.game("isolation", board="5x5", opening="free")
    positions = [position.state for seed in (1, 2) for position in random_game(made, seed)]
    found = []
    for heuristic in spec.heuristics(made).values():
        score, weights = heuristic.score(made.state), heuristic.weigh()
        found.append([float(score(state, player, weights)) for state in positions for player in (0, 1)])
    return found


def tree(kind: Any, select: str) -> list[Any]:
    """The tree that Monte Carlo search grows in a tiny game."""
    found = grown(kind(), iterations=40, select=select)
    return [found.nodes, found.depth, *([list(one) for one in side] for side in found.players)]


def in_bulk(board: str, piece: str, *agents: str) -> list[Any]:
    game = sparring.game("isolation", board=board, piece=piece)
    plays = test_playout.in_bulk, test_playout.by_the_referee
    return [test_playout.told(play(game, agents, 2, Job(0, 4, 2))) for play in plays]


SMALL, QUEENS, LONG = {"board": "5x5"}, {"board": "4x5", "piece": "queen"}, {"board": "3x21"}
SNAKES, LUDO = {"board": "7x7"}, {"players": 2}
DECIDED: list[tuple[Any, ...]] = [
    ("isolation", SMALL, ["minimax:next_moves,depth=3", "alphabeta:improved,nodes=150"]),
    ("isolation", SMALL, ["center,nodes=120,reference", "minimax:open,depth=2,reference"]),
    ("isolation", SMALL, ["random", "alphabeta:chase_corrected,depth=2"]),
    ("isolation", QUEENS, ["alphabeta:attacker_overlap,nodes=100", "minimax:attacker_overlap,depth=2"]),
    ("isolation", LONG, ["next_moves_set_difference,depth=1", "voronoi,nodes=40"]),
    ("battlesnake", {}, [f"rhea:as_written,{BRED}", f"rhea:as_coded,{BRED},opponent=random"], OPEN, 2),
    ("battlesnake", {}, [f"rhea:corrected,{BRED},opponent=territorial", f"coevolve,{BRED}"], OPEN, 2),
    ("battlesnake", SNAKES, ["mcts,iterations=40", "mcts:voronoi,iterations=40,select=regret,rollout=2"], FACING, 1),
    ("battlesnake", SNAKES, ["flood_fill", "one_ply"], POCKET, 1),
    *(
        ("ludo", LUDO, [agent, "one_ply"], ROLLED, 1)
        for agent in ("expectimax:cautious,depth=2", "expectimax:td_net,depth=2", "rollouts:semi_smart,games=2")
    ),
]
CASES: dict[str, Any] = {
    **{" v ".join(case[2]): partial(decided, *case) for case in DECIDED},
    **{
        f"{kind.name} by {select}": partial(tree, kind, select)
        for kind, select in ((Heap, "uct"), (Coin, "uct"), (Cake, "uct"), (PaidPennies, "regret"), (Auction, "regret"))
    },
    "in bulk, knights": partial(in_bulk, "4x5", "knight", "alphabeta:improved,nodes=30", "center,nodes=25,reference"),
    "in bulk, queens": partial(in_bulk, "4x4", "queen", "greedy", "minimax:improved,depth=1"),
    "in bulk, at random": partial(in_bulk, "5x5", "knight", "random", "alphabeta:open,depth=1"),
    "heuristics": values,
    "nodes of the solver": test_isolation_solver.visited,
    "positions that follow": test_ludo_exact.following,
    "rules of Ludo": test_ludo_rulebased.transcript,
    "a table, bit for bit": test_learn.transcript,
}


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    found = uncompiled(__file__)
    assert compiled_mode() and not found["compiled"]
    return found


@pytest.mark.parametrize("case", CASES)
def test_the_plain_twin_plays_the_same_node_for_node(case: str, plain: dict[str, Any]) -> None:
    assert plain[case] == json.loads(json.dumps(CASES[case]()))


if __name__ == "__main__":
    print(json.dumps({"compiled": compiled_mode(), **{case: CASES[case]() for case in CASES}}))
