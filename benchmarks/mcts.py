"""Simulations a second of Monte Carlo tree search in connect four, beside OpenSpiel's MCTSBot, which is C++.

Both play random games from the leaves of their trees, from the same openings, in turn in one process. Solving is
switched off in MCTSBot, for it would end searches early. Bar: at least 8 times as many as OpenSpiel.

    pip install -e '.[bench]'
    python benchmarks/mcts.py
"""

import importlib.util
from collections.abc import Callable

from side_by_side import REPEATS, connect_four, speeds
from sparring.agents.agent import View
from sparring.agents.spec import agent
from sparring.core.dice import dice

BAR = 8
SIMULATIONS = 10_000
OPENINGS = ("", "d", "d d", "d c", "a g d", "d d d e")


def ours() -> Callable[[], int]:
    game = connect_four()
    player = agent(game, f"mcts,iterations={SIMULATIONS}")
    views = [View(position, position.mover, dice(0)) for position in map(game.position, OPENINGS)]
    return lambda: sum(player.decide(view).notes["iterations"] for view in views)


def open_spiel() -> Callable[[], int]:
    import pyspiel

    game = pyspiel.load_game("connect_four")
    evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=1, seed=1)
    bot = pyspiel.MCTSBot(
        game, evaluator, uct_c=2.0, max_simulations=SIMULATIONS, max_memory_mb=1000, solve=False, seed=1, verbose=False
    )
    states = []
    for opening in OPENINGS:
        states.append(game.new_initial_state())
        for column in opening.split():
            states[-1].apply_action("abcdefg".index(column))
    return lambda: sum(int(bot.mcts_search(state).explore_count) for state in states)


def main() -> None:
    if not importlib.util.find_spec("pyspiel"):
        print("mcts: not measured, OpenSpiel is not installed: pip install -c constraints.txt -e '.[bench]'")
        return
    contestants = {"sparring": ours(), "OpenSpiel": open_spiel()}
    counts = {name: run() for name, run in contestants.items()}  # compiles, too
    assert set(counts.values()) == {SIMULATIONS * len(OPENINGS)}, counts
    found = speeds(contestants)
    print(
        f"connect four, random playouts, {SIMULATIONS:,} simulations in {len(OPENINGS)} openings, median of {REPEATS}"
    )
    print("  ".join(f"{name} {speed / 1e3:.0f} k/s" for name, speed in found.items()))
    print(f"{found['sparring'] / found['OpenSpiel']:.1f} times as many as OpenSpiel (bar {BAR})")


if __name__ == "__main__":
    main()
