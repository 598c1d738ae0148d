"""What agents are worth, exactly, in games whose every state is solved.

An agent is asked what it does in every position. What becomes of that against random and against perfect play is then
worked out, not played.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sparring.agents.agent import Agent
from sparring.core.errors import SparringError
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.capabilities import Solver, needed
from sparring.games.contract import Game


@dataclass(frozen=True)
class Worths:
    """For each agent its shares of games won and what its choices lose."""

    game: str
    worths: dict[str, Any]

    def __str__(self) -> str:
        rows = [["agent", "v random", "v perfect", "loss a choice", "right choices"]]
        for name, worth in sorted(self.worths.items(), key=lambda item: -item[1].v_perfect):
            shares = [f"{100 * share:.1f}" for share in (worth.v_random, worth.v_perfect)]
            rows.append([name, *shares, f"{100 * worth.loss:.2f}", f"{100 * worth.right:.1f}"])
        head = "exact shares of games won, win chance lost by a choice, and choices that lose nothing, all in %"
        return f"{head}\n\n{columns(rows, right={1, 2, 3, 4})}"

    def to_json(self) -> dict[str, Any]:
        return {"game": self.game, "worths": {name: asdict(worth) for name, worth in self.worths.items()}}


def worths(game: Game, agents: Sequence[Agent], progress: Progress | None = None) -> Worths:
    automata = {player.spec: player.automaton(game) for player in agents}
    for name, automaton in automata.items():
        if automaton is None:
            raise SparringError(f"{name} is not compiled, and cannot be asked in all positions of {game.name}")
    exact: Any = needed(game, Solver)
    examiner = exact.Examiner(game, progress)
    found = {}
    for player in agents:
        policy = examiner.policy(automata[player.spec], player.draws, progress)
        found[player.spec] = examiner.worth(policy)
    return Worths(game.name, found)
