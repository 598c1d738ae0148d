"""Positions with an answer that is known: which of them does an agent solve?

The cases of a game are in the file suite.toml of its folder. Each has a position, who is to act, and actions of which
one must be played (`accept`) or none may be (`forbid`). Where an action is several commands, `1u3_3l2`, a case names
those that matter, whatever the others do.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparring import games as shelf
from sparring.agents.agent import Agent, View, blaming
from sparring.agents.spec import agent
from sparring.dice import dice
from sparring.errors import SparringError
from sparring.exact import Progress
from sparring.games.contract import Game, Position
from sparring.table import columns


@dataclass(frozen=True)
class Case:
    """One position, and what counts as a solution."""

    name: str
    about: str
    position: str
    player: int
    accept: Sequence[str] = ()
    forbid: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)

    def solved_by(self, action: str) -> bool:
        accepted = not self.accept or any(_part(one, action) for one in self.accept)
        return accepted and not any(_part(one, action) for one in self.forbid)


def _part(one: str, action: str) -> bool:
    """Whether all commands of the one are among those of the other."""
    return set(one.split("_")) <= set(action.split("_"))


def cases(game: str) -> list[Case]:
    """All of a game."""
    file = Path(shelf.__file__).parent / game / "suite.toml"
    if not file.is_file():
        raise SparringError(f"{game} has no tactical suite")
    told: list[dict[str, Any]] = tomllib.loads(file.read_text())["cases"]
    return [Case(**one) for one in told]


@dataclass(frozen=True)
class Suite:
    """How often each agent solved each case."""

    game: str
    tries: int
    cases: tuple[Case, ...]
    solved: dict[str, list[int]]  # by agent, in the order of the cases

    def share(self, name: str) -> float:
        return sum(self.solved[name]) / (self.tries * len(self.cases))

    def always(self, name: str) -> int:
        """Cases that were solved every time."""
        return sum(times == self.tries for times in self.solved[name])

    def __str__(self) -> str:
        rows = [["case", *self.solved, "about"]]
        for place, case in enumerate(self.cases):
            shares = [f"{100 * times[place] / self.tries:.0f} %" for times in self.solved.values()]
            rows.append([case.name, *shares, case.about])
        rows.append(["all", *(f"{100 * self.share(name):.1f} %" for name in self.solved), ""])
        rows.append(["always", *(f"{self.always(name)} of {len(self.cases)}" for name in self.solved), ""])
        return columns(rows, right=set(range(1, 1 + len(self.solved))))

    def to_json(self) -> dict[str, Any]:
        solved = {
            name: dict(zip((c.name for c in self.cases), times, strict=True)) for name, times in self.solved.items()
        }
        return {"game": self.game, "tries": self.tries, "solved": solved}


def suite(game: str, specs: Sequence[str], tries: int, seed: int, progress: Progress | None = None) -> Suite:
    """Ask every agent for its action in every case, with some dice and again with others where chance has a say."""
    known, solved, made = cases(game), {spec: list[int]() for spec in specs}, dict[tuple[str, str], Agent]()
    for number, case in enumerate(known):
        board = shelf.game(game, **case.options)
        for spec in specs:
            key = (spec, str(case.options))
            player = made[key] if key in made else made.setdefault(key, agent(board, spec))
            solved[spec].append(_solved(board, case, player, tries, seed))
        if progress:
            progress(number + 1, len(known))
    return Suite(game, tries, tuple(known), solved)


def _solved(game: Game, case: Case, player: Agent, tries: int, seed: int) -> int:
    """How often an agent solves a case; one that is not left to chance is asked once."""
    times = 0
    for number in range(tries if player.draws else 1):
        own = dice(seed, case.name, number)
        with blaming(player):
            decision = player.decide(View(Position(game, game.parse(case.position), own), case.player, own))
        times += case.solved_by(decision.name)
    return times if player.draws else times * tries
