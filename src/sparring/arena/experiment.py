"""Experiments: which agents meet, on which budgets, and the results that a document claims.

An experiment is usually a TOML file. Matches and leagues from the command line are experiments too, so all of them are
stored and repeated in the same way.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec, agent
from sparring.arena import schedule as plan
from sparring.arena.limits import Limits
from sparring.arena.sealed import sealed_seed
from sparring.arena.toml_source import TomlSource, toml
from sparring.arena.workers import PlaySettings
from sparring.core import defaults, plugins
from sparring.core.amounts import parse_bytes, parse_seconds, setting
from sparring.core.errors import SparringError, unknown
from sparring.games import registry
from sparring.games.contract import Game
from sparring.games.registry import game as make_game
from sparring.statistics.sprt import Sprt, TableSprt, parse_sprt, sprt_from_settings

DOCUMENT = "document"
"""The section of a file with the claims of a design document. Only `spar reproduce` reads it."""


class AgentEntry(BaseModel):
    """An agent with its budget in nodes and its budget by the clock."""

    model_config = ConfigDict(extra="forbid")
    spec: str
    nodes: int | None = Field(default=None, ge=1)
    time: str | None = None
    claim: float | None = Field(default=None, ge=0, le=100)
    """The score in percent that the design document reports."""

    @model_validator(mode="before")
    @classmethod
    def _a_text_is_its_spec(cls, given: Any) -> Any:
        return {"spec": given} if isinstance(given, str) else given

    def text(self, timed: bool) -> str:
        if timed and self.time:
            return f"{self.spec},time={self.time}"
        return f"{self.spec},nodes={self.nodes}" if self.nodes else self.spec


class Experiment(BaseModel):
    """All `agents` meet each other, or every contestant meets every opponent, or exactly the `tables` are played."""

    model_config = ConfigDict(extra="forbid")
    title: str = ""
    part: str = ""
    """The name of a part of a file."""
    game: str
    options: dict[str, str] = {}
    agents: dict[str, AgentEntry] = {}
    contestants: dict[str, AgentEntry] = {}
    opponents: dict[str, AgentEntry] = {}
    tables: list[list[str]] = []
    side: int = Field(default=1, ge=1)
    """The number of seats of a contestant."""
    games: int = Field(default=defaults.GAMES, le=10**8)
    """At each table."""
    seed: int = defaults.SEED
    sealed: int | None = None
    """The seed of the first block if users' agents in Python play: see sealed.py. It is set when agents are made."""
    seating: Literal["rotations", "permutations"] = "rotations"
    timed: bool = False
    """Use the budgets by the clock and the limit."""
    limit: str | None = None
    bank: str = "0s"
    stall: str = "60s"
    memory: str = "1GB"
    output: str = "16MB"
    failures: int = Field(default=10, ge=0)
    """An agent is retired after so many failures; 0 means never."""
    sprt: Sprt | TableSprt | None = None
    decisions: bool = False
    """Keep every decision with its candidates."""

    @field_validator("agents", mode="before")
    @classmethod
    def _a_list_of_specs(cls, given: Any) -> Any:
        if not isinstance(given, list) or not all(isinstance(spec, str) for spec in given):
            return given
        twice = [spec for place, spec in enumerate(given) if spec in given[:place]]
        if twice:
            raise ValueError(f"{twice[0]} cannot meet itself; name two different agents")
        return {spec: spec for spec in given}

    @field_validator("options", mode="before")
    @classmethod
    def _options_are_texts(cls, given: Any) -> Any:
        return {key: str(value) for key, value in given.items()} if isinstance(given, dict) else given

    @field_validator("games", "seed", mode="before")
    @classmethod
    def _a_whole_number(cls, given: Any, info: Any) -> Any:
        return setting(info.field_name, given)

    @field_validator("sprt", mode="before")
    @classmethod
    def _a_test(cls, given: Any) -> Any:
        if isinstance(given, str):
            return parse_sprt(given)
        return sprt_from_settings(given) if isinstance(given, dict) else given

    @field_validator("limit", "bank", "stall", mode="before")
    @classmethod
    def _a_time(cls, given: Any, info: Any) -> Any:
        """A text such as 150ms; from Python also seconds as a number."""
        if given is None or (info.field_name, given) == ("bank", "0s"):
            return given
        number = isinstance(given, int | float) and not isinstance(given, bool)
        text = f"{1000 * given:g}ms" if number else str(given)
        parse_seconds(info.field_name, text)
        return text

    @field_validator("memory", "output", mode="before")
    @classmethod
    def _a_size(cls, given: Any, info: Any) -> Any:
        parse_bytes(info.field_name, str(given))
        return given

    @model_validator(mode="after")
    def _somebody_plays(self) -> Self:
        if bool(self.agents) == bool(self.contestants) or bool(self.contestants) != bool(self.opponents):
            raise ValueError("name [agents], or [contestants] and [opponents]")
        if self.side > 1 and not self.contestants:
            raise ValueError("side is how many seats a contestant takes: name [contestants], or leave it out")
        if self.bank != "0s" and self.limit is None:
            raise ValueError("a bank pays for moves beyond their limit: give a limit too")
        return self

    @property
    def groups(self) -> dict[str, dict[str, AgentEntry]]:
        return {"agents": self.agents, "contestants": self.contestants, "opponents": self.opponents}

    @property
    def entries(self) -> dict[str, AgentEntry]:
        return {**self.agents, **self.contestants, **self.opponents}

    def among(self, names: Collection[str]) -> "Experiment":
        """A copy with only these agents or contestants. Opponents stay."""
        agents, contestants = (
            {name: entry for name, entry in group.items() if name in names} for group in (self.agents, self.contestants)
        )
        return self.model_copy(update={"agents": agents, "contestants": contestants})

    def limits(self) -> Limits:
        """The limits. A time limit applies only if the experiment is timed or no agent has a time budget."""
        clocked = self.limit and (self.timed or not any(entry.time for entry in self.entries.values()))
        return Limits(
            move=parse_seconds("limit", self.limit) if self.limit and clocked else None,
            bank=0.0 if self.bank == "0s" else parse_seconds("bank", self.bank),
            stall=parse_seconds("stall", self.stall),
            memory=parse_bytes("memory", self.memory),
            output=parse_bytes("output", self.output),
        )


