"""A whole game through the eyes of one agent: its score of every position, moves that gave the game away, and luck
apart from skill in games that can tell it."""

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sparring.agents.agent import Searcher, View
from sparring.agents.decision import Candidate, Decision
from sparring.core.dice import dice
from sparring.games.capabilities import Luck, offered
from sparring.games.contract import Position
from sparring.web import bodies
from sparring.web.agents import failing

if TYPE_CHECKING:
    from sparring.web.server import Server

Thoughts = dict[int, Decision]
"""What the agent would do in a position, for each player who is to act."""
SECONDS, LONGEST = 8.0, 0.1
"""For all positions of a game together, and for one; those that are not reached have no score."""


def evaluate(server: "Server", asked: bodies.EvaluationAsked) -> bodies.Evaluation:
    positions = server.replays.positions(asked)
    agent, own = server.agents.agent(positions[0].game, asked.agent), dice(asked.seed, "evaluation")
    until = math.inf
    share = min(LONGEST, SECONDS / sum(max(1, len(position.actors)) for position in positions))
    thoughts: list[Thoughts] = []
    with failing(agent), agent.seated(own) as player:
        for position in positions:
            late = time.monotonic() > until
            thoughts.append({} if late else _thoughts(player, position, own, share))
            until = min(until, time.monotonic() + SECONDS)  # what is compiled for the first does not count
    mirrored = isinstance(agent, Searcher) and positions[0].game.seats == 2
    return bodies.Evaluation(
        scores=[_prospects(one, positions[0].game.seats, mirrored) for one in thoughts],
        events=_blunders(asked, thoughts),
        luck=_luck(asked, positions),
    )


def _thoughts(player: Any, position: Position, own: Any, share: float) -> Thoughts:
    game = position.game
    seen = {me: Position(game, game.seen(position.state), own) for me in position.actors}
    return {me: player.decide(View(own_view, me, own, share)) for me, own_view in seen.items()}


def _prospects(thoughts: Thoughts, seats: int, mirrored: bool) -> list[bodies.Prospect | None] | None:
    """By player, of those who are to act; of two who search, what the one has gained the other has lost."""
    found: list[bodies.Prospect | None] = [None] * seats
    for me, decision in thoughts.items():
        chosen = decision.chosen
        found[me] = _prospect(chosen)
        if mirrored and len(thoughts) == 1 and chosen.score is not None:
            found[1 - me] = _prospect(replace(chosen, score=-chosen.score))
    return found if any(found) else None


def _prospect(chosen: Candidate) -> bodies.Prospect | None:
    if chosen.score is None:
        return None
    proven = bodies.End(**chosen.proven._asdict()) if chosen.proven else None
    return bodies.Prospect(score=chosen.score, verdict=chosen.verdict, proven=proven)


def _blunders(asked: bodies.Game, thoughts: list[Thoughts]) -> list[bodies.Blunder]:
    """Moves that the agent saw lose, though not all did, and moves that let go of a win that it saw. Nothing is said of
    moves that were only worse."""
    found = []
    for turn, (step, decisions) in enumerate(zip(asked.moves, thoughts, strict=False), 1):
        for player, decision in decisions.items():
            move, best = step[str(player)], decision.chosen
            played = next((c for c in decision.candidates if c.action == decision.position.action(move, player)), best)
            if (_sign(played) < 0 <= _sign(best)) or (_sign(played) <= 0 < _sign(best)):
                text = f"{move} {played.verdict}, {decision.name} {best.verdict}"
                found.append(bodies.Blunder(kind="blunder", text=text, turn=turn, player=player))
    return found


def _sign(candidate: Candidate) -> int:
    """1 for a win that the agent has seen, -1 for a loss, else 0. A move that is worth a win at best, for all that the
    agent knows, is given the benefit of the doubt."""
    return candidate.end.result if candidate.end else 0


def _luck(asked: bodies.Game, positions: list[Position]) -> bodies.Luckiness | None:
    game = positions[0].game
    measure = offered(game, Luck)
    if measure is None or len(positions) < 2:
        return None
    moves = [next(iter(step.items())) for step in asked.moves]
    actions = [position.action(move, int(mover)) for position, (mover, move) in zip(positions, moves, strict=False)]
    told = measure.luck(positions, actions)
    rows = zip(told.luck, told.skill, told.others, strict=True)
    players = [
        bodies.Luck(player=game.player_name(player), luck=lucky, skill=skill, others=others)
        for player, (lucky, skill, others) in enumerate(rows)
    ]
    return bodies.Luckiness(by=told.by, players=players)
