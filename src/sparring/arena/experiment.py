"""An experiment is a file: who meets whom, how long they may think, and what somebody once claimed of it.

Matches and leagues from the command line are experiments too, so that all of them are kept and repeated alike.
"""

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec, agent
from sparring.arena import schedule as plan
from sparring.arena.limits import Limits
from sparring.arena.places import Places, toml
from sparring.arena.workers import Setup
from sparring.core import defaults, plugins
from sparring.core.amounts import bytes_of, seconds_of, setting
from sparring.core.errors import SparringError, unknown
from sparring.games import registry
from sparring.games.contract import Game
from sparring.games.registry import game as make_game
from sparring.statistics.sprt import Sprt, TableSprt, made_test, sprt_of

DOCUMENT = "document"
"""The part of a file that tells what a design document claims: see findings/claims.py. Playing does not need it."""


class Entry(BaseModel):
    """An agent with the budget it gets when nodes count and the one it gets when the clock does."""

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
    """All `agents` meet each other; or every contestant meets every opponent; or exactly those tables are played."""

    model_config = ConfigDict(extra="forbid")
    title: str = ""
    part: str = ""
    """What it is called among the parts of a file."""
    game: str
    options: dict[str, str] = {}
    agents: dict[str, Entry] = {}
    contestants: dict[str, Entry] = {}
    opponents: dict[str, Entry] = {}
    tables: list[list[str]] = []
    side: int = Field(default=1, ge=1)
    """How many seats a contestant takes."""
    games: int = Field(default=defaults.GAMES, le=10**8)
    """At each table."""
    seed: int = defaults.SEED
    seating: Literal["rotations", "permutations"] = "rotations"
    timed: bool = False
    """Whether budgets and limit are those of the clock."""
    limit: str | None = None
    bank: str = "0s"
    stall: str = "60s"
    memory: str = "1GB"
    output: str = "16MB"
    failures: int = Field(default=10, ge=0)
    """After so many failures an agent is retired; 0 means never."""
    sprt: Sprt | TableSprt | None = None
    decisions: bool = False
    """Whether every decision is kept with its candidates."""

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
            return sprt_of(given)
        return made_test(given) if isinstance(given, dict) else given

    @field_validator("limit", "bank", "stall", mode="before")
    @classmethod
    def _a_time(cls, given: Any, info: Any) -> Any:
        """A text such as 150ms; from Python also seconds as a number."""
        if given is None or (info.field_name, given) == ("bank", "0s"):
            return given
        number = isinstance(given, int | float) and not isinstance(given, bool)
        text = f"{1000 * given:g}ms" if number else str(given)
        seconds_of(info.field_name, text)
        return text

    @field_validator("memory", "output", mode="before")
    @classmethod
    def _a_size(cls, given: Any, info: Any) -> Any:
        bytes_of(info.field_name, str(given))
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

    def chosen(self) -> dict[str, Any]:
        """What is not as it would be if nothing were said."""
        return self.model_dump(exclude_defaults=True)

    @property
    def entries(self) -> dict[str, Entry]:
        return {**self.agents, **self.contestants, **self.opponents}

    def among(self, names: Collection[str]) -> "Experiment":
        """The same with these agents or contestants only. Opponents stay."""
        groups = {"agents": self.agents, "contestants": self.contestants}
        kept = {group: {name: one for name, one in all_.items() if name in names} for group, all_ in groups.items()}
        return self.model_copy(update=kept)

    def limits(self) -> Limits:
        """The clock counts in a timed experiment only, and in one that knows no other budgets."""
        clocked = self.limit and (self.timed or not any(entry.time for entry in self.entries.values()))
        return Limits(
            move=seconds_of("limit", self.limit) if self.limit and clocked else None,
            bank=0.0 if self.bank == "0s" else seconds_of("bank", self.bank),
            stall=seconds_of("stall", self.stall),
            memory=bytes_of("memory", self.memory),
            output=bytes_of("output", self.output),
        )


def hashed(sources: Mapping[str, bytes]) -> str:
    """Of a user's code, which changes when that is edited; nothing for agents of our own."""
    digest = hashlib.blake2b(digest_size=8)
    for name, source in sources.items():
        digest.update(f"{name} {len(source)} ".encode() + source)
    return digest.hexdigest() if sources else ""


@dataclass(frozen=True)
class Member:
    """What results need to know of an agent, whether or not it can still be made."""

    name: str
    spec: str
    draws: bool
    sources: Mapping[str, bytes]

    @property
    def hash(self) -> str:
        return hashed(self.sources)


