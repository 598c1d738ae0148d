"""Calls for games that are played or looked at: positions, expected lines, decisions, evaluations of whole games."""

import math
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sparring.agents.agent import Agent, TreeSearchAgent, View
from sparring.agents.decision import Candidate, Decision
from sparring.agents.spec import example, heuristics, named_agents
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.capabilities import LuckMeasure, PieceCommands, ShownDie, Solver, needed, offered
from sparring.games.contract import Game, NotableEvent, Position
from sparring.games.lookahead import lookahead
from sparring.games.replay import Step
from sparring.web import bodies
from sparring.web.agents import agent_errors
from sparring.web.workspace import Thinker, Workspace

MAX_CANDIDATES, MAX_CHOICES = 200, 12
SOLVER_SECONDS = 0.5
"""Time of a solver for a position."""
LONGEST = 20.0
"""Seconds for an agent with a budget of its own, even if the budget allows more."""
EVALUATION_SECONDS, LONGEST_POSITION = 8.0, 0.1
"""Time for all positions of a game, and for one of them. Positions that are not reached have no score."""

Decisions = dict[int, Decision]
"""The decisions of an agent in a position, by the players who are to act."""


def games(server: Workspace) -> list[bodies.GameInfoBody]:
    """List the games, their options and their agents."""
    return [_info(game) for game in registry.working()]


def _info(game: Game) -> bodies.GameInfoBody:
    about = (sys.modules[type(game).__module__].__doc__ or "").partition("\n")[0]
    agents = named_agents(game) | {name: found.description for name, found in heuristics(game).items()}
    return bodies.GameInfoBody(
        name=game.name,
        title=game.title or game.name.capitalize(),
        about=about.partition(": ")[2],
        simultaneous=game.kind.simultaneous,
        chance=game.kind.chance,
        players=game.kind.players,
        seats=game.seats,
        player_names=[game.player_name(player) for player in range(game.kind.players[1])],
        options=[_option(game, name, value) for name, value in game.options().items()],
        agents=[bodies.AgentBody(spec=spec, about=about) for spec, about in agents.items()],
        best=example(game).split()[0],
        exact=offered(game, Solver) is not None,
    )


def _option(game: Game, name: str, default: str) -> bodies.OptionBody:
    values, (least, most) = game.words.get(name), game.numbers.get(name, (None, None))
    about = None if values else f"such as {default}" if least is None else f"a number from {least} to {most}"
    return bodies.OptionBody(
        name=name, default=default, values=list(values) if values else None, about=about, least=least, most=most
    )


# Positions


def frames(server: Workspace, request: bodies.FramesRequest) -> bodies.FramesBody:
    """Return positions of a game, and the choices in its last position."""
    steps = server.replays.steps(request)
    total = len(steps)
    last = total - 1 if request.last is None else min(request.last, total - 1)
    first = request.first or 0
    position = steps[-1].position
    game = position.game
    return bodies.FramesBody(
        total=total,
        frames=[frame(steps, turn) for turn in range(first, min(last, first + bodies.MAX_FRAMES - 1) + 1)],
        players=[
            bodies.PlayerBody(name=game.player_name(player), colour=game.colour(position.state, player))
            for player in range(game.seats)
        ],
        choices={
            str(player): [bodies.ChoiceBody.model_validate(one) for one in game.touch_targets(position.state, player)]
            for player in position.actors
        },
        joined=offered(game, PieceCommands) is not None,
    )


def frame(steps: Sequence[Step], turn: int) -> bodies.FrameBody:
    """Return a position as the page shows it. The end of the game is one of the events."""
    position = steps[turn].position
    game, state = position.game, position.state
    ending = game.ending(state) if position.over else ""
    events = [NotableEvent("end", ending)] if ending else []
    if turn:
        before = steps[turn - 1]
        events = [*game.happened(before.position.state, before.actions, state), *events]
    return bodies.FrameBody(
        turn=turn,
        svg=game.svg(state),
        text=position.text,
        actors=list(position.actors),
        outcome=None if position.outcome is None else list(position.outcome),
        ending=ending,
        events=[bodies.EventBody.model_validate(one) for one in events],
        dice=shown.die(state) if (shown := offered(game, ShownDie)) else None,
    )


def line(server: Workspace, request: bodies.LineRequest) -> list[bodies.LinePositionBody]:
    """Return the boards along a line that an agent expects. Chance does not change them."""
    position = server.replays.positions(request)[-1]
    game, boards, ahead = position.game, [], lookahead(position.game)
    node = ahead.root(position.state, request.player) if ahead else None
    for name in request.line:
        action = None if ahead is None or ahead.ended(node) else ahead.named(node, name)
        if ahead is None or action is None:
            raise SparringError(f"{name} is not a move of a line here; send the line of a candidate unchanged")
        node = ahead.after(node, action)
        state = ahead.position(node)
        boards.append(bodies.LinePositionBody(move=name, svg=game.svg(state), text=game.text(state)))
    return boards


