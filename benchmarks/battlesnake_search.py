"""How far Battlesnake's searches look ahead, and what their players are worth on equal time.

Bars: alpha-beta or best reply reach a median depth of 12 single moves in 300 ms in the middle of duels on 11x11; the
corrected override beats plain corrected RHEA, and the strongest player Negamax with 75 % of the points, each with 100
ms a move (Negamax is done with its four turns long before).

    python benchmarks/battlesnake_search.py [GAMES]
"""

import sys
from statistics import median

import sparring
from sparring.agents.agent import View
from sparring.core.dice import dice, players_dice
from sparring.core.table import columns
from sparring.games.battlesnake.game import Battlesnake
from sparring.games.contract import Position

POSITIONS, MIDDLE, LEAST_LENGTH = 25, 60, 6
MATCHES = (
    ("override:corrected,time=100ms", "rhea:corrected,time=100ms"),
    ("strongest,time=100ms", "negamax:as_written"),
    ("strongest,time=100ms", "negamax:corrected"),
)


def middles(game: Battlesnake) -> list[Position]:
    """Positions after sixty turns between players who live that long."""
    player, found, seed = sparring.agent(game, "alphabeta:steady,depth=4"), [], 0
    while len(found) < POSITIONS:
        seed += 1
        position = game.start(seed)
        while not position.over and position.state.turn < MIDDLE:
            views = [View.of(position, me, players_dice(seed, me)) for me in position.actors]
            position = position.after({view.me: player.decide(view).action for view in views})
        if not position.over and min(position.state.length[:2]) >= LEAST_LENGTH:
            found.append(position)
    return found


def main() -> None:
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    game = sparring.game("battlesnake")
    assert isinstance(game, Battlesnake)
    positions = middles(game)
    rows = [["300 ms", "median depth", "least", "nodes"]]
    for spec in ("alphabeta:strong,time=300ms", "best_reply:strong,time=300ms", "alphabeta:voronoi,time=300ms"):
        player = sparring.agent(game, spec)
        decisions = [player.decide(View.of(one, 0, dice(0))) for one in positions]
        depths = [decision.depth for decision in decisions]
        nodes = median(decision.nodes for decision in decisions)
        rows.append([spec, f"{median(depths):g}", f"{min(depths)}", f"{nodes / 1e6:.2f} M"])
    print(f"{POSITIONS} positions of turn {MIDDLE}, two snakes, 11x11; depth counts single moves (bar 12)")
    print(columns(rows, right={1, 2, 3}))
    for one, other in MATCHES:
        print(f"\n{sparring.match(game, one, other, games=games)}", flush=True)


if __name__ == "__main__":
    main()