def source_hash(sources: Mapping[str, bytes]) -> str:
    """A hash of a user's code; empty for built-in agents."""
    digest = hashlib.blake2b(digest_size=8)
    for name, source in sources.items():
        digest.update(f"{name} {len(source)} ".encode() + source)
    return digest.hexdigest() if sources else ""


@dataclass(frozen=True)
class Participant:
    """The facts about an agent that results need, even if its code no longer exists."""

    name: str
    spec: str
    draws: bool
    sources: Mapping[str, bytes]

    @property
    def hash(self) -> str:
        return source_hash(self.sources)


@dataclass(frozen=True)
class Contest:
    """An experiment that is ready to be played: game, agents and tables."""

    experiment: Experiment
    game: Game
    participants: tuple[Participant, ...]
    tables: tuple[plan.Table, ...]
    agents: tuple[Agent, ...] = ()
    id: str = ""

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        strict: bool = False,
        warn: Callable[[str], None] | None = None,
        source: TomlSource | None = None,
    ) -> "Contest":
        source = source or TomlSource()
        with source.attributed_to("game"):
            game = make_game(experiment.game)
        with source.attributed_to("options"):
            game = make_game(experiment.game, **experiment.options)
        # a default and the same value are one experiment
        experiment = experiment.model_copy(update={"options": game.options()})
        agents = []
        for group, entries in experiment.groups.items():
            for name, entry in entries.items():
                with source.attributed_to(group, name):
                    agents.append(agent(game, entry.text(experiment.timed), strict, warn))
                agents[-1].label = name
        contest = cls.between(experiment, game, agents, source)
        return replace(contest, id=contest._identity())

    @classmethod
    def between(
        cls, experiment: Experiment, game: Game, agents: Sequence[Agent], source: TomlSource | None = None
    ) -> "Contest":
        """A contest of existing agents, which need not have a spec."""
        source = source or TomlSource()
        participants = tuple(Participant(one.name, one.spec, one.draws, one.sources) for one in agents)
        if not all(one.trusted for one in agents):
            experiment = experiment.model_copy(update={"sealed": sealed_seed(experiment.seed)})
        contest = cls(experiment, game, participants, tuple(_tables(experiment, game, source)), tuple(agents))
        with source.attributed_to("games"):
            contest._check_games()
        test = experiment.sprt
        if test and isinstance(test, TableSprt) != (game.seats > 2):
            unit = "effects, such as effect=0:0.1" if game.seats > 2 else "Elo, such as 0:10"
            with source.attributed_to("sprt"):
                raise SparringError(f"a sequential test of {game.seats} players is given in {unit}")
        return contest

    def _check_games(self) -> None:
        """Refuse a number of games that is no number of whole blocks."""
        games, size = self.experiment.games, lcm(*(self.games_a_block(table) for table in range(len(self.tables))))
        if games and games % size == 0:
            return
        if size == 2:
            raise SparringError(
                f"games come in pairs with the sides swapped: give an even number of games, not {games}"
            )
        told = f"blocks of {size}, so that each agent has each seat equally often: give a multiple of {size}"
        raise SparringError(f"games come in {told}, not {games}")

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.participants]

    def rounds(self, table: int) -> Any:
        """The seatings of a table, (rounds, games, seats): see `schedule.seatings`."""
        return plan.seatings(self.tables[table], self.experiment.seating == "permutations")

    def seated(self, table: int, blocks: Any) -> Any:
        """The agents, by number, of all games of some blocks: (blocks, games, seats)."""
        rounds = self.rounds(table)
        return rounds[np.asarray(blocks) % len(rounds)]

    def seating(self, table: int, block: int, game: int) -> plan.Table:
        """The agents of one game, by number."""
        return tuple(self.seated(table, block)[game].tolist())

    def games_a_block(self, table: int) -> int:
        return int(self.rounds(table).shape[1])

    def blocks(self, table: int) -> int:
        return self.experiment.games // self.games_a_block(table)

    @property
    def games(self) -> int:
        return self.experiment.games * len(self.tables)

    def block_seed(self, block: Any) -> Any:
        """The seed of one block, or of an array of blocks."""
        return self._first_seed + block

    @property
    def _first_seed(self) -> int:
        sealed = self.experiment.sealed
        return int(plan.block_seed(self.experiment.seed, 0)) if sealed is None else sealed

    def setup(self) -> PlaySettings:
        return PlaySettings(
            game=self.game,
            specs=tuple(one.spec for one in self.participants),
            tables=self.tables,
            first_seed=self._first_seed,
            all_orders=self.experiment.seating == "permutations",
            limits=self.experiment.limits(),
            decisions=self.experiment.decisions,
            files={Spec.parse(one.spec).file: one.sources for one in self.participants if one.sources},
        )

    def _identity(self) -> str:
        """A hash of settings and code, so that the same command continues its own games."""
        digest = hashlib.blake2b(digest_size=6)
        settings, sealed = self.experiment.model_dump_json(exclude={"sealed"}), self.experiment.sealed
        digest.update(f"{settings}{'' if sealed is None else sealed}".encode())
        digest.update(json.dumps([[one.spec, one.hash] for one in self.participants]).encode())
        digest.update(f"{self.game.version} {registry.code(self.game.name)}".encode())
        return digest.hexdigest()


