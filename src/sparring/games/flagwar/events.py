"""What happens in a round: as the rules note it, number by number, and as people read it."""

from typing import Any, NamedTuple

from sparring.core.kernel import cold, kernel
from sparring.games.flagwar.places import column, row
from sparring.games.flagwar.state import NOBODY, ON_A_CELL, SIDES, constants

(
    SENT_HOME,  # a rescuer goes to its start cell
    FLAG_RETURNED,  # the flag of `side` is at home again, and its zone active
    CLEARED,  # a piece is put out of its own zone, onto its start cell
    CAUGHT,  # a piece is jailed, by piece `other` of the other side
    HELD,  # a piece survives a contact with `other` and goes no further
    BOUNCED,  # a piece goes back to where it came from, because `other` came the opposite way
    TAKEN,  # a piece takes the other side's flag; its zone is off
    SCORED,  # a piece has brought the other side's flag home
    RESCUED,  # a piece uses its side's key
    FREED,  # a piece comes out of jail onto its start cell
    ENDED,  # the game is over; `side` has won, or NOBODY
) = constants(*range(11))

(NOT_IN_THE_WALK,) = constants(0)
TOLD = (
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

KINDS = {
    CAUGHT: "capture",
    TAKEN: "flag",
    SCORED: "flag",
    FLAG_RETURNED: "flag",
    RESCUED: "rescue",
    FREED: "rescue",
}
"""Those that are worth a look, in a word."""


class Event(NamedTuple):
    """One thing that happened; what does not apply is NOBODY. Of a contact the cell is where it was, or, of a crossing,
    where the piece came from."""

    kind: int
    tick: int
    side: int
    piece: int
    cell: int
    other: int
    crossing: int

    def __str__(self) -> str:
        side = "" if self.side == NOBODY else SIDES[self.side]
        return TOLD[self.kind].format(
            side=side,
            enemy=self.enemy,
            piece=f"{side}{self.piece + 1}",
            other=self.met,
            cell=point(self.cell),
            place=self.place,
            tick=self.tick,
            verdict=f"{side} has won" if side else "a draw",
        )

    @property
    def enemy(self) -> str:
        return "" if self.side == NOBODY else SIDES[1 - self.side]

    @property
    def met(self) -> str:
        """Whom a piece has met."""
        return f"{self.enemy}{self.other + 1}"

    @property
    def place(self) -> str:
        """Of a contact."""
        return f"{'in crossing from' if self.crossing else 'at'} {point(self.cell)}"


@kernel
def note(log: Any, kind: int, side: int, piece: int, cell: int) -> None:
    """What happens when nobody walks."""
    note_contact(log, kind, NOT_IN_THE_WALK, side, piece, cell, NOBODY, ON_A_CELL)


@cold
def note_contact(log: Any, kind: int, tick: int, side: int, piece: int, cell: int, other: int, crossing: int) -> None:
    place = log.noted
    log.events[place, 0] = kind
    log.events[place, 1] = tick
    log.events[place, 2] = side
    log.events[place, 3] = piece
    log.events[place, 4] = cell
    log.events[place, 5] = other
    log.events[place, 6] = crossing
    log.noted = place + 1


def events_of(log: Any) -> list[Event]:
    """What a round's record holds, in the order in which it happened."""
    return [Event(*event) for event in log.events[: log.noted].tolist()]


def point(cell: int) -> str:
    return f"({column(cell)},{row(cell)})"
