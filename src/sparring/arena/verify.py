"""Check a store: its structure, its checksums, and a sample of its games, which are played again."""

import math
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sparring.arena.run import games_by_number
from sparring.arena.salvage import FoundExperiment, scanned
from sparring.arena.store import LAST, Store
from sparring.arena.store_file import DamagedStore, option_for
from sparring.arena.workers import WorkerPool
from sparring.core.errors import SparringError
from sparring.core.table import columns, counted, plain
from sparring.games import registry

SECONDS = 10.0
"""The time after which no further experiment is played again."""


@dataclass
class Verification:
    """Findings about a store: the good and the damaged parts."""

    path: Path
    option: str
    experiments: list[FoundExperiment]
    damage: str
    """The first damage; empty if there is none."""
    savable: bool
    replayed: int = 0
    differing: dict[str, int] = field(default_factory=dict)
    """Numbers of games that went another way when they were played again, by experiment."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Numbers of experiments that were not played again, by the reason."""

    @property
    def good(self) -> bool:
        return not self.damage and not self.differing

    def __str__(self) -> str:
        if self.damage:
            rows = [("id", "good games", "agents"), *map(_words, self.experiments)]
            remedy = f"save what is good: spar verify --repair{self.option}"
            told = [columns(rows, right={1}), remedy] if self.savable else ["nothing in it can be saved"]
            return "\n".join([f"{self.path} is damaged: {self.damage}", *told])
        games = sum(one.games for one in self.experiments)
        told = [f"{self.path} is sound: {counted(len(self.experiments), 'experiment')}, {counted(games, 'game')}"]
        if self.replayed:
            other = f"{sum(self.differing.values()):,} went another way" if self.differing else "move for move the same"
            told.append(f"played again: {counted(self.replayed, 'game')}, {other}")
        for id, number in self.differing.items():
            told.append(f"{id}: {counted(number, 'game')} went another way; see spar run --again {id}{self.option}")
        told += [f"not played again: {counted(number, 'experiment')}, {why}" for why, number in self.left_out.items()]
        return "\n".join(told)


def _words(one: FoundExperiment) -> tuple[str, ...]:
    missing = f" of {one.run.games:,}" if one.run and not one.whole else ""
    names = " v ".join(plain(row[2]) for row in one.agents)
    return one.id, f"{one.games:,}{missing}", names if one.readable else "the settings are lost: repeat the command"


def verify(path: Path, prefix: str = "") -> Verification:
    """Check a store. With the beginning of an id only that experiment is listed and played again."""
    with suppress(DamagedStore), Store(path, new=False):
        pass  # a file of an older version is brought up to date
    with scanned(path) as scan:
        listed = sorted(scan.experiments.values(), key=lambda one: one.run.last_run if one.run else "", reverse=True)
        found = Verification(path, option_for(path), listed, scan.damage, scan.savable)
    if prefix:
        found.experiments = [one for one in listed if one.id.startswith(prefix)] if prefix != LAST else listed[:1]
        if len(found.experiments) != 1:
            told = f"{counted(len(found.experiments), 'experiment')} in {path} begin with {prefix!r}"
            raise SparringError(f"{told}; `spar verify{found.option}` lists all")
    if not found.damage:
        deadline = math.inf if prefix else time.monotonic() + SECONDS
        with Store(path, new=False) as store:
            for one in found.experiments:
                why = (
                    "for want of time; name one by its ID"
                    if time.monotonic() > deadline
                    else _replay(store, one, found)
                )
                found.left_out.update([why] if why else [])
    return found


def _replay(store: Store, one: FoundExperiment, found: Verification) -> str:
    """Play a sample of an experiment again. Return the reason if that is not possible."""
    if one.orphaned:
        return "whose settings are lost: repeat the commands"
    try:
        contest = store.contest(one.id)
        if store.code(one.id) != registry.code(contest.game.name):
            return "whose code has changed since"
        if any(member.sources for member in contest.participants):
            return "with agents in users' files"
        with WorkerPool(contest.setup()) as pool:
            if any(not agent.trusted or agent.timed for agent in pool.agents) or pool.settings.limits.move is not None:
                return "with a clock or with agents in processes of their own"
            for job in one.sample:
                batch = store.batch(one.id, job.table, job.block)
                kept = games_by_number([batch.part(job.block, job.block + 1)] if batch else [])
                anew = games_by_number([pool.play(job)])
                found.replayed += len(anew)
                if differing := sum(kept.get(number) != game for number, game in anew.items()):
                    found.differing[one.id] = found.differing.get(one.id, 0) + differing
    except SparringError as error:
        return str(error)
    return ""
