"""Calls for games that are played or looked at: which games there are, positions, expected lines, decisions."""

import sys
from collections.abc import Sequence
from dataclasses import replace

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.agents.spec import example, heuristics, named_agents
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.games import registry
from sparring.games.capabilities import PieceCommands, ShownDie, Solver, needed, offered
from sparring.games.contract import Game, NotableEvent
from sparring.games.lookahead import lookahead
from sparring.games.replay import Step
from sparring.web import bodies
from sparring.web.agents import agent_errors
from sparring.web.server import Server

MAX_CANDIDATES, MAX_CHOICES = 200, 12
SOLVER_SECONDS = 0.5
"""Time of a solver for a position."""
LONGEST = 20.0
"""Seconds for an agent with a budget of its own, even if the budget allows more."""


def games(server: Server) -> list[bodies.GameInfoBody]:
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


def frames(server: Server, request: bodies.FramesRequest) -> bodies.FramesBody:
    """Return positions of a game, and the choices in its last position."""
    steps = server.replays.steps(request)
    total = len(steps)
    last = total - 1 if request.last is None else min(request.last, total - 1)
    first = request.first or 0
    position = steps[-1].position
    game = position.game
    choosing = [player for player in position.actors if request.player in (None, player)]
    return bodies.FramesBody(
        total=total,
        frames=[frame(steps, turn) for turn in range(first, min(last, first + bodies.MAX_FRAMES - 1) + 1)],
        players=[
            bodies.PlayerBody(name=game.player_name(player), colour=game.colour(position.state, player))
            for player in range(game.seats)
        ],
        choices={
            str(player): [bodies.ChoiceBody.model_validate(one) for one in game.touch_targets(position.state, player)]
            for player in choosing
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


def line(server: Server, request: bodies.LineRequest) -> list[bodies.LinePositionBody]:
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


def decide(server: Server, request: bodies.DecisionRequest) -> bodies.DecisionBody:
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
    fields["svg"] = decision._repr_svg_()
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
