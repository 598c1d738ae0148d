"""How strong Ludo's agents are, in compiled games, each rung of the ladder against the one below. Games come in blocks:
the same dice with every seating, and blocks are what the intervals (95 %) are computed from.

    python benchmarks/ludo_ladder.py [--games 4000] [AGENT ...]

Prints the table of docs/ludo-evidence.md.
"""

import argparse
import math
from typing import NamedTuple

import numpy as np

from sparring.agents.spec import agent
from sparring.arena.playout import play_out
from sparring.core.table import columns
from sparring.games.registry import game

LADDER = [
    "random",
    "rulebased:as_coded",
    "rulebased:as_written",
    "semi_smart",
    "rulebased:corrected",
    "tabular:potential",
    "one_ply",
    "one_ply(danger=2)",
    "one_ply:td_linear",
    "one_ply:td_net",
    "expectimax:td_net,depth=2",
    "strongest",
]


class Share(NamedTuple):
    """Wins in per cent, how far off that may be, and microseconds a move."""

    wins: float
    margin: float
    spent: float

    def __str__(self) -> str:
        return f"{self.wins:.1f} ±{self.margin:.1f}"


def share(players: int, hero: str, foil: str, games: int, heroes: int = 1) -> Share:
    """What one hero wins against foils in all other seats, or two heroes opposite each other."""
    made = game("ludo", players=players)
    one, other = (agent(made, spec).compiled_policy(made) for spec in (hero, foil))
    assert one and other
    turns = players // heroes
    seated = [[(place - turn) % players for place in range(players)] for turn in range(turns)]
    heroic = np.array([[player % turns == 0 for player in seating] for seating in seated])
    seeds = np.arange(max(2, games // turns))
    blocks, _ = play_out(made, [other if place % turns else one for place in range(players)], np.array([seated]), seeds)
    wins = 100 * (blocks["scores"] * heroic).sum(axis=2).mean(axis=1)
    spent = (blocks["seconds"] * heroic).sum() / (blocks["moves"] * heroic).sum()
    return Share(float(wins.mean()), float(1.96 * wins.std(ddof=1) / math.sqrt(len(wins))), 1e6 * float(spent))


def rung(spec: str, below: str, games: int) -> list[str]:
    """Of four: alone against three of the same kind, or two against two. Of two: against one."""
    four, two, both = (
        share(4, spec, "random", games),
        share(2, spec, "random", games),
        share(4, spec, "random", games, 2),
    )
    told = [spec, f"{four}", f"{two}", f"{both}", f"{four.spent:.1f}", f"{two.spent:.1f}"]
    for foil in ("one_ply", below):
        met = foil and foil != spec
        told += [f"{share(4, spec, foil, games)}", f"{share(2, spec, foil, games)}"] if met else ["", ""]
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("agents", nargs="*", default=LADDER)
    parser.add_argument("--games", type=int, default=4000, help="for every figure")
    given = parser.parse_args()
    print(f"wins in % of {given.games:,} games: 1v3 alone against three (par 25), 2p of two and 2v2 (par 50)")
    against_random = ["1v3 random", "2p random", "2v2 random", "us 1v3", "us 2p"]
    rows = [["agent", *against_random, "1v3 one_ply", "2p one_ply", "1v3 below", "2p below"]]
    for below, spec in zip(["", *given.agents], given.agents, strict=False):
        rows.append(rung(spec, below, given.games))
        print(*rows[-1], sep="  ", flush=True)
    print(columns(rows, right=set(range(1, 10))))


if __name__ == "__main__":
    main()
