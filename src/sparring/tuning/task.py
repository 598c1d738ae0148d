"""The definition of a tuning: the agent, its weights, the method, the opponents and the number of games."""

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec, agent
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.core import defaults
from sparring.core.dice import dice, throw
from sparring.core.errors import SparringError, unknown
from sparring.core.terms import Weight
from sparring.games.contract import Game
from sparring.tuning.meeting import Warn, games_a_block, meeting, whole_blocks
from sparring.tuning.methods import METHODS, Array

TUNED, DEFAULT = "tuned", "default"
MILESTONES, MILESTONE_SHARE = 8, 20
"""The number of checks of the weights so far, for display only, and their size: one game for 20 games of tuning."""
CONFIRMED_SHARE = 4
LEAST_STEPS = 5


@dataclass(frozen=True)
class ParameterSpace:
    """The weights that may change, each from 0 to 1 over its range, and the spec that holds everything else."""

    spec: Spec
    weights: dict[str, Weight]

    @classmethod
    def of(cls, agent: Agent, only: Collection[str] = ()) -> "ParameterSpace":
        """Take all terms or some of them, without those whose range is a single number."""
        if not agent.tunable:
            raise SparringError(f"{agent.spec} has no terms with weights; `spar agents GAME` lists heuristics")
        if len(agent.tunable) == 1:
            raise SparringError(f"{agent.spec} has a single term: its weight does not change the moves")
        for term in only:
            if term not in agent.tunable:
                raise unknown(f"term of {agent.spec}", term, agent.tunable)
        free = {term: weight for term, weight in agent.tunable.items() if weight.range[0] < weight.range[1]}
        chosen = {term: weight for term, weight in free.items() if not only or term in only}
        if not chosen:
            raise SparringError(f"no weight of {agent.spec} can be tuned: each range is a single number")
        return cls(Spec.parse(agent.spec), chosen)

    @property
    def start(self) -> Array:
        return np.array([(w.default - w.range[0]) / (w.range[1] - w.range[0]) for w in self.weights.values()])

    def at(self, point: Array) -> dict[str, float]:
        """Return the weights at a point, rounded to four digits."""
        low, high = np.array([weight.range for weight in self.weights.values()]).T
        values = (low + point * (high - low)).tolist()
        return {term: float(f"{value:.4g}") for term, value in zip(self.weights, values, strict=True)}

    def agent_at(self, point: Array) -> str:
        return self.spec.but(self.at(point), {}).text


@dataclass(frozen=True)
class Tuning:
    """A tuning. Together with the code that plays, it determines the answer to the last digit."""

    game: Game
    agent: str
    against: tuple[str, ...] = ()
    games: int = defaults.TUNED_GAMES
    method: str = "spsa"
    only: tuple[str, ...] = ()
    confirm: int | None = None
    seed: int = defaults.SEED
    out: str = ""
    """The file of the tuned agent. Neither this nor `confirm` makes it another tuning."""
    lasting: bool = True  # false if the agent's heuristic is an object, which no command can name

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        least = LEAST_STEPS * games_a_block(self.game) * len(self.pairs)
        if self.games < least:
            raise SparringError(f"{self.games:,} games are too few for {self.method} here: give at least {least:,}")

    @cached_property
    def space(self) -> ParameterSpace:
        return ParameterSpace.of(agent(self.game, self.agent), self.only)

    @property
    def trials(self) -> list[str]:
        """The names of the points of a step."""
        return [f"trial {number + 1}" for number in range(METHODS[self.method].points)]

    @property
    def opponents(self) -> dict[str, str]:
        """The agents that the trials meet, unless they meet each other."""
        return {name: name for name in self.against} or {DEFAULT: self.space.spec.text}

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """The pairs that meet in a step. Two trials without other opponents meet each other: so a game tells them apart
        four times as well as games against a third agent."""
        if not self.against and len(self.trials) == 2 and self.game.seats % 2 == 0:
            return [(self.trials[0], self.trials[1])]
        return list(product(self.trials, self.opponents))

    @cached_property
    def games_per_pair(self) -> int:
        return whole_blocks(self.game, self.games // (METHODS[self.method].steps * len(self.pairs)))

    @cached_property
    def steps(self) -> int:
        return self.games // self.games_per_step

    @property
    def games_per_step(self) -> int:
        return self.games_per_pair * len(self.pairs)

    @property
    def games_per_milestone(self) -> int:
        return whole_blocks(self.game, self.games // MILESTONE_SHARE)

    @property
    def confirmation_games(self) -> int:
        """The games of each pair in the confirmation."""
        return whole_blocks(self.game, self.games // CONFIRMED_SHARE if self.confirm is None else self.confirm)

    @property
    def all_games(self) -> int:
        confirming = self.confirmation_games * (1 + 2 * len(self.against))
        return self.steps * self.games_per_step + min(MILESTONES, self.steps) * self.games_per_milestone + confirming

    @property
    def command(self) -> str:
        """The command that repeats or continues this tuning; empty if there is none."""
        if not self.lasting:
            return ""
        words = ["--confirm", str(self.confirm)] if self.confirm is not None else []
        words += ["--out", self.out] if self.out else []
        return " ".join([self.search, *map(shlex.quote, words)])

    @property
    def search(self) -> str:
        """The part of the command that decides which weights are found."""
        words = ["spar", "tune", self.game.name, self.agent]
        for opponent in self.against:
            words += ["--against", opponent]
        words += ["--games", str(self.games), "--method", self.method, "--seed", str(self.seed)]
        words += ["--only", ",".join(self.only)] if self.only else []
        return shlex.join([*words, *self.game.option_words()])

    def step(self, number: int, points: Array) -> Contest:
        """Let the points of a step play, all on the same seeds."""
        agents = {name: self.space.agent_at(point) for name, point in zip(self.trials, points, strict=True)}
        met = {other: text for other, text in self.opponents.items() if (self.trials[0], other) in self.pairs}
        return meeting(self.game, agents | met, self.pairs, self.games_per_pair, self._seed("step", number))

    def scores(self, result: Tournament) -> list[float]:
        """Return the mean score of each point of a step."""
        won: dict[str, list[float]] = {name: [] for name in self.trials}
        for one, other in self.pairs:
            share = result.against(one, other).mean
            won[one].append(share)
            if other in won:
                won[other].append(1 - share)
        return [float(np.mean(shares)) for shares in won.values()]

    def milestone(self, point: Array) -> Contest:
        """Let the weights so far meet the default weights, always on the same seeds."""
        agents, pairs = self._before_and_after(point), [(TUNED, DEFAULT)]
        return meeting(self.game, agents, pairs, self.games_per_milestone, self._seed("check"))

    def confirmation(
        self, point: Array, games: int | None = None, strict: bool = False, warn: Warn | None = None
    ) -> Contest:
        """Let tuned and default weights meet each other and the opponents, on seeds not used before."""
        agents = self._before_and_after(point) | {other: other for other in self.against}
        pairs = [(TUNED, DEFAULT), *product((TUNED, DEFAULT), self.against)]
        title = f"{self.agent} before and after tuning"
        return meeting(self.game, agents, pairs, games or self.confirmation_games, self.seed, title, strict, warn)

    def _before_and_after(self, point: Array) -> dict[str, str]:
        return {TUNED: self.space.agent_at(point), DEFAULT: self.space.spec.text}

    def _seed(self, *what: int | str) -> int:
        """Return a seed of its own for a step; the seed of the tuning itself is for the confirmation."""
        return int(throw(dice("tune", self.seed, *what), 1 << 30))
