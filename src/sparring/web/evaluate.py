"""A whole game as one agent sees it: a score of each position, blunders, and, if the game can tell it, luck."""

import math
import time
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, TreeSearchAgent, View
from sparring.agents.decision import Candidate, Decision
from sparring.core.dice import dice
from sparring.games.capabilities import LuckMeasure, offered
from sparring.games.contract import Position
from sparring.web import bodies
from sparring.web.agents import agent_errors
from sparring.web.server import Server

SECONDS = 8.0
"""Time for all positions of a game. Positions that are not reached have no score."""
LONGEST = 0.1
"""Seconds for one position."""

Decisions = dict[int, Decision]
"""The decisions of an agent in a position, by the players who are to act."""


def evaluate(server: Server, request: bodies.EvaluationRequest) -> bodies.EvaluationBody:
    """Return an agent's score of every position of a game, the blunders it sees, and luck apart from skill."""
    positions = server.replays.positions(request)
    agent, own = server.agents.get(positions[0].game, request.agent), dice(request.seed, "evaluation")
    seats, deadline = positions[0].game.seats, math.inf
    share = min(LONGEST, SECONDS / sum(max(1, len(position.actors)) for position in positions))
    decisions: list[Decisions] = []
    with agent_errors(agent), agent.seated(own) as player:
        for position in positions:
            decisions.append({} if time.monotonic() > deadline else _decisions(player, position, own, share))
            deadline = min(deadline, time.monotonic() + SECONDS)  # compiling for the first position does not count
    mirrored = isinstance(agent, TreeSearchAgent) and seats == 2
    return bodies.EvaluationBody(
        scores=[_prospects(one, seats, mirrored) for one in decisions],
        events=_blunders(request, decisions),
        luck=_luck(request, positions),
    )


def _decisions(agent: Agent, position: Position, own: Any, seconds: float) -> Decisions:
    views = [replace(View.of(position, player, own), seconds=seconds) for player in position.actors]
    return {view.me: agent.decide(view) for view in views}


def _prospects(decisions: Decisions, seats: int, mirrored: bool) -> list[bodies.ProspectBody | None] | None:
    """Return the prospects by player. Where a tree search evaluates for two players, the score of the other player is
    the negative score."""
    prospects: list[bodies.ProspectBody | None] = [None] * seats
    for me, decision in decisions.items():
        chosen = decision.chosen
        if chosen.score is None:
            continue
        prospects[me] = bodies.ProspectBody.model_validate(chosen)
        if mirrored and len(decisions) == 1:
            prospects[1 - me] = bodies.ProspectBody.model_validate(replace(chosen, score=-chosen.score))
    return prospects if any(prospects) else None


def _blunders(request: bodies.GameRequest, decisions: list[Decisions]) -> list[bodies.BlunderBody]:
    """Return the moves that lost although another move did not, or gave up a win."""
    found = []
    for turn, (step, chosen) in enumerate(zip(request.moves, decisions, strict=False), 1):
        for player, decision in chosen.items():
            move, best = step[str(player)], decision.chosen
            action = decision.position.action(move, player)
            played = next((one for one in decision.candidates if one.action == action), best)
            if (_result(played) < 0 <= _result(best)) or (_result(played) <= 0 < _result(best)):
                text = f"{move} {played.verdict}, {decision.name} {best.verdict}"
                found.append(bodies.BlunderBody(kind="blunder", text=text, turn=turn, player=player))
    return found


def _result(candidate: Candidate) -> int:
    """Return 1 for a win that the agent has seen, -1 for a loss, else 0. A move that may still win counts as a win."""
    return candidate.end.result if candidate.end else 0


def _luck(request: bodies.GameRequest, positions: list[Position]) -> bodies.LuckBody | None:
    game = positions[0].game
    measure = offered(game, LuckMeasure)
    if measure is None or len(positions) < 2:
        return None
    moves = [next(iter(step.items())) for step in request.moves]
    actions = [position.action(move, int(mover)) for position, (mover, move) in zip(positions, moves, strict=False)]
    found = measure.luck(positions, actions)
    rows = enumerate(zip(found.luck, found.skill, found.others, strict=True))
    players = [
        bodies.PlayerLuckBody(player=game.player_name(player), luck=luck, skill=skill, others=others)
        for player, (luck, skill, others) in rows
    ]
    return bodies.LuckBody(by=found.by, players=players)
