"""Agents graded by an exact solver.

If the solver knows every state of the game, the worth of an agent is computed: it is asked in every position, and its
share of games won against random and against perfect play follows. Otherwise positions are sampled from ordinary play,
and the grade is how often a decision keeps a won game won. Only positions count in which some move would lose the win.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from sparring.agents.agent import Agent, View, attributed_to
from sparring.agents.spec import agent
from sparring.arena.schedule import block_seed
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.core.plots import picture
from sparring.core.progress import Progress
from sparring.core.table import columns
from sparring.games.capabilities import Solver, needed
from sparring.games.contract import Game, Position
from sparring.statistics.intervals import wilson

PLIES = (0, 4, 8, 12, 16, 20, 24)
ENOUGH_TO_PLOT = 10
SOLVER_NODES = 50_000_000
PLAYERS = "alphabeta:improved,nodes=1000,reference"
"""The agent whose games give the positions: good play that varies with the seed."""


@dataclass(frozen=True)
class Grades:
    """Counts of decisions that kept the win, by agent and ply."""

    game: str
    seed: int
    positions: dict[int, int]  # by ply
    kept: dict[str, dict[int, int]]  # by agent and ply

    def share(self, name: str, ply: int | None = None) -> tuple[float, float, float]:
        """Return the share at one ply, or over all plies, with its 95 % interval."""
        plies = self.positions if ply is None else [ply]
        positions = sum(self.positions[one] for one in plies)
        mean = sum(self.kept[name][one] for one in plies) / max(1, positions)
        return mean, *wilson(mean, positions)

    @property
    def ranked(self) -> list[str]:
        return sorted(self.kept, key=lambda name: -self.share(name)[0])

    def __str__(self) -> str:
        if not any(self.positions.values()):
            return "no position was graded: none of these games had a won position that a move could lose; play more"
        plies = [ply for ply, count in self.positions.items() if count]
        rows = [["agent", "all", "95 %", *(f"ply {ply}" for ply in plies)]]
        for name in self.ranked:
            mean, low, high = self.share(name)
            shares = [self.share(name, ply) for ply in plies]
            cells = [f"{100 * here:.0f}±{50 * (most - least):.0f}" for here, least, most in shares]
            rows.append([name, f"{100 * mean:.1f}", f"[{100 * low:.1f}, {100 * high:.1f}]", *cells])
        everywhere = f"{sum(self.positions.values())}"
        rows.append(["(positions)", everywhere, "", *(f"{self.positions[ply]}" for ply in plies)])
        head = "share of decisions that kept a won game won, in %, where a move could lose it"
        return f"{head}\n\n{columns(rows, right={1, *range(3, 3 + len(plies))})}"

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        plies = [ply for ply, count in self.positions.items() if count]
        shares = {name: {ply: self.share(name, ply) for ply in plies} for name in self.kept}
        return {"game": self.game, "seed": self.seed, "positions": self.positions, "kept": self.kept, "shares": shares}

    def plot(self, file: Path) -> None:
        plies = [ply for ply, count in self.positions.items() if count >= ENOUGH_TO_PLOT]
        title = f"{self.game}: decisions v solver"
        with picture(file, size=(9, 4.5)) as axes:
            for place, name in enumerate(self.ranked):
                shares = [self.share(name, ply) for ply in plies]
                errors = [[mean - low for mean, low, _ in shares], [high - mean for mean, _, high in shares]]
                beside = [ply + 0.15 * (place - len(self.kept) / 2) for ply in plies]  # so that none hides another
                axes.errorbar(beside, [mean for mean, _, _ in shares], yerr=errors, marker="o", capsize=3, label=name)
            axes.set(xlabel="ply", ylabel="won games kept won", ylim=(0, 1.02), title=title)
            axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))


@dataclass(frozen=True)
class ExactGrades:
    """The exact shares of games won by each agent, and what its choices lose."""

    game: str
    worths: dict[str, Any]

    def __str__(self) -> str:
        rows = [["agent", "v random", "v perfect", "loss a choice", "right choices"]]
        for name, worth in sorted(self.worths.items(), key=lambda item: -item[1].v_perfect):
            shares = [f"{100 * share:.1f}" for share in (worth.v_random, worth.v_perfect)]
            rows.append([name, *shares, f"{100 * worth.loss:.2f}", f"{100 * worth.right:.1f}"])
        head = "exact shares of games won, win chance lost by a choice, and choices that lose nothing, all in %"
        return f"{head}\n\n{columns(rows, right={1, 2, 3, 4})}"

    __repr__ = __str__

    def to_json(self) -> dict[str, Any]:
        return {"game": self.game, "worths": {name: asdict(worth) for name, worth in self.worths.items()}}


def grade(
    game: Game, agents: Sequence[Agent], games: int, seed: int, progress: Progress | None = None
) -> Grades | ExactGrades:
    """Grade agents exactly if the solver knows every state, else on positions of `games` games."""
    players, exact = {player.spec: player for player in agents}, cast(Any, needed(game, Solver))
    if not exact.KNOWS_ALL:
        return grade_sampled(game, list(players.values()), games, seed, progress)
    policies = {name: player.compiled_policy(game) for name, player in players.items()}
    for name, policy in policies.items():
        if policy is None:
            raise SparringError(f"{name} is not compiled, and cannot be asked in all positions of {game.name}")
    solver = exact.PolicyEvaluator(game, progress)
    asked = {name: (policy, players[name].draws) for name, policy in policies.items()}
    return ExactGrades(game.name, {name: solver.worth(solver.policy(*one, progress)) for name, one in asked.items()})


def grade_sampled(
    game: Game,
    agents: Sequence[Agent],
    games: int,
    seed: int,
    progress: Progress | None = None,
    plies: Sequence[int] = PLIES,
) -> Grades:
    """Solve positions from some games at some plies, and ask every agent for its move there.

    A position does not count if the solver's budget does not suffice for all of its moves.
    """
    exact: Any = needed(game, Solver)
    positions = dict.fromkeys(plies, 0)
    kept = {player.spec: dict.fromkeys(plies, 0) for player in agents}
    for number in range(games):
        for ply, position in _sampled(game, block_seed(seed, number), plies).items():
            verdicts = exact.winning_moves(position.state, SOLVER_NODES)
            winning = {action for action, wins in verdicts.items() if wins}
            if None in verdicts.values() or len(winning) in (0, len(position.legal)):
                continue
            positions[ply] += 1
            for player in agents:
                view = View(position, position.mover, dice(seed, "grade", number, ply))
                with attributed_to(player):
                    kept[player.spec][ply] += player.decide(view).action in winning
        if progress:
            progress(number + 1, games)
    return Grades(game.name, seed, positions, kept)


def _sampled(game: Game, seed: int, plies: Sequence[int]) -> dict[int, Position]:
    """Return the positions of one game at some plies, counted from its opening."""
    player, own = agent(game, PLAYERS), dice(seed, "sample")
    found, position, ply = {}, game.start(seed), 0
    while not position.over:
        if ply in plies:
            found[ply] = position
        position = position.after(player.decide(View(position, position.mover, own)).action)
        ply += 1
    return found
