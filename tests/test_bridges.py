"""Games as environments of Gymnasium and PettingZoo and as games of OpenSpiel: the peers' own tests, and the same games
as in the arena."""

import runpy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, seed_test

import sparring
from sparring.agents.spec import agent
from sparring.arena.referee import play
from sparring.bridges.arrays import GameArrays
from sparring.bridges.episodes import CompiledEpisodes, PlainEpisodes, episodes
from sparring.bridges.gymnasium import Environment, VectorEnvironment
from sparring.bridges.open_spiel import register
from sparring.bridges.pettingzoo import ParallelEnvironment, TurnEnvironment
from sparring.bridges.policy import PolicyAgent
from sparring.games import registry
from strangers import ROOT, found_in, installed_examples

GAMES: dict[str, dict[str, Any]] = {
    "isolation": {"board": "5x5"},
    "ludo": {"players": 2, "tokens": 1},
    "battlesnake": {"board": "7x7", "players": 3},
    "flagwar": {"turn_limit": 8},
    "connect_four": {},
    "goofspiel": {"cards": 5},
}
every_game = pytest.mark.parametrize("name", GAMES)


@pytest.fixture(scope="module", autouse=True)
def examples() -> Iterator[None]:
    with found_in(installed_examples()):
        yield


def made(name: str) -> Any:
    return sparring.game(name, **GAMES[name])


def test_every_game_is_tried() -> None:
    assert set(GAMES) == set(registry.names())


# The peers' own tests


@pytest.mark.slow
@every_game
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("error", category=UserWarning)
        warnings.filterwarnings("ignore", ".*alternative render modes.*")  # wants an id in Gymnasium's registry
        check_env(Environment(made(name)))


