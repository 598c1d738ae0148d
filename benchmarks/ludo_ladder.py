"""How strong Ludo's agents are, in compiled games. Games come in blocks: the same dice with every seating.

    python benchmarks/ludo_ladder.py [GAMES] [AGENT ...]

Without agents, the ladder of docs/ludo.md: every rung against the one below, against random and against one_ply.
"""

import math
import sys

import numpy as np

from sparring.agents.spec import agent
from sparring.arena.playout import play_out
from sparring.games import game
from sparring.table import columns

LADDER = [
    "random",
    "rulebased:as_written",
    "semi_smart",
    "rulebased:corrected",
    "one_ply",
    "one_ply:td_linear",
    "one_ply:td_net",
    "expectimax:td_net,depth=2",
]


def won(players: int, hero: str, foil: str, games: int, heroes: int = 1, seed: int = 0) -> tuple[float, float, float]:
    """The hero's wins in per cent, alone or as two opposite each other; how far off that may be (95 %); microseconds a
    move of the hero. Blocks, not games, are what chance varies."""
    made = game("ludo", players=players)
    one, other = (agent(made, spec).automaton(made) for spec in (hero, foil))
    assert one and other
    own = [place % (players // heroes) == 0 for place in range(players)]
    turns = players // heroes
    seated = [[(place - turn) % players for place in range(players)] for turn in range(turns)]
    seeds = np.arange(seed, seed + max(2, games // turns))
    blocks, _ = play_out(made, [one if hers else other for hers in own], seated, seeds)
    heroic = np.array([[own[player] for player in seating] for seating in seated])
    wins = 100 * (blocks["scores"] * heroic).sum(axis=2).mean(axis=1)
    spent = (blocks["seconds"] * heroic).sum() / (blocks["moves"] * heroic).sum()
    return float(wins.mean()), float(1.96 * wins.std(ddof=1) / math.sqrt(len(wins))), 1e6 * float(spent)


def told(result: tuple[float, float, float]) -> str:
    return f"{result[0]:.1f} ±{result[1]:.1f}"


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    ladder = sys.argv[2:] or LADDER
    rows = [["agent", "4: 1 v 3 random", "2: v random", "4: 1 v 3 one_ply", "2: v one_ply", "2: v rung below", "us"]]
    for rung, spec in enumerate(ladder):
        found = [won(4, spec, "random", games), won(2, spec, "random", games)]
        found += [won(4, spec, "one_ply", games), won(2, spec, "one_ply", games)]
        below = told(won(2, spec, ladder[rung - 1], games)) if rung else ""
        rows.append([spec, *map(told, found), below, f"{found[0][2]:.1f}"])
        print(columns(rows[-1:]), flush=True)
    print(columns(rows, right={1, 2, 3, 4, 5, 6}))


if __name__ == "__main__":
    main()
