"""One number that tells whether behaviour changed: a hash of what fixed agents decide in fixed positions."""

import hashlib
import time
from dataclasses import dataclass
from itertools import islice
from typing import Any

from sparring.agents.agent import View
from sparring.agents.spec import agent, bench_agents
from sparring.core.dice import dice
from sparring.core.table import columns
from sparring.games.check import random_game
from sparring.games.contract import Game

GAMES = 8
PLIES_BETWEEN = 4


@dataclass(frozen=True)
class Bench:
    """The signature of all decisions and node counts, and the speed of each agent."""

    game: str
    signature: str
    agents: dict[str, tuple[int, float]]  # nodes and seconds

    def __str__(self) -> str:
        rows = [["agent", "nodes", "nodes/s"]]
        for name, (nodes, seconds) in self.agents.items():
            rows.append([name, f"{nodes:,}", f"{nodes / seconds / 1e6:.1f} M"])
        return f"{columns(rows, right={1, 2})}\nsignature {self.signature}"

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        speeds = {name: {"nodes": nodes, "seconds": seconds} for name, (nodes, seconds) in self.agents.items()}
        return {"game": self.game, "signature": self.signature, "agents": speeds}


def bench(game: Game) -> Bench:
    """Run the game's bench agents on positions of random games."""
    digest, spent = hashlib.blake2b(digest_size=6), {}
    played = (islice(random_game(game, seed, "bench"), 0, None, PLIES_BETWEEN) for seed in range(GAMES))
    positions = [position for some in played for position in some if not position.over]
    for spec in bench_agents(game):
        player = agent(game, spec)
        nodes, seconds = 0, 0.0
        for place, position in enumerate(positions):
            for seat in position.actors:
                started = time.perf_counter()
                decision = player.decide(View(position, seat, dice("bench", place)))
                seconds += time.perf_counter() - started
                nodes += decision.nodes
                found = [(c.action, _rounded(c.score), c.exact) for c in decision.candidates]
                digest.update(repr((spec, decision.action, found, decision.depth, decision.nodes)).encode())
        spent[spec] = (nodes, seconds)
    return Bench(game.name, digest.hexdigest(), spent)


def _rounded(score: float | None) -> str:
    """Return a score without its last digits, in which processors differ."""
    return "" if score is None else f"{score + 0.0:.9g}"
