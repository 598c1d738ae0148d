"""The contract of games, tried on all that come with Sparring and on the example packages."""

import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import sparring
from sparring.agents.agent import RandomAgent, View
from sparring.arena import notation
from sparring.arena.referee import play
from sparring.core.dice import dice, players_dice, referees_dice, throw
from sparring.games import registry
from sparring.games.check import check
from sparring.games.contract import Game, Position
from strangers import EXAMPLES, found_in, installed_examples

GAMES: dict[str, list[Mapping[str, Any]]] = {
    "isolation": [{}, {"board": "5x6", "opening": "free"}, {"board": "4x4", "piece": "queen"}],
    "ludo": [
        {},
        {"players": 2, "tokens": 2, "overshoot": "stay", "home_tries": 3},
        {"players": 3, "max_consecutive_sixes": 3, "play_to_end": "yes"},
        {"players": 3, "rules": "ludopy"},
    ],
    "battlesnake": [
        {},
        {"rules": "wrapped_constrictor", "players": 4},
        {"map": "royale", "board": "7x7", "shrink_every": 2},
        {"map": "healing_pools", "hazard_damage": -30, "shrink_every": 2, "players": 3},
        {"board": "19x19", "players": 8, "rules": "royale", "shrink_every": 2},
        {"map": "seed_002", "lengths": "frozen"},
    ],
    "flagwar": [{}, {"board": "19x13", "rules": "repo-11x11", "turn_limit": "9"}],
    "connect_four": [{"opening": 0}],
    "goofspiel": [{"cards": 13}],
}
CASES = [(name, options) for name, listed in GAMES.items() for options in listed]
CHANCE = [("ludo", {}), ("battlesnake", {"board": "7x7", "food_spawn_chance": 50}), ("goofspiel", {"cards": 10})]
STEPS = 20


@pytest.fixture(scope="module", autouse=True)
def examples() -> Iterator[None]:
    with found_in(installed_examples()):
        yield


def told(case: Any) -> str:
    return case if isinstance(case, str) else " ".join(f"{option}={value}" for option, value in case.items())


def test_every_game_is_tried() -> None:
    assert set(GAMES) == set(registry.names())
    assert set(EXAMPLES) < set(GAMES)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), CASES, ids=told)
def test_a_game_keeps_every_promise(name: str, options: Mapping[str, Any]) -> None:
    """Among the promises: bytes, text and JSON restore a state, and compiled and plain rules agree. A game travels by
    pickle, and a whole game as a file of moves."""
    made = sparring.game(name, **options)
    found = check(made, games=1 if name == "ludo" else 2)
    assert found.passed, str(found)
    again = pickle.loads(pickle.dumps(made))
    assert again.options() == made.options() == sparring.game(name, **made.chosen()).options()
    assert json.loads(json.dumps(made.to_json(made.start(3).state))) == again.to_json(again.start(3).state)
    played = play(made, [RandomAgent() for _ in range(made.seats)], seed=4)
    read = notation.read(notation.write(played))
    assert read.turns == played.turns
    assert read.positions()[-1].outcome == played.scores


def steps(game: Game, seed: int) -> Iterator[tuple[Position, dict[int, int]]]:
    """Positions of random games, and what is played there."""
    choice, left = dice(seed, "steps"), STEPS
    position = game.start(seed)
    while not position.over and left:
        legal = {player: game.legal(position.state, player) for player in position.actors}
        chosen = {player: actions[throw(choice, len(actions))] for player, actions in legal.items()}
        yield position, chosen
        position, left = position.play(chosen), left - 1


@pytest.mark.parametrize(("name", "options"), CHANCE, ids=told)
def test_nobody_who_copies_a_position_can_foresee_what_chance_brings(name: str, options: Mapping[str, Any]) -> None:
    """What a player finds when it plays its view on is right no more often than with any other dice."""
    game = sparring.game(name, **options)
    asked = foreseen = guessed = 0
    for seed in range(40):
        for number, (position, chosen) in enumerate(steps(game, seed)):
            truth = game.to_bytes(game.seen(position.play(chosen).state))
            view = View.of(position, position.actors[0], players_dice(seed, 0))
            other = Position(game, game.seen(position.state), referees_dice(1000 * seed + number))
            asked += 1
            foreseen += game.to_bytes(view.position.play(chosen).state) == truth
            guessed += game.to_bytes(other.play(chosen).state) == truth
    assert asked > 80
    assert foreseen < 0.9 * asked
    assert abs(foreseen - guessed) < 0.1 * asked


@pytest.mark.parametrize(("name", "options"), CHANCE, ids=told)
def test_actions_alone_draw_nothing(name: str, options: Mapping[str, Any]) -> None:
    game = sparring.game(name, **options)
    for position, chosen in steps(game, 1):
        copies = [game.copy(position.state) for _ in range(2)]
        for copy in copies:
            game.apply(copy, chosen)
        assert game.to_bytes(copies[0]) == game.to_bytes(copies[1])
