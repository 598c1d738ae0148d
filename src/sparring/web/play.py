"""Games being played: replayed from their moves, drawn, and asked about. What is kept of them only saves time."""

from typing import TYPE_CHECKING, Any

from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.core.dice import dice
from sparring.core.errors import SparringError
from sparring.games.capabilities import Solver, needed
from sparring.games.contract import Position
from sparring.games.lookahead import lookahead
from sparring.games.replay import Step, replay
from sparring.web import bodies
from sparring.web.agents import failing
from sparring.web.recent import Recent
from sparring.web.shelf import set_up

if TYPE_CHECKING:
    from sparring.web.server import Server

REMEMBERED, OVERHEAD = 128 << 20, 1 << 10
"""Bytes of positions that are kept for whoever asks for the next move of the same game, and what each takes besides its
state."""
MOST_CANDIDATES, MOST_CHOICES = 200, 12
SOLVING = 0.5
"""Seconds to find out what is true of a position."""
LONGEST = 20.0
"""Seconds for an agent with a budget of its own, however large that is."""


Kept = tuple[list[dict[str, str]], list[Step]]
"""The moves of a game, and its steps."""


class Replays:
    """Games played again. Of a game that goes on, or is looked at from an earlier move, only what differs is played."""

    def __init__(self) -> None:
        self._kept: Recent[Any, Kept] = Recent(REMEMBERED, _size)

    def positions(self, asked: bodies.Game) -> list[Position]:
        return [step.position for step in self.steps(asked)]

    def steps(self, asked: bodies.Game) -> list[Step]:
        key = asked.game, tuple(sorted(asked.options.items())), asked.seed, asked.start
        known, passed = self._kept.get(key) or ([], [])
        same = 0
        while same < min(len(known), len(asked.moves)) and known[same] == asked.moves[same]:
            same += 1
        start = passed[same].position if passed else set_up(asked).start(asked.seed, asked.start)
        left = [{int(player): move for player, move in step.items()} for step in asked.moves[same:]]
        steps = [*passed[:same], *replay(start, left, first=same + 1)]
        self._kept.keep(key, (asked.moves, steps))
        return steps


def _size(kept: Kept) -> int:
    _, steps = kept
    return len(steps) * (steps[0].position.game.state.itemsize + OVERHEAD)


# Frames


def frames(server: "Server", asked: bodies.FramesAsked) -> bodies.Frames:
    steps = server.replays.steps(asked)
    total = len(steps)
    last = total - 1 if asked.last is None else min(asked.last, total - 1)
    first = asked.first or 0
    shown = range(first, min(last, first + bodies.MOST_FRAMES - 1) + 1)
    end = steps[-1].position
    game = end.game
    choosing = [player for player in end.actors if asked.player in (None, player)]
    return bodies.Frames(
        total=total,
        frames=[_frame(steps, turn) for turn in shown],
        players=[
            bodies.Seated(name=game.player_name(player), colour=game.colour(end.state, player))
            for player in range(game.seats)
        ],
        choices={str(player): choices(end, player) for player in choosing},
        joined=game.joins,
    )


def _frame(steps: list[Step], turn: int) -> bodies.Frame:
    position, events = steps[turn].position, []
    if turn:
        before = steps[turn - 1]
        events = position.game.happened(before.position.state, before.actions, position.state)
    return frame(position, turn, [bodies.Happened(kind=one.kind, text=one.text) for one in events])


def frame(position: Position, turn: int, events: list[bodies.Happened]) -> bodies.Frame:
    """A position as it is shown, its end among the events that led to it."""
    game, state = position.game, position.state
    ending = game.ending(state) if position.over else ""
    return bodies.Frame(
        turn=turn,
        svg=game.svg(state),
        text=position.text,
        actors=list(position.actors),
        outcome=None if position.outcome is None else list(position.outcome),
        ending=ending,
        events=[*events, *([bodies.Happened(kind="end", text=ending)] if ending else [])],
        dice=game.die(state),
    )


