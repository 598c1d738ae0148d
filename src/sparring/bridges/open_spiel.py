"""Games as games of OpenSpiel, with their chance as explicit outcomes, for its algorithms and its tests.

    register("isolation")
    game = pyspiel.load_game("sparring_isolation(board=5x5,seed=3)")

Where a game only draws and lists no outcomes, chance is one of `DRAWS` equally probable draws. Observations and the
numbers of actions are those of arrays.py.
"""

from functools import cache
from typing import Any

import numpy as np
import pyspiel

from sparring.bridges.arrays import GameArrays
from sparring.core.dice import dice
from sparring.games import registry
from sparring.games.contract import Game
from sparring.games.kernels import CHANCE

DRAWS = 256
MOST_OUTCOMES = 256
MOST_TURNS = 100_000
COMMA = "_"
OPENING = "seed"
"""The parameter that chooses the opening, besides the options of the game."""


@cache
def register(name: str) -> str:
    """Register a game with its options as parameters, and return its name in OpenSpiel."""
    game = registry.game(name)
    kinds = pyspiel.GameType
    fewest, most = game.kind.players
    described = kinds(
        short_name=f"sparring_{name}",
        long_name=game.title or name.capitalize(),
        dynamics=kinds.Dynamics.SIMULTANEOUS if game.kind.simultaneous else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if game.kind.chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.GENERAL_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=most,
        min_num_players=fewest,
        provides_information_state_string=False,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters(game),
    )

    class Registered(SpielGame):
        def __init__(self, given: dict[str, Any] | None = None) -> None:
            super().__init__(described, name, given or {})

    pyspiel.register_game(described, Registered)
    return f"sparring_{name}"


def parameters(game: Game) -> dict[str, Any]:
    """The options of a game with their defaults, and the seed of its opening. OpenSpiel reads digits as a number, and a
    comma as the end of a parameter."""
    told = {option: value.replace(",", COMMA) for option, value in game.options().items()}
    options = {option: int(value) if value.isdigit() else value for option, value in told.items()}
    return {**options, OPENING: 0}


class SpielGame(pyspiel.Game):  # type: ignore[misc]
    """A game as OpenSpiel sees it."""

    def __init__(self, described: Any, name: str, given: dict[str, Any]) -> None:
        usual = described.parameter_specification
        chosen = {option: str(value) for option, value in given.items() if value != usual[option]}
        seed = int(chosen.pop(OPENING, 0))
        options = {option: value.replace(COMMA, ",") for option, value in chosen.items()}
        self.rules = Rules(registry.game(name, **options), seed)
        game = self.rules.game
        about = pyspiel.GameInfo(
            num_distinct_actions=self.rules.arrays.actions,
            max_chance_outcomes=MOST_OUTCOMES if game.kind.chance else 0,
            num_players=game.seats,
            min_utility=-1.0,
            max_utility=1.0,
            max_game_length=MOST_TURNS,
        )
        super().__init__(described, about, given)

    def new_initial_state(self) -> "SpielState":
        return SpielState(self, self.rules)

    def make_py_observer(self, kind: Any = None, parameters: Any = None) -> "SpielObserver":
        return SpielObserver(self.rules)


class Rules:
    """What the states of a game share. A copy of a state does not copy it."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game, self.arrays = game, GameArrays(game)
        self.first = game.openings([seed])[0]
        self.listed = "outcomes" in game.kernels

    def __deepcopy__(self, known: Any) -> "Rules":
        return self

    def outcomes(self, state: Any) -> list[tuple[int, float]]:
        """The outcomes of chance with their probabilities."""
        if not self.listed:
            return [(draw, 1 / DRAWS) for draw in range(DRAWS)]
        kernels = self.game.kernels
        return [(k, float(kernels["probability"](state, k))) for k in range(kernels["outcomes"](state))]

    def happen(self, state: Any, outcome: int) -> None:
        if self.listed:
            self.game.kernels["happen"](state, outcome)
            self.game.kernels["tidy"](state)
        else:
            self.game.draw(state, dice("draw", outcome))


class SpielState(pyspiel.State):  # type: ignore[misc]
    """A position as OpenSpiel sees it."""

    def __init__(self, game: SpielGame, rules: Rules) -> None:
        super().__init__(game)
        self.rules = rules
        self.state = rules.game.copy(rules.first)

    def current_player(self) -> int:
        acting = self.rules.game.kernels.acting(self.state)
        if not acting:
            return int(pyspiel.PlayerId.TERMINAL)
        if acting == CHANCE:
            return int(pyspiel.PlayerId.CHANCE)
        if self.rules.game.kind.simultaneous:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        return int(acting).bit_length() - 1

    def _legal_actions(self, player: int) -> list[int]:
        """The legal numbers. A player who waits while others act may only do nothing, which is 0."""
        return np.flatnonzero(self.rules.arrays.mask(self.state, player)).tolist() or [0]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.rules.outcomes(self.state)

    def _apply_action(self, number: int) -> None:
        player = self.current_player()
        if player == pyspiel.PlayerId.CHANCE:
            self.rules.happen(self.state, number)
        else:
            self.rules.game.apply(self.state, {player: self._action(player, number)})

    def _apply_actions(self, numbers: list[int]) -> None:
        actors = self.rules.game.actors(self.state)
        self.rules.game.apply(self.state, {player: self._action(player, numbers[player]) for player in actors})

    def _action(self, player: int, number: int) -> int:
        action = self.rules.arrays.action(self.state, player, number)
        assert action is not None  # OpenSpiel checks it
        return action

    def _action_to_string(self, player: int, number: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"chance {number}"
        action = self.rules.arrays.action(self.state, player, number)
        return "waits" if action is None else self.rules.game.action_name(self.state, player, action)

    def is_terminal(self) -> bool:
        return not self.rules.game.kernels.acting(self.state)

    def returns(self) -> list[float]:
        found = self.rules.game.kernels.rewards(self.state)
        return found[0] if found else [0.0] * self.rules.game.seats

    def __str__(self) -> str:
        return self.rules.game.text(self.state)


class SpielObserver:
    """Observations of positions as arrays and as text."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.tensor = np.zeros(int(np.prod(rules.arrays.shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(rules.arrays.shape)}

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor[:] = self.rules.arrays.observation(state.state, player).ravel()

    def string_from(self, state: SpielState, player: int) -> str:
        return str(state)