def _tables(experiment: Experiment, game: Game, source: TomlSource) -> list[plan.Table]:
    number = {name: place for place, name in enumerate(experiment.entries)}
    for name in experiment.contestants:
        with source.attributed_to("opponents", name):
            if name in experiment.opponents:
                raise SparringError(f"{name} is a contestant and an opponent; give one of them another name")
    with source.attributed_to("tables"):
        if experiment.tables and not experiment.agents:
            raise SparringError("tables seat the agents named under [agents]")
    if experiment.contestants:
        ours, theirs = ([number[name] for name in group] for group in (experiment.contestants, experiment.opponents))
        with source.attributed_to("side"):
            if experiment.side >= game.seats:
                raise SparringError(f"side {experiment.side} leaves no seat of {game.seats} to the opponent")
        return plan.gauntlet(ours, theirs, game.seats, experiment.side)
    if not experiment.tables:
        with source.attributed_to("agents"):
            if len(number) < 2:
                raise SparringError("name at least two agents; `spar agents GAME` lists them")
        return plan.league_tables(len(number), game.seats)
    seated: list[plan.Table] = []
    for place, table in enumerate(experiment.tables):
        with source.attributed_to("tables", place):
            strangers = [name for name in table if name not in number]
            if strangers:
                raise unknown("agent at a table", strangers[0], number)
            if len(table) != game.seats or len(set(table)) < 2:
                raise SparringError(f"a table seats {game.seats} agents, not all of them the same")
            seated.append(tuple(number[name] for name in table))
            orders = [plan.seatings(one, experiment.seating == "permutations") for one in seated[:-1]]
            if any((one == seated[-1]).all(axis=-1).any() for one in orders):
                raise SparringError(
                    f"{', '.join(table)} sit at two tables; the same games twice prove no more than once"
                )
    return seated


