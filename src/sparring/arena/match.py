"""Matches, leagues and gauntlets: who meets whom, on which openings.

Games come in blocks: one seed, hence one opening, with the seats swapped. Block k has the same seed in every
pairing, so that all agents are tried on the same openings.
"""

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from sparring.agents.agent import Agent, Searcher
from sparring.arena.game import PlayedGame, play
from sparring.arena.result import Pairing, Tournament
from sparring.errors import SparringError
from sparring.games.contract import Game

Progress = Callable[[int, int], None]


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
    if game.kind.players != (2, 2):
        raise SparringError(f"a match is for two players, {game.name} has {game.kind.players[1]}")
    for first, second in pairs:
        if first.name == second.name:
            raise SparringError(f"{first.name} cannot meet itself; name two different agents")
    started = time.perf_counter()
    jobs = [(place, block) for block in range(games // 2) for place in range(len(pairs))]
    finished: dict[tuple[int, int], tuple[PlayedGame, PlayedGame]] = {}
    stopping = threading.Event()

    def run(place: int, block: int) -> tuple[PlayedGame, PlayedGame] | None:
        first, second = pairs[place]
        if stopping.is_set():
            return None
        one = play(game, (first, second), seed * 1_000_003 + block, limit)
        two = play(game, (second, first), seed * 1_000_003 + block, limit)
        return one, two

    interrupted = False
    with ThreadPoolExecutor(workers or default_workers(pairs)) as pool:
        futures: dict[Future[Any], tuple[int, int]] = {pool.submit(run, *job): job for job in jobs}
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    finished[futures[future]] = future.result()
                if progress:
                    progress(2 * len(finished), 2 * len(jobs))
        except KeyboardInterrupt:
            interrupted = True
            stopping.set()
            pool.shutdown(cancel_futures=True)
    pairings = tuple(
        Pairing(
            first.name,
            second.name,
            tuple(finished[place, block] for block in range(games // 2) if finished.get((place, block))),
        )
        for place, (first, second) in enumerate(pairs)
    )
    return Tournament(
        game.name, game.options(), seed, games, pairings, time.perf_counter() - started, limit, interrupted
    )


def round_robin(agents: Sequence[Agent]) -> list[tuple[Agent, Agent]]:
    return [(first, second) for place, first in enumerate(agents) for second in agents[place + 1 :]]


def gauntlet(contestants: Sequence[Agent], opponents: Sequence[Agent]) -> list[tuple[Agent, Agent]]:
    """Every contestant meets every opponent, but no other contestant."""
    return [(contestant, opponent) for contestant in contestants for opponent in opponents]


def default_workers(pairs: Sequence[tuple[Agent, Agent]]) -> int:
    """All cores, but one alone where plain Python would fight over them or a clock is running."""
    agents = [agent for pair in pairs for agent in pair]
    timed = any(isinstance(agent, Searcher) and agent.budget.seconds for agent in agents)
    return 1 if timed or not all(agent.compiled for agent in agents) else os.cpu_count() or 1
