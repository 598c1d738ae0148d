"""The strategy of design document 004 against a second implementation of its definition, in any position.

The document's unit tests as properties: what is tried, what is gained, what is kept, and the four steps. Rounds are
those of the rule book, and the evaluators are implemented again: nothing here is shared with the strategy.
"""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flagwar_rulebook import STEPS, RuleBook
from flagwar_situations import Situation, made, player, situations
from sparring.agents.agent import View
from sparring.agents.decision import Decision
from sparring.core.dice import players_dice
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import NOBODY, STAY

Orders = dict[tuple[int, int], str]
"""Commands by side and number: `u3`."""
SMALL = situations().filter(lambda one: one[0].config.pieces <= 3)
SIDE = st.sampled_from([0, 1])
FEW = settings(max_examples=12, deadline=None)


class Design:
    """The design in one position."""

    def __init__(self, game: FlagWar, position: str) -> None:
        self.game, self.state = game, game.parse(position)

    def worth(self, side: int, orders: Orders) -> float:
        """The score after a round."""
        book = RuleBook(self.game, self.state)
        book.play(orders)
        if book.over:
            return 0 if book.winner == NOBODY else 10_000 if book.winner == side else -10_000
        return self.assets(book, side) - self.assets(book, 1 - side)

    def assets(self, book: RuleBook, side: int) -> float:
        """The enemy flag 8000; on it while it is home 3000; in its zone 1000; in its row 500; a piece 200."""
        cells = [piece.at for piece in book.of(side)]
        holds, held = book.carrier[side] is not None, book.carrier[1 - side] is not None
        home = book.flag(1 - side)
        return (
            8000 * holds
            + 3000 * (not holds) * cells.count(home)
            + 1000 * (not holds and not held) * sum(cell in book.zone(1 - side) for cell in cells)
            + 500 * sum(cell is not None and cell[1] == home[1] for cell in cells)
            + 200 * len(cells)
        )

    def commands(self, side: int) -> Iterator[tuple[int, str]]:
        """Every direction and distance that takes a living piece to another cell. Rescuers have gone home before."""
        book = RuleBook(self.game, self.state)
        for piece in book.pieces:
            if piece.number in book.pending[piece.side]:
                book.goes_home(piece)
        for piece in book.of(side):
            for direction in STEPS:
                piece.way = []
                book.plan(piece, f"{direction}99")
                for far in range(1, len(piece.way) + 1):
                    yield piece.number, f"{direction}{far}"

    def gains(self, side: int, others: Orders) -> dict[tuple[int, str], float]:
        """The gain of every command over staying, while all mates stay."""
        stays = self.worth(side, others)
        return {
            (number, order): self.worth(side, {**others, (side, number): order}) - stays
            for number, order in self.commands(side)
        }

    def best_of_each(self, side: int, others: Orders) -> Orders:
        """The first of the best commands of each piece, if it gains anything."""
        best: dict[int, tuple[str, float]] = {}
        for (number, order), gain in self.gains(side, others).items():
            if gain > best.get(number, ("", 0.0))[1]:
                best[number] = order, gain
        return {(side, number): order for number, (order, _) in best.items()}


def decided(game: FlagWar, position: str, me: int) -> Decision:
    return player("seed", game).explain(View(game.position(position), me, players_dice(1, me)))


def orders_of(name: str, side: int) -> Orders:
    return {} if name == "stay" else {(side, int(word[0]) - 1): word[1:] for word in name.split("_")}


def name_of(orders: Orders) -> str:
    return "_".join(f"{number + 1}{order}" for (_, number), order in sorted(orders.items())) or "stay"


def tried(found: Decision, side: int) -> dict[tuple[int, str], Any]:
    """The candidates that move one piece alone."""
    alone = {}
    for candidate in found.candidates:
        orders = orders_of(found.position.game.action_name(found.position.state, side, candidate.action), side)
        if len(orders) == 1 and candidate.note:
            ((_, number), order) = next(iter(orders.items()))
            alone[number, order] = candidate
    return alone


@FEW
@given(SMALL, SIDE)
def test_every_reachable_cell_of_every_living_piece_is_tried_and_counted(situation: Situation, me: int) -> None:
    """Each once, and nothing else: no clipped path, no cell beyond the edge or in the own zone, no jailed piece."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    own, theirs = (list(design.commands(side)) for side in (me, 1 - me))
    assert sorted(tried(found, me)) == sorted(own)
    assert found.notes["evaluations"] == len(own) + 1 + len(theirs) + 1


@FEW
@given(SMALL, SIDE)
def test_a_command_gains_its_score_less_that_of_staying(situation: Situation, me: int) -> None:
    """Staying is always a candidate, and the enemy's commands are executed against it too."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    others = orders_of(found.notes["predicted"], 1 - me)
    (stays,) = (one.score for one in found.candidates if one.action == STAY)
    assert stays == design.worth(me, others)
    gains = design.gains(me, others)
    for at, candidate in tried(found, me).items():
        assert candidate.score - stays == gains[at]
        assert candidate.note == f"piece {at[0] + 1} gains {gains[at]:+,g}"
    for one in found.candidates:
        assert one.score == sum(found.weights[term] * value for term, value in one.terms.items())


@FEW
@given(SMALL, SIDE)
def test_each_enemy_piece_and_then_each_own_piece_finds_its_best_command(situation: Situation, me: int) -> None:
    """Steps 1 and 2 while all other pieces stay; steps 3 and 4 against what was found."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    expected = design.best_of_each(1 - me, {})
    assert found.notes["predicted"] == name_of(expected)
    assert found.name == name_of(design.best_of_each(me, expected))


def test_the_documents_own_examples() -> None:
    """A piece on (5,5) reaches 18 cells, for its own zone closes two. One on (0,5) has no way left."""

    def ways(position: str) -> dict[str, int]:
        orders = [order for _, order in tried(decided(made(), f"{position} A2:X A3:X", 0), 0)]
        return {way: len([order for order in orders if order[0] == way]) for way in "udlr"}

    assert ways("A1:5,5") == {"u": 3, "d": 5, "l": 5, "r": 5}
    assert ways("A1:0,5")["l"] == ways("A1:5,8")["u"] == 0
    assert ways("A1:5,2")["d"] == 2
