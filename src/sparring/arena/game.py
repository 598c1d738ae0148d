"""The referee: one game from its seed to its end, whatever the agents do."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.dice import dice
from sparring.errors import SparringError
from sparring.games.contract import Action, Game, Position

ILLEGAL, CRASH, TIMEOUT = "illegal move", "crash", "timeout"


class Turn(NamedTuple):
    """One action as a game record keeps it."""

    player: int
    action: str
    note: str = ""


@dataclass(frozen=True)
class Effort:
    """What one agent spent in a game."""

    moves: int = 0
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def plus(self, decision: Decision, seconds: float) -> "Effort":
        return Effort(self.moves + 1, self.depth + decision.depth, self.nodes + decision.nodes, self.seconds + seconds)


@dataclass(frozen=True)
class PlayedGame:
    """A finished game: enough to replay it and to judge it. `scores` and `efforts` go by seat."""

    game: str
    options: dict[str, str]
    seed: int
    agents: tuple[str, ...]
    start: str
    turns: tuple[Turn, ...]
    scores: tuple[float, ...]
    reason: str
    efforts: tuple[Effort, ...] = ()


class Fault(Exception):
    """A player that could not be allowed to go on."""

    def __init__(self, player: int, verdict: str, detail: str = "") -> None:
        super().__init__(f"{verdict}: {detail}" if detail else verdict)
        self.player = player


def play(game: Game, agents: Sequence[Agent], seed: int, limit: float | None = None) -> PlayedGame:
    """Play one game. An agent that fails, moves illegally or takes longer than `limit` seconds loses it."""
    state, referee = game.new(seed), dice(seed, "referee")
    own = [dice(seed, "agent", seat) for seat in range(len(agents))]
    efforts = [Effort() for _ in agents]
    start, turns = game.text(state), []
    scores, reason = None, ""
    try:
        while actors := game.actors(state):
            chosen: dict[int, Action] = {}
            for player in actors:
                view = View(Position(game, game.seen_by(state, player), own[player]), player, own[player])
                decision, seconds = _ask(agents[player], view, limit)
                chosen[player] = decision.action
                efforts[player] = efforts[player].plus(decision, seconds)
                turns.append(Turn(player, game.action_name(state, player, decision.action), _note(decision)))
            game.apply(state, chosen, referee)
    except Fault as fault:
        scores = tuple(0.0 if seat == fault.player else 1.0 for seat in range(len(agents)))
        reason = str(fault)
    return PlayedGame(
        game=game.name,
        options=game.options(),
        seed=seed,
        agents=tuple(agent.spec for agent in agents),
        start=start,
        turns=tuple(turns),
        scores=scores or game.outcome(state) or (),
        reason=reason or game.ending(state),
        efforts=tuple(efforts),
    )


def _ask(agent: Agent, view: View, limit: float | None) -> tuple[Decision, float]:
    legal = set(view.legal)
    started = time.perf_counter()
    try:
        decision = agent.decide(view)
    except SparringError as error:
        raise Fault(view.me, ILLEGAL, str(error)) from error
    except (Exception, SystemExit) as error:
        raise Fault(view.me, CRASH, f"{type(error).__name__}: {error}") from error
    seconds = time.perf_counter() - started
    if limit is not None and seconds > limit:
        raise Fault(view.me, TIMEOUT, f"{seconds * 1000:.0f} ms of {limit * 1000:.0f}")
    if decision.action not in legal:
        raise Fault(view.me, ILLEGAL, repr(decision.action))
    return decision, seconds


def _note(decision: Decision) -> str:
    return f"{decision.chosen.verdict} d{decision.depth}" if decision.depth else ""
