"""A course of tabular Q-learning: its settings, its rewards, trials along the way, and a table that survives whatever
happens to the process."""

import re
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sparring.agents.editions import fixes_of
from sparring.agents.spec import Spec, agent, flag, only_options
from sparring.core import defaults
from sparring.core.amounts import number_of, setting
from sparring.core.dice import Dice
from sparring.core.errors import SparringError, unknown
from sparring.core.kernel import record, records
from sparring.core.plots import picture
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.contract import Game
from sparring.games.ludo import features
from sparring.games.ludo.abstraction import Abstraction
from sparring.games.ludo.features import CLASSES, CONTEXTS
from sparring.games.ludo.qtable import Table, Trial
from sparring.games.ludo.state import State
from sparring.learning.qlearning import Lesson, Pupil, compiled_study
from sparring.search.tree import MAX_PLIES, Frame, Walk
from sparring.statistics.intervals import wilson

SELF = "self"
AVERAGES = "1/n:"
"""An alpha that begins like this takes the mean of what was found, as long as 1/n is more than what follows."""
TRIAL_SEED = 1_000_003
TRIALS = 20
LAP_SECONDS = 0.2
"""So often Ctrl-C is heard and progress told."""


@dataclass(frozen=True)
class Reward:
    """What a learner is paid for. Classes are those of the true move, whatever the abstraction sees of it."""

    moves: Mapping[str, float] = field(default_factory=dict)  # by class
    death: float = 0.0  # an own token is captured
    multipliers: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # by context, then class or `death`
    step: float = 0.0
    out: float = 0.0
    stolen: float = 0.0
    win: float = 0.0
    loss: float = 0.0

    def times(self, context: str, event: str) -> float:
        return self.multipliers.get(context, {}).get(event, 1.0)


SHAPED = {
    **{"neutral": 1.0, "risk": 1.0, "high risk": 1.0, "boost": 10.0, "risky boost": 10.0, "goal": 100.0},
    **{"safety": 15.0, "exit": 15.0, "back": 15.0, "kill": 50.0, "risky kill": 50.0, "suicide": -10.0},
}
MULTIPLIERS = {
    "trailing": {"kill": 1.5, "risky kill": 1.5, "boost": 1.2, "risky boost": 1.2, "safety": 0.8, "death": 0.5},
    "leading": {"kill": 0.8, "risky kill": 0.8, "safety": 2.0, "death": 1.5},
}
REWARDS = {
    "sparse": Reward(win=100.0, loss=-100.0),
    "shaped": Reward(SHAPED, death=-20.0),
    "contextual": Reward(SHAPED, death=-20.0, multipliers=MULTIPLIERS),
    "progress": Reward(step=1.0, out=30.0, stolen=0.7),
}
"""`shaped` pays by the class of a move. `contextual` pays the same by the race: kills count more for a player that
trails, safety and lost tokens for one that leads. `sparse` pays for the result alone. `progress` counts steps: made,
lost to others before the next decision, and taken from others; leaving home is worth 30. The document names no rewards:
these are choices."""


