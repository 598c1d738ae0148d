"""Learning what positions of Ludo are worth: TD(lambda) on the positions after moves, in self-play.

Every player moves to the position that the value likes best for it; the dice see to it that all kinds of positions
come up. When the game is over it is walked back from its end. In every position, the value of each player moves a step
towards what followed: the next position's value or, the larger lambda the more, what followed there. The only reward is
the result. Steps get smaller with every game, down to nothing.
"""

import json
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from sparring.core import defaults
from sparring.core.amounts import number_of, setting, whole_number
from sparring.core.bits import lowest
from sparring.core.dice import Dice, roll, sow
from sparring.core.errors import SparringError
from sparring.core.files import arrays, written_whole
from sparring.core.kernel import Weights, address_of, entry, kernel, record, record_type, workspace
from sparring.core.progress import Progress
from sparring.games.ludo.game import Ludo
from sparring.games.ludo.rules import legal, move_token, mover, over, roll_on, score
from sparring.games.ludo.state import State
from sparring.games.ludo.value import (
    FEATURES,
    HIDDEN,
    MOST,
    add_up_hidden,
    chance_of,
    linear_sum,
    linear_value,
    net_value,
    observe,
    write,
)

LONGEST = 4000
"""Of a longer game only so many positions are learned from."""

Pace = np.dtype(
    [
        ("net", np.int64),
        ("seed", np.int64),
        ("games", np.int64),
        ("done", np.int64),  # of them, counted where they are learned: an interrupt is heard only afterwards
        ("alpha", np.float64),
        ("trace", np.float64),
    ],
    align=True,
)


@dataclass(frozen=True)
class Study:
    """How a value is learned."""

    kind: str = "linear"  # or net
    players: int = 2
    games: int = 100_000
    alpha: float = 0.005  # how large the first steps are
    trace: float = 0.9  # TD's lambda
    seed: int = defaults.SEED

    def __post_init__(self) -> None:
        if self.kind not in ("linear", "net"):
            raise SparringError(f"a value is linear or net, not {self.kind!r}")
        object.__setattr__(self, "players", whole_number("players", self.players, 2, 4))
        for name in ("games", "seed"):
            object.__setattr__(self, name, setting(name, getattr(self, name)))
        for name in ("alpha", "trace"):
            object.__setattr__(self, name, number_of(name, str(getattr(self, name))))
        if not (0 < self.alpha < 1 and 0 <= self.trace <= 1):
            raise SparringError("alpha and trace must lie between 0 and 1")

    @property
    def command(self) -> str:
        """What makes the same file again."""
        usual = Study()
        told = [name for name in ("alpha", "trace") if getattr(self, name) != getattr(usual, name)]
        words = [f"spar learn ludo --td {self.kind} --players {self.players} --games {self.games} --seed {self.seed}"]
        return " ".join([*words, *(f"--{name} {getattr(self, name)}" for name in told)])


@kernel
def best_move(s: Any, after: Any, net: int, weights: Any) -> int:
    """The move that leads to the position with the best value for the mover."""
    me, moves = mover(s), legal(s)
    chosen, best = lowest(moves), -1.0
    if moves & (moves - 1) == 0:
        return chosen
    while moves:
        token = lowest(moves)
        moves &= moves - 1
        after[0] = s
        move_token(after[0], token)
        value = net_value(after[0], me, weights) if net else linear_value(after[0], me, weights)
        if value > best:
            chosen, best = token, value
    return chosen


@kernel
def play_game(s: Any, after: Any, net: int, weights: Any, dice: Any, history: Any) -> int:
    """Play a game to its end and write down the positions after moves; returns how many."""
    length = 0
    roll_on(s[0], dice)
    while not over(s[0]):
        move_token(s[0], best_move(s[0], after, net, weights))
        history[min(length, LONGEST - 1)] = s[0]
        length += 1
        roll_on(s[0], dice)
    return min(length, LONGEST)


@kernel
def draw_towards(
    target: float, rate: float, s: Any, me: int, net: int, table: Any, at: int, features: Any, amounts: Any, units: Any
) -> float:
    """Draw the value of a position a step towards a target; returns what it was."""
    found = observe(s, me, features, amounts)
    total = linear_sum(features, amounts, found, at)
    if net:
        total += add_up_hidden(features, amounts, found, at, units)
    value = chance_of(total)
    step = rate * (target - value)
    for place in range(found):
        table[features[place]] += step * amounts[place]
    if net:
        push, out = np.float32(step), table[FEATURES : FEATURES + HIDDEN]
        for unit in range(HIDDEN):
            active = max(units[unit], np.float32(0))
            units[unit] = push * out[unit] if active > 0 else np.float32(0)
            out[unit] += push * active
        for place in range(found):
            first = FEATURES + HIDDEN + features[place] * HIDDEN
            row, amount = table[first : first + HIDDEN], amounts[place]
            for unit in range(HIDDEN):
                row[unit] += amount * units[unit]
    return value


