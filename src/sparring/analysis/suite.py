"""Suites: positions whose best moves are known, and how many of them an agent solves.

The cases of a game are in the file suite.toml of its folder, or in a user's file, to which `spar blunders --save` adds.
Each case has a position, a player, and actions: one of `accept` must be played, and none of `forbid`. If an action is a
list of commands, such as `1u3_3l2`, a case names only the commands that matter. Commands of the same effect are equal.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ValidationError, model_validator

from sparring.agents.agent import Agent, View, attributed_to
from sparring.agents.spec import agent
from sparring.arena.experiment import first_error
from sparring.arena.toml_source import toml
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.core.files import atomic_write
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games import registry
from sparring.games.capabilities import canonical
from sparring.games.contract import Action, Position


class Case(BaseModel, extra="forbid", frozen=True):
    """One position and its solutions."""

    name: str
    about: str = ""
    position: str
    player: int | None = None  # the player to act, if there is more than one
    accept: tuple[str, ...] = ()
    forbid: tuple[str, ...] = ()
    options: dict[str, str] = {}

    @model_validator(mode="after")
    def _has_a_solution(self) -> Self:
        if not self.accept and not self.forbid:
            raise ValueError("say which moves solve it, accept = [...], or which do not, forbid = [...]")
        return self

    def solved_by(self, action: str | Action, position: Position, player: int) -> bool:
        done = _commands(action, position, player)
        accept, forbid = ([_commands(one, position, player) for one in told] for told in (self.accept, self.forbid))
        return (not accept or any(one <= done for one in accept)) and not any(one <= done for one in forbid)

    def set_up(self, game: str) -> tuple[Position, int]:
        position = registry.game(game, **self.options).position(self.position)
        player = position.mover if self.player is None else self.player
        if player not in position.actors:
            raise SparringError(f"player {player} is not to act in {self.position}")
        for move in (*self.accept, *self.forbid):
            position.action(move, player)
        return position, player

    def text(self) -> str:
        said = self.model_dump(exclude_defaults=True)
        options = ", ".join(f"{key} = {_quoted(value)}" for key, value in said.pop("options", {}).items())
        lines = ["[[cases]]", *(f"{key} = {_quoted(value)}" for key, value in said.items())]
        return "\n".join([*lines, *([f"options = {{ {options} }}"] if options else [])]) + "\n"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _commands(action: str | Action, position: Position, player: int) -> set[str]:
    """Return the commands of an action, each in the form that all commands with the same effect share."""
    game, state = position.game, position.state
    done = canonical(game, state, player, position.action(action, player))
    return set(game.action_name(state, player, done).split("_"))


def cases(game: str, file: Path | None = None) -> list[Case]:
    """Return the cases of a game, or of a user's file."""
    if file is None:
        file = registry.folder(game) / "suite.toml"
        if not file.is_file():
            raise SparringError(
                f"{game} has no tactical suite; name a file of cases by --cases, such as `spar blunders --save` writes"
            )
    said, _ = toml(file)
    if said.get("game", game) != game:
        raise SparringError(f"{file} has cases of {said['game']}, not of {game}")
    told = said.get("cases")
    if not isinstance(told, list) or not told:
        raise SparringError(f"{file} has no cases; each is written under [[cases]]")
    found: dict[str, Case] = {}
    for number, one in enumerate(told, 1):
        try:
            case = Case.model_validate(one)
            case.set_up(game)
        except ValidationError as error:
            raise SparringError(f"{file}, case {number}: {first_error(error, Case.model_fields)}") from error
        except SparringError as error:
            raise SparringError(f"{file}, case {number}: {error}") from error
        if case.name in found:
            raise SparringError(f"{file}, case {number}: {case.name!r} is the name of another case")
        found[case.name] = case
    return list(found.values())


def add(file: Path, game: str, new: Sequence[Case]) -> int:
    """Add cases to a file. Return how many were new."""
    there = cases(game, file) if file.exists() else []
    known = {(one.position, one.player, str(one.options)) for one in there}
    fresh = {(one.position, one.player, str(one.options)): one for one in new}
    text = file.read_text(encoding="utf-8") if there else f"game = {_quoted(game)}\n"
    added = [case.text() for key, case in fresh.items() if key not in known]
    if added:
        with atomic_write(file) as part:
            part.write_text("\n".join([text, *added]), encoding="utf-8")
    return len(added)


@dataclass(frozen=True)
class Suite:
    """Counts of solved cases, by agent and case."""

    game: str
    tries: int
    cases: tuple[Case, ...]
    solved: dict[str, list[int]]  # by agent, in the order of the cases

    def share(self, name: str) -> float:
        return sum(self.solved[name]) / (self.tries * len(self.cases))

    def always(self, name: str) -> int:
        """Return how many cases were solved every time."""
        return sum(times == self.tries for times in self.solved[name])

    def __str__(self) -> str:
        rows = [["case", *self.solved, "about"]]
        for place, case in enumerate(self.cases):
            shares = [f"{100 * times[place] / self.tries:.0f} %" for times in self.solved.values()]
            rows.append([case.name, *shares, case.about])
        rows.append(["all", *(f"{100 * self.share(name):.1f} %" for name in self.solved), ""])
        rows.append(["always", *(f"{self.always(name)} of {len(self.cases)}" for name in self.solved), ""])
        return columns(rows, right=set(range(1, 1 + len(self.solved))))

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        solved = {
            name: dict(zip((c.name for c in self.cases), times, strict=True)) for name, times in self.solved.items()
        }
        return {"game": self.game, "tries": self.tries, "solved": solved}


def suite(
    game: str,
    specs: Sequence[str],
    tries: int,
    seed: int,
    progress: Progress | None = None,
    file: Path | None = None,
    strict: bool = False,
    warn: Callable[[str], None] | None = None,
) -> Suite:
    """Ask every agent for its action in every case, and `tries` times with other dice if it uses random numbers."""
    specs = list(dict.fromkeys(specs))
    known, solved, made = cases(game, file), {spec: list[int]() for spec in specs}, dict[tuple[str, str], Agent]()
    for number, case in enumerate(known):
        position, player = case.set_up(game)
        for spec in specs:
            key = (spec, str(case.options))
            if key not in made:
                made[key] = agent(position.game, spec, strict, warn)
            asked, times = made[key], tries if made[key].draws else 1
            views = [View.of(position, player, dice(seed, case.name, trial)) for trial in range(times)]
            with attributed_to(asked):
                actions = [asked.decide(view).action for view in views]
            solved[spec].append(tries // times * sum(case.solved_by(one, position, player) for one in actions))
        if progress:
            progress(number + 1, len(known))
    return Suite(game, tries, tuple(known), solved)
