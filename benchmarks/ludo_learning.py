"""Tabular Q-learning of Ludo: how fast it learns, beside random games without learning; what gamma does; and what the
tables that come with the package are worth.

    python benchmarks/ludo_learning.py            prints the figures of docs/ludo-evidence.md
    python benchmarks/ludo_learning.py --tables   prints only what the tables are worth
    python benchmarks/ludo_learning.py --train    learns the tables anew, a few minutes each, or only those named
"""

import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np

from side_by_side import speeds
from sparring.agents.learning_file import LearningFile
from sparring.agents.q_table import packed, trained
from sparring.core.dice import Dice, random_bit, seed_dice
from sparring.core.table import columns
from sparring.games.ludo.rules import draw, movable, move_token, over
from sparring.games.ludo.state import State
from sparring.games.registry import folder, game
from sparring.learning.learner import Trial, learn
from sparring.learning.qlearning import QLearner, QSettings

GAMES, FAST_GAMES, SWEPT_GAMES = 20_000, 5_000, 20_000
DOCUMENT = {"games": 30_000, "reward": "contextual", "gamma": 0.9, "alpha": "0.1", "epsilon": "0.1*0.9995:0.01"}
OURS = {"against": "self", "gamma": 0.0, "alpha": "1/n:0.001", "epsilon": "0.3:0.1", "trial_games": 2_000}
SMALL = {"players": 2, "tokens": 2}
MUCH_LESS, HALVES = 16.0, 0.5
TABLES: dict[str, tuple[dict[str, Any], dict[str, Any], int]] = {
    "potential_as_written": ({"state": "potential:as_written", **DOCUMENT}, {}, 1),
    "zone_as_written": ({"state": "zone:as_written", **DOCUMENT}, {}, 1),
    "combined_as_written": ({"state": "combined:as_written", **DOCUMENT}, {}, 1),
    "potential": ({"state": "potential:corrected", "games": 150_000, **OURS}, {}, 5),
    "zone": ({"state": "zone:corrected", "games": 50_000, **OURS}, {}, 1),
    "combined": ({"state": "combined:corrected", "games": 200_000, **OURS}, {}, 8),
    "potential_2p2t": ({"state": "potential:corrected", "games": 200_000, **OURS}, SMALL, 1),
    "zone_2p2t": ({"state": "zone:corrected", "games": 200_000, **OURS}, SMALL, 1),
    "combined_2p2t": ({"state": "combined:corrected", "games": 200_000, **OURS}, SMALL, 1),
}
"""The settings of each table, the options of its game, and how often a state must have been visited to be kept."""


@numba.njit
def random_games(games: int, start: Any, states: Any, dice: Any) -> int:
    """Returns the number of moves."""
    moves = 0
    for number in range(games):
        states[0] = start
        for own in range(2):
            seed_dice(dice[own], number, own)
        while not over(states[0]):
            while states[0].die == 0:
                draw(states[0], dice[0])
            move_token(states[0], random_bit(movable(states[0]), dice[1]))
            moves += 1
    return moves


def decisions(state: str, against: str, players: int) -> Any:
    """A contestant: learns from some games, the same ones every time, and returns the number of decisions."""
    learner = QLearner(game("ludo", players=players), QSettings(state=state, against=against, games=FAST_GAMES))

    def run() -> int:
        training = learner.new_training()
        learner.play(FAST_GAMES, training)
        return int(training.decided)

    run()
    return run


def print_speed() -> None:
    made: Any = game("ludo", players=2)
    memory = made.new(0), np.zeros(1, State), np.zeros(2, Dice)
    random_games(1, *memory)
    found = speeds(
        {
            "random games of two without learning, moves": lambda: int(random_games(FAST_GAMES, *memory)),
            "zone:as_written against one random": decisions("zone:as_written", "random", 2),
            "potential:as_written against one random": decisions("potential:as_written", "random", 2),
            "potential:as_written against itself": decisions("potential:as_written", "self", 4),
            "potential:as_written against three random": decisions("potential:as_written", "random", 4),
            "combined:corrected against itself": decisions("combined:corrected", "self", 4),
            "combined:corrected against three random": decisions("combined:corrected", "random", 4),
        }
    )
    raw = next(iter(found.values()))
    print("million moves, and decisions learned from, a second of processor time")
    print(columns([[name, f"{speed / 1e6:.2f}", f"{speed / raw:.3f}"] for name, speed in found.items()], right={1, 2}))


