"""Time of one step from Python: who acts, the legal actions, one of them applied, chance after it.

Random games of every installed game and of connect four from the examples, beside OpenSpiel's connect four if
OpenSpiel is installed. Processor time without the set-up of games; the best of some rounds, all in one run.

    python benchmarks/steps.py
"""

import importlib.util
import random
import time
from collections.abc import Callable

from side_by_side import connect_four
from sparring.core.dice import referees_dice
from sparring.core.table import columns
from sparring.games import registry
from sparring.games.contract import Game

ROUNDS, GAMES = 7, 20
Timed = tuple[int, float]


def in_place(game: Game) -> Timed:
    """The state is changed, as bridges and quick agents do."""
    choose, steps, spent = random.Random(1).choice, 0, 0.0
    for seed in range(GAMES):
        state, dice = game.start(seed).state, referees_dice(seed)
        started = time.process_time()
        while acting := game.actors(state):
            game.play(state, {player: choose(game.legal(state, player)) for player in acting}, dice)
            steps += 1
        spent += time.process_time() - started
    return steps, spent


def as_positions(game: Game) -> Timed:
    """Every step is checked and gives a position of its own."""
    choose, steps, spent = random.Random(1).choice, 0, 0.0
    for seed in range(GAMES):
        position = game.start(seed)
        started = time.process_time()
        while acting := position.actors:
            position = position.after({player: choose(game.legal(position.state, player)) for player in acting})
            steps += 1
        spent += time.process_time() - started
    return steps, spent


def open_spiel() -> Timed:
    import pyspiel

    rules, choose, steps, spent = pyspiel.load_game("connect_four"), random.Random(1).choice, 0, 0.0
    for _ in range(GAMES):
        state = rules.new_initial_state()
        started = time.process_time()
        while not state.is_terminal():
            state.apply_action(choose(state.legal_actions()))
            steps += 1
        spent += time.process_time() - started
    return steps, spent


def microseconds(run: Callable[[], Timed]) -> str:
    run()
    best = min(spent / steps for steps, spent in (run() for _ in range(ROUNDS)))
    return f"{best * 1e6:.1f} us"


def main() -> None:
    rows = [["game", "in place", "as positions"]]
    games = {game.name: game for game in (*registry.working(), connect_four())}
    for game in games.values():
        ways = (lambda one=one, game=game: one(game) for one in (in_place, as_positions))
        rows.append([game.name, *map(microseconds, ways)])
    if importlib.util.find_spec("pyspiel"):
        rows.append(["connect four of OpenSpiel", microseconds(open_spiel), ""])
    else:
        rows.append(["connect four of OpenSpiel", "not installed", ""])
    print(columns(rows, right={1, 2}))


if __name__ == "__main__":
    main()
