"""The agents of an experiment, ready to play its blocks: on threads of this process, or on another machine."""

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.spec import Spec, agent
from sparring.agents.userfile import sources
from sparring.arena.game import play
from sparring.arena.limits import NO_CLOCK, Limits
from sparring.arena.plan import Job, Table, block_seed, seatings
from sparring.arena.playout import in_bulk, play_out
from sparring.arena.sheet import Sheet
from sparring.arena.supervisor import Supervisor
from sparring.games.contract import Game


@dataclass(frozen=True)
class Setup:
    """All that playing needs to know, in a form that travels."""

    game: Game
    specs: tuple[str, ...]
    tables: tuple[Table, ...]
    seed: int
    all_orders: bool = False
    limits: Limits = NO_CLOCK
    decisions: bool = False
    files: Mapping[str, Mapping[str, bytes]] = field(default_factory=dict)
    """For each file that a spec names, what it and the modules beside it say."""


class Crew:
    """Plays jobs, any number of them at the same time. Users' Python agents play in processes of their own."""

    def __init__(self, setup: Setup, agents: Sequence[Agent] | None = None) -> None:
        self.setup = setup
        self._seatings = [seatings(table, setup.all_orders) for table in setup.tables]
        with ExitStack() as opened:
            made = agents or [agent(setup.game, spec) for spec in opened.enter_context(brought(setup))]
            supervisor = opened.enter_context(Supervisor(setup.limits))
            self.agents = [one if one.trusted else supervisor.guest(setup.game, one) for one in made]
            bulk = setup.limits.move is None and not setup.decisions and in_bulk(setup.game)
            self._automata = [one.automaton(setup.game) if bulk else None for one in self.agents]
            self._opened = opened.pop_all()

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def play(self, job: Job) -> Sheet:
        started = time.perf_counter()
        sheet = self._by_automata(job) or self._by_referee(job)
        return replace(sheet, seconds=time.perf_counter() - started)

    def _by_automata(self, job: Job) -> Sheet | None:
        """All games at once in compiled code, unless Python has to have a word."""
        pair = [automaton for number in self.setup.tables[job.table] if (automaton := self._automata[number])]
        if len(pair) < len(self.setup.tables[job.table]):
            return None
        try:
            seeds = block_seed(self.setup.seed, job.block) + np.arange(job.blocks)
            return Sheet(job.table, job.block, *play_out(self.setup.game, pair, seeds))
        except Exception:
            return None  # a heuristic failed: the referee plays these games again and finds out whose

    def _by_referee(self, job: Job) -> Sheet:
        setup, blocks = self.setup, []
        for block in range(job.block, job.block + job.blocks):
            seed = block_seed(setup.seed, block)
            tables = [[self.agents[number] for number in seating] for seating in self._seatings[job.table]]
            blocks.append([play(setup.game, table, seed, setup.limits, setup.decisions) for table in tables])
        return Sheet.of(job.table, job.block, setup.game, blocks)


@contextmanager
def brought(setup: Setup) -> Iterator[list[str]]:
    """The agents' specs; files that are not here as they came along are unpacked, and the specs name those."""
    with tempfile.TemporaryDirectory(prefix="sparring-") as folder:
        specs = list(setup.specs)
        for place, (file, said) in enumerate(setup.files.items()):
            if Path(file).is_file() and sources(Path(file)) == said:
                continue
            home = Path(folder) / f"{place}"
            home.mkdir()
            for name, source in said.items():
                (home / name).write_bytes(source)
            moved = str(home / Path(file).name)
            own = [place for place, spec in enumerate(setup.specs) if Spec.parse(spec).file == file]
            specs = [spec.replace(file, moved, 1) if place in own else spec for place, spec in enumerate(specs)]
        yield specs
