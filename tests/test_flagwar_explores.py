"""Seed 004's strategy held against its own definition, told once more as plain loops, in any position.

The document's unit tests as properties: what is tried, what is gained, what is kept, and the four steps. Rounds are
those of the rule book, and the evaluators are written once more, so that nothing here is shared with the strategy.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import sparring
from flagwar_rulebook import STEPS, Piece, RuleBook
from flagwar_situations import Situation, made, situations
from sparring.agents.agent import Agent, View
from sparring.agents.decision import Decision
from sparring.core.dice import players_dice
from sparring.games.flagwar.game import FlagWar
from sparring.games.flagwar.state import NOBODY, STAY

Orders = dict[tuple[int, int], str]
"""What pieces are told, by side and number: `u3`."""
SMALL = situations().filter(lambda one: one[0].config.pieces <= 3)
SIDE = st.sampled_from([0, 1])
FEW = settings(max_examples=25, deadline=None)


# The design once more


class Design:
    """What seed 004 says, in one position. As it is written or with the corrected evaluator."""

    def __init__(self, game: FlagWar, position: str, corrected: bool = False) -> None:
        self.game, self.position, self.corrected = game, position, corrected

    def book(self) -> RuleBook:
        return RuleBook(self.game, self.game.parse(self.position))

    def worth(self, side: int, orders: Orders) -> float:
        """Play the round, then evaluate."""
        book = self.book()
        book.play(orders)
        return self.score(book, side)

    def score(self, book: RuleBook, side: int) -> float:
        if book.over:
            most = 100_000 if self.corrected else 10_000
            return 0 if book.winner == NOBODY else most if book.winner == side else -most
        return self.assets(book, side) - self.assets(book, 1 - side)

    def assets(self, book: RuleBook, side: int) -> float:
        """Their flag 8000; on it while it is home 3000; in their zone 1000; on the back wall 500; a piece 200."""
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
        """The living, where their paths begin: rescuers have gone home."""
        book = self.book()
        for piece in book.pieces:
            if piece.number in book.pending[piece.side]:
                book.goes_home(piece)
        self.begun = book
        return [piece for piece in book.pieces if piece.at is not None]

    def commands(self, side: int) -> Iterator[tuple[int, str]]:
        """Of every living piece: up, down, left, right, and every distance that takes it to another cell."""
        for piece in self.departures():
            if piece.side == side:
                for direction in STEPS:
                    piece.way = []
                    self.begun.plan(piece, f"{direction}99")
                    for far in range(1, len(piece.way) + 1):
                        yield piece.number, f"{direction}{far}"

    def gains(self, side: int, others: Orders) -> dict[tuple[int, str], float]:
        """What every command gains over staying, while the enemy does this and all mates stay."""
        stays = self.worth(side, others)
        return {
            (number, order): self.worth(side, {**others, (side, number): order}) - stays
            for number, order in self.commands(side)
        }

    def best_of_each(self, side: int, others: Orders) -> Orders:
        """The first of the best of every piece, if it gains anything."""
        best: dict[int, tuple[str, float]] = {}
        for (number, order), gain in self.gains(side, others).items():
            if gain > best.get(number, ("", 0.0))[1]:
                best[number] = order, gain
        return {(side, number): order for number, (order, _) in best.items()}


# What the product does


@cache
def player(spec: str, game: FlagWar) -> Agent:
    return sparring.agent(game, spec)


def decided(game: FlagWar, position: str, me: int, spec: str = "seed") -> Decision:
    return player(spec, game).explain(View(game.position(position), me, players_dice(1, me)))


def orders_of(name: str, side: int) -> Orders:
    return {} if name == "stay" else {(side, int(word[0]) - 1): word[1:] for word in name.split("_")}


def name_of(orders: Orders) -> str:
    return "_".join(f"{number + 1}{order}" for (_, number), order in sorted(orders.items())) or "stay"


def tried(found: Decision, side: int) -> dict[tuple[int, str], Any]:
    """Every command that moves one piece alone."""
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
    """Each once, and nothing else: no clipped path, no cell beyond an edge or in the own zone, no jailed piece."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    own, theirs = (list(design.commands(side)) for side in (me, 1 - me))
    assert sorted(tried(found, me)) == sorted(own)
    assert found.notes["evaluations"] == len(own) + 1 + len(theirs) + 1


