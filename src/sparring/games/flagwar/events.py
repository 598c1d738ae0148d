"""Events of a round: numbers that the rules write, and sentences for people."""

from typing import Any, NamedTuple

from sparring.core.kernel import cold, kernel
from sparring.games.flagwar.geometry import point_name, point_of
from sparring.games.flagwar.state import NOBODY, ON_A_CELL, SIDES, constants

(
    SENT_HOME,  # a rescuer goes to its start cell
    FLAG_RETURNED,  # the flag of `side` is at home again, and its zone active
    CLEARED,  # a piece is put out of its own zone, onto its start cell
    CAUGHT,  # a piece is jailed, by piece `other` of the other side
    HELD,  # a piece survives a contact with `other` and stops
    BOUNCED,  # a piece goes back to the cell it came from, because it changed places with `other`
    TAKEN,  # a piece takes the enemy flag; its zone is off
    SCORED,  # a piece has brought the enemy flag home
    RESCUED,  # a piece uses its side's key
    FREED,  # a piece comes out of jail onto its start cell
    ENDED,  # the game is over; `side` has won, or NOBODY
) = constants(*range(11))
(NOT_IN_THE_WALK,) = constants(0)

SENTENCES = (
    "{piece} goes home to {cell}",
    "{side}'s flag is at home again",
    "{piece} leaves its zone for {cell}",
    "{piece} is jailed by {other} {place}, tick {tick}",
    "{piece} stops at {cell} after its contact with {other}, tick {tick}",
    "{piece} bounces back to {cell}, tick {tick}",
    "{piece} takes {enemy}'s flag at {cell}",
    "{piece} brings {enemy}'s flag home to {cell}",
    "{piece} uses {side}'s key at {cell}",
    "{piece} is freed and stands at {cell}",
    "{verdict}",
)
KINDS = {CAUGHT: "capture", **dict.fromkeys((TAKEN, SCORED, FLAG_RETURNED), "flag")}
KINDS |= dict.fromkeys((RESCUED, FREED), "rescue")
"""The kinds of notable events."""


class Event(NamedTuple):
    """One event. Fields that do not apply are NOBODY. After a crossing, the cell is where the piece came from."""

    kind: int
    tick: int
    side: int
    piece: int
    cell: int
    other: int
    crossing: int

    def __str__(self) -> str:
        return self.told(SENTENCES[self.kind])

    def told(self, template: str) -> str:
        """The event in the words of a template such as `{piece} is jailed by {other}`."""
        side, enemy = ("", "") if self.side == NOBODY else (SIDES[self.side], SIDES[1 - self.side])
        cell = point_name(point_of(self.cell))
        return template.format(
            side=side,
            enemy=enemy,
            piece=f"{side}{self.piece + 1}",
            other=f"{enemy}{self.other + 1}",
            cell=cell,
            place=f"{'in crossing from' if self.crossing else 'at'} {cell}",
            tick=self.tick,
            verdict=f"{side} has won" if side else "a draw",
        )


@kernel
def note(log: Any, kind: int, side: int, piece: int, cell: int) -> None:
    """Write an event outside the walk."""
    note_contact(log, kind, NOT_IN_THE_WALK, side, piece, cell, NOBODY, ON_A_CELL)


@cold
def note_contact(log: Any, kind: int, tick: int, side: int, piece: int, cell: int, other: int, crossing: int) -> None:
    log.events[log.event_count, :] = (kind, tick, side, piece, cell, other, crossing)
    log.event_count += 1


def events_of(log: Any) -> list[Event]:
    """The events of a round's record, in order."""
    return [Event(*event) for event in log.events[: log.event_count].tolist()]