def print_gamma() -> None:
    print(f"\npotential:corrected after {SWEPT_GAMES:,} games against itself, won of {GAMES:,} against three random")
    rows = [["gamma", "progress", "shaped"]]
    for gamma in (0.0, 0.2, 0.5, 0.9):
        row = [f"{gamma:g}"]
        for reward in rows[0][1:]:
            settings = {**OURS, "gamma": gamma, "reward": reward, "games": SWEPT_GAMES, "trial_games": 0}
            learner = QLearner(game("ludo"), QSettings(state="potential:corrected", **settings))
            learn(learner)
            row.append(f"{100 * learner.trial(GAMES).won:.1f}")
        rows.append(row)
    print(columns(rows, right={0, 1, 2}))


def shipped(file: Path, players: int) -> QLearner:
    """The learner of a table that comes with the game, in games of so many players."""
    kept = LearningFile.load(file)
    given = {name: kept.settings[name] for name in QSettings.__dataclass_fields__}
    learner = QLearner(game("ludo", players=players, tokens=kept.settings["options"]["tokens"]), QSettings(**given))
    learner.restore(kept.numbers)
    learner.training.done = kept.games
    return learner


def print_tables() -> None:
    print(f"\nwon against random in % of {GAMES:,} games, with its 95 % interval")
    rows = [["agent", "state", "learned from", "states kept", "of", "v three", "", "v one", ""]]
    for name, file in trained(game("ludo")).items():
        cells = []
        for players in (4, 2):
            learner = shipped(file, players)
            trial: Trial = learner.trial(GAMES)
            cells += [f"{100 * trial.won:.1f}", f"[{100 * trial.low:.1f}, {100 * trial.high:.1f}]"]
        learned = f"{learner.done:,} games against {learner.config.against}"
        states = [f"{len(learner.rows()):,}", f"{learner.encoder.states:,}"]
        rows.append([f"tabular:{name}", learner.config.state, learned, *states, *cells])
    print(columns(rows, right={3, 4, 5, 7}))


def slim(learner: QLearner, visits: int) -> LearningFile:
    """What is needed to play, of states with a choice that were visited so often: how much less than the best each move
    is worth, in halves, and about how many visits there were. No learning can go on from it."""
    tried = learner.visits > 0
    rows = np.intersect1d(learner.rows(visits), np.flatnonzero(tried.sum(axis=1) > 1))
    values = np.where(tried[rows], learner.values[rows], -np.inf)
    less = np.maximum(values - values.max(axis=1, keepdims=True), -MUCH_LESS)
    about = np.zeros_like(learner.visits[rows])
    about[:, 0] = 2 ** np.round(np.log2(learner.visits[rows].sum(axis=1)))
    numbers = packed(rows, np.round(less / HALVES).astype(np.int8), about, HALVES)
    return LearningFile(learner.settings, learner.command, learner.done, learner.curve, numbers)


def train(names: list[str]) -> None:
    for name in names or TABLES:
        settings, options, visits = TABLES[name]
        learner = QLearner(game("ludo", **options), QSettings(**settings))
        print(f"{name}: {learn(learner, Path(f'{name}.npz'))}\n", flush=True)
        slim(learner, visits).save(folder("ludo") / "trained" / f"q_{name}.npz")


if __name__ == "__main__":
    if "--train" in sys.argv:
        train(sys.argv[sys.argv.index("--train") + 1 :])
    elif "--tables" in sys.argv:
        print_tables()
    else:
        print_speed()
        print_gamma()
        print_tables()
