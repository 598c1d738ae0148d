"""A policy that learns Isolation on a small board by itself, and is then graded by the exact solver.

    python examples/policy_learner.py [STEPS]

The policy is linear: each cell of each plane of an observation has a weight for each action. It learns by REINFORCE:
the actions of a game that was won become more probable, those of a game that was lost less.
"""

import sys

import numpy as np

import sparring
from sparring.bridges.gymnasium import VectorEnvironment
from sparring.bridges.policy import PolicyAgent

GAMES, RATE = 256, 0.02
game = sparring.game("isolation", board="5x5")


def chances(weights, observations, masks):
    """The probabilities of all actions in many positions."""
    logits = np.where(masks, observations.reshape(len(masks), -1) @ weights, -np.inf)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    return odds / odds.sum(axis=1, keepdims=True)


def learned(steps):
    """Play many games at once against random moves, and learn from each as it ends."""
    env, draw = VectorEnvironment(game, GAMES), np.random.default_rng(1)
    observations, info = env.reset(seed=1)
    inputs, actions = observations[0].size, env.single_action_space.n
    weights, traces = np.zeros((inputs, actions)), np.zeros((GAMES, inputs, actions))
    for _ in range(steps):
        masks = info["action_mask"].astype(bool)
        masks[~masks.any(axis=1)] = True  # finished: any action begins a new game
        odds = chances(weights, observations, masks)
        chosen = (odds.cumsum(axis=1) > draw.random((GAMES, 1))).argmax(axis=1)
        traces += observations.reshape(GAMES, -1, 1) * (np.eye(actions)[chosen] - odds)[:, None, :]
        observations, rewards, over, _, info = env.step(chosen)
        if over.any():
            weights += RATE * (rewards[over, None, None] * traces[over]).mean(axis=0)
            traces[over] = 0
    return weights


def main():
    weights = learned(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
    policy = PolicyAgent(game, lambda seen, mask: chances(weights, seen[None], mask[None] > 0).argmax(), "learned")
    print(sparring.match(game, policy, "random", games=400))
    print(sparring.grade(game, [policy, "random", "greedy"], games=50))


if __name__ == "__main__":
    main()