def make_experiment(**settings: Any) -> Experiment:
    """Validate settings; the error names the first wrong one."""
    return _valid(settings, {}, TomlSource())


def packaged_experiments() -> dict[str, list[Path]]:
    """The files `experiments/*.toml` in the folders of the installed games, by name."""
    points = [point for found in plugins.declared(plugins.GAMES).values() for point in found]
    files = [file for point in points for file in plugins.folder_of(point).glob("experiments/*.toml")]
    return {name: [file for file in files if file.stem == name] for name in sorted({file.stem for file in files})}


def experiment_file(name: str | Path) -> Path:
    """The file itself, or the packaged experiment of that name."""
    known = packaged_experiments()
    if not isinstance(name, str | Path):
        raise SparringError(f"name an experiment by its file, or one of {', '.join(known)}, not {name!r}")
    if Path(name).suffix == ".toml" and Path(name).is_file():
        return Path(name)
    files = known.get(str(name), [Path(name)])
    if not files[0].is_file():
        raise SparringError(f"no experiment {name}; name a file, or one of {', '.join(known)}")
    if len(files) > 1:
        raise SparringError(f"several games come with an experiment {name}; name one of {', '.join(map(str, files))}")
    return files[0]


def load(file: str | Path, only: Sequence[str] = (), **changes: Any) -> list[tuple[Experiment, TomlSource]]:
    """Read the experiments of a file: one, or one for each of its [[parts]]. `changes` replace settings of the file;
    with `only`, all other agents or contestants are left out."""
    found = _load(experiment_file(file), changes)
    if not only:
        return found
    known = [name for one, _ in found for name in (*one.agents, *one.contestants)]
    for name in only:
        if name not in known:
            raise unknown("agent of the experiment", name, known)
    chosen = [(one.among(only), source) for one, source in found]
    return [(one, source) for one, source in chosen if one.agents or one.contestants]


def _load(file: Path, changes: Mapping[str, Any]) -> list[tuple[Experiment, TomlSource]]:
    common, text = toml(file)
    source = TomlSource(str(file), text)
    common.pop(DOCUMENT, None)
    parts = common.pop("parts", None)
    if parts is None:
        return [(_valid(common, changes, source), source)]
    with source.attributed_to("parts"):
        if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
            raise SparringError("parts are written under [[parts]], each with settings of its own")
    found = []
    for number, part in enumerate(parts):
        own = replace(source, part=number, keys=frozenset(part))
        found.append((_valid({**common, **part}, changes, own), own))
        with own.attributed_to(*(["part"] if "part" in part else [])):
            if not found[-1][0].part or found[-1][0].part in (one.part for one, _ in found[:-1]):
                raise SparringError('every part needs a name of its own: part = "..."')
    return found


def _valid(settings: Mapping[str, Any], changes: Mapping[str, Any], source: TomlSource) -> Experiment:
    """Validate settings with changes. An error names the line of the file, unless a change is wrong."""
    try:
        return Experiment.model_validate({**settings, **changes})
    except ValidationError as error:
        where = error.errors()[0]["loc"]
        of_file = source.file and not (where and where[0] in changes)
        line = f"{source.file}:{source.line(where)}: " if of_file else ""
        raise SparringError(f"{line}{first_error(error)}") from error


def first_error(error: ValidationError, known: Iterable[str] | None = None) -> str:
    """Describe the first error; with a remedy where pydantic names none."""
    first = error.errors()[0]
    said, told = ".".join(str(part) for part in first["loc"]), first["msg"]
    known = known or (Experiment if len(first["loc"]) == 1 else AgentEntry).model_fields
    if first["type"] == "extra_forbidden":
        return str(unknown("setting", str(first["loc"][-1]), known))
    if first["type"] == "missing":
        return f"{said} is missing; say {first['loc'][-1]} = ..."
    ours = told.removeprefix("Value error, ")
    return f"{said}: {told}" if ours == told else ours
