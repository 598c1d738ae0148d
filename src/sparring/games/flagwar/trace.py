"""A round, piece by piece: the command, the planned and the walked path, and why it ended there.

Nothing is computed a second time: cells, lengths, ticks and reasons come from the record of the round and its events.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparring.games.contract import Action, Game
from sparring.games.flagwar import events, rules
from sparring.games.flagwar.events import Event, events_of
from sparring.games.flagwar.facts import played
from sparring.games.flagwar.geometry import Point, on_board, point_name, point_of
from sparring.games.flagwar.state import DIRECTIONS, JAILED, SIDES, A, B

STEPS = ((0, 1), (0, -1), (-1, 0), (1, 0))  # the directions as steps; up is larger y
CONTACTS = {
    events.CAUGHT: "jailed by contact with {other} {place}, tick {tick}",
    events.HELD: "contact with {other} {place}, tick {tick}",
    events.BOUNCED: "bounced off {other}, tick {tick}",
}
REASONS = {
    **CONTACTS,
    events.CLEARED: "put out of its zone",
    events.FREED: "freed",
    events.SENT_HOME: "reset",
}
"""The reason why a piece is where it is, by its events."""
ZONES = {events.TAKEN: "{enemy}'s zone is off", events.FLAG_RETURNED: "{side}'s zone is on"}


class PieceTrace(NamedTuple):
    """One piece's way through a round. Pieces that begin in jail have no path."""

    side: int
    piece: int
    command: str  # `left 5`, or `stay`
    end: Point | None  # the cell after the round; of jailed pieces, where they were caught, if known
    in_jail: bool  # after the round
    why: str  # the reason for its end
    jailed: int | None = None  # the tick in which it was caught in this round
    began: Point | None = None  # the cell before the round
    origin: Point | None = None  # where the path begins: rescuers have gone home by then
    intended: Point | None = None  # where the command leads, perhaps beyond the edge
    planned: Point | None = None  # as far as board and zone allow
    clipped: str = ""  # why that is not as far as intended: `edge`, `own zone`, or empty
    path: tuple[Point, ...] = ()  # the cells of the walk, from the origin

    @property
    def name(self) -> str:
        return f"{SIDES[self.side]}{self.piece + 1}"

    def __str__(self) -> str:
        """`A2 left 5: planned (7,9) [own zone], actual (7,9), done`."""
        plan = f"planned {self.plan}, " if self.plan else ""
        return f"{self.name} {self.command}: {plan}actual {self.where}, {self.why}"

    @property
    def plan(self) -> str:
        """The end of the planned path, and what cuts it short."""
        return "" if self.planned is None else point_name(self.planned) + (f" [{self.clipped}]" if self.clipped else "")

    @property
    def where(self) -> str:
        """The cell after the round; X marks jailed pieces."""
        return f"{point_name(self.end)} X" if self.in_jail and self.end else point_name(self.end)

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "side": SIDES[self.side], "piece": self.piece + 1}


@dataclass(frozen=True)
class RoundTrace:
    """A round: the states before and after it, all pieces and all events."""

    before: Any
    after: Any
    pieces: tuple[PieceTrace, ...]
    events: tuple[Event, ...]

    @property
    def happened(self) -> list[str]:
        """The events in words, and which zones they turn on and off."""
        told = []
        for event in self.events:
            told.append(str(event))
            if event.kind in ZONES:
                told.append(event.told(ZONES[event.kind]))
        return told

    @property
    def caught(self) -> dict[tuple[int, int], Point]:
        """The cells where jailed pieces were caught, by side and piece."""
        return {(one.side, one.piece): one.end for one in self.pieces if one.in_jail and one.end is not None}


def trace_round(
    game: Game, state: Any, actions: Mapping[int, Action], caught: Mapping[tuple[int, int], Point] | None = None
) -> RoundTrace:
    """Play a round on a copy of a state. `caught` is where the pieces in jail were caught."""
    after, log = played(state, A, actions[A], actions[B])
    pieces = [_trace(after, log, side, piece, caught or {}) for side in range(2) for piece in range(after.pieces)]
    return RoundTrace(game.copy(state), after, tuple(pieces), tuple(events_of(log)))


def _trace(s: Any, log: Any, side: int, piece: int, caught: Mapping[tuple[int, int], Point]) -> PieceTrace:
    """The trace of a piece, from the round's record and the piece's events after paths were planned."""
    this = side, piece
    found = [event for event in events_of(log)[log.events_before_walk :] if (event.side, event.piece) == this]
    way, distance, jailed = log.direction[this], int(log.distance[this]), bool(s.at[this] == JAILED)
    reasons = [event.told(REASONS[event.kind]) for event in found if event.kind in REASONS]
    jailings = [event for event in found if event.kind == events.CAUGHT]
    place = point_of(jailings[-1].cell) if jailings else caught.get(this)
    end, command = place if jailed else point_of(s.at[this]), f"{DIRECTIONS[way]} {distance}" if distance else "stay"
    if log.start[this] == JAILED:
        return PieceTrace(side, piece, command, end, jailed, "; ".join(["in jail", *reasons]))
    origin, planned, walked = point_of(log.origin[this]), int(log.planned[this]), int(log.walked[this])
    beyond = log.origin[this] + (planned + 1) * rules.STEPS[way]
    if not any(event.kind in CONTACTS for event in found):
        reasons.insert(0, "done" if distance else "stays")
    if log.start[this] != log.origin[this]:
        reasons.insert(0, f"reset to {point_name(origin)}")
    return PieceTrace(
        side,
        piece,
        command,
        end,
        jailed,
        "; ".join(reasons),
        jailed=jailings[-1].tick if jailings else None,
        began=point_of(log.start[this]),
        origin=origin,
        intended=along(origin, STEPS[way], distance),
        planned=along(origin, STEPS[way], planned),
        clipped="" if planned == distance else "own zone" if on_board(s, beyond) else "edge",
        path=tuple(along(origin, STEPS[way], steps) for steps in range(walked + 1)),
    )


def along(origin: Point, step: Point, steps: int) -> Point:
    return origin[0] + steps * step[0], origin[1] + steps * step[1]
