"""A whole game through the eyes of one agent: its score of every position, and in Ludo luck apart from skill."""

import math
import time
from typing import TYPE_CHECKING, Any

from sparring.agents.agent import Searcher, View
from sparring.dice import dice
from sparring.games.contract import Position
from sparring.serve.web import bodies
from sparring.serve.web.agents import failing

if TYPE_CHECKING:
    from sparring.serve.web.server import Server

SECONDS, LONGEST = 8.0, 0.1
"""For all positions of a game together, and for one; those that are not reached have no score."""


def evaluate(server: "Server", asked: bodies.EvaluationAsked) -> bodies.Evaluation:
    positions = server.replays.positions(asked)
    agent, own = server.agents.agent(positions[0].game, asked.agent), dice(asked.seed, "evaluation")
    until = math.inf
    share = min(LONGEST, SECONDS / sum(max(1, len(position.actors)) for position in positions))
    scores: list[list[float | None] | None] = []
    mirrored = isinstance(agent, Searcher) and positions[0].game.seats == 2
    with failing(agent), agent.seated(own) as player:
        for position in positions:
            late = time.monotonic() > until
            scores.append(None if late else _scores(player, position, own, share, mirrored))
            until = min(until, time.monotonic() + SECONDS)  # what is compiled for the first does not count
    return bodies.Evaluation(scores=scores, luck=_luck(asked, positions))


def _scores(player: Any, position: Position, own: Any, share: float, mirrored: bool) -> list[float | None] | None:
    """By player, of those who are to act; of two who search, what the one has gained the other has lost."""
    game = position.game
    found: list[float | None] = [None] * game.seats
    for me in position.actors:
        view = View(Position(game, game.seen_by(position.state, me), own), me, own, share)
        found[me] = player.decide(view).score
    if mirrored and len(position.actors) == 1:
        score = found[position.mover]
        found[1 - position.mover] = None if score is None else -score
    return found if any(score is not None for score in found) else None


def _luck(asked: bodies.Game, positions: list[Position]) -> bodies.Luckiness | None:
    game = positions[0].game
    if game.name != "ludo" or len(positions) < 2:
        return None
    from sparring.arena.luck import luck

    moves = [next(iter(step.items())) for step in asked.moves]
    actions = [position.action(move, int(mover)) for position, (mover, move) in zip(positions, moves, strict=False)]
    told = luck(positions, actions)
    rows = zip(told.luck, told.skill, told.others, strict=True)
    players = [
        bodies.Luck(player=game.player_name(player), luck=lucky, skill=skill, others=others)
        for player, (lucky, skill, others) in enumerate(rows)
    ]
    return bodies.Luckiness(by=told.by, players=players)
