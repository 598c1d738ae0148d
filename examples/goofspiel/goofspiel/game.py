"""Goofspiel: both bid a card for each prize, at once; prizes come by chance, and more points win."""

from dataclasses import dataclass

from goofspiel import rules
from goofspiel.rules import MOST_CARDS, State
from sparring.core.kernel import record
from sparring.games.contract import Game, Kind
from sparring.games.kernels import vocabulary


@dataclass(frozen=True)
class Config:
    cards: int = 6
    """How many prizes there are, and cards in each hand."""


class Goofspiel(Game):
    name = "goofspiel"
    api = 1
    version = 1
    kind = Kind(simultaneous=True, chance=True, players=(2, 2))
    state = State
    Config = Config
    numbers = {"cards": (2, MOST_CARDS)}
    endings = ("all prizes taken",)
    written = vocabulary(rules)
    fixed_names = True

    def new(self, seed):
        s = record(State)
        s.prizes = s.hands[:] = (2 << self.config.cards) - 2
        return s

    def drawing(self, state):
        lines = [
            f"{self.player_name(seat)}: {cards(state.hands[seat])}  {state.points[seat]} points" for seat in (0, 1)
        ]
        prize = f"prize {state.prize}" if state.prize else "no prize left"
        return "\n".join([f"{prize}; to come: {cards(state.prizes)}", *lines])

    def fault(self, state):
        whole, held = (2 << self.config.cards) - 2, [int(hand) for hand in state.hands]
        if any(known < 0 or known & ~whole for known in (int(state.prizes), *held)):
            return f"cards are bits from 1 to {self.config.cards}"
        left = int(state.prizes).bit_count() + int(state.prize > 0)
        if not 0 <= state.prize <= self.config.cards or {hand.bit_count() for hand in held} != {left}:
            return "there are as many cards in each hand as prizes"
        return "" if not state.prizes >> state.prize & 1 else "the prize is also to come"


def cards(held):
    return " ".join(str(card) for card in range(MOST_CARDS + 1) if int(held) >> card & 1) or "none"