@FEW
@given(SMALL, SIDE)
def test_no_path_leaves_the_board_or_enters_the_own_zone_and_none_stops_before(situation: Situation, me: int) -> None:
    game, position, _ = situation
    design = Design(game, position)
    starts = {piece.number: piece for piece in design.departures() if piece.side == me}
    width, height = game.config.sides
    barred = design.begun.zone(me) if design.begun.carrier[1 - me] is None else set()
    longest: dict[tuple[int, str], int] = {}
    for number, order in tried(decided(game, position, me), me):
        longest[number, order[0]] = max(longest.get((number, order[0]), 0), int(order[1:]))
    for number, piece in starts.items():
        closed = set() if design.begun.carrier[me] == number else barred
        for direction, (right, up) in STEPS.items():
            assert piece.at
            far = longest.get((number, direction), 0)
            way = [(piece.at[0] + step * right, piece.at[1] + step * up) for step in range(1, far + 2)]
            free = [0 <= x < width and 0 <= y < height and (x, y) not in closed for x, y in way]
            assert free == [True] * far + [False]
    assert {number for number, _ in longest} <= set(starts), "a jailed piece goes nowhere"


@FEW
@given(SMALL, SIDE)
def test_a_command_gains_its_score_less_that_of_staying(situation: Situation, me: int) -> None:
    """Staying is always among the candidates, and while it is in force the enemy's commands are executed."""
    game, position, _ = situation
    design, found = Design(game, position), decided(game, position, me)
    others = orders_of(found.notes["predicted"], 1 - me)
    (stays,) = (one.score for one in found.candidates if one.action == STAY)
    assert stays == design.worth(me, others)
    gains = design.gains(me, others)
    for at, candidate in tried(found, me).items():
        assert candidate.score - stays == gains[at]
        assert candidate.note == f"piece {at[0] + 1} gains {gains[at]:+,g}"


@FEW
@given(SMALL, SIDE)
def test_the_terms_of_every_candidate_add_up_to_its_score(situation: Situation, me: int) -> None:
    game, position, _ = situation
    found = decided(game, position, me)
    for one in found.candidates:
        assert one.score == sum(found.weights[term] * value for term, value in one.terms.items())


# Choosing


@FEW
@given(SMALL, SIDE)
def test_the_best_is_kept_the_first_of_equals_and_staying_unless_it_is_beaten(situation: Situation, me: int) -> None:
    """From what the strategy itself says that its commands gain."""
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
def test_steps_1_and_2_find_the_enemys_best_of_each_piece_while_all_else_stays(situation: Situation, me: int) -> None:
    game, position, _ = situation
    expected = Design(game, position).best_of_each(1 - me, {})
    assert decided(game, position, me).notes["predicted"] == name_of(expected)


@FEW
@given(SMALL, SIDE)
def test_steps_3_and_4_find_the_own_best_of_each_piece_against_that(situation: Situation, me: int) -> None:
    game, position, _ = situation
    design = Design(game, position)
    assert decided(game, position, me).name == name_of(design.best_of_each(me, design.best_of_each(1 - me, {})))


# Corrected


def assert_one_by_one(design: Design, side: int, chosen: Orders, others: Orders) -> None:
    """Each piece has one of its best commands, knowing what those before it do; it stays unless that gains."""
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
def test_the_corrected_steps_choose_one_after_the_other(situation: Situation, me: int) -> None:
    game, position, _ = situation
    design, found = Design(game, position, corrected=True), decided(game, position, me, "seed:corrected,keep=reply")
    predicted = orders_of(found.notes["predicted"], 1 - me)
    assert_one_by_one(design, 1 - me, predicted, {})
    assert_one_by_one(design, me, orders_of(found.name, me), predicted)


@FEW
@given(SMALL, SIDE)
def test_corrected_the_last_answer_is_to_the_enemys_reply(situation: Situation, me: int) -> None:
    game, position, _ = situation
    design, found = Design(game, position, corrected=True), decided(game, position, me, "seed:corrected")
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
