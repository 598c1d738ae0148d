"""The referee plays one game from its seed to its end and handles every failure of an agent."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from sparring.agents.agent import Agent, RandomAgent, View
from sparring.agents.decision import Decision
from sparring.arena import notes
from sparring.arena.limits import (
    CRASH,
    ILLEGAL,
    NO_CLOCK,
    OUT_OF_MEMORY,
    STALL,
    TIMEOUT,
    AgentFailure,
    Limits,
    VoidGame,
)
from sparring.arena.supervisor import Guest, GuestSession
from sparring.core.dice import players_dice
from sparring.core.errors import EndlessLoop, SparringError
from sparring.games.capabilities import ActionFacts, offered
from sparring.games.contract import Game, Position
from sparring.games.registry import game as make_game
from sparring.games.replay import Step, Turn, replay

MOST_VOIDS = 2
"""So often is a block played again because of one agent. The next time counts as the agent's failure."""
MOST_REPEATS = 20
"""So often is a block played again in all."""
REST_SECONDS = 0.1
"""The wait before a block is played again, longer each time: memory or processes may be free by then."""


@dataclass(frozen=True)
class Effort:
    """The effort of one agent in a game, summed over its moves."""

    moves: int = 0
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0

    def plus(self, decision: Decision, seconds: float) -> "Effort":
        return Effort(self.moves + 1, self.depth + decision.depth, self.nodes + decision.nodes, self.seconds + seconds)


@dataclass(frozen=True)
class PlayedGame:
    """A finished game that can be replayed. `scores`, `efforts` and `metrics` are by seat."""

    game: str
    options: dict[str, str]
    seed: int
    agents: tuple[str, ...]
    start: str
    turns: tuple[Turn, ...]
    scores: tuple[float, ...]
    reason: str
    efforts: tuple[Effort, ...] = ()
    metrics: tuple[notes.Metrics, ...] = ()  # by seat
    failed: int = -1  # the seat of the player that failed
    output: str = ""  # the last that it printed
    failed_at: str = ""  # the position in which it failed
    decisions: tuple[dict[str, Any], ...] = ()  # as JSON, one a turn, where they are kept

    def steps(self) -> list[Step]:
        """The positions, each with the turns taken in it."""
        start = make_game(self.game, **self.options).start(self.seed, self.start)
        return list(replay(start, [turn.action for turn in self.turns], [turn.note for turn in self.turns]))

    def positions(self) -> list[Position]:
        return [step.position for step in self.steps()]


def play_block(
    game: Game, tables: Sequence[Sequence[Agent]], seed: int, limits: Limits = NO_CLOCK, decisions: bool = False
) -> tuple[list[PlayedGame], list[str]]:
    """Play the games of a block, one for each seating. If one is disturbed by what no agent is to blame for, all are
    void and played again. Return the games, and why others were void."""
    voids: Counter[str] = Counter()
    reasons: list[str] = []
    while True:
        try:
            with ExitStack() as opened:
                seated = [_apart(table, opened) for table in tables] if reasons else tables
                return [play(game, table, seed, limits, decisions, voids) for table in seated], reasons
        except VoidGame as void:
            reasons.append(void.reason)
            if len(reasons) > MOST_REPEATS:
                raise SparringError(
                    f"a block was disturbed {len(reasons)} times, the last time because {void.reason}; "
                    "use fewer --workers, or free memory and processes"
                ) from void
            time.sleep(min(REST_SECONDS * len(reasons), 1.0))


def _apart(table: Sequence[Agent], opened: ExitStack) -> list[Agent]:
    """Seat each guest under a supervisor of its own. If it attacks what it can reach, only its own game suffers."""
    seated: list[Agent] = []
    for agent in table:
        if isinstance(agent, Guest):
            agent = opened.enter_context(agent.supervisor.apart()).guest(agent.game, agent)
        seated.append(agent)
    return seated