@dataclass(frozen=True)
class Course:
    """What is learned and how, as texts and numbers. From these and the game a table follows to the last bit."""

    state: str = "combined:corrected"
    games: int = 200_000
    against: str = "random"
    reward: str = "progress"
    gamma: float = 0.2
    alpha: str = "1/n:0.001"
    epsilon: str = "0.1"
    seed: int = defaults.SEED
    trial_games: int = 4_000

    def __post_init__(self) -> None:
        for name in ("state", "against", "reward", "alpha", "epsilon"):
            object.__setattr__(self, name, str(getattr(self, name)))
        for name in ("games", "trial_games", "seed"):
            object.__setattr__(self, name, setting(name, getattr(self, name)))
        object.__setattr__(self, "gamma", number_of("gamma", str(self.gamma)))
        if self.reward not in REWARDS:
            raise unknown("reward", self.reward, REWARDS)
        if not 0 <= self.gamma <= 1:
            raise SparringError(f"gamma must be from 0 to 1, not {self.gamma}")
        schedule("alpha", self.alpha.removeprefix(AVERAGES))
        schedule("epsilon", self.epsilon)
        assert self.abstraction  # or else an error says what is wrong with the state

    @cached_property
    def abstraction(self) -> Abstraction:
        spec = Spec.parse(self.state)
        only_options(spec, ("fix", "keep", "unsorted"), name=True)
        fixes = fixes_of(spec, features.EDITIONS, features.FIXES)
        return Abstraction(spec.name.partition(":")[0], fixes, flag(spec, "unsorted"))

    def next_stop(self, games: int) -> int:
        """When the table is tried out and kept again: some twenty times, the last time at the end."""
        every = -(-self.games // TRIALS)
        return min(self.games, games - games % every + every)

    def stops_at(self, games: int) -> bool:
        return games > 0 and self.next_stop(games - 1) == games

    def lesson(self) -> Any:
        """The same as compiled code takes it."""
        lesson, abstraction, reward = record(Lesson), self.abstraction, REWARDS[self.reward]
        lesson.kind, lesson.fixes = abstraction.kind, abstraction.mask
        lesson.gamma, lesson.games, lesson.seed = self.gamma, self.games, self.seed
        lesson.self_play = self.against == SELF
        lesson.averages = self.alpha.startswith(AVERAGES)
        for place, value in enumerate(schedule("alpha", self.alpha.removeprefix(AVERAGES))):
            lesson.alpha[place] = value
        for place, value in enumerate(schedule("epsilon", self.epsilon)):
            lesson.epsilon[place] = value
        paid = lesson.rewards
        paid.step, paid.out, paid.stolen, paid.win, paid.loss = (
            *(reward.step, reward.out, reward.stolen),
            *(reward.win, reward.loss),
        )
        lesson.by_class = bool(reward.moves)
        for context, name in enumerate(CONTEXTS):
            paid.death[context] = reward.death * reward.times(name, "death")
            for place, event in enumerate(CLASSES):
                paid.move[context, place] = reward.moves.get(event, 0.0) * reward.times(name, event)
        return lesson


def schedule(what: str, text: str) -> tuple[float, float, float]:
    """First, factor and last from a text: `0.1`, `0.1:0.01` evenly over all games, or `0.1*0.9995:0.01` a factor a game
    and no less than the last."""
    shape = re.fullmatch(r"([^:*]+)(?:\*([^:*]+))?(?::([^:*]+))?", text)
    if not shape or (shape[2] and not shape[3]):
        raise SparringError(f"{what} must be such as 0.1, 0.1:0.01 or 0.1*0.9995:0.01, not {text!r}")
    first, factor, last = (number_of(what, part) if part else None for part in shape.groups())
    values = (first or 0.0, factor or 0.0, first or 0.0 if last is None else last)
    if not all(0 <= value <= 1 for value in values) or factor == 0:
        raise SparringError(f"{what} must be from 0 to 1, and a factor more than 0, not {text!r}")
    return values


class Classroom:
    """A game, a table and the compiled loop, ready to play games of learning or of trial."""

    def __init__(self, game: Game, foil: str) -> None:
        made: Any = game
        automaton = agent(game, foil).automaton(game)
        if automaton is None:
            raise SparringError(f"{foil} cannot be learned against, for it is not compiled; try one_ply or {SELF}")
        self._study = compiled_study()
        self._foil = automaton  # which holds what its weights point to
        walk = record(Walk)
        walk.max_nodes, walk.max_depth = automaton.most_nodes, automaton.most_plies
        self._memory = (
            *(made.empty(), records(State, MAX_PLIES), records(Pupil, 4), records(Dice, 3)),
            *(walk, records(Frame, MAX_PLIES), automaton.step, automaton.score, automaton.weights),
        )

    def study(self, lesson: Any, table: Table, last: int) -> int:
        """Play on to a number of games. Returns how many the pupil has won."""
        return int(self._study(last, lesson, table.values, table.visits, *self._memory))


@dataclass(frozen=True)
class Learned:
    """A table after its course, or after a part of it."""

    table: Table
    file: Path | None
    interrupted: bool = False

    def __str__(self) -> str:
        table = self.table
        done = f"{table.games:,} of {table.settings['games']:,} games" if self.interrupted else f"{table.games:,} games"
        lines = [
            f"{table.settings['state']} learned against {table.settings['against']} from {done}",
            f"{table.visited:,} of {table.abstraction.states:,} states visited",
        ]
        if table.curve:
            rows = [["games", "won", "95 %"]]
            for trial in table.curve:
                share = f"{100 * trial.won:.1f} %"
                rows.append([f"{trial.games:,}", share, f"[{100 * trial.low:.1f}, {100 * trial.high:.1f}]"])
            lines += [
                "",
                f"greedy, {table.settings['trial_games']:,} games against random",
                columns(rows, right={0, 1}),
            ]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        table = self.table
        return {
            "settings": dict(table.settings),
            "games": table.games,
            "visited": table.visited,
            "states": table.abstraction.states,
            "curve": [trial._asdict() for trial in table.curve],
            "file": str(self.file) if self.file else None,
            "interrupted": self.interrupted,
        }

    def plot(self, file: Path) -> None:
        """The learning curve with its intervals."""
        title = f"{self.table.settings['state']}: learning against {self.table.settings['against']}"
        games, won, low, high = (np.array(column) for column in zip(*self.table.curve, strict=True))
        with picture(file) as axes:
            axes.plot(games, won, marker="o")
            axes.fill_between(games, low, high, alpha=0.2)
            axes.set(xlabel="games of learning", ylabel="won against random", title=title)


def learn(
    game: Game,
    course: Course,
    file: Path | None = None,
    progress: Progress | None = None,
) -> Learned:
    """Follow a course, from its beginning or from where its file has come. After each twentieth of it the table is
    tried out and kept. Interrupted, what has been learned is kept too."""
    if game.name != "ludo":
        raise SparringError(f"only ludo has states for tables, not {game.name}")
    settings = {**asdict(course), "options": game.options()}
    table = _begun(course, settings, file)
    lesson = course.lesson()
    lesson.played = table.games
    room = Classroom(game, "random" if course.against == SELF else course.against)
    trials = Classroom(game, "random")
    lap = 1
    try:
        while table.games < course.games or _owes_trial(course, table):
            if _owes_trial(course, table):
                table.curve.append(tried(course, trials, table, course.trial_games))
            else:
                before, started = table.games, time.perf_counter()
                room.study(lesson, table, min(course.next_stop(before), before + lap))
                table.games = int(lesson.played)
                lap = max(1, int((table.games - before) * LAP_SECONDS / max(1e-6, time.perf_counter() - started)))
            if file and course.stops_at(table.games) and not _owes_trial(course, table):
                table.save(file)
            if progress:
                progress(table.games, course.games, _told(table))
    except KeyboardInterrupt:
        table.games = int(lesson.played)
        if file:
            table.save(file)
        return Learned(table, file, interrupted=True)
    return Learned(table, file)


def _begun(course: Course, settings: Mapping[str, Any], file: Path | None) -> Table:
    """The table to go on with: a new one, or that of the file if it is of the same course."""
    if not file or not file.exists():
        return Table(course.abstraction, settings)
    table = Table.load(file)
    before, now = ({**one, **one["options"], "options": None} for one in (table.settings, settings))
    for name, value in now.items():
        if before.get(name) != value:
            told = f"{file} was learned with {name} {before.get(name)}, not {value}"
            raise SparringError(f"{told}; name another file, or delete it")
    return table


def tried(course: Course, room: Classroom, table: Table, games: int) -> Trial:
    """Play greedily by a table, without learning, always with the same dice."""
    lesson = course.lesson()
    lesson.alpha, lesson.epsilon = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    lesson.averages, lesson.self_play, lesson.seed, lesson.games = 0, 0, TRIAL_SEED, games
    won = room.study(lesson, table, games) / games
    return Trial(table.games, won, *wilson(won, games))


def _owes_trial(course: Course, table: Table) -> bool:
    """Whether it is time to try the table out: also if that was interrupted the last time."""
    tried_after = table.curve[-1].games if table.curve else 0
    return course.trial_games > 0 and course.stops_at(table.games) and tried_after < table.games


def _told(table: Table) -> str:
    return f"{100 * table.curve[-1].won:.1f} % against random" if table.curve else ""
