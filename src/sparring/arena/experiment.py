"""An experiment is a file: who meets whom, how long they may think, and what somebody once claimed of it."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sparring.agents.agent import Agent
from sparring.agents.spec import agent, seconds_of
from sparring.arena.match import Progress, gauntlet, tournament
from sparring.arena.result import Tournament
from sparring.arena.statistics import Score
from sparring.errors import SparringError
from sparring.games import game as make_game
from sparring.games.contract import Game
from sparring.table import columns


class Entry(BaseModel):
    """An agent with the budget it gets when nodes count and the one it gets when the clock does."""

    model_config = ConfigDict(extra="forbid")
    spec: str
    nodes: int | None = Field(default=None, ge=1)
    time: str | None = None
    claim: float | None = Field(default=None, ge=0, le=100)
    """The score in percent that the design document reports."""

    def text(self, timed: bool) -> str:
        if timed and self.time:
            return f"{self.spec},time={self.time}"
        return f"{self.spec},nodes={self.nodes}" if self.nodes else self.spec


class Experiment(BaseModel):
    """A gauntlet: every contestant meets every opponent on the same openings, with sides swapped."""

    model_config = ConfigDict(extra="forbid")
    title: str
    game: str
    options: dict[str, str] = {}
    games: int = Field(default=100, ge=2, multiple_of=2)
    seed: int = 1
    limit: str | None = None
    """With the clock, who takes longer for a move loses."""
    contestants: dict[str, Entry] = Field(min_length=1)
    opponents: dict[str, Entry] = Field(min_length=1)


@dataclass(frozen=True)
class Outcome:
    """What came of an experiment, each claim beside what we measured."""

    experiment: Experiment
    tournament: Tournament

    def total(self, contestant: str) -> Score:
        """A contestant's score over all opponents."""
        met = [pairing for pairing in self.tournament.pairings if pairing.first == contestant]
        return Score.of([(one.scores[0], two.scores[1]) for pairing in met for one, two in pairing.distinct])

    def __str__(self) -> str:
        names = list(self.experiment.opponents)
        rows = [["contestant", *names, "total", "95 %", "claimed", ""]]
        for name, entry in self.experiment.contestants.items():
            met = [self.tournament.between(name, other) for other in names]
            cells = ["" if pairing is None else f"{100 * pairing.score.mean:.0f}" for pairing in met]
            total = self.total(name)
            low, high = (100 * bound for bound in total.interval)
            claim = "" if entry.claim is None else f"{entry.claim:.1f}"
            verdict = "" if entry.claim is None else "inside" if low <= entry.claim <= high else "outside"
            rows.append([name, *cells, f"{100 * total.mean:.1f}", f"[{low:.1f}, {high:.1f}]", claim, verdict])
        table = columns(rows, right=set(range(1, len(names) + 2)) | {len(names) + 3})
        told = f"{len(self.tournament.games)} games, {self.experiment.games} of each pair, seed {self.experiment.seed}"
        cut = ["interrupted: only finished pairs of games count"] if self.tournament.interrupted else []
        return "\n".join([self.experiment.title, *cut, "", table, "", f"{told}, {self.tournament.seconds:.0f} s"])

    def to_json(self) -> dict[str, Any]:
        totals = {name: self.total(name) for name in self.experiment.contestants}
        return {
            "experiment": self.experiment.model_dump(),
            "totals": {name: {"score": score.mean, "interval": score.interval} for name, score in totals.items()},
            "tournament": {key: value for key, value in self.tournament.to_json().items() if key != "command"},
        }


def load(file: Path) -> Experiment:
    if not file.is_file():
        raise SparringError(f"no experiment {file}")
    try:
        return Experiment.model_validate(tomllib.loads(file.read_text()))
    except tomllib.TOMLDecodeError as error:
        raise SparringError(f"{file}: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SparringError(f"{file}: {where}: {first['msg']}") from error


def run(
    experiment: Experiment,
    timed: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
    warn: Callable[[str], None] | None = None,
) -> Outcome:
    """Play an experiment: by node budgets, which repeat exactly, or by the clock."""
    game = make_game(experiment.game, **experiment.options)
    contestants = _agents(game, experiment.contestants, timed, warn)
    opponents = _agents(game, experiment.opponents, timed, warn)
    limit = seconds_of("limit", experiment.limit) if timed and experiment.limit else None
    pairs = gauntlet(contestants, opponents)
    return Outcome(experiment, tournament(game, pairs, experiment.games, experiment.seed, workers, limit, progress))


def _agents(game: Game, entries: dict[str, Entry], timed: bool, warn: Callable[[str], None] | None) -> list[Agent]:
    made = []
    for name, entry in entries.items():
        player = agent(game, entry.text(timed), warn=warn)
        player.label = name
        made.append(player)
    return made
