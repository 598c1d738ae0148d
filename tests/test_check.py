"""`spar check` proves a game's contract, and catches games that break it."""

from typing import Any

import pytest

import sparring
from search_games import Cake, UnevenHeap
from sparring.agents.agent import Agent, RandomAgent, View
from sparring.agents.decision import Decision
from sparring.arena.referee import play
from sparring.core.dice import dice as own_dice
from sparring.core.errors import SparringError
from sparring.games import check as contract
from sparring.games.contract import Game, TouchTarget
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


def breaking(base: type[Game], options: Any = (), **members: Any) -> Game:
    """A game that is like another but for some members."""
    return type("Breaking", (base,), members)(**dict(options))


def beside(game: Pennies, state: Any, player: int) -> list[TouchTarget]:
    return [touch._replace(at=(15, 0, 10, 10)) for touch in Pennies.touch_targets(game, state, player)]


TURNS = {**UnevenHeap.written, "ALTERNATE": True}
THREE = {**Cake.written, "ALTERNATE": True}


@pytest.mark.usefixtures("no_twin")
@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (breaking(Pennies, parse=lambda game, text: game.new(0)), "bytes, text and JSON restore the state"),
        (breaking(Race, kind=Pennies.kind), HIDDEN_DICE),
        (breaking(Race, draw=lambda game, s, dice: Race.draw(game, s, own_dice(*map(int, s.at)))), HIDDEN_DICE),
        (breaking(Pennies, outcome=lambda *_: None), "a game is over when, and only when, it has an outcome"),
        (breaking(Pennies, action_named=lambda *_: 0), "action names are one to one"),
        (breaking(Pennies, touch_targets=beside), "every action can be chosen in the picture"),
        (
            breaking(Pennies, touch_targets=lambda *of: Pennies.touch_targets(*of)[:1]),
            "every action can be chosen in the picture",
        ),
        (breaking(Cake, written=THREE), "two players alternate, if the rules say so"),
    ],
)
def test_a_game_that_breaks_a_promise_is_caught(game: Game, promise: str) -> None:
    assert broken(game) == {promise}


@pytest.mark.usefixtures("no_twin")
@pytest.mark.parametrize(
    ("game", "promise"),
    [
        (breaking(Pennies, copy=lambda game, state: state), "a copy shares nothing with its original"),
        (breaking(Pennies, seen=lambda game, state: state), "a copy shares nothing with its original"),
        (breaking(Pennies, action_name=lambda *_: "something"), "action names are one to one"),
        (breaking(UnevenHeap, {"heap": 5}, written=TURNS), "two players alternate, if the rules say so"),
    ],
)
def test_a_game_that_breaks_several_promises_is_caught(game: Game, promise: str) -> None:
    assert promise in broken(game)


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
