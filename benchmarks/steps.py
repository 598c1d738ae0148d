"""Time of one step from Python: players to act, their legal actions, one action of each applied, then chance.

Random games of every installed game and of connect four from the examples, beside OpenSpiel's connect four if
OpenSpiel is installed. Processor time without the set-up of games, the best of some rounds, in one run. Bars: 6 us in
place for Isolation and Ludo, 12 us for Battlesnake and Flag War.

    python benchmarks/steps.py
"""

import importlib.util
import random
import time
from collections.abc import Callable
from typing import Any

from side_by_side import connect_four
from sparring.core.dice import referees_dice
from sparring.core.table import columns
from sparring.games import registry
from sparring.games.contract import Game

ROUNDS, GAMES = 7, 100
Choose = Callable[[Any], Any]


def in_place(game: Game) -> Callable[[Choose], int]:
    """Change the state, as bridges and quick agents do."""
    starts = [(game.start(seed).state, referees_dice(seed)) for seed in range(GAMES)]

    def run(choose: Choose) -> int:
        steps = 0
        for state, dice in starts:
            while acting := game.actors(state):
                game.play(state, {player: choose(game.legal(state, player)) for player in acting}, dice)
                steps += 1
        return steps

    return run


def as_positions(game: Game) -> Callable[[Choose], int]:
    """Check every action and make a new position."""
    starts = [game.start(seed) for seed in range(GAMES)]

    def run(choose: Choose) -> int:
        steps = 0
        for position in starts:
            while acting := position.actors:
                position = position.after({player: choose(game.legal(position.state, player)) for player in acting})
                steps += 1
        return steps

    return run


def open_spiel() -> Callable[[Choose], int]:
    import pyspiel

    starts = [pyspiel.load_game("connect_four").new_initial_state() for _ in range(GAMES)]

    def run(choose: Choose) -> int:
        steps = 0
        for state in starts:
            while not state.is_terminal():
                state.apply_action(choose(state.legal_actions()))
                steps += 1
        return steps

    return run


def microseconds(prepare: Callable[[], Callable[[Choose], int]]) -> str:
    best = float("inf")
    for _ in range(1 + ROUNDS):
        run, choose = prepare(), random.Random(1).choice
        started = time.process_time()
        steps = run(choose)
        best = min(best, (time.process_time() - started) / steps)
    return f"{best * 1e6:.1f} us"


def main() -> None:
    rows = [["game", "in place", "as positions"]]
    games = {game.name: game for game in (*registry.working(), connect_four())}
    for game in games.values():
        rows.append(
            [game.name, *(microseconds(lambda way=way, game=game: way(game)) for way in (in_place, as_positions))]
        )
    known = importlib.util.find_spec("pyspiel")
    rows.append(["connect four of OpenSpiel", microseconds(open_spiel) if known else "not installed", ""])
    print(columns(rows, right={1, 2}))


if __name__ == "__main__":
    main()