@dataclass(frozen=True)
class Contest:
    """An experiment made ready: its game set up, its agents made, its tables known."""

    experiment: Experiment
    game: Game
    members: tuple[Member, ...]
    tables: tuple[plan.Table, ...]
    agents: tuple[Agent, ...] = ()
    id: str = ""

    @classmethod
    def of(
        cls,
        experiment: Experiment,
        strict: bool = False,
        warn: Callable[[str], None] | None = None,
        places: Places | None = None,
    ) -> "Contest":
        places = places or Places()
        with places.blaming("game"):
            game = make_game(experiment.game)
        with places.blaming("options"):
            game = make_game(experiment.game, **experiment.options)
        experiment = experiment.model_copy(update={"options": game.options()})  # what is not said is said the same
        agents = []
        for name, entry in experiment.entries.items():
            with places.blaming(_group(experiment, name), name):
                agents.append(agent(game, entry.text(experiment.timed), strict, warn))
            agents[-1].label = name
        contest = cls.between(experiment, game, agents, places)
        return replace(contest, id=contest._identity())

    @classmethod
    def between(
        cls, experiment: Experiment, game: Game, agents: Sequence[Agent], places: Places | None = None
    ) -> "Contest":
        """With a game and agents that exist already, and need not be known by their texts."""
        places = places or Places()
        members = tuple(Member(one.name, one.spec, one.draws, one.sources) for one in agents)
        contest = cls(experiment, game, members, tuple(_tables(experiment, game, places)), tuple(agents))
        with places.blaming("games"):
            contest._whole_blocks()
        with places.blaming("sprt"):
            contest._fitting_test()
        return contest

    def _whole_blocks(self) -> None:
        games = self.experiment.games
        size = lcm(*(self.games_a_block(table) for table in range(len(self.tables))))
        if games < size or games % size:
            pairs = "pairs with the sides swapped: give an even number of games"
            told = pairs if size == 2 else f"blocks with every seating: give a multiple of {size}"
            raise SparringError(f"games come in {told}, not {games}")

    def _fitting_test(self) -> None:
        test = self.experiment.sprt
        if test and isinstance(test, TableSprt) != (self.game.seats > 2):
            unit = "effects, such as effect=0:0.1" if self.game.seats > 2 else "Elo, such as 0:10"
            raise SparringError(f"a sequential test of {self.game.seats} players is given in {unit}")

    @property
    def names(self) -> list[str]:
        return [member.name for member in self.members]

    def seatings(self, table: int) -> list[plan.Table]:
        return plan.seatings(self.tables[table], self.experiment.seating == "permutations")

    def games_a_block(self, table: int) -> int:
        return len(self.seatings(table))

    def blocks(self, table: int) -> int:
        return self.experiment.games // self.games_a_block(table)

    @property
    def games(self) -> int:
        return self.experiment.games * len(self.tables)

    def setup(self) -> Setup:
        return Setup(
            game=self.game,
            specs=tuple(member.spec for member in self.members),
            tables=self.tables,
            seed=self.experiment.seed,
            all_orders=self.experiment.seating == "permutations",
            limits=self.experiment.limits(),
            decisions=self.experiment.decisions,
            files={Spec.parse(one.spec).file: one.sources for one in self.members if one.sources},
        )

    def _identity(self) -> str:
        """The same for the same experiment played by the same code, so that a command finds what it has begun."""
        digest = hashlib.blake2b(digest_size=6)
        digest.update(self.experiment.model_dump_json().encode())
        digest.update(json.dumps([[member.spec, member.hash] for member in self.members]).encode())
        digest.update(f"{self.game.version} {registry.code(self.game.name)}".encode())
        return digest.hexdigest()


