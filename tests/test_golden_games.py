"""Games that must not change by accident: agents, seeds and every move, as text a person can read in a diff.

If a change of play is intended, `python tests/test_golden_games.py` writes tests/data/isolation_games.txt anew.
"""

import re
from pathlib import Path

import pytest

from sparring.agents.spec import agent
from sparring.arena import notation
from sparring.arena.referee import play
from sparring.games.registry import game

FILE = Path(__file__).parent / "data" / "isolation_games.txt"
ADVICE = (
    "the agents no longer play this game as stored; if that is intended, run `python tests/test_golden_games.py` "
    "and look at the diff of tests/data/isolation_games.txt"
)

MATCHES = {
    "next_moves against improved": ({}, 1, "alphabeta:next_moves,nodes=2000", "alphabeta:improved,nodes=2000"),
    "the same with sides swapped": ({}, 1, "alphabeta:improved,nodes=2000", "alphabeta:next_moves,nodes=2000"),
    "territory against minimax": ({}, 2, "alphabeta:voronoi,nodes=1000", "minimax:open,depth=3"),
    "the course's manners": ({}, 3, "random", "alphabeta:center,nodes=500,reference"),
    "queens": (
        {"board": "5x5", "piece": "queen"},
        4,
        "alphabeta:avoid_corners_as_written,depth=4",
        "alphabeta:weighted_chase_corrected,depth=4",
    ),
    "free placement": (
        {"board": "6x5", "opening": "free"},
        5,
        "minimax:chase_corrected,depth=2",
        "alphabeta:next_moves(next_moves=0.5),nodes=800",
    ),
    "all 63 cells": ({"board": "9x7"}, 6, "alphabeta:improved,nodes=300", "alphabeta:center_corrected,nodes=300"),
}


def replayed(match: str) -> str:
    options, seed, first, second = MATCHES[match]
    made = game("isolation", **options)
    return notation.write(play(made, [agent(made, first), agent(made, second)], seed, decisions=True))


def stored() -> dict[str, str]:
    games = re.split(r"(?m)^(?=\[Game )", FILE.read_text())[1:]
    return dict(zip(MATCHES, games, strict=True))


@pytest.mark.parametrize("match", MATCHES)
def test_the_same_agents_and_seed_play_the_stored_game(match: str) -> None:
    assert replayed(match) == stored()[match], ADVICE


def write_anew() -> None:
    FILE.write_text("".join(replayed(match) for match in MATCHES))


if __name__ == "__main__":
    write_anew()