# Decisions


def decide(server: Thinker, request: bodies.DecisionRequest) -> bodies.DecisionBody:
    """Return the decision of an agent, and its reasons."""
    position = server.replays.positions(request)[-1]
    if request.player not in position.actors:
        acting = ", ".join(map(str, position.actors))
        raise SparringError(f"player {request.player} is not to move here; {acting or 'nobody'} is")
    game, own = position.game, dice(request.seed, request.player, len(request.moves))
    agent = server.agents.get(game, request.agent)
    view = replace(View.of(position, request.player, own), seconds=_seconds(agent, request))
    if request.why_not is not None:
        position.action(request.why_not, request.player)  # refuses an illegal move
    with agent_errors(agent), agent.seated(own) as player:
        explained = request.explain or request.why_not is not None
        decision = player.explain(view) if explained else player.decide(view)
    return _decision(decision, request)


def _seconds(agent: Agent, request: bodies.DecisionRequest) -> float | None:
    """Return the time for a move: the time in the request, else the agent's own budget, up to a limit."""
    if request.seconds is not None:
        return request.seconds
    budget = getattr(agent, "budget", None)
    return LONGEST if agent.timed or not getattr(budget, "assumed", True) else None


def _decision(decision: Decision, request: bodies.DecisionRequest) -> bodies.DecisionBody:
    fields, chosen = decision.to_json(), decision.chosen
    chances = decision.mix.chances if decision.mix else {}
    ranked = zip(decision.ranked[:MAX_CANDIDATES], fields["candidates"], strict=False)
    candidates = [one | {"chance": chances.get(candidate.action)} for candidate, one in ranked]
    fields |= {"score": chosen.score, "verdict": chosen.verdict, "candidates": candidates}
    fields["svg"] = decision.svg()
    if request.why_not is not None:
        fields["why_not"] = decision.why_not(request.why_not)
    if request.explain:
        fields |= {"matrix": _matrix(decision), "solver": _solver_verdicts(decision)}
    return bodies.DecisionBody.model_validate(fields)


def _matrix(decision: Decision) -> bodies.MatrixBody | None:
    """Return the payoffs of the likeliest choices of both sides."""
    if decision.mix is None:
        return None
    mixes, (rows, columns) = decision.mix.game, decision.mix.likeliest(MAX_CHOICES)
    name = decision.position.game.action_name
    state, me = decision.position.state, decision.player
    return bodies.MatrixBody(
        rows=[name(state, me, decision.mix.own[row]) for row in rows],
        columns=[name(state, 1 - me, decision.mix.others[column]) for column in columns],
        payoffs=mixes.payoffs[rows][:, columns].tolist(),
        row_chances=mixes.rows[rows].tolist(),
        column_chances=mixes.columns[columns].tolist(),
    )


def _solver_verdicts(decision: Decision) -> dict[str, str] | None:
    """Return the exact value of each move, if there is a solver and it is quick."""
    position = decision.position
    try:
        found = needed(position.game, Solver).verdicts(position, SOLVER_SECONDS)
    except SparringError:
        return None
    return {position.name(action): verdict for action, verdict in found.items()} or None


# Evaluations


def evaluate(server: Thinker, request: bodies.EvaluationRequest) -> bodies.EvaluationBody:
    """Return an agent's score of every position of a game, the blunders it sees, and luck apart from skill."""
    positions = server.replays.positions(request)
    agent, own = server.agents.get(positions[0].game, request.agent), dice(request.seed, "evaluation")
    seats, deadline = positions[0].game.seats, math.inf
    share = min(LONGEST_POSITION, EVALUATION_SECONDS / sum(max(1, len(position.actors)) for position in positions))
    decisions: list[Decisions] = []
    with agent_errors(agent), agent.seated(own) as player:
        for position in positions:
            decisions.append({} if time.monotonic() > deadline else _decisions_in(player, position, own, share))
            deadline = min(
                deadline, time.monotonic() + EVALUATION_SECONDS
            )  # compiling for the first position does not count
    mirrored = isinstance(agent, TreeSearchAgent) and seats == 2
    return bodies.EvaluationBody(
        scores=[_prospects(one, seats, mirrored) for one in decisions],
        events=_blunders(request, decisions),
        luck=_luck(request, positions),
    )


def _decisions_in(agent: Agent, position: Position, own: Any, seconds: float) -> Decisions:
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