@kernel
def learn_games(
    pace: Any,
    last: int,
    start: Any,
    table: Any,
    weights: Any,
    s: Any,
    history: Any,
    dice: Any,
    features: Any,
    amounts: Any,
    units: Any,
) -> None:
    """Play on to a number of games and learn from each. The number of a game is all that its dice depend on."""
    for number in range(pace.done, last):
        sow(dice, pace.seed, number)
        s[0] = start
        s[0].to_move = roll(dice, start.players)
        length = play_game(s[:1], s[1:], pace.net, weights, dice, history)
        rate = pace.alpha * (1 - number / pace.games)
        for player in range(start.players):
            target = score(s[0], player)
            for place in range(length - 2, -1, -1):
                position, at = history[place], weights.tables[0]
                value = draw_towards(target, rate, position, player, pace.net, table, at, features, amounts, units)
                target += (1 - pace.trace) * (value - target)
        pace.done = number + 1


@cache
def _learn_games() -> Any:
    states = types.Array(record_type(State), 1, "C")
    signature = types.void(
        record_type(Pace),
        types.int64,
        record_type(State),
        types.float32[::1],
        record_type(Weights),
        states,
        states,
        record_type(Dice),
        types.int64[::1],
        types.float32[::1],
        types.float32[::1],
    )
    return entry(learn_games, signature)


def fresh_table(study: Study) -> Any:
    """Nothing is known; only hidden units must differ a little for each to learn something else."""
    table = np.zeros(FEATURES, np.float32)
    if study.kind == "linear":
        return table
    random = np.random.default_rng(study.seed)
    out, rows = random.uniform(-0.1, 0.1, HIDDEN), random.uniform(-0.05, 0.05, FEATURES * HIDDEN)
    return np.concatenate([table, out, rows], dtype=np.float32)


AT_A_TIME, SAVED_EVERY = 200, 30.0
"""Games between two looks at the keyboard, and seconds between two savings."""


def train(study: Study, out: Path, progress: Progress | None = None) -> None:
    """Learn a value and write it to a file. What was learned so far is kept beside it, so that the same call goes on
    where one was interrupted, and ends with the same table."""
    kept = out.with_name(f"{out.stem}.partial.npz")
    weights, pace = record(Weights), record(Pace)
    table, pace.done = resumed(study, kept)
    weights.of[:], weights.tables[:] = 1.0, address_of(table)
    pace.net, pace.seed, pace.games = study.kind == "net", study.seed, study.games
    pace.alpha, pace.trace = study.alpha, study.trace
    memory = workspace(State, 2), workspace(State, LONGEST), record(Dice)
    lists = np.empty(MOST, np.int64), np.empty(MOST, np.float32), np.empty(HIDDEN, np.float32)
    start, saved = Ludo(players=study.players).empty(), time.monotonic()
    try:
        while pace.done < study.games:
            _learn_games()(pace, min(pace.done + AT_A_TIME, study.games), start, table, weights, *memory, *lists)
            if progress:
                progress(int(pace.done), study.games)
            if time.monotonic() > saved + SAVED_EVERY:
                keep(study, kept, table, int(pace.done))
                saved = time.monotonic()
    except KeyboardInterrupt:
        keep(study, kept, table, int(pace.done))
        raise
    write(out, table, asdict(study) | {"command": study.command})
    kept.unlink(missing_ok=True)


def keep(study: Study, file: Path, table: Any, done: int) -> None:
    """All digits, for learning to go on as if it had never stopped."""
    with written_whole(file) as part, part.open("wb") as stream:
        np.savez(stream, table=table, study=json.dumps(asdict(study)), done=done)


def resumed(study: Study, file: Path) -> tuple[Any, int]:
    if not file.exists():
        return fresh_table(study), 0
    try:
        kept = arrays(file)
        begun, table, done = json.loads(str(kept["study"])), kept["table"], int(kept["done"])
    except (ValueError, KeyError) as error:
        raise SparringError(f"{file} holds no learning to go on with: delete it, or name another --out") from error
    if begun != asdict(study):
        raise SparringError(f"{file} was begun with other settings: give these, or delete it")
    return table, done
