"""Matches, leagues and gauntlets: who meets whom, on which openings.

Games come in blocks: one seed, hence one opening, with the seats swapped. Block k has the same seed in every
pairing, so that all agents are tried on the same openings.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue

from sparring.agents.agent import Agent, Searcher
from sparring.arena.game import PlayedGame, play
from sparring.arena.result import Pairing, Tournament
from sparring.errors import SparringError
from sparring.games.contract import Game

Progress = Callable[[int, int], None]
Job = tuple[int, int]
"""A pairing by its place, and the number of a block."""
Block = tuple[PlayedGame, PlayedGame]


def tournament(
    game: Game,
    pairs: Sequence[tuple[Agent, Agent]],
    games: int,
    seed: int,
    workers: int | None = None,
    limit: float | None = None,
    progress: Progress | None = None,
) -> Tournament:
    """Play `games` games of each pair, in blocks of two, and keep what is finished on Ctrl-C."""
    if games < 2 or games % 2:
        raise SparringError(f"games come in pairs with the sides swapped: give an even number of games, not {games}")
    if game.seats != 2:
        raise SparringError(f"a match is for two players, not for the {game.seats} of this {game.name}")
    for first, second in pairs:
        if first.name == second.name:
            raise SparringError(f"{first.name} cannot meet itself; name two different agents")
    started = time.perf_counter()
    jobs = ((place, block) for block in range(games // 2) for place in range(len(pairs)))

    def run(job: Job) -> Block:
        place, block = job
        first, second = pairs[place]
        block_seed = seed * 1_000_003 + block
        return play(game, (first, second), block_seed, limit), play(game, (second, first), block_seed, limit)

    finished: dict[Job, Block] = {}
    interrupted = False
    try:
        for job, played in in_threads(run, jobs, workers or default_workers(pairs, limit)):
            finished[job] = played
            if progress:
                progress(2 * len(finished), games * len(pairs))
    except KeyboardInterrupt:
        interrupted = True
    pairings = tuple(
        Pairing(
            first.name,
            second.name,
            tuple(finished[job] for job in sorted(finished) if job[0] == place),
            first.draws or second.draws,
        )
        for place, (first, second) in enumerate(pairs)
    )
    seconds = time.perf_counter() - started
    return Tournament(game.name, game.options(), seed, games, pairings, seconds, limit, interrupted)


def in_threads(run: Callable[[Job], Block], jobs: Iterator[Job], workers: int) -> Iterator[tuple[Job, Block]]:
    """Results as they come. Left early, by Ctrl-C say, no thread takes another job."""
    results: SimpleQueue[tuple[Job, Block | BaseException] | None] = SimpleQueue()
    taking, stopped = threading.Lock(), threading.Event()

    def work() -> None:
        while not stopped.is_set():
            with taking:
                job = next(jobs, None)
            if job is None:
                break
            try:
                results.put((job, run(job)))
            except BaseException as error:
                results.put((job, error))
        results.put(None)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(workers)]
    try:
        for thread in threads:
            thread.start()
        working = workers
        while working:
            result = results.get()
            if result is None:
                working -= 1
                continue
            job, played = result
            if isinstance(played, BaseException):
                raise played
            yield job, played
    finally:
        stopped.set()


def round_robin(agents: Sequence[Agent]) -> list[tuple[Agent, Agent]]:
    return [(first, second) for place, first in enumerate(agents) for second in agents[place + 1 :]]


def gauntlet(contestants: Sequence[Agent], opponents: Sequence[Agent]) -> list[tuple[Agent, Agent]]:
    """Every contestant meets every opponent, but no other contestant."""
    return [(contestant, opponent) for contestant in contestants for opponent in opponents]


def default_workers(pairs: Sequence[tuple[Agent, Agent]], limit: float | None) -> int:
    """All cores, but one alone where plain Python would fight over them or a clock is running."""
    agents = [agent for pair in pairs for agent in pair]
    timed = limit or any(isinstance(agent, Searcher) and agent.budget.seconds for agent in agents)
    return 1 if timed or not all(agent.compiled for agent in agents) else os.cpu_count() or 1
