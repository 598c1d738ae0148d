"""`spar check` proves a game's contract, and catches games that break it."""

from typing import Any

import pytest

import sparring
from search_games import Cake, Heap, UnevenHeap
from sparring.agents.agent import Agent, RandomAgent, View
from sparring.agents.decision import Decision
from sparring.arena.referee import play
from sparring.core.dice import dice as own_dice
from sparring.core.errors import SparringError
from sparring.games import check as contract
from sparring.games.contract import Action, Game, TouchTarget
from sparring.games.isolation.game import Isolation
from toy_games import Pennies, Race

HIDDEN_DICE = contract.HIDDEN_DICE


@pytest.fixture
def no_twin(monkeypatch: pytest.MonkeyPatch) -> None:
    """For games that live in this file, which a second process could not import by name."""
    monkeypatch.setattr(contract, "_plain_transcript", contract.transcript)


def broken(game: Game) -> set[str]:
    return {promise for promise, fault in contract.check(game, 3).faults.items() if fault}


@pytest.mark.usefixtures("no_twin")
@pytest.mark.parametrize("game", [Race(players=4), Race(players=2), Pennies()])
def test_games_with_dice_and_simultaneous_moves_fit_the_contract(game: Game) -> None:
    found = contract.check(game, 3)
    assert found.passed, str(found)


class Lender(Pennies):
    def copy(self, state: Any) -> Any:
        return state


class Open(Pennies):
    def seen(self, state: Any) -> Any:
        return state


class Forgetful(Pennies):
    def parse(self, text: str) -> Any:
        return self.new(0)


class SecretlyRandom(Race):
    kind = Pennies.kind


class Foreseeable(Race):
    def draw(self, state: Any, dice: Any) -> None:
        super().draw(state, own_dice(*map(int, state.at)))


class Silent(Pennies):
    def outcome(self, state: Any) -> tuple[float, ...] | None:
        return None


class Mumbling(Pennies):
    def action_name(self, state: Any, player: int, action: Action) -> str:
        return "something"


class Confused(Pennies):
    def action_named(self, state: Any, player: int, name: str) -> Action | None:
        return 0


class HalfHidden(Pennies):
    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        return super().touch_targets(state, player)[:1]


class Beside(Pennies):
    def touch_targets(self, state: Any, player: int) -> list[TouchTarget]:
        return [touch._replace(at=(15, 0, 10, 10)) for touch in super().touch_targets(state, player)]


class TwiceInARow(UnevenHeap):
    written = {**UnevenHeap.written, "ALTERNATE": True}


class Three(Cake):
    written = {**Cake.written, "ALTERNATE": True}


@pytest.mark.usefixtures("no_twin")
@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (Lender(), "a copy shares nothing with its original"),
        (Open(), "a copy shares nothing with its original"),
        (Forgetful(), "bytes, text and JSON restore the state"),
        (SecretlyRandom(), HIDDEN_DICE),
        (Foreseeable(), HIDDEN_DICE),
        (Silent(), "a game is over when, and only when, it has an outcome"),
        (Mumbling(), "action names are one to one"),
        (Confused(), "action names are one to one"),
        (HalfHidden(), "every action can be chosen in the picture"),
        (Beside(), "every action can be chosen in the picture"),
        (TwiceInARow(heap=5), "two players alternate, if the rules say so"),
        (Three(), "two players alternate, if the rules say so"),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Game) else "",
)
def test_a_game_that_breaks_a_promise_is_caught(game: Game, promise: str) -> None:
    found = broken(game)
    assert promise in found
    assert found == {promise} or isinstance(game, Lender | Open | Mumbling | Heap)


def test_compiled_rules_that_differ_from_the_plain_ones_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract, "_plain_transcript", lambda game, games: "another game")
    assert broken(Isolation(board="4x4")) == {"compiled and plain rules agree"}


def test_the_referee_asks_both_players_before_either_sees_the_other_move() -> None:
    seen = []

    class Watcher(Agent):
        spec = "watcher"

        def decide(self, view: View) -> Decision:
            seen.append((view.me, view.position.text))
            return Decision(self.spec, view.position, view.me, 0)

    play(Pennies(rounds=1), [Watcher(), Watcher()], seed=1)
    assert seen == [(0, "0 0 1"), (1, "0 0 1")]


def test_a_match_for_two_refuses_a_table_of_four() -> None:
    with pytest.raises(SparringError, match="a match takes 4 agents, not 2"):
        sparring.match(Race(players=4), RandomAgent(), RandomAgent())


def test_several_actors_need_a_mapping() -> None:
    position = Pennies().start(0)
    with pytest.raises(SparringError, match="say which one"):
        position.after(0)
    after = position.after({0: 0, 1: "choose1"})
    assert after.text == "0 1 4"
    with pytest.raises(SparringError, match="are to act"):
        position.after({0: 0})
