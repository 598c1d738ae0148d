"""What a tuning is: whose weights, by which method, against whom, in how many games."""

import hashlib
import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np

from sparring.agents.spec import agent
from sparring.arena.experiment import Contest
from sparring.arena.result import Tournament
from sparring.core import defaults
from sparring.core.dice import dice, throw
from sparring.core.errors import SparringError, unknown
from sparring.games.contract import Game
from sparring.tuning.dials import Dials
from sparring.tuning.meeting import games_a_block, meeting, whole_blocks
from sparring.tuning.methods import METHODS, Array

TUNED, DEFAULT = "tuned", "default"
CHECKS, CHECKED_SHARE = 8, 20
"""So often along the way what was found so far meets the default weights, only to be told: a game for 20 of tuning."""
CONFIRMED_SHARE = 4
LEAST_STEPS = 5


@dataclass(frozen=True)
class Tuning:
    """What is tuned and how. From this, and from the code that plays, the answer follows to the last digit."""

    game: Game
    agent: str
    against: tuple[str, ...] = ()
    games: int = defaults.TUNED_GAMES
    method: str = "spsa"
    only: tuple[str, ...] = ()
    confirm: int | None = None
    seed: int = defaults.SEED
    out: str = ""
    """The file of the tuned agent, which makes it no other tuning; nor do more games of confirmation."""

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        least = LEAST_STEPS * games_a_block(self.game) * len(self.pairs)
        if self.games < least:
            raise SparringError(f"{self.games:,} games are too few for {self.method} here: give at least {least:,}")

    @cached_property
    def dials(self) -> Dials:
        return Dials.of(agent(self.game, self.agent), self.only)

    @property
    def trials(self) -> list[str]:
        """The points of a step, by name."""
        return [f"trial {number + 1}" for number in range(METHODS[self.method].points)]

    @property
    def opponents(self) -> dict[str, str]:
        """Whom the trials meet if not each other."""
        return {name: name for name in self.against} or {DEFAULT: self.dials.spec.text}

    @cached_property
    def pairs(self) -> list[tuple[str, str]]:
        """Who meets whom in a step. Two with no other opponents meet each other: the same number of games tells them
        apart four times as well as if each had met a third."""
        if not self.against and len(self.trials) == 2 and self.game.seats % 2 == 0:
            return [(self.trials[0], self.trials[1])]
        return list(product(self.trials, self.opponents))

    @cached_property
    def games_a_pair(self) -> int:
        """In one step."""
        return whole_blocks(self.game, self.games // (METHODS[self.method].steps * len(self.pairs)))

    @cached_property
    def steps(self) -> int:
        return self.games // self.games_a_step

    @property
    def games_a_step(self) -> int:
        return self.games_a_pair * len(self.pairs)

    @property
    def games_a_check(self) -> int:
        return whole_blocks(self.game, self.games // CHECKED_SHARE)

    @property
    def confirming_games(self) -> int:
        """Of each pair."""
        return whole_blocks(self.game, self.games // CONFIRMED_SHARE if self.confirm is None else self.confirm)

    @property
    def all_games(self) -> int:
        confirming = self.confirming_games * (1 + 2 * len(self.against))
        return self.steps * self.games_a_step + min(CHECKS, self.steps) * self.games_a_check + confirming

    def is_checked_after(self, steps: int) -> bool:
        return steps * CHECKS // self.steps > (steps - 1) * CHECKS // self.steps

    @property
    def command(self) -> str:
        """That does the same again, or goes on with it."""
        words = ["--confirm", str(self.confirm)] if self.confirm is not None else []
        words += ["--out", self.out] if self.out else []
        return " ".join([self.search, *map(shlex.quote, words)])

    @property
    def search(self) -> str:
        """That finds the same weights: all of the command by which they are found."""
        words = ["spar", "tune", self.game.name, self.agent]
        for opponent in self.against:
            words += ["--against", opponent]
        words += ["--games", str(self.games), "--method", self.method, "--seed", str(self.seed)]
        words += ["--only", ",".join(self.only)] if self.only else []
        return shlex.join([*words, *self.game.option_words()])

    def step(self, number: int, points: Array) -> Contest:
        """The points of a step, all on the same seeds."""
        agents = {name: self.dials.agent_at(point) for name, point in zip(self.trials, points, strict=True)}
        met = {other: text for other, text in self.opponents.items() if (self.trials[0], other) in self.pairs}
        return meeting(self.game, agents | met, self.pairs, self.games_a_pair, self._seed("step", number))

    def scores(self, result: Tournament) -> list[float]:
        """What the points of a step have won, on average over those that they met."""
        won: dict[str, list[float]] = {name: [] for name in self.trials}
        for one, other in self.pairs:
            share = result.against(one, other).mean
            won[one].append(share)
            if other in won:
                won[other].append(1 - share)
        return [float(np.mean(shares)) for shares in won.values()]

    def check(self, point: Array) -> Contest:
        """How far it has come, always on the same seeds."""
        agents = {TUNED: self.dials.agent_at(point), DEFAULT: self.dials.spec.text}
        return meeting(self.game, agents, [(TUNED, DEFAULT)], self.games_a_check, self._seed("check"))

    def confirmation(self, point: Array) -> Contest:
        """The same on seeds that nothing was tuned or looked at on; and how both do against the opponents."""
        return self._confirmation(point, self.confirming_games)

    def code(self, strict: bool, warn: Callable[[str], None] | None) -> Contest:
        """All who play, however many games may confirm it."""
        return self._confirmation(self.dials.start, games_a_block(self.game), strict, warn)

    def _confirmation(
        self, point: Array, games: int, strict: bool = False, warn: Callable[[str], None] | None = None
    ) -> Contest:
        agents = {TUNED: self.dials.agent_at(point), DEFAULT: self.dials.spec.text} | {o: o for o in self.against}
        pairs = [(TUNED, DEFAULT), *product((TUNED, DEFAULT), self.against)]
        title = f"{self.agent} before and after tuning"
        return meeting(self.game, agents, pairs, games, self.seed, title, strict, warn)

    def _seed(self, *what: int | str) -> int:
        """Of other games than those of the seed itself, which are for the confirmation."""
        return int(throw(dice("tune", self.seed, *what), 1 << 30))

    def identity(self, code: Contest) -> str:
        """The same for the same search by the same code."""
        said = [code.id, self.games, self.method, self.only]
        return hashlib.blake2b(json.dumps(said).encode(), digest_size=8).hexdigest()
