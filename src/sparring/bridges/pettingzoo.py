"""Games as PettingZoo environments, in which every player may be a learner.

    env = TurnEnvironment("isolation")        # AEC: one player after the other, also where they act at once
    env = ParallelEnvironment("battlesnake")  # all players step together; the actions of those who wait do not count

An observation has the board, numbers from 0 to 1, and the mask of legal actions. An illegal action loses the game.
"""

from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv, ParallelEnv

from sparring.bridges.arrays import GameArrays
from sparring.games import registry
from sparring.games.contract import Game

FIRST_SEEDS = 1 << 40


class Table:
    """A game between learners, with what both kinds of environments need."""

    def __init__(self, game: str | Game, options: dict[str, Any]) -> None:
        self.game = registry.game(game, **options) if isinstance(game, str) else game
        self.arrays = GameArrays(self.game)
        self.players = [f"player_{seat}" for seat in range(self.game.seats)]
        self._random, _ = seeding.np_random(None)
        self.position = self.game.start()

    @cache  # noqa: B019  (a table has few players and is as old as its environment)
    def spaces(self, player: str) -> tuple[spaces.Dict, spaces.Discrete]:
        board = spaces.Box(0.0, 1.0, self.arrays.shape, np.float32)
        mask = spaces.Box(0, 1, (self.arrays.actions,), np.int8)
        return spaces.Dict({"observation": board, "action_mask": mask}), spaces.Discrete(self.arrays.actions)

    def begin(self, seed: int | None) -> None:
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self.position = self.game.start(int(self._random.integers(FIRST_SEEDS)) if seed is None else seed)

    def observation(self, player: str) -> dict[str, Any]:
        seat, state = self.players.index(player), self.position.state
        return {
            "observation": self.arrays.observation(self.game.seen(state), seat),
            "action_mask": self.arrays.mask(state, seat),
        }

    def acting(self) -> list[str]:
        return [self.players[seat] for seat in self.position.actors]

    def play(self, numbers: dict[str, Any]) -> dict[str, float]:
        """Play the actions of all who act; return the rewards, if the game is over now."""
        state = self.position.state
        seats = {player: self.players.index(player) for player in self.acting()}
        actions = {seat: self.arrays.action(state, seat, int(numbers[player])) for player, seat in seats.items()}
        if illegal := {self.players[seat] for seat, action in actions.items() if action is None}:
            return {player: -1.0 if player in illegal else 0.0 for player in self.players}
        self.position = self.position.play({seat: action for seat, action in actions.items() if action is not None})
        if (outcome := self.position.outcome) is None:
            return {}
        return {player: 2 * share - 1 for player, share in zip(self.players, outcome, strict=True)}

    def render(self) -> str:
        return self.game.drawing(self.position.state)


class LearnersEnvironment:
    """The parts that both kinds of environments have in common."""

    def __init__(self, game: str | Game, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        self._table = Table(game, options)
        name = f"{self._table.game.name}_v{self._table.game.version}"
        self.metadata = {"name": name, "render_modes": ["ansi"], "is_parallelizable": True}
        self.possible_agents = list(self._table.players)
        self.render_mode = render_mode

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._table.spaces(agent)[0]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._table.spaces(agent)[1]

    def render(self) -> str:
        return self._table.render()

    def close(self) -> None:
        """Nothing is open, but PettingZoo expects this of what it can show."""


class TurnEnvironment(LearnersEnvironment, AECEnv[str, Any, Any]):  # type: ignore[misc]
    """The players act one after the other. Where several act at once, nothing happens before the last has chosen."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._table.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {player: {} for player in self.agents}
        self._chosen: dict[str, Any] = {}
        self.agent_selection = self._table.acting()[0]

    def observe(self, agent: str) -> dict[str, Any]:
        return self._table.observation(agent)

    def step(self, action: Any) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._clear_rewards()
        self._chosen[self.agent_selection] = action
        waiting = [player for player in self._table.acting() if player not in self._chosen]
        if not waiting:
            rewards, self._chosen = self._table.play(self._chosen), {}
            if rewards:
                self.rewards.update(rewards)
                self.terminations = dict.fromkeys(self.agents, True)
            waiting = [] if rewards else self._table.acting()
        self.agent_selection = waiting[0] if waiting else self.agents[0]
        self._accumulate_rewards()


class ParallelEnvironment(LearnersEnvironment, ParallelEnv[str, Any, Any]):  # type: ignore[misc]
    """All players step together. Those who do not act have an empty mask, and their actions do not count."""

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self._table.begin(seed)
        self.agents = list(self.possible_agents)
        return self._observations(), {player: {} for player in self.agents}

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        players = list(self.agents)
        rewards = self._table.play(actions)
        over, observations = bool(rewards), self._observations()
        self.agents = [] if over else players
        return (
            observations,
            rewards or dict.fromkeys(players, 0.0),
            dict.fromkeys(players, over),
            dict.fromkeys(players, False),
            {player: {} for player in players},
        )

    def _observations(self) -> dict[str, Any]:
        return {player: self._table.observation(player) for player in self.agents}
