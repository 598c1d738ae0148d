"""A round, piece by piece, as the rules noted it: what was commanded, planned and walked, and why it ended there.

Nothing is worked out again: cells, lengths, ticks and reasons are those of the round's record and of its events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sparring.core.kernel import record
from sparring.games.contract import Action, Game
from sparring.games.flagwar import rules
from sparring.games.flagwar.board import Point, point_of
from sparring.games.flagwar.events import (
    BOUNCED,
    CAUGHT,
    CLEARED,
    FLAG_RETURNED,
    FREED,
    HELD,
    SENT_HOME,
    TAKEN,
    Event,
    events_of,
)
from sparring.games.flagwar.places import on_board
from sparring.games.flagwar.state import DIRECTIONS, JAILED, SIDES, A, B, Round

STEPS = ((0, 1), (0, -1), (-1, 0), (1, 0))
"""The directions as steps, up being larger y."""
REASONS = {
    CAUGHT: "jailed by contact with {met} {place}, tick {tick}",
    HELD: "contact with {met} {place}, tick {tick}",
    BOUNCED: "bounced off {met}, tick {tick}",
    CLEARED: "put out of its zone",
    FREED: "freed",
    SENT_HOME: "reset",
}
"""Why a piece is where it is, by what has happened to it."""


class Track(NamedTuple):
    """One piece's way through a round."""

    side: int
    piece: int
    command: str  # `left 5`, or `stay`
    began: Point | None  # where it was before the round; None for the jailed, and so are all others up to `path`
    origin: Point | None  # where its path begins: rescuers have gone home by then
    intended: Point | None  # where the command leads, perhaps beyond the edge
    planned: Point | None  # as far as board and zone allow
    clipped: str  # why that is not as far as intended: `edge`, `own zone`, or nothing
    path: tuple[Point, ...]  # the cells that it was on, from the origin
    end: Point | None  # where it is after the round; of the jailed, where they were caught, if that is known
    in_jail: bool  # after the round
    jailed: int | None  # the tick in which it was caught, if that was in this round
    why: str  # it is there

    @property
    def name(self) -> str:
        return f"{SIDES[self.side]}{self.piece + 1}"

    def __str__(self) -> str:
        """`A2 left 5: planned (7,9) [own zone], actual (7,9), done`."""
        plan = f"planned {self.plan}, " if self.plan else ""
        return f"{self.name} {self.command}: {plan}actual {self.where}, {self.why}"

    @property
    def plan(self) -> str:
        """Where the path ends as it was planned, and what cuts it short."""
        return "" if self.planned is None else f"{said(self.planned)}{f' [{self.clipped}]' if self.clipped else ''}"

    @property
    def where(self) -> str:
        """Where it is after the round; X marks the jailed."""
        return f"{said(self.end)} X" if self.in_jail and self.end else said(self.end)

    def to_json(self) -> dict[str, Any]:
        return {**self._asdict(), "side": SIDES[self.side], "piece": self.piece + 1}


@dataclass(frozen=True)
class Account:
    """What became of a round."""

    before: Any
    after: Any
    tracks: tuple[Track, ...]
    events: tuple[Event, ...]

    def of(self, side: int) -> list[Track]:
        return [track for track in self.tracks if track.side == side]

    @property
    def happened(self) -> list[str]:
        """The events in words, and which zones they turn on and off."""
        zones = {TAKEN: "{enemy}'s zone is off", FLAG_RETURNED: "{side}'s zone is on"}
        told = []
        for event in self.events:
            told.append(str(event))
            if event.kind in zones:
                told.append(zones[event.kind].format(enemy=event.enemy, side=SIDES[event.side]))
        return told

    @property
    def caught(self) -> dict[tuple[int, int], Point]:
        """Where those who are jailed now were caught, by side and piece."""
        return {(one.side, one.piece): one.end for one in self.tracks if one.in_jail and one.end is not None}


def account(
    game: Game, state: Any, actions: Mapping[int, Action], caught: Mapping[tuple[int, int], Point] | None = None
) -> Account:
    """Play a round on a copy of a state. `caught` is where those were caught who are in jail already."""
    after, log = game.copy(state), record(Round)
    rules.play_round(after, actions[A], actions[B], log)
    events = events_of(log)
    walks = events[log.early :]
    tracks = [
        _track(after, log, side, piece, [e for e in walks if (e.side, e.piece) == (side, piece)], caught or {})
        for side in range(2)
        for piece in range(after.pieces)
    ]
    return Account(game.copy(state), after, tuple(tracks), tuple(events))


def _track(
    s: Any, log: Any, side: int, piece: int, events: Sequence[Event], caught: Mapping[tuple[int, int], Point]
) -> Track:
    """From the round's record and from what happened to a piece once paths were planned."""
    this = side, piece
    distance, step = int(log.distance[this]), STEPS[log.direction[this]]
    command = f"{DIRECTIONS[log.direction[this]]} {distance}" if distance else "stay"
    reasons = [
        REASONS[event.kind].format(met=event.met, place=event.place, tick=event.tick)
        for event in events
        if event.kind in REASONS
    ]
    jails = [event for event in events if event.kind == CAUGHT]
    in_jail = bool(s.at[this] == JAILED)
    held = point_of(jails[-1].cell) if jails else caught.get(this)
    end = held if in_jail else point_of(s.at[this])
    if log.began[this] == JAILED:
        why = "; ".join(["in jail", *reasons])
        return Track(side, piece, command, None, None, None, None, "", (), end, in_jail, None, why)
    origin, planned, walked = point_of(log.origin[this]), int(log.planned[this]), int(log.walked[this])
    beyond = log.origin[this] + (planned + 1) * rules.STEPS[log.direction[this]]
    clipped = "" if planned == distance else "own zone" if on_board(s, beyond) else "edge"
    if not any(event.kind in (CAUGHT, HELD, BOUNCED) for event in events):
        reasons.insert(0, "done" if distance else "stays")
    if log.began[this] != log.origin[this]:
        reasons.insert(0, f"reset to {said(origin)}")
    return Track(
        side,
        piece,
        command,
        point_of(log.began[this]),
        origin,
        along(origin, step, distance),
        along(origin, step, planned),
        clipped,
        tuple(along(origin, step, steps) for steps in range(walked + 1)),
        end,
        in_jail,
        jails[-1].tick if jails else None,
        "; ".join(reasons),
    )


def along(origin: Point, step: Point, steps: int) -> Point:
    return origin[0] + steps * step[0], origin[1] + steps * step[1]


def said(point: Point | None) -> str:
    return "jail" if point is None else f"({point[0]},{point[1]})"
