"""The strategy of design document 004 against a second implementation of its definition, in any position.

The document's unit tests as properties: what is tried, what is gained, what is kept, and the four steps. Rounds are
those of the rule book, and the evaluators are implemented again: nothing here is shared with the strategy.
"""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from flagwar_rulebook import STEPS, Piece, RuleBook
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
FEW = settings(max_examples=25, deadline=None)


# The second implementation


class Design:
    """The design in one position, with the evaluator as written or corrected."""

    def __init__(self, game: FlagWar, position: str, corrected: bool = False) -> None:
        self.game, self.position, self.corrected = game, position, corrected

    def book(self) -> RuleBook:
        return RuleBook(self.game, self.game.parse(self.position))

    def worth(self, side: int, orders: Orders) -> float:
        """The score after a round."""
        book = self.book()
        book.play(orders)
        return self.score(book, side)

    def score(self, book: RuleBook, side: int) -> float:
        if book.over:
            most = 100_000 if self.corrected else 10_000
            return 0 if book.winner == NOBODY else most if book.winner == side else -most
        return self.assets(book, side) - self.assets(book, 1 - side)

    def assets(self, book: RuleBook, side: int) -> float:
        """The enemy flag 8000; on it while it is home 3000; in its zone 1000; in its row 500; a piece 200."""
        cells = [piece.at for piece in book.of(side)]
        holds, held = book.carrier[side] is not None, book.carrier[1 - side] is not None
        zone_counts = not holds if self.corrected else not holds and not held
        home = book.flag(1 - side)
        return (
            8000 * holds
            + 3000 * (not holds and not self.corrected) * cells.count(home)
            + 1000 * zone_counts * sum(cell in book.zone(1 - side) for cell in cells)
            + 500 * sum(cell is not None and cell[1] == home[1] for cell in cells)
            + 200 * len(cells)
        )

    def departures(self) -> list[Piece]:
        """The living pieces where their paths begin: rescuers have gone home."""
        book = self.book()
        for piece in book.pieces:
            if piece.number in book.pending[piece.side]:
                book.goes_home(piece)
        self.begun = book
        return [piece for piece in book.pieces if piece.at is not None]

    def commands(self, side: int) -> Iterator[tuple[int, str]]:
        """Every direction and distance that takes a living piece to another cell."""
        for piece in self.departures():
            if piece.side == side:
                for direction in STEPS:
                    piece.way = []
                    self.begun.plan(piece, f"{direction}99")
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


# The strategy


def decided(game: FlagWar, position: str, me: int, spec: str = "seed") -> Decision:
    return player(spec, game).explain(View(game.position(position), me, players_dice(1, me)))


def orders_of(name: str, side: int) -> Orders:
    return {} if name == "stay" else {(side, int(word[0]) - 1): word[1:] for word in name.split("_")}


def name_of(orders: Orders) -> str:
    return "_".join(f"{number + 1}{order}" for (_, number), order in sorted(orders.items())) or "stay"


def tried(found: Decision, side: int) -> dict[tuple[int, str], Any]:
    """The candidates that move one piece alone."""
    told = {next(iter(orders_of(name, side).items()), None): c for c, name in named(found)}
    return {(at[0][1], at[1]): c for at, c in told.items() if at and c.note}


def named(found: Decision) -> Iterator[tuple[Any, str]]:
    for candidate in found.candidates:
        name = found.position.game.action_name(found.position.state, found.player, candidate.action)
        if "_" not in name:
            yield candidate, name


# Exploring


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


# Choosing


@FEW
@given(SMALL, SIDE)
def test_the_best_is_kept_the_first_of_equals_and_staying_unless_it_is_beaten(situation: Situation, me: int) -> None:
    """By the gains that the strategy itself tells."""
    game, position, _ = situation
    found = decided(game, position, me)
    stays, chosen = found.candidate("stay").score, orders_of(found.name, me)
    for number in range(game.config.pieces):
        ways = [(order, c.score - stays) for (at, order), c in tried(found, me).items() if at == number]
        ways.sort(key=lambda way: ("udlr".index(way[0][0]), int(way[0][1:])))
        most = max((gain for _, gain in ways), default=0.0)
        first = next((order for order, gain in ways if gain == most > 0), None)
        assert chosen.get((me, number)) == first


# The four steps


@FEW
@given(SMALL, SIDE)
def test_each_enemy_piece_and_then_each_own_piece_finds_its_best_command(situation: Situation, me: int) -> None:
    """Steps 1 and 2 while all other pieces stay; steps 3 and 4 against what was found."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    expected = design.best_of_each(1 - me, {})
    assert found.notes["predicted"] == name_of(expected)
    assert found.name == name_of(design.best_of_each(me, expected))


# Corrected


def assert_one_by_one(design: Design, side: int, chosen: Orders, others: Orders) -> None:
    """Each piece has one of its best commands, knowing the commands before it; it stays unless that gains."""
    joined: Orders = {}
    for number in range(design.game.config.pieces):
        stays = design.worth(side, {**others, **joined})
        gains = {
            order: design.worth(side, {**others, **joined, (side, number): order}) - stays
            for at, order in design.commands(side)
            if at == number
        }
        most = max(gains.values(), default=0.0)
        order = chosen.get((side, number))
        assert (order in gains and gains[order] == most) if most > 0 else order is None
        joined |= {(side, number): order} if order else {}


@FEW
@given(SMALL, SIDE)
def test_the_corrected_steps_choose_one_after_the_other_and_answer_the_reply(situation: Situation, me: int) -> None:
    game, position, _ = situation
    design, found = Design(game, position, corrected=True), decided(game, position, me, "seed:corrected,keep=reply")
    predicted = orders_of(found.notes["predicted"], 1 - me)
    assert_one_by_one(design, 1 - me, predicted, {})
    assert_one_by_one(design, me, orders_of(found.name, me), predicted)
    found = decided(game, position, me, "seed:corrected")
    others = orders_of(found.notes["predicted"], 1 - me)
    assert_one_by_one(design, me, orders_of(found.name, me), others)
    for (number, order), candidate in tried(found, me).items():
        assert candidate.score == design.worth(me, {**others, (me, number): order}), "by the corrected evaluator"


def test_the_documents_own_examples() -> None:
    """A piece on (5,5) reaches 18 cells, for its own zone closes two. One on (0,5) has no way left."""
    game = made()
    cells = tried(decided(game, "A1:5,5 A2:X A3:X", 0), 0)
    assert sorted(order for _, order in cells) == sorted(
        [f"{way}{far}" for way in "lr" for far in range(1, 6)]
        + [f"u{far}" for far in (1, 2, 3)]  # the own zone is above
        + [f"d{far}" for far in range(1, 6)]
    )
    assert not any(order[0] == "l" for _, order in tried(decided(game, "A1:0,5 A2:X A3:X", 0), 0))
    assert not any(order[0] == "u" for _, order in tried(decided(game, "A1:5,8 A2:X A3:X", 0), 0))
    assert (0, "d2") in tried(decided(game, "A1:5,2 A2:X A3:X", 0), 0)