def _tables(experiment: Experiment, game: Game, places: Places) -> list[plan.Table]:
    number = {name: place for place, name in enumerate(experiment.entries)}
    for name in experiment.contestants:
        with places.blaming("opponents", name):
            if name in experiment.opponents:
                raise SparringError(f"{name} is a contestant and an opponent; give one of them another name")
    with places.blaming("tables"):
        if experiment.tables and not experiment.agents:
            raise SparringError("tables seat the agents named under [agents]")
    if experiment.contestants:
        ours, theirs = ([number[name] for name in group] for group in (experiment.contestants, experiment.opponents))
        with places.blaming("side"):
            if experiment.side >= game.seats:
                raise SparringError(f"side {experiment.side} leaves no seat of {game.seats} to the opponent")
        return plan.gauntlet(ours, theirs, game.seats, experiment.side)
    if not experiment.tables:
        with places.blaming("agents"):
            if len(number) < 2:
                raise SparringError("name at least two agents; `spar agents GAME` lists them")
        return plan.everybody(len(number), game.seats)
    seated: list[plan.Table] = []
    for place, table in enumerate(experiment.tables):
        with places.blaming("tables", place):
            strangers = [name for name in table if name not in number]
            if strangers:
                raise unknown("agent at a table", strangers[0], number)
            if len(table) != game.seats or len(set(table)) < 2:
                raise SparringError(f"a table seats {game.seats} agents, not all of them the same")
            seated.append(tuple(number[name] for name in table))
            ways = [set(plan.seatings(one, experiment.seating == "permutations")) for one in seated]
            if ways[-1] in ways[:-1]:
                raise SparringError(
                    f"{', '.join(table)} sit at two tables; the same games twice prove no more than once"
                )
    return seated


def _group(experiment: Experiment, name: str) -> str:
    groups = {"agents": experiment.agents, "contestants": experiment.contestants}
    return next((group for group, entries in groups.items() if name in entries), "opponents")


def described(**settings: Any) -> Experiment:
    """An experiment from settings; the error names the first that is wrong."""
    try:
        return Experiment.model_validate(settings)
    except ValidationError as error:
        raise SparringError(_told(error)) from error


def packaged() -> dict[str, list[Path]]:
    """The experiments that come with the installed games, by name: `experiments/*.toml` in their folders."""
    points = [point for found in plugins.declared(plugins.GAMES).values() for point in found]
    files = [file for point in points for file in plugins.folder_of(point).glob("experiments/*.toml")]
    return {name: [file for file in files if file.stem == name] for name in sorted({file.stem for file in files})}


def file_named(name: str | Path) -> Path:
    """A file, or the experiment of that name that comes with a game."""
    known = packaged()
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


def load(file: str | Path, only: Sequence[str] = (), **changes: Any) -> list[tuple[Experiment, Places]]:
    """The experiments of a file, perhaps with other settings than it says: one, or one for each of its [[parts]], which
    may say everything in their own way. `only` names the agents or contestants that play; without it all do."""
    found = _load(file_named(file), changes)
    if not only:
        return found
    known = [name for one, _ in found for name in (*one.agents, *one.contestants)]
    for name in only:
        if name not in known:
            raise unknown("agent of the experiment", name, known)
    chosen = [(one.among(only), places) for one, places in found]
    return [(one, places) for one, places in chosen if one.agents or one.contestants]


def _load(file: Path, changes: Mapping[str, Any]) -> list[tuple[Experiment, Places]]:
    common, text = toml(file)
    places = Places(str(file), text)
    common.pop(DOCUMENT, None)
    parts = common.pop("parts", None)
    if parts is None:
        return [(_valid(common, changes, places), places)]
    with places.blaming("parts"):
        if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
            raise SparringError("parts are written under [[parts]], each with settings of its own")
    found = []
    for number, part in enumerate(parts):
        own = replace(places, part=number, said=frozenset(part))
        found.append((_valid({**common, **part}, changes, own), own))
        with own.blaming(*(["part"] if "part" in part else [])):
            if not found[-1][0].part or found[-1][0].part in (one.part for one, _ in found[:-1]):
                raise SparringError('every part needs a name of its own: part = "..."')
    return found


def _valid(settings: Mapping[str, Any], changes: Mapping[str, Any], places: Places) -> Experiment:
    """The settings of a file with some changed. An error points to the line of the file, unless a change is wrong."""
    try:
        return Experiment.model_validate({**settings, **changes})
    except ValidationError as error:
        where = error.errors()[0]["loc"]
        line = "" if where and where[0] in changes else f"{places.file}:{places.line(where)}: "
        raise SparringError(f"{line}{_told(error)}") from error


def _told(error: ValidationError) -> str:
    return slip(error, Experiment.model_fields if len(error.errors()[0]["loc"]) == 1 else Entry.model_fields)


def slip(error: ValidationError, known: Iterable[str]) -> str:
    """The first thing that is wrong, in our own words where pydantic's name no remedy."""
    first = error.errors()[0]
    said, told = ".".join(str(part) for part in first["loc"]), first["msg"]
    if first["type"] == "extra_forbidden":
        return str(unknown("setting", str(first["loc"][-1]), known))
    if first["type"] == "missing":
        return f"{said} is missing; say {first['loc'][-1]} = ..."
    ours = told.removeprefix("Value error, ")
    return f"{said}: {told}" if ours == told else ours
