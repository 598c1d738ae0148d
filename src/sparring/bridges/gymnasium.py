"""Games as Gymnasium environments, one or many at once: the learner has one seat, agents the others.

    env = Environment("isolation", against="greedy")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))

An illegal action loses the game.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Env, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from sparring.agents.agent import Agent
from sparring.bridges.episodes import PLAYS, Episodes, episodes
from sparring.games import registry
from sparring.games.contract import Game

FIRST = slice(0, 1)
FIRST_SEEDS = 1 << 40
"""The first game has a seed below this, and each next one the next seed."""


Opponents = str | Agent | Sequence[str | Agent]


def _episodes(game: str | Game, count: int, seat: int, against: Opponents, options: Any) -> Episodes:
    made = registry.game(game, **options) if isinstance(game, str) else game
    return episodes(made, count, seat, [against] if isinstance(against, str | Agent) else against)


class Environment(Env[Any, Any]):
    """One game. An observation has numbers from 0 to 1; `info` has the mask of legal actions and the position."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(
        self,
        game: str | Game,
        against: Opponents = "random",
        seat: int = 0,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self._episodes = _episodes(game, 1, seat, against, options)
        self._next: int | None = None
        self._seen, self._mask = self._episodes.observations[0], self._episodes.masks[0]
        arrays = self._episodes.arrays
        self.game = arrays.game
        self.observation_space = spaces.Box(0.0, 1.0, arrays.shape, np.float32)
        self.action_space = spaces.Discrete(arrays.actions)
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._next is None:
            self._next = seed if seed is not None else int(self.np_random.integers(FIRST_SEEDS))
        self._episodes.begin(FIRST, range(self._next, self._next + 1))
        self._next += 1
        self._episodes.step()
        return self._seen.copy(), {"action_mask": self._mask.copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        episodes = self._episodes
        episodes.numbers[0] = action
        episodes.step()
        over, info = bool(episodes.came.item(0)), {"action_mask": self._mask.copy()}
        return self._seen.copy(), episodes.rewards.item(0), over, False, info

    def render(self) -> Any:
        return self.game.drawing(self._episodes.states[0]) if self.render_mode else None


class VectorEnvironment(VectorEnv[Any, Any, Any]):
    """Many games at once, in compiled code. A finished game begins anew with the next step."""

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}

    def __init__(
        self, game: str | Game, num_envs: int, against: Opponents = "random", seat: int = 0, **options: Any
    ) -> None:
        self._episodes = _episodes(game, num_envs, seat, against, options)
        arrays = self._episodes.arrays
        self.num_envs, self.game = num_envs, arrays.game
        self.single_observation_space = spaces.Box(0.0, 1.0, arrays.shape, np.float32)
        self.single_action_space = spaces.Discrete(arrays.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._next = 0

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed if isinstance(seed, int) else None)
        if isinstance(seed, list):
            for place, one in enumerate(seed):
                first = self._seeds(1) if one is None else range(one, one + 1)
                self._episodes.begin(slice(place, place + 1), first)
        else:
            self._next = int(self.np_random.integers(FIRST_SEEDS)) if seed is None else seed
            self._episodes.begin(slice(None), self._seeds(self.num_envs))
        self._episodes.step()
        return self._episodes.observations.copy(), {"action_mask": self._episodes.masks.copy()}

    def _seeds(self, count: int) -> range:
        self._next += count
        return range(self._next - count, self._next)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        episodes = self._episodes
        over = np.flatnonzero(episodes.came)
        episodes.numbers[:] = actions
        if len(over):
            episodes.begin(over, self._seeds(len(over)))
        episodes.step()
        ended, info = episodes.came != PLAYS, {"action_mask": episodes.masks.copy()}
        return episodes.observations.copy(), episodes.rewards.copy(), ended, np.zeros(self.num_envs, bool), info
