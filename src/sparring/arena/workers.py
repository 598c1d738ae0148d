"""The agents of an experiment, ready to play its blocks: on threads of this process, or on another machine."""

import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np

from sparring.agents.agent import Agent
from sparring.agents.spec import agent
from sparring.agents.userfile import Sources, keeping
from sparring.arena.batch import Sheet
from sparring.arena.limits import NO_CLOCK, Limits
from sparring.arena.playout import in_bulk, play_out
from sparring.arena.referee import play
from sparring.arena.schedule import Job, Table, block_seed, seatings
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
    files: Mapping[str, Sources] = field(default_factory=dict)
    """For each file that a spec names, what it and the modules beside it said when the experiment was begun."""


class Crew:
    """Plays jobs, any number of them at the same time. Users' Python agents play in processes of their own."""

    def __init__(self, setup: Setup, agents: Sequence[Agent] | None = None) -> None:
        self.setup = setup
        self._seatings = [seatings(table, setup.all_orders) for table in setup.tables]
        with ExitStack() as opened:
            with keeping(setup.files):
                made = agents or [agent(setup.game, spec) for spec in setup.specs]
            supervisor = opened.enter_context(Supervisor(setup.limits))
            self.agents = [one if one.trusted else supervisor.guest(setup.game, one) for one in made]
            bulk = setup.limits.move is None and not setup.decisions and in_bulk(setup.game)
            self._automata = [one.automaton(setup.game) if bulk and not one.metrics else None for one in self.agents]
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
        table = self.setup.tables[job.table]
        players = [automaton for number in table if (automaton := self._automata[number])]
        if len(players) < len(table):
            return None
        seated = [[table.index(number) for number in seating] for seating in self._seatings[job.table]]
        try:
            seeds = block_seed(self.setup.seed, job.block) + np.arange(job.blocks)
            return Sheet(job.table, job.block, *play_out(self.setup.game, players, seated, seeds))
        except Exception:
            return None  # a heuristic failed: the referee plays these games again and finds out whose

    def _by_referee(self, job: Job) -> Sheet:
        setup, blocks = self.setup, []
        for block in range(job.block, job.block + job.blocks):
            seed = block_seed(setup.seed, block)
            tables = [[self.agents[number] for number in seating] for seating in self._seatings[job.table]]
            blocks.append([play(setup.game, table, seed, setup.limits, setup.decisions) for table in tables])
        return Sheet.of(job.table, job.block, setup.game, blocks)