def choices(position: Position, player: int) -> list[bodies.Choice]:
    return [
        bodies.Choice(move=one.move, at=one.at, label=one.label, piece=one.piece or None, held=one.held)
        for one in position.game.touches(position.state, player)
    ]


def line(server: "Server", asked: bodies.LineAsked) -> bodies.Line:
    """The boards along a line that somebody expects, in which nothing is left to chance."""
    position = server.replays.positions(asked)[-1]
    game, shown, ahead = position.game, [], lookahead(position.game)
    node = ahead.root(position.state, asked.player) if ahead else None
    for name in asked.line:
        action = None if ahead is None or ahead.ended(node) else ahead.named(node, name)
        if ahead is None or action is None:
            raise SparringError(f"{name} is no move of a line here; send a candidate's line as it was told")
        node = ahead.after(node, action)
        state = ahead.position(node)
        shown.append(bodies.Ahead(move=name, svg=game.svg(state), text=game.text(state)))
    return bodies.Line(frames=shown)


# Decisions


def decide(server: "Server", asked: bodies.DecisionAsked) -> bodies.Decided:
    position = server.replays.positions(asked)[-1]
    if asked.player not in position.actors:
        acting = ", ".join(map(str, position.actors))
        raise SparringError(f"player {asked.player} is not to move here; {acting or 'nobody'} is")
    game = position.game
    agent = server.agents.agent(game, asked.agent)
    own = dice(asked.seed, asked.player, len(asked.moves))
    seen = Position(game, game.seen(position.state), own)
    view = View(seen, asked.player, own, _seconds(agent, asked))
    why = asked.explain or asked.why_not is not None
    if asked.why_not is not None:
        seen.action(asked.why_not, asked.player)
    with failing(agent), agent.seated(own) as player:
        decision = player.explain(view) if why else player.decide(view)
    return _told(decision, asked)


def _seconds(agent: Agent, asked: bodies.DecisionAsked) -> float | None:
    """What an agent has for its move: what is asked for; else its own budget says, but not for ever."""
    if asked.seconds is not None:
        return asked.seconds
    budget = getattr(agent, "budget", None)
    return LONGEST if agent.timed or not getattr(budget, "assumed", True) else None


def _told(decision: Decision, asked: bodies.DecisionAsked) -> bodies.Decided:
    told, chosen = decision.to_json(), decision.chosen
    chances = decision.mix.chances if decision.mix else {}
    return bodies.Decided(
        **{name: told[name] for name in ("move", "agent", "depth", "nodes", "seconds", "weights", "notes")},
        score=chosen.score,
        verdict=chosen.verdict,
        candidates=[
            bodies.Candidate(**one, chance=chances.get(candidate.action))
            for candidate, one in zip(decision.ranked[:MOST_CANDIDATES], told["candidates"], strict=False)
        ],
        svg=decision._repr_svg_(),
        why_not=None if asked.why_not is None else decision.why_not(asked.why_not),
        matrix=_matrix(decision) if asked.explain else None,
        solver=_solved(decision) if asked.explain else None,
    )


def _matrix(decision: Decision) -> bodies.Matrix | None:
    """The likeliest choices of both sides."""
    if decision.mix is None:
        return None
    mixes, (rows, columns) = decision.mix.game, decision.mix.likeliest(MOST_CHOICES)
    name = decision.position.game.action_name
    state, me = decision.position.state, decision.player
    return bodies.Matrix(
        rows=[name(state, me, decision.mix.own[row]) for row in rows],
        columns=[name(state, 1 - me, decision.mix.others[column]) for column in columns],
        payoffs=mixes.payoffs[rows][:, columns].tolist(),
        row_chances=mixes.rows[rows].tolist(),
        column_chances=mixes.columns[columns].tolist(),
    )


def _solved(decision: Decision) -> bodies.Solved | None:
    """What is known for certain, where there is a solver and it is quick."""
    position = decision.position
    try:
        found = needed(position.game, Solver).verdicts(position, SOLVING)
    except SparringError:
        return None
    named = {position.name(action): verdict for action, verdict in found.items()}
    return bodies.Solved(verdicts=named) if named else None