@pytest.mark.slow
@every_game
def test_pettingzoo_finds_nothing_wrong(name: str) -> None:
    game = made(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in ("Observation is not a NumPy array", "Observation space for each agent probably"):
            warnings.filterwarnings(
                "ignore", kind
            )  # as for PettingZoo's own board games, whose observations have masks
        api_test(TurnEnvironment(game), num_cycles=60)
        parallel_api_test(ParallelEnvironment(game), num_cycles=60)
        seed_test(lambda: TurnEnvironment(game), num_cycles=20)
        parallel_seed_test(lambda: ParallelEnvironment(game), num_cycles=20)


@pytest.mark.slow
@every_game
def test_open_spiel_finds_nothing_wrong(name: str) -> None:
    told = ",".join(f"{option}={value}" for option, value in GAMES[name].items())
    pyspiel.random_sim_test(pyspiel.load_game(f"{register(name)}({told})"), num_sims=1, serialize=True, verbose=False)


# The same games as in the arena


@pytest.mark.parametrize("name", ["isolation", "goofspiel"])
def test_the_game_of_a_seed_is_the_one_of_the_arena(name: str) -> None:
    game = made(name)
    played = play(game, [agent(game, "random"), agent(game, "random")], seed=5)
    env, arrays = Environment(game), GameArrays(game)
    _, info = env.reset(seed=5)
    over, reward = False, 0.0
    for turn in played.turns:
        if turn.player == 0:
            state = game.copy(env._episodes.states[0])
            action = game.action_named(state, 0, turn.action)
            assert action is not None
            assert info["action_mask"].tolist() == arrays.mask(state, 0).tolist()
            assert not over
            _, reward, over, _, info = env.step(arrays.number(state, 0, action))
    assert over
    assert reward == 2 * played.scores[0] - 1


@pytest.mark.parametrize("name", ["isolation", "ludo", "battlesnake"])
def test_compiled_and_plain_games_are_the_same_and_many_games_are_as_one(name: str) -> None:
    game = made(name)
    compiled = episodes(game, 3, 1, ["random"])
    plain = PlainEpisodes(game, 3, 1, [agent(game, "random")] * game.seats)
    single = episodes(game, 1, 1, ["random"])
    assert isinstance(compiled, CompiledEpisodes)
    for one in (compiled, plain):
        one.begin(slice(None), range(7, 10))
    single.begin([0], range(9, 10))
    for _ in range(40):
        for games in (compiled, plain, single):
            games.step()
        assert compiled.states.tobytes() == plain.states.tobytes()
        for told in ("came", "rewards", "masks", "observations"):
            assert getattr(compiled, told).tolist() == getattr(plain, told).tolist()
            assert getattr(compiled, told)[2].tolist() == getattr(single, told)[0].tolist()
        if compiled.came.any():
            break
        compiled.numbers[:] = plain.numbers[:] = compiled.masks.argmax(axis=1)
        single.numbers[0] = compiled.numbers[2]


@pytest.mark.parametrize("name", ["connect_four", "goofspiel"])
def test_a_game_in_open_spiel_is_the_one_of_the_arena(name: str) -> None:
    """A random game of the arena, replayed there."""
    game = made(name)
    told = ",".join(f"{option}={value}" for option, value in GAMES[name].items())
    state = pyspiel.load_game(f"{register(name)}({told}{',' if told else ''}seed=4)").new_initial_state()
    position = game.start(4)
    while not position.over:
        while state.is_chance_node():
            (outcome,) = [
                k for k, _ in state.chance_outcomes() if state.child(k).state.tobytes() == position.state.tobytes()
            ]
            state.apply_action(outcome)
        assert str(state) == position.text
        numbers = [state.legal_actions(player)[-1] for player in position.actors]
        before = position
        position = position.play(
            {
                player: state.rules.arrays.action(state.state, player, number)
                for player, number in zip(position.actors, numbers, strict=True)
            }
        )
        if game.kind.simultaneous:
            state.apply_actions(numbers)
        else:
            assert state.action_to_string(numbers[0]) == before.name(numbers[0])
            state.apply_action(numbers[0])
    assert state.is_terminal()
    assert [(1 + reward) / 2 for reward in state.returns()] == list(position.outcome or ())


def test_many_games_go_on_and_finished_ones_begin_anew() -> None:
    env = VectorEnvironment("isolation", 16, board="4x4")
    _, info = env.reset(seed=1)
    ended, rewards = np.zeros(16, int), np.zeros(16)
    for _ in range(40):
        before = ended.copy()
        seen, reward, over, _, info = env.step(info["action_mask"].argmax(axis=1))
        ended += over
        rewards += reward
        assert seen.shape == (16, 3, 4, 4)
        assert (info["action_mask"].any(axis=1) == ~over).all()
        assert ((reward != 0) <= over).all(), before
    assert ended.min() >= 2
    assert set(np.sign(rewards)) >= {1.0}


@every_game
def test_an_illegal_action_loses(name: str) -> None:
    env = TurnEnvironment(made(name))
    env.reset(seed=1)
    first = env.agent_selection
    mask = env.observe(first)["action_mask"]
    illegal = int(mask.argmin()) if not mask.all() else len(mask)
    waiting = len(env._table.acting())
    for _ in range(waiting):
        env.step(
            illegal if env.agent_selection == first else int(env.observe(env.agent_selection)["action_mask"].argmax())
        )
    assert all(env.terminations.values())
    assert env.rewards[first] == -1


def test_observations_are_relative_to_the_player() -> None:
    game = sparring.game("isolation", board="3x4")
    arrays, state = GameArrays(game), game.parse("A..#/..../...B A")
    blocked, mine, theirs = arrays.observation(state, 0)
    assert blocked.tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 1]]
    assert (mine.argmax(), theirs.argmax()) == (0, 11)
    assert (arrays.observation(state, 1)[1:] == [theirs, mine]).all()


# Policies, and slips


def test_a_policy_plays_and_is_graded() -> None:
    game = sparring.game("isolation", board="4x4")

    def first(observation: Any, mask: Any) -> int:
        assert observation.shape == (3, 4, 4)
        return int(mask.argmax())

    told = sparring.match(game, PolicyAgent(game, first, "first"), "random", games=4)
    assert "4 games" in str(told)
    assert "first" in str(sparring.grade(game, [PolicyAgent(game, first, "first")], games=2))
    with pytest.raises(sparring.SparringError, match=r"first chose 99, which is not legal"):
        sparring.explain(game, PolicyAgent(game, lambda *_: 99, "first"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"seat": 2}, "the seats of isolation are 0 to 1, not 2"),
        ({"against": ["random", "greedy"]}, "a learner in isolation has 1 opponents, not 2"),
        ({"against": "gredy"}, "did you mean greedy"),
        ({"board": "2x2"}, "ROWSxCOLUMNS"),
    ],
)
def test_slips_are_told(given: dict[str, Any], told: str) -> None:
    with pytest.raises(sparring.SparringError, match=told):
        Environment("isolation", **given)


@pytest.mark.slow
def test_the_example_learns_to_beat_random_moves() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "policy_learner.py"))
    game, weights = example["game"], example["learned"](500)

    def best(seen: Any, mask: Any) -> int:
        return int(example["chances"](weights, seen[None], mask[None] > 0).argmax())

    assert sparring.match(game, PolicyAgent(game, best, "learned"), "random", games=200).pairings[0].better == "learned"