def play(
    game: Game,
    agents: Sequence[Agent],
    seed: int,
    limits: Limits = NO_CLOCK,
    decisions: bool = False,
    voids: Counter[str] | None = None,
) -> PlayedGame:
    """Play one game. An agent that fails, moves illegally or exceeds its limits loses.

    With two players this ends the game. With more the others play on; random legal moves replace those of the failed
    player, which scores 0. If several fail, the first is named. `voids` counts by name how often an agent was asked
    when the game became void: see `play_block`.
    """
    voids = Counter() if voids is None else voids
    position, conduct = game.start(seed), offered(game, ActionFacts)
    own = [players_dice(seed, seat) for seat in range(len(agents))]

    def seen(player: int) -> View:
        return View.of(position, player, own[player])

    efforts, bank = [Effort() for _ in agents], [limits.bank for _ in agents]
    metrics: list[notes.Metrics] = [{} for _ in agents]
    start = position.text
    kept: list[dict[str, Any]] = []
    turns: list[Turn] = []
    failures: dict[int, tuple[AgentFailure, Position]] = {}
    with ExitStack() as seats:
        players = [seats.enter_context(agent.seated(dice)) for agent, dice in zip(agents, own, strict=True)]
        while actors := position.actors:
            taken: dict[int, Decision] = {}
            for player in actors:
                view = seen(player)
                try:
                    decision, seconds = _ask(players[player], view, position, limits)
                    bank[player] -= _over_time(seconds, limits.move, bank[player])
                except (AgentFailure, VoidGame) as failure:
                    failures[player] = _charged(failure, agents[player].name, voids), position
                    if len(agents) == 2:
                        break
                    players[player] = RandomAgent()
                    decision, seconds = players[player].decide(view), 0.0
                if decisions:
                    with suppress(Exception):  # a move counts even if its notes cannot be made
                        decision = players[player].annotate(decision, view)
                taken[player] = decision
                efforts[player] = efforts[player].plus(decision, seconds)
                notes.count(metrics[player], players[player].metrics, decision.notes)
                name = game.action_name(position.state, player, decision.action)
                told = decision.to_json() | {"seconds": seconds} if decisions else None
                turns.append(Turn(player, name, decision.action, thought(told) if told else ""))
                kept += [told] if told else []
            else:
                before, chosen = position, {player: one.action for player, one in taken.items()}
                position = before.play(chosen)
                for player, record in zip(taken, kept[-len(taken) :], strict=False):  # none, if they are not kept
                    said = taken[player].notes
                    observed = conduct.observed(game, before.state, chosen, player, said) if conduct else {}
                    record["hindsight"] = {**observed, **players[player].hindsight(taken[player], seen(player))}
                continue
            break
        for seat, one in enumerate(players):
            one.game_ended(seen(seat))
    others = position.outcome or (1.0,) * len(agents)
    failed, (first, failed_at) = next(iter(failures.items()), (-1, (None, position)))
    return PlayedGame(
        game=game.name,
        options=game.options(),
        seed=seed,
        agents=tuple(agent.spec for agent in agents),
        start=start,
        turns=tuple(turns),
        scores=tuple(0.0 if seat in failures else score for seat, score in enumerate(others)),
        reason=str(first) if first else game.ending(position.state),
        efforts=tuple(efforts),
        metrics=tuple(metrics),
        failed=failed,
        output=first.output if first else "",
        failed_at=failed_at.text if first else "",
        decisions=tuple(kept),
    )


def _charged(failure: AgentFailure | VoidGame, name: str, voids: Counter[str]) -> AgentFailure:
    """The failure that an agent loses by. Raise VoidGame if it is not to blame, or not yet."""
    if isinstance(failure, AgentFailure):
        return failure
    if failure.failure and voids[name] == MOST_VOIDS:
        return failure.failure
    voids[name] += 1
    raise failure


def _ask(agent: Agent, view: View, position: Position, limits: Limits) -> tuple[Decision, float]:
    """Ask for a decision. Return it with the seconds that count for the clock."""
    started, used = time.perf_counter(), time.thread_time()
    try:
        decision = agent.decide(view)
    except (AgentFailure, VoidGame):
        raise
    except MemoryError as error:
        if agent.sources and not isinstance(agent, GuestSession):
            raise AgentFailure(OUT_OF_MEMORY, str(error)) from error
        raise VoidGame("there is no memory") from error
    except EndlessLoop as error:
        raise AgentFailure(STALL, str(error)) from error
    except SparringError as error:
        raise AgentFailure(ILLEGAL, str(error)) from error
    except (Exception, SystemExit) as error:
        raise AgentFailure(CRASH, f"{type(error).__name__}: {error}") from error
    seconds = time.perf_counter() - started
    if isinstance(agent, GuestSession):
        seconds = agent.seconds
    elif agent.compiled and limits.move is not None and seconds > limits.move:
        seconds = min(seconds, time.thread_time() - used)  # this process was stopped, or waited for a processor
    if not position.game.is_legal(position.state, view.me, decision.action):
        raise AgentFailure(ILLEGAL, repr(decision.action))
    return decision, seconds


def _over_time(seconds: float, limit: float | None, bank: float) -> float:
    """The seconds that a move takes from the bank. Raise a timeout if the bank has less."""
    over = max(0.0, seconds - limit) if limit is not None else 0.0
    if over > bank and limit is not None:
        raise AgentFailure(TIMEOUT, f"{seconds * 1000:.3g} ms of {(limit + bank) * 1000:.3g}")
    return over


def thought(decision: dict[str, Any]) -> str:
    """The verdict and depth of a search, as a note of a move."""
    chosen = [one for one in decision["candidates"] if one["move"] == decision["move"]]
    if not (chosen and decision["depth"]):
        return ""
    return f"{chosen[0]['verdict']} d{decision['depth']}".strip()
