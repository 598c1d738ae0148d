"""Strength that must hold: voronoi scores 57 % against improved at equal nodes, and perfect wins every won opening.

python benchmarks/strength.py [games against each agent, 500 by default]
"""

import sys

import sparring
from sparring.agents.spec import heuristics
from sparring.games.isolation.solver.proof import solve

NODES = (1_000, 3_000, 10_000)


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    for nodes in NODES:
        match = sparring.match("isolation", f"voronoi,nodes={nodes}", f"improved,nodes={nodes}", games=4 * games)
        print(match.pairings[0].verdict())
        print(f"  {match.pairings[0].score}", flush=True)
    isolation = sparring.game("isolation")
    opponents = ["random", "greedy", *(f"alphabeta:{name}" for name in heuristics(isolation))]
    for opponent in opponents:
        match = sparring.match(isolation, "perfect", opponent, games=games)
        won = lost = saved = 0
        for game in match.games:
            seat = game.agents.index("perfect")
            if solve(game.positions()[0].state).wins == (seat == 0):
                won += game.scores[seat] == 1
                lost += game.scores[seat] == 0
            else:
                saved += game.scores[seat] == 1
        print(
            f"perfect v {opponent}: won openings {won} won {lost} lost, "
            f"lost openings turned {saved} of {games - won - lost}, {100 * match.pairings[0].score.mean:.1f} %",
            flush=True,
        )


if __name__ == "__main__":
    main()
